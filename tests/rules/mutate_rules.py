"""Break the rules by hand, one change at a time, and tell which changes no test notices.

    python tests/rules/mutate_rules.py              all changes, some minutes
    python tests/rules/mutate_rules.py retries      those in files whose name begins so

Each change is made in a copy of the package in a temporary folder; then tests/rules and tests/conformance run
there until the first failure. The working tree is not touched.

Exit status: 0 every change was noticed, 1 some were not, 2 a change no longer fits the text it is made in.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SUITES = ("tests/rules", "tests/conformance")  # in this order: the first one is the faster one

# (module of dshlog, text that stands there once, what to put there)
CHANGES = (
    ("rules/lifecycle", "self.step, self.next_step, self.last_step = None, 1, 0", "self.step, self.next_step = None, 1"),
    ("rules/lifecycle", "elif not identical(turn, self.next_turn):", "elif turn is None:"),
    ("rules/lifecycle", "if earlier is None or earlier.ghost:", "if earlier is None:"),
    ("rules/lifecycle", "                if not call.ghost\n", ""),
    ("rules/lifecycle", "            and self.step is None\n            and type(turn)", "            and type(turn)"),
    ("rules/lifecycle", "if call.start_seq is None and not repairs:", "if call.start_seq is None and False:"),
    ("rules/lifecycle", "self.next_turn = as_count(turn) or self.next_turn", "pass"),
    ("rules/retries", "wanted = life.step if life.step is not None else life.last_step", "wanted = life.step"),
    ("rules/retries", "if number != last + 1:", "if number < last + 1:"),
    ("rules/retries", "planned[2] = True", "pass"),
    ("rules/retries", "elif self._owners.get(name, chain) != chain:", "elif False:"),
    ("rules/compaction", "start >= seq or end >= seq", "start > seq or end > seq"),
    ("rules/compaction", "if self._folder.head_is_system() and actual", "if actual"),
    ("rules/compaction", 'drops the open compaction."""\n        self.id = None', 'drops the open compaction."""'),
    ("rules/compaction", ", group=GROUP)", ")"),
    ("rules/compaction", 'if not identical(member(data, "turn"), self._turn):', "if False:"),
    ("rules/dispatches", "zero_sign=True", "zero_sign=False"),
    ("rules/dispatches", "self._roots.get(parent) != root", "parent not in self._roots"),
    ("rules/dispatches", "start = self._open.pop(sub, None)", "start = self._open.get(sub)"),
    ("rules/records", " or number in self._command_events", ""),
    ("rules/records", "through >= seq", "through > seq"),
    ("rules/records", "group = OWN if self._header.parent_session is not None else None", "group = OWN"),
    ("rules/records", '            and not (mode == "unknown" and version == 0)\n', ""),
    ("rules/records", "        self._children.clear()\n", "        pass\n"),
    ("rules/payload", "turn is None or turn < 1:", "turn is None or turn < 0:"),
    ("rules/payload", "if step is None or step < 0:", "if step is None:"),
    ("rules/payload", "or value is not True or name not in held", "or value is not True"),
    ("rules/payload", 'block.get("toolCallId") != source["callId"]', "False"),
    ("rules/admission", '(digits[0] == "0" and digits != "0")', 'digits[0] == "0"'),
    ("rules/admission", "if appended else number < seq and sources == [number])", "if appended else number < seq)"),
    ("rules/admission", 'if kind in _DISPATCH and row.get("ignorable") is not True:', "if kind in _DISPATCH:"),
    ("rules/admission", "if not as_count(data.get(member)):", "if as_count(data.get(member)) is None:"),
    ("rules/admission", '"tool/ptc-dispatch": lambda row: _blocks(row, "content", changes=False),', ""),
    ("rules/tails", "    del cause\n    return ends_turn and how in {GAP, SOUND}", "    return ends_turn and how == SOUND"),
    ("rules/tails", "(cause == NOT_JSON and how == MALFORMED)", "how == MALFORMED"),
    ("rules/tails", "return ends_turn and how != NOT_JSON", "return ends_turn and how in {GAP, SOUND}"),
    ("rules/sequence", "if not positions.unread[index]:", "if True:"),
    ("rules/sequence", "elif early.closers != late.closers:", "elif early.closers:"),
    ("rules/sequence", "if late.start == 0:", "if late.start < 0:"),
    ("rules/sequence", "    story.follows += max(0, late.last_line - late.first_line)\n", ""),
    ("rules/plain", 'frozenset({*RETIRED_BLOCKS, "image"})', "RETIRED_BLOCKS"),
    ("rules/plain", 'if facts is None or facts[3] == "plugin":', "if facts is None:"),
    ("rules/plain", '        or source["callId"] != call_id\n', ""),
    ("rules/plain", 'span["start"] != 0 != span["end"] and ', ""),
    ("rules/plain", '        or block["toolCallId"] != call_id\n', ""),
    ("rules/marks", "return start > 0 and last < seq", "return start > 0"),
    ("rules/judge", "if seq != expected or not seq or", "if seq != expected or"),
    ("rules/judge", 'not in "SK"', 'not in "S"'),
    ("rules/judge", "        self._resumed = self._settled = False\n        if first", "        if first"),
    ("rules/drafts", '(not beyond or stage == "a")', "not beyond"),
    ("rules/early", "if self._restart == seq - 1 and", "if self._restart is not None and"),
    ("rules/early", "life.turn is not None and life.step is None:", "life.turn is not None:"),
    ("fold/identity", "    if kind is dict or kind is list:\n        return False\n", ""),
    ("rules/relations", 'elif kind == _COMPACTOR and op != "append":', "elif kind == _COMPACTOR:"),
    ("rules/relations", 'if op != "append":', "if False:"),
    ("report/sequence", "if judge.issue in gaps:", "if False:"),
    ("report/examine", "if judge.tail.turn is not None and whole:", "if judge.tail.turn is not None:"),
)  # fmt: skip


def noticed(folder: Path) -> bool:
    """Tell whether the tests of a copy fail."""
    shared = os.environ.get("DSHLOG_SHARED") or str(REPOSITORY.parent / "shared")
    world = {**os.environ, "DSHLOG_SHARED": shared, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    for suite in SUITES:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", suite]
        if subprocess.run(command, cwd=folder, env=world, capture_output=True, check=False).returncode:
            return True
    return False


def main(wanted: list[str]) -> int:
    """Make each change that is wanted; gives the exit status."""
    status = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in ("dshlog", "tests", "fixtures", "pyproject.toml", "README.md"):
            source = REPOSITORY / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder / name)
        if noticed(folder):
            sys.stdout.write("the tests fail without any change\n")
            return 2
        for module, old, new in CHANGES:
            if wanted and not Path(module).name.startswith(tuple(wanted)):
                continue
            path = folder / "dshlog" / f"{module}.py"
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                sys.stdout.write(f"stale     {module}: {old!r} stands there {text.count(old)} times\n")
                status = 2
                continue
            path.write_text(text.replace(old, new), encoding="utf-8")
            found = noticed(folder)
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{'noticed ' if found else 'SURVIVES'}  {module}: {old!r} -> {new!r}\n")
            sys.stdout.flush()
            status = status or int(not found)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Repair generated logs, and ask dsh whether it opens each result.

    python tests/differential/repaired.py --oracle DIR --mutate 3000 --cuts 500 --seed 1

Arguments, folders and generators as in run.py. A result that dsh does not open, or that it would still close or cut,
is printed with what the repair did; so is a log that dsh opens and whose closers or cut are not those of the plan.
The last lines count what was done, what it cost and how many of the rows that could be read are in the results.

Exit status: 0 dsh opens every result, 1 it does not, 2 the arguments or the oracle are at fault.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from bases import Case, frames  # noqa: E402 - found beside this file
from compare import BATCH, ask, native  # noqa: E402 - as above
from dshlog.library import apply, plan_repair  # noqa: E402 - as above
from dshlog.repair.finish import OPENS  # noqa: E402 - as above
from dshlog.repair.plan import Plan  # noqa: E402 - as above
from dshlog.report.examine import examine  # noqa: E402 - as above
from dshlog.storage.jsontext import NotJSON, dumps, loads  # noqa: E402 - as above
from dshlog.storage.source import BytesSource  # noqa: E402 - as above
from run import arguments, generated, say  # noqa: E402 - as above

WISHES: list[dict[str, Any]] = [  # what is asked for, log by log in turn
    {"allow_loss": True, "keep": "first"},
    {"allow_loss": True, "keep": "second"},
    {"allow_loss": True},
    {},
    {"allow_loss": True, "keep": "first", "fix": ["two-writers", "unknown-type", "torn-line", "message-id-missing"]},
]
AS_DSH = {"keep", "cut", "rewrite", "close", "mark"}  # what dsh does itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A log, the plan for it and the result; None when there is none."""

    case: Case
    plan: Plan
    data: bytes | None

    def as_case(self) -> Case:
        """Give the result as a log to be judged; where there is none, the log itself."""
        data = self.case.data if self.data is None else self.data
        return Case(name=self.case.name, about=self.case.about, suffix=self.case.suffix, data=data)


def mended(case: Case, folder: Path, wishes: dict[str, Any] | None = None) -> Mended:
    """Repair one log, as is asked for or as its turn has it."""
    if wishes is None:
        wishes = WISHES[zlib.crc32(case.name.encode()) % len(WISHES)]
    path = folder / f"{case.name}{case.suffix}"
    path.write_bytes(case.data)
    plan = plan_repair(path, now=1, **wishes)
    data = None if plan.script is None or plan.why_not is not None else apply(plan, path)
    path.unlink()
    return Mended(case=case, plan=plan, data=data)


def rows(case: Case) -> Counter[bytes]:
    """Count the records of a log by what they say, whatever their number is."""
    text = b"".join(frames(case.data)) if case.suffix == ".jsonl.zstd" else case.data
    found: Counter[bytes] = Counter()
    for line in text.split(b"\n")[1:]:
        try:
            row: Any = loads(line)
        except NotJSON:
            continue
        if isinstance(row, dict) and "type" in row:
            found[dumps(_said(row))] += 1
    return found


def _said(row: dict[str, Any]) -> Any:
    """Give what a record says without numbers of events, which a repair may have moved."""
    data = row.get("data")
    plain = {name: value for name, value in data.items() if "eq" not in name} if isinstance(data, dict) else data
    if isinstance(plain, dict) and isinstance(plain.get("message"), dict):
        plain = {**plain, "message": {**plain["message"], "id": None}}
    if isinstance(plain, dict) and "shadowedRange" in plain:
        plain = {**plain, "shadowedRange": None}
    return [row["type"], plain]


def upgraded(after: dict[str, Any], made: Mended) -> dict[str, Any] | None:
    """Give what the latest dsh says of a result of v1 or v2, unless dshlog knows that it refuses the upgrade."""
    case = made.as_case()
    report = examine(BytesSource(case.data), f"session{case.suffix}", upgrade="always")
    return None if report.latest.opens is False or "unjudged" in after else after.get("open")


def faults(before: dict[str, Any] | None, after: dict[str, Any] | None, made: Mended) -> Iterator[str]:
    """Yield what dsh has to say against a result, and against a plan for a log that it opens; None was not asked."""
    answer = None if after is None else native(after) or upgraded(after, made)
    if after is not None and answer is not None:
        facts = answer if "native" in after else after
        if not answer["ok"]:
            yield f"refused: {answer['error'][:200]}"
        elif facts.get("closers") or answer["torn_truncate_to"] is not None:
            yield "dsh would still close or cut it"
    answer = None if before is None else native(before)
    if before is not None and answer is not None and answer["ok"]:
        facts = answer if "native" in before else before
        plan = made.plan
        if plan.truncate_to != answer["torn_truncate_to"] or len(plan.rewritten) != answer["recovered_tail"]:
            yield f"cut: ours {plan.truncate_to}, {len(plan.rewritten)}; dsh {answer['torn_truncate_to']}, {answer['recovered_tail']}"
        as_dsh = plan.script is not None and {action.kind for action in plan.actions} <= AS_DSH
        if as_dsh and dumps(list(plan.closers)) != dumps(facts.get("closers", [])):
            yield "closers differ"


class Sum:
    """What came of all logs."""

    def __init__(self) -> None:
        self.total = self.bad = 0
        self.done: Counter[str] = Counter()
        self.why: Counter[str] = Counter()
        self.there = self.kept = 0

    def add(self, made: Mended, found: list[str]) -> None:
        """Count one log."""
        self.total += 1
        plan = made.plan
        state = plan.before.state
        if plan.healthy and plan.why_not is None:
            self.done["nothing to do"] += 1
        elif plan.script is None or plan.healthy:
            self.done[f"{state}: not repaired"] += 1
            self.why[(plan.why_not or "")[:90]] += 1
        else:
            written = "" if made.data is not None else ", so not written"
            self.done[f"{state}: {'lossy' if plan.lossy else 'lossless'}{written}"] += 1
            if state == "refused" and made.data is not None:
                before, after = rows(made.case), rows(made.as_case())
                self.there += before.total()
                self.kept += (before & after).total()
        if found:
            self.bad += 1
            say(f"{made.case.name}: {made.case.about}\n    {'; '.join(found)}")
            for action in plan.actions:
                say(f"    {action.kind}: {action.message}")

    def show(self) -> None:
        """Print the sums."""
        for what, times in sorted(self.done.items()):
            say(f"{times:6}  {what}")
        for what, times in self.why.most_common(15):
            say(f"{times:6}  not repaired: {what}")
        if self.there:
            say(f"{self.kept} of {self.there} rows of refused logs are kept ({100 * self.kept / self.there:.1f} %)")
        say(f"dsh objects to {self.bad} of {self.total} results")


def run(cases: Iterable[Case], oracle: Path, shared: Path, folder: Path) -> int:
    """Repair and ask; gives the exit status."""
    total = Sum()
    todo = iter(cases)
    while batch := list(islice(todo, BATCH)):
        made = [mended(case, folder) for case in batch]
        opened = [one for one in made if one.plan.before.state in OPENS]
        changed = [one for one in made if one.data is not None and not one.plan.healthy]
        before = dict(zip(map(id, opened), ask([one.case for one in opened], oracle, shared), strict=True))
        after = dict(zip(map(id, changed), ask([one.as_case() for one in changed], oracle, shared), strict=True))
        for one in made:
            total.add(one, list(faults(before.get(id(one)), after.get(id(one)), one)))
    total.show()
    return 1 if total.bad else 0


def main(command: list[str], run: Callable[[Iterable[Case], Path, Path, Path], int] = run) -> int:
    """Run the command line, what it asks for with `run`; gives the exit status."""
    import tempfile

    given = arguments().parse_args(command)
    shared = Path(os.environ.get("DSHLOG_SHARED") or HERE.parents[2] / "shared")
    if given.oracle is None:
        sys.stderr.write("--oracle or DSHLOG_ORACLE must name the folder of the oracle\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        return run(generated(given, shared), given.oracle, shared, Path(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

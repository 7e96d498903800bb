"""Print what a repair makes of every damaged log of the shared folder, and what dsh says of the result.

    python tests/differential/remedied.py --oracle DIR              one line for each log, then the sums
    python tests/differential/remedied.py --oracle DIR --lossless   without agreeing to any loss

The folders are as in run.py. Columns: log, state, outcome, steps, rows kept of those that can be read, what is lost or
why nothing is written, and dsh's answer on the result: that of the log's generation, else that of the latest build.

Exit status: 0 dsh opens every result, 1 it does not, 2 the arguments or the oracle are at fault.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from bases import Case  # noqa: E402 - found beside this file
from compare import ask, native  # noqa: E402 - as above
from repaired import Mended, mended, rows  # noqa: E402 - as above
from run import say  # noqa: E402 - as above

LISTS = (("corpus/mutants/mutants", "mutants"), ("corpus/traps/traps", "mutants"), ("cases/cases", "cases"))
SHOWN = 100  # characters of a reason


def damaged(shared: Path) -> Iterator[Case]:
    """Yield the logs."""
    for name, entries in LISTS:
        index = shared / f"{name}.json"
        for entry in json.loads(index.read_text(encoding="utf-8"))[entries] if index.is_file() else ():
            path = index.parent / entry["file"]
            if path.is_file():
                suffix = ".jsonl.zstd" if path.name.endswith(".zstd") else ".jsonl"
                label = f"{index.parent.name}-{path.name.split('.')[0]}"
                yield Case(name=label, about=entry["file"], suffix=suffix, data=path.read_bytes())


def outcome(made: Mended) -> str:
    """Say in one word what came of a log."""
    plan = made.plan
    if plan.healthy and plan.why_not is None:
        return "nothing to do"
    if plan.script is None or plan.healthy:
        return "not repaired"
    return "lossy" if plan.lossy else "lossless"


def steps(made: Mended) -> str:
    """Name what was done, each kind with its number."""
    found = Counter(action.kind for action in made.plan.actions if action.kind != "keep")
    return " ".join(f"{kind}:{times}" if times > 1 else kind for kind, times in found.items()) or "-"


def lost(made: Mended) -> str:
    """Say what a result lacks, or why there is none."""
    if made.plan.script is None or made.plan.why_not:
        return (made.plan.why_not or "")[:SHOWN]
    said = dict.fromkeys(action.loss for action in made.plan.actions if action.loss != "none")
    return "; ".join(said)[:SHOWN] or "nothing"


def answer(verdict: dict[str, Any] | None) -> str:
    """Say what dsh makes of a result."""
    if verdict is None:
        return "-"
    given = native(verdict) or verdict.get("open") or {}
    if "unjudged" in verdict or "ok" not in given:
        return "no answer"
    if not given["ok"]:
        return f"refused: {given['error'][:SHOWN]}"
    facts = given if "native" in verdict else verdict
    return "opens, closes" if facts.get("closers") or given["torn_truncate_to"] is not None else "opens"


def table(oracle: Path, shared: Path, wishes: dict[str, Any]) -> int:
    """Print the table; gives the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        made = [mended(case, Path(folder), wishes) for case in damaged(shared)]
    written = [one for one in made if one.data is not None and not one.plan.healthy]
    asked = zip(map(id, written), ask([one.as_case() for one in written], oracle, shared), strict=True)
    said = {key: answer(verdict) for key, verdict in asked}
    sums: Counter[str] = Counter()
    there = kept = 0
    for one in made:
        state, came, dsh = one.plan.before.state, outcome(one), said.get(id(one), "-")
        share = "-"
        if state == "refused" and dsh == "opens":
            before, after = rows(one.case), rows(one.as_case())
            there, kept = there + before.total(), kept + (before & after).total()
            share = f"{(before & after).total()}/{before.total()}"
        sums[f"{state}: {came}" + (f", {lost(one)}" if came == "not repaired" else "")] += 1
        say(" | ".join((one.case.about, state, came, steps(one), share, lost(one), dsh)))
    for what, times in sorted(sums.items()):
        say(f"{times:5}  {what}")
    say(f"{kept} of {there} rows of refused logs are kept ({100 * kept / max(there, 1):.1f} %)")
    bad = sum(words not in {"opens", "-", "no answer"} for words in said.values())
    say(f"dsh objects to {bad} of {len(written)} results")
    return 1 if bad else 0


def main(command: list[str]) -> int:
    """Run the command line; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", type=Path, default=os.environ.get("DSHLOG_ORACLE"), metavar="DIR")
    parser.add_argument("--lossless", action="store_true")
    given = parser.parse_args(command)
    if given.oracle is None:
        sys.stderr.write("--oracle or DSHLOG_ORACLE must name the folder of the oracle\n")
        return 2
    shared = Path(os.environ.get("DSHLOG_SHARED") or HERE.parents[2] / "shared")
    return table(given.oracle, shared, {} if given.lossless else {"allow_loss": True, "keep": "first"})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

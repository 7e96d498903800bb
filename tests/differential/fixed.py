"""Take every fix that generated logs of v0 to v3 need for the upgrade, and ask dsh whether it opens and upgrades each result.

    python tests/differential/fixed.py --oracle DIR --upgrade --mutate 3000 --seed 1

Arguments, folders and generators as in run.py. Only logs that dsh refuses are looked at. A result that dsh does not
open, or of which it writes another successor than dshlog migrate, is printed with what was done; so is one that its
own build refuses. The last lines count which fixes were taken, and what is left where there is none.

Exit status: 0 dsh opens every result, 1 it does not, 2 the arguments or the oracle are at fault.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from bases import Case  # noqa: E402 - found beside this file
from compare import BATCH, ask, compare_upgrade, native  # noqa: E402 - as above
from dshlog.library import apply, plan_repair  # noqa: E402 - as above
from dshlog.repair.plan import Plan  # noqa: E402 - as above
from repaired import main  # noqa: E402 - as above
from run import say  # noqa: E402 - as above

LATEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """A log that dsh refuses, the plan for it, and the result; None when there is none."""

    case: Case
    plan: Plan
    data: bytes | None

    def result(self) -> Case:
        """Give the result as a log to be judged."""
        return Case(name=self.case.name, about=self.case.about, suffix=self.case.suffix, data=self.data or b"")


def fixed(case: Case, folder: Path) -> Fixed | None:
    """Plan for one log; None for one that dsh opens."""
    path = folder / f"{case.name}{case.suffix}"
    path.write_bytes(case.data)
    try:
        alone = plan_repair(path, allow_loss=True, keep="first", now=1)
        version = alone.before.version
        if version is None or version >= LATEST or alone.before.state != "refused":
            return None
        plan = plan_repair(path, allow_loss=True, keep="first", now=1, fix=["upgrade"])
        data = None if plan.script is None or plan.why_not is not None else apply(plan, path)
        return Fixed(case=case, plan=plan, data=data)
    finally:
        path.unlink()


def faults(verdict: dict[str, Any], made: Fixed) -> Iterator[str]:
    """Yield what dsh has to say against a result."""
    answer = verdict.get("open") or {}
    if "unjudged" in verdict:
        return
    if not answer.get("ok") and made.plan.remains is None:
        yield f"refused: {str(answer.get('error'))[:200]}"
    own = native(verdict)
    if own is not None and not own["ok"]:
        yield f"refused by its own build: {own['error'][:200]}"
    differs = compare_upgrade(made.result(), verdict)
    if differs is not None:
        yield f"another successor: {differs.group}"


class Sum:
    """What came of all logs."""

    def __init__(self) -> None:
        self.total = self.bad = self.cured = self.lossless = 0
        self.used: Counter[str] = Counter()
        self.left: Counter[str] = Counter()

    def add(self, made: Fixed, found: list[str]) -> None:
        """Count one log."""
        self.total += 1
        plan = made.plan
        if made.data is None or plan.remains is not None:
            self.left[plan.remains or plan.why_not or ""] += 1
            say(f"left {made.case.name}: {plan.remains or plan.why_not}")
        else:
            self.cured += 1
            self.lossless += not plan.lossy
        self.used.update(word.partition("=")[0] for word in plan.fixes)
        if found:
            self.bad += 1
            say(f"{made.case.name}: {made.case.about}\n    {'; '.join(found)}")
            for action in plan.actions:
                say(f"    {action.kind}: {action.message}")

    def show(self) -> None:
        """Print the sums."""
        for what, times in self.used.most_common():
            say(f"{times:6}  {what}")
        for what, times in self.left.most_common(20):
            say(f"{times:6}  left: {what}")
        say(f"{self.cured} of {self.total} refused logs have a cure, {self.lossless} of them a lossless one")
        say(f"dsh objects to {self.bad} of {self.total} results")


def run(cases: Iterable[Case], oracle: Path, shared: Path, folder: Path) -> int:
    """Fix and ask; gives the exit status."""
    total = Sum()
    todo = (made for case in cases if (made := fixed(case, folder)) is not None)
    while batch := list(islice(todo, BATCH)):
        there = [made for made in batch if made.data is not None]
        verdicts = dict(zip(map(id, there), ask([made.result() for made in there], oracle, shared), strict=True))
        for made in batch:
            total.add(made, list(faults(verdicts[id(made)], made)) if id(made) in verdicts else [])
    total.show()
    return 1 if total.bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], run))

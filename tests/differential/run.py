"""Judge generated logs by dsh and by dshlog, and print where the two part.

    python tests/differential/run.py --oracle DIR --cuts 500 --seed 1       logs that end too early
    python tests/differential/run.py --oracle DIR --mutate 3000 --seed 1    logs with a few changes each
    python tests/differential/run.py --oracle DIR --damage 3000 --seed 1    what crashes, disks and tools do, v1 and v2 too
    python tests/differential/run.py --oracle DIR --whole 9999              the logs that the others start from
    python tests/differential/run.py --oracle DIR --tables 99999            every odd value in every member (the count: a sample)
    python tests/differential/run.py --oracle DIR --opened 3000 --seed 1    open logs with an odd value in what opened them
    python tests/differential/run.py --oracle DIR --upgrade ...             v0 to v3 alone, and what the upgrade makes of them
    python tests/differential/run.py --oracle DIR --tally ...               also what dsh said, and how often
    python tests/differential/run.py --oracle DIR --shrink ...              also a small log of each group, in full
    python tests/differential/run.py --oracle DIR --keep FOLDER ...         also write the logs that differ there
    python tests/differential/run.py --mutate 3000 --seed 1 --make NAME     write this one log to standard output

DIR is a folder that `oracle/dsh_oracle.py setup DIR` has laid out; the oracle and the logs to start from are in the
folder that DSHLOG_SHARED names, else in `../shared` beside the repository. The same arguments make the same logs.
A further generator is a module beside this file with `cases(logs, count, seed)`, and its name in GENERATORS.

Exit status: 0 both agree on every log, 1 they do not, 2 the arguments or the oracle are at fault.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from bases import Case, bases, frames, older  # noqa: E402 - found beside this file
from compare import Disagreement, disagreements  # noqa: E402 - as above

GENERATORS = ("whole", "cuts", "tables", "opened", "mutate", "damage")
SHOWN = 3  # examples of each group


def arguments() -> argparse.ArgumentParser:
    """Give the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", type=Path, default=os.environ.get("DSHLOG_ORACLE"), metavar="DIR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--tally", action="store_true")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--upgrade", action="store_true")
    parser.add_argument("--make", metavar="NAME")
    for name in GENERATORS:
        parser.add_argument(f"--{name}", type=int, default=0, metavar="COUNT")
    return parser


def generated(given: argparse.Namespace, shared: Path) -> Iterator[Case]:
    """Yield the logs of every generator that was asked for."""
    logs = older(shared) if given.upgrade else bases(shared)
    for name in GENERATORS:
        if count := getattr(given, name):
            yield from importlib.import_module(name).cases(logs, count, given.seed)


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))


def show(groups: dict[str, list[Disagreement]], total: int) -> None:
    """Print the groups, the largest first, each with its smallest logs."""
    for group, members in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        say(f"{len(members):5}  {group}")
        for found in sorted(members, key=lambda member: len(member.case.data))[:SHOWN]:
            say(f"         {found.case.name}: {found.case.about}")
            ours = {key: value for key, value in found.ours.items() if found.theirs.get(key) != value}
            theirs = {key: value for key, value in found.theirs.items() if found.ours.get(key) != value}
            say(f"           ours {ours}")
            say(f"           dsh  {theirs} {found.words[:300]}")
    say(f"{sum(map(len, groups.values()))} of {total} logs are judged differently, in {len(groups)} groups")


def show_smallest(found: Disagreement, oracle: Path, shared: Path, *, upgrades: bool) -> None:
    """Print a log that is judged as differently as this one, but small."""
    from shrink import smallest

    def same(tries: list[Case]) -> list[bool]:
        judged = disagreements(tries, oracle, shared, upgrades=upgrades)
        return [again is not None and again.group == found.group for _, _, again in judged]

    case = smallest(found.case, same)
    say(f"\n{found.group}\n{found.case.name}: {found.case.about}\n{found.words[:300]}")
    text = case.data if case.suffix == ".jsonl" else b"".join(frames(case.data))
    say(text.decode("utf-8", "backslashreplace"))


def main(command: list[str]) -> int:
    """Run the command line; gives the exit status."""
    given = arguments().parse_args(command)
    shared = Path(os.environ.get("DSHLOG_SHARED") or HERE.parents[2] / "shared")
    if given.make:
        for case in generated(given, shared):
            if case.name == given.make:
                sys.stdout.buffer.write(case.data)
                return 0
        sys.stderr.write(f"no log {given.make} is made from these arguments\n")
        return 2
    if given.oracle is None:
        sys.stderr.write("--oracle or DSHLOG_ORACLE must name the folder of the oracle\n")
        return 2
    groups: dict[str, list[Disagreement]] = defaultdict(list)
    said: Counter[str] = Counter()
    for case, words, found in disagreements(generated(given, shared), given.oracle, shared, upgrades=given.upgrade):
        said[words] += 1
        if found is not None:
            groups[found.group].append(found)
            if given.keep is not None:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{case.name}{case.suffix}").write_bytes(case.data)
    if given.tally:
        for words, times in said.most_common():
            say(f"{times:5}  {words}")
    show(groups, said.total())
    for members in groups.values() if given.shrink else ():
        show_smallest(
            min(members, key=lambda member: len(member.case.data)), given.oracle, shared, upgrades=given.upgrade
        )
    return 1 if groups else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

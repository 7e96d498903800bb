"""Which units of two logs correspond, and what differs in those that do."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Literal, NamedTuple

from dshlog.model.comparison import Change, Difference
from dshlog.report.align import gaps, runs
from dshlog.report.changes import changes
from dshlog.report.renumber import moved, names_others
from dshlog.report.units import bare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dshlog.model.comparison import Tally
    from dshlog.report.units import Event, Keys, Raw, Shown

KEPT = 200  # changes of one unit that are kept

_What = Literal["same", "pair", "a", "b"]


class Op(NamedTuple):
    """A step on the way through both: `size` units that are the same, that correspond, or that one side has alone."""

    what: _What
    a: int
    b: int
    size: int


def pairing(a: Keys, b: Keys) -> list[Op]:
    """Say which units correspond: first those of the same content, between them those about the same thing.

    What is left between two that correspond is paired by its type; behind the last one nothing is, for there the logs
    have gone different ways.
    """
    out: list[Op] = []
    for run, in_a, in_b, closed in gaps(runs(a.strong, b.strong), len(a.strong), len(b.strong)):
        out.extend(_between(a, b, in_a, in_b, closed=closed))
        if run.size:
            out.append(Op("same", *run))
    return out


def _between(a: Keys, b: Keys, in_a: range, in_b: range, *, closed: bool) -> Iterator[Op]:
    """Pair what is about the same thing, and between two such pairs what is of the same type."""
    weak = runs(a.weak[in_a.start : in_a.stop], b.weak[in_b.start : in_b.stop])
    for run, rest_a, rest_b, inner in gaps(weak, len(in_a), len(in_b)):
        left = range(in_a.start + rest_a.start, in_a.start + rest_a.stop)
        right = range(in_b.start + rest_b.start, in_b.start + rest_b.stop)
        kinds = []
        if closed or inner:
            kinds = runs(a.kind[left.start : left.stop], b.kind[right.start : right.stop])
        for pair, alone_a, alone_b, _ in gaps(kinds, len(left), len(right)):
            if alone_a:
                yield Op("a", left.start + alone_a.start, right.start + alone_b.start, len(alone_a))
            if alone_b:
                yield Op("b", left.start + alone_a.stop, right.start + alone_b.start, len(alone_b))
            if pair.size:
                yield Op("pair", left.start + pair.a, right.start + pair.b, pair.size)
        if run.size:
            yield Op("pair", in_a.start + run.a, in_b.start + run.b, run.size)


def mover(script: list[Op], a: Keys, b: Keys) -> Callable[[int], int]:
    """Give what turns a seq of the first log into that of the second, for events that correspond.

    One ahead of the first unit stays: so far both logs are alike. A seq of an event that the second log lacks becomes -1 minus itself, which is no seq.
    """
    known = [op for op in script if op.what in {"same", "pair"}]
    starts = [op.a for op in known]

    def move(seq: int) -> int:
        if not a.seqs or seq < a.seqs[0]:
            return seq
        unit = bisect_right(a.seqs, seq) - 1
        found = bisect_right(starts, unit) - 1
        if found < 0 or unit >= known[found].a + known[found].size:
            return -1 - seq
        return b.seqs[known[found].b + unit - known[found].a] + seq - a.seqs[unit]

    return move


class Sequence(NamedTuple):
    """One side while differences are told: its units in order, and what shows them."""

    units: Iterator[Raw]
    shown: Shown


def differences(
    script: list[Op], a: Sequence, b: Sequence, move: Callable[[int], int], tally: Tally
) -> Iterator[Difference]:
    """Yield what differs, in the order of the logs, and count it; the tails are noted from the start."""
    last = max((at for at, op in enumerate(script) if op.what in {"same", "pair"}), default=-1)
    for at, op in enumerate(script):
        for _ in range(op.size):
            if op.what == "a":
                unit = next(a.units)
                tally.only_a[str(unit.event.get("type"))] += unit.size
                if at > last and tally.tail_a is None:
                    tally.tail_a = unit.seq
                yield Difference(kind="only-a", a=a.shown.unit(unit), b=None)
            elif op.what == "b":
                unit = next(b.units)
                tally.only_b[str(unit.event.get("type"))] += unit.size
                if at > last and tally.tail_b is None:
                    tally.tail_b = unit.seq
                yield Difference(kind="only-b", a=None, b=b.shown.unit(unit))
            else:
                yield from _pair(op, a, b, move, tally)


def _pair(op: Op, a: Sequence, b: Sequence, move: Callable[[int], int], tally: Tally) -> Iterator[Difference]:
    one, other = next(a.units), next(b.units)
    found: list[Change] = []
    if op.what == "pair" or names_others(one.event):
        found = list(_changed(one.event, other.event, move))
    if not found:
        a.shown.skip(one)
        b.shown.skip(other)
        tally.same += one.size
        tally.renumbered += one.size if one.seq != other.seq else 0
        return
    tally.changed[str(one.event.get("type"))] += max(one.size, other.size)
    kept = tuple(found[:KEPT])
    yield Difference(
        kind="changed", a=a.shown.unit(one), b=b.shown.unit(other), changes=kept, more=len(found) - len(kept)
    )


def _changed(one: Event, other: Event, move: Callable[[int], int]) -> Iterator[Change]:
    """Yield the members that differ once every seq that the first names is that of the second log."""
    left, right = bare(one, other)
    plain = {name: value for name, value in right.items() if name != "seq"}
    told: dict[str, Change] | None = None
    for change in changes(moved(left, move), plain):
        if told is None:  # the values as each log has them
            told = {raw.path: raw for raw in changes(moved(left, _here), plain)}
        yield told.get(change.path, change)


def _here(seq: int) -> int:
    return seq

"""Find what corresponds in two sequences of keys, without looking at what they stand for."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Run(NamedTuple):
    """`size` members that correspond one by one, from these positions on."""

    a: int
    b: int
    size: int


def runs(a: Sequence[int], b: Sequence[int]) -> list[Run]:
    """Give what corresponds, in order on both sides: what both begin and end with, and between as much as fits.

    Equal keys are paired by their number among their like, and of the pairs a longest series that rises on both
    sides is taken.
    """
    begin, end = 0, min(len(a), len(b))
    while begin < end and a[begin] == b[begin]:
        begin += 1
    tail = 0
    while tail < end - begin and a[len(a) - 1 - tail] == b[len(b) - 1 - tail]:
        tail += 1
    out = [Run(0, 0, begin)] if begin else []
    for one, other in _rising(a, b, (begin, len(a) - tail), (begin, len(b) - tail)):
        _add(out, one, other)
    if tail:
        _add(out, len(a) - tail, len(b) - tail, tail)
    return out


def gaps(found: list[Run], a: int, b: int) -> Iterator[tuple[Run, range, range, bool]]:
    """Yield each run of sequences of these lengths with what lies before it on both sides, and whether a run follows that.

    What lies behind the last run comes with an empty one.
    """
    at_a = at_b = 0
    for run in found:
        yield run, range(at_a, run.a), range(at_b, run.b), True
        at_a, at_b = run.a + run.size, run.b + run.size
    yield Run(a, b, 0), range(at_a, a), range(at_b, b), False


def _add(out: list[Run], a: int, b: int, size: int = 1) -> None:
    if out and (out[-1].a + out[-1].size, out[-1].b + out[-1].size) == (a, b):
        last = out.pop()
        a, b, size = last.a, last.b, last.size + size
    out.append(Run(a, b, size))


def _rising(a: Sequence[int], b: Sequence[int], in_a: tuple[int, int], in_b: tuple[int, int]) -> list[tuple[int, int]]:
    """Give pairs of equal keys within two ranges, rising on both sides."""
    if in_a[0] == in_a[1] or in_b[0] == in_b[1]:
        return []
    where: dict[int, int] = {}
    again: dict[int, int] = {}  # keys that stand more than once in b
    for at in range(*in_b):
        key = b[at]
        if key in where:
            again[key] = again.get(key, 0) + 1
            key = hash((key, again[key]))
        where[key] = at
    taken: dict[int, int] = {}
    pairs_a, pairs_b = array("q"), array("q")
    for at in range(*in_a):
        key = a[at]
        if key not in again:
            other = where.pop(key, None)
        else:
            number = taken[key] = taken.get(key, -1) + 1
            other = where.get(hash((key, number)) if number else key)
        if other is not None:
            pairs_a.append(at)
            pairs_b.append(other)
    return [(pairs_a[place], pairs_b[place]) for place in _longest(pairs_b)]


def _longest(values: Sequence[int]) -> list[int]:
    """Give the positions of a longest rising series."""
    ends: list[int] = []  # smallest last value of a series of each length
    at_end, before = array("q"), array("q")
    for place, value in enumerate(values):
        length = bisect_left(ends, value)
        before.append(at_end[length - 1] if length else -1)
        if length == len(ends):
            ends.append(value)
            at_end.append(place)
        else:
            ends[length], at_end[length] = value, place
    out: list[int] = []
    place = at_end[-1] if at_end else -1
    while place >= 0:
        out.append(place)
        place = before[place]
    return out[::-1]

"""`sourceEventSeqs` as stored: plain seqs and inclusive ranges. Source: storage.md §4.3, E-017."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from dshlog.model.fault import Fault
from dshlog.model.number import as_count

PATH = "$.sourceEventSeqs"
MIN_RUN = 3  # positions; shorter runs of consecutive seqs are stored one by one

Sources = list[int | range]


def decode_sources(value: object, seq: int, *, distinct: bool) -> Sources | Fault:
    """Decode the stored list of an event at position `seq`.

    Args:
        value: the stored member; present, so None is a fault.
        seq: the event's own position; the list may not stand for more than `seq` positions.
        distinct: from v2 on the row decoder also wants distinct members that are smaller than `seq`.

    Returns:
        Seqs and ranges in stored order, ranges as half-open Python ranges; or the first fault found.
    """
    if type(value) is not list:
        return Fault("sources-malformed", f"is {_kind(value)}, not a list", PATH)
    out: Sources = []
    total, last, ranged, rising = 0, -1, False, True
    for index, entry in enumerate(value):
        where = f"{PATH}[{index}]"
        if type(entry) is list:
            ends = [as_count(end) for end in entry]
            if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0] > ends[1]:  # noqa: PLR2004
                return Fault("sources-malformed", "holds a range that is not [first, last]", where)
            start, end = ends[0], ends[1]
            if distinct and end >= seq:
                return Fault("not-earlier", f"event {seq} cites {end}, which is not earlier", where)
            ranged = True
            out.append(range(start, end + 1))
        else:
            count = as_count(entry)
            if count is None:
                return Fault("sources-malformed", f"holds {_kind(entry)} where a seq belongs", where)
            start = end = count
            out.append(count)
        rising = rising and start > last
        last = end
        total += end - start + 1
        if total > seq:
            return Fault("sources-malformed", f"names {total} events or more, but only {seq} stand before it", PATH)
    if ranged and not rising:
        return Fault("sources-malformed", "holds a range and is not strictly increasing", PATH)
    return (relation_fault(out, seq) if distinct else None) or out


def relation_fault(sources: Sources, seq: int) -> Fault | None:
    """Check that members are distinct and earlier than the event; None when they are."""
    seen: set[int] = set()
    for entry in sources:
        last = entry if type(entry) is int else entry[-1]  # type: ignore[index]
        if last >= seq:
            return Fault("not-earlier", f"event {seq} cites {last}, which is not earlier", PATH)
        if type(entry) is int:
            if entry in seen:
                return Fault("sources-duplicate", f"event {seq} cites {entry} twice", PATH)
            seen.add(entry)
    return None


def expand(sources: Iterable[int | range]) -> Iterator[int]:
    """Yield every seq of a decoded list in order."""
    for entry in sources:
        if type(entry) is int:
            yield entry
        else:
            yield from entry  # type: ignore[misc]


def encode_sources(seqs: list[int]) -> list[Any]:
    """Give the stored form of a flat list: a strictly increasing one has its long runs packed."""
    if any(a >= b for a, b in pairwise(seqs)):
        return list(seqs)
    out: list[Any] = []
    start = 0
    for i in range(1, len(seqs) + 1):
        if i == len(seqs) or seqs[i] != seqs[i - 1] + 1:
            run = seqs[start:i]
            out.extend([[run[0], run[-1]]] if len(run) >= MIN_RUN else run)
            start = i
    return out


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number that is no count")


def runs_of(sources: Iterable[int | range]) -> list[range]:
    """Give cited seqs as runs, in the order in which they are cited."""
    out: list[range] = []
    start = stop = -1
    for entry in sources:
        first, behind = (entry, entry + 1) if isinstance(entry, int) else (entry.start, entry.stop)
        if first != stop:
            if stop > start:
                out.append(range(start, stop))
            start = first
        stop = behind
    out.append(range(start, stop))
    return out

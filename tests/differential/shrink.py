"""Take records away from a log that is judged differently, for as long as it is judged differently in the same way."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from bases import Base, Case
from mutate import Draft, drafted, renumber
from stock import Stock

ROUNDS = 12


def smallest(case: Case, same: Callable[[list[Case]], list[bool]]) -> Case:
    """Give a small log that is judged as this one is.

    Args:
        case: what to begin with.
        same: tells of many logs at once whether each is judged as the first one was.
    """
    plain = Case(name=case.name, about=case.about, suffix=".jsonl", data=taken_apart(case, ".jsonl").bytes())
    if case.suffix != plain.suffix and same([plain])[0]:
        case = plain
    for _ in range(ROUNDS):
        tries = [attempt for attempt in attempts(case) if len(attempt.data) < len(case.data)]
        kept = [attempt for attempt, fits in zip(tries, same(tries), strict=True) if fits] if tries else []
        if not kept:
            break
        case = min(kept, key=lambda attempt: len(attempt.data))
    return case


def attempts(case: Case) -> Iterator[Case]:
    """Yield the log without some of its records, numbered again and not."""
    count = len(taken_apart(case, case.suffix).rows)
    width = max(1, count // 2)
    spans = set()
    while width:
        spans |= {(start, min(start + width, count)) for start in range(1, count, max(1, width // 2))}
        width //= 2
    for number, (start, end) in enumerate(sorted(spans)):
        for again in (False, True):
            draft = taken_apart(case, case.suffix)
            del draft.rows[start:end]
            if again:
                renumber(draft)
            name = f"{case.name}-{number}-{again:d}"
            yield Case(name=name[-60:], about=case.about, suffix=case.suffix, data=draft.bytes())


def taken_apart(case: Case, suffix: str) -> Draft:
    """Take a log apart, to be put together in the encoding given."""
    base = Base(name=case.name, version=0, suffix=case.suffix, data=case.data)
    draft = drafted(base, random.Random(0), Stock([]))  # noqa: S311 - nothing is drawn
    draft.suffix = suffix
    return draft

"""Logs that end too early: one raw and one zstd log of each generation, cut off at many places."""

from __future__ import annotations

import random
from collections.abc import Iterator

from bases import BUILT, Base, Case

START_OF_FRAME = b"\x28\xb5\x2f\xfd"
LONGEST = 300  # bytes of a last line or frame, at each of which the log is cut


def cases(logs: list[Base], count: int, seed: int) -> Iterator[Case]:
    """Yield at least `count` logs: cuts spread evenly, and one at every byte of the last line or frame."""
    rng = random.Random(seed)  # noqa: S311 - the same logs every time
    short = [log for log in logs if len(log.data) - last_piece(log) <= LONGEST]
    chosen = [
        rng.choice([log for log in short if (log.version, log.suffix) == (version, suffix)])
        for version in BUILT
        for suffix in (".jsonl", ".jsonl.zstd")
    ]
    for log in chosen:
        size, last = len(log.data), last_piece(log)
        spread = -(-count // len(chosen))
        for at in sorted({*range(last, size), *(size * step // spread for step in range(spread))}):
            about = f"{log.name} cut at byte {at} of {size}"
            yield Case(
                name=f"cuts-{seed}-v{log.version}{log.suffix[6:]}-{at}",
                about=about,
                suffix=log.suffix,
                data=log.data[:at],
            )


def last_piece(log: Base) -> int:
    """Give the offset of the last line or frame."""
    if log.suffix == ".jsonl":
        return log.data.rfind(b"\n", 0, len(log.data) - 1) + 1
    return log.data.rfind(START_OF_FRAME)

"""The logs to start from as they are."""

from __future__ import annotations

from collections.abc import Iterator

from bases import Base, Case


def cases(logs: list[Base], count: int, seed: int) -> Iterator[Case]:
    """Yield the first `count` logs."""
    for number, log in enumerate(logs[:count]):
        yield Case(name=f"whole-{seed}-{number}", about=log.name, suffix=log.suffix, data=log.data)

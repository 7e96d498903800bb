"""Find out whether an older generation of a session was continued after a newer one took over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.model.store import Branch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BEGINS = "turn/start"


def branch(name: str, older: Iterable[dict[str, Any]], live: Iterable[dict[str, Any]]) -> Branch | None:
    """Tell which turns an older generation began that the live one does not have.

    Seqs of two generations cannot be compared, since a migration inserts and merges events. It keeps the
    time at which a turn began, so a turn is the same when it began at the same millisecond.

    Args:
        name: what the older file is called.
        older: logical events of the older generation, in its own spelling.
        live: those of the live one.

    Returns:
        The first such turn and how many there are; None when the live generation has them all.
    """
    known = {time for _, time in _beginnings(live)}
    own = [seq for seq, time in _beginnings(older) if time not in known]
    return Branch(name=name, seq=own[0], turns=len(own)) if own else None


def _beginnings(events: Iterable[dict[str, Any]]) -> Iterator[tuple[int, float]]:
    """Yield seq and time of each turn that begins; a time that is no number tells nothing."""
    for seq, event in enumerate(events):
        time = event.get("time")
        if event.get("type") == _BEGINS and isinstance(time, (int, float)):
            yield seq, time

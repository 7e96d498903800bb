"""What every lens shares: the events of the readable prefix up to one, each with the turn and step it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.codec.legacy import to_current
from dshlog.report.facts import get

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.report.decode import Decoded


class Seen(NamedTuple):
    """One event: as a build of its generation takes it, as it is stored, and the turn and step it is in.

    The two differ in old spellings of v0 alone. `line` is the stored text where that is the event unchanged.
    """

    event: dict[str, Any]
    stored: dict[str, Any]
    line: bytes | None
    seq: int
    turn: object
    step: object


def seen(decoded: Decoded, at: int | None = None) -> Iterator[Seen]:
    """Yield the events up to `at` (None: all) in order; the log is read to its end all the same.

    Turn and step are the event's own, else those open at it, else None.
    """
    open_turn: object = None
    open_step: object = None
    header = decoded.header
    old = header if header is not None and header.version == 0 else None
    for seq, (stored, line) in enumerate(decoded.events()):
        if at is not None and seq > at:
            continue
        event = stored if old is None else to_current(stored, seq, old.id, {})
        kind, data = event.get("type"), event.get("data")
        turn, step = get(data, "turn"), get(data, "step")
        if kind == "turn/start":
            open_turn, open_step = turn, None
        elif kind == "step/start":
            open_step = step
        elif kind == "user/message":
            turn = step = None  # the payload is the message itself
        turn, step = open_turn if turn is None else turn, open_step if step is None else step
        yield Seen(event, stored, line, seq, turn, step)
        if kind == "step/end":
            open_step = None
        elif kind == "turn/end":
            open_turn = open_step = None


def elapsed(start: object, end: object) -> int | float | None:
    """Give the milliseconds between two times of a log; None when one of them is no number."""
    if isinstance(start, (int, float)) and isinstance(end, (int, float)):
        return end - start
    return None

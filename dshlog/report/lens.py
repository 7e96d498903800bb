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


class Open:
    """The turn and step that are open while events go by."""

    def __init__(self) -> None:
        self._turn: object = None
        self._step: object = None

    def enter(self, kind: object, data: object) -> tuple[object, object]:
        """Take an event; its own turn and step, else those open at it, else None. `leave` follows."""
        turn, step = (None, None) if kind == "user/message" else (get(data, "turn"), get(data, "step"))
        if kind == "turn/start":
            self._turn, self._step = turn, None
        elif kind == "step/start":
            self._step = step
        return self._turn if turn is None else turn, self._step if step is None else step

    def leave(self, kind: object) -> None:
        """Close what the event closes."""
        if kind == "step/end":
            self._step = None
        elif kind == "turn/end":
            self._turn = self._step = None


def seen(decoded: Decoded, at: int | None = None) -> Iterator[Seen]:
    """Yield the events up to `at` (None: all) in order; the log is read to its end all the same."""
    header = decoded.header
    old = header if header is not None and header.version == 0 else None
    place = Open()
    for seq, (stored, line) in enumerate(decoded.events()):
        if at is not None and seq > at:
            continue
        event = stored if old is None else to_current(stored, seq, old.id, {})
        kind = event.get("type")
        turn, step = place.enter(kind, event.get("data"))
        yield Seen(event, stored, line, seq, turn, step)
        place.leave(kind)


def elapsed(start: object, end: object) -> int | float | None:
    """Give the milliseconds between two times of a log; None when one of them is no number."""
    if isinstance(start, (int, float)) and isinstance(end, (int, float)):
        return end - start
    return None

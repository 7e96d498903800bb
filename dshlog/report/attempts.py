"""The calls of the model as they stand in a log: where the log begins to tell of each, and what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.fold.marker import EMBEDDED_STREAMS
from dshlog.model.scalar import scalar
from dshlog.report.facts import get

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETTLING = ("turn/end", "step/end", "llm/retry", "llm/retry-started")


class Call(NamedTuple):
    """One call of the model: the first event that tells of it, and the message it gave, None for none."""

    first: int
    message: int | None


class Calls:
    """Follows events in order and gives each call of the model once it is settled.

    From v2 on an `assistant/message` or `assistant/attempt` settles a call and is all there is of it. In v0
    and v1 the chunks before it belong to it, grouped as the upgrade groups them; a group without a message
    is a call of its own. Source: surface.md §10, migration.md §3.3.
    """

    def __init__(self, version: int) -> None:
        self._embedded = version >= EMBEDDED_STREAMS
        self._first: int | None = None  # of the pending group
        self._place: tuple[object, object] = (None, None)
        self._terminal = False

    def begins(self, event: dict[str, Any]) -> bool:
        """Tell whether an event, not taken yet, is the first that tells of a call."""
        kind, data = event.get("type"), event.get("data")
        if self._embedded:
            return kind in ("assistant/message", "assistant/attempt")
        place = (scalar(get(data, "turn")), scalar(get(data, "step")))
        fresh = self._first is None or place != self._place
        if kind == "assistant/chunk":
            return fresh or self._terminal
        return kind == "assistant/message" and (fresh or event.get("sourceEventSeqs") == [])

    def event(self, seq: int, event: dict[str, Any]) -> Iterator[Call]:
        """Take an event; yield the calls that it settles, the earliest first."""
        kind, data = event.get("type"), event.get("data")
        if self._embedded:
            if kind in ("assistant/message", "assistant/attempt"):
                yield Call(seq, seq if kind == "assistant/message" else None)
            return
        place = (scalar(get(data, "turn")), scalar(get(data, "step")))
        if kind == "assistant/chunk":
            if self._terminal or place != self._place:
                yield from self.end()
            if self._first is None:
                self._first, self._place = seq, place
            self._terminal = get(data, "chunk", "type") == "finish"
        elif kind == "assistant/message":
            takes = event.get("sourceEventSeqs") != [] and place == self._place
            if not takes:
                yield from self.end()
            yield Call(seq if self._first is None else self._first, seq)
            self._forget()
        elif kind in _SETTLING:
            yield from self.end()

    def end(self) -> Iterator[Call]:
        """Settle what is pending, as the end of the log does."""
        if self._first is not None:
            yield Call(self._first, None)
        self._forget()

    @property
    def pending(self) -> int | None:
        """Give the first event of the call that is not settled yet."""
        return self._first

    def _forget(self) -> None:
        self._first, self._place, self._terminal = None, (None, None), False

"""The calls of the model as they stand in a log: where the log begins to tell of each, and what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.fold.marker import EMBEDDED_STREAMS
from dshlog.model.request import request_word
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


class Names:
    """Names the requests of a log while its events go by, as `show --request` asks for them."""

    def __init__(self, version: int) -> None:
        self._calls = Calls(version)
        self._headers = self._under = 0
        self._begun: dict[int, str] = {}  # first events of the calls that are not settled yet

    def event(self, seq: int, event: dict[str, Any]) -> tuple[str | None, list[Call]]:
        """Take an event; give the request whose header, beginning or answer it is, and the calls it settles."""
        name = None
        if event.get("type") == "request/header" and type(get(event.get("data"), "header")) is dict:
            self._headers, self._under = self._headers + 1, 0
            name = request_word((self._headers, 1))
        elif self._headers and self._calls.begins(event):
            self._under += 1
            name = self._begun[seq] = request_word((self._headers, self._under))
        settled = list(self._calls.event(seq, event))
        for call in settled:
            begun = self._begun.pop(call.first, None)
            if call.message is not None:
                name = begun
        return name, settled

    def end(self) -> Iterator[Call]:
        """Settle what is pending, as the end of the log does."""
        return self._calls.end()

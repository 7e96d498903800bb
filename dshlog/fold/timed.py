"""Every provider chunk of a log with its time, in one shape for every generation. Source: streams.md §1, §7."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.stream import StreamError, expand_stream
from dshlog.model.scalar import scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EMBEDS = ("assistant/message", "assistant/attempt")
# What ends an attempt of v0 and v1 that has not ended itself; a finish chunk and another step do too.
_ENDS = ("assistant/message", "turn/start", "turn/end", "step/start", "step/end", "llm/retry", "llm/retry-started")
_PIECES = {"text-delta": "text", "reasoning-delta": "text", "tool-call-delta": "argumentsDelta"}


class TimedChunks:
    """Takes the logical events of a log in order and gives out their chunks.

    A chunk is `{"seq", "turn", "step", "attempt", "time", "chunk"}`. `seq` is that of the event that holds
    it: of the chunk itself up to v1, of the message or attempt from v2 on. `attempt` counts the model calls
    of a step from 1. `broken` collects (seq, reason) of streams that end early because dsh cannot read them.
    """

    def __init__(self) -> None:
        self.broken: list[tuple[Any, str]] = []
        self._step: tuple[Any, Any] | None = None
        self._attempt = 0
        self._open = False

    def of(self, events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the chunks of events."""
        for event in events:
            kind, data = event.get("type"), event.get("data")
            if kind == "assistant/chunk" and type(data) is dict:
                yield self._chunk(event, data)
                continue
            if kind in _ENDS:
                self._open = False
            if kind in EMBEDS and type(data) is dict and type(data.get("stream")) is list:
                yield from self._stream(event, data)

    def _chunk(self, event: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        chunk = data.get("chunk")
        self._enter(data)
        self._open = not (type(chunk) is dict and chunk.get("type") == "finish")
        return self._shaped(event, data, event.get("time"), chunk)

    def _stream(self, event: dict[str, Any], data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if not data["stream"]:
            return  # Imported history has no stream.
        self._enter(data)
        try:
            for time, chunk in expand_stream(data["stream"]):
                yield self._shaped(event, data, time, chunk)
        except StreamError as error:
            self.broken.append((event.get("seq"), str(error)))
        self._open = False

    def _enter(self, data: dict[str, Any]) -> None:
        """Open the next attempt unless the one that is open goes on."""
        step = (scalar(data.get("turn")), scalar(data.get("step")))
        if self._step != step:
            self._step, self._attempt, self._open = step, 0, False
        if not self._open:
            self._attempt += 1
            self._open = True

    def _shaped(self, event: dict[str, Any], data: dict[str, Any], time: object, chunk: object) -> dict[str, Any]:
        return {
            "seq": event.get("seq"),
            "turn": data.get("turn"),
            "step": data.get("step"),
            "attempt": self._attempt,
            "time": time,
            "chunk": chunk,
        }


def piece_of(chunk: object) -> tuple[str, str] | None:
    """Give the kind of a delta (text, reasoning, tool-call) and its text; None for any other chunk."""
    kind = chunk.get("type") if type(chunk) is dict else None
    name = _PIECES.get(kind) if type(kind) is str else None
    piece = chunk.get(name) if name is not None and type(chunk) is dict else None
    return (kind.removesuffix("-delta"), piece) if type(kind) is str and type(piece) is str else None


def is_token(chunk: object) -> bool:
    """Tell whether a chunk shows that the model has begun: a fragment that is not empty, or the name of a call."""
    piece = piece_of(chunk)
    return piece is not None and bool(piece[1] or (type(chunk) is dict and chunk.get("name")))

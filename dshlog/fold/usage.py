"""Tokens of the model calls of a log, each call counted once. Source: events.md P-055, streams.md §5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.timed import EMBEDS, TimedChunks
from dshlog.model.number import as_count
from dshlog.model.scalar import scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMBERS = ("inputTokens", "outputTokens", "totalTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")
BUCKETS = ("answered", "interrupted", "failed", "compaction")
_CLOSES = ("turn/start", "turn/end", "step/start", "step/end", "llm/retry", "llm/retry-started")

Spent = tuple[str, Any, dict[str, int]]  # bucket, turn, tokens by member


class Spending:
    """Takes the logical events of a log in order and tells what each model call has spent.

    A call is `answered` or `interrupted` when a message came of it, `failed` when none did (a retry, a
    cancelled call in which nothing could be seen); `compaction` is the call that wrote a summary. A message that
    replaces another is no call.
    """

    def __init__(self) -> None:
        self._timed = TimedChunks()
        self._call: tuple[Any, ...] | None = None  # the pending call of v0 and v1
        self._usage: object = None

    def take(self, event: dict[str, Any]) -> Iterator[Spent]:
        """Yield the calls that an event settles."""
        kind, data = event.get("type"), event.get("data")
        if type(data) is not dict:
            return
        if kind == "assistant/chunk":
            yield from self._chunk(event)
        elif kind in _CLOSES:
            yield from self.end()
            self._follow(event)
        elif kind == "assistant/message":
            yield from self._message(event, data)
        elif kind == "assistant/attempt":
            yield "failed", data.get("turn"), tokens(_last_usage(data.get("stream")))
        elif kind == "compaction/summary":
            yield "compaction", None, tokens(data.get("usage"))

    def end(self) -> Iterator[Spent]:
        """Yield the pending call, of which nothing came."""
        if self._call is not None:
            turn = self._call[0]
            usage, self._call, self._usage = self._usage, None, None
            yield "failed", turn, tokens(usage)

    def _chunk(self, event: dict[str, Any]) -> Iterator[Spent]:
        for row in self._timed.of((event,)):
            call = scalar(row["turn"]), scalar(row["step"]), row["attempt"]
            if self._call is not None and call != self._call:
                yield from self.end()
            self._call = call
            chunk = row["chunk"]
            if type(chunk) is dict and chunk.get("type") == "usage":
                self._usage = chunk.get("usage")

    def _message(self, event: dict[str, Any], data: dict[str, Any]) -> Iterator[Spent]:
        if type(event.get("surfaceOp")) is dict:
            return
        if event.get("sourceEventSeqs") == [] and "stream" not in data:
            yield from self.end()
        usage = data.get("usage", self._usage)
        self._call = self._usage = None
        self._follow(event)
        yield "interrupted" if data.get("interrupted") is True else "answered", data.get("turn"), tokens(usage)

    def _follow(self, event: dict[str, Any]) -> None:
        if event.get("type") not in EMBEDS or "stream" not in event["data"]:
            for _ in self._timed.of((event,)):
                pass


def tokens(usage: object) -> dict[str, int]:
    """Give the counts of a usage record; what is no count is left out."""
    if type(usage) is not dict:
        return {}
    counts = ((name, as_count(usage.get(name))) for name in MEMBERS)
    return {name: count for name, count in counts if count is not None}


def _last_usage(stream: object) -> object:
    for record in reversed(stream) if type(stream) is list else ():
        chunk = record.get("chunk") if type(record) is dict else None
        if type(chunk) is dict and chunk.get("type") == "usage":
            return chunk.get("usage")
    return None

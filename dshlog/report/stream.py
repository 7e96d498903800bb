"""Replay one model call of a log with its timing."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dshlog.fold.timed import TimedChunks, is_token, piece_of
from dshlog.model.number import as_count, as_int
from dshlog.model.percentile import percentile
from dshlog.model.scalar import scalar
from dshlog.model.stream import Gaps, Part, StreamView
from dshlog.report.decode import read_log

if TYPE_CHECKING:
    from dshlog.model.report import Encoding, Report
    from dshlog.report.examine import Children, Upgrading
    from dshlog.storage.source import Source

_KINDS = ("reasoning", "text", "tool-call")
_BEGINS = ("step/start", "llm/retry-started")
_SECOND = 1000  # ms

Chunks = list[dict[str, Any]]


def stream_view(  # noqa: PLR0913 - as examine
    source: Source,
    path: str,
    seq: int,
    *,
    encoding: Encoding | None = None,
    upgrade: Upgrading = "never",
    children: Children | None = None,
) -> tuple[StreamView | str, Report]:
    """Give the model call that an event belongs to, with the report on the log beside it.

    Args:
        source: the bytes, as for `examine`.
        path: how the report names the log.
        seq: of a message or an attempt; up to v1 also of a chunk.
        encoding: as for `examine`.
        upgrade: as for `examine`.
        children: as for `examine`.

    Returns:
        The call, or one sentence that says why there is none.
    """
    decoded = read_log(source, path, encoding=encoding, upgrade=upgrade, children=children)
    call = _Call(seq)
    for event, _ in decoded.events():
        if not call.done:  # the rest is read for the report
            call.take(event)
    version = decoded.header.version if decoded.header is not None else None
    return call.view(path, version), decoded.report


class _Call:
    """Looks for the call of one event; only the call that is just read is held."""

    def __init__(self, seq: int) -> None:
        self.done = False
        self._seq = seq
        self._timed = TimedChunks()
        self._held: Chunks = []
        self._began: int | None = None
        self._opened: int | None = None
        self._event: dict[str, Any] | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        if event.get("type") in _BEGINS:
            self._opened = as_int(event.get("time"))
        fresh = list(self._timed.of((event,)))
        if fresh and (not self._held or _call(fresh[0]) != _call(self._held[0])):
            if self._event is not None:
                self.done = True
                return
            self._held, self._began = [], self._opened
        self._held += fresh
        if self._event is None and event.get("seq") == self._seq:
            self._event = event
            if not fresh:
                self._held = _cited(event, self._held)
            self.done = not fresh or event.get("type") != "assistant/chunk"

    def view(self, path: str, version: int | None) -> StreamView | str:
        """Give the call, or why there is none."""
        event, held = self._event, self._held
        if event is None:
            return f"no event {self._seq} can be read"
        if not held:
            return f"event {self._seq} is of type {event.get('type')} and has no stream"
        times = [as_int(chunk["time"]) or 0 for chunk in held]
        first, last = times[0], times[-1]
        token = next((at for at, chunk in zip(times, held, strict=True) if is_token(chunk["chunk"])), None)
        pieces = [(at, piece) for at, chunk in zip(times, held, strict=True) if (piece := piece_of(chunk["chunk"]))]
        parts = tuple(
            Part(kind=kind, fragments=len(texts), chars=sum(map(len, texts)))
            for kind in _KINDS
            if (texts := [text for _, (found, text) in pieces if found == kind])
        )
        lasted = pieces[-1][0] - pieces[0][0] if pieces else 0
        return StreamView(
            path=path,
            version=version,
            seq=self._seq,
            type=str(scalar(event.get("type"))),
            turn=scalar(held[0]["turn"]),
            step=scalar(held[0]["step"]),
            attempt=held[0]["attempt"],
            began=self._began,
            first=first,
            token=token,
            last=last,
            chunks=len(held),
            parts=parts,
            gaps=_gaps([at for at, _ in pieces], first),
            chars_per_second=_rate(sum(part.chars for part in parts), lasted),
            fragments_per_second=_rate(len(pieces), lasted),
            usage=_last(held, "usage", "usage"),
            finish=_last(held, "finish", "reason"),
            tokens=tuple((at - first, len(text)) for at, (_, text) in pieces),
        )


def _call(chunk: dict[str, Any]) -> tuple[Any, ...]:
    return scalar(chunk["turn"]), scalar(chunk["step"]), chunk["attempt"]


def _cited(event: dict[str, Any], held: Chunks) -> Chunks:
    """Give the chunks that a message of v0 or v1 was made of."""
    cited = event.get("sourceEventSeqs")
    if event.get("type") != "assistant/message" or type(cited) is not list:
        return []
    seqs = set(map(as_count, cited))
    return [chunk for chunk in held if chunk["seq"] in seqs]


def _gaps(times: list[int], first: int) -> Gaps | None:
    waits = [(later - earlier, earlier) for earlier, later in pairwise(times)]
    if not waits:
        return None
    rising = sorted(wait for wait, _ in waits)
    longest, after = max(waits, key=lambda wait: wait[0])
    return Gaps(
        count=len(waits),
        median=percentile(rising, 50) or 0,
        p95=percentile(rising, 95) or 0,
        longest=longest,
        after=after - first,
    )


def _rate(amount: int, lasted: int) -> float | None:
    return round(amount * _SECOND / lasted, 1) if lasted > 0 else None


def _last(held: Chunks, kind: str, member: str) -> object:
    for entry in reversed(held):
        chunk = entry["chunk"]
        if type(chunk) is dict and chunk.get("type") == kind:
            return chunk.get(member)
    return None

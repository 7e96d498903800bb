"""What `unpack` and `pack` do to the lines of one log, in order and batch by batch."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from dshlog.codec.chunklines import BadRowError, chunk_events, event_lines, names_chunk, packed_row
from dshlog.codec.packing import MIN_RUN, Run
from dshlog.fold.stream import StreamError, accumulate, expand_stream
from dshlog.storage.jsontext import NotJSON, dumps, loads, same
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Callable

PACKED_UNTIL = 2  # generations below this one have chunk rows, the others embedded streams
_HELD = 1 << 20  # bytes of lines in one run of a raw log; dsh reads every layout alike
_STREAMED = frozenset({"assistant/message", "assistant/attempt"})


class Change(Protocol):
    """Changes lines; `taken` counts the lines that it changed and `made` those that it made of them."""

    taken: int
    made: int

    def feed(self, lines: list[bytes], out: list[bytes]) -> None:
        """Take whole lines; what is ready is appended to `out`, each entry one line."""

    def end(self, out: list[bytes]) -> None:
        """End the batch: append what was held back."""


class Unpack:
    """Packed rows to the lines of their events. A row that is malformed is left as it is."""

    def __init__(self, version: int) -> None:
        self._version = version
        self.taken = self.made = 0

    def feed(self, lines: list[bytes], out: list[bytes]) -> None:
        """Take whole lines."""
        for line in lines:
            try:
                row = packed_row(line, self._version)
            except BadRowError:
                row = None
            if row is None:
                out.append(line)
                continue
            made = event_lines(row)
            self.taken += 1
            self.made += len(made)
            out += made

    def end(self, out: list[bytes]) -> None:
        """End the batch; nothing is held back."""


class Pack:
    """Events to packed rows, as dsh packs the events of one write. Rows that are packed stay as they are."""

    def __init__(self, held: int | None = None) -> None:
        """Take the bytes after which a run is cut; None for batches that are packed whole."""
        self._limit = held
        self._run: Run | None = None
        self._lines: list[bytes] = []
        self._held = 0
        self.taken = self.made = 0

    def feed(self, lines: list[bytes], out: list[bytes]) -> None:
        """Take whole lines."""
        for chunks, group in groupby(lines, names_chunk):
            if chunks:
                self._events(list(group), out)
                continue
            self.end(out)
            out += group

    def _events(self, lines: list[bytes], out: list[bytes]) -> None:
        for line, chunk in zip(lines, chunk_events(lines), strict=True):
            if chunk is None:
                self.end(out)
                out.append(line)
                continue
            full = self._limit is not None and self._held > self._limit
            if self._run is None or full or not self._run.extend(*chunk):
                self.end(out)
                self._run = Run(*chunk)
            self._lines.append(line)
            self._held += len(line)

    def end(self, out: list[bytes]) -> None:
        """Close the run."""
        if self._run is not None and len(self._run) >= MIN_RUN:
            out.append(dumps(self._run.row()) + b"\n")
            self.taken += len(self._run)
            self.made += 1
        else:
            out += self._lines
        self._run, self._lines, self._held = None, [], 0


class Streams:
    """Embedded streams in another spelling; what cannot be spelled so is left as it is."""

    def __init__(self, spell: Callable[[list[Any]], list[dict[str, Any]]]) -> None:
        self._spell = spell
        self.taken = self.made = 0

    def feed(self, lines: list[bytes], out: list[bytes]) -> None:
        """Take whole lines."""
        for line in lines:
            made = self._line(line) if b'"stream"' in line else None
            if made is not None:
                self.taken += 1
                self.made += 1
            out.append(line if made is None else made)

    def end(self, out: list[bytes]) -> None:
        """End the batch; nothing is held back."""

    def _line(self, line: bytes) -> bytes | None:
        found = stream_of(line)
        if found is None:
            return None
        event, stream = found
        try:
            records = self._spell(stream)
        except StreamError:
            return None
        old, new = dumps(stream), dumps(records)
        if old == new:
            return None
        # Only the stream's own bytes are changed where they can be found; the rest keeps its spelling.
        marked = b'"stream":' + old
        if line.count(marked) == 1:
            return line.replace(marked, b'"stream":' + new)
        made = dumps({**event, "data": {**event["data"], "stream": records}})
        again: Any = loads(made)
        again["data"]["stream"] = stream
        return made + b"\n" if same(again, event, zero_sign=True) else None


def stream_of(line: bytes) -> tuple[dict[str, Any], list[Any]] | None:
    """Give the event of a line and its embedded stream; None when it has none or could not be written again."""
    if isinstance(line, Overlong):
        return None
    try:
        line.decode()
        event: Any = loads(line)
    except (NotJSON, UnicodeDecodeError):
        return None
    if type(event) is not dict or type(kind := event.get("type")) is not str or kind not in _STREAMED:
        return None
    data = event.get("data")
    stream = data.get("stream") if type(data) is dict else None
    return (event, stream) if type(stream) is list else None


def timed(stream: list[Any]) -> list[dict[str, Any]]:
    """Spell a stream with one record a chunk."""
    return [{"type": "chunk", "time": time, "chunk": chunk} for time, chunk in expand_stream(stream)]


def compact(stream: list[Any]) -> list[dict[str, Any]]:
    """Spell a stream as dsh's writer does."""
    return accumulate(expand_stream(stream))


def change_for(version: int, *, unpack: bool, streams: bool, framed: bool) -> Change | None:
    """Give the change of a command for a generation; None when it changes no line of it.

    Args:
        version: the generation.
        unpack: the direction.
        streams: whether embedded streams are changed.
        framed: whether the log has batches; the runs of a raw log are cut after some size.
    """
    if version < PACKED_UNTIL:
        return Unpack(version) if unpack else Pack(None if framed else _HELD)
    return Streams(timed if unpack else compact) if streams else None

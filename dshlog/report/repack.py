"""What `unpack` and `pack` do to the lines of one log, in order and batch by batch."""

from __future__ import annotations

from math import inf
from operator import sub
from typing import TYPE_CHECKING, Any, Protocol

from dshlog.codec.chunklines import (
    BadRowError,
    chunk_event,
    chunk_events,
    chunks_of,
    names_chunk,
    names_row,
    packed_row,
)
from dshlog.codec.chunkruns import PAYLOAD
from dshlog.codec.eventtext import event_texts
from dshlog.codec.packing import MIN_RUN, Run, packed, row_text
from dshlog.fold.stream import StreamError, accumulate, expand_stream
from dshlog.model.number import MAX_SAFE
from dshlog.storage.jsontext import NotJSON, dumps, loads, same
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dshlog.codec.chunklines import Chunk
    from dshlog.codec.packing import Head
    from dshlog.report.rowcheck import Batch

PACKED_UNTIL = 2  # generations below this one have chunk rows, the others embedded streams
_HELD = 1 << 20  # bytes of lines in one run of a raw log; dsh reads every layout alike
_STREAMED = frozenset({"assistant/message", "assistant/attempt"})


class Change(Protocol):
    """Changes lines.

    `taken` counts the lines that it changed and `made` those that it made of them. `proved` is False when it
    has not seen itself that what it made says the same.
    """

    taken: int
    made: int
    proved: bool

    def feed(self, batch: Batch, out: list[bytes]) -> None:
        """Take whole lines; what is ready is appended to `out`, each entry one line or more."""

    def end(self, out: list[bytes]) -> None:
        """End the batch: append what was held back."""


class Unpack:
    """Packed rows to the lines of their events. A row that is malformed is left as it is."""

    def __init__(self, version: int, *, prove: bool) -> None:
        self._version, self._prove = version, prove
        self.taken = self.made = 0
        self.proved = True

    def feed(self, batch: Batch, out: list[bytes]) -> None:
        """Take whole lines."""
        sound, prove = batch.packed, self._prove
        for index, line in enumerate(batch.lines):
            row = sound.get(index) or (self._row(line) if names_row(line) else None)
            if row is None:
                out.append(line)
                continue
            self.taken += 1
            for made in event_texts(row):
                self.made += made.count
                out.append(made.text)
                if prove and not made.proved(line):
                    self.proved = False

    def end(self, out: list[bytes]) -> None:
        """End the batch; nothing is held back."""

    def _row(self, line: bytes) -> dict[str, Any] | None:
        try:
            return packed_row(line, self._version)
        except BadRowError:
            return None


class Pack:
    """Events to packed rows, as dsh packs the events of one write. Rows that are packed stay as they are.

    What is packed says the same: the row gives the lines back byte for byte, or at least the same events.
    """

    def __init__(self, held: int | None = None) -> None:
        """Take the bytes after which a run is cut; None for batches that are packed whole."""
        self._limit = inf if held is None else held
        self._head: Head = ()
        self._next = 0  # seq that the next event of the run would have
        self._lines: list[bytes] = []
        self._times: list[int] = []
        self._pieces: list[str] = []
        self._held = 0
        self.taken = self.made = 0
        self.proved = True

    def feed(self, batch: Batch, out: list[bytes]) -> None:
        """Take whole lines."""
        pairs = zip(batch.lines, batch.rows, strict=True)
        for line, row in pairs:
            self._begin(line, row, out)
            if self._lines:
                self._go_on(pairs, out)

    def _go_on(self, pairs: Iterator[tuple[bytes, Any]], out: list[bytes]) -> None:
        """Take lines while the run goes on, and the line behind it.

        Only what tells runs apart is looked at. `end` finds what else makes an event one that cannot be packed.
        """
        kind, turn, step, index, call_id, name = self._head
        _, chunk_type, piece_name = PAYLOAD[kind]
        lines, times, pieces, limit = self._lines, self._times, self._pieces, self._limit
        for line, row in pairs:
            try:
                data, time = row["data"], row["time"]
                chunk = data["chunk"]
                piece = chunk[piece_name]
                goes_on = (
                    row["seq"] == self._next
                    and chunk["type"] == chunk_type
                    and chunk["index"] == index
                    and data["turn"] == turn
                    and data["step"] == step
                    and (call_id is None or (chunk["id"] == call_id and chunk.get("name") == name))
                )
            except (KeyError, TypeError):
                goes_on = False
            if not goes_on:
                self._begin(line, row, out)
                return
            self._next += 1
            times.append(time)
            pieces.append(piece)
            lines.append(line)
            self._held += len(line)
            if self._held > limit:
                self.end(out)
                return

    def _begin(self, line: bytes, row: Any, out: list[bytes]) -> None:  # noqa: ANN401 - a JSON value
        """Take a line that the quick look does not let go on the run."""
        chunk = chunk_event(row)
        if row is None and names_chunk(line):
            (chunk,) = chunk_events([line])
        if chunk is None:
            self.end(out)
            out.append(line)
            return
        head, seq, time, piece = chunk
        # A number that JavaScript cannot hold may be spelled in several ways.
        if not (self._lines and head == self._head and seq == self._next):
            self.end(out)
            self._head = head
        self._next = seq + 1
        self._lines.append(line)
        self._times.append(time)
        self._pieces.append(piece)
        self._held += len(line)
        if self._held > self._limit:
            self.end(out)

    def end(self, out: list[bytes]) -> None:
        """Close the run."""
        lines = self._lines
        if not lines:
            return
        row = self._row() if len(lines) >= MIN_RUN else None
        self._lines, self._times, self._pieces, self._held = [], [], [], 0
        if len(lines) < MIN_RUN:
            out += lines
            return
        text = row_text(row) if row is not None else b""
        if text and _gives(text, lines):
            self._packed(text, len(lines), out)
        else:
            self._spelled_oddly(lines, out)

    def _row(self) -> dict[str, Any] | None:
        """Give the row of the run unless its times or pieces are none that a row can hold."""
        times, pieces = self._times, self._pieces
        if set(map(type, times)) != {int} or set(map(type, pieces)) != {str}:
            return None
        gaps = list(map(sub, times[1:], times))
        if max(*map(abs, gaps), *map(abs, times), self._next - 1) > MAX_SAFE:
            return None
        return packed(self._head, self._next - len(times), times[0], gaps, pieces)

    def _packed(self, text: bytes, count: int, out: list[bytes]) -> None:
        out.append(text)
        self.taken += count
        self.made += 1

    def _spelled_oddly(self, lines: list[bytes], out: list[bytes]) -> None:
        """Pack lines that are not as JavaScript writes them, among which may be some that no row can hold."""
        run: Run | None = None
        members: list[tuple[bytes, Chunk]] = []

        def close() -> None:
            if run is not None and len(run) >= MIN_RUN:
                text = row_text(run.row())
                row: Any = loads(text)
                if [*chunks_of(row)] == [chunk for _, chunk in members]:
                    self._packed(text, len(members), out)
                    return
            out.extend(line for line, _ in members)

        for line, chunk in zip(lines, chunk_events(lines), strict=True):
            if chunk is None or run is None or not run.extend(*chunk):
                close()
                run, members = None if chunk is None else Run(*chunk), []
            if chunk is None:
                out.append(line)
            else:
                members.append((line, chunk))
        close()


def _gives(text: bytes, lines: list[bytes]) -> bool:
    """Tell whether the events of a packed row are spelled as some lines are."""
    row: Any = loads(text)
    at = 0
    for made in event_texts(row):
        if b"".join(lines[at : at + made.count]) != made.text:
            return False
        at += made.count
    return at == len(lines)


class Streams:
    """Embedded streams in another spelling; what cannot be spelled so is left as it is."""

    def __init__(self, spell: Callable[[list[Any]], list[dict[str, Any]]]) -> None:
        self._spell = spell
        self.taken = self.made = 0
        self.proved = False

    def feed(self, batch: Batch, out: list[bytes]) -> None:
        """Take whole lines."""
        for line in batch.lines:
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


def change_for(version: int, *, unpack: bool, streams: bool, framed: bool, prove: bool = False) -> Change | None:
    """Give the change of a command for a generation; None when it changes no line of it.

    Args:
        version: the generation.
        unpack: the direction.
        streams: whether embedded streams are changed.
        framed: whether the log has batches; the runs of a raw log are cut after some size.
        prove: whether made lines are compared with what they were made of.
    """
    if version < PACKED_UNTIL:
        return Unpack(version, prove=prove) if unpack else Pack(None if framed else _HELD)
    return Streams(timed if unpack else compact) if streams else None

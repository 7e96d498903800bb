"""Chunk events of v0 and v1 to packed rows and back, as the writers of v0 pack. Source: streams.md §2, storage.md §4.2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import copysign, isinf
from typing import Any

import orjson

from dshlog.codec.chunkruns import PAYLOAD, expand_row, row_faults
from dshlog.model.number import MAX_SAFE, as_count, as_int
from dshlog.storage.jsontext import dumps

MIN_RUN = 3  # members; shorter runs stay as plain events
_HUGE = 1 << 1023  # integers below this round to a double

Head = tuple[Any, ...]  # kind of the row, turn, step, index, id, name: what the members of one run share

_EVENT = {"type", "seq", "time", "data"}
_DATA = {"turn", "step", "chunk"}
_CHUNK = {
    chunk_type: (kind, piece_name, {"type", "index", piece_name} | ({"id"} if kind == "tool-call-chunks" else set()))
    for kind, (_, chunk_type, piece_name) in PAYLOAD.items()
}


class ChunkRowError(ValueError):
    """A packed row that its reader refuses whole.

    `reason` is one sentence, `path` leads to the member at fault, and `position` counts the rows from 0.
    """

    def __init__(self, reason: str, path: str | None, position: int) -> None:
        super().__init__(f"row {position}: {reason}")
        self.reason = reason
        self.path = path
        self.position = position


class Run:
    """A run in the making: chunk events that follow each other and share all but seq, time and text."""

    __slots__ = ("_gaps", "_head", "_last", "_next", "_pieces", "_seq", "_time")

    def __init__(self, head: Head, seq: int, time: int, piece: str) -> None:
        """Begin with one event, as `candidate` gives it."""
        self._head = head
        self._seq = seq
        self._time = self._last = time
        self._next = seq + 1
        self._gaps: list[int] = []
        self._pieces = [piece]

    def __len__(self) -> int:
        """Count the events."""
        return len(self._pieces)

    def extend(self, head: Head, seq: int, time: int, piece: str) -> bool:
        """Take the next event if it continues the run; False when it does not."""
        gap = time - self._last
        if seq != self._next or not -MAX_SAFE <= gap <= MAX_SAFE or head != self._head:
            return False
        self._next += 1
        self._last = time
        self._gaps.append(gap)
        self._pieces.append(piece)
        return True

    def row(self) -> dict[str, Any]:
        """Give the packed row, members in the writer's order; for `MIN_RUN` events or more."""
        return packed(self._head, self._seq, self._time, self._gaps, self._pieces)


def packed(head: Head, seq: int, time: int, gaps: list[int], pieces: list[str]) -> dict[str, Any]:
    """Give the packed row of a run, members in the writer's order."""
    kind, turn, step, index, call_id, name = head
    data: dict[str, Any] = {"turn": turn, "step": step, "index": index, "dt": gaps}
    if call_id is not None:
        data["id"] = call_id
    if name is not None:
        data["name"] = name
    data[PAYLOAD[kind][0]] = pieces
    return {"type": kind, "seq0": seq, "time0": time, "data": data}


def row_text(row: Mapping[str, Any]) -> bytes:
    """Give the stored line of a row that `packed` made, as JavaScript writes it."""
    data, kind = row["data"], row["type"]
    name = PAYLOAD[kind][0]
    try:
        texts = orjson.dumps(data[name])
    except TypeError:  # half a surrogate pair
        texts = dumps(data[name])
    head, call = (
        b"".join(b'"%b":%b,' % (one.encode(), dumps(data[one])) for one in names if one in data)
        for names in (("turn", "step", "index"), ("id", "name"))
    )
    parts = kind.encode(), row["seq0"], row["time0"], head, orjson.dumps(data["dt"]), call, name.encode(), texts
    return b'{"type":"%b","seq0":%d,"time0":%d,"data":{%b"dt":%b,%b"%b":%b}}\n' % parts


def candidate(event: Mapping[str, Any]) -> tuple[Head, int, int, str] | None:
    """Give head, seq, time and piece of an event that may stand in a run; None for any other.

    Numbers that no writer can write, such as a negative zero, keep an event out: a row would change them.
    """
    if event.get("type") != "assistant/chunk" or event.keys() != _EVENT:
        return None
    seq, time, data = as_count(event["seq"]), as_int(event["time"]), event["data"]
    if seq is None or time is None or not isinstance(data, Mapping) or data.keys() != _DATA:
        return None
    chunk = data["chunk"]
    if not isinstance(chunk, Mapping):
        return None
    kind = chunk.get("type")
    shape = _CHUNK.get(kind) if type(kind) is str else None
    if shape is None:
        return None
    row_kind, piece_name, names = shape
    call_id = name = None
    if chunk.keys() != names:
        if row_kind != "tool-call-chunks" or chunk.keys() != {*names, "name"}:
            return None
        name = chunk["name"]
        if type(name) is not str:
            return None
    if row_kind == "tool-call-chunks":
        call_id = chunk["id"]
        if type(call_id) is not str:
            return None
    piece = chunk[piece_name]
    numbers = (data["turn"], data["step"], chunk["index"])
    if type(piece) is not str or not all(map(writable, numbers)):
        return None
    return (row_kind, *map(as_double, numbers), call_id, name), seq, time, piece


def writable(value: object) -> bool:
    """Tell whether a value is a number that comes back unchanged from the JSON that JavaScript writes."""
    if type(value) is int:
        return -_HUGE < value < _HUGE
    return type(value) is float and not isinf(value) and value == value and (value != 0 or copysign(1, value) > 0)  # noqa: PLR0124 - NaN


def lossless(row: Mapping[str, Any]) -> bool:
    """Tell whether the events of a well-formed row can be written without changing a number of it."""
    data = row["data"]
    return all(map(writable, (row["time0"], data["turn"], data["step"], data["index"], *data["dt"])))


def pack_chunk_runs(events: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give the stored rows of one batch of v0 or v1 events: runs of three and more chunk deltas become one row.

    Everything else is handed on as it is. dsh packs each batch that it writes on its own, so a run that two
    batches share is two calls.

    Args:
        events: plain events in log order; they are not judged, and rows that are packed already pass through.
    """
    rows: list[dict[str, Any]] = []
    run: Run | None = None
    members: list[dict[str, Any]] = []

    def close() -> None:
        if run is not None and len(run) >= MIN_RUN:
            rows.append(run.row())
        else:
            rows.extend(members)
        members.clear()

    for event in events:
        taken = candidate(event)
        if taken is None:
            close()
            run = None
            rows.append(dict(event))
            continue
        if run is None or not run.extend(*taken):
            close()
            run = Run(*taken)
        members.append(dict(event))
    close()
    return rows


def unpack_chunk_runs(rows: Iterable[Mapping[str, Any]], *, version: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the events of v0 or v1 rows: packed rows one event a member, everything else as it is.

    Args:
        rows: stored rows in log order.
        version: the generation; the reader of 1 refuses some rows that those of 0 take.

    Raises:
        ChunkRowError: a packed row is malformed; no member of it was given out.
    """
    for position, given in enumerate(rows):
        row = dict(given)
        kind = row.get("type")
        if type(kind) is not str or kind not in PAYLOAD:
            yield row
            continue
        faults = row_faults(row, version)
        if faults:
            raise ChunkRowError(faults[0].message, faults[0].path, position)
        yield from expand_row(row)


def as_double(number: float) -> float:
    """Give the number that JavaScript holds; integers that it holds exactly stay integers."""
    return number if type(number) is float or -MAX_SAFE <= number <= MAX_SAFE else float(number)

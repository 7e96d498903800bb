"""Stored lines of chunks and what they say, the quick way."""

from __future__ import annotations

from itertools import accumulate, repeat
from typing import TYPE_CHECKING, Any

import orjson

from dshlog.codec.chunkruns import PAYLOAD, members, row_faults
from dshlog.codec.packing import Head, as_double, candidate, lossless
from dshlog.model.number import MAX_SAFE
from dshlog.storage.jsontext import NotJSON, odd, parse
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterator

Chunk = tuple[Head, int, int, str]  # what the members of a run share, seq, time, piece

EVENT = b"assistant/chunk"  # stands in the line of every chunk event
_ROW = b"-chunks"
_TEXTS = {"text-delta": "text-chunks", "reasoning-delta": "reasoning-chunks"}
_TEXT_MEMBERS, _CALL_MEMBERS = 3, 4  # type, index and text; type, index, id and argumentsDelta


class BadRowError(ValueError):
    """A line that holds a packed row which its reader refuses."""


def names_chunk(line: bytes) -> bool:
    """Tell whether a line may hold a chunk event."""
    return EVENT in line


def names_row(line: bytes) -> bool:
    """Tell whether a line may hold a packed row."""
    return _ROW in line


def packed_row(line: bytes, version: int) -> dict[str, Any] | None:
    """Give the packed row of a line if its events can be written without a loss; None for any other line.

    Raises:
        BadRowError: the row is malformed.
    """
    if not names_row(line):
        return None
    try:
        quick: dict[str, Any] = orjson.loads(line)
        if quick["type"] in PAYLOAD and not version and members(quick, quick["seq0"]) and not odd(line):
            return quick
    except (ValueError, KeyError, TypeError):
        pass
    row = _value(line)
    kind = row.get("type") if type(row) is dict else None
    if type(row) is not dict or type(kind) is not str or kind not in PAYLOAD:
        return None
    faults = row_faults(row, version)
    if faults:
        raise BadRowError(faults[0].message)
    return row if lossless(row) else None


def chunk_events(lines: list[bytes]) -> Iterator[Chunk | None]:
    """Yield head, seq, time and piece of the event of each line if it may stand in a run; None for any other line."""
    for event in parsed_events(lines):
        yield chunk_event(event)


def chunk_event(event: object) -> Chunk | None:
    """Give head, seq, time and piece of a parsed event if it may stand in a run; None for anything else."""
    if type(event) is not dict:
        return None
    try:
        taken = _plainly(event)
    except (KeyError, TypeError):
        taken = None
    return taken or candidate(event)


def parsed_events(lines: list[bytes]) -> list[Any]:
    """Give the values of many lines at once; a line that could not be written again stays as it is."""
    try:
        text = b"".join((b"[", b",".join(lines), b"]"))
        if not odd(text):
            return orjson.loads(text)  # type: ignore[no-any-return]
    except ValueError:
        pass
    values = map(_value, lines)
    return [line if value is None else value for line, value in zip(lines, values, strict=True)]


def chunks_of(row: dict[str, Any]) -> Iterator[Chunk]:
    """Yield what `chunk_event` gives for each event of a packed row."""
    kind, data = row["type"], row["data"]
    pieces, seq = data[PAYLOAD[kind][0]], int(row["seq0"])
    numbers = map(as_double, (data["turn"], data["step"], data["index"]))
    head = (kind, *numbers, data.get("id"), data.get("name"))
    times = accumulate(map(int, data["dt"]), initial=int(row["time0"]))
    return zip(repeat(head), range(seq, seq + len(pieces)), times, pieces, strict=False)


def _plainly(event: dict[str, Any]) -> Chunk | None:
    """Take an event that is spelled plainly; None, or an error, when the exact check must look."""
    seq, time, data = event["seq"], event["time"], event["data"]
    chunk, turn, step = data["chunk"], data["turn"], data["step"]
    kind, index = chunk["type"], chunk["index"]
    if (
        event["type"] != "assistant/chunk"
        or len(event) != 4  # noqa: PLR2004 - type, seq, time, data
        or len(data) != 3  # noqa: PLR2004 - turn, step, chunk
        or not type(seq) is type(time) is type(turn) is type(step) is type(index) is int
        or not 0 <= seq <= MAX_SAFE
        or not 0 <= time <= MAX_SAFE
        or not 0 <= turn <= MAX_SAFE
        or not 0 <= step <= MAX_SAFE
        or not 0 <= index <= MAX_SAFE
    ):
        return None
    if kind == "tool-call-delta":
        call_id, piece = chunk["id"], chunk["argumentsDelta"]
        name = chunk.get("name")
        named = name is not None
        if (
            len(chunk) != _CALL_MEMBERS + named
            or not type(call_id) is type(piece) is str
            or (named and type(name) is not str)
        ):
            return None
        return ("tool-call-chunks", turn, step, index, call_id, name), seq, time, piece
    piece = chunk["text"]
    if len(chunk) != _TEXT_MEMBERS or type(piece) is not str:
        return None
    return (_TEXTS[kind], turn, step, index, None, None), seq, time, piece


def _value(line: bytes) -> object:
    """Give the value of a line that can be written again as it is read; None for any other.

    Bytes that are not UTF-8 would be lost.
    """
    if isinstance(line, Overlong):
        return None
    try:
        line.decode()
        return parse(line)
    except (NotJSON, UnicodeDecodeError):
        return None

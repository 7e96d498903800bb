"""Packed chunk rows of v0 and v1: checked without being expanded, and expanded on request.

Source: streams.md §2, storage.md §4.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from orjson import dumps

from dshlog.model.fault import Fault
from dshlog.model.number import MAX_SAFE, as_count, as_int, as_int_or_zero, is_number

# row type -> (member that holds the pieces, chunk type, chunk member of one piece)
PAYLOAD = {
    "text-chunks": ("texts", "text-delta", "text"),
    "reasoning-chunks": ("texts", "reasoning-delta", "text"),
    "tool-call-chunks": ("args", "tool-call-delta", "argumentsDelta"),
}

_ENVELOPE = {"type", "seq0", "time0", "data"}
_TEXT_DATA = {"turn", "step", "index", "dt", "texts"}
_CALL_DATA = {"turn", "step", "index", "dt", "id", "args"}
_STR = {str}
_DIGITS = b"0123456789,"
_MARGIN = 10**15  # ms; the gaps of a row may add up to it
_LATEST = MAX_SAFE - _MARGIN  # ms, or a seq; the latest start that leaves room for them


def members(row: dict[str, Any], seq: int) -> int:
    """Count the events of a well-formed packed row at position `seq` the quick way; 0 when in doubt.

    The row's `type` is one of PAYLOAD's. What is told here is what the v0 builds accept, in a plain
    spelling: integers written as integers, no time that runs backwards or lies far ahead, not at position 0.
    """
    try:
        data = row["data"]
        dt = data["dt"]
        if row["type"] == "tool-call-chunks":
            pieces = data["args"]
            named = "name" in data
            if (
                type(data["id"]) is not str
                or len(data) != 6 + named  # turn, step, index, dt, id, args
                or (named and type(data["name"]) is not str)
            ):
                return 0
        else:
            pieces = data["texts"]
            if len(data) != 5:  # noqa: PLR2004 - turn, step, index, dt, texts
                return 0
        count = len(pieces)
        seq0, time0, gaps = row["seq0"], row["time0"], dumps(dt)
        if (
            seq0 != seq
            or not 0 < seq < _LATEST
            or len(dt) != count - 1
            or len(row) != 4  # noqa: PLR2004 - type, seq0, time0, data
            or type(pieces) is not list
            or not type(seq0) is type(time0) is type(data["turn"]) is type(data["step"]) is type(data["index"]) is int
            # Written out again, a list of whole numbers from 0 up is digits and commas in one pair of brackets.
            or gaps.translate(None, _DIGITS) != b"[]"
            or not 0 <= time0 <= _LATEST
            # Each gap takes a digit and a comma; with so few more none has above 14 digits, and the sum is below _MARGIN.
            or (len(gaps) > count + count + 12 and sum(dt) > _MARGIN)
        ):
            return 0
        "".join(pieces)  # refuses anything that is no text
    except (KeyError, TypeError):
        return 0
    return count


def row_faults(row: dict[str, Any], version: int = 0) -> list[Fault]:
    """Check a packed row; an empty list when all its members can be taken.

    The v0 builds take any number as turn, step and index, an empty call id, and negative zero in
    `time0` and `dt`. The only reader of v1 wants counts, a named call, and no negative zero.
    """
    strict = version > 0
    kind = row["type"]
    pieces_name = PAYLOAD[kind][0]
    faults: list[Fault] = []

    def fault(path: str, message: str) -> None:
        faults.append(Fault("chunk-row-malformed", f"packed {kind} row: {message}", path))

    for name in row.keys() ^ _ENVELOPE:
        fault(f"$.{name}", f"{name} is missing" if name in _ENVELOPE else f"{name} does not belong here")
    seq0 = as_count(row.get("seq0"))
    if "seq0" in row and seq0 is None:
        fault("$.seq0", "seq0 is no count")
    _time = as_int if strict else as_int_or_zero
    time0 = _time(row.get("time0"))
    if "time0" in row and time0 is None:
        fault("$.time0", "time0 is no integer")
    data = row.get("data")
    if type(data) is not dict:
        if "data" in row:
            fault("$.data", "data is no object")
        return faults
    wanted = _CALL_DATA if kind == "tool-call-chunks" else _TEXT_DATA
    for name in data.keys() ^ wanted:
        if name in wanted:
            fault(f"$.data.{name}", f"data.{name} is missing")
        elif not (name == "name" and kind == "tool-call-chunks"):
            fault(f"$.data.{name}", f"data.{name} does not belong here")
    faults += [
        Fault(
            "chunk-row-malformed",
            f"packed {kind} row: data.{name} is no {'count' if strict else 'number'}",
            f"$.data.{name}",
        )
        for name in ("turn", "step", "index")
        if name in data and (as_count(data[name]) is None if strict else not is_number(data[name]))
    ]
    if strict and data.get("id") == "":
        fault("$.data.id", "data.id is empty")
    for name in ("id", "name") if kind == "tool-call-chunks" else ():
        if name in data and type(data[name]) is not str:
            fault(f"$.data.{name}", f"data.{name} is no text")
    pieces, dt = data.get(pieces_name), data.get("dt")
    if pieces_name in data and not (type(pieces) is list and pieces and set(map(type, pieces)) == _STR):
        fault(f"$.data.{pieces_name}", f"data.{pieces_name} is not a non-empty list of texts")
    elif type(dt) is not list:
        if "dt" in data:
            fault("$.data.dt", "data.dt is no list")
    elif pieces is not None:
        gaps = [_time(gap) for gap in dt]
        if None in gaps:
            fault("$.data.dt", "data.dt holds something that is no integer")
        elif len(dt) != len(pieces) - 1:
            fault("$.data.dt", f"data.dt has {len(dt)} gaps for {len(pieces)} pieces, {len(pieces) - 1} belong")
        elif time0 is not None and any(abs(at) > MAX_SAFE for at in accumulate(gaps, initial=time0)):  # type: ignore[arg-type]
            fault("$.data.dt", "the running time leaves the safe integers")
        elif seq0 is not None and seq0 + len(pieces) - 1 > MAX_SAFE:
            fault("$.seq0", "the last seq leaves the safe integers")
    return faults


def expand_row(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the `assistant/chunk` events of a well-formed packed row, in order."""
    data = row["data"]
    pieces_name, chunk_type, piece_name = PAYLOAD[row["type"]]
    head = {"type": chunk_type, "index": data["index"]}
    if "id" in data:
        head["id"] = data["id"]
    if "name" in data:
        head["name"] = data["name"]
    seq = int(row["seq0"])
    times = accumulate(data["dt"], initial=row["time0"])
    for offset, (at, piece) in enumerate(zip(times, data[pieces_name], strict=True)):
        yield {
            "type": "assistant/chunk",
            "seq": seq + offset,
            "time": at,
            "data": {"turn": data["turn"], "step": data["step"], "chunk": {**head, piece_name: piece}},
        }

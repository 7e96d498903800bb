"""Embedded streams of v2 and later: timed chunks to compact records, and records to chunks. Source: streams.md §3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate as running
from math import copysign, isinf
from typing import Any

from orjson import dumps

from dshlog.codec.chunkruns import PAYLOAD
from dshlog.fold.assembler import Assembler, AssemblyError
from dshlog.fold.identity import ABSENT
from dshlog.model.number import MAX_SAFE, as_count, as_int_or_zero

__all__ = ["Accumulator", "Assembler", "AssemblyError", "StreamError", "accumulate", "assembled", "expand_stream"]

Timed = tuple[int, dict[str, Any]]  # ms, chunk
_Head = tuple[str, int, str | None, str | None]  # type, index, id and name of a run

_RUN_OF = {chunk_type: kind for kind, (_, chunk_type, _) in PAYLOAD.items()}
_RAW = frozenset({"block-start", "block-end", "usage", "finish"})
_TEXT_RUN = {"type", "time0", "index", "dt", "texts"}
_CALL_RUN = {"type", "time0", "index", "dt", "id", "args"}
_CHUNK = {"type", "time", "chunk"}
_HEAD = ("type", "index", "id", "name")  # what the deltas of one run share
_STR = {str}
_INT = {int}
_DIGITS = b"0123456789,[]"


class StreamError(ValueError):
    """A stream, or the chunks for one, that dsh refuses.

    `reason` is one sentence; `path` leads from the stream to the member at fault, as `[3].dt`.
    """

    def __init__(self, reason: str, path: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason
        self.path = path


def expand_stream(stream: Iterable[object]) -> Iterator[Timed]:
    """Yield the chunks of a stream with their times in ms, every delta at its original boundary.

    Raises:
        StreamError: at the first record that breaks its form; the shape of a raw chunk is not looked at.
    """
    for place, record in enumerate(stream):
        run, joined = _checked(record, place)
        if joined is None:
            yield as_int_or_zero(run["time"]) or 0, run["chunk"]
            continue
        pieces_name, chunk_type, piece_name = PAYLOAD[run["type"]]
        head = {"type": chunk_type, "index": as_count(run["index"])}
        head |= {name: run[name] for name in ("id", "name") if name in run}
        times = running((as_int_or_zero(gap) or 0 for gap in run["dt"]), initial=as_int_or_zero(run["time0"]) or 0)
        for at, piece in zip(times, run[pieces_name], strict=True):
            yield at, {**head, piece_name: piece}


def assembled(stream: Iterable[object]) -> Assembler:
    """Give an assembler that has taken a whole stream, each run as one delta.

    Raises:
        StreamError: as `expand_stream`; also for a raw chunk that the assembler does not take.
    """
    assembler = Assembler()
    for place, record in enumerate(stream):
        run, joined = _checked(record, place)
        if joined is not None:
            call_id, name = run.get("id", ABSENT), run.get("name", ABSENT)
            assembler.push_run(PAYLOAD[run["type"]][1], run["index"], joined, call_id, name)
            continue
        try:
            assembler.push(run["chunk"])
        except AssemblyError as error:
            raise StreamError(str(error), f"[{place}].chunk") from error
    return assembler


def accumulate(chunks: Iterable[tuple[object, object]]) -> list[dict[str, Any]]:
    """Give the records that a writer makes of chunks and their times in ms.

    Only the last record is extended, so blocks that alternate make many records.

    Raises:
        StreamError: at the first chunk that no writer takes; the path counts the chunks.
    """
    maker = Accumulator()
    for time, chunk in chunks:
        maker.add(time, chunk)
    return maker.records


class Accumulator:
    """Makes the records of one stream as its chunks come; `records` holds those made so far."""

    __slots__ = ("_head", "_last", "_pieces", "_place", "_run", "records")

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self._run: dict[str, Any] = {}  # the last record while it may still grow
        self._head: _Head | None = None  # what its deltas share
        self._pieces: list[str] = []  # of that record
        self._last = 0
        self._place = 0

    def add(self, time: object, chunk: object) -> None:
        """Take one chunk and its time in ms.

        Raises:
            StreamError: no writer takes it.
        """
        place = self._place
        self._place += 1
        at = as_int_or_zero(time)
        if at is None:
            raise StreamError("time is no integer", f"[{place}].time")
        fresh = _run_of(chunk, place)
        if fresh is None:
            self._head = None
            self.records.append({"type": "chunk", "time": at, "chunk": chunk})
            return
        head, piece = fresh
        self._join(tuple(map(head.get, _HEAD)), at)  # type: ignore[arg-type]
        self._pieces.append(piece)
        self._last = at

    def add_packed(self, row: dict[str, Any]) -> int:
        """Take the chunks of a packed row that every reader takes; the time of the last one in ms."""
        data, at = row["data"], int(row["time0"])
        gaps = data["dt"] if set(map(type, data["dt"])) <= _INT else list(map(int, data["dt"]))
        self._join((row["type"], int(data["index"]), data.get("id"), data.get("name")), at)
        self._run["dt"] += gaps
        self._pieces += data[PAYLOAD[row["type"]][0]]
        self._last = at + sum(gaps)
        self._place += len(gaps) + 1
        return self._last

    def _join(self, head: _Head, at: int) -> None:
        """Continue the last record with a delta if it can be continued, else begin another."""
        gap = at - self._last
        if head == self._head and -MAX_SAFE <= gap <= MAX_SAFE:
            self._run["dt"].append(gap)
            return
        self._head = head
        kind, index, call_id, name = head
        self._run = run = {"type": kind, "time0": at, "index": index, "dt": []}
        if call_id is not None:
            run["id"] = call_id
        if name is not None:
            run["name"] = name
        self._pieces = run[PAYLOAD[kind][0]] = []
        self.records.append(run)


def _run_of(chunk: object, place: int) -> tuple[dict[str, Any], str] | None:
    """Give the head of the run that a chunk can join, and its piece; None when it stands alone."""

    def refuse(reason: str, member: str = "") -> StreamError:
        return StreamError(reason, f"[{place}].chunk{member}")

    if type(chunk) is not dict:
        raise refuse("the chunk is no object")
    if not _lossless(chunk):
        raise refuse("the chunk holds a number that JSON cannot carry")
    kind = chunk.get("type")
    if type(kind) is not str or (kind not in _RAW and kind not in _RUN_OF):
        raise refuse("the chunk type is unknown", ".type")
    if kind in _RAW:
        return None
    run_type = _RUN_OF[kind]
    piece_name = PAYLOAD[run_type][2]
    head: dict[str, Any] = {"type": run_type, "index": as_count(chunk.get("index"))}
    if head["index"] is None:
        raise refuse("index is no count", ".index")
    names = [piece_name]
    if kind == "tool-call-delta":
        head |= {name: chunk[name] for name in ("id", "name") if name in chunk}
        names += ["id", *(["name"] if "name" in chunk else [])]
    for name in names:
        if type(chunk.get(name)) is not str:
            raise refuse(f"{name} is no text", f".{name}")
    if "" in (head.get("id"), head.get("name")):
        return None
    return head, chunk[piece_name]


def _checked(record: object, place: int) -> tuple[dict[str, Any], str | None]:
    """Check one record; give it with its joined pieces, None when it is a raw chunk."""
    if type(record) is not dict:
        raise StreamError("the record is no object", f"[{place}]")
    kind = record.get("type")
    if kind == "chunk":
        _check_chunk(record, place)
        return record, None
    if type(kind) is not str or kind not in PAYLOAD:
        raise StreamError("the record type is unknown", f"[{place}].type")
    joined = _quick(record)
    if joined is None:
        _check_run(record, place)
        joined = "".join(record[PAYLOAD[kind][0]])
    return record, joined


def _quick(run: dict[str, Any]) -> str | None:
    """Join the pieces of a run that is plainly right; None when the exact check must look.

    Only plain spellings pass: integers written as integers, no time that runs backwards.
    """
    try:
        time0, index, dt = run["time0"], run["index"], run["dt"]
        if run["type"] == "tool-call-chunks":
            pieces, call_id, named = run["args"], run["id"], "name" in run
            if type(call_id) is not str or not call_id or len(run) != len(_CALL_RUN) + named:
                return None
            if named and (type(run["name"]) is not str or not run["name"]):
                return None
        else:
            pieces = run["texts"]
            if len(run) != len(_TEXT_RUN):
                return None
        if (
            not type(time0) is type(index) is int
            or not type(pieces) is type(dt) is list
            or len(dt) != len(pieces) - 1
            # Written out again, whole numbers from 0 up leave nothing but digits; so the sum bounds every time.
            or dumps(dt).translate(None, _DIGITS)
            or not 0 <= time0 <= MAX_SAFE - sum(dt)
            or not 0 <= index <= MAX_SAFE
        ):
            return None
        return "".join(pieces)  # refuses anything that is no text
    except (KeyError, TypeError):
        return None


def _check_run(run: dict[str, Any], place: int) -> None:
    """Raise for whatever makes a run invalid."""

    def require(right: object, member: str, reason: str) -> None:
        if not right:
            raise StreamError(reason, f"[{place}].{member}")

    kind = run["type"]
    call = kind == "tool-call-chunks"
    _check_members(run, place, _CALL_RUN if call else _TEXT_RUN, {"name"} if call else set())
    pieces_name = PAYLOAD[kind][0]
    pieces, dt, time0 = run[pieces_name], run["dt"], as_int_or_zero(run["time0"])
    require(time0 is not None, "time0", "time0 is no integer")
    require(as_count(run["index"]) is not None, "index", "index is no count")
    for name in ("id", "name"):
        if name in run:
            require(type(run[name]) is str and run[name], name, f"{name} is no text or empty")
    right = type(pieces) is list and set(map(type, pieces)) == _STR
    require(right, pieces_name, f"{pieces_name} is not a non-empty list of texts")
    gaps = [as_int_or_zero(gap) for gap in dt] if type(dt) is list else [None]
    require(None not in gaps, "dt", "dt is not a list of integers")
    require(
        len(gaps) == len(pieces) - 1,
        "dt",
        f"dt has {len(gaps)} gaps for {len(pieces)} pieces, {len(pieces) - 1} belong",
    )
    times = running(gaps, initial=time0)
    require(all(abs(at) <= MAX_SAFE for at in times), "dt", "the running time leaves the safe integers")  # type: ignore[arg-type]


def _check_chunk(record: dict[str, Any], place: int) -> None:
    """Raise for whatever makes a raw record invalid."""
    if record.keys() != _CHUNK:
        _check_members(record, place, _CHUNK, set())
    if as_int_or_zero(record["time"]) is None:
        raise StreamError("time is no integer", f"[{place}].time")
    if type(record["chunk"]) is not dict:
        raise StreamError("chunk is no object", f"[{place}].chunk")
    if not _lossless(record["chunk"]):
        raise StreamError("the chunk holds a number that JSON cannot carry", f"[{place}].chunk")


def _check_members(record: dict[str, Any], place: int, wanted: set[str], allowed: set[str]) -> None:
    for name in sorted(wanted - record.keys()):
        raise StreamError(f"{name} is missing", f"[{place}].{name}")
    for name in record:
        if name not in wanted and name not in allowed:
            raise StreamError(f"{name} does not belong here", f"[{place}].{name}")


def _lossless(chunk: dict[str, Any]) -> bool:
    """Tell whether JavaScript would read the same value from the JSON that it writes: no -0, no infinity."""
    todo: list[Any] = [chunk]
    for held in todo:
        kind = type(held)
        if kind is str or kind is int:
            continue
        if kind is dict:
            todo.extend(held.values())
        elif kind is list:
            todo.extend(held)
        elif kind is float and (isinf(held) or (held == 0 and copysign(1, held) < 0)):
            return False
    return True

"""Rows of the SQLite store as the lines of a v0 log: the same header, the same events, the same packed rows.

Source: storage.md §7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.codec.chunkruns import PAYLOAD, row_faults
from dshlog.codec.varints import seqs_of
from dshlog.model.fault import Fault
from dshlog.storage.jsontext import NotJSON, dumps, loads, not_json_words
from dshlog.storage.lines import MAX_LINE
from dshlog.storage.unread import LONGEST_STRING

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAIN_SCHEMA = 15  # the one in which every row is one event, and every payload text
PACKED_LEAST, PACKED_MOST = 3, 1024  # members of a packed row
PACKED_TEXT = 1 << 20  # bytes of its payload
_SHOWN = 1 << 10  # bytes of a cell that a line without an event repeats
_SHOWN_ID = 80  # bytes
_PACKED = 0  # the value of `ignorable` that marks a packed row

HEADER = (  # column of `sessions`, member of the header; in the order of the writer
    ("version", "version"),
    ("id", "id"),
    ("created_at", "createdAt"),
    ("cwd", "cwd"),
    ("parent_session", "parentSession"),
    ("seed_length", "seedLength"),
    ("origin", "origin"),
    ("delegation_depth", "delegationDepth"),
    ("agent_preset", "agentPreset"),
)
EVENT = ("type", "seq", "time", "data", "source_event_seqs", "surface_op", "ignorable")  # columns of `events`


class Text(bytes):
    """A cell of type TEXT as UTF-8; a cell that is plain `bytes` is a BLOB."""

    __slots__ = ()


Cell = Text | bytes | int | float | None


class Cells(NamedTuple):
    """One row of `events`, column by column."""

    type: Cell
    seq: Cell
    time: Cell
    data: Cell
    source_event_seqs: Cell
    surface_op: Cell
    ignorable: Cell


class Malformed(Exception):  # noqa: N818 - it names what the row is
    """The row is no event; `fault` says why."""

    def __init__(self, name: str, message: str, column: str | None = None) -> None:
        super().__init__(message)
        self.fault = Fault(name, message, column)


def header_line(cells: Sequence[Cell]) -> tuple[bytes, Fault | None]:
    """Give the header line of a row of `sessions`, whose cells stand in the order of `HEADER`.

    A cell of a wrong type becomes a member of a wrong type. The fault is that of a version which no build that
    kept databases wrote.
    """
    members: dict[str, Any] = {"type": "session"}
    for (_, member), cell in zip(HEADER, cells, strict=True):
        if cell is not None:
            members[member] = _value(cell)
    version = cells[0]
    fault = None
    if version != 0:
        text = f"sessions.version is {shown(version)}; the builds that kept databases wrote 0"
        fault = Fault("database-session-version", text, "sessions.version")
    return dumps(members) + b"\n", fault


def event_line(row: Cells, schema: int) -> bytes:
    """Give the line of a row of `events`: one event, or one packed run.

    Raises:
        Malformed: dsh reads no event out of the row.
    """
    packed = schema != PLAIN_SCHEMA and row.ignorable == _PACKED
    kind = _value(row.type)
    if row.ignorable not in (None, 1) and not packed:
        raise Malformed("row-cell-type", f"ignorable is {shown(row.ignorable)}", "events.ignorable")
    if packed and kind not in PAYLOAD:
        text = f"ignorable 0 marks a packed row, and its type is {shown(row.type)}"
        raise Malformed("row-packed-malformed", text, "events.type")
    if not packed and type(kind) is str and kind in PAYLOAD:
        text = f"the row is one event of type {kind}, which no dsh knows; a packed row has ignorable 0"
        raise Malformed("row-packed-malformed", text, "events.ignorable")
    data = _data(row.data, schema)
    value = _json(data, "data")
    if packed:
        return _packed_line(row, kind, data, value)
    parts = [b'{"type":', dumps(kind), b',"seq":', dumps(_value(row.seq)), b',"time":', dumps(_value(row.time))]
    parts += [b',"data":', _one_line(data)]
    if row.source_event_seqs is not None:
        parts += [b',"sourceEventSeqs":', _sources(row.source_event_seqs, schema)]
    if row.surface_op is not None:
        op = _text(row.surface_op, "surface_op")
        _json(op, "surface_op")
        parts += [b',"surfaceOp":', _one_line(op)]
    if row.ignorable == 1:
        parts.append(b',"ignorable":true')
    return b"".join((*parts, b"}\n"))


def lost_line(row: Cells, why: str) -> bytes:
    """Give a line that is no JSON, whatever is done to one byte of it, for a row out of which dsh reads no event."""
    shows = " ".join(f"{name}={_excerpt(cell)}" for name, cell in zip(EVENT, row, strict=True) if cell is not None)
    return f"!!! no event: {why}; {shows}".encode("ascii", "backslashreplace").replace(b"\n", b"\\n") + b"\n"


def shown(cell: Cell) -> str:
    """Say what a cell holds."""
    if cell is None:
        return "NULL"
    if isinstance(cell, Text):
        return f"the text {_excerpt(cell, 40)}"
    if isinstance(cell, bytes):
        return f"a blob of {len(cell)} bytes"
    return str(cell)


def shown_id(cell: Cell) -> str:
    """Give an id that is no text, or no UTF-8, by its bytes."""
    if isinstance(cell, Text):
        return ascii(cell[:_SHOWN_ID].decode("utf-8", "surrogateescape")).replace("\\udc", "\\x")
    return "NULL" if cell is None else _excerpt(cell, _SHOWN_ID)


def _packed_line(row: Cells, kind: str, data: bytes, value: Any) -> bytes:  # noqa: ANN401 - a JSON value
    for name in ("source_event_seqs", "surface_op"):
        if getattr(row, name) is not None:
            raise Malformed("row-packed-malformed", f"a packed row has {name}", f"events.{name}")
    if len(data) > PACKED_TEXT:
        text = f"the payload of a packed row has {len(data)} bytes, up to {PACKED_TEXT} are read"
        raise Malformed("row-packed-malformed", text, "events.data")
    seq, time = _value(row.seq), _value(row.time)
    made = {"type": kind, "seq0": seq, "time0": time, "data": value}
    faults = row_faults(made)
    if faults:
        raise Malformed("row-packed-malformed", faults[0].message, "events.data")
    count = len(value[PAYLOAD[kind][0]])
    if not PACKED_LEAST <= count <= PACKED_MOST:
        text = f"a packed row has {count} members, {PACKED_LEAST} to {PACKED_MOST} are read"
        raise Malformed("row-packed-malformed", text, "events.data")
    head = b'{"type":%s,"seq0":%s,"time0":%s,"data":' % (dumps(kind), dumps(seq), dumps(time))
    return head + _one_line(data) + b"}\n"


def _data(cell: Cell, schema: int) -> bytes:
    """Give the JSON text of a payload."""
    if isinstance(cell, Text):
        return cell
    if not isinstance(cell, bytes) or schema == PLAIN_SCHEMA:
        raise Malformed("row-cell-type", f"data is {shown(cell)}", "events.data")
    from dshlog.storage.zstd import Undecodable, one_frame

    try:
        text = one_frame(cell, MAX_LINE)
    except Undecodable as error:
        raise Malformed("row-data-undecodable", f"data does not decompress: {error}", "events.data") from error
    if text is None:
        raise Malformed(
            "line-too-long", f"dshlog does not read this row: decompressed it has more than {MAX_LINE} bytes"
        )
    try:
        text.decode()
    except UnicodeDecodeError as error:
        why = f"data decompresses to bytes that are no UTF-8 at byte {error.start}"
        raise Malformed("row-data-undecodable", why, "events.data") from error
    return text


def _sources(cell: Cell, schema: int) -> bytes:
    """Give the JSON text of a list of seqs."""
    if schema != PLAIN_SCHEMA:
        if isinstance(cell, Text) or not isinstance(cell, bytes):
            raise Malformed("row-cell-type", f"source_event_seqs is {shown(cell)}", "events.source_event_seqs")
        seqs = seqs_of(cell)
        if isinstance(seqs, str):
            raise Malformed("row-sources-malformed", f"source_event_seqs: {seqs}", "events.source_event_seqs")
        return dumps(seqs)
    text = _text(cell, "source_event_seqs")
    value = _json(text, "source_event_seqs")
    if type(value) is list and any(type(entry) is list for entry in value):
        why = "source_event_seqs holds a range, which the builds that kept databases do not read"
        raise Malformed("row-sources-malformed", why, "events.source_event_seqs")
    return _one_line(text)


def _text(cell: Cell, column: str) -> bytes:
    if isinstance(cell, Text):
        return cell
    raise Malformed("row-cell-type", f"{column} is {shown(cell)}", f"events.{column}")


def _json(text: bytes, column: str) -> object:
    """Give what a text says; whatever goes into a line has to be one whole JSON value."""
    if len(text) > LONGEST_STRING:
        raise Malformed("row-not-json", f"{column} is longer than a JavaScript string can be", f"events.{column}")
    try:
        return loads(text)
    except NotJSON as error:
        why = not_json_words(text, error).replace("of the line", "of it").replace("the line", "it")
        raise Malformed("row-not-json", f"{column} is {why}", f"events.{column}") from error


def _one_line(text: bytes) -> bytes:
    # Inside of JSON a line feed stands between values only.
    return text.replace(b"\n", b" ") if b"\n" in text else text


def _value(cell: Cell) -> Any:  # noqa: ANN401 - a JSON value
    """Give a cell as JavaScript holds it: a blob is an object there."""
    if isinstance(cell, Text):
        return cell.decode("utf-8", "replace")
    return {} if isinstance(cell, bytes) else cell


def _excerpt(cell: Cell, most: int = _SHOWN) -> str:
    if not isinstance(cell, bytes):
        return str(cell)
    rest = f"... ({len(cell)} bytes)" if len(cell) > most else ""
    if isinstance(cell, Text):
        return ascii(cell[:most].decode("utf-8", "replace")) + rest
    return f"x'{cell[: most // 2].hex()}'" + (f"... ({len(cell)} bytes)" if len(cell) > most // 2 else "")

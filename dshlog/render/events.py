"""The events of one log as a table, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.look import PLAIN, Look
from dshlog.render.table import Column, heading, table_lines, whole
from dshlog.render.times import clock, date
from dshlog.render.words import joined, one_line, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.lens import EventRow
    from dshlog.render.jsonout import Json

_TYPE_WIDTH, _SHORT_TYPE = 36, 22  # columns of a type, the second in a narrow terminal
_NARROW = 100


def turn_word(turn: object, step: object) -> str:
    """Give `turn/step`, the step left out where none was open; a dash outside of turns."""
    return value_word(turn) if step is None else f"{value_word(turn)}/{value_word(step)}"


def head_lines(path: str, version: int | None, look: Look, *more: str) -> Iterator[str]:
    """Yield path, generation and whatever else a lens tells above its rows."""
    return heading(path, joined(("" if version is None else f"v{version}", *more)), look)


def _columns(look: Look) -> tuple[Column, ...]:
    limit = _SHORT_TYPE if look.width is not None and look.width < _NARROW else _TYPE_WIDTH
    return (
        Column("seq", lambda row: str(row.seq), right=True),
        Column("time", lambda row: clock(row.time), optional=1),
        Column("type", lambda row: visible(row.type), limit=limit, style=lambda row: row.type.partition("/")[0]),
        Column("turn", lambda row: turn_word(row.turn, row.step), whole=True),
        Column("bytes", lambda row: str(row.size), right=True, optional=1),
    )


def event_lines(rows: Iterable[EventRow], look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield a line per event as soon as it comes, a line with the date where that changes.

    With `full` the payload stands below, as JSON.
    """
    day: str | None = None

    def above(row: EventRow) -> Iterator[str]:
        nonlocal day
        today = date(row.time)
        if today is not None and today != day:
            day = today
            yield look.paint("dim", f"-- {today} UTC")

    def below(row: EventRow) -> Iterator[str]:
        if full:
            yield from whole(_payload(row))

    yield from table_lines(_columns(look), "what it holds", _facts, rows, look, above=above, below=below)


def event_dict(row: EventRow, *, full: bool = False) -> Json:
    """Give one event with every key; `data` is null unless the whole was asked for."""
    from dshlog.render.jsonout import scalar

    return {
        "seq": row.seq,
        "time": scalar(row.time),
        "type": row.type,
        "turn": scalar(row.turn),
        "step": scalar(row.step),
        "bytes": row.size,
        "surfaceOp": row.op,
        "facts": one_line(row.facts),
        "request": row.request,
        "data": row.data if full else None,
    }


def _facts(row: EventRow) -> str:
    asked = "" if row.request is None else f"request {row.request}"
    return joined((asked, visible(one_line(row.facts))))


def _payload(row: EventRow) -> str:
    from dshlog.storage.jsontext import dumps

    return dumps(row.data).decode("utf-8", "replace")

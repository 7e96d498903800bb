"""The sessions of a root as a table, and as JSON."""

# ruff: noqa: PTH119 - paths are texts here

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from dshlog.model.session import SessionDepth, SessionRow
from dshlog.render.look import PLAIN, Look
from dshlog.render.table import Column, table_lines
from dshlog.render.times import stamp
from dshlog.render.words import cut, joined, one_line, path_name, value_word, visible
from dshlog.storage.naming import parse_log_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.render.jsonout import Json

_SHORT = 48  # columns of an id, of a project
_LEAST = 24  # columns of an id in a narrow terminal; its beginning is enough for --root


class Listed(NamedTuple):
    """One line of the list: a session, what its whole log tells, and where it stands in the tree."""

    row: SessionRow
    deep: SessionDepth | None = None
    parent_found: bool | None = None
    depth: int | None = None
    cycle: bool = False
    repeated: bool = False  # another one has its id and generation


def session_lines(rows: Iterable[Listed], look: Look = PLAIN, *, deep: bool = False) -> Iterator[str]:
    """Yield a line per session, each as soon as it comes once the first have decided the widths."""
    columns = (_ID, *_COLUMNS, *(_DEEP if deep else ()))
    last = "title or goal, parent" if deep else "parent"
    yield from table_lines(columns, last, _notes, rows, look, below=_place)


def session_dict(one: Listed) -> Json:
    """Give one session with every key; what was not asked for is null."""
    row, deep = one.row, one.deep
    return {
        "path": row.path,
        "id": row.id,
        "cwd": row.project,
        "created": row.created,
        "version": row.version,
        "bytes": row.size,
        "kind": row.kind,
        "seeded": row.seeded,
        "preset": row.preset,
        "parent": row.parent,
        "parentFound": one.parent_found,
        "depth": one.depth,
        "older": list(row.older),
        "problem": row.problem,
        "linked": row.linked,
        "deep": None
        if deep is None
        else {
            "state": deep.state,
            "events": deep.events,
            "turns": deep.turns,
            "title": deep.title,
            "goal": deep.goal,
            "reason": deep.reason,
            "last": deep.last if isinstance(deep.last, (int, float)) else None,
        },
    }


def _id(one: Listed) -> str:
    return "  " * (one.depth or 0) + (visible(one.row.id) if one.row.id is not None else _place_name(one.row.path))


def _place_name(path: str) -> str:
    """Name a log without an id: by its session directory, a free file by itself."""
    upper, name = os.path.split(path)
    return path_name(os.path.basename(upper) or path if parse_log_name(name) is not None else name)


def _notes(one: Listed) -> str:
    row, deep = one.row, one.deep
    if row.problem is not None:
        return row.problem
    told = "" if deep is None else visible(one_line(deep.title or deep.goal or ""))
    return joined(("not in dsh's list (link)" if row.linked else "", told, _parent_words(one)))


def _place(one: Listed) -> Iterator[str]:
    """Yield where a session lies, if it has no id or one that does not tell it from another."""
    if one.repeated or one.row.id is None:
        yield f"     at {path_name(one.row.path)}"


def _parent_words(one: Listed) -> str:
    """Say whose child a session is; in a tree that stands above, unless it is missing."""
    row = one.row
    if row.parent is None:
        return "" if row.kind == "session" else row.kind
    kind = {"session": "child", "subagent": "forked subagent" if row.seeded else "subagent"}.get(row.kind, row.kind)
    if one.depth:
        return kind
    missing = " (missing)" if one.parent_found is False else ""
    loop = " (its ancestors lead back to it)" if one.cycle else ""
    return f"{kind} of {value_word(row.parent)}{missing}{loop}"


_ID = Column("id", _id, limit=_SHORT, least=_LEAST)
_COLUMNS = (
    Column("created (UTC)", lambda one: stamp(one.row.created), optional=1),
    Column("v", lambda one: value_word(one.row.version), right=True, optional=1),
    Column("bytes", lambda one: value_word(one.row.size), right=True, optional=1),
    Column("project", lambda one: cut(value_word(one.row.project), _SHORT), optional=2, limit=_SHORT),
)
_DEEP = (
    Column(
        "state",
        lambda one: "-" if one.deep is None else one.deep.state,
        style=lambda one: one.deep.state if one.deep else "",
    ),
    Column("turns", lambda one: "-" if one.deep is None else str(one.deep.turns), right=True, optional=1),
    Column("end", lambda one: "-" if one.deep is None else value_word(one.deep.reason), optional=1),
)

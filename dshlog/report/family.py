"""What the child sessions of a log say, as the upgrade to v4 asks it. Source: migration.md §5.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.migrate.children import Child, child_of
from dshlog.migrate.restored import Descriptors, Restoring
from dshlog.model.vocabulary import LATEST
from dshlog.report.examine import Examination, named_encoding
from dshlog.report.reading import Reading
from dshlog.report.upgrade import physical
from dshlog.storage.jsontext import NotJSON, loads

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from dshlog.model.session import SessionRow
    from dshlog.storage.source import Source

    Opened = Callable[[str], AbstractContextManager[Source]]


def children_of(parent: str, rows: list[SessionRow], opened: Opened, unreadable: type[Exception]) -> list[Child]:
    """Give the children of a session.

    Args:
        parent: its id.
        rows: the sessions of its root.
        opened: opens a log.
        unreadable: what that raises; such a child counts as undescribed.
    """
    out: list[Child] = []
    for row in rows:
        if not is_child(row, parent) or row.id is None or row.created is None:
            continue
        try:
            with opened(row.path) as source:
                out.append(_child(source, row.path, row.id, row.created))
        except unreadable:
            out.append(Child(row.id, row.created))
    return out


def is_child(row: SessionRow, parent: str) -> bool:
    """Tell whether a session of a root is a child of another."""
    return row.kind == "subagent" and row.parent == parent and row.id is not None and row.created is not None


def _child(source: Source, path: str, name: str, created: int) -> Child:
    reading = Reading(source, named_encoding(path))
    header = reading.header
    undescribed = Child(name, created)
    if header is None:
        return undescribed
    if header.version == LATEST:
        return _latest(source, path, name, created)
    restoring = Restoring(header)
    for lines, _, _ in reading.batches():
        restoring.feed(lines)
    if physical(reading.drafts) or restoring.finish():
        return undescribed
    return restoring.descriptors.of(name, created)


def _latest(source: Source, path: str, name: str, created: int) -> Child:
    """Read a child that is v4 already."""
    found = Descriptors()
    exam = Examination(source, path, named_encoding(path))
    for lines, at, end in exam.reading.batches():
        exam.feed(lines, at, end)
        for line in lines:
            if b"session/end-seed" in line or b"subagent/descriptor" in line:
                found.see(_event(line))
    return found.of(name, created) if exam.report().native.opens else Child(name, created)


def _event(line: bytes) -> dict[str, Any]:
    try:
        value = loads(line)
    except NotJSON:
        return {}
    return value if type(value) is dict else {}


def stated(text: bytes) -> list[Child] | None:
    """Give the children that a file states in dsh's own words; None when it holds no such list."""
    try:
        value = loads(text)
    except NotJSON:
        return None
    if type(value) is not list:
        return None
    children = [child_of(each) for each in value]
    known = [child for child in children if child is not None]
    return known if len(known) == len(children) else None

"""Events of types that nobody knows: what has to be named so that a log with them can be repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.repair.sheet import load

if TYPE_CHECKING:
    from dshlog.model.report import Report
    from dshlog.storage.source import Source

_CARRIED = 3  # the first generation whose unknown events are carried on when they are marked


def naming(source: Source, report: Report) -> dict[str, frozenset[str]]:
    """Give the fix for the events for which the log's own build refuses it, with their types; none for other logs."""
    lines = {
        found.place.line for found in report.findings if found.name == "unknown-type" and found.severity == "error"
    }
    if not lines or report.version is None:
        return {}
    rows = (line.row for line in load(source, report.path, report.encoding).lines if line.number in lines)
    kinds = {kind for row in rows if row is not None and type(kind := row.get("type")) is str and kind}
    return {"mark-ignorable" if report.version >= _CARRIED else "drop-record": frozenset(kinds)} if kinds else {}

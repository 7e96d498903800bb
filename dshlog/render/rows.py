"""The words for a place in a session of a database, which has rows in place of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.words import joined, path_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from dshlog.model.finding import Finding
    from dshlog.model.place import Place
    from dshlog.model.report import Report


def row_words(place: Place) -> str:
    """Name the row of a place; empty for one that is no single row."""
    row = place.row
    if row is None or row.table is None:
        return ""
    return f"row of {row.table}" if row.seq is None else f"row of {row.table} with seq {row.seq}"


def spot_words(place: Place) -> str:
    """Give `line 7`, in a session of a database the row; empty for a place that is neither."""
    if place.row is not None:
        return row_words(place)
    return "" if place.line is None else f"line {place.line}"


def stop_words(report: Report) -> str:
    """Say where the readable prefix of a damaged log ends."""
    if report.stored is not None:
        at = (row_words(found.place) for found in report.findings if found.place.line == report.stop)
        return next(at, "row that cannot be read")
    return f"line {report.stop}"


def message_words(finding: Finding) -> str:
    """Give the message of a finding for a reader that knows a file and a line alone."""
    row = finding.place.row
    if row is None or row.session is None:
        return finding.message
    at = joined((f"session {path_name(row.session)}", row_words(finding.place)))
    return f"{at}: {finding.message}"


def report_path(report: Report, path: Callable[[str], str]) -> str:
    """Give the name of a log; that of a database alone is a path, not the id behind it."""
    row = report.stored
    return path(report.path) if row is None else f"{path(row.database)}{report.path[len(row.database) :]}"

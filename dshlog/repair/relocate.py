"""Where a log belongs below its root: the place that its header names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dshlog.model.vocabulary import LATEST
from dshlog.storage.naming import log_name, project_key, session_segment

if TYPE_CHECKING:
    from dshlog.model.report import Report

MOVED = frozenset({"name-differs-from-version", "directory-differs-from-id", "directory-differs-from-cwd"})


class Spot(NamedTuple):
    """The place of a log below a root: the names of the two directories and of the file."""

    project: str
    segment: str
    name: str


def spot_of(report: Report, now: Spot) -> Spot:
    """Give the place that dsh looks for a log in, by its header; what that does not tell stays as it is.

    Args:
        report: on the log.
        now: where it lies.
    """
    version, encoding = report.version, report.encoding
    if report.state == "not-a-log" or version is None or version > LATEST or encoding is None:
        return now
    unread = any(found.place.json_path == "$.cwd" and found.severity == "error" for found in report.findings)
    project = now.project if unread or report.cwd == "" else project_key(report.cwd)
    segment = session_segment(report.id) if report.id else now.segment
    return Spot(project, segment, log_name(version, encoding))

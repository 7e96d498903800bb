"""Findings as a Code Quality report of GitLab: one JSON array, written piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.jsonout import line
from dshlog.render.rows import message_words
from dshlog.report.fingerprint import fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dshlog.model.finding import Finding
    from dshlog.render.jsonout import Json

_SEVERITIES = {"error": "critical", "warning": "minor", "note": "info"}


class CodeQuality:
    """One report: `begin`, any number of `issues`, `end`; joined they are the document."""

    def __init__(self, path: Callable[[str], str]) -> None:
        """Take how files are named."""
        self._path = path
        self._between = b"\n"

    def begin(self) -> bytes:
        """Open the array."""
        return b"["

    def issues(self, findings: Iterable[Finding]) -> Iterator[bytes]:
        """Yield an issue for each finding of one log."""
        findings = list(findings)
        for finding, fingerprint in zip(findings, fingerprints(findings, self._path), strict=True):
            yield self._between + line(issue_dict(finding, self._path(finding.place.on_disk[0]), fingerprint)).rstrip(
                b"\n"
            )
            self._between = b",\n"

    def end(self) -> bytes:
        """Close the array."""
        return b"\n]\n"


def issue_dict(finding: Finding, path: str, fingerprint: str) -> Json:
    """Give one issue; what belongs to no line stands at line 1, since GitLab wants one."""
    return {
        "description": f"{finding.name}: {message_words(finding)}" + (f"; {finding.hint}" if finding.hint else ""),
        "check_name": finding.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": path, "lines": {"begin": finding.place.on_disk[1] or 1}},
    }

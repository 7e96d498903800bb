"""Reports as JUnit XML: one test case for each log, failed when a finding counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dshlog.model.finding import SEVERITIES
from dshlog.render.rows import message_words, report_path
from dshlog.render.text import finding_lines, leading, leading_of, verdict_line
from dshlog.render.words import path_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dshlog.model.finding import Finding, Severity
    from dshlog.model.report import Report

# What no XML 1.0 document may hold, not even as a reference.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
_MARKUP = re.compile(r"[&<>]")
_MARKUP_AND_SPACE = re.compile(r'[&<>"\n\r\t]')


class Suites:
    """The test cases of one run; the totals stand in front of them, so they are kept until the end."""

    def __init__(self, fail_on: Severity, path: Callable[[str], str]) -> None:
        """Take the least severity that fails a case, and how files are named."""
        self._limit = SEVERITIES.index(fail_on)
        self._path = path
        self._cases: list[str] = []
        self._failures = 0
        self._errors = 0

    def log(self, report: Report) -> None:
        """Add the case of one log."""
        said = [*_lines(report.findings), verdict_line(report)]
        self._case(report_path(report, self._path), leading(report), said, kind=report.state)

    def store(self, findings: Sequence[Finding]) -> None:
        """Add a case for what is said about roots; none when that is nothing."""
        if findings:
            self._case("store", leading_of(findings), _lines(findings), kind="store")

    def error(self, path: str, message: str) -> None:
        """Add a case for a path that could not be read."""
        self._errors += 1
        name = attribute(path_name(self._path(path)))
        case = f'<testcase classname="dshlog.validate" name="{name}">'
        self._cases.append(f'{case}\n<error type="unreadable" message="{attribute(message)}"/>\n</testcase>\n')

    def document(self) -> bytes:
        """Give the whole document."""
        counts = f'tests="{len(self._cases)}" failures="{self._failures}" errors="{self._errors}"'
        head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {counts}>\n<testsuite name="dshlog" {counts}>\n'
        return "".join((head, *self._cases, "</testsuite>\n</testsuites>\n")).encode()

    def _case(self, name: str, worst: Finding | None, said: Iterable[str], *, kind: str) -> None:
        case = f'<testcase classname="dshlog.validate" name="{attribute(path_name(name))}"'
        text = content("\n".join(said))
        if worst is not None and SEVERITIES.index(worst.severity) <= self._limit:
            self._failures += 1
            message = attribute(f"{worst.code} {worst.name}: {message_words(worst)}")
            self._cases.append(
                f'{case}>\n<failure type="{attribute(kind)}" message="{message}">{text}</failure>\n</testcase>\n'
            )
        elif worst is not None:
            self._cases.append(f"{case}>\n<system-out>{text}</system-out>\n</testcase>\n")
        else:
            self._cases.append(f"{case}/>\n")


def attribute(text: str) -> str:
    """Give a text as the value of an attribute in double quotes; what XML cannot hold is left out."""
    return _MARKUP_AND_SPACE.sub(_escaped, _FORBIDDEN.sub("", text))


def content(text: str) -> str:
    """Give a text as it stands between tags; what XML cannot hold is left out."""
    return _MARKUP.sub(_escaped, _FORBIDDEN.sub("", text)).replace("\r", "&#13;")


def _escaped(match: re.Match[str]) -> str:
    return _ESCAPES[match[0]]


def _lines(findings: Iterable[Finding]) -> list[str]:
    return [line for finding in findings for line in finding_lines(finding)]

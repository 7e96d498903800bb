"""Which findings are shown and counted, and how severe they are; states and verdicts stay as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dshlog.model.finding import Finding, Severity
    from dshlog.model.report import Report

QUICK = ("F", "L", "H", "E", "C", "S")  # framing, JSON, header, envelope, chunk runs and surface


class UnknownCodeError(ValueError):
    """A code, or the beginning of one, that no rule of the register has."""


class Change(NamedTuple):
    """What becomes of the findings of one code; a severity of None leaves the finding's own."""

    shown: bool
    severity: Severity | None


class Choice:
    """A choice of findings by their codes.

    A code may be given by its beginning: `S` is every surface code; a name, or its beginning
    with a hyphen in it, stands for its codes. A finding is shown when no code is
    selected or its own is, unless it is ignored. Of several severities for one code the one given with
    the longest beginning counts, and of equally long ones the last.

    `left_out` counts the findings that were not chosen so far, `options` are those that leave some out.

    Raises:
        UnknownCodeError: no rule has such a code.
    """

    def __init__(
        self,
        *,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        severity: Iterable[tuple[str, Severity]] = (),
        quick: bool = False,
    ) -> None:
        self._select = tuple(code for word in select for code in _known(word))
        self._ignore = tuple(code for word in ignore for code in _known(word))
        self._severity = sorted(((code, level) for word, level in severity for code in _known(word)), key=_length)
        self._quick = quick
        self._idle = not (self._select or self._ignore or self._severity or quick)
        self._changes: dict[str, Change] = {}
        self.left_out = 0
        given = (("--select", self._select), ("--ignore", self._ignore), ("--quick", quick))
        self.options = tuple(option for option, wanted in given if wanted)

    def report(self, report: Report) -> Report:
        """Give the report with the chosen findings."""
        if self._idle or not report.findings:
            return report
        return replace(report, findings=self.findings(report.findings))

    def findings(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Give the chosen findings, in their order."""
        if self._idle:
            return tuple(findings)
        out: list[Finding] = []
        for finding in findings:
            change = self._changes.get(finding.code) or self._change(finding.code)
            if change.shown:
                severity = change.severity or finding.severity
                out.append(finding if severity == finding.severity else replace(finding, severity=severity))
            else:
                self.left_out += 1
        return tuple(out)

    def _change(self, code: str) -> Change:
        shown = (
            (not self._select or code.startswith(self._select))
            and not (self._ignore and code.startswith(self._ignore))
            and (not self._quick or code.startswith(QUICK))
        )
        levels = [level for start, level in self._severity if code.startswith(start)]
        change = self._changes[code] = Change(shown, levels[-1] if levels else None)
        return change


def _known(word: str) -> tuple[str, ...]:
    """Give the beginning of a code as it is, the codes of a name or of the beginning of one."""
    from dshlog.rules.register import BY_NAME, RULES

    wanted = word.strip()
    if wanted and any(rule.code.startswith(wanted.upper()) for rule in RULES):
        return (wanted.upper(),)
    named = BY_NAME.get(wanted.lower())
    if named is not None:
        return (named.code,)
    # A beginning without a hyphen is a code that was mistyped rather than a name.
    codes = tuple(rule.code for rule in RULES if "-" in wanted and rule.name.startswith(wanted.lower()))
    if not codes:
        message = f"no rule has the code {wanted}" if wanted else "a code is empty"
        raise UnknownCodeError(message)
    return codes


def _length(entry: tuple[str, Severity]) -> int:
    return len(entry[0])

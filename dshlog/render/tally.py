"""The totals of a run over many logs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dshlog.model.finding import SEVERITIES, Finding, Severity
from dshlog.model.report import STATES, Report, State
from dshlog.render.look import PLAIN, Look
from dshlog.render.text import leading
from dshlog.render.words import count, folded, joined, path_name, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

UNREAD = "L106"
NAMED = 20  # bad logs that are repeated by name at the end; each had its own line before


class Tally:
    """Counts over many logs; keeps no report, so its size does not grow with what the logs hold."""

    def __init__(self, fail_on: Severity = "error") -> None:
        self.fail_on = fail_on
        self.states: Counter[State] = Counter()
        self.severities: Counter[Severity] = Counter()
        self.logs = 0
        self.failed = 0
        self.unread = 0  # logs of which a part was not read, so that nothing is known of the rest
        self.failed_roots = False
        self._causes: dict[tuple[str, str], list[int]] = {}
        self._bad: list[tuple[str, State]] = []
        self._torn: list[str] = []
        self._torn_logs = 0

    def add(self, report: Report) -> None:
        """Count one log."""
        self.logs += 1
        self.states[report.state] += 1
        here = {(finding.code, finding.name) for finding in report.findings}
        for finding in report.findings:
            self.severities[finding.severity] += 1
            self._causes.setdefault((finding.code, finding.name), [0, 0])[0] += 1
        self.unread += any(finding.code == UNREAD for finding in report.findings)
        for cause in here:
            self._causes[cause][1] += 1
        if self.fails(report):
            self.failed += 1
            if len(self._bad) < NAMED:
                self._bad.append((report.path, report.state))
        elif report.state == "torn":
            self._torn_logs += 1
            if len(self._torn) < NAMED:
                self._torn.append(report.path)

    def fails(self, report: Report) -> bool:
        """Tell whether a log makes the run fail."""
        worst = leading(report)
        return worst is not None and SEVERITIES.index(worst.severity) <= SEVERITIES.index(self.fail_on)

    def deserves_a_line(self, report: Report) -> bool:
        """Tell whether a log is told among many; sound ones are only counted, and so are notes that fail nothing."""
        if report.state not in ("clean", "open") or self.fails(report):
            return True
        return any(finding.severity != "note" for finding in report.findings)

    def add_store(self, findings: Iterable[Finding]) -> None:
        """Count findings about roots, which belong to no log."""
        for finding in findings:
            self.severities[finding.severity] += 1
            self._causes.setdefault((finding.code, finding.name), [0, 0])[0] += 1
            if SEVERITIES.index(finding.severity) <= SEVERITIES.index(self.fail_on):
                self.failed_roots = True

    def lines(self, look: Look = PLAIN) -> Iterator[str]:
        """Yield the totals by state, the findings by cause, the bad logs by name, what to run next."""
        states = joined(f"{self.states[state]} {look.paint(state, state)}" for state in STATES if self.states[state])
        yield from folded(f"{count(self.logs, 'log')}: {states}", look.width)
        if self.severities:
            yield (
                joined(
                    count(self.severities[severity], severity) for severity in SEVERITIES if self.severities[severity]
                )
                + "; by cause:"
            )
            for (code, name), (findings, logs) in sorted(self._causes.items(), key=lambda item: (-item[1][1], item[0])):
                yield f"  {code} {name}: {findings}" + (f" in {count(logs, 'log')}" if logs else "")
        if self._bad:
            yield "bad:"
            for path, state in self._bad:
                yield f"  {path_name(path)}  {look.paint(state, state)}"
            if self.failed > NAMED:
                yield f"  and {self.failed - NAMED} more, each with its line above"
        if self._torn:
            yield "torn, and cut by dsh on its next write:"
            yield from (f"  {path_name(path)}" for path in self._torn)
            more = self._torn_logs - len(self._torn)
            if more:
                yield f"  and {more} more, each with its line above"
        first = next((path for path in (*(path for path, _ in self._bad), *self._torn) if path != "-"), None)
        if first is not None:
            yield f"next: dshlog validate {shell_word(first)}"

"""A baseline: findings that are known and accepted, so that only new ones count."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dshlog.report.fingerprint import Identity, identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dshlog.model.finding import Finding
    from dshlog.model.report import Report

SCHEMA = 1  # grows when the meaning of a key changes


class NotABaselineError(ValueError):
    """The document is no baseline that this dshlog reads."""


class Baseline:
    """Counts of known findings by identity; each known one is met once.

    `met` counts the findings that were left out so far, `stale` those that were not met again.
    """

    def __init__(self, known: Counter[Identity], path: Callable[[str], str]) -> None:
        """Take the counts, and how the path of a log is spelled in them."""
        self._known = known.copy()
        self._path = path
        self.met = 0

    @property
    def stale(self) -> int:
        """Count the known findings that were not met; of logs that were not asked for too."""
        return sum(number for number in self._known.values() if number > 0)

    def report(self, report: Report) -> Report:
        """Give the report without the findings that are known."""
        return replace(report, findings=self.findings(report.findings)) if report.findings else report

    def findings(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Give the findings that are new, in their order."""
        out: list[Finding] = []
        for finding in findings:
            own = identity(finding, self._path)
            if self._known[own] > 0:
                self._known[own] -= 1
                self.met += 1
            else:
                out.append(finding)
        return tuple(out)


def read_baseline(value: object) -> Counter[Identity]:
    """Give the counts of a baseline document.

    Raises:
        NotABaselineError: it is none, or one with another schema number.
    """
    if not isinstance(value, dict) or "schema" not in value or not isinstance(value.get("findings"), list):
        raise NotABaselineError("it is no baseline of dshlog")
    if value["schema"] != SCHEMA:
        raise NotABaselineError(f"its schema is not {SCHEMA}; write it anew with this dshlog")
    known: Counter[Identity] = Counter()
    for number, entry in enumerate(value["findings"]):
        if not _is_entry(entry):
            raise NotABaselineError(f"entry {number} is malformed")
        known[Identity(entry["path"], entry["code"], entry["seq"], entry["json_path"])] += entry["count"]
    return known


def baseline_dict(known: Counter[Identity]) -> dict[str, Any]:
    """Give the document of a baseline, sorted, so that it changes no more than the findings do."""
    return {
        "schema": SCHEMA,
        "findings": [
            {"path": own.path, "code": own.code, "seq": own.seq, "json_path": own.json_path, "count": number}
            for own, number in sorted(known.items(), key=_order)
        ],
    }


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and {"path", "code", "seq", "json_path", "count"} <= entry.keys()
        and isinstance(entry["path"], str)
        and isinstance(entry["code"], str)
        and (entry["seq"] is None or type(entry["seq"]) is int)
        and (entry["json_path"] is None or isinstance(entry["json_path"], str))
        and type(entry["count"]) is int
    )


def _order(item: tuple[Identity, int]) -> tuple[str, str, int, str]:
    own = item[0]
    return own.path, own.code, -1 if own.seq is None else own.seq, own.json_path or ""

"""What the listing of dsh 0.2.1 makes of one log in its place.

The listing reads names and headers, nothing behind them, so a log can be listed and refused, and the
other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Container

    from dshlog.model.report import Report
    from dshlog.model.store import Entry

Listing = Literal["listed", "skipped", "fails"]

# Faults at which it passes over the session without a word. Source: storage.md 8, R5 to R11, R16.
_SKIPS = frozenset(
    {
        "empty-file",
        "no-complete-frame",
        "header-frame-shared",
        "header-missing",
        "header-not-json",
        "header-not-session",
        "header-member-missing",
        "header-member-unknown",
        "header-member-malformed",
        "header-version-invalid",
        "header-version-newer",
    }
)
_FRAME_FAULTS = frozenset(
    {"foreign-bytes", "zero-padding", "skippable-frame", "reserved-bits", "frame-undecodable", "torn-frame"}
)


def listing(report: Report, added: Container[str], entry: Entry = "log") -> Listing | None:
    """Tell what the listing does when it comes to this log; None where that is not known.

    Args:
        report: what was found in the log.
        added: names of the place rules that it breaks.
        entry: what stands in its place; only a "log" was read.
    """
    if entry != "log":
        return {"directory": "fails", "broken-link": "skipped"}.get(entry)  # type: ignore[return-value]
    names = {finding.name for finding in report.findings}
    if "duplicate-id" in added or "mixed-encodings" in added:
        return "fails"
    if "name-differs-from-version" in added or "header-member-retired" in names:
        return "fails"
    if not names.isdisjoint(_SKIPS):
        return "skipped"
    if any(finding.name in _FRAME_FAULTS and finding.place.frame == 0 for finding in report.findings):
        return "skipped"
    if "directory-differs-from-id" in added or "directory-differs-from-cwd" in added:
        return "fails"
    return "listed"

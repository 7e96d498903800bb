"""How far a view of a log goes: to its end, up to an event, or only to where it is damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.rows import spot_words, stop_words
from dshlog.render.text import leading
from dshlog.render.words import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.report import Report
    from dshlog.render.look import Look


def extent(report: Report, at: int | None) -> str:
    """Say how far a view goes that ends with event `at`, or with the readable prefix."""
    if at is not None:
        return joined((f"after seq {at}", flaw(report)))
    halfway = report.stop is not None and flaw(report)
    return flaw(report) if halfway or _unread(report) else joined(("at the end", flaw(report)))


def flaw(report: Report) -> str:
    """Say what keeps the log from being whole; nothing when it is."""
    if report.state in {"clean", "open"}:
        return ""
    if report.stop is not None:
        return f"{report.state}: this is {prefix_words(report)}"
    worst = leading(report)
    if worst is None:
        return report.state
    spot = spot_words(worst.place)
    return f"{report.state} for {worst.code}{spot and f' at {spot}'}" + (
        ", no event can be read" if _unread(report) else ""
    )


def prefix_words(report: Report) -> str:
    """Name the part of a log that is read when that is not the whole."""
    what = "the torn tail" if report.state == "torn" else "the damage"
    return f"the prefix before {what} at {stop_words(report)}"


def _unread(report: Report) -> bool:
    return report.state in {"newer", "not-a-log"} and not report.events


def end_line(report: Report, at: int | None, look: Look) -> Iterator[str]:
    """Yield a last line when the rows above are not the whole of a sound log."""
    if at is None and flaw(report):
        yield look.paint("dim", f"-- {flaw(report)}")

"""The one-screen card of one log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.model.finding import SEVERITIES
from dshlog.render.extent import prefix_words
from dshlog.render.look import PLAIN, Look
from dshlog.render.rows import spot_words
from dshlog.render.surface import node_lines
from dshlog.render.table import fit, labelled, measure
from dshlog.render.text import (
    but_lines,
    format_words,
    leading,
    open_words,
    readable_words,
    reader_words,
    size_words,
    torn_words,
)
from dshlog.render.times import duration, moment
from dshlog.render.words import PREVIEW, count, cut, joined, one_line, path_name, shell_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.report import Report
    from dshlog.model.view import SurfaceView

LABEL = 12  # columns in front of the words of a fact
LAST = 3  # messages at the end of the card


def card_lines(report: Report, view: SurfaceView, look: Look = PLAIN) -> Iterator[str]:
    """Yield facts, state, what is open, the last messages of the surface, what to run next."""
    yield look.paint("bold", path_name(report.path))
    for label, words in _facts(report, view, look):
        if words:
            yield from labelled(label, words, look)
    for line in but_lines(report, look):
        yield from labelled("warning", line.removeprefix(path_name(report.path)).removeprefix(": "), look)
    if view.rows:
        last = view.rows[-LAST:]
        yield f"last {count(len(last), 'message')} of {len(view.rows)}:"
        yield from node_lines(last, look, tell=False)
    yield from _next(report, view)


def _facts(report: Report, view: SurfaceView, look: Look) -> Iterator[tuple[str, str]]:
    yield "state", look.paint(report.state, report.state)
    yield "read", _read(report)
    yield "session", "" if report.id is None else visible(report.id)
    yield "title", _said(view.title, look)
    yield "goal", _said(view.goal, look)
    yield "cwd", "" if report.cwd is None else visible(report.cwd)
    yield "parent", _origin(report)
    first, last = view.times or (None, None)
    yield "first", "" if view.times is None else moment(first)
    passed = f", {duration(last - first)} later" if isinstance(first, int) and isinstance(last, int) else ""
    yield "last", "" if view.times is None else moment(last) + passed
    yield (
        "format",
        joined(
            (
                format_words(report),
                "" if report.bytes is None else count(report.bytes, "byte"),
                "" if report.frames is None else count(report.frames, "frame"),
                "" if report.state == "not-a-log" else count(report.records, "record"),
            )
        ),
    )
    inherited = f"{report.inherited} inherited" if report.inherited else ""
    yield "holds", joined((size_words(report), inherited))
    yield "torn", torn_words(report).removeprefix("torn: ")
    yield "open", open_words(report).removeprefix("open: ")
    yield "readers", "; ".join(reader_words(report))
    yield "findings", joined(_severities(report))
    worst = leading(report)
    if worst is not None:
        spot = spot_words(worst.place)
        yield "", ""
        yield worst.severity, f"{worst.code} {worst.name}{spot and f', {spot}'}: {visible(worst.message)}"


def _read(report: Report) -> str:
    """Say of what part of a log the times, the counts and the messages are, when that is not the whole."""
    if report.stop is None or (report.state == "torn" and report.events >= report.records):
        return ""  # a torn tail alone holds no record
    much = f" ({readable_words(report)})" if report.events < report.records else ""
    return f"only {prefix_words(report)}{much}; times, events, what is open and messages are of it"


def _said(text: str | None, look: Look) -> str:
    """Give the beginning of a title or a goal, on one line."""
    words = visible(one_line(text or ""))
    return fit(words, look.width - LABEL, measure(look)) if look.width else cut(words, PREVIEW)


def _origin(report: Report) -> str:
    """Say which session this one comes from, and up to where it was copied; a fork keeps the seqs of its parent."""
    if report.parent is None:
        return "forked, the header names no parent" if report.inherited else ""
    return visible(report.parent) + (f", forked after its seq {report.inherited - 1}" if report.inherited else "")


def _severities(report: Report) -> Iterator[str]:
    for severity in SEVERITIES:
        number = sum(finding.severity == severity for finding in report.findings)
        if number:
            yield count(number, severity)


def _next(report: Report, view: SurfaceView) -> Iterator[str]:
    if report.path == "-":
        return
    name = shell_word(report.path)
    if report.findings:
        yield f"next: dshlog validate {name}"
    elif view.rows:
        yield f"next: dshlog show --surface {name}"

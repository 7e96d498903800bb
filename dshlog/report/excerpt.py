"""The records that findings point at: the beginning of each, and how long it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dshlog.report.examine import named_encoding
from dshlog.report.reading import Reading
from dshlog.storage.jsontext import NotJSON, parse
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.finding import Finding
    from dshlog.model.report import Report
    from dshlog.storage.source import Source

SHOWN = 200  # code points of a record
_BEFORE = 120  # code points in front of a fault that lies further behind
_LONGEST = 4  # bytes of a code point
_JSON_FAULTS = frozenset({"not-json", "header-not-json"})


class Excerpt(NamedTuple):
    """A piece of a record as text, with nothing made printable yet.

    `head` and `rest` tell that more stands before and behind it; `mark` is the position in `text` of
    the character at which JSON breaks.
    """

    text: str
    head: bool = False
    rest: bool = False
    mark: int | None = None


def excerpts(source: Source, report: Report) -> dict[int, Excerpt]:
    """Give an excerpt for the text offset of each record that a finding of the report names.

    The log is read once more up to the last of them; a source that can be read only once gives none.
    """
    if source.size is None:
        return {}
    broken = _own_offsets(finding for finding in report.findings if finding.name in _JSON_FAULTS)
    waiting = sorted(_own_offsets(report.findings), reverse=True)
    out: dict[int, Excerpt] = {}
    for at, line in _lines(source, report) if waiting else ():
        while waiting and waiting[-1] < at:
            waiting.pop()
        if not waiting:
            break
        if waiting[-1] == at and not isinstance(line, Overlong):
            out[at] = _excerpt(line.removesuffix(b"\n"), search=at in broken)
    return out


def line_lengths(source: Source, starts: Iterable[int]) -> dict[int, int]:
    """Give for the offset of each line of a raw log its length in bytes, without its line feed."""
    if source.size is None:
        return {}
    out: dict[int, int] = {}
    for offset in starts:
        length = 0
        for piece in source.chunks(offset):
            end = piece.find(b"\n")
            length += len(piece) if end < 0 else end
            if end >= 0:
                break
        out[offset] = length
    return out


def offsets(findings: Iterable[Finding]) -> set[int]:
    """Give the text offsets of all places that findings name."""
    places = (place for finding in findings for place in (finding.place, *finding.related))
    return {place.offset for place in places if place.offset is not None}


def _own_offsets(findings: Iterable[Finding]) -> set[int]:
    return {finding.place.offset for finding in findings if finding.place.offset is not None}


def _lines(source: Source, report: Report) -> Iterator[tuple[int, bytes]]:
    reading = Reading(source, report.encoding or named_encoding(report.path))
    if reading.header_line is not None:
        yield 0, reading.header_line
    for lines, start, _ in reading.batches():
        at = start
        for line in lines:
            yield at, line
            at += len(line)


def _excerpt(line: bytes, *, search: bool) -> Excerpt:
    fault = _fault(line) if search else None
    start = 0
    if fault is not None and fault > _LONGEST * SHOWN:
        start = fault - _LONGEST * _BEFORE  # Far enough in front, and what is too much is cut below.
    before = "" if fault is None else line[start:fault].decode("utf-8", "replace")
    rest = line[fault or 0 :][: _LONGEST * (SHOWN + 1)].decode("utf-8", "replace")
    cut = len(before) - _BEFORE if start or len(before) >= SHOWN else 0
    text = before[cut:] + rest
    mark = None if fault is None else len(before) - cut
    return Excerpt(text[:SHOWN], head=start + cut > 0, rest=len(text) > SHOWN, mark=mark)


def _fault(line: bytes) -> int | None:
    try:
        parse(line)
    except NotJSON as error:
        return error.at
    return None  # The log was written to since it was judged.

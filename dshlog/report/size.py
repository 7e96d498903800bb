"""The size note: how much memory dsh needs to open a large log, and what makes it large."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.report.examine import named_encoding
from dshlog.report.reading import Reading
from dshlog.rules.register import BY_NAME

if TYPE_CHECKING:
    from dshlog.model.report import Encoding, Report
    from dshlog.storage.source import Source

LARGE = 64 << 20  # bytes of decoded text from which on a log is worth the note
FACTOR = 3  # memory of dsh in units of the text; measured 2.5 to 3.3 with dsh 0.2.1, see the note on memory

_MIB = 1 << 20
_NAMED = 3  # records, and types, that are named
_TYPE = re.compile(rb'\s*\{\s*"type"\s*:\s*"([^"\\]{1,80})"')


def sized(source: Source, report: Report, *, encoding: Encoding | None = None) -> Report:
    """Give the report, of a large log with a note on what opening it costs.

    Such a log is read a second time, without judging it; of one that cannot be read again nothing is said.

    Args:
        source: the bytes of the log.
        report: the report on it.
        encoding: as for `examine`.
    """
    if report.text is None or report.text < LARGE or source.size is None:
        return report
    reading = Reading(source, encoding or named_encoding(report.path))
    by_type: Counter[str] = Counter()
    largest: list[tuple[int, int, int]] = []  # (bytes, minus line, offset), smallest first
    number = 1
    for lines, at, _ in reading.batches():
        for line in lines:
            number += 1
            size = len(line)
            match = _TYPE.match(line)
            by_type[match[1].decode("utf-8", "replace") if match else "other records"] += size
            entry = (size, -number, at)
            at += size  # noqa: PLW2901 - the offset walks along the batch
            if len(largest) < _NAMED:
                heapq.heappush(largest, entry)
            elif entry > largest[0]:
                heapq.heapreplace(largest, entry)
    rule = BY_NAME["large-log"]
    note = Finding(
        code=rule.code,
        name=rule.name,
        severity="note",
        place=Place(file=report.path),
        message=_words(report.text, by_type, sorted(largest, reverse=True)),
        hint=rule.hint,
        rule=rule.rule,
        related=tuple(Place(file=report.path, line=-line, offset=at) for _, line, at in sorted(largest, reverse=True)),
    )
    return replace(report, findings=(*report.findings, note))


def _words(text: int, by_type: Counter[str], largest: list[tuple[int, int, int]]) -> str:
    parts = [f"{_mib(text)} of text, for which dsh needs about {_mib(FACTOR * text)} of memory"]
    if by_type:
        shares = ", ".join(f"{round(100 * size / text)}% {kind}" for kind, size in by_type.most_common(_NAMED))
        parts.append(f"most of it is {shares}")
    if largest:
        lines = ", ".join(f"line {-line} ({_short(size)})" for size, line, _ in largest)
        parts.append(f"the largest records are {lines}")
    return "; ".join(parts)


def _mib(size: int) -> str:
    return f"{round(size / _MIB)} MiB"


def _short(size: int) -> str:
    return _mib(size) if size >= _MIB else f"{round(size / 1024)} KiB" if size >= 1024 else f"{size} bytes"  # noqa: PLR2004

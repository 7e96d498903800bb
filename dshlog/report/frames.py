"""The zstd frames of one log, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.model.lens import FrameRow
from dshlog.report.examine import Examination
from dshlog.storage.jsontext import NotJSON, loads
from dshlog.storage.lines import Lines
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.report import Encoding, Report
    from dshlog.report.examine import Children
    from dshlog.storage.container import Container
    from dshlog.storage.source import Source


class Framed:
    """The frames of one log; `raw` tells that it has none.

    With `at` the frames end at the one in which that event ends. `report` is that on the whole log; its
    frames are decompressed once for it and once for the rows.
    """

    def __init__(
        self,
        source: Source,
        path: str,
        *,
        at: int | None = None,
        encoding: Encoding | None = None,
        children: Children | None = None,
    ) -> None:
        exam = Examination(source, path, encoding, upgrade="small", children=children)
        self.version: int | None = None if exam.judge is None else exam.judge.version
        self._container: Container = exam.reading.container
        self.raw = self._container.frames is None
        self._last: int | None = None
        if at is None or self.raw:
            self.report: Report = exam.run()
            return
        end = _end_of(exam, at)
        if end is not None:
            self._last = self._container.locate([end - 1]).get(end - 1)
        again = exam.again()
        self.report = exam.report() if again is None else again.run()

    def rows(self, *, types: bool = False) -> Iterator[FrameRow]:
        """Yield a row per frame, a torn last one included; with `types` the records in it are told apart."""
        frames = self._container.frames
        if frames is None:
            return
        spans = [(*frames.span(index), False) for index in range(len(frames))]
        if frames.torn is not None:
            spans.append((frames.torn, frames.size, True))
        lines = Lines()
        for index, (start, end, torn) in enumerate(spans):
            if self._last is not None and index > self._last:
                return
            yield self._row(index, start, end, lines if types else None, torn=torn)

    def _row(self, index: int, start: int, end: int, lines: Lines | None, *, torn: bool) -> FrameRow:
        from dshlog.storage.zstd import Undecodable, text, torn_text

        decoded: int | None = 0
        rows: int | None = 0
        counted: dict[str, int] = {}
        try:
            for piece in (torn_text if torn else text)(self._container.source, start, end):
                decoded += len(piece)  # type: ignore[operator]
                rows += piece.count(b"\n")  # type: ignore[operator]
                for line in () if lines is None else lines.feed(piece):
                    kind = _type_of(line)
                    counted[kind] = counted.get(kind, 0) + 1
        except Undecodable:
            decoded = rows = None
        return FrameRow(
            index=index, offset=start, size=end - start, decoded=decoded, rows=rows, torn=torn, types=counted
        )


def _end_of(exam: Examination, at: int) -> int | None:
    """Read the whole log; where the line with which event `at` ends stops in the text, None for no such event."""
    judge, found = exam.judge, None
    if judge is None:
        return None
    for lines, start, end in exam.reading.batches():
        offset = start
        for line in lines if found is None else ():
            exam.feed([line], offset, offset + len(line))
            offset += len(line)
            if judge.position > at and found is None:
                found = offset
        if offset == start:
            exam.feed(lines, start, end)
    return found


def _type_of(line: bytes) -> str:
    if isinstance(line, Overlong):
        return "(too long)"
    try:
        row = loads(line)
    except NotJSON:
        return "(not JSON)"
    return str(row.get("type")) if type(row) is dict else "(no object)"

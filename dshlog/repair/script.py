"""The bytes of a result: ranges of the source as they are, and new lines framed as dsh frames them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.repair.plan import Batch, Copy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.report import Encoding
    from dshlog.repair.line import Line
    from dshlog.repair.sheet import Sheet
    from dshlog.storage.source import Source


ROWS, TEXT = 1024, 1 << 20  # lines and bytes of text after which a new frame is closed


def script_of(sheet: Sheet) -> list[Copy | Batch]:
    """Give the script that makes a sheet: whatever was left alone is copied with its frame."""
    return _Writing(sheet).run()


class _Writing:
    """One walk over the lines of a sheet."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._out: list[Copy | Batch] = []
        self._held: list[bytes] = []
        self._size = 0
        self._group = -1

    def run(self) -> list[Copy | Batch]:
        lines, groups = self._sheet.lines, self._sheet.groups
        at = 0
        while at < len(lines):
            line = lines[at]
            group = groups[line.group] if line.number else None
            if group is not None and group.sound and _stands(lines, at, group.lines):
                self._flush()
                self._copy(group.start, group.end)
                at += len(group.lines)
                continue
            self._hold(line, alone=at == 0)
            at += 1
        self._flush()
        return self._out

    def _copy(self, start: int, end: int) -> None:
        last = self._out[-1] if self._out else None
        if isinstance(last, Copy) and last.end == start:
            self._out[-1] = Copy(last.start, end)
        else:
            self._out.append(Copy(start, end))

    def _hold(self, line: Line, *, alone: bool) -> None:
        moved = line.number and line.group != self._group
        if self._sheet.encoding == "zstd" and (moved or len(self._held) >= ROWS or self._size >= TEXT):
            self._flush()
        if line.number:
            self._group = line.group
        self._held.append(line.text)
        self._size += len(line.text)
        if alone:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._out.append(Batch(tuple(self._held)))
        self._held, self._size = [], 0


def _stands(lines: list[Line], at: int, wanted: list[Line]) -> bool:
    """Tell whether the lines of a group stand at a place as the source has them."""
    if at + len(wanted) > len(lines) or not wanted:
        return False
    return all(
        lines[at + index].number == line.number and not lines[at + index].touched for index, line in enumerate(wanted)
    )


def result(script: Iterable[Copy | Batch], source: Source, encoding: Encoding | None) -> Iterator[bytes]:
    """Yield the bytes of the result in order.

    Args:
        script: of a plan.
        source: the log that the plan was made for.
        encoding: its container, which the result keeps.
    """
    for piece in script:
        if isinstance(piece, Copy):
            yield from source.chunks(piece.start, piece.end)
        elif encoding == "zstd":
            yield _frame(piece)
        else:
            yield b"".join(piece.lines)


def _frame(batch: Batch) -> bytes:
    from dshlog.storage.zstd import FrameMaker

    return FrameMaker().frame(batch.lines)

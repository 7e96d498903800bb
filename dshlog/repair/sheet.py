"""A log as a list of lines that can be changed, each of which knows where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from dshlog.repair.line import Line
from dshlog.repair.salvage import stretches
from dshlog.storage.container import Container
from dshlog.storage.source import MAGIC, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.report import Encoding
    from dshlog.repair.salvage import Stretch
    from dshlog.storage.source import Source


_PIECE = 512  # lines of text that are handed out at once


@dataclass(slots=True, kw_only=True)
class Group:
    """Bytes of the source that can be copied whole: a frame, or frames that share a line; of a raw log, a line."""

    start: int
    end: int
    lines: list[Line] = field(default_factory=list)
    sound: bool = True


class LinesSource:
    """A source over lines in memory, which are not joined."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._size = sum(map(len, lines))

    @property
    def size(self) -> int:
        """Give the number of bytes."""
        return self._size

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Yield the bytes of start..end in pieces."""
        at, stop = 0, self._size if end is None else end
        for index in range(0, len(self._lines), _PIECE):
            piece = b"".join(self._lines[index : index + _PIECE])
            if at < stop and at + len(piece) > start:
                yield piece[max(start - at, 0) : stop - at]
            at += len(piece)

    def read(self, start: int, count: int) -> bytes:
        """Give up to `count` bytes from byte `start`."""
        return b"".join(self.chunks(start, start + count))


@dataclass(slots=True, kw_only=True)
class Sheet:
    """A whole log in memory. `lines[0]` is the header; `gone` are the lines that were taken out.

    `tail` holds bytes behind the last line feed, which are no record. `stretches` tells of a zstd log what
    could be read of which bytes. `closers` and `marker` are what a remedy has appended already. `stored` tells
    that each line was made of a row of a database, which is there as a whole or not at all.
    """

    path: str
    encoding: Encoding
    lines: list[Line]
    groups: list[Group]
    size: int
    tail: bytes = b""
    gone: list[tuple[Line, bool]] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)
    closers: list[dict[str, Any]] = field(default_factory=list)
    marker: dict[str, Any] | None = None
    stored: bool = False

    @property
    def header_group(self) -> Group | None:
        """Give the bytes that the header came from; None for a log without one or whose header was added."""
        head = self.lines[0] if self.lines else None
        return self.groups[head.group] if head is not None and head.number else None

    def source(self) -> LinesSource:
        """Give that text as a raw log."""
        return LinesSource([line.text for line in self.lines])

    def drop(self, line: Line, *, lost: bool) -> None:
        """Take a line out; `lost` says that what it holds is nowhere else."""
        self.lines.remove(line)
        if line.number:
            self.gone.append((line, lost))

    def drop_all(self, lines: Iterable[Line], *, lost: bool) -> None:
        """Take lines out."""
        going = {id(line) for line in lines}
        self.gone += [(line, lost) for line in self.lines if id(line) in going and line.number]
        self.lines = [line for line in self.lines if id(line) not in going]

    def copy(self) -> Sheet:
        """Give a sheet that can be changed without changing this one."""
        return Sheet(
            path=self.path,
            encoding=self.encoding,
            lines=list(self.lines),
            groups=self.groups,
            size=self.size,
            tail=self.tail,
            gone=list(self.gone),
            stretches=self.stretches,
            closers=self.closers,
            marker=self.marker,
            stored=self.stored,
        )

    def seq_of(self, line: Line) -> int | None:
        """Give the seq that a line claims."""
        return line.seq

    def count_of(self, line: Line) -> int:
        """Count the events that a line holds; what is no record counts as none."""
        return line.count


def load(source: Source, path: str, encoding: Encoding | None) -> Sheet:
    """Read a whole log, damaged or not."""
    container = Container(source, encoding)
    framed = container.encoding == "zstd"
    misnamed = source.read(0, len(MAGIC)).startswith(b"{" if framed else MAGIC)
    sheet = _framed(path, b"".join(source.chunks())) if framed != misnamed else _raw(path, source)
    if misnamed:  # text under the name of a zstd log, or frames under that of a raw one; nothing can be copied
        sheet.encoding = container.encoding
        for group in sheet.groups:
            group.sound = False
    return sheet


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a text, each with its line feed; the last one may have none."""
    held: list[bytes] = []
    for chunk in chunks:
        for piece in BytesIO(chunk):  # cut at 0x0A only
            held.append(piece)
            if piece.endswith(b"\n"):
                yield b"".join(held)
                held.clear()
    if held:
        yield b"".join(held)


def _raw(path: str, source: Source) -> Sheet:
    sheet = Sheet(path=path, encoding="raw", lines=[], groups=[], size=0, stored=rows_of(source) is not None)
    for text in _lines(source.chunks()):
        at, sheet.size = sheet.size, sheet.size + len(text)
        if not text.endswith(b"\n"):
            sheet.tail = text
            continue
        line = Line(text=text, old=text, number=len(sheet.lines) + 1, at=at, group=len(sheet.groups))
        sheet.lines.append(line)
        sheet.groups.append(Group(start=at, end=at + len(text), lines=[line]))
    return sheet


def _framed(path: str, data: bytes) -> Sheet:
    """Make lines of the text of frames; one that crosses a bound joins the frames into one group.

    What stands before a stretch that cannot be read and has no line feed is no record, nor is what follows
    it up to the next one.
    """
    sheet = Sheet(path=path, encoding="zstd", lines=[], groups=[], size=len(data))
    at = 0
    rest = b""
    for stretch in stretches(data):
        # Behind the header the lines have the text of a sound frame; that of a damaged one is told of.
        sheet.stretches.append(replace(stretch, text=b"") if stretch.how == "whole" and sheet.lines else stretch)
        if rest and not stretch.text:
            sheet.groups[-1].sound, rest = False, b""
        if rest:
            group = sheet.groups[-1]
            group.end = stretch.end
            group.sound = group.sound and stretch.how == "whole"
        else:
            group = Group(start=stretch.start, end=stretch.end, sound=stretch.how == "whole")
            sheet.groups.append(group)
        texts = list(_lines([rest, stretch.text]))
        rest = texts.pop() if texts and not texts[-1].endswith(b"\n") else b""
        for text in texts:
            line = Line(text=text, old=text, number=len(sheet.lines) + 1, at=at, group=len(sheet.groups) - 1)
            at += len(text)
            sheet.lines.append(line)
            group.lines.append(line)
        if rest and stretch.how in {"partial", "torn"}:
            group.sound, rest = False, b""
    sheet.tail = rest
    if rest:
        sheet.groups[-1].sound = False
    head = sheet.header_group
    if head is not None and not _own_frame(head, sheet.stretches):
        head.sound = False
    return sheet


def _own_frame(head: Group, found: list[Stretch]) -> bool:
    """Tell whether one frame holds the header line, all of it and nothing else."""
    return any(
        stretch.end == head.end and [line.text for line in head.lines] == [stretch.text]
        for stretch in found
        if stretch.start == head.start
    )

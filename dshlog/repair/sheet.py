"""A log as a list of lines that can be changed, each of which knows where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dshlog.model.number import as_count
from dshlog.repair.finish import members_of, value_of
from dshlog.repair.salvage import stretches
from dshlog.storage.container import Container
from dshlog.storage.source import MAGIC, BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dshlog.model.report import Encoding
    from dshlog.repair.salvage import Stretch
    from dshlog.storage.source import Source


_UNREAD = object()  # a line that was not parsed yet


@dataclass(slots=True, kw_only=True, eq=False)
class Line:
    """One line, which does not change once it is made. `text` is what it says now, with its line feed, `old` what the source says.

    `number` counts from 1 in the text of the source and is 0 for a line that was added; `at` is its offset
    in that text and `group` the stretch of frames that it stands in.
    """

    text: bytes
    old: bytes = b""
    number: int = 0
    at: int = 0
    group: int = -1
    _value: Any = _UNREAD
    _count: int = -1

    @property
    def touched(self) -> bool:
        """Tell whether it says something else than in the source."""
        return self.text != self.old

    @property
    def row(self) -> dict[str, Any] | None:
        """Give the record, which nobody may change; None for what is no JSON object."""
        if self._value is _UNREAD:
            self._value = value_of(self.text)
        return self._value if type(self._value) is dict else None

    @property
    def count(self) -> int:
        """Count the events that it holds; what is no record counts as none."""
        if self._count < 0:
            self._count = 0 if self.row is None else members_of(self.row)
        return self._count

    def saying(self, text: bytes) -> Line:
        """Give the line with another text."""
        return Line(text=text, old=self.old, number=self.number, at=self.at, group=self.group)


@dataclass(slots=True, kw_only=True)
class Group:
    """Bytes of the source that can be copied whole: a frame, or frames that share a line; of a raw log, a line."""

    start: int
    end: int
    lines: list[Line] = field(default_factory=list)
    sound: bool = True


@dataclass(slots=True, kw_only=True)
class Sheet:
    """A whole log in memory. `lines[0]` is the header; `gone` are the lines that were taken out.

    `tail` holds bytes behind the last line feed, which are no record. `stretches` tells of a zstd log what
    could be read of which bytes. `closers` and `marker` are what a remedy has appended already.
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

    @property
    def header_group(self) -> Group | None:
        """Give the bytes that the header came from; None for a log without one or whose header was added."""
        head = self.lines[0] if self.lines else None
        return self.groups[head.group] if head is not None and head.number else None

    def text(self) -> bytes:
        """Give the text of the log as it is now."""
        return b"".join(line.text for line in self.lines)

    def source(self) -> BytesSource:
        """Give that text as a raw log."""
        return BytesSource(self.text())

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
        )

    def seq_of(self, line: Line) -> int | None:
        """Give the seq that a line claims."""
        row = line.row
        return None if row is None else as_count(row.get("seq", row.get("seq0")))

    def count_of(self, line: Line) -> int:
        """Count the events that a line holds; what is no record counts as none."""
        return line.count


def load(source: Source, path: str, encoding: Encoding | None) -> Sheet:
    """Read a whole log, damaged or not."""
    container = Container(source, encoding)
    data = b"".join(source.chunks())
    if data.startswith(b"{" if container.encoding == "zstd" else MAGIC):
        return _misnamed(path, data, container.encoding)
    if container.encoding == "raw":
        return _raw(path, _lines(data), len(data))
    return _framed(path, stretches(data), len(data))


def _misnamed(path: str, data: bytes, encoding: Encoding) -> Sheet:
    """Read text under the name of a zstd log, or frames under that of a raw one; nothing can be copied."""
    sheet = _raw(path, _lines(data), len(data)) if encoding == "zstd" else _framed(path, stretches(data), len(data))
    sheet.encoding = encoding
    for group in sheet.groups:
        group.sound = False
    return sheet


def _lines(text: bytes) -> list[bytes]:
    from io import BytesIO

    return BytesIO(text).readlines()  # cut at 0x0A only


def _raw(path: str, texts: list[bytes], size: int) -> Sheet:
    tail = texts.pop() if texts and not texts[-1].endswith(b"\n") else b""
    sheet = Sheet(path=path, encoding="raw", lines=[], groups=[], size=size, tail=tail)
    at = 0
    for index, text in enumerate(texts):
        line = Line(text=text, old=text, number=index + 1, at=at, group=index)
        sheet.lines.append(line)
        sheet.groups.append(Group(start=at, end=at + len(text), lines=[line]))
        at += len(text)
    return sheet


def _framed(path: str, found: list[Stretch], size: int) -> Sheet:
    """Make lines of the text of frames; one that crosses a bound joins the frames into one group.

    What stands before a stretch that cannot be read and has no line feed is no record, nor is what follows
    it up to the next one.
    """
    sheet = Sheet(path=path, encoding="zstd", lines=[], groups=[], size=size, stretches=found)
    at = 0
    rest = b""
    for stretch in found:
        if rest and not stretch.text:
            sheet.groups[-1].sound, rest = False, b""
        if rest:
            group = sheet.groups[-1]
            group.end = stretch.end
            group.sound = group.sound and stretch.how == "whole"
        else:
            group = Group(start=stretch.start, end=stretch.end, sound=stretch.how == "whole")
            sheet.groups.append(group)
        texts = _lines(rest + stretch.text)
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
    if head is not None and not _own_frame(head, found):
        head.sound = False
    return sheet


def _own_frame(head: Group, found: list[Stretch]) -> bool:
    """Tell whether one frame holds the header line, all of it and nothing else."""
    return any(
        stretch.end == head.end and [line.text for line in head.lines] == [stretch.text]
        for stretch in found
        if stretch.start == head.start
    )

"""Rewrite one log without changing what it says: chunk rows, embedded streams, container."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING
from zlib import crc32

from dshlog.report.examine import examine, named_encoding
from dshlog.report.framing import ROWS, TEXT, Fresh, Kept, Plain
from dshlog.report.reading import Reading
from dshlog.report.repack import PACKED_UNTIL, change_for
from dshlog.report.rowcheck import RowCheck, plain_batch
from dshlog.storage.container import Container
from dshlog.storage.lines import Lines
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.finding import Finding
    from dshlog.model.header import Header
    from dshlog.model.report import Encoding, Report
    from dshlog.report.framing import Framing, Write
    from dshlog.report.repack import Change
    from dshlog.storage.source import Source

_AT_ONCE = 64  # rows held as values; many more, and the garbage collector walks over them again and again

# What keeps rows from being read or counted. An event that breaks another rule is still a row.
_ROW_LETTERS = frozenset("FHL")
_ROW_NAMES = frozenset(
    {"chunk-row-malformed", "row-overlaps", "seq-gap", "seq-not-count", "sources-malformed", "time-not-integer"}
    | {"member-missing", "member-unknown", "type-not-text", "ignorable-not-true", "records-misplaced", "two-writers"}
    | {"recovery-against-live", "numbering-restarts", "prefix-lost", "records-missing", "records-repeated"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """What is asked for.

    `unpack` is the direction. `encoding` is the container of the result; None keeps the source's, with its
    frames. `frame_rows` is how many rows a new frame holds; `one_frame` puts all of them into one. `prove`
    compares what is made of a row with the row at once.
    """

    unpack: bool
    streams: bool = False
    encoding: Encoding | None = None
    frame_rows: int | None = None
    one_frame: bool = False
    prove: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What came of it.

    `version` and `encoding` are those of the source. `refusal` is why there is no result, `unread` that a line is
    too large to be held. `same_bytes` tells that nothing had to be changed: the result is the source, byte for
    byte, and what was written does not count. `taken` counts the records that were changed, `made` those that
    stand for them. When it is `proved`, the text that was written is known to say what the source says; `checksum`
    is that of the text which went into frames. `torn_bytes` counts the bytes of a torn frame that is not copied,
    `torn_text` what could be read of it.
    """

    version: int | None
    encoding: Encoding
    refusal: Finding | None = None
    unread: bool = False
    same_bytes: bool = False
    taken: int = 0
    made: int = 0
    proved: bool = False
    checksum: int | None = None
    torn_bytes: int = 0
    torn_text: int = 0


def rewrite(source: Source, path: str, asked: Rewriting, write: Write) -> Rewritten:
    """Rewrite a log.

    Args:
        source: the bytes, which are read several times.
        path: how findings name the log.
        asked: what to do.
        write: takes the bytes of the result in order.
    """
    head = Reading(source, named_encoding(path))
    version, encoding = head.version, head.container.encoding
    keeps = asked.encoding is None or (asked.encoding == "raw" == encoding)
    # The judge is asked only where the quick look at the rows is not enough.
    early = head.header is None or head.header.version >= PACKED_UNTIL or bool(head.drafts) or not keeps
    report = examine(source, path) if early else None
    if version is None or (report is not None and (report.state == "not-a-log" or _unknown(report))):
        return Rewritten(version=version, encoding=encoding, refusal=_refusal(report))
    change = change_for(
        version, unpack=asked.unpack, streams=asked.streams, framed=encoding == "zstd", prove=asked.prove
    )
    if change is None and keeps:
        return Rewritten(version=version, encoding=encoding, same_bytes=True)
    check = RowCheck(version) if version < PACKED_UNTIL and change is not None else None
    done = _Rewrite(source, encoding, report, asked, write, change, check)
    whole = done.run()
    taken, made = (change.taken, change.made) if change is not None else (0, 0)
    if not taken and keeps:
        return Rewritten(version=version, encoding=encoding, same_bytes=True)
    if report is None and not (whole and not done.torn and _sound(check, head.header)):
        report = examine(source, path)
    first = _first(report)
    if not whole and first is None:
        return Rewritten(version=version, encoding=encoding, unread=True)
    if not whole or (taken and first is not None) or (first is not None and first.code[0] == "F"):
        return Rewritten(version=version, encoding=encoding, refusal=_refusal(report))
    frames = head.container.frames
    torn = frames.size - frames.torn if frames is not None and frames.torn is not None and not keeps else 0
    return Rewritten(
        version=version,
        encoding=encoding,
        taken=taken,
        made=made,
        proved=change is None or change.proved,
        checksum=done.checksum,
        torn_bytes=torn,
        torn_text=done.torn_text,
    )


def text_pieces(source: Source, encoding: Encoding | None) -> Iterator[bytes]:
    """Yield the decoded text of a log, that of a torn frame too."""
    container = Container(source, encoding)
    yield from container.text()
    yield from container.torn_text()


def text_checksum(source: Source, encoding: Encoding) -> int:
    """Give the checksum of the decoded text of a log."""
    checksum = 0
    for piece in text_pieces(source, encoding):
        checksum = crc32(piece, checksum)
    return checksum


def _sound(check: RowCheck | None, header: Header | None) -> bool:
    """Tell whether no finding can stop a rewriting, all of the log having been looked at."""
    if check is None or header is None:
        return False
    return check.sound and (header.seed_length or 0) <= check.position


def _first(report: Report | None) -> Finding | None:
    """Give the first finding because of which rows are not changed."""
    findings = report.findings if report is not None else ()
    return next((found for found in findings if found.severity == "error" and _stops(found)), None)


def _refusal(report: Report | None) -> Finding | None:
    return _first(report) or (next(iter(report.findings), None) if report is not None else None)


def _stops(found: Finding) -> bool:
    return found.code[0] in _ROW_LETTERS or found.name in _ROW_NAMES


def _unknown(report: Report) -> bool:
    return any(found.name in {"header-version-newer", "header-version-invalid"} for found in report.findings)


class _Rewrite:
    """One pass over the text.

    `checksum` is that of the text that went into frames, `torn` tells whether its last line has no end,
    `torn_text` counts the bytes that could be read of a torn frame.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what one pass needs
        self,
        source: Source,
        encoding: Encoding,
        report: Report | None,
        asked: Rewriting,
        write: Write,
        change: Change | None,
        check: RowCheck | None,
    ) -> None:
        self._source, self._change, self._check = source, change, check
        self._container = Container(source, encoding)
        self.torn = False
        self.torn_text = 0
        to_frames = asked.encoding == "zstd" or (asked.encoding is None and encoding == "zstd")
        self.checksum: int | None = 0 if asked.prove and to_frames else None
        torn = report.torn if report is not None and to_frames and encoding == "raw" else None
        # The text from here on is what dsh would cut. In a whole frame it would be corruption.
        self._cut = torn.at if torn is not None else None
        self._behind: list[bytes] = []
        self._out = self._framing(asked, write, to_frames=to_frames)
        self._lines = Lines()
        self._headed = self._carried = self._crosses = False
        self._whole = True

    def _framing(self, asked: Rewriting, write: Write, *, to_frames: bool) -> Framing:
        if not to_frames:
            return Plain(write)
        if asked.encoding is None and self._container.frames is not None:
            return Kept(write, self._source, self._container.frames)
        if asked.one_frame or asked.frame_rows is not None:
            return Fresh(write, asked.frame_rows, None)
        return Fresh(write, ROWS, TEXT)

    def run(self) -> bool:
        """Write everything; False when some text could not be read, so that the result is worth nothing."""
        from dshlog.storage.zstd import Undecodable

        try:
            for number, pieces in enumerate(self._batches()):
                before = self._taken
                for piece in pieces:
                    self._feed(piece)
                self._end_batch()
                self._crosses = self._lines.rest_length > 0
                self._out.batch(number, changed=self._taken != before or self._carried or self._crosses)
                self._carried = self._crosses
        except Undecodable:
            return False
        rest = self._lines.rest
        if isinstance(rest, Overlong):
            return False
        self.torn = bool(rest)
        torn = self._torn_text(rest)
        self._out.torn(torn)
        deque(torn, 0)  # A torn frame that is copied was not read.
        self._out.close()
        return self._whole

    def _torn_text(self, rest: bytes) -> Iterator[bytes]:
        """Yield what stands behind the last whole line, or behind the place where dsh would cut."""
        for piece in chain(self._behind, [rest] if rest else ()):
            self._sum(piece)
            yield piece
        for piece in self._container.torn_text():
            self._sum(piece)
            self.torn_text += len(piece)
            yield piece

    @property
    def _taken(self) -> int:
        return self._change.taken if self._change is not None else 0

    def _batches(self) -> Iterator[Iterable[bytes]]:
        """Yield the text frame by frame; that of a raw log at once."""
        frames = self._container.frames
        if frames is None:
            yield self._source.chunks()
            return
        from dshlog.storage.zstd import texts

        yield from texts(self._source, (frames.span(index) for index in range(len(frames))))

    def _feed(self, piece: bytes) -> None:
        lines = self._lines.feed(piece)
        if not lines:
            return
        at = self._lines.at
        if not self._headed:
            self._headed = True
            self._sum(lines[0])
            self._out.header(lines[0])
            at += len(lines[0])
            lines = lines[1:]
        if Overlong in map(type, lines):
            self._whole = False
            return
        if self._cut is not None and self._lines.end > self._cut:
            sound = 0
            while sound < len(lines) and at < self._cut:
                at += len(lines[sound])
                sound += 1
            self._behind += lines[sound:]
            lines = lines[:sound]
        out = lines
        if self._change is not None:
            out = []
            for start in range(0, len(lines), _AT_ONCE):
                some = lines[start : start + _AT_ONCE]
                self._change.feed(self._check.read(some) if self._check is not None else plain_batch(some), out)
        self._put(out)

    def _end_batch(self) -> None:
        if self._change is not None:
            out: list[bytes] = []
            self._change.end(out)
            self._put(out)

    def _put(self, lines: list[bytes]) -> None:
        text = b"".join(lines)
        if text:
            self._sum(text)
            self._out.text(text)

    def _sum(self, text: bytes) -> None:
        if self.checksum is not None:
            self.checksum = crc32(text, self.checksum)

"""Rewrite one log without changing what it says: chunk rows, embedded streams, container."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dshlog.report.examine import examine
from dshlog.report.framing import ROWS, TEXT, Fresh, Kept, Plain
from dshlog.report.repack import change_for
from dshlog.storage.container import Container
from dshlog.storage.lines import Lines
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.finding import Finding
    from dshlog.model.report import Encoding, Report
    from dshlog.report.framing import Framing, Write
    from dshlog.report.repack import Change
    from dshlog.storage.source import Source

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
    frames. `frame_rows` is how many rows a new frame holds; `one_frame` puts all of them into one.
    """

    unpack: bool
    streams: bool = False
    encoding: Encoding | None = None
    frame_rows: int | None = None
    one_frame: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What came of it.

    `refusal` is why there is no result. `same_bytes` tells that nothing had to be changed: the result is
    the source, byte for byte, and what was written does not count. `taken` counts the records that were
    changed, `made` those that stand for them.
    """

    report: Report
    refusal: Finding | None = None
    same_bytes: bool = False
    taken: int = 0
    made: int = 0


def rewrite(source: Source, path: str, asked: Rewriting, write: Write) -> Rewritten:
    """Rewrite a log.

    Args:
        source: the bytes, which are read several times.
        path: how the report names the log.
        asked: what to do.
        write: takes the bytes of the result in order.
    """
    report = examine(source, path)
    first = next((found for found in report.findings if found.severity == "error" and _stops(found)), None)
    if report.version is None or report.state == "not-a-log" or _unknown(report):
        return Rewritten(report=report, refusal=first or next(iter(report.findings), None))
    keeps = asked.encoding is None or (asked.encoding == "raw" == report.encoding)
    change = change_for(report.version, unpack=asked.unpack, streams=asked.streams, framed=report.encoding == "zstd")
    if change is None and keeps:
        return Rewritten(report=report, same_bytes=True)
    done = _Rewrite(source, report, asked, write, change)
    whole = done.run()
    taken, made = (change.taken, change.made) if change is not None else (0, 0)
    if not taken and keeps:
        return Rewritten(report=report, same_bytes=True)
    if not whole or (taken and first is not None) or (first is not None and first.code[0] == "F"):
        return Rewritten(report=report, refusal=first or next(iter(report.findings), None))
    return Rewritten(report=report, taken=taken, made=made)


def text_pieces(source: Source, encoding: Encoding | None) -> Iterator[bytes]:
    """Yield the decoded text of a log, that of a torn frame too."""
    container = Container(source, encoding)
    yield from container.text()
    yield from container.torn_text()


def _stops(found: Finding) -> bool:
    return found.code[0] in _ROW_LETTERS or found.name in _ROW_NAMES


def _unknown(report: Report) -> bool:
    return any(found.name in {"header-version-newer", "header-version-invalid"} for found in report.findings)


class _Rewrite:
    """One pass over the text."""

    def __init__(self, source: Source, report: Report, asked: Rewriting, write: Write, change: Change | None) -> None:
        self._source, self._change = source, change
        self._container = Container(source, report.encoding)
        to_frames = asked.encoding == "zstd" or (asked.encoding is None and report.encoding == "zstd")
        # The text from here on is what dsh would cut. In a whole frame it would be corruption.
        self._cut = report.torn.at if to_frames and report.torn is not None and report.encoding == "raw" else None
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
        tail = [*self._behind, rest] if rest else self._behind
        self._out.torn([*tail, *self._container.torn_text()])
        self._out.close()
        return self._whole

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
        if self._change is None:
            self._out.lines(lines)
            return
        out: list[bytes] = []
        self._change.feed(lines, out)
        if out:
            self._out.lines(out)

    def _end_batch(self) -> None:
        if self._change is None:
            return
        out: list[bytes] = []
        self._change.end(out)
        if out:
            self._out.lines(out)

"""The container of a log: raw text or zstd frames, given out as one stream of decoded text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.storage.source import MAGIC, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.report import Encoding
    from dshlog.storage.frames import Frames
    from dshlog.storage.source import Source


class Container:
    """One log's bytes as text.

    `frames` is None for a raw log. `bad_frame` becomes the index of the first complete frame that does
    not decompress, once `text` has reached it; the text of the frames before it was given out whole.
    `overrun` says that text of the bad frame was given out too, because its fault showed only at its end:
    whoever must not have taken that reads again with `stop_frame`, the first frame not to be read.
    """

    def __init__(self, source: Source, encoding: Encoding | None = None, *, stop_frame: int | None = None) -> None:
        self.source = source
        self.overrun = False
        self._stop_frame = stop_frame
        self.encoding: Encoding = "raw" if rows_of(source) is not None else encoding or sniff(source)
        self.frames: Frames | None = None
        if self.encoding == "zstd":
            from dshlog.storage.frames import walk

            self.frames = walk(source)
        self.bad_frame: int | None = None

    def text(self) -> Iterator[bytes]:
        """Yield the raw text, or the text of the complete frames up to the first bad one."""
        if self.frames is None:
            yield from self.source.chunks()
        elif len(self.frames):
            yield from self._complete(self.frames)

    def torn_text(self) -> Iterator[bytes]:
        """Yield what can be read of a last frame that ran out of bytes."""
        if self.frames is not None and self.frames.torn is not None:
            from dshlog.storage.zstd import torn_text

            yield from torn_text(self.source, self.frames.torn, self.frames.size)

    def header_frame(self) -> tuple[int, bool] | None:
        """Tell how the first frame ends its lines: (line feeds seen, the last byte is one).

        Counting stops at the second line feed, so a log that is one huge frame costs no more. None when
        the frame does not decompress.
        """
        from dshlog.storage.zstd import Undecodable, text

        feeds, last = 0, b""
        try:
            for piece in text(self.source, *self._frames().span(0)):
                feeds += piece.count(b"\n")
                last = piece[-1:]
                if feeds > 1:
                    break
        except Undecodable:
            self.bad_frame = 0
            return None
        return feeds, last == b"\n"

    def locate(self, offsets: Iterable[int]) -> dict[int, int]:
        """Map text offsets to the index of the frame that holds each; offsets behind the end are left out.

        Frames are decompressed once more, one by one, up to the last offset asked for.
        """
        from dshlog.storage.zstd import Undecodable, text

        frames, wanted = self._frames(), sorted(set(offsets), reverse=True)
        found: dict[int, int] = {}
        at = 0
        spans = [frames.span(index) for index in range(len(frames))]
        if frames.torn is not None:
            spans.append((frames.torn, frames.size))
        for index, (start, end) in enumerate(spans):
            try:
                for piece in text(self.source, start, end):
                    at += len(piece)
                    while wanted and wanted[-1] < at:
                        found[wanted.pop()] = index
                    if not wanted:
                        return found
            except Undecodable:
                break
        return found

    def _frames(self) -> Frames:
        if self.frames is None:
            msg = "a raw log has no frames"
            raise ValueError(msg)
        return self.frames

    def _complete(self, frames: Frames) -> Iterator[bytes]:
        """Stream over all complete frames; when one fails, find it and give what stands before it."""
        from dshlog.storage.zstd import Undecodable, decodes, text

        if self._stop_frame is not None:
            if self._stop_frame:
                yield from text(self.source, 0, frames.span(self._stop_frame)[0])
            self.bad_frame = self._stop_frame
            return
        given = 0
        try:
            for piece in text(self.source, 0, frames.end):
                given += len(piece)
                yield piece
        except Undecodable:
            pass
        else:
            return
        low, high = 0, len(frames)  # the first `low` frames decode, the first `high` do not
        while high - low > 1:
            middle = (low + high) // 2
            if decodes(self.source, frames.span(low)[0], frames.span(middle - 1)[1]):
                low = middle
            else:
                high = middle
        self.bad_frame = low
        skip = given
        for piece in text(self.source, 0, frames.span(low)[0]) if low else ():
            if len(piece) > skip:
                yield piece[skip:]
            skip = max(0, skip - len(piece))
        self.overrun = skip > 0


def sniff(source: Source) -> Encoding:
    """Tell the encoding by the first bytes: a zstd or skippable frame magic, else raw text."""
    head = source.read(0, 4)
    skippable = len(head) == len(MAGIC) and 0x50 <= head[0] <= 0x5F and head[1:] == b"\x2a\x4d\x18"  # noqa: PLR2004
    return "zstd" if head == MAGIC or skippable else "raw"

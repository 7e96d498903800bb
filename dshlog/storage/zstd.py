"""Decompression and compression, streaming and bounded; the only module that touches the compressor."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from zstandard import ZstdCompressor, ZstdDecompressor, ZstdError

from dshlog.storage.frames import blocks, walk
from dshlog.storage.source import WINDOW, BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.storage.source import Source


class Undecodable(ValueError):  # noqa: N818 - it names what the frame is
    """A structurally complete frame does not decompress, or its checksum is wrong."""


LEVEL = 3  # that of dsh; with it and an unknown size the window is 2 MiB, as in every frame that dsh wrote
_CHECKSUM = 4  # bytes at the end of a frame


class _Window:
    """A byte range of a source as the readable object that the decompressor asks for."""

    def __init__(self, source: Source, start: int, end: int) -> None:
        self._source, self._at, self._end = source, start, end

    def read(self, count: int) -> bytes:
        """Give the next `count` bytes of the range, fewer at its end."""
        data = self._source.read(self._at, min(count, self._end - self._at))
        self._at += len(data)
        return data


def text(source: Source, start: int, end: int) -> Iterator[bytes]:
    """Yield the text of the complete frames in the file range start..end, in pieces of bounded size.

    Raises:
        Undecodable: a frame fails; pieces already yielded stand before the failure.
    """
    reader = ZstdDecompressor().stream_reader(_Window(source, start, end), read_across_frames=True)  # type: ignore[arg-type]
    while True:
        try:
            piece = reader.read(WINDOW)
        except ZstdError as error:
            raise Undecodable(str(error)) from error
        if not piece:
            return
        yield piece


def decodes(source: Source, start: int, end: int) -> bool:
    """Tell whether the bytes start..end decompress without an error (running out is none)."""
    try:
        for _ in text(source, start, end):
            pass
    except Undecodable:
        return False
    return True


def torn_text(source: Source, start: int, end: int) -> Iterator[bytes]:
    """Yield what can be read of a frame that ran out of bytes, or nothing when its decoder fails.

    dsh takes nothing from a frame whose decoder raises, also when earlier blocks were fine, so the
    frame is decoded twice rather than held in memory.
    """
    try:
        for _ in _by_block(source, start, end):
            pass
    except Undecodable:
        return
    yield from _by_block(source, start, end)


def _by_block(source: Source, start: int, end: int) -> Iterator[bytes]:
    """Yield the text of one frame, block after block, and all of it.

    The stream reader of `text` holds decoded blocks back and forgets them when the bytes run out between two
    blocks, or before the first byte of the checksum. A block holds at most 128 KiB of text, so one at a time
    is bounded too.
    """
    decoder = ZstdDecompressor().decompressobj()
    try:
        for piece in blocks(source, start, end):
            out = decoder.decompress(piece)
            if out:
                yield out
    except ZstdError as error:
        raise Undecodable(str(error)) from error


def first_text(data: bytes, limit: int) -> bytes:
    """Give up to `limit` bytes of the text of the first frame in some bytes; what there is when that is torn."""
    reader = _decompressor().stream_reader(data)
    try:
        return reader.read(limit)
    except ZstdError:
        return b""


@cache
def _decompressor() -> ZstdDecompressor:
    # One context serves all heads of a run, because they are read one after the other.
    return ZstdDecompressor()


def texts(source: Source, spans: Iterable[tuple[int, int]]) -> Iterator[Iterator[bytes]]:
    """Yield the text of each of many frames, as `text` gives it; take it up before the next one."""
    decompressor = ZstdDecompressor()  # making one costs more than a small frame
    for start, end in spans:
        yield _pieces(decompressor, source, start, end)


def _pieces(decompressor: ZstdDecompressor, source: Source, start: int, end: int) -> Iterator[bytes]:
    small = end - start <= WINDOW
    given = source.read(start, end - start) if small else _Window(source, start, end)
    reader = decompressor.stream_reader(given, read_across_frames=True)  # type: ignore[arg-type]
    try:
        while piece := reader.read(WINDOW):
            yield piece
    except ZstdError as error:
        raise Undecodable(str(error)) from error


class FrameMaker:
    """Makes frames as dsh writes them: with a checksum, without the size of their content."""

    def __init__(self) -> None:
        self._compressor = ZstdCompressor(level=LEVEL, write_checksum=True, write_content_size=False)

    def frame(self, pieces: Iterable[bytes]) -> bytes:
        """Give a whole frame."""
        begun = self._compressor.compressobj()
        return b"".join([*map(begun.compress, pieces), begun.flush()])

    def begin(self) -> Begun:
        """Begin a frame that is written as it grows."""
        return Begun(self._compressor)


class Begun:
    """A frame in the making."""

    def __init__(self, compressor: ZstdCompressor) -> None:
        self._object = compressor.compressobj()

    def add(self, piece: bytes) -> bytes:
        """Take text; give the bytes of the frame that are ready."""
        return self._object.compress(piece)

    def end(self) -> bytes:
        """Give the last bytes of the frame."""
        return self._object.flush()

    def torn_end(self) -> bytes:
        """Give the last bytes of a frame that ran out of bytes, of which every reader still takes the whole text."""
        return self.end()[:-_CHECKSUM]


def one_frame(data: bytes, limit: int) -> bytes | None:
    """Give the text of bytes that are exactly one frame; None when it is longer than the limit.

    Raises:
        Undecodable: they are not.
    """
    frames = walk(BytesSource(data))
    if frames.fault is not None or frames.torn is not None or len(frames) != 1:
        raise Undecodable("it is not one whole zstd frame")
    reader = _decompressor().stream_reader(data)
    parts: list[bytes] = []
    held = 0
    try:
        while piece := reader.read(WINDOW):
            held += len(piece)
            if held > limit:
                return None
            parts.append(piece)
    except ZstdError as error:
        raise Undecodable(str(error)) from error
    return b"".join(parts)

"""Decompression, streaming and bounded; the only module that touches the compressor."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from zstandard import ZstdDecompressor, ZstdError

from dshlog.storage.source import WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.storage.source import Source


class Undecodable(ValueError):  # noqa: N818 - it names what the frame is
    """A structurally complete frame does not decompress, or its checksum is wrong."""


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
    """Yield what can be read of a frame that ran out of bytes: its whole blocks, or nothing on an error.

    dsh takes nothing from a frame whose decoder raises, also when earlier blocks were fine, so the
    frame is decoded twice rather than held in memory.
    """
    if decodes(source, start, end):
        yield from text(source, start, end)


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

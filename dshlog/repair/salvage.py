"""The text of a damaged zstd log, frame by frame, on both sides of what cannot be read.

Only a repair looks beyond a fault of the framing; every frame that it takes up again decodes whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dshlog.storage.frames import walk
from dshlog.storage.source import MAGIC, BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.storage.frames import Frames

How = Literal["whole", "unproved", "partial", "lost", "torn", "renamed", "foreign"]

_CHECKSUM_BIT, _CHECKSUM = 0x04, 4
_DESCRIPTOR = 4  # offset of the frame header's descriptor


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch of the file and the text that was read from it.

    `how` is "whole" for a sound frame; "unproved" when only the checksum fails, so that all text is there
    but nothing vouches for it; "partial" when the first blocks of a damaged frame decode; "lost" when
    nothing does; "torn" for a last frame that ran out of bytes; "renamed" for one whose first bytes were changed and which is sound otherwise; "foreign"
    for bytes that are no frame.
    """

    start: int
    end: int
    how: How
    text: bytes = b""


def stretches(data: bytes) -> Iterator[Stretch]:
    """Cut a whole file into what can be read and what cannot, in order and without a hole."""
    at = 0
    while at < len(data):
        frames = walk(BytesSource(data[at:]))
        for index in range(len(frames)):
            start, end = frames.span(index)
            yield _frame(data, at + start, at + end)
        stop = at + frames.end
        if frames.torn is not None and not hides_frames(data, at + frames.torn):
            yield _torn(data, at + frames.torn)
            return
        if stop >= len(data):
            return
        renamed = _with_magic(data, stop)
        again = _resume(data, stop + 1) if renamed is None else renamed.end
        yield renamed or Stretch(start=stop, end=again, how="foreign")
        at = again


def _frame(data: bytes, start: int, end: int) -> Stretch:
    text = _decoded(data[start:end])
    if text is not None:
        return Stretch(start=start, end=end, how="whole", text=text)
    bare = _without_checksum(data[start:end])
    text = _decoded(bare)
    if text is not None:
        return Stretch(start=start, end=end, how="unproved", text=text)
    text = _first_blocks(bare)
    return Stretch(start=start, end=end, how="partial" if text else "lost", text=text)


def _with_magic(data: bytes, start: int) -> Stretch | None:
    """Give the frame that stands here but for its first four bytes; its checksum vouches for the rest."""
    mended = MAGIC + data[start + len(MAGIC) :]
    frames = walk(BytesSource(mended))
    if not len(frames) or not mended[_DESCRIPTOR] & _CHECKSUM_BIT:
        return None
    end = frames.span(0)[1]
    text = _decoded(mended[:end])
    return None if text is None else Stretch(start=start, end=start + end, how="renamed", text=text)


def _torn(data: bytes, start: int) -> Stretch:
    from dshlog.storage.zstd import torn_text

    text = b"".join(torn_text(BytesSource(data), start, len(data)))
    return Stretch(start=start, end=len(data), how="torn", text=text)


def _decoded(frame: bytes) -> bytes | None:
    from dshlog.storage.zstd import Undecodable, text

    try:
        return b"".join(text(BytesSource(frame), 0, len(frame)))
    except Undecodable:
        return None


def _without_checksum(frame: bytes) -> bytes:
    """Give a frame that asks for no checksum, so that its text can be had without proof."""
    descriptor = frame[_DESCRIPTOR]
    if not descriptor & _CHECKSUM_BIT:
        return frame
    return frame[:_DESCRIPTOR] + bytes([descriptor & ~_CHECKSUM_BIT]) + frame[_DESCRIPTOR + 1 : -_CHECKSUM]


def _first_blocks(frame: bytes) -> bytes:
    """Give the text of the whole blocks before the first that does not decode."""
    from dshlog.storage.zstd import torn_text

    for end in reversed(_block_starts(frame)):
        text = b"".join(torn_text(BytesSource(frame), 0, end))
        if text:
            return text
    return b""


def _block_starts(frame: bytes) -> list[int]:
    """Give the offsets at which the blocks behind the first begin."""
    single, size_flag, dictionary = frame[_DESCRIPTOR] & 0x20, frame[_DESCRIPTOR] >> 6, frame[_DESCRIPTOR] & 3
    content = (1 if single else 0) if size_flag == 0 else 1 << size_flag
    at = _DESCRIPTOR + 1 + (0 if single else 1) + (0, 1, 2, 4)[dictionary] + content
    starts: list[int] = []
    last = 0
    while not last and at + 3 <= len(frame):
        block = int.from_bytes(frame[at : at + 3], "little")
        last = block & 1
        at += 3 + (1 if (block >> 1) & 3 == 1 else block >> 3)
        starts.append(at)
    return starts[:-1]


def hides_frames(data: bytes, torn: int) -> bool:
    """Tell whether sound frames follow inside what looks like one frame that ran out of bytes."""
    return _resume(data, torn + 1) < len(data)


def _resume(data: bytes, at: int) -> int:
    """Give the offset of the next frame that decodes and holds text of a log, else the end of the file."""
    while (at := data.find(MAGIC, at)) >= 0:
        frames: Frames = walk(BytesSource(data[at:]))
        if len(frames):
            text = _decoded(data[at : at + frames.span(0)[1]])
            if text and text.lstrip()[:1] == b"{":
                return at
        at += 1
    return len(data)

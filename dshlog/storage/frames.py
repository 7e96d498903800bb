"""The walk over zstd frames: where each begins, where the file is torn, where it is damaged.

Only structure is looked at here (frame header, block headers, checksum length), nothing is
decompressed. Source: storage.md §2.4.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dshlog.storage.source import MAGIC, WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.storage.source import Source

FaultKind = Literal["foreign-bytes", "zero-padding", "skippable-frame", "reserved-bits", "reserved-block"]

_RESERVED_BITS = 0x18
_CHECKSUM_BIT = 0x04
_RESERVED_BLOCK = 3
_RLE_BLOCK = 1
_HEADER_MAX = 18  # bytes; magic, descriptor, window, dictionary id, content size


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameFault:
    """An impossible structure with enough bytes present; `at` is its 0-based file offset."""

    kind: FaultKind
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """The frames of one file.

    `starts` holds the 0-based file offset of each complete frame, ascending; frames touch, so frame i
    ends where i + 1 begins and the last one ends at `end`. `torn` is the offset of a last frame that
    ran out of bytes. `size` is the number of bytes walked over.
    """

    starts: array[int]
    end: int
    size: int
    torn: int | None = None
    fault: FrameFault | None = None

    def __len__(self) -> int:
        """Count the complete frames."""
        return len(self.starts)

    def span(self, index: int) -> tuple[int, int]:
        """Give the half-open byte range of one complete frame."""
        last = index + 1 == len(self.starts)
        return self.starts[index], self.end if last else self.starts[index + 1]

    def holding(self, at: int) -> int:
        """Give the index of the complete frame that holds file byte `at`."""
        return bisect_right(self.starts, at) - 1


def _header_lengths() -> bytes:
    """Tabulate, by descriptor byte, how many header bytes follow the descriptor."""
    lengths = bytearray(256)
    for descriptor in range(256):
        single = descriptor & 0x20
        size_flag = descriptor >> 6
        content_size = (1 if single else 0) if size_flag == 0 else 1 << size_flag
        lengths[descriptor] = (0 if single else 1) + (0, 1, 2, 4)[descriptor & 3] + content_size
    return bytes(lengths)


def walk(source: Source) -> Frames:
    """Walk the frames of a seekable source without decompressing any.

    The walk stops at the first fault; frames before it are in the table. One to three trailing bytes
    of anything count as torn, as dsh counts them.
    """
    size = source.size
    if size is None:
        msg = "a frame walk needs a source of known size"
        raise ValueError(msg)
    lengths = _header_lengths()
    starts = array("q")
    window, base = b"", 0  # `window` holds the file bytes from `base`
    at = 0
    while at < size:
        start = at
        if start + _HEADER_MAX > base + len(window):
            window, base = source.read(start, WINDOW), start
            size = _shrunk(size, start, window)
            if start >= size:
                break
        i = start - base
        if size - start < len(MAGIC):
            return Frames(starts=starts, end=start, size=size, torn=start)
        if window[i : i + 4] != MAGIC:
            fault = FrameFault(kind=_foreign(source, start, size), at=start)
            return Frames(starts=starts, end=start, size=size, fault=fault)
        if size - start == len(MAGIC):
            return Frames(starts=starts, end=start, size=size, torn=start)
        descriptor = window[i + 4]
        if descriptor & _RESERVED_BITS:
            return Frames(starts=starts, end=start, size=size, fault=FrameFault(kind="reserved-bits", at=start))
        at += 5 + lengths[descriptor]
        last = 0
        while not last:
            if at + 3 > size:
                return Frames(starts=starts, end=start, size=size, torn=start)
            i = at - base
            if i + 3 > len(window):
                window, base, i = source.read(at, WINDOW), at, 0
                size = _shrunk(size, at, window)
                continue
            block = window[i] | window[i + 1] << 8 | window[i + 2] << 16
            last = block & 1
            kind = (block >> 1) & 3
            if kind == _RESERVED_BLOCK:
                return Frames(starts=starts, end=start, size=size, fault=FrameFault(kind="reserved-block", at=at))
            at += 3 + (1 if kind == _RLE_BLOCK else block >> 3)
            if at > size:
                return Frames(starts=starts, end=start, size=size, torn=start)
        if descriptor & _CHECKSUM_BIT:
            at += 4
            if at > size:
                return Frames(starts=starts, end=start, size=size, torn=start)
        starts.append(start)
    return Frames(starts=starts, end=at, size=size)


def blocks(source: Source, start: int, end: int) -> Iterator[bytes]:
    """Yield one frame piece by piece: its header, each block with the header of it, what follows the last block.

    `start` is the offset of a frame that `walk` took for sound or torn, `end` where its bytes end; the last
    piece may be cut short.
    """
    descriptor = source.read(start + len(MAGIC), 1)
    at = start + len(MAGIC) + 1 + (_header_lengths()[descriptor[0]] if descriptor else 0)
    yield source.read(start, min(at, end) - start)
    last = 0
    while at < end:
        block = int.from_bytes(source.read(at, min(3, end - at)), "little")
        if not last:
            last, kind = block & 1, (block >> 1) & 3
            length = min(3 + (1 if kind == _RLE_BLOCK else block >> 3), end - at)
        else:
            length = end - at
        yield source.read(at, length)
        at += length


def _shrunk(size: int, at: int, window: bytes) -> int:
    """Give the size that a file still has when a read came back short."""
    return at + len(window) if len(window) < min(WINDOW, size - at) else size


def _foreign(source: Source, at: int, size: int) -> FaultKind:
    """Tell zero padding, a skippable frame and other foreign bytes apart."""
    head = source.read(at, 4)
    if head[1:] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F:  # noqa: PLR2004 - the magic's range
        return "skippable-frame"
    if any(chunk.strip(b"\0") for chunk in source.chunks(at, size)):
        return "foreign-bytes"
    return "zero-padding"

"""How much of a write-ahead log counts: the frames up to the last commit before the first that is not sound.

Source: the file format that SQLite documents, "The WAL File Format".
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = 32  # bytes of the file before its first frame
_FRAME = 24  # bytes of a frame before its page
_MAGIC = 0x377F0682  # its lowest bit tells the order of the bytes that checksums are made of
_LARGEST_PAGE = 1 << 16
_LEAST_PAGE = 1 << 9
_MASK = 0xFFFFFFFF
_RUNS = 1 << 16  # of a log, to which old frames may belong


class Frames(NamedTuple):
    """Frames that count and frames that are there; `lost` tells that a transaction was committed behind those that count.

    `whole` tells that the header is sound; without it no frame counts.
    """

    whole: bool
    counted: int = 0
    present: int = 0
    lost: bool = False


def frames_of(read: Callable[[int], bytes], size: int) -> Frames:
    """Walk through a log of `size` bytes, of which `read` gives the next ones."""
    head = read(HEADER)
    if len(head) < HEADER:
        return Frames(whole=False)
    magic, _, page, _, salt1, salt2, sum1, sum2 = struct.unpack(">8I", head)
    if magic & ~1 != _MAGIC or not _LEAST_PAGE <= page <= _LARGEST_PAGE or page & (page - 1):
        return Frames(whole=False)
    order = ">" if magic & 1 else "<"
    running = _checksum(head[:24], order, (0, 0))
    if running != (sum1, sum2):
        return Frames(whole=False)
    present = -(-(size - HEADER) // (_FRAME + page))
    counted = sound = 0
    lost = broken = False
    for at in range(present):
        frame = read(_FRAME + page)
        if len(frame) < _FRAME + page:
            break
        number, commit, first, second, sum1, sum2 = struct.unpack(">6I", frame[:_FRAME])
        if second != salt2 and 0 < (salt1 - first) & _MASK < _RUNS:
            present = at  # left over from an earlier run of the log, of which each counts the first salt up
            break
        if broken:
            lost = lost or ((first, second) == (salt1, salt2) and commit > 0)
            continue
        running = _checksum(frame[_FRAME:], order, _checksum(frame[:8], order, running))
        broken = (first, second) != (salt1, salt2) or running != (sum1, sum2) or not number
        sound += not broken
        if commit and not broken:
            counted = sound
        lost = broken and commit > 0
    return Frames(whole=True, counted=counted, present=present, lost=lost)


def _checksum(data: bytes, order: str, start: tuple[int, int]) -> tuple[int, int]:
    first, second = start
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for even, odd in zip(words, words, strict=True):
        first = (first + even + second) & _MASK
        second = (second + odd + first) & _MASK
    return first, second

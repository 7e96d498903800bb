"""A source of bytes: what the core asks of a file, of standard input or of bytes in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

MAGIC = b"\x28\xb5\x2f\xfd"  # the first bytes of every zstd frame
WINDOW = 1 << 18  # bytes; one read of a sequential pass


class Source(Protocol):
    """Bytes that can be read in order, and again unless `size` is None.

    `size` is the byte count seen at the start; what a growing file gains later is not read. A source
    of unknown size (a pipe) can be read once, from byte 0.
    """

    @property
    def size(self) -> int | None:
        """Give the size in bytes seen at the start, or None for a pipe."""

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Yield the bytes of the half-open range start..end (default: to `size`) in windows."""

    def read(self, start: int, count: int) -> bytes:
        """Give up to `count` bytes from byte `start`; fewer only at the end."""


class BytesSource:
    """A source over bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    @property
    def size(self) -> int:
        """Give the number of bytes."""
        return len(self._data)

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Yield the bytes of start..end in windows."""
        stop = len(self._data) if end is None else min(end, len(self._data))
        for at in range(start, stop, WINDOW):
            yield self._data[at : min(at + WINDOW, stop)]

    def read(self, start: int, count: int) -> bytes:
        """Give up to `count` bytes from byte `start`."""
        return self._data[start : start + count]

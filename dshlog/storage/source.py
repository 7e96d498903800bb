"""A source of bytes: what the core asks of a file, of standard input or of bytes in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from dshlog.model.place import Row

if TYPE_CHECKING:
    from array import array

    from dshlog.model.fault import Fault

MAGIC = b"\x28\xb5\x2f\xfd"  # the first bytes of every zstd frame
NO_SEQ = -(1 << 63)  # stands for the seq of a row that is no integer
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


class Rows:
    """The rows of a database that the lines of a text were made of.

    Line 1 is made of the row of `sessions`, each further one of a row of `events`, whose `seqs` stand here in
    order. A line that cannot be made of its row is no JSON, and `faults` says why, by its number. `changed`
    tells that somebody wrote to the database while it was read.
    """

    __slots__ = ("changed", "database", "faults", "seqs", "session")

    def __init__(self, database: str, session: str, seqs: array[int]) -> None:
        self.database = database
        self.session = session
        self.seqs = seqs
        self.faults: dict[int, Fault] = {}
        self.changed = False

    def row(self, line: int | None) -> Row:
        """Give the row of a line."""
        if line is None or line > len(self.seqs) + 1:
            return Row(self.database, None, self.session, None)
        if line == 1:
            return Row(self.database, "sessions", self.session, None)
        seq = self.seqs[line - 2]
        return Row(self.database, "events", self.session, None if seq == NO_SEQ else seq)


def rows_of(source: Source) -> Rows | None:
    """Give the rows that stand behind a source; None where it is a file or a stream."""
    rows = getattr(source, "rows", None)
    return rows if isinstance(rows, Rows) else None

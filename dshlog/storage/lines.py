"""Lines out of decoded text: cut at the byte 0x0A and nowhere else."""

from __future__ import annotations

from io import BytesIO

from dshlog.storage.unread import Overlong, Units, bounded

MAX_LINE = 1 << 27  # bytes of a line that is held while it arrives


class Lines:
    """Cut text that arrives in pieces into lines, keeping only the unfinished one.

    After `feed`, `at` is the 0-based offset of the first line that it gave back.
    """

    def __init__(self, limit: int = MAX_LINE) -> None:
        self.at = 0
        self._fed = 0  # bytes fed so far
        self._rest: list[bytes] = []
        self._held = 0  # bytes of the unfinished line, kept or not
        self._units: Units | None = None  # counts an unfinished line that is not kept
        self._limit = limit

    def feed(self, piece: bytes) -> list[bytes]:
        """Give the lines that this piece completes, in order, each with its line feed."""
        # A binary file cuts lines at 0x0A only, and twice as quickly as bytes.split does.
        lines = BytesIO(piece).readlines()
        self.at = self._fed - self._held
        self._fed += len(piece)
        rest = b"" if piece.endswith(b"\n") or not lines else lines.pop()
        if lines:
            if self._held:
                self._hold(lines[0])
                lines[0] = self.rest
            self._rest, self._held, self._units = [], 0, None
        if rest:
            self._hold(rest)
        return lines

    @property
    def rest(self) -> bytes:
        """Give the unfinished line: bytes behind the last line feed, which never form a line."""
        if self._units is None:
            return bounded(b"".join(self._rest))
        line = Overlong()
        line.length, line.units, line.limit = self._held, self._units.count, self._limit
        return line

    @property
    def rest_length(self) -> int:
        """Count the bytes of the unfinished line."""
        return self._held

    @property
    def end(self) -> int:
        """Give the offset behind the last line feed."""
        return self._fed - self._held

    def _hold(self, part: bytes) -> None:
        self._held += len(part)
        if self._held <= self._limit:
            self._rest.append(part)
        elif self._units is None:
            self._units = Units([*self._rest, part])
            self._rest.clear()
        else:
            self._units.add(part)

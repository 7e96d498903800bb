"""How far a long run has come: one line at the bottom of a terminal, which goes when the run ends."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Self

from dshlog.cli import output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dshlog.storage.source import Rows, Source

DELAY = 1.0  # seconds of work before there is a line
_EVERY = 0.1  # seconds between two lines
_CELLS = 24  # columns of the bar


class Progress:
    """Counts logs and bytes that are done, and draws a bar on standard error.

    `begin` says how much there is; before that and in the first second nothing is drawn. A block around it
    takes the line away at its end.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next = clock() + DELAY
        self._logs = self._bytes = 0  # of all there is to do
        self._done_logs = self._done_bytes = 0
        self._within = 0  # bytes of the log at hand
        self._shown = False
        self._drawn = False  # whether the log at hand was ever shown

    def __enter__(self) -> Self:
        """Give the progress itself; whatever is printed takes the line away first."""
        output.PASSING.append(self.wipe)
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away for good."""
        self.wipe()
        output.PASSING.remove(self.wipe)

    def begin(self, logs: int, size: int) -> None:
        """Say how many logs and bytes there are."""
        self._logs, self._bytes = logs, size

    def done(self, size: int) -> None:
        """Note that a log of so many bytes is done."""
        self._done_logs += 1
        self._done_bytes += size
        self._within, self._drawn = 0, False
        self.within(0)

    def within(self, position: int) -> None:
        """Note how far the log at hand has been read; once that was drawn, a second reading takes nothing back."""
        self._within = max(self._within, position) if self._drawn else position
        now = self._clock()
        if self._logs and now >= self._next:
            self._next = now + _EVERY
            self._draw()

    def wipe(self) -> None:
        """Take the line away until there is news."""
        if self._shown:
            self._shown = False
            _write("\r\x1b[K")

    def _draw(self) -> None:
        share = min((self._done_bytes + self._within) / self._bytes, 1.0) if self._bytes else 0.0
        full = int(share * _CELLS)
        noun = "log" if self._logs == 1 else "logs"
        bar = "#" * full + "-" * (_CELLS - full)
        _write(f"\r[{bar}] {share:4.0%}, {self._done_logs} of {self._logs} {noun}\x1b[K")
        self._shown = self._drawn = True


class Watched:
    """A source that tells how far it was read."""

    def __init__(self, source: Source, tell: Callable[[int], None]) -> None:
        self._source, self._tell = source, tell

    @property
    def rows(self) -> Rows | None:
        """Give the rows of a database behind the source."""
        from dshlog.storage.source import rows_of

        return rows_of(self._source)

    @property
    def size(self) -> int | None:
        """Give the size of the source."""
        return self._source.size

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Yield what the source yields."""
        for piece in self._source.chunks(start, end):
            start += len(piece)
            self._tell(start)
            yield piece

    def read(self, start: int, count: int) -> bytes:
        """Give what the source gives."""
        self._tell(start + count)
        return self._source.read(start, count)


def on_terminal() -> Progress | None:
    """Give a progress when somebody sits before standard error."""
    return Progress() if output.is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb" else None


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):  # Nobody looks any more.
        return

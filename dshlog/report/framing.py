"""How the lines of a rewritten log are framed: as text, in the frames of its source, or in new frames."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Protocol

from dshlog.storage.zstd import FrameMaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dshlog.storage.frames import Frames
    from dshlog.storage.source import Source
    from dshlog.storage.zstd import Begun

    Write = Callable[[bytes], object]

LARGE = 1 << 22  # bytes of text of one frame that are held; a larger frame is written piece by piece
ROWS, TEXT = 1024, 1 << 20  # rows and bytes of text after which a new frame is closed unless told otherwise


class Framing(Protocol):
    """Takes text and writes it; `batch` ends what was one frame of the source."""

    def header(self, line: bytes) -> None:
        """Take the header line."""

    def text(self, text: bytes) -> None:
        """Take whole lines."""

    def batch(self, frame: int, *, changed: bool) -> None:
        """End a frame of the source; `changed` tells whether its text is no longer that of the source."""

    def torn(self, pieces: Iterable[bytes]) -> None:
        """Take what the source has behind its last whole line, or in its torn frame."""

    def close(self) -> None:
        """Write what is left."""


class Plain:
    """Raw text."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def header(self, line: bytes) -> None:
        """Take the header line."""
        self._write(line)

    def text(self, text: bytes) -> None:
        """Take whole lines."""
        self._write(text)

    def batch(self, frame: int, *, changed: bool) -> None:
        """Text has no frames."""

    def torn(self, pieces: Iterable[bytes]) -> None:
        """Take a torn line."""
        for piece in pieces:
            self._write(piece)

    def close(self) -> None:
        """Nothing was held back."""


class _Held:
    """The text of one frame: held while it is small, compressed as it comes when it is large."""

    def __init__(self, write: Write, maker: FrameMaker) -> None:
        self._write, self._maker = write, maker
        self._pieces: list[bytes] = []
        self.size = self.rows = 0
        self._begun: Begun | None = None

    @property
    def streaming(self) -> bool:
        """Tell whether bytes of the frame have been written."""
        return self._begun is not None

    def add(self, piece: bytes, rows: int = 0) -> None:
        self.rows += rows
        self.size += len(piece)
        if self._begun is not None:
            self._write(self._begun.add(piece))
            return
        self._pieces.append(piece)
        if self.size > LARGE:
            self._begun = self._maker.begin()
            for held in self._pieces:
                self._write(self._begun.add(held))
            self._pieces.clear()

    def end(self) -> None:
        """Write the frame, unless it is empty."""
        if self._begun is not None:
            self._write(self._begun.end())
        elif self.size:
            self._write(self._maker.frame(self._pieces))
        self.drop()

    def drop(self) -> None:
        """Forget a frame that was not begun."""
        self._pieces, self.size, self.rows, self._begun = [], 0, 0, None


class Kept:
    """The frames of the source: one whose text is unchanged is copied, unless it was too large to be held."""

    def __init__(self, write: Write, source: Source, frames: Frames) -> None:
        self._write, self._source, self._frames = write, source, frames
        self._held = _Held(write, FrameMaker())

    def header(self, line: bytes) -> None:
        """Take the header line, which shares its frame with what the source has there."""
        self._held.add(line)

    def text(self, text: bytes) -> None:
        """Take whole lines."""
        self._held.add(text)

    def batch(self, frame: int, *, changed: bool) -> None:
        """Write the frame anew or copy it."""
        if changed or self._held.streaming:
            self._held.end()
            return
        self._held.drop()
        for piece in self._source.chunks(*self._frames.span(frame)):
            self._write(piece)

    def torn(self, pieces: Iterable[bytes]) -> None:
        """Copy the torn frame; only a record without an end has text here."""
        torn = self._frames.torn
        if torn is None:
            self._held.add(b"".join(pieces))
            self._held.end()
            return
        for piece in self._source.chunks(torn, self._frames.size):
            self._write(piece)

    def close(self) -> None:
        """Nothing was held back."""


class Fresh:
    """New frames: the header alone, then so many rows each."""

    def __init__(self, write: Write, rows: int | None, text: int | None) -> None:
        """Take the limits of a frame; without any all rows share one frame, as in a log that dsh upgraded."""
        self._write, self._maker = write, FrameMaker()
        self._held = _Held(write, self._maker)
        self._rows, self._text = rows, text

    def header(self, line: bytes) -> None:
        """Write the frame of the header."""
        self._write(self._maker.frame([line]))

    def text(self, text: bytes) -> None:
        """Take whole lines."""
        if self._rows is None and self._text is None:
            self._held.add(text)
            return
        lines, at = BytesIO(text).readlines(), 0
        while at < len(lines):
            room = len(lines) if self._rows is None else self._rows - self._held.rows
            taken = lines[at : at + room]
            self._held.add(b"".join(taken), len(taken))
            at += len(taken)
            if self._held.rows == self._rows or (self._text is not None and self._held.size >= self._text):
                self._held.end()

    def batch(self, frame: int, *, changed: bool) -> None:
        """The frames of the source are left behind."""

    def torn(self, pieces: Iterable[bytes]) -> None:
        """Write a frame that is torn too, so that dsh cuts it as it would have cut the text."""
        self._held.end()
        begun = None
        for piece in pieces:
            begun = begun or self._maker.begin()
            self._write(begun.add(piece))
        if begun is not None:
            self._write(begun.torn_end())

    def close(self) -> None:
        """Write the last frame."""
        self._held.end()

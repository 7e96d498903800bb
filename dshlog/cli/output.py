"""Standard output and standard error: the only place that prints."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING, Literal, Self

from dshlog.render.look import Look
from dshlog.render.words import path_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Colour = Literal["auto", "always", "never"]

BATCH = 1 << 18  # bytes that are gathered before one write
PASSING: list[Callable[[], None]] = []  # each takes back a line that is not to stay on the terminal
_DEFAULT_WIDTH = 80  # columns of a terminal that does not tell


class ClosedPipe(Exception):  # noqa: N818 - whoever read has enough; nothing failed
    """Nobody reads standard output any more."""


class Output:
    """Standard output: text and bytes in one order, written in large pieces.

    A block around it writes what is left at its end, also when the block fails.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        self.is_terminal = is_terminal(sys.stdout)

    def __enter__(self) -> Self:
        """Give the output itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write what is left."""
        if kind is not ClosedPipe:
            self.flush()

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines of text; what the encoding of the terminal lacks is escaped."""
        for line in lines:
            self.data(f"{line}\n".encode(self._encoding, "backslashreplace"))

    def text(self, lines: Iterable[str], width: int | None) -> None:
        """Print lines, long ones in pieces on a terminal; what quotes a record stays whole, so that its mark fits."""
        from dshlog.render.words import folded

        for line in lines:
            quoted = line.startswith("  text ") or line.lstrip() == "^"
            self.lines(folded(line, None if quoted else width))

    def data(self, data: bytes) -> None:
        """Print bytes as they are."""
        self._parts.append(data)
        self._size += len(data)
        if self._size >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write everything now.

        Raises:
            ClosedPipe: nobody reads any more.
            OSError: the disk is full, or standard output is closed.
        """
        data, self._parts, self._size = b"".join(self._parts), [], 0
        if not data:
            return
        _take_back()
        if sys.stdout is None:
            message = "standard output is closed"
            raise OSError(message)
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            _abandon()
            raise ClosedPipe from error


def _take_back() -> None:
    for take_back in PASSING:
        take_back()


def _abandon() -> None:
    # The interpreter flushes standard output once more when it ends, and would complain.
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return


def look(output: Output, colour: Colour) -> Look:
    """Choose the looks: NO_COLOR and TERM=dumb count unless colour is asked for by name."""
    wanted = output.is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Look(
        colour=colour == "always" or (colour == "auto" and wanted),
        width=_width(sys.stdout) if output.is_terminal else None,
    )


def _width(stream: IO[str] | None) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_WIDTH if stream else _DEFAULT_WIDTH
    except (OSError, ValueError):
        return _DEFAULT_WIDTH


def is_terminal(stream: IO[str] | None) -> bool:
    """Tell whether a stream leads to a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def say(kind: str, message: str, hints: Iterable[str] = ()) -> None:
    """Tell on standard error: one line, and each hint on its own; in a narrow terminal broken between words."""
    from dshlog.render.words import folded

    _take_back()
    width = _width(sys.stderr) if is_terminal(sys.stderr) else None
    try:
        for word, text in ((kind, message), *(("hint", hint) for hint in hints)):
            command = text.startswith("dshlog ")  # it is to be copied
            for line in folded(f"dshlog: {word}: {path_name(text)}", None if command else width):
                print(line, file=sys.stderr)
    except (OSError, ValueError):  # Nobody listens, and there is nowhere left to say so.
        return

"""Open a log for reading: a regular file by its path, or standard input."""

from __future__ import annotations

import os
from io import FileIO
from typing import IO, TYPE_CHECKING

from dshlog.files.unreadable import Unreadable, reason, refuse_irregular, shown, unreadable
from dshlog.storage.source import WINDOW
from dshlog.storage.sqlitehead import MAGIC as _DATABASE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import NoReturn, Self

__all__ = ["FileSource", "Seekable", "SpooledSource", "StdinSource", "Unreadable", "keep_stdin", "open_stdin"]

SPOOL_IN_MEMORY = 4 << 20  # bytes of a zstd standard input kept in memory before a temporary file takes over

_MAGIC_BYTES = 4
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE_MAGIC = b"\x2a\x4d\x18"  # follows one byte 0x50..0x5F
_SKIPPABLE_NIBBLE = 0x5

_STDIN = "standard input"

# A fifo would block until someone writes to it, a terminal would become ours.
_QUIET = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class Seekable:
    """Bytes of an open file, fetched window by window; a file that shrinks ends early."""

    def __init__(self, file: IO[bytes], size: int, path: str) -> None:
        self._file = file
        self._size = size
        self._path = path

    @property
    def size(self) -> int:
        """Give the size in bytes seen at the start."""
        return self._size

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Yield the bytes of the half-open range start..end (default: to `size`) in windows.

        Raises Unreadable when the disk fails; what was yielded before is good.
        """
        stop = self._size if end is None else min(end, self._size)
        while start < stop:
            piece = self._fetch(start, min(WINDOW, stop - start))
            if not piece:
                return
            yield piece
            start += len(piece)

    def read(self, start: int, count: int) -> bytes:
        """Give up to `count` bytes from byte `start`; fewer only at the end.

        Raises Unreadable when the disk fails.
        """
        return b"".join(self.chunks(start, start + count))

    def close(self) -> None:
        """Give the file back; nothing can be read afterwards."""
        self._file.close()

    def __enter__(self) -> Self:
        """Give the source itself, to be closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def _fetch(self, at: int, count: int) -> bytes:
        # Two walks over one source may be under way, so no window relies on the position of another.
        try:
            self._file.seek(at)
            return self._file.read(count)
        except OSError as error:
            raise unreadable(self._path, error) from error


class FileSource(Seekable):
    """The bytes of a regular file, as many as it had when it was opened."""

    def __init__(self, path: str) -> None:
        """Open the file, following a symbolic link.

        Raises Unreadable when nothing is there, it may not be read, or it is no regular file.
        """
        try:
            # Looked at before it is opened, because opening a device can already do something.
            refuse_irregular(path, os.stat(path).st_mode)  # noqa: PTH116 - a path is any str here
            file = FileIO(path, opener=_open_quietly)
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error
        try:
            # Looked at again, because another file may have taken the name in between.
            seen = os.fstat(file.fileno())
            refuse_irregular(path, seen.st_mode)
            if not seen.st_size and file.read(1):
                seen = os.fstat(file.fileno())
                if not seen.st_size:
                    _refuse_unsized(path)
        except BaseException:
            file.close()
            raise
        super().__init__(file, seen.st_size, shown(path))


class SpooledSource(Seekable):
    """The bytes of standard input, kept so that they can be read again."""


class StdinSource:
    """The bytes of a raw standard input, which pass by once."""

    def __init__(self, stream: IO[bytes], head: bytes = b"") -> None:
        """Take a binary stream; `head` was already taken from its start and comes first."""
        self._stream = stream
        self._head = head
        self._gone = False

    @property
    def size(self) -> None:
        """Give None: nobody knows how much will come."""
        return

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Yield the bytes up to `end` (default: to the end of the stream) in windows, once.

        Raises ValueError when `start` is not 0 or the bytes have already passed by, and Unreadable when
        the stream fails.
        """
        self._refuse_if_gone()
        if start:
            msg = f"standard input is read from byte 0, not {start}"
            raise ValueError(msg)
        self._gone = True
        at, piece, self._head = 0, self._head, b""
        while end is None or at < end:
            piece = piece or _pull(self._stream, WINDOW)
            if not piece:
                return
            yield piece if end is None else piece[: end - at]
            at, piece = at + len(piece), b""

    def read(self, start: int, count: int) -> bytes:
        """Look ahead: give up to `count` bytes from byte `start`, which `chunks` will still yield.

        Everything up to there stays in memory, so this is for the first few bytes. Raises ValueError
        once `chunks` has begun, and Unreadable when the stream fails.
        """
        self._refuse_if_gone()
        self._head += _pull_all(self._stream, start + count - len(self._head))
        return self._head[start : start + count]

    def close(self) -> None:
        """Leave the stream as it is: whoever opened it closes it."""

    def __enter__(self) -> Self:
        """Give the source itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the stream as it is."""

    def _refuse_if_gone(self) -> None:
        if self._gone:
            msg = "standard input can be read only once"
            raise ValueError(msg)


def keep_stdin(stream: IO[bytes] | None) -> SpooledSource:
    """Give the bytes of standard input as a source that can be read again, whatever it holds.

    Arguments and errors as `open_stdin`.
    """
    if stream is None:
        msg = f"cannot read {_STDIN}: it is closed"
        raise Unreadable(msg)
    return _spool(stream, _first_bytes(stream))


def open_stdin(stream: IO[bytes] | None) -> SpooledSource | StdinSource:
    """Give the bytes of standard input as a source; close it like a file.

    What starts like zstd is kept (in memory, then in an anonymous temporary file) and has a size.
    Anything else is handed through as it comes.

    `stream` is binary, or None when the process has no standard input. Raises Unreadable when there is
    no stream, when it fails, when there is no room to keep it, and for a database, which SQLite reads from a file.
    """
    if stream is None:
        msg = f"cannot read {_STDIN}: it is closed"
        raise Unreadable(msg)
    head = _first_bytes(stream)
    first = head[:_MAGIC_BYTES]
    if first == _ZSTD_MAGIC or (first[1:] == _SKIPPABLE_MAGIC and first[0] >> 4 == _SKIPPABLE_NIBBLE):
        return _spool(stream, head)
    return StdinSource(stream, head)


def _first_bytes(stream: IO[bytes]) -> bytes:
    """Take what tells a container from another; raise Unreadable for a database, which is no stream."""
    head = _pull_all(stream, _MAGIC_BYTES)
    if _DATABASE.startswith(head) and len(head) == _MAGIC_BYTES:
        head += _pull_all(stream, len(_DATABASE) - _MAGIC_BYTES)
    if head == _DATABASE:
        why = "it is a SQLite database, which is read from a file"
        msg = f"cannot read {_STDIN}: {why}"
        raise Unreadable(msg, ("give its path, or that of a copy",), why=why)
    return head


def _refuse_unsized(path: str) -> NoReturn:
    """Refuse a file of the system that is made while it is read: there is no size to judge it to."""
    why = "it has content but no size"
    msg = f"cannot read {shown(path)}: {why}"
    raise Unreadable(msg, ("read it through standard input: dshlog validate - < FILE",), why=why)


def _open_quietly(path: str, flags: int) -> int:
    return os.open(path, flags | _QUIET)


def _pull(stream: IO[bytes], count: int) -> bytes:
    """Take some bytes from a stream; none only at its end."""
    try:
        data: bytes | None = stream.read(count)
    except OSError as error:
        why = reason(error)
        msg = f"cannot read {_STDIN}: {why}"
        raise Unreadable(msg, why=why) from error
    if data is None:  # A stream that does not block must not be taken for one that has ended.
        why = "it does not block and has nothing to read yet"
        msg = f"cannot read {_STDIN}: {why}"
        raise Unreadable(msg, why=why)
    return data


def _pull_all(stream: IO[bytes], count: int) -> bytes:
    """Take `count` bytes from a stream; fewer only at its end."""
    parts: list[bytes] = []
    while count > 0 and (piece := _pull(stream, count)):
        parts.append(piece)
        count -= len(piece)
    return b"".join(parts)


def _spool(stream: IO[bytes], head: bytes) -> SpooledSource:
    # Imported late: only this needs it, and it is slow to import.
    from tempfile import SpooledTemporaryFile

    file = SpooledTemporaryFile(max_size=SPOOL_IN_MEMORY)  # noqa: SIM115 - the source closes it
    try:
        size, piece = 0, head
        while piece:
            _keep(file, piece)
            size += len(piece)
            piece = _pull(stream, WINDOW)
    except BaseException:
        file.close()
        raise
    return SpooledSource(file, size, _STDIN)


def _keep(file: IO[bytes], piece: bytes) -> None:
    try:
        file.write(piece)
    except OSError as error:
        why = reason(error)
        msg = f"cannot keep {_STDIN} in a temporary file: {why}"
        hint = "save it to a file and name that, or set TMPDIR to a directory with room"
        raise Unreadable(msg, (hint,), why=why) from error

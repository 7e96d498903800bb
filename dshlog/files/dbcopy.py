"""A private copy of a database whose newest content lies in a file beside it: a write-ahead log, a hot journal.

The files themselves are never opened for writing, not even by SQLite: it would checkpoint the one and roll the
other back.
"""
# ruff: noqa: PTH116, PTH118 - paths are texts here

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from dshlog.files.unreadable import Unreadable, reason, shown, unreadable
from dshlog.storage.walframes import Frames, frames_of

WAL, JOURNAL = "-wal", "-journal"

_WAL_HEADER = 32  # bytes; a log without a frame says nothing
_JOURNAL_HEADER = 28  # bytes
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_MOST_CHECKED = 1 << 26  # bytes of a log; dsh lets it grow to about 4 MB
_TRIES = 3  # copies of files that somebody writes to


class Beside(NamedTuple):
    """What lies beside a database: bytes of its write-ahead log and of its hot journal, 0 where there is none.

    `foreign` says that the journal belongs to a transaction over several databases, which dsh never makes. To
    roll it back SQLite may delete the file that the journal names, so it is left alone.
    """

    wal: int = 0
    journal: int = 0
    foreign: bool = False

    @property
    def copied(self) -> tuple[str, ...]:
        """Give the endings of the files that have to be read with the database."""
        journal = self.journal and not self.foreign
        return (*((WAL,) if self.wal else ()), *((JOURNAL,) if journal else ()))


def beside(path: str) -> Beside:
    """Look beside a database, of which a symbolic link was followed."""
    wal = _size(path + WAL)
    journal = _size(path + JOURNAL)
    foreign = False
    if journal:
        head, end = _ends(path + JOURNAL, journal)
        foreign = end == _JOURNAL_MAGIC and journal > _JOURNAL_HEADER
        if head[:1] in (b"", b"\0"):
            journal = 0  # what a finished transaction leaves in some journal modes
    return Beside(wal if wal > _WAL_HEADER else 0, journal, foreign)


def frames(path: str, found: Beside) -> Frames | None:
    """Look at the frames of the write-ahead log beside a database; None when there is none, or it is too long for that."""
    if not 0 < found.wal <= _MOST_CHECKED:
        return None
    try:
        with open(path + WAL, "rb") as file:  # noqa: PTH123
            return frames_of(file.read, found.wal)
    except OSError:
        return None


def copied(path: str, found: Beside, directory: str) -> str:
    """Copy a database and what belongs to it into a directory; the path of the copy.

    Raises:
        Unreadable: there is no room, or somebody writes to it all the time.
    """
    from shutil import copyfile

    target = os.path.join(directory, "copy.db")
    endings = ("", *found.copied)
    for _ in range(_TRIES):
        try:
            before = [_identity(path + ending) for ending in endings]
            for ending in endings:
                copyfile(path + ending, target + ending)
            if [_identity(path + ending) for ending in endings] == before:
                return target
        except OSError as error:
            if error.filename2 is None and error.filename == target:
                raise unreadable(path, error) from error
            why = f"it has to be copied together with {', '.join(found.copied)} beside it: {reason(error)}"
            hint = "set TMPDIR to a directory with room for a copy of it"
            raise Unreadable(f"cannot read {shown(path)}: {why}", (hint,), why=why) from error
    why = "somebody writes to it while it is copied"
    raise Unreadable(
        f"cannot read {shown(path)}: {why}", ("end the program that writes to it, then ask again",), why=why
    )


def _identity(path: str) -> tuple[int, int, int]:
    seen = os.stat(path)
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def _size(path: str) -> int:
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return 0
    return seen.st_size if stat.S_ISREG(seen.st_mode) else 0


def _ends(path: str, size: int) -> tuple[bytes, bytes]:
    """Give the first and the last bytes of a journal."""
    width = len(_JOURNAL_MAGIC)
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            head = file.read(width)
            file.seek(max(0, size - width))
            return head, file.read(width)
    except OSError:
        return _JOURNAL_MAGIC, b""  # it cannot be copied either, and that will be told

"""Which paths lead to a SQLite database, and which to one session of it: `FILE#ID`. SQLite itself is not loaded."""
# ruff: noqa: PTH116 - paths are texts here

from __future__ import annotations

import os
import stat

from dshlog.model.fault import Fault
from dshlog.storage.source import MAGIC as ZSTD
from dshlog.storage.sqlitehead import APPLICATION, MAGIC, SIZE, cut_words, read_head

SUFFIXES = (".db", ".sqlite", ".sqlite3", ".db3")  # dsh has no name of its own; a walk looks into these
SIGN = "#"  # stands between a database and the id of a session


def session_path(database: str, id_: str) -> str:
    """Give the path of a session of a database."""
    return f"{database}{SIGN}{id_}"


def is_session(path: str) -> bool:
    """Tell whether a path names a session of a database."""
    return SIGN in path and split(path) is not None


def split(path: str) -> tuple[str, str] | None:
    """Give the database and the id of a path that names a session of one; None for any other path."""
    try:
        if os.path.lexists(path):
            return None
    except ValueError:
        pass  # an id may hold a zero byte
    at = path.find(SIGN)
    while at >= 0:
        if is_database(path[:at]):
            return path[:at], path[at + 1 :]
        at = path.find(SIGN, at + 1)
    return None


def is_database(path: str) -> bool:
    """Tell whether a regular file begins like a SQLite database."""
    return _first_bytes(path).startswith(MAGIC)


def dsh_database(path: str) -> bool:
    """Tell whether a file that nobody asked for by name is a database of dsh."""
    head = read_head(_first_bytes(path))
    if head is None:
        return False
    if head.application:
        return head.application == APPLICATION
    # All that a writer has told may still stand in the write-ahead log.
    from dshlog.files.dbcopy import beside

    return beside(os.path.realpath(path)).wal > 0


def misnamed(path: str) -> Fault | None:
    """Say why a file that is named like a database is none; None for one that is, and for a log of such a name."""
    head = _first_bytes(path)
    if head.startswith((MAGIC, b"{", ZSTD)):
        return None
    if not head:
        return Fault("not-a-database", "the file is empty: no session was ever written to it")
    text = "it does not begin like a SQLite database: another format, encrypted, or damaged in its first bytes"
    return Fault("not-a-database", text)


def cut(path: str) -> str:
    """Say that a database is shorter than its header says; nothing when it is not."""
    return cut_words(_first_bytes(path), os.stat(path).st_size)


def _first_bytes(path: str) -> bytes:
    """Give the first bytes of a regular file, none of anything else."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return file.read(SIZE)
    except (OSError, ValueError):
        return b""

"""Connections to a database that change nothing: one that reads, and one that settles a private copy."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from dshlog.files.dbwords import ERRORS, code, words
from dshlog.files.unreadable import DamagedError

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 10_000  # of SQLite between two looks at what it has done
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}
_FUNCTIONS = {"count", "length", "lower", "sum", "typeof"}


def connect(path: str) -> sqlite3.Connection:
    """Open a database as immutable: no lock is taken, no file beside it is looked at, none is made."""
    uri = Path(path).absolute().as_uri() + "?mode=ro&immutable=1"
    try:
        return sqlite3.connect(uri, uri=True, isolation_level=None)
    except ERRORS as error:
        raise damaged(error) from error


def settle(copy: str, tick: Callable[[], int]) -> None:
    """Let SQLite bring what lies beside a private copy into it."""
    try:
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.set_progress_handler(tick, STEPS)
            for pragma in ("trusted_schema = OFF", "locking_mode = EXCLUSIVE"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("SELECT count(*) FROM main.sqlite_master").fetchall()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except ERRORS as error:
        raise damaged(error) from error


def authorize(action: int, first: str | None, second: str | None, _database: str | None, _inner: str | None) -> int:
    """Let SQLite read tables and call a few functions, and nothing else."""
    del first
    allowed = action in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def damaged(error: Exception) -> DamagedError:
    """Give the fault of a database out of which SQLite reads nothing."""
    if code(error) == sqlite3.SQLITE_NOTADB:
        return DamagedError("not-a-database", "it begins like a SQLite database, and SQLite finds that it is none")
    return DamagedError("database-damaged", f"SQLite cannot read it: {words(error)}")

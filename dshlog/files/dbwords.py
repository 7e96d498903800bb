"""What SQLite complains of, in words; its own may repeat bytes of a damaged file that are no UTF-8."""

from __future__ import annotations

import sqlite3

# Python cannot make a message out of such bytes, and raises the second in place of the first.
ERRORS = (sqlite3.Error, UnicodeDecodeError)


def words(error: Exception) -> str:
    """Give the message of one of `ERRORS`."""
    text = error.object.decode("utf-8", "backslashreplace") if isinstance(error, UnicodeDecodeError) else str(error)
    if text == "interrupted":
        return "the answer takes more steps than its size explains"
    return text if text.isprintable() else ascii(text)


def code(error: Exception) -> int | None:
    """Give the number by which SQLite knows an error."""
    return getattr(error, "sqlite_errorcode", None)

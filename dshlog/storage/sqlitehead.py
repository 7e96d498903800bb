"""The first bytes of a SQLite file: what it is, and which program wrote it. Source: storage.md §7."""

from __future__ import annotations

from typing import NamedTuple

SIZE = 100  # bytes of the header
MAGIC = b"SQLite format 3\0"
APPLICATION = 0x44534850  # `DSHP`
SCHEMAS = (15, 17)  # of dsh 0.1.0, and of 0.1.1


class Head(NamedTuple):
    """What the header says; `wal` tells that the journal mode is WAL."""

    application: int
    version: int
    wal: bool


def read_head(data: bytes) -> Head | None:
    """Read the first `SIZE` bytes of a file; None when it is no SQLite database or shorter than its header."""
    if len(data) < SIZE or not data.startswith(MAGIC):
        return None
    version = int.from_bytes(data[60:64], "big", signed=True)
    return Head(int.from_bytes(data[68:72], "big"), version, data[19] == 2)  # noqa: PLR2004 - 1 is a rollback journal

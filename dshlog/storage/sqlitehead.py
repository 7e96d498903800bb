"""The first bytes of a SQLite file: what it is, and which program wrote it. Source: storage.md §7."""

from __future__ import annotations

from typing import NamedTuple

SIZE = 100  # bytes of the header
_LARGEST_PAGE = 1 << 16  # bytes; written as 1
_PAGES = tuple(1 << power for power in range(9, 17))  # sizes of a page
MAGIC = b"SQLite format 3\0"
APPLICATION = 0x44534850  # `DSHP`
SCHEMAS = (15, 17)  # of dsh 0.1.0, and of 0.1.1


class Head(NamedTuple):
    """What the header says; `wal` tells that the journal mode is WAL, `pages` is 0 where it does not count them."""

    application: int
    version: int
    wal: bool
    page_size: int
    pages: int


def read_head(data: bytes) -> Head | None:
    """Read the first `SIZE` bytes of a file; None when it is no SQLite database or shorter than its header."""
    if len(data) < SIZE or not data.startswith(MAGIC):
        return None
    version = int.from_bytes(data[60:64], "big", signed=True)
    size = int.from_bytes(data[16:18], "big")
    counted = data[24:28] == data[92:96]  # else a library that did not count wrote last
    return Head(
        application=int.from_bytes(data[68:72], "big"),
        version=version,
        wal=data[19] == 2,  # noqa: PLR2004 - 1 is a rollback journal
        page_size=_LARGEST_PAGE if size == 1 else size,
        pages=int.from_bytes(data[28:32], "big") if counted else 0,
    )


def cut_words(data: bytes, size: int) -> str:
    """Say that a file of `size` bytes, whose first ones are `data`, was cut; nothing when it is as long as it says."""
    if data.startswith(MAGIC) and size < SIZE:
        return f"the file is cut within its header: {size} of {SIZE} bytes are there"
    head = read_head(data)
    if head is None or head.page_size not in _PAGES or size >= head.pages * head.page_size:
        return ""
    return f"the file is cut: {size // head.page_size} of {head.pages} pages are there"

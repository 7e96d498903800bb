"""The header line out of the first bytes of a file, without reading more."""

from __future__ import annotations

from dshlog.storage.source import MAGIC

FIRST = 1 << 12  # bytes that are read at first; header frames of dsh have some hundred
MOST = 1 << 20  # bytes of text that are looked at for the end of the line


def first_line(head: bytes) -> bytes | None:
    """Give the first line of a log, raw or zstd, without its line feed; None when it does not end in time.

    Args:
        head: the first bytes of the file, as many as are there or more than `FIRST`.
    """
    if head.startswith(MAGIC):
        from dshlog.storage.zstd import first_text

        head = first_text(head, MOST)
    end = head.find(b"\n")
    return None if end < 0 else head[:end]

"""What dshlog does not read: lines that would take more memory than their file explains."""

from __future__ import annotations

from codecs import getincrementaldecoder
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from re import Match

LONGEST_STRING = 0x1FFFFFE8  # UTF-16 code units; JavaScript holds no longer string, so dsh reads no longer line
MAX_VALUES = 1 << 22  # of one line; a value takes up to some 130 bytes of memory, and three bytes of text are enough
_OPENING = (b"{", b"[", b",")  # each stands before one value that an object or array holds, or opens one of these


class Overlong(bytes):
    """Stands for a line whose bytes were not kept; `len` counts them all the same.

    `units` counts its UTF-16 code units, the line feed included, or is 0 when they were not counted.
    `limit` is how many bytes it might have had, None when it is not the length that is too much but
    the number of values.
    """

    length = 0
    units = 0
    limit: int | None = None

    def __len__(self) -> int:
        """Count the bytes that the line has in the text."""
        return self.length

    @property
    def beyond_dsh(self) -> bool:
        """Tell whether dsh cannot read the line either."""
        return self.units - 1 > LONGEST_STRING


class Units:
    """Counts the UTF-16 code units of a text that arrives in pieces, bad UTF-8 read as U+FFFD."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.count = 0
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        for piece in pieces:
            self.add(piece)

    def add(self, piece: bytes) -> None:
        """Count one more piece."""
        text = self._decode(piece)
        self.count += len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def bounded(line: bytes) -> bytes:
    """Give a line, or what stands for it when its values are too many to be held."""
    if len(line) <= MAX_VALUES or sum(map(line.count, _OPENING)) <= MAX_VALUES or _values(line) <= MAX_VALUES:
        return line
    crowded = Overlong()
    crowded.length = len(line)
    return crowded


def _values(line: bytes) -> int:
    """Count the values of a line up to the first beyond the limit; what strings hold does not count."""
    found = at = 0
    while found <= MAX_VALUES:
        quote = line.find(b'"', at)
        end = len(line) if quote < 0 else quote
        found += sum(line.count(sign, at, end) for sign in _OPENING)
        string = None if quote < 0 else _string()(line, quote)
        if string is None:
            break
        at = string.end()
    return found


@cache
def _string() -> Callable[[bytes, int], Match[bytes] | None]:
    import re  # hardly any line comes here

    return re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL).match

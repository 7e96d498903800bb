"""The size note: how much memory dsh needs to open a large log, and what makes it large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.rules.register import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGE = 64 << 20  # bytes of decoded text from which on a log is worth the note
FACTOR = 3  # memory of dsh in units of the text; measured 2.5 to 3.3 with dsh 0.2.1, see the note on memory

_MIB = 1 << 20
_NAMED = 3  # records, and types, that are named
_STEPS = ((256, 64), (32, 8), (0, 1))  # (more records in a batch than this: one in so many tells its type)
_START = b'{"type":"'
_LONGEST_TYPE = 80  # characters of a type that is named
_OTHER = b"other records"


class Sizes:
    """Measures the records of one log while it is read: the largest exactly, shares of types by a sample."""

    def __init__(self) -> None:
        self._records = 0
        self._by_type: dict[bytes, int] = {}
        self._largest: list[tuple[int, int, int]] = []  # (bytes, minus line, text offset), largest first
        self._least = 0  # what a record must be longer than to be named

    def feed(self, lines: Sequence[bytes], at: int) -> None:
        """Take a batch of lines behind the header, the first at text offset `at`."""
        if not lines:
            return
        if len(self._largest) < _NAMED or max(map(len, lines)) > self._least:
            self._name_largest(lines, at)
        step = next(step for number, step in _STEPS if len(lines) > number)
        self._share(lines[-self._records % step :: step], step)
        self._records += len(lines)

    def note(self, path: str, text: int) -> Finding | None:
        """Give the note on a log of `text` bytes of decoded text; None when it is not large."""
        if text < LARGE:
            return None
        rule = BY_NAME["large-log"]
        return Finding(
            code=rule.code,
            name=rule.name,
            severity="note",
            place=Place(file=path),
            message=self._words(text),
            hint=rule.hint,
            rule=rule.rule,
            related=tuple(Place(file=path, line=-line, offset=at) for _, line, at in self._largest),
        )

    def _name_largest(self, lines: Sequence[bytes], at: int) -> None:
        first = self._records + 2  # line 1 is the header
        named = self._largest
        for number, line in enumerate(lines, first):
            size = len(line)
            if size > self._least:
                named.append((size, -number, at))
                named.sort(reverse=True)
                del named[_NAMED:]
                if len(named) == _NAMED:
                    self._least = named[-1][0]
            at += size

    def _share(self, lines: Sequence[bytes], weight: int) -> None:
        by_type = self._by_type
        skip = len(_START)
        for line in lines:
            kind = _OTHER
            if line.startswith(_START):
                end = line.find(b'"', skip, skip + _LONGEST_TYPE + 1)
                if end > skip:
                    kind = line[skip:end]
            by_type[kind] = by_type.get(kind, 0) + weight * len(line)

    def _words(self, text: int) -> str:
        parts = [f"{_mib(text)} of text, for which dsh needs about {_mib(FACTOR * text)} of memory"]
        whole = sum(self._by_type.values())
        if whole:
            most = sorted(self._by_type.items(), key=lambda entry: (-entry[1], entry[0]))[:_NAMED]
            shares = (f"{kind.decode('utf-8', 'replace')} ({round(100 * size / whole)}%)" for kind, size in most)
            parts.append(f"mostly {', '.join(shares)}")
        if self._largest:
            lines = ", ".join(f"line {-line} ({_short(size)})" for size, line, _ in self._largest)
            parts.append(f"the largest records are {lines}")
        return "; ".join(parts)


def _mib(size: int) -> str:
    return f"{round(size / _MIB)} MiB"


def _short(size: int) -> str:
    return _mib(size) if size >= _MIB else f"{round(size / 1024)} KiB" if size >= 1024 else f"{size} bytes"  # noqa: PLR2004

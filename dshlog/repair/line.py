"""One line of a log that is being mended."""

# ruff: noqa: SLF001 - a line makes others of its own kind

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.model.number import as_count
from dshlog.repair.finish import members_of, value_of
from dshlog.repair.numbering import renumbered_text
from dshlog.repair.references import Moves, moved_text, names_later, position

if TYPE_CHECKING:
    from dshlog.repair.numbering import Numbering
    from dshlog.repair.references import Shift

_UNREAD = -2  # the seq of a line that was not parsed yet
_NONE = -1  # that of a line without one


class Line:
    """One line, which does not change once it is made. `text` is what it says now, with its line feed, `old` what the source says.

    `number` counts from 1 in the text of the source and is 0 for a line that was added; `at` is its offset
    in that text and `group` the stretch of frames that it stands in. `moved` tells that it says the same as in the
    source, under another number. Positions move again and again while a log is mended, and so do the numbers of turns and
    steps, so that the text with the new ones is made once somebody asks for it.
    """

    __slots__ = ("_count", "_late", "_moves", "_numbers", "_seq", "_text", "at", "group", "moved", "number", "old")

    def __init__(self, *, text: bytes, old: bytes = b"", number: int = 0, at: int = 0, group: int = -1) -> None:
        self._text = text
        self.old = old
        self.number = number
        self.at = at
        self.group = group
        self.moved = False
        self._moves: Moves | None = None
        self._numbers: tuple[Numbering, ...] = ()
        self._seq = _UNREAD
        self._count = 0
        self._late: bool | None = None

    @property
    def text(self) -> bytes:
        """Give what it says now."""
        if self._moves is not None:
            self._text = moved_text(self._text, self._moves, self._moves.version) or self._text
            self._moves = None
        if self._numbers:
            self._text = renumbered_text(self._text, self._numbers)
            self._numbers = ()
        return self._text

    @property
    def touched(self) -> bool:
        """Tell whether it says something else than in the source."""
        return self.text != self.old

    @property
    def row(self) -> dict[str, Any] | None:
        """Give the record; None for what is no JSON object. It is parsed each time: a log is large."""
        value = value_of(self.text)
        return value if type(value) is dict else None

    @property
    def seq(self) -> int | None:
        """Give the seq that it claims."""
        self._look()
        return None if self._seq == _NONE else self._seq

    @property
    def count(self) -> int:
        """Count the events that it holds; what is no record counts as none."""
        self._look()
        return self._count

    def _look(self) -> None:
        if self._seq != _UNREAD:
            return
        row = self.row
        seq = None if row is None else as_count(row.get("seq", row.get("seq0")))
        self._seq = _NONE if seq is None else seq
        self._count = 0 if row is None else members_of(row)

    def names_later(self, version: int) -> bool:
        """Tell whether it names its own position or a later one, which it does no less once all of them have moved."""
        if self._late is None:
            self._late = names_later(self.text, version)
        return self._late

    def saying(self, text: bytes) -> Line:
        """Give the line with another text."""
        return Line(text=text, old=self.old, number=self.number, at=self.at, group=self.group)

    def shifted(self, shift: Shift, version: int, known: dict[Moves | None, Moves]) -> Line:
        """Give the line as it is once positions have moved; `known` keeps what lines have in common."""
        made = self._again()
        made._seq = _NONE if self._seq == _NONE else position(self._seq, shift)
        if shift.own_only:
            made._text = moved_text(self.text, shift, version) or self.text
            made._moves, made._numbers, made._late = None, (), None
            return made
        if self._moves not in known:
            known[self._moves] = Moves(version, *(self._moves.shifts if self._moves else ()), shift)
        made._moves = known[self._moves]
        return made

    def renumbered(self, move: Numbering, known: dict[tuple[Numbering, ...], tuple[Numbering, ...]]) -> Line:
        """Give the line as it is once turns have other numbers; `known` keeps what lines have in common."""
        made = self._again()
        made._numbers = known.setdefault(self._numbers, (*self._numbers, move))
        return made

    def _again(self) -> Line:
        """Give the line once more, which says the same as in the source if this one does."""
        self._look()
        made = self.saying(self._text)
        made.moved = self.moved or (self._moves is None and not self._numbers and not self.touched)
        made._seq, made._count, made._late = self._seq, self._count, self._late
        made._moves, made._numbers = self._moves, self._numbers
        return made

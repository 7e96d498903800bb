"""Tables of text: columns that fit the terminal, the last one taking what is left."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.render.words import PREVIEW, cut, path_name, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.render.look import Look

GAP = "  "
MEASURED = 500  # rows that decide how wide the columns are; later ones may push their last cell to the right

_READABLE = 24  # columns that the last cell should have before optional columns are given up
_JOINER = "\u200d"
_FLAG_LETTERS = frozenset(chr(number) for number in range(0x1F1E6, 0x1F200))  # a pair is one flag

Cells = Callable[[str], int]


class Column(NamedTuple):
    """One column: its heading, the words of a row in it, and how they stand.

    An `optional` column is left out where the last cell would have too little room: that of the greatest number first,
    of equal ones the last.
    `limit` is the greatest width; a longer cell is cut, also one longer than those that decided the width, unless it
    is a number or has to stay `whole`. One with a `least` width gives up room down to that, where no optional column
    is left to give up. `style` names what colours a cell, by its row.
    """

    head: str
    cell: Callable[[Any], str]
    right: bool = False
    optional: int = 0
    limit: int | None = None
    style: Callable[[Any], str] | None = None
    whole: bool = False
    least: int | None = None


class Table:
    """The columns that fit, as wide as their widest cell; the last cell takes what is left."""

    def __init__(
        self, columns: Iterable[Column], last: str, words: Callable[[Any], str], look: Look, rows: Iterable[Any]
    ) -> None:
        """Take columns, the heading and the words of the last one, and rows that decide the widths."""
        self._look = look
        self._cells = cells = measure(look)
        self._last, self._words = last, words
        sample = list(rows)
        self._columns = {
            column: max(
                cells(column.head),
                *(min(cells(column.cell(row)), column.limit or PREVIEW) for row in sample),
                0,
            )
            for column in columns
        }
        self._left_out: list[str] = []
        if look.width:
            needed = max((cells(text) for text in (last, *map(words, sample))), default=0)
            self._make_room(look.width - min(needed, _READABLE))

    def _make_room(self, room: int) -> None:
        """Give up optional columns, then room, so that all columns fit into so much."""
        heads = [column.head for column in self._columns]
        optional = sorted((column for column in self._columns if column.optional), key=lambda one: one.optional)
        while self._taken > room and optional:
            column = optional.pop()
            del self._columns[column]
            self._left_out.append(column.head)
        self._left_out.sort(key=heads.index)
        for column in self._columns:
            if column.least is not None and self._taken > room:
                self._columns[column] = max(column.least, self._columns[column] + room - self._taken)

    @property
    def _taken(self) -> int:
        return sum(self._columns.values()) + len(GAP) * len(self._columns)

    def head(self) -> str:
        """Give the line of headings."""
        words = GAP.join(
            _padded(column.head, width - len(column.head), right=column.right)
            for column, width in self._columns.items()
        )
        line = f"{words}{GAP}{self._last}".rstrip()
        return self._look.paint("dim", fit(line, self._look.width, self._cells) if self._look.width else line)

    def left_out(self) -> Iterator[str]:
        """Yield a line, in a narrow terminal more, that names the columns for which there was no room."""
        if self._left_out:
            words = f"left out at this width: {', '.join(self._left_out)}"
            yield from (self._look.paint("dim", line) for line in folded(words, self._look, indent=""))

    def row(self, row: Any) -> str:  # noqa: ANN401 - whatever the columns understand
        """Give the line of one row."""
        parts = []
        over = 0  # columns that numbers need beyond the width that was measured
        for column, width in self._columns.items():
            value = column.cell(row)
            if not (column.right or column.whole):
                value = fit(value, width, self._cells)
            space = width - self._cells(value)
            over -= min(space, 0)
            painted = value if column.style is None else self._look.paint(column.style(row), value)
            parts.append(_padded(painted, space, right=column.right))
        words = self._words(row)
        if self._look.width:
            words = fit(words, max(self._look.width - self._taken - over, 1), self._cells)
        else:
            words = cut(words, PREVIEW)
        parts.append(words)
        return GAP.join(parts).rstrip()


def table_lines(  # noqa: PLR0913 - as Table
    columns: Iterable[Column],
    last: str,
    words: Callable[[Any], str],
    rows: Iterable[Any],
    look: Look,
    *,
    above: Callable[[Any], Iterable[str]] | None = None,
    below: Callable[[Any], Iterable[str]] | None = None,
    behind: Callable[[], Iterable[str]] | None = None,
    tell: bool = True,
) -> Iterator[str]:
    """Yield headings and rows, each row as soon as it comes once the first ones have decided the widths.

    `above` and `below` give the lines around a row, `behind` those behind the last one. `tell` says at the end which columns had no room.
    """
    rest = iter(rows)
    sample = list(islice(rest, MEASURED))
    if not sample:
        return
    table = Table(columns, last, words, look, sample)
    yield table.head()
    for row in chain(sample, rest):
        if above is not None:
            yield from above(row)
        yield table.row(row)
        if below is not None:
            yield from below(row)
    if behind is not None:
        yield from behind()
    if tell:
        yield from table.left_out()


def measure(look: Look) -> Cells:
    """Give the function that counts columns; without a terminal a code point is one column."""
    if not look.width:
        return len
    from rich.cells import cell_len

    return cell_len


def fit(text: str, room: int, cells: Cells) -> str:
    """Cut a text to so many columns, with an ellipsis where something was left out."""
    if len(text) * 2 <= room or cells(text) <= room:
        return text
    # A grapheme may have many code points and no column of its own, so the cut is found by halving.
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if cells(text[:middle]) <= room - 1:
            low = middle
        else:
            high = middle - 1
    while low and _inside(text, low):
        low -= 1
    return text[:low].rstrip() + "…"


def folded(words: str, look: Look, indent: str = "     ") -> Iterator[str]:
    """Yield an indented line, in a terminal broken between words where it is too wide."""
    cells = measure(look)
    line = indent
    for word in words.split(" "):
        if look.width and line.strip() and cells(line) + 1 + cells(word) > look.width:
            yield line
            line = indent + GAP
        line = line + word if not line.strip() else f"{line} {word}"
    yield line


def heading(path: str, words: str, look: Look) -> Iterator[str]:
    """Yield `path: words`; in a terminal that is too narrow for both the words below, broken between them."""
    name = path_name(path)
    cells = measure(look)
    bold = look.paint("bold", name)
    if not look.width or cells(name) + 2 + cells(words) <= look.width:
        yield f"{bold}: {words}"
        return
    yield f"{bold}:"
    yield from folded(words, look, indent=GAP)


def labelled(label: str, words: str, look: Look, *, width: int = 10) -> Iterator[str]:
    """Yield `label words`, the words from one column on, in a terminal broken between them."""
    for number, line in enumerate(folded(words, look, indent=" " * (width + 2))):
        yield line if number else f"  {label:<{width}}{line[width + 2 :]}"


def whole(text: str, indent: str = "     ") -> Iterator[str]:
    """Yield a whole text line by line, indented, nothing in it left raw but tabs."""
    for line in text.split("\n"):
        yield (indent + "\t".join(visible(part) for part in line.removesuffix("\r").split("\t"))).rstrip(" ")


def _padded(text: str, space: int, *, right: bool) -> str:
    return " " * space + text if right else text + " " * space


def _inside(text: str, at: int) -> bool:
    """Tell whether a cut before `at` would split what is drawn as one sign."""
    here = text[at]
    if here == _JOINER or text[at - 1] == _JOINER or unicodedata.category(here) in ("Mn", "Me", "Sk"):
        return True
    run = at
    while run and text[run - 1] in _FLAG_LETTERS:
        run -= 1
    return here in _FLAG_LETTERS and (at - run) % 2 == 1

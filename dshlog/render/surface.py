"""The surface as a table: what the model sees now."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dshlog.render.look import PLAIN, Look
from dshlog.render.words import PREVIEW, count, cut, joined, listed, one_line, path_name, value_word, visible

if TYPE_CHECKING:
    from dshlog.model.view import SurfaceRow, SurfaceView

GAP = "  "
_SOURCE_WIDTH = 18  # columns of the source kind in a terminal, 40 code points elsewhere
_SOURCE_LENGTH = 40
_READABLE = 24  # columns that a preview should have before optional columns are given up

_JOINER = "\u200d"
_FLAG_LETTERS = frozenset(chr(number) for number in range(0x1F1E6, 0x1F200))  # a pair is one flag

Cells = Callable[[str], int]


class _Column(NamedTuple):
    head: str
    cell: Callable[[SurfaceRow], str]
    right: bool = False
    optional: bool = False

    def padded(self, text: str, space: int) -> str:
        return " " * space + text if self.right else text + " " * space


def role_word(row: SurfaceRow) -> str:
    """Give the role of a row; a dash where the node derives no message."""
    return "-" if row.role is None else visible(row.role)


def turn_word(row: SurfaceRow) -> str:
    """Give `turn/step`, the step left out where none was open."""
    turn = value_word(row.turn)
    return turn if row.step is None else f"{turn}/{value_word(row.step)}"


def preview_words(row: SurfaceRow) -> str:
    """Give the text of a row on one line, not cut."""
    return visible(one_line(row.text)) or "(no text)"


_COLUMNS = (
    _Column("pos", lambda row: str(row.position), right=True),
    _Column("seq", lambda row: str(row.seq), right=True),
    _Column("role", role_word),
    _Column("turn", turn_word, optional=True),
    _Column("chars", lambda row: str(row.chars), right=True),
    _Column("source", lambda row: cut(value_word(row.source), _SOURCE_LENGTH), optional=True),
)


def surface_lines(view: SurfaceView, look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield the head line, then one row per node and below it what the node replaced.

    Args:
        view: what to show.
        look: with a width no line of the table is wider than that, and columns that matter least go
            first; without one the layout is fixed and previews end after `PREVIEW` code points.
        full: the whole text below every row, indented, in place of the preview's cut end.
    """
    yield head_line(view, look)
    if not view.rows:
        yield "the surface is empty"
        return
    yield from node_lines(view.rows, look, full=full)


def head_line(view: SurfaceView, look: Look = PLAIN) -> str:
    """Give path, generation, seq and size of a surface on one line."""
    return f"{look.paint('bold', path_name(view.path))}: " + joined(
        (
            "" if view.version is None else f"v{view.version}",
            "at the end" if view.at is None else f"after seq {view.at}",
            count(len(view.nodes), "node"),
            count(len(view.replacements), "replacement"),
        )
    )


def node_lines(rows: tuple[SurfaceRow, ...], look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield the rows of the table under their headings."""
    table = _Table(rows, look)
    yield table.head()
    for row in rows:
        yield table.row(row)
        if row.replaced:
            yield from _folded(f"replaces {listed(row.replaced)}", look)
        if full:
            yield from _whole(row.text)


class _Table:
    """The columns that fit, as wide as their widest cell; the preview takes what is left."""

    def __init__(self, rows: tuple[SurfaceRow, ...], look: Look) -> None:
        self._look = look
        self._cells = cells = _measure(look)
        limit = _SOURCE_WIDTH if look.width else _SOURCE_LENGTH
        self._columns = {
            column: max(cells(column.head), *(min(cells(column.cell(row)), limit) for row in rows))
            for column in _COLUMNS
        }
        while look.width and self._room < _READABLE:
            optional = [column for column in self._columns if column.optional]
            if not optional:
                break
            del self._columns[optional[-1]]

    @property
    def _room(self) -> int:
        taken = sum(self._columns.values()) + len(GAP) * len(self._columns)
        return max((self._look.width or 0) - taken, 1)

    def head(self) -> str:
        """Give the line of headings."""
        words = GAP.join(
            column.padded(column.head, width - len(column.head)) for column, width in self._columns.items()
        )
        return self._look.paint("dim", f"{words}{GAP}preview")

    def row(self, row: SurfaceRow) -> str:
        """Give the line of one node."""
        parts = []
        for column, width in self._columns.items():
            value = _fit(column.cell(row), width, self._cells)
            space = width - self._cells(value)
            painted = self._look.paint(row.role or "", value) if column.head == "role" else value
            parts.append(column.padded(painted, space))
        words = preview_words(row)
        parts.append(_fit(words, self._room, self._cells) if self._look.width else cut(words, PREVIEW))
        return GAP.join(parts).rstrip()


def _folded(words: str, look: Look) -> Iterator[str]:
    """Yield an indented line, in a terminal broken between words where it is too wide."""
    indent = "     "
    line = indent
    for word in words.split(" "):
        if look.width and line.strip() and len(line) + 1 + len(word) > look.width:
            yield line
            line = indent + GAP
        line = line + word if not line.strip() else f"{line} {word}"
    yield line


def _whole(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield ("     " + "\t".join(visible(part) for part in line.removesuffix("\r").split("\t"))).rstrip(" ")


def _measure(look: Look) -> Cells:
    """Give the function that counts columns; without a terminal a code point is one column."""
    if not look.width:
        return len
    from rich.cells import cell_len

    return cell_len


def _fit(text: str, room: int, cells: Cells) -> str:
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


def _inside(text: str, at: int) -> bool:
    """Tell whether a cut before `at` would split what is drawn as one sign."""
    here = text[at]
    if here == _JOINER or text[at - 1] == _JOINER or unicodedata.category(here) in ("Mn", "Me", "Sk"):
        return True
    run = at
    while run and text[run - 1] in _FLAG_LETTERS:
        run -= 1
    return here in _FLAG_LETTERS and (at - run) % 2 == 1

"""The surface as a table: what the model sees now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.extent import extent
from dshlog.render.look import PLAIN, Look
from dshlog.render.table import GAP, Column, folded, heading, table_lines, whole
from dshlog.render.words import LISTED, count, cut, joined, listed, one_line, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.report import Report
    from dshlog.model.surface import Inside
    from dshlog.model.view import SurfaceRow, SurfaceView

_SOURCE_WIDTH = 18  # columns of the source kind in a terminal, 40 code points elsewhere
_SOURCE_LENGTH = 40
_DEEP = 8  # replacements inside each other that are indented further


def role_word(row: SurfaceRow) -> str:
    """Give the role of a row; a dash where the node derives no message."""
    return "-" if row.role is None else visible(row.role)


def turn_word(row: SurfaceRow) -> str:
    """Give `turn/step`, the step left out where none was open."""
    turn = value_word(row.turn)
    return turn if row.step is None else f"{turn}/{value_word(row.step)}"


def preview_words(row: SurfaceRow) -> str:
    """Give the text of a row on one line, not cut."""
    empty = f"({visible(row.type)} without content: no message)" if row.role is None else "(no text)"
    return visible(one_line(row.text)) or empty


def inside_words(found: tuple[Inside, ...]) -> Iterator[tuple[str, str]]:
    """Yield indent and words for each replacement inside another; of many the first ones."""
    for one in found[:LISTED]:
        yield GAP * min(one.depth, _DEEP), f"{one.seq} had replaced {listed(one.shadowed)}"
    if len(found) > LISTED:
        yield GAP, f"and {count(len(found) - LISTED, 'replacement')} more inside; --json lists all"


def _columns(look: Look) -> tuple[Column, ...]:
    return (
        Column("pos", lambda row: str(row.position), right=True),
        Column("seq", lambda row: str(row.seq), right=True),
        Column("role", role_word, style=lambda row: row.role or ""),
        Column("turn", turn_word, optional=1, whole=True),
        Column("chars", lambda row: str(row.chars), right=True),
        Column(
            "source",
            lambda row: cut(value_word(row.source), _SOURCE_LENGTH),
            optional=1,
            limit=_SOURCE_WIDTH if look.width else _SOURCE_LENGTH,
        ),
    )


def surface_lines(view: SurfaceView, report: Report, look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield the head line, then one row per node and below it what the node replaced.

    Args:
        view: what to show.
        report: on the log; says how far the view goes.
        look: with a width no line of the table is wider than that, and columns that matter least go
            first; without one the layout is fixed and previews end after `PREVIEW` code points.
        full: the whole text below every row, indented, in place of the preview's cut end.
    """
    yield from _head(view, report, look)
    if not view.rows:
        yield "the surface is empty"
        return
    yield from node_lines(view.rows, look, full=full)


def _head(view: SurfaceView, report: Report, look: Look) -> Iterator[str]:
    """Give path, generation, extent and size of a surface."""
    facts = (
        "" if view.version is None else f"v{view.version}",
        extent(report, view.at),
        count(len(view.nodes), "node"),
        count(len(view.replacements), "replacement"),
    )
    return heading(view.path, joined(facts), look)


def node_lines(
    rows: tuple[SurfaceRow, ...], look: Look = PLAIN, *, full: bool = False, tell: bool = True
) -> Iterator[str]:
    """Yield the rows of the table under their headings; `tell` says which columns had no room."""

    def below(row: SurfaceRow) -> Iterator[str]:
        if row.replaced:
            yield from folded(f"replaces {listed(row.replaced)}", look)
            for indent, words in inside_words(row.inside):
                yield from folded(words, look, "     " + indent)
        if full:
            yield from whole(row.text)

    yield from table_lines(_columns(look), "preview", preview_words, rows, look, below=below, tell=tell)

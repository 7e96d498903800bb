"""The zstd frames of one log as a table, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.look import PLAIN, Look
from dshlog.render.table import Column, folded, table_lines
from dshlog.render.words import count, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.lens import FrameRow
    from dshlog.render.jsonout import Json


def _number(value: float | None) -> str:
    return "-" if value is None else str(value)


_COLUMNS = (
    Column("frame", lambda row: str(row.index), right=True),
    Column("offset", lambda row: str(row.offset), right=True),
    Column("bytes", lambda row: str(row.size), right=True),
    Column("decoded", lambda row: _number(row.decoded), right=True),
    Column("ratio", lambda row: "-" if row.ratio is None else f"{row.ratio:.2f}", right=True),
    Column("rows", lambda row: _number(row.rows), right=True),
)


def frame_lines(rows: Iterable[FrameRow], look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield a line per frame and one for all; with `full` the types of the records that end in each."""
    size = decoded = records = number = 0

    def counted() -> Iterator[FrameRow]:
        nonlocal size, decoded, records, number
        for row in rows:
            number, size = number + 1, size + row.size
            decoded, records = decoded + (row.decoded or 0), records + (row.rows or 0)
            yield row

    def below(row: FrameRow) -> Iterator[str]:
        if full and row.types:
            words = (visible(kind) + (f" x{many}" if many > 1 else "") for kind, many in row.types.items())
            yield from folded(", ".join(words), look)

    yield from table_lines(_COLUMNS, "", _note, counted(), look, below=below)
    if not number:
        yield "no frame"
        return
    ratio = f", {decoded / size:.2f} times" if size else ""
    words = f"{count(number, 'frame')}: {count(size, 'byte')} hold {count(decoded, 'byte')} of text{ratio}"
    yield from folded(f"{words}, {count(records, 'row')}", look, indent="")


def _note(row: FrameRow) -> str:
    if row.torn:
        return "torn"
    if row.decoded is None:
        return "does not decompress, or its checksum is wrong"
    return "" if row.index else "header"


def frame_dict(row: FrameRow, *, full: bool = False) -> Json:
    """Give one frame with every key; `types` is null unless the whole was asked for."""
    return {
        "index": row.index,
        "offset": row.offset,
        "bytes": row.size,
        "decoded": row.decoded,
        "ratio": row.ratio,
        "rows": row.rows,
        "torn": row.torn,
        "types": row.types if full else None,
    }

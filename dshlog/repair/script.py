"""The bytes of a result: ranges of the source as they are, and new lines framed as dsh frames them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.repair.plan import Copy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.report import Encoding
    from dshlog.repair.plan import Batch
    from dshlog.storage.source import Source


def result(script: Iterable[Copy | Batch], source: Source, encoding: Encoding | None) -> Iterator[bytes]:
    """Yield the bytes of the result in order.

    Args:
        script: of a plan.
        source: the log that the plan was made for.
        encoding: its container, which the result keeps.
    """
    for piece in script:
        if isinstance(piece, Copy):
            yield from source.chunks(piece.start, piece.end)
        elif encoding == "zstd":
            yield _frame(piece)
        else:
            yield b"".join(piece.lines)


def _frame(batch: Batch) -> bytes:
    from dshlog.storage.zstd import FrameMaker

    return FrameMaker().frame(batch.lines)

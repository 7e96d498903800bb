"""Compare what two logs say, line by line and without holding either: the proof that a rewriting lost nothing."""

from __future__ import annotations

from itertools import chain, groupby, zip_longest
from operator import eq
from typing import TYPE_CHECKING, Any

from dshlog.codec.chunklines import BadRowError, chunk_events, chunks_of, names_chunk, packed_row, parsed_events
from dshlog.codec.chunkruns import expand_row
from dshlog.fold.stream import StreamError, expand_stream
from dshlog.report.repack import PACKED_UNTIL, stream_of
from dshlog.report.rewrite import text_pieces
from dshlog.storage.jsontext import same
from dshlog.storage.lines import Lines
from dshlog.storage.source import WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.report import Encoding
    from dshlog.storage.source import Source

_END = (object(),)


def difference(
    first: tuple[Source, Encoding | None], second: tuple[Source, Encoding | None], version: int
) -> int | None:
    """Give the number of the first record at which two logs say something else; None when there is none.

    Chunk events are compared whether they are packed or not, embedded streams chunk by chunk, everything
    else byte by byte. The header is record 0; members of a packed row count one by one.

    Args:
        first: a log and its container.
        second: another.
        version: the generation of both.
    """
    if version >= PACKED_UNTIL:
        pairs = zip_longest(_lines(*first), _lines(*second))
        return next((at for at, (a, b) in enumerate(pairs) if a != b and not _same_stream(a, b)), None)
    if all(map(eq, chain(_events(*first, version), _END), chain(_events(*second, version), _END))):
        return None
    # The quick look takes some numbers for different that JavaScript cannot tell apart.
    pairs = zip_longest(_said(*first, version), _said(*second, version))
    return next((at for at, (a, b) in enumerate(pairs) if a != b), None)


def same_bytes(first: Source, second: Source) -> bool:
    """Tell whether two sources hold the same bytes."""
    return first.size == second.size and all(
        piece == second.read(at * WINDOW, WINDOW) for at, piece in enumerate(first.chunks())
    )


def _events(source: Source, encoding: Encoding | None, version: int) -> Iterator[Any]:
    """Yield every chunk event as it is read, whether it is packed or not, and every other line as bytes."""
    lines = Lines()
    for piece in text_pieces(source, encoding):
        for chunks, group in groupby(lines.feed(piece), names_chunk):
            if chunks:
                yield from parsed_events(list(group))
                continue
            for line in group:
                row = _row(line, version)
                if row is None:
                    yield line
                else:
                    yield from expand_row(row)
    if lines.rest_length:
        yield lines.rest


def _row(line: bytes, version: int) -> dict[str, Any] | None:
    try:
        return packed_row(line, version)
    except BadRowError:
        return None


def _lines(source: Source, encoding: Encoding | None) -> Iterator[bytes]:
    lines = Lines()
    for piece in text_pieces(source, encoding):
        yield from lines.feed(piece)
    if lines.rest_length:
        yield lines.rest


def _said(source: Source, encoding: Encoding | None, version: int) -> Iterator[Any]:
    return chain.from_iterable(_parts(line, version) for line in _lines(source, encoding))


def _parts(line: bytes, version: int) -> Any:  # noqa: ANN401 - an iterable of what can be compared
    """Give the chunks of a line, else the line."""
    if names_chunk(line):
        return (next(chunk_events([line])) or line,)
    row = _row(line, version)
    return (line,) if row is None else chunks_of(row)


def _same_stream(a: bytes | None, b: bytes | None) -> bool:
    """Tell whether two lines hold one event with two spellings of its stream."""
    if a is None or b is None:
        return False
    left, right = stream_of(a), stream_of(b)
    if left is None or right is None:
        return False
    try:
        chunks = [[[time, chunk] for time, chunk in expand_stream(stream)] for _, stream in (left, right)]
    except StreamError:
        return False
    bare = [{**event, "data": {**event["data"], "stream": None}} for event, _ in (left, right)]
    return same(chunks[0], chunks[1], zero_sign=True) and same(bare[0], bare[1], zero_sign=True)

"""The turns of one log as a table, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.look import PLAIN, Look
from dshlog.render.table import Column, Table
from dshlog.render.times import duration, stamp
from dshlog.render.words import joined, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dshlog.model.lens import Span
    from dshlog.render.jsonout import Json


def _many(number: int) -> str:
    return str(number) if number else "-"


def _tokens(span: Span) -> str:
    tokens = span.tokens
    return "-" if tokens.input is None and tokens.output is None else f"{tokens.input or 0}+{tokens.output or 0}"


def end_words(span: Span) -> str:
    """Say how a turn ended."""
    if span.end is None:
        return "open"
    return joined((visible(span.reason or "no reason given"), visible(span.detail or "")), ": ")


def _tokens_of(row: tuple[Span | None, Span]) -> str:
    return _tokens(row[1])


def _name(row: tuple[Span | None, Span]) -> str:
    turn, span = row
    return value_word(span.number) if turn is None else f"{value_word(turn.number)}/{value_word(span.number)}"


def _requests(row: tuple[Span | None, Span]) -> str:
    names = row[1].requests
    return "-" if not names else names[0] if len(names) == 1 else f"{names[0]}..{names[-1]}"


def _end(row: tuple[Span | None, Span]) -> str:
    turn, span = row
    if turn is not None:
        return "" if span.end is not None else "open"
    return joined((end_words(span), "inherited" if span.inherited else ""))


_COLUMNS = (
    Column("turn", _name, right=True),
    Column("seqs", lambda row: f"{row[1].seq}..{'' if row[1].end is None else row[1].end}"),
    Column("started (UTC)", lambda row: stamp(row[1].time), optional=4),
    Column("took", lambda row: duration(row[1].duration), right=True),
    Column("steps", lambda row: _many(len(row[1].steps)), right=True, optional=2),
    Column("answers", lambda row: _many(row[1].answers), right=True, optional=3),
    Column("attempts", lambda row: _many(row[1].attempts), right=True, optional=3),
    Column("calls", lambda row: _many(row[1].calls), right=True),
    Column("failed", lambda row: _many(row[1].failures), right=True),
    Column("requests", _requests, right=True, optional=1),
    Column("tokens in+out", _tokens_of, right=True, optional=3),
)


def turn_lines(turns: Sequence[Span], look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield a line per turn; with `full` one for each of its steps below."""
    rows: list[tuple[Span | None, Span]] = []
    for turn in turns:
        rows.append((None, turn))
        if full:
            rows += [(turn, step) for step in turn.steps]
    if not rows:
        yield "no turn has begun"
        return
    table = Table(_COLUMNS, "end", _end, look, rows)
    yield table.head()
    yield from map(table.row, rows)
    yield from table.left_out()


def turn_dict(span: Span) -> Json:
    """Give one turn with every key, its steps inside."""
    return {
        "turn": _number(span),
        **_span_dict(span),
        "inherited": span.inherited,
        "reason": span.reason,
        "detail": span.detail,
        "steps": [{"step": _number(step), **_span_dict(step)} for step in span.steps],
    }


def _number(span: Span) -> object:
    from dshlog.render.jsonout import scalar

    return scalar(span.number)


def _span_dict(span: Span) -> Json:
    from dshlog.render.jsonout import scalar

    tokens = span.tokens
    return {
        "seq": span.seq,
        "end": span.end,
        "time": scalar(span.time),
        "duration": span.duration,
        "answers": span.answers,
        "attempts": span.attempts,
        "calls": span.calls,
        "failures": span.failures,
        "requests": list(span.requests),
        "tokens": {
            "input": tokens.input,
            "output": tokens.output,
            "cacheRead": tokens.cache_read,
            "cacheWrite": tokens.cache_write,
            "reasoning": tokens.reasoning,
        },
    }

"""A model call with its timing, in words and as a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.look import PLAIN, Look
from dshlog.render.table import GAP, folded, heading, labelled
from dshlog.render.words import count, joined, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.stream import StreamView
    from dshlog.render.jsonout import Json

BARS = " ▁▂▃▄▅▆▇█"
_COLUMNS = 60  # of a plot outside a terminal
_MARGIN = 4  # columns beside it
_SECOND = 1000  # ms


def stream_lines(view: StreamView, look: Look = PLAIN) -> Iterator[str]:
    """Yield what a call held, when it came, and how its text came over time."""
    where = f"turn {value_word(view.turn)}, step {value_word(view.step)}, attempt {view.attempt}"
    yield from heading(view.path, f"{visible(view.type)} {view.seq}, {where}", look)
    for label, words in _facts(view):
        if words:
            yield from labelled(label, words, look)
    yield from plot_lines(view, look)


def _facts(view: StreamView) -> Iterator[tuple[str, str]]:
    parts = [f"{part.fragments} {part.kind} ({count(part.chars, 'character')})" for part in view.parts]
    yield "chunks", f"{view.chunks}" + (f": {joined(parts)}" if parts else "")
    token = view.token
    if token is not None:
        behind = "" if view.began is None else f"{duration(token - view.began)} after its step or retry began"
        yield "first", joined((behind, f"{duration(token - view.first)} after the first chunk"))
    yield "lasted", duration(view.last - view.first)
    if view.chars_per_second is not None:
        yield "rate", f"{view.chars_per_second:g} characters and {view.fragments_per_second:g} fragments a second"
    gaps = view.gaps
    if gaps is not None:
        most = f"median {duration(gaps.median)}, 95 % up to {duration(gaps.p95)}"
        yield "gaps", f"{most}, longest {duration(gaps.longest)} from {duration(gaps.after)} on"
    if isinstance(view.usage, dict):
        yield "usage", joined(f"{visible(name)} {value_word(value)}" for name, value in view.usage.items())
    if isinstance(view.finish, dict):
        yield "finish", joined((value_word(view.finish.get("kind")), _failure(view.finish.get("failure"))), ": ")


def _failure(failure: object) -> str:
    if not isinstance(failure, dict):
        return ""
    return joined(value_word(failure[name]) for name in ("code", "message") if failure.get(name) is not None)


def plot_lines(view: StreamView, look: Look = PLAIN) -> Iterator[str]:
    """Yield characters over time as bars, one column for each slice of the call."""
    columns = min(_COLUMNS, (look.width or _COLUMNS + _MARGIN) - _MARGIN)
    if len(view.tokens) < 2 or columns < 2:  # noqa: PLR2004 - there is nothing to compare
        return
    start, end = view.tokens[0][0], max(at for at, _ in view.tokens)
    if end <= start:
        return
    sums = [0] * columns
    for at, chars in view.tokens:
        sums[min(columns - 1, max(0, (at - start) * columns // (end - start)))] += chars
    top = max(sums)
    if not top:
        return
    bars = "".join(BARS[-(-value * (len(BARS) - 1) // top)] for value in sums)
    yield f"  {bars.rstrip()}"
    left, right = duration(start), duration(end)
    axis = f"{GAP}{left}{right:>{max(columns - len(left), len(right) + 1)}}"
    scale = f"a column is {duration(-(-(end - start) // columns))}"
    if look.width and len(axis) + len(scale) + len("; ") > look.width:
        yield axis
        yield from folded(scale, look, indent=GAP)
    else:
        yield f"{axis}; {scale}"


def duration(ms: int) -> str:
    """Give a time span as people say it."""
    if -_SECOND < ms < _SECOND:
        return f"{ms} ms"
    return f"{ms / _SECOND:.1f} s" if abs(ms) < 100 * _SECOND else f"{ms / _SECOND / 60:.1f} min"


def stream_dict(view: StreamView) -> Json:
    """Give the document of `show --stream --json`."""
    from dshlog.render.jsonout import SCHEMA

    gaps = view.gaps
    return {
        "schema": SCHEMA,
        "path": view.path,
        "version": view.version,
        "seq": view.seq,
        "type": view.type,
        "turn": view.turn,
        "step": view.step,
        "attempt": view.attempt,
        "began": view.began,
        "first": view.first,
        "token": view.token,
        "last": view.last,
        "chunks": view.chunks,
        "parts": [{"kind": part.kind, "fragments": part.fragments, "chars": part.chars} for part in view.parts],
        "gaps": gaps
        and {
            "count": gaps.count,
            "median": gaps.median,
            "p95": gaps.p95,
            "longest": gaps.longest,
            "after": gaps.after,
        },
        "chars_per_second": view.chars_per_second,
        "fragments_per_second": view.fragments_per_second,
        "usage": view.usage,
        "finish": view.finish,
        "tokens": [list(pair) for pair in view.tokens],
    }

"""The transcript of one log in words, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.events import turn_word
from dshlog.render.look import PLAIN, Look
from dshlog.render.table import Column, fit, folded, measure, table_lines, whole
from dshlog.render.times import clock, duration
from dshlog.render.words import PREVIEW, cut, joined, one_line, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dshlog.model.lens import Answer, Called, Said
    from dshlog.render.jsonout import Json

_INDENT = "     "
_SOURCE = 18


def _role(row: Said) -> str:
    return "end" if row.type == "turn/end" else "-" if row.role is None else visible(row.role)


_COLUMNS = (
    Column("seq", lambda row: str(row.seq), right=True),
    Column("time", lambda row: clock(row.time), optional=1),
    Column("role", _role, style=lambda row: row.role or ""),
    Column("turn", lambda row: turn_word(row.turn, row.step), optional=1, whole=True),
    Column("chars", lambda row: "" if row.type == "turn/end" else str(row.chars), right=True),
    Column("source", lambda row: cut(value_word(row.source), _SOURCE), optional=1, limit=_SOURCE),
)


def transcript_lines(rows: Sequence[Said], look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield a line per message, its calls below with what came of them, and what replaced it later.

    With `full` whole texts, arguments and results stand below.
    """
    if not rows:
        yield "nothing was said"
        return
    inherited = False

    def above(row: Said) -> Iterator[str]:
        nonlocal inherited
        if inherited and not row.inherited:
            yield look.paint("dim", "-- what stands above was inherited")
        inherited = row.inherited

    def below(row: Said) -> Iterator[str]:
        if row.interrupted:
            yield f"{_INDENT}interrupted"
        if row.replaced_by is not None:
            made = f" ({visible(row.replacement)})" if row.replacement else ""
            yield from folded(f"replaced by {row.replaced_by}{made}", look)
        if full and row.text and row.type != "turn/end":
            yield from whole(row.text)
        for call in row.calls:
            yield from _call_lines(call, look, full=full)

    yield from table_lines(_COLUMNS, "text", _text, rows, look, above=above, below=below)


def _text(row: Said) -> str:
    if not row.text and row.calls:
        return f"({len(row.calls)} call{'s' if len(row.calls) > 1 else ''})"
    return visible(one_line(row.text)) or "(no text)"


def _call_lines(call: Called, look: Look, *, full: bool) -> Iterator[str]:
    name, arguments = value_word(call.name), call.arguments if isinstance(call.arguments, str) else ""
    yield _line(f"call {name} {visible(one_line(arguments))}", look)
    if full and arguments:
        yield from whole(arguments, _INDENT * 2)
    result = call.result
    if result is None:
        yield _line("  -> no result" if call.seq is not None else "  -> never started", look)
        return
    yield _line(f"  -> {_result_words(call, result)}: {visible(one_line(result.text)) or '(no text)'}", look)
    if full and result.text:
        yield from whole(result.text, _INDENT * 2)


def _result_words(call: Called, result: Answer) -> str:
    return joined(
        (
            f"{result.seq} {'error' if result.error else 'ok'}",
            "" if call.duration is None else duration(call.duration),
            f"{result.chars} chars",
            "" if result.replaced_by is None else f"replaced by {result.replaced_by}",
        )
    )


def _line(words: str, look: Look) -> str:
    if look.width:
        return fit(_INDENT + words, look.width, measure(look))
    return _INDENT + cut(words, PREVIEW + 40)


def said_dict(row: Said, *, full: bool = False) -> Json:
    """Give one entry with every key; texts are null unless the whole was asked for."""
    from dshlog.render.jsonout import scalar

    return {
        "seq": row.seq,
        "time": scalar(row.time),
        "type": row.type,
        "role": row.role,
        "turn": scalar(row.turn),
        "step": scalar(row.step),
        "source": row.source,
        "chars": row.chars,
        "preview": cut(one_line(row.text), PREVIEW),
        "text": row.text if full else None,
        "interrupted": row.interrupted,
        "inherited": row.inherited,
        "replacedBy": row.replaced_by,
        "replacement": row.replacement,
        "calls": [
            {
                "id": scalar(call.id),
                "name": scalar(call.name),
                "arguments": scalar(call.arguments),
                "seq": call.seq,
                "duration": call.duration,
                "result": None if call.result is None else _answer_dict(call.result, full=full),
            }
            for call in row.calls
        ],
    }


def _answer_dict(result: Answer, *, full: bool) -> Json:
    return {
        "seq": result.seq,
        "error": result.error,
        "chars": result.chars,
        "preview": cut(one_line(result.text), PREVIEW),
        "text": result.text if full else None,
        "replacedBy": result.replaced_by,
    }

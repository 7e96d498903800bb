"""A request and the difference between two, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.render.extent import flaw
from dshlog.render.jsonout import SCHEMA, scalar
from dshlog.render.look import PLAIN, Look
from dshlog.render.surface import node_lines
from dshlog.render.table import fit, folded, heading, labelled, measure, whole
from dshlog.render.words import PREVIEW, count, cut, joined, listed, one_line, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.report import Report
    from dshlog.model.request import Cause, Difference, RequestView
    from dshlog.model.view import SurfaceRow
    from dshlog.render.jsonout import Json

_LABEL = 10  # columns of the labels


def request_lines(report: Report, view: RequestView, look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield the request: config, tools, system prompt where that is no message, messages.

    With `full` whole texts, and the definition of every tool as JSON.
    """
    yield from _head(report, "what the model was given", look)
    if flaw(report):
        yield from labelled("log", flaw(report), look)
    yield from labelled("request", _name_words(view), look)
    yield from labelled("config", _config_words(view.header.get("config")), look)
    if "adapterDefaults" in view.header:
        yield from labelled("defaults", _config_words(view.header["adapterDefaults"]), look)
    if view.context is not None:
        yield from labelled("context", _config_words(view.context), look)
    names = [value_word(_member(tool, "name")) for tool in view.tools]
    yield from labelled("tools", f"{len(names)}: {', '.join(names)}" if names else "none", look)
    if full:
        for tool in view.tools:
            yield from whole(_json(tool))
    updates = (view.tool_history or {}).get("updates") or ()
    for update in updates:
        added = ", ".join(value_word(_member(tool, "name")) for tool in _member(update, "additions") or ())
        yield from labelled(
            "update", f"message {value_word(_member(update, 'messageId'))} adds {added or 'none'}", look
        )
    system = view.header.get("system")
    if system is not None:
        yield from labelled("system", cut(visible(one_line(str(system))), PREVIEW), look)
        if full:
            yield from whole(str(system))
    if not view.rows:
        yield "no message"
    else:
        yield from node_lines(view.rows, look, full=full)
    for line in folded("as the log has it; the adapter of a provider may still change the form", look, indent=""):
        yield look.paint("dim", line)


def _head(report: Report, what: str, look: Look) -> Iterator[str]:
    return heading(report.path, f"v{report.version}, {what}", look)


def request_dict(path: str, version: int | None, view: RequestView) -> Json:
    """Give a request with every key."""
    return {"schema": SCHEMA, "path": path, "version": version, **_named(view), **_body(view)}


def difference_lines(report: Report, found: Difference, look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield what differs, where the common part of the messages ends, and which events made the difference.

    With `full` the messages of both requests behind the common part.
    """
    earlier, later = found.earlier, found.later
    yield from _head(report, "what a later request changed", look)
    if flaw(report):
        yield from labelled("log", flaw(report), look)
    if earlier.name == later.name:
        yield from labelled("request", _name_words(later), look)
        yield from labelled("so", "both are the same request", look)
        return
    yield from labelled("earlier", _name_words(earlier), look)
    yield from labelled("later", _name_words(later), look)
    changed = joined((_change_words(earlier, later, name) for name in found.config), "; ")
    yield from labelled("config", changed or "the same", look)
    yield from labelled("system", "differs" if found.system else "the same", look)
    yield from labelled("tools", _tools_words(found), look)
    sizes = (
        f"{len(earlier.messages)} ({found.earlier_chars} chars) and {len(later.messages)} ({found.later_chars} chars)"
    )
    words = f"{count(found.messages, 'message')} and {count(found.chars, 'char')} are common, of {sizes}"
    yield from labelled("messages", words, look)
    if found.messages < len(earlier.rows):
        yield from labelled("ends at", f"position {found.messages}", look)
        for word, view in (("was", earlier), ("is", later)):
            if found.messages < len(view.rows):
                yield _row_line(word, view.rows[found.messages], look)
    else:
        yield from labelled("ends at", f"the end of the earlier one; {_added(found)}", look)
    for cause in found.causes:
        mark = "because" if cause == found.breaks else "also"
        yield from labelled(mark, _cause_words(cause), look)
    if full:
        for word, view in (("earlier", earlier), ("later", later)):
            rest = view.rows[found.messages :]
            if rest:
                yield f"{word}, from position {found.messages} on:"
                yield from node_lines(rest, look, full=True)


def _change_words(earlier: RequestView, later: RequestView, name: str) -> str:
    """Give a setting, what it was and what it is."""
    return f"{visible(name)} {_setting(earlier, name)} -> {_setting(later, name)}"


def _setting(view: RequestView, name: str) -> str:
    if name == "context":
        return value_word(view.context)
    config = view.header.get("config")
    held = view.header if name in ("config", "adapterDefaults") or type(config) is not dict else config
    return value_word(held[name]) if name in held else "none"


def difference_dict(path: str, version: int | None, found: Difference) -> Json:
    """Give a difference with every key."""
    earlier, later = found.earlier, found.later
    return {
        "schema": SCHEMA,
        "path": path,
        "version": version,
        "earlier": {**_named(earlier), "messages": len(earlier.messages), "chars": found.earlier_chars},
        "later": {**_named(later), "messages": len(later.messages), "chars": found.later_chars},
        "common": {"messages": found.messages, "chars": found.chars},
        "was": _row_dict(earlier.rows, found.messages),
        "is": _row_dict(later.rows, found.messages),
        "config": list(found.config),
        "system": found.system,
        "tools": {
            "added": list(found.tools_added),
            "removed": list(found.tools_removed),
            "changed": list(found.tools_changed),
            "moved": found.tools_moved,
        },
        "breaks": None if found.breaks is None else _cause_dict(found.breaks),
        "causes": [_cause_dict(cause) for cause in found.causes],
    }


def _named(view: RequestView) -> Json:
    return {
        "request": view.number,
        "call": view.call,
        "seq": view.seq,
        "first": view.first,
        "answer": view.answer,
        "answeredBy": view.answered_by,
        "turn": scalar(view.turn),
        "step": scalar(view.step),
    }


def _body(view: RequestView) -> Json:
    return {
        "header": view.header,
        "context": view.context,
        "tools": list(view.tools),
        "toolHistory": view.tool_history,
        "messages": list(view.messages),
    }


def _row_dict(rows: tuple[SurfaceRow, ...], position: int) -> Json | None:
    if position >= len(rows):
        return None
    row = rows[position]
    return {
        "position": position,
        "seq": row.seq,
        "type": row.type,
        "role": row.role,
        "chars": row.chars,
        "preview": cut(one_line(row.text), PREVIEW),
    }


def _cause_dict(cause: Cause) -> Json:
    return {
        "kind": cause.kind,
        "seq": cause.seq,
        "type": cause.type,
        "nodes": list(cause.nodes),
        "replaced": list(cause.replaced),
        "toldBy": cause.told_by,
    }


def _name_words(view: RequestView) -> str:
    place = "" if view.turn is None else f"turn {value_word(view.turn)}"
    place += "" if view.step is None else f" step {value_word(view.step)}"
    if view.answer is not None:
        told = f"answered by {view.answered_by} {view.answer}"
    elif view.first is not None:
        told = f"chunks from {view.first} on, no message"
    else:
        told = "not answered in this log"
    return joined((f"{view.name} with header {view.seq}", place, told))


def _cause_words(cause: Cause) -> str:
    if cause.type == "request/header":
        return f"{cause.kind}: request/header {cause.seq} changes it"
    if cause.kind == "offload":
        return f"offload: image/offload {cause.seq} changes {count(len(cause.nodes), 'message')}: {listed(cause.nodes)}"
    told = "" if cause.told_by is None else f" (told by {cause.told_by})"
    what = f"{cause.type} {cause.seq} replaced {count(len(cause.replaced), 'message')}{_earlier_words(cause)}"
    return f"{cause.kind}: {what}: {listed(cause.nodes)}{told}"


def _earlier_words(cause: Cause) -> str:
    """Say how many messages of the earlier request were among those replaced, or stood behind them."""
    if set(cause.nodes) == set(cause.replaced):
        return ""
    if set(cause.nodes) < set(cause.replaced):
        return f", {len(cause.nodes)} of them in the earlier request"
    return f", which stand for {len(cause.nodes)} of the earlier request"


def _tools_words(found: Difference) -> str:
    parts = (
        f"{word} {listed(names)}" if names else ""
        for word, names in (
            ("added", found.tools_added),
            ("removed", found.tools_removed),
            ("changed", found.tools_changed),
        )
    )
    words = joined((*parts, "in another order" if found.tools_moved else ""))
    return words or f"the same {len(found.later.tools)}"


def _added(found: Difference) -> str:
    number = len(found.later.messages) - found.messages
    return "nothing follows" if not number else f"{count(number, 'message')} follow{'s' if number == 1 else ''}"


def _row_line(word: str, row: SurfaceRow, look: Look) -> str:
    text = visible(one_line(row.text)) or "(no text)"
    line = f"  {word:<{_LABEL}}{row.type} {row.seq}, {count(row.chars, 'char')}: {text}"
    return fit(line, look.width, measure(look)) if look.width else cut(line, PREVIEW + 40)


def _config_words(config: object) -> str:
    if not isinstance(config, dict):
        return value_word(config)
    return ", ".join(
        f"{visible(name)} {value_word(value) if isinstance(value, str) else _json(value)}"
        for name, value in config.items()
    )


def _member(value: object, name: str) -> Any:  # noqa: ANN401 - JSON of any shape
    return value.get(name) if isinstance(value, dict) else None


def _json(value: object) -> str:
    from dshlog.storage.jsontext import dumps

    return visible(dumps(value).decode("utf-8", "replace"))

"""A plan of a repair, in words that somebody who fears for a session understands, and as JSON."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from dshlog.render.jsonout import SCHEMA, finding_dict, place_dict
from dshlog.render.look import PLAIN, Look
from dshlog.render.rows import spot_words
from dshlog.render.text import verdict_line
from dshlog.render.words import count, path_name, preview, shell_word, visible
from dshlog.repair.remedies.table import CHOICES, loses_branches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dshlog.model.finding import Finding
    from dshlog.repair.plan import Action, Lost, Plan
    from dshlog.repair.planner import Wishes

    Json = dict[str, Any]

_TOLD = 5  # findings, actions of one heading and lost records that text prints; JSON has them all
_STEMS = (
    ("keep", "what stays"),
    ("cut", "what goes"),
    ("change", "what is changed"),
    ("add", "what is added"),
)
_HEADING = {
    "keep": "keep",
    "cut": "cut",
    "drop": "cut",
    "rewrite": "change",
    "reframe": "change",
    "edit": "change",
    "renumber": "change",
    "insert": "add",
    "close": "add",
    "mark": "add",
}


def plan_lines(plan: Plan, look: Look = PLAIN) -> Iterator[str]:
    """Yield a plan: what happened, what stays, what goes, what is changed and added, what is lost, what to run."""
    yield verdict_line(plan.before, look)
    if plan.healthy and plan.why_not is None:
        what = "log" if plan.before.stored is None else "session"
        yield f"  nothing to do: the {what} is whole and closed"
        return
    yield from _happened(plan, look)
    for heading, title in _STEMS:
        actions = [action for action in plan.actions if _HEADING[action.kind] == heading]
        if actions:
            yield f"  {look.paint('bold', title)}"
            yield from _some([_action_line(action) for action in actions], "more step")
    if plan.script is not None and not plan.healthy:
        yield from _loss(plan, look)
    remains = [words for words in (plan.left_out, plan.remains, plan.unwritten) if words is not None]
    if remains:
        yield f"  {look.paint('error', 'what remains')}"
        yield from (f"    {visible(words)}" for words in remains)


def next_lines(plan: Plan, wishes: Wishes) -> Iterator[str]:
    """Yield what to run next, or why there is nothing to run."""
    path = "-" if plan.before.path == "-" else shell_word(plan.before.path)
    if plan.healthy and plan.why_not is None:
        if plan.before.stored is not None:
            yield f"next: dshlog unpack {path} -o NEW   (the session as a log)"
        return
    if plan.script is None or plan.healthy:
        yield f"not repaired: {visible(plan.why_not or '')}"
        yield from _choices(plan, path)
        return
    if plan.why_not is not None:
        yield f"not written: {visible(plan.why_not)}"
    yield from _commands(plan, wishes, path)


def _commands(plan: Plan, wishes: Wishes, path: str) -> Iterator[str]:
    if wishes.keep is None and loses_branches(plan):
        yield from _sides(path)
        return
    options = "".join(f" --fix {name}" for name in (*sorted(wishes.fix), *asked_words(wishes.fixes)))
    options += _facts(wishes)
    options += f" --keep {wishes.keep}" if wishes.keep is not None else ""
    options += " --allow-loss --lost-found DIR" if plan.lossy else ""
    if path == "-":
        yield f"next: dshlog repair{options} -o NEW -"
        return
    if plan.before.stored is not None:
        yield f"next: dshlog repair{options} -o NEW {path}   (a log; the database is never written to)"
        return
    if plan.remains is not None and plan.advice is not None:
        known = "".join(
            f" --fix {shell_word(fix)}" for fix in plan.advice.fixes if f" --fix {shell_word(fix)}" not in options
        )
        yield f"next: dshlog repair{known}{options.split(' --allow-loss')[0]} {path}   (a plan for what remains, too)"
        yield f"  or: dshlog repair{options} --in-place {path}   (this plan alone; the old file is kept as a backup)"
        yield f"  or: dshlog repair{options} -o NEW {path}   (this plan alone, in a new file; the old one is not touched)"
        return
    yield f"next: dshlog repair{options} --in-place {path}   (the old file is kept as a backup)"
    yield f"  or: dshlog repair{options} -o NEW {path}   (a new file; the old one is not touched)"


def _facts(wishes: Wishes) -> str:
    """Give the options that say what a lost header said."""
    known = wishes.header or {}
    return "".join(f" --{name} {shell_word(known[name])}" for name in ("id", "cwd") if type(known.get(name)) is str)


def _choices(plan: Plan, path: str) -> Iterator[str]:
    if any(found.name in CHOICES for found in plan.before.findings):
        yield from _sides(path)
    elif plan.before.native.first == "H103":
        yield f"next: dshlog repair --fix H103 --id ID --cwd DIR {path}   (a new header before the first event)"
    elif plan.advice is not None:
        fixes = "".join(f" --fix {shell_word(fix)}" for fix in plan.advice.fixes)
        yield f"next: dshlog repair{fixes} {path}   (that plan)"
    elif (code := plan.before.native.first or plan.before.latest.first) is not None:
        yield f"next: dshlog explain {code}"


def _sides(path: str) -> Iterator[str]:
    yield f"next: dshlog repair --keep first {path}   (what that would keep and lose; or --keep second)"
    yield f"  or: dshlog repair --split DIR {path}   (each branch as a log of its own)"


def asked_words(fixes: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield the fixes that were named, as words of a shell."""
    for name, values in fixes.items():
        yield from (shell_word(f"{name}={value}") for value in sorted(values)) if values else (name,)


def diff_lines(plan: Plan) -> Iterator[str]:
    """Yield each record that differs, the old line after a minus and the new one after a plus."""
    path = path_name(plan.before.path)
    for change in plan.changed:
        yield f"@@ {path}:{change.line} @@"
        if change.old:
            yield f"-{_text(change.old)}"
        for line in change.new:
            yield f"+{_text(line)}"


def plan_dict(
    plan: Plan,
    *,
    written: str | None = None,
    backup: str | None = None,
    receipt: Json | None = None,
    store: Iterable[Finding] = (),
) -> Json:
    """Give a plan with every key."""
    return {
        "schema": SCHEMA,
        "path": plan.before.path,
        "version": plan.before.version,
        "state": plan.before.state,
        "loss": "some" if plan.lossy else "none",
        "truncate_to": plan.truncate_to,
        "rewritten": list(plan.rewritten),
        "closers": list(plan.closers),
        "end_seed": plan.end_seed,
        "actions": [_action_dict(action) for action in plan.actions],
        "lost": [_lost_dict(lost) for lost in plan.lost],
        "writable": plan.script is not None and plan.why_not is None,
        "why_not": plan.why_not,
        "fixes": list(plan.fixes),
        "advice": None if plan.advice is None else {"fixes": list(plan.advice.fixes), "loss": plan.advice.loss},
        "remains": plan.remains,
        "unwritten": plan.unwritten,
        "left_out": plan.left_out,
        "events": plan.events,
        "written": written,
        "backup": backup,
        "receipt": receipt,
        "store": [finding_dict(found) for found in store],
    }


def lost_dict(lost: Lost, id_: str | None) -> Json:
    """Give what the directory of what was lost holds of one line: where it stood, and what it said."""
    return {"id": id_, **_lost_dict(lost)}


def _happened(plan: Plan, look: Look) -> Iterator[str]:
    told = [found for found in plan.before.findings if found.severity != "note" or found.name == "open-turn"]
    if told:
        yield f"  {look.paint('bold', 'what happened')}"
        yield from _some([_finding_line(found) for found in told], "more finding")


def _finding_line(found: Finding) -> str:
    spot = spot_words(found.place)
    return f"{spot and f'{spot}: '}{visible(found.message)} ({found.code})"


def _action_line(action: Action) -> str:
    spot = "" if action.place is None else spot_words(action.place)
    return f"{spot and f'{spot}: '}{visible(action.message)}"


def _some(lines: list[str], noun: str) -> Iterator[str]:
    for line in lines[:_TOLD]:
        yield f"    {line}"
    if len(lines) > _TOLD:
        yield f"    and {count(len(lines) - _TOLD, noun)}; --json lists all"


def _loss(plan: Plan, look: Look) -> Iterator[str]:
    if not plan.lossy:
        yield f"  {look.paint('clean', 'nothing is lost')}"
        return
    yield f"  {look.paint('error', 'what is lost or made up')}"
    lines = [_lost_line(lost) for lost in plan.lost]
    told = {action.loss for action in plan.actions if action.loss != "none"}
    told = {loss for loss in told if loss.startswith("nothing, but ")} if lines else told
    yield from _some(
        [*lines, *sorted(told, key=lambda loss: (loss.startswith("nothing, but "), loss))],
        "more record" if lines else "more",
    )


def _lost_line(lost: Lost) -> str:
    spot = spot_words(lost.place)
    if lost.event is None:
        what = count(len(lost.line), "byte") if lost.place.row is None else "cells"
        return f"{spot}: {what} that are no record"
    seq = "" if lost.place.seq is None or lost.place.row is not None else f", seq {lost.place.seq}"
    kind = lost.event.get("type") if type(lost.event) is dict else None
    return f"{spot}{seq}: {preview(kind) if type(kind) is str else 'a record without a type'}"


def _action_dict(action: Action) -> Json:
    return {
        "kind": action.kind,
        "place": None if action.place is None else place_dict(action.place),
        "bytes": None if action.bytes is None else {"start": action.bytes[0], "end": action.bytes[1]},
        "message": action.message,
        "loss": action.loss,
        "events": {"kept": action.kept, "dropped": action.dropped, "added": action.added},
    }


def _lost_dict(lost: Lost) -> Json:
    given = {"place": place_dict(lost.place), "event": lost.event, "line": None, "base64": None}
    if lost.event is not None:
        return given
    text = lost.line.removesuffix(b"\n")
    try:
        return given | {"line": text.decode()}
    except UnicodeDecodeError:
        return given | {"base64": b64encode(text).decode()}


def _text(line: bytes) -> str:
    return visible(line.removesuffix(b"\n").decode("utf-8", "backslashreplace"))

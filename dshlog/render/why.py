"""Why an event is or is not on the surface, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.events import turn_word
from dshlog.render.extent import flaw
from dshlog.render.jsonout import SCHEMA, scalar
from dshlog.render.look import PLAIN, Look
from dshlog.render.surface import inside_words
from dshlog.render.table import fit, heading, labelled, measure, whole
from dshlog.render.times import stamp
from dshlog.render.words import PREVIEW, count, cut, joined, listed, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.report import Report
    from dshlog.model.why import Heir, Link, Why
    from dshlog.render.jsonout import Json

_LABEL = 12  # columns of the labels
_SHOWN = 12  # events that are named one by one
_HEIRS = 3  # replacements of replacements that are named before the last

_STATES = {
    "surface": "the model sees it",
    "empty": "on the surface, gives no message",
    "replaced": "the model does not see it any more",
    "log-only": "the model never sees it",
    "opaque": "the model never sees it",
    "refused": "the model does not see it",
}


def why_lines(found: Why, report: Report, look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield what became of the event, then what it has to do with; with `full` its whole text."""
    facts = f"v{found.version}", "" if found.at is None else f"after seq {found.at}", f"event {found.seq}"
    yield from heading(found.path, joined(facts), look)
    for label, words in (("log", flaw(report)), *_facts(found)):
        if label == "with":
            yield _text_line(label, words, look)
        elif words:
            yield from labelled(label, words, look, width=_LABEL)
    text = visible(one_line(found.text))
    if text:
        yield _text_line("text", text, look)
    if full and found.text:
        yield from whole(found.text)


def _text_line(label: str, text: str, look: Look) -> str:
    """Give the beginning of a text on one line."""
    line = f"  {label:<{_LABEL}}{text}"
    return fit(line, look.width, measure(look)) if look.width else cut(line, PREVIEW + _LABEL)


def _facts(found: Why) -> Iterator[tuple[str, str]]:
    yield "event", joined((visible(found.type), f"turn {turn_word(found.turn, found.step)}", stamp(found.time)))
    yield "inherited", "from the session that this one was forked from" if found.inherited else ""
    yield "so", _STATES[found.state] + ("" if found.position is None else f", position {found.position}")
    yield "because", f"{visible(found.reason)} ({found.rule})"
    yield from _chain(found)
    yield "replaces", listed(found.hides)
    for indent, words in inside_words(found.inside):
        yield "", indent + words
    yield "cites", listed(found.cites)
    for link in found.cited_by[:_SHOWN]:
        yield "cited by", _link_words(link)
    if len(found.cited_by) > _SHOWN:
        yield "", f"and {count(len(found.cited_by) - _SHOWN, 'more event')}; --json lists all"
    yield "changed by", listed(found.changed_by)
    for words in found.findings:
        yield "finding", visible(words)


def _chain(found: Why) -> Iterator[tuple[str, str]]:
    """Yield what took the place of the event, and of that; of a long chain the first and the last."""
    chain = found.replaced_by
    left_out = range(_HEIRS, len(chain) - 1) if len(chain) > _HEIRS + 2 else range(0)
    for number, link in enumerate(chain):
        if number in left_out:
            if number == left_out.start:
                yield "", f"and {count(len(left_out), 'replacement')} more, each of the one before; --json lists all"
            continue
        yield "and that by" if number else "replaced by", _heir_words(link)
        if not number and found.replacement:
            yield "with", visible(one_line(found.replacement))


def _heir_words(heir: Heir) -> str:
    """Say what took a place, who made it, and which compaction or pruning that was."""
    made = f" by {visible(heir.by)}" if heir.by else ""
    words = f"{heir.seq} {visible(heir.type)}{made}"
    if heir.told_by is None:
        return words if heir.kind == "replacement" else f"{words}, {heir.kind}"
    kind = heir.kind if heir.compaction is None else f"{heir.kind} {visible(heir.compaction)}"
    return f"{words}, {kind}, told by {visible(heir.told_type or '')} {heir.told_by}"


def _heir_dict(heir: Heir) -> Json:
    return {
        "seq": heir.seq,
        "type": heir.type,
        "by": heir.by,
        "kind": heir.kind,
        "toldBy": heir.told_by,
        "toldType": heir.told_type,
        "compactionId": heir.compaction,
    }


def _link_words(link: Link) -> str:
    return f"{link.seq} {visible(link.type)}, {link.via}"


def why_dict(found: Why, *, full: bool = False) -> Json:
    """Give the answer with every key; `text` is null unless the whole was asked for."""
    return {
        "schema": SCHEMA,
        "path": found.path,
        "version": found.version,
        "at": found.at,
        "seq": found.seq,
        "time": scalar(found.time),
        "type": found.type,
        "turn": scalar(found.turn),
        "step": scalar(found.step),
        "inherited": found.inherited,
        "surfaceOp": found.op,
        "state": found.state,
        "rule": found.rule,
        "reason": found.reason,
        "position": found.position,
        "replacedBy": [_heir_dict(heir) for heir in found.replaced_by],
        "replacement": None if found.replacement is None else cut(one_line(found.replacement), PREVIEW),
        "replaced": list(found.hides),
        "cites": list(found.cites),
        "citedBy": [{"seq": link.seq, "type": link.type, "member": link.via} for link in found.cited_by],
        "changedBy": list(found.changed_by),
        "findings": list(found.findings),
        "facts": one_line(found.facts),
        "preview": cut(one_line(found.text), PREVIEW),
        "text": found.text if full else None,
    }

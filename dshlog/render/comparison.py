"""Two logs side by side, as lines and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dshlog.render.excerpts import SHOWN, both
from dshlog.render.jsonout import SCHEMA, Json, finding_dict, scalar
from dshlog.render.look import PLAIN, Look
from dshlog.render.table import Column, fit, folded, measure, table_lines, whole
from dshlog.render.words import LISTED, count, joined, one_line, path_name, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.comparison import Change, Comparison, Difference, Side, Tally, Unit

_MARKS = {"changed": "~", "only-a": "-", "only-b": "+"}
_STYLES = {"changed": "warning", "only-a": "refused", "only-b": "clean"}
_NOUNS = {"events": "event", "messages": "message", "surface": "node"}
_TYPE_WIDTH, _SHORT_TYPE = 36, 22  # columns of a type, the second in a narrow terminal
_NARROW = 80


def comparison_lines(found: Comparison, look: Look = PLAIN, *, full: bool = False) -> Iterator[str]:
    """Yield both logs, what they begin with alike, each difference, and the counts.

    With `full` nothing is cut: all that one side has alone, and both values of each member.
    """
    noun = _NOUNS[found.view]
    for name, side in (("a", found.a), ("b", found.b)):
        yield from _side_lines(name, side, look)
    if found.header:
        yield "header"
        for change in found.header:
            yield from _change_lines(change, look, full=full)
    if found.common.count:
        yield from folded(_common_words(found, noun), look, indent="")
    hidden = _Hidden(full=full)
    yield from table_lines(
        _columns(look),
        "what it holds",
        _words,
        hidden.rows(found.differences),
        look,
        above=lambda row: _hidden_lines(row.hidden, noun, look),
        below=lambda row: _below(row.difference, look, full=full),
        behind=lambda: _hidden_lines(hidden.left, noun, look),
    )
    yield from _tally_lines(found, noun, look)


# -- what both are


def _side_lines(name: str, side: Side, look: Look) -> Iterator[str]:
    generation = "" if side.version is None else f"v{side.version}"
    if side.compared != side.version:
        generation += f", compared as v{side.compared}"
    left = f"{count(side.left_out, 'row')} at the end left out by the upgrade" if side.left_out else ""
    stop = f"read up to line {side.stop}" if side.stop is not None else ""
    facts = joined((generation, count(side.events, "event"), side.state or "", stop, left))
    yield from folded(f"{look.paint('bold', name)} {path_name(side.path)}: {facts}", look, indent="")
    for finding in side.refusals[:1]:
        more = f" (and {count(len(side.refusals) - 1, 'more reason')})" if side.refusals[1:] else ""
        words = (
            f"dsh does not upgrade it, {finding.code} {finding.name}{more}: messages are compared as each log has them"
        )
        yield from folded(words, look, indent="  ")


def _common_words(found: Comparison, noun: str) -> str:
    common = found.common
    up_to = "" if common.turn is None else f"up to turn {value_word(common.turn)}"
    up_to += "" if common.step is None else f" step {value_word(common.step)}"
    last = common.last
    shown = "" if last is None else f"last message {last.seq} {last.type}: {_facts(last)[: LISTED * 5]}"
    return f"both begin with {joined((count(common.count, noun), up_to, shown))}"


# -- what differs


class _Row(NamedTuple):
    """A difference that is shown, and those ahead of it that are not."""

    difference: Difference
    hidden: Counter[str]


class _Hidden:
    """Lets the first of a long run pass that one side has alone; `left` are those behind the last one shown."""

    def __init__(self, *, full: bool) -> None:
        self._full = full
        self.left: Counter[str] = Counter()

    def rows(self, found: Iterable[Difference]) -> Iterator[_Row]:
        run, kind = 0, ""
        for one in found:
            run = run + 1 if one.kind == kind else 1
            kind = one.kind
            if not self._full and kind != "changed" and run > LISTED:
                unit = one.a or one.b
                self.left[unit.type if unit is not None else ""] += 1 if unit is None else unit.size
                continue
            hidden, self.left = self.left, Counter()
            yield _Row(one, hidden)


def _columns(look: Look) -> tuple[Column, ...]:
    limit = _SHORT_TYPE if look.width is not None and look.width < _NARROW else _TYPE_WIDTH
    return (
        Column("", lambda row: _MARKS[row.difference.kind], style=_style),
        Column("a", lambda row: _seq(row.difference.a), right=True),
        Column("b", lambda row: _seq(row.difference.b), right=True),
        Column("type", lambda row: visible(_unit(row).type), limit=limit, style=_style),
        Column("turn", lambda row: _turn(_unit(row)), optional=1),
    )


def _style(row: _Row) -> str:
    return _STYLES[row.difference.kind]


def _unit(row: _Row) -> Unit:
    unit = row.difference.b or row.difference.a
    assert unit is not None  # noqa: S101 - a difference has one side at least
    return unit


def _seq(unit: Unit | None) -> str:
    if unit is None:
        return ""
    return str(unit.seq) if unit.size == 1 else f"{unit.seq}..{unit.seq + unit.size - 1}"


def _turn(unit: Unit) -> str:
    return value_word(unit.turn) if unit.step is None else f"{value_word(unit.turn)}/{value_word(unit.step)}"


def _words(row: _Row) -> str:
    return _facts(_unit(row))


def _facts(unit: Unit) -> str:
    return visible(one_line(unit.facts))


def _below(one: Difference, look: Look, *, full: bool) -> Iterator[str]:
    shown = one.changes if full else one.changes[:LISTED]
    for change in shown:
        yield from _change_lines(change, look, full=full)
    more = len(one.changes) - len(shown) + one.more
    if more:
        yield look.paint("dim", f"     and {count(more, 'more change')}" + ("" if full else "; --full shows more"))
    if full and one.kind != "changed":
        from dshlog.storage.jsontext import dumps

        unit = one.a or one.b
        if unit is not None:
            yield from whole(dumps(unit.value).decode("utf-8", "replace"))


def _change_lines(change: Change, look: Look, *, full: bool) -> Iterator[str]:
    """Yield the path of a member and below it both values, of long texts the part in which they begin to differ."""
    yield _cut(f"     {visible(change.path)}", look)
    old, new = both(change, full=full, room=min(SHOWN, look.width or SHOWN))
    for mark, text, style in (("-", old, "refused"), ("+", new, "clean")):
        if text is not None:
            line = f"       {mark} {visible(text)}"
            yield look.paint(style, line if full else _cut(line, look))


def _cut(line: str, look: Look) -> str:
    return fit(line, look.width, measure(look)) if look.width else line


def _hidden_lines(hidden: Counter[str], noun: str, look: Look) -> Iterator[str]:
    if hidden:
        words = f"… {count(hidden.total(), f'more {noun}')}: {_types(hidden)}; --full shows them"
        for line in folded(words, look):
            yield look.paint("dim", line)


# -- the counts


def _tally_lines(found: Comparison, noun: str, look: Look) -> Iterator[str]:
    tally = found.tally
    renumbered = f"{tally.renumbered} of them at another seq" if tally.renumbered else ""
    yield from folded(joined((f"the same: {count(tally.same, noun)}", renumbered)), look, indent="")
    for words, counts, tail in (
        ("changed", tally.changed, None),
        ("only in a", tally.only_a, tally.tail_a),
        ("only in b", tally.only_b, tally.tail_b),
    ):
        if counts:
            end = f", nothing corresponds from seq {tail} on" if tail is not None else ""
            yield from folded(f"{words}: {count(counts.total(), noun)}{end}: {_types(counts)}", look, indent="")
    if found.unread:
        ends = [f"{name} from line {side.stop} on" for name, side in (("a", found.a), ("b", found.b)) if side.stop]
        what = " and ".join(ends) or "what cannot be read"
        yield from folded(f"not compared: {what}, which dsh does not read", look, indent="")


def _types(counts: Counter[str]) -> str:
    shown = [f"{number} {visible(kind)}" for kind, number in counts.most_common(LISTED)]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {count(more, 'other type')}" if more else "")


# -- JSON


def head_dict(found: Comparison, *, full: bool) -> Json:
    """Give the members of the document that are known before the differences."""
    common = found.common
    return {
        "schema": SCHEMA,
        "view": found.view,
        "same": found.same,
        "unread": found.unread,
        "a": _side_dict(found.a),
        "b": _side_dict(found.b),
        "header": [_change_dict(change, full=full) for change in found.header],
        "common": {
            "count": common.count,
            "turn": scalar(common.turn),
            "step": scalar(common.step),
            "last": None if common.last is None else _unit_dict(common.last, full=full),
        },
    }


def difference_dict(one: Difference, *, full: bool) -> Json:
    """Give one difference with every key; `data` of what one side has alone is null unless the whole was asked for."""
    return {
        "kind": one.kind,
        "a": None if one.a is None else _unit_dict(one.a, full=full),
        "b": None if one.b is None else _unit_dict(one.b, full=full),
        "changes": [_change_dict(change, full=full) for change in one.changes],
        "more": one.more,
    }


def tally_dict(tally: Tally) -> Json:
    """Give the counts."""
    return {
        "tally": {
            "same": tally.same,
            "renumbered": tally.renumbered,
            "changed": dict(tally.changed.most_common()),
            "only_a": dict(tally.only_a.most_common()),
            "only_b": dict(tally.only_b.most_common()),
            "tail_a": tally.tail_a,
            "tail_b": tally.tail_b,
        }
    }


def _side_dict(side: Side) -> Json:
    return {
        "path": side.path,
        "id": side.id,
        "version": side.version,
        "compared": side.compared,
        "events": side.events,
        "state": side.state,
        "stop": side.stop,
        "left_out": side.left_out,
        "refusals": [finding_dict(finding) for finding in side.refusals],
    }


def _unit_dict(unit: Unit, *, full: bool) -> Json:
    return {
        "seq": unit.seq,
        "count": unit.size,
        "type": unit.type,
        "turn": scalar(unit.turn),
        "step": scalar(unit.step),
        "facts": one_line(unit.facts),
        "event": unit.value if full else None,
    }


def _change_dict(change: Change, *, full: bool) -> Json:
    old, new = (change.old, change.new) if full else both(change, full=False)
    return {"path": change.path, "kind": change.kind, "a": old, "b": new}

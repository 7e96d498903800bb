"""One member of an envelope put right: time, members, surface marker, citations, spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.envelope import MEMBERS
from dshlog.codec.sources import encode_sources
from dshlog.model.number import as_count, as_int
from dshlog.model.vocabulary import SURFACE_TYPES
from dshlog.repair.remedies.case import said, shown, without

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

    Event = dict[str, Any]

_MOST = 1 << 22  # positions in one range of citations


def time(case: Case) -> Action | None:
    """Give a record the time of the one before it."""
    row = case.row
    if row is None or as_int(row.get("time")) is not None:
        return None
    value = row.get("time")
    if type(value) is float and value == 0:
        return said(case, {**row, "time": 0}, "time -0 becomes 0, which is the same moment")
    before = case.sheet.lines[case.index - 1].row or {}
    near = before.get("time", before.get("time0", before.get("createdAt")))
    if as_int(near) is None:
        return None
    made = {name: row[name] for name in ("type", "seq") if name in row} | {"time": near}
    return said(
        case, {**made, **row, "time": near}, f"time becomes {near}, that of the record before", "when it happened"
    )


def unknown_member(case: Case) -> Action | None:
    """Take members out of an envelope that it does not have."""
    row = case.row
    extra = [] if row is None else [name for name in row if name not in MEMBERS]
    if row is None or not extra or "seq0" in row:
        return None
    kept = {name: value for name, value in row.items() if name in MEMBERS}
    named = ", ".join(f"{name} = {shown(row[name])}" for name in extra)
    return said(case, kept, f"the envelope has no member {named}; it goes", f"member {', '.join(extra)}")


def ignorable(case: Case) -> Action | None:
    """Take out `ignorable` with another value than true, which says nothing."""
    row = case.row
    if row is None or row.get("ignorable", True) is True:
        return None
    kept = {name: value for name, value in row.items() if name != "ignorable"}
    return said(case, kept, f"ignorable = {shown(row['ignorable'])} goes: only true has a meaning")


def sources_list(case: Case) -> Action | None:
    """Take out of the citations what no event may cite: repeats, later events, an empty list."""
    row, position = case.row, case.position
    cited = None if row is None else row.get("sourceEventSeqs")
    if row is None or type(cited) is not list or any(as_count(entry) is None for entry in cited):
        return None
    kept = [int(seq) for seq in dict.fromkeys(cited) if seq < position]
    if len(kept) == len(cited) and kept:
        return None
    ahead = [seq for seq in dict.fromkeys(cited) if seq >= position]
    made = {**row, "sourceEventSeqs": kept} if kept else without(row, "sourceEventSeqs")
    what = f"citations of later events {ahead} go" if ahead else "citations that stand twice, or none at all, go"
    return said(case, made, what, f"the citations {ahead}" if ahead else "none")


def sources_member(case: Case) -> Action | None:
    """Take citations off an event that may have none."""
    row = case.row
    if row is None or "sourceEventSeqs" not in row:
        return None
    value = shown(row["sourceEventSeqs"])
    return said(
        case, without(row, "sourceEventSeqs"), f"sourceEventSeqs {value} go: this event has none", "its citations"
    )


def marker(case: Case) -> Action | None:
    """Take the surface marker off an event that never joins the surface."""
    row = case.row
    names = [name for name in ("surfaceOp", "sourceEventSeqs") if row is not None and name in row]
    if row is None or not names:
        return None
    values = ", ".join(f"{name} = {shown(row[name])}" for name in names)
    return said(case, without(row, *names), f"{values} goes: this event never joins the surface", ", ".join(names))


def surface_form(case: Case) -> Action | None:
    """Give an event the surface members that its type has: a message joins at the end, any other event has none."""
    joins = case.kind in SURFACE_TYPES[case.version] or case.kind == "steering/message"
    return append_marker(case) if joins else marker(case)


def append_instead(case: Case) -> Action | None:
    """Let a message that replaces what is not there join the surface at its end."""
    row = case.row
    op = None if row is None else row.get("surfaceOp")
    if row is None or type(op) is not dict or case.kind == "tool/result":
        return None
    return said(case, {**row, "surfaceOp": "append"}, f"surfaceOp {shown(op)} becomes append", "what it replaced")


def append_marker(case: Case) -> Action | None:
    """Let an event without a usable surface marker be appended, as most are."""
    row = case.row
    op = None if row is None else row.get("surfaceOp")
    if row is None or op == "append" or type(op) is dict:
        return None
    text = "surfaceOp becomes append; it was " + ("missing" if "surfaceOp" not in row else shown(op))
    made = {**row, "surfaceOp": "append"}
    if "sourceEventSeqs" in row and "surfaceOp" not in row:
        made = without(row, "sourceEventSeqs") | {"surfaceOp": "append", "sourceEventSeqs": row["sourceEventSeqs"]}
    return said(case, made, text, "how it joined the surface")


def cite_shadowed(case: Case) -> Action | None:
    """Let a replacement cite every node that it hides."""
    row = case.row
    op = None if row is None else row.get("surfaceOp")
    if row is None or type(op) is not dict:
        return None
    hidden = _span(case, op.get("startSeq", op.get("start")), op.get("endSeq", op.get("end")))
    cited = flat(row.get("sourceEventSeqs", []))
    if hidden is None or cited is None:
        return None
    missing = [seq for seq in hidden if seq not in cited]
    if not missing:
        return None
    stored = row.get("sourceEventSeqs", [])
    every = [*cited, *missing]
    plain = all(type(entry) is int for entry in stored)
    made = {**row, "sourceEventSeqs": every if plain else encode_sources(sorted(every))}
    return said(case, made, f"the replacement cites {missing} too, which it hides")


def exact_span(case: Case) -> Action | None:
    """Let the list of a compaction name exactly the nodes of its span, without the protected head."""
    row = case.row
    data = None if row is None else row.get("data")
    span = data.get("shadowedRange") if type(data) is dict else None
    if row is None or type(data) is not dict or type(span) is not dict:
        return None
    folder = case.folder
    nodes = list(folder)
    hidden = _between(nodes, span.get("start"), span.get("end"))
    if hidden and nodes and hidden[0] == nodes[0] and folder.head_is_system():
        hidden = hidden[1:]
    if not hidden or data.get("shadowedSeqs") == hidden:
        return None
    made = {**data, "shadowedRange": {**span, "start": hidden[0], "end": hidden[-1]}, "shadowedSeqs": hidden}
    text = f"shadowedSeqs becomes {shown(hidden)}, the surface from {hidden[0]} to {hidden[-1]}"
    return said(case, {**row, "data": made}, text)


def flat(cited: object) -> list[int] | None:
    """Give a stored list of citations position by position; None for what is none."""
    out: list[int] = []
    for entry in cited if type(cited) is list else (None,):
        ends = entry if type(entry) is list and len(entry) == 2 else [entry, entry]  # noqa: PLR2004 - first and last
        first, last = as_count(ends[0]), as_count(ends[1])
        if first is None or last is None or last - first > _MOST:
            return None
        out += range(first, last + 1)
    return out


def _span(case: Case, start: object, end: object) -> list[int] | None:
    return _between(list(case.folder), start, end)


def _between(nodes: list[int], start: object, end: object) -> list[int] | None:
    first, last = as_count(start), as_count(end)
    if first not in nodes or last not in nodes:
        return None
    low, high = sorted((nodes.index(first), nodes.index(last)))
    return nodes[low : high + 1]

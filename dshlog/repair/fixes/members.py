"""Fixes of one member: what the upgrade does not take goes, what it misses comes, what it knows by another name is renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.envelope import MEMBERS
from dshlog.fold.identity import ABSENT, member
from dshlog.migrate.shape_events import payloads
from dshlog.migrate.shape_goal import goal_source_flaws
from dshlog.migrate.shape_messages import STRICT, source
from dshlog.model.number import as_count
from dshlog.repair.fixes.path import cut, held, put, spelled
from dshlog.repair.fixes.spot import Said
from dshlog.repair.remedies.case import shown, without
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.repair.fixes.path import Steps
    from dshlog.repair.fixes.spot import Spot

    Event = dict[str, Any]

# What a message or an event is not itself without.
_KEPT = frozenset(
    {"type", "seq", "time", "data", "message", "id", "role", "source", "content", "kind", "chunk", "header"}
)
_FITTING = ("form", "summary", "sections")


def drop_member(spot: Spot) -> Iterator[Said]:
    """Take out the member at fault; where it has to be there, what holds it, as long as that may go."""
    row = spot.row
    steps, rest = spot.found
    if not steps and spot.refusal.name == "upgrade-envelope":
        extra = [name for name in row if name not in MEMBERS]
        if extra:
            named = ", ".join(f"{name} = {shown(row[name])}" for name in extra)
            yield Said(without(row, *extra), f"{named} goes: no event has it", f"member {', '.join(extra)}")
        return
    if spot.refusal.name == "upgrade-error-unflagged":
        steps, rest = ("data", "error"), ""
    if steps and not rest:
        yield from _cut(spot, steps, needed=spot.refusal.how != "extra")
        if spot.refusal.how == "extra":
            return
    for size in range(len(steps) - (not rest), 1, -1):
        yield from _cut(spot, steps[:size], needed=True)


def _cut(spot: Spot, steps: Steps, *, needed: bool) -> Iterator[Said]:
    if (needed and steps[-1] in _KEPT) or not _there(spot.row, steps):
        return
    if spot.values and steps[-1] not in spot.values:
        return
    value, name = held(spot.row, steps), spelled(steps)
    loss = "none" if name == "ignorable" else name
    yield Said(cut(spot.row, steps), f"{name} = {shown(value)} goes: the upgrade does not take it", loss)


def _there(row: Event, steps: Steps) -> bool:
    try:
        held(row, steps)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def drop_header_member(spot: Spot) -> Iterator[Said]:
    """Take a member out of the header that no header of this generation has."""
    steps = spot.found.steps
    if spot.index == 0 and len(steps) == 1:
        yield Said(
            cut(spot.row, steps), f"header member {steps[0]} = {shown(spot.row[str(steps[0])])} goes", str(steps[0])
        )


# -- sources


def source_notice(spot: Spot) -> Iterator[Said]:
    """Call the source of a plugin that has a summary a notice, which is the form that has one."""
    steps = spot.found.steps[:-1]
    held_source = held(spot.row, steps) if steps else None
    if type(held_source) is not dict or type(held_source.get("summary")) is not str or "form" not in held_source:
        return
    made = {**without(held_source, "sections"), "form": "notice"}
    text = f"the form of the source, which was {shown(held_source['form'])}, becomes notice: its summary stays"
    yield Said(put(spot.row, steps, made), text, f"the form {shown(held_source['form'])}")


def map_source(spot: Spot) -> Iterator[Said]:
    """Let a source of an unknown kind be one of a plugin of that name."""
    steps = spot.found.steps
    old = held(spot.row, steps) if steps else None
    kind = old.get("kind") if type(old) is dict else None
    if type(old) is not dict or type(kind) is not str or (spot.values and kind not in spot.values):
        return
    made: Event = {"kind": "plugin", "plugin": kind, **{name: old[name] for name in _FITTING if name in old}}
    check = source(STRICT)
    if check(made) is not None and type(made.get("summary")) is str:
        made = {**without(made, "sections"), "form": "notice"}
    if check(made) is not None:
        made = {"kind": "plugin", "plugin": kind}
    gone = [name for name in old if name != "kind" and old[name] != made.get(name)]
    words = (
        "" if not gone else "; " + ", ".join(f"{name} = {shown(old[name])}" for name in gone) + " does not fit and goes"
    )
    text = f"the source of kind {shown(kind)} becomes one of the plugin {shown(kind)}{words}"
    yield Said(put(spot.row, steps, made), text, "none" if not gone else f"{', '.join(gone)} of the source")


def system_source(spot: Spot) -> Iterator[Said]:
    """Let the source of a system message be that of the system prompt."""
    message = spot.data.get("message")
    if type(message) is not dict or message.get("role") != "system":
        return
    made = {"kind": "plugin", "plugin": "@deepseek-ai/dsh-system-prompt"}
    text = (
        f"the source of the system message, which was {shown(message.get('source'))}, becomes that of the system prompt"
    )
    yield Said(put(spot.row, ("data", "message", "source"), made), text, "the source of the system message")


# -- payloads of one type


def descriptor_version(spot: Spot) -> Iterator[Said]:
    """Bring a subagent descriptor into the form of version 3, as far as it fits."""
    data = spot.data
    version = data.get("version")
    if spot.kind != "subagent/descriptor":
        return
    label = data.get("label")
    continuable = version == 1 or data.get("mode") == "continuable"
    continuable = continuable and type(label) is str and bool(label)
    made = {"mode": "continuable" if continuable else "one-shot", "version": 3, **without(data, "mode", "version")}
    check = payloads(STRICT)["subagent/descriptor"]
    gone: list[str] = []
    for _ in range(len(made)):
        flaws = check(made, spot.seq)
        if flaws is None:
            break
        name = flaws[0].path.removeprefix(".").partition(".")[0]
        if name not in made:
            return
        made = without(made, name)
        gone.append(name)
    words = "" if not gone else f"; {', '.join(gone)} does not fit and goes"
    text = f"the descriptor of version {shown(version)} becomes one of version 3, {made['mode']}{words}"
    loss = ", ".join(gone) if gone else "none" if data.get("mode", made["mode"]) == made["mode"] else "the mode"
    yield Said({**spot.row, "data": made}, text, loss)


def goal_text(spot: Spot) -> Iterator[Said]:
    """Let an old goal message spell its change."""
    data = spot.data
    change = data.get("source", {}).get("change") if type(data.get("source")) is dict else None
    if type(change) is not dict:
        return
    names = (
        ("cleared", "clearedAt")
        if change.get("operation") == "clear"
        else ("goal", "roundsStarted", "createdAt", "updatedAt")
    )
    words = dumps({name: change.get(name) for name in names}).decode("utf-8", "surrogatepass")
    made = {**data, "content": [{"type": "text", "text": f"<goal_state>{words}</goal_state>"}]}
    if goal_source_flaws(made) is None:
        yield Said(
            {**spot.row, "data": made},
            "the text of the goal message becomes that of its change",
            "the text of the message",
        )


def header_reason(spot: Spot) -> Iterator[Said]:
    """Give a request/header a reason that is read."""
    reason = spot.data.get("reason")
    text = f"the reason of the request/header, which was {shown(reason)}, becomes change"
    yield Said(put(spot.row, ("data", "reason"), "change"), text, f"the reason {shown(reason)}")


def list_once(spot: Spot) -> Iterator[Said]:
    """Let a list of seqs name each event once and none that is not earlier; a title only messages of the user."""
    steps = tuple(step for step in spot.found.steps if type(step) is not int)
    if spot.kind == "session/title" and steps[:2] != ("data", "messageSeqs"):
        steps = ("data", "messageSeqs")
    listed = held(spot.row, steps) if _there(spot.row, steps) else None
    if type(listed) is not list or not steps:
        return
    earlier = [at for entry in listed if (at := as_count(entry)) is not None and at < spot.seq]
    kept = list(dict.fromkeys(earlier))
    if spot.refusal.about is not None and spot.kind.startswith("session/title"):
        kept = [seq for seq in kept if _is_prompt(spot, seq)]
    if kept == listed:
        return
    row = put(spot.row, steps, kept)
    gone = [seq for seq in listed if seq not in kept]
    if spot.kind == "session/title" and not kept:
        row = put(row, ("data", "source"), {"kind": "user"})
    if not kept and steps == ("sourceEventSeqs",):
        row = without(row, "sourceEventSeqs")
    text = f"{spelled(steps)} becomes {shown(kept)}; it was {shown(listed)}"
    yield Said(row, text, f"{shown(gone)} of {spelled(steps)}" if gone else "none")


def _is_prompt(spot: Spot, seq: int) -> bool:
    row = spot.sheet.lines[spot.line_of(seq)].row or {}
    return row.get("type") in {"user/message", "steering/message"}


def span_ends(spot: Spot) -> Iterator[Said]:
    """Let the range of a compaction begin and end where its list does."""
    listed, span = spot.data.get("shadowedSeqs"), spot.data.get("shadowedRange")
    if type(listed) is list and listed:
        made = {"start": listed[0], "end": listed[-1]}
        text = f"shadowedRange becomes {shown(made)}, the ends of its list; it was {shown(span)}"
        yield Said(put(spot.row, ("data", "shadowedRange"), made), text, f"the range {shown(span)}")


def recovered_id(spot: Spot) -> Iterator[Said]:
    """Give the result of a call that never started the id that a recovery gives to such a result."""
    message = spot.data.get("message")
    name, old = member(member(message, "source"), "callId"), member(message, "id")
    if type(name) is str and name:
        made = f"interrupted-tool-result-{name}-{spot.seq}"
        text = f"the id of the result, which was {shown(old)}, becomes {made}"
        yield Said(put(spot.row, ("data", "message", "id"), made), text, "the id of the message")


def keep_prompt(spot: Spot) -> Iterator[Said]:
    """Let a request/header keep the prompt of the one before."""
    header, text = spot.data.get("header"), ""
    if type(header) is not dict:
        return
    for line in spot.sheet.lines[1 : spot.index]:
        row = line.row or {}
        if row.get("type") == "request/header":
            held_text = member(member(row.get("data"), "header"), "system")
            text = held_text if type(held_text) is str else ""
    made = {**header, "system": text} if text else without(header, "system")
    if made != header:
        old = shown(header["system"]) if "system" in header else "none"
        said = f"the prompt stays {shown(text)}; the request/header had {old}"
        yield Said(put(spot.row, ("data", "header"), made), said, f"the prompt {old}")


def compaction_id(spot: Spot) -> Iterator[Said]:
    """Let an event inside a compaction name that one."""
    name = None
    for line in spot.sheet.lines[1 : spot.index]:
        row = line.row or {}
        if row.get("type") == "compaction/start":
            name = member(row.get("data"), "compactionId")
        elif row.get("type") == "compaction/end":
            name = None
    steps: Steps = ("data", "source") if spot.kind == "user/message" else ("data",)
    old = member(held(spot.row, steps), "compactionId") if _there(spot.row, steps) else ABSENT
    if type(name) is str and old is not ABSENT and old != name:
        text = f"compactionId becomes {shown(name)}, that of the open compaction; it was {shown(old)}"
        yield Said(put(spot.row, (*steps, "compactionId"), name), text, f"the compactionId {shown(old)}")

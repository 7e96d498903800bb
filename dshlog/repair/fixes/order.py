"""Fixes of order: records that move, that go, or that come, and every reference with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT
from dshlog.migrate.refusal import RESULT
from dshlog.model.vocabulary import SURFACE_TYPES
from dshlog.repair.finish import is_packed
from dshlog.repair.fixes.brackets import attempt_of
from dshlog.repair.fixes.spot import action, drop_lines, rearrange
from dshlog.repair.remedies.case import added, edit, shown, without
from dshlog.repair.remedies.turns import scanned
from dshlog.repair.seqs import Seqs
from dshlog.repair.words import records_word
from dshlog.rules.records import is_catalog_fact

if TYPE_CHECKING:
    from dshlog.repair.fixes.spot import Spot
    from dshlog.repair.line import Line
    from dshlog.repair.plan import Action
    from dshlog.repair.sheet import Sheet

    Event = dict[str, Any]

_BRACKETS = frozenset({"turn/start", "turn/end", "step/start", "step/end"})


def _row(sheet: Sheet, index: int) -> Event:
    return sheet.lines[index].row or {}


def _data(row: Event) -> Event:
    data = row.get("data")
    return data if type(data) is dict else {}


def _order(number: int) -> str:
    return f"the order of {records_word(number)}"


def _moves(going: list[int]) -> str:
    return "moves" if len(going) == 1 else "move"


def _first(sheet: Sheet, start: int, kind: str) -> int | None:
    return next((at for at in range(start, len(sheet.lines)) if _row(sheet, at).get("type") == kind), None)


def _move(spot: Spot, going: list[int], behind: int) -> bool:
    """Put lines behind another one; not over the end of an inherited part."""
    sheet = spot.sheet
    seqs = Seqs(sheet)
    low, high = min(*going, behind), max(*going, behind)
    length = _row(sheet, 0).get("seedLength")
    if type(length) is int and seqs.starts[low - 1] < length <= seqs.starts[high - 1]:
        return False
    moving = {id(sheet.lines[at]) for at in going}
    order: list[Line] = []
    for at, line in enumerate(sheet.lines):
        if at and id(line) not in moving:
            order.append(line)
        if at == behind:
            order += [sheet.lines[place] for place in going]
    rearrange(sheet, order, spot.version)
    return True


def behind_step(spots: list[Spot]) -> list[Action]:
    """Move messages that stand before the first step behind its start."""
    spot = spots[0]
    step = _first(spot.sheet, 1, "step/start")
    going = sorted({one.index for one in spots if step is not None and one.index < step})
    if step is None or not going:
        return []
    text = f"{records_word(len(going))} that stood before the first step {_moves(going)} behind its start"
    done = action(spot, "edit", text, loss=_order(len(going)))
    return [done] if _move(spot, going, step) else []


def into_step(spots: list[Spot]) -> list[Action]:
    """Move a request/header that changes the prompt outside of every step behind the start of the next one."""
    done: list[Action] = []
    for spot in sorted(spots, key=lambda one: -one.index):
        step = _first(spot.sheet, spot.index, "step/start")
        if step is None:
            continue
        told = action(
            spot, "edit", "the request/header moves into the next step, in which its prompt can stand", loss=_order(1)
        )
        if _move(spot, [spot.index], step):
            done.append(told)
    return done[::-1]


def system_to_head(spots: list[Spot]) -> list[Action]:
    """Move the first system message that came late before the first message."""
    spot = min(spots, key=lambda one: one.index)
    sheet, row = spot.sheet, spot.row
    surface = SURFACE_TYPES[spot.version]
    first = next((at for at in range(1, spot.index) if _row(sheet, at).get("type") in surface), None)
    if first is None or row.get("surfaceOp") != "append" or row.get("type") != "system/message":
        return []
    scan, _ = scanned(sheet, first, spot.version)
    here = {name: value for name, value in (("turn", scan.turn), ("step", scan.step)) if value not in {None, ABSENT}}
    text = f"the system message moves before the first message, at seq {sheet.seq_of(sheet.lines[first])}"
    done = action(spot, "edit", text, loss=_order(1))
    edit(sheet, spot.index, {**row, "data": {**_data(row), **here}})
    return [done] if _move(spot, [spot.index], first - 1) else []


def system_to_user(spots: list[Spot]) -> list[Action]:
    """Let system messages that came late be messages of the user, from the plugin that writes prompts."""
    done: list[Action] = []
    for spot in {one.index: one for one in spots}.values():
        message = _data(spot.row).get("message")
        if spot.kind != "system/message" or type(message) is not dict:
            continue
        made = {
            "id": message.get("id"),
            "role": "user",
            "content": message.get("content"),
            "source": message.get("source"),
        }
        done.append(
            action(
                spot, "edit", "the system message becomes a message of the user, who did not say it", loss="who said it"
            )
        )
        edit(spot.sheet, spot.index, {**spot.row, "type": "user/message", "data": made})
    return done


def restart_turn(spots: list[Spot]) -> list[Action]:
    """Move what stands between an inbox event and the turn that it starts before the inbox event."""
    done: list[Action] = []
    for spot in sorted(spots, key=lambda one: -one.index):
        sheet, at = spot.sheet, spot.index - 1
        while (
            at > 0
            and _row(sheet, at).get("type") not in {*_BRACKETS, "agent/inbox/spliced"}
            and not is_packed(_row(sheet, at))
        ):
            at -= 1
        inbox = _row(sheet, at)
        fits = inbox.get("type") == "agent/inbox/spliced" and _data(inbox).get("target") == "next-turn"
        if not fits or at == spot.index - 1 or spot.kind != "turn/start":
            continue
        going = list(range(at + 1, spot.index))
        told = action(
            spot,
            "edit",
            f"{records_word(len(going))} between the inbox event and its turn {_moves(going)} before it",
            loss=_order(len(going)),
        )
        if _move(spot, going, at - 1):
            done.append(told)
    return done[::-1]


def drop_record(spots: list[Spot]) -> list[Action]:
    """Drop records, and number what follows anew."""
    lines: dict[int, Spot] = {}
    for spot in spots:
        for index in going(spot):
            kind = _row(spot.sheet, index).get("type")
            if not spot.values or kind in spot.values:
                lines[index] = spot
    if not lines:
        return []
    sheet, version = spots[0].sheet, spots[0].version
    done = [
        action(
            replace(spot, index=index),
            "drop",
            f"{_row(sheet, index).get('type')} goes: {spot.refusal.message}",
            loss="this record",
            dropped=sheet.count_of(sheet.lines[index]),
        )
        for index, spot in sorted(lines.items(), key=lambda pair: pair[0])
    ]
    drop_lines(sheet, lines, version)
    return done


def going(spot: Spot) -> list[int]:
    """Give the lines that a refusal makes go: of an attempt that stands where none can all of its chunks."""
    if not spot.index:
        return _catalog(spot)
    attempt = attempt_of(spot) if spot.refusal.edge == RESULT else None
    return [spot.index] if attempt is None else attempt.lines


def _catalog(spot: Spot) -> list[int]:
    """Give the lines with catalog facts that have another form, name a child again, or differ from what the child says."""
    if spot.refusal.name != "upgrade-catalog":
        return []
    known: set[str] = set()
    out: list[int] = []
    told: list[int] = []  # what says something else of a child than the child
    for index in range(1, len(spot.sheet.lines)):
        row = _row(spot.sheet, index)
        if row.get("type") == "session/end-seed" and _data(row).get("inherited") is True:
            known, out, told = set(), [], []
        if row.get("type") == "subagent/catalog":
            child = _data(row).get("childId")
            if not is_catalog_fact(row.get("data")) or child in known:
                out.append(index)
            else:
                known.add(str(child))
                told += [index] if ascii(child) in spot.refusal.message else []
    return out or told


def drop_compaction(spots: list[Spot]) -> list[Action]:
    """Drop compactions that never took effect."""
    going: set[int] = set()
    for spot in spots:
        going |= set(failed_compaction(spot.sheet, spot.index))
    if not going:
        return []
    spot = spots[0]
    numbers = [spot.sheet.seq_of(spot.sheet.lines[index]) for index in sorted(going)]
    text = f"a compaction that never took effect goes: events {shown(numbers)}"
    done = action(spot, "drop", text, loss=records_word(len(going)), dropped=len(going))
    drop_lines(spot.sheet, going, spot.version)
    return [done]


def failed_compaction(sheet: Sheet, index: int) -> list[int]:
    """Give the lines of the compaction that a line belongs to; none when a message replaced what it names."""
    name = _data(_row(sheet, index)).get("compactionId")
    if name is None or not _compacts(_row(sheet, index)):
        return []
    lines = [at for at in range(1, len(sheet.lines)) if _names(_row(sheet, at), name)]
    if any(not _compacts(_row(sheet, at)) for at in lines):
        return []
    return lines


def _compacts(row: Event) -> bool:
    kind = row.get("type")
    return type(kind) is str and kind.startswith(("compaction/", "compact/"))


def _names(row: Event, name: object) -> bool:
    data = _data(row)
    source = data.get("source")
    return data.get("compactionId") == name or (type(source) is dict and source.get("compactionId") == name)


def goal_change(spots: list[Spot]) -> list[Action]:
    """Put the change of an old goal message before it as an event of its own."""
    done: list[Action] = []
    for spot in sorted({one.index: one for one in spots}.values(), key=lambda one: -one.index):
        sheet, row, data = spot.sheet, spot.row, spot.data
        source = data.get("source")
        if spot.kind != "user/message" or type(source) is not dict or type(source.get("change")) is not dict:
            continue
        change = {"type": "goal/change", "seq": 0, "time": row.get("time"), "data": source["change"]}
        done.append(
            action(spot, "insert", "the change of the goal message becomes an event before it; the text stays", added=1)
        )
        edit(sheet, spot.index, {**row, "data": {**data, "source": {"kind": "plugin", "plugin": "goal"}}})
        rearrange(sheet, [*sheet.lines[1 : spot.index], added(change), *sheet.lines[spot.index :]], spot.version)
    return done[::-1]


def start_call(spots: list[Spot]) -> list[Action]:
    """Put a tool/call before a result whose call was never started, as the message advertised it."""
    done: list[Action] = []
    for spot in sorted({one.index: one for one in spots}.values(), key=lambda one: -one.index):
        sheet, row, data = spot.sheet, spot.row, spot.data
        block = _advertised(sheet, spot.index, data)
        if block is None:
            continue
        call = {"turn": data.get("turn"), "step": data.get("step"), "callId": block["id"]}
        call |= {"name": block.get("name"), "arguments": block.get("arguments")}
        made = {"type": "tool/call", "seq": 0, "time": row.get("time"), "data": call}
        text = f"a tool/call for {block['id']} is put before its result, as the message advertised it"
        done.append(action(spot, "insert", text, loss="nothing, but a record is made up", added=1))
        rearrange(sheet, [*sheet.lines[1 : spot.index], added(made), *sheet.lines[spot.index :]], spot.version)
        answer = _row(sheet, spot.index + 1)
        cited = {"sourceEventSeqs": [sheet.seq_of(sheet.lines[spot.index])]}
        if row.get("surfaceOp") == "append":
            edit(
                sheet,
                spot.index + 1,
                {**without(answer, "sourceEventSeqs", "surfaceOp"), **cited, "surfaceOp": "append"},
            )
    return done[::-1]


def _advertised(sheet: Sheet, index: int, data: Event) -> Event | None:
    message = data.get("message")
    source = message.get("source") if type(message) is dict else None
    name = source.get("callId") if type(source) is dict else None
    for at in range(index - 1, 0, -1):
        row = _row(sheet, at)
        if row.get("type") == "step/start":
            return None
        held = _data(row).get("message") if row.get("type") == "assistant/message" else None
        content = held.get("content") if type(held) is dict else None
        for block in content if type(content) is list else ():
            if type(block) is dict and block.get("type") == "tool-call" and block.get("id") == name:
                return block
    return None

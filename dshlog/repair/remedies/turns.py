"""Turns, steps and calls: what was left open in the middle of history, and numbers that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT, identical
from dshlog.fold.tail import TailScan
from dshlog.model.number import as_count
from dshlog.repair.closers import closers, end_seed, follow, result_for
from dshlog.repair.line import Line
from dshlog.repair.numbering import Numbering
from dshlog.repair.plan import NOTHING
from dshlog.repair.remedies.case import edit, insert, renumber, shown
from dshlog.repair.words import records_word
from dshlog.report.decode import events_of
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case
    from dshlog.repair.sheet import Sheet

    Event = dict[str, Any]


_STEPPED = frozenset(
    {"step/start", "step/end", "assistant/message", "assistant/attempt", "tool/call", "tool/result", "system/message"}
)  # what names a turn and a step in every generation
_TURNED = _STEPPED | {"turn/end"}


def close_before(case: Case) -> Action | None:
    """Put the closers of what is open before a record that cannot stand inside it.

    Results of calls that were never answered say so, as those that dsh writes after a crash.
    """
    row = case.row
    if row is None:
        return None
    scan, time, seq, kind = case.tail, case.time, case.position, case.kind
    if kind == "step/end":
        made = _results(scan, seq, time)
    elif kind in {"turn/end", "step/start"}:
        made = [event for event in closers(scan, seq=seq, time=time) if event["type"] != "turn/end"]
    else:
        made = closers(scan, seq=seq, time=time)
    if not made:
        return None
    kinds = ", ".join(dict.fromkeys(event["type"] for event in made))
    return _put(case, made, kinds, f"{records_word(len(made))} ({kinds}) close what was open before {kind}")


def open_before(case: Case) -> Action | None:
    """Put the start of a turn or of a step, which got lost, before a record that stands in it."""
    row = case.row
    if row is None or row.get("type") == "turn/start":
        return None
    scan, time = case.tail, case.time
    data = row.get("data")
    named = data if type(data) is dict else {}
    seq = case.position
    made: list[Event] = []
    turn = scan.turn
    if turn is None:
        turn = _next(case, "turn/start", "turn")
        made.append({"type": "turn/start", "seq": seq, "time": time or row.get("time"), "data": {"turn": turn}})
    if scan.step is None and "step" in named and row.get("type") != "step/start":
        step = 1 if scan.turn is None else _next(case, "step/start", "step")
        data = {"turn": turn, "step": step}
        made.append({"type": "step/start", "seq": seq + len(made), "time": time or row.get("time"), "data": data})
    if not made:
        return None
    kinds = " and ".join(event["type"] for event in made)
    return _put(case, made, kinds, f"a {kinds} that got lost is put before {case.kind}")


def _put(case: Case, made: list[Event], kinds: str, text: str) -> Action:
    """Put records that are made up before the one of the case, and say so in `text`."""
    loss = f"nothing, but {records_word(len(made))} made up: {kinds}"
    done = case.done("insert", text, loss=loss, added=len(made))
    insert(case, case.index, made)
    return done


def number(case: Case) -> Action | None:
    """Let a record name the turn and the step that it stands in, or that it starts."""
    row = case.row
    if row is None or "data" not in row:
        return None
    data = row["data"]
    if type(data) is not dict and case.kind not in {"turn/start", "step/start"}:
        return None
    named: Event = data if type(data) is dict else {}
    wanted = _wanted(case, named)
    changed = {name: value for name, value in wanted.items() if not identical(named.get(name), value)}
    if not changed:
        return None
    before = data if type(data) is not dict else {name: named[name] for name in changed if name in named}
    words = ", ".join(_told(name, named, value) for name, value in changed.items())
    loss = NOTHING if before in ({}, None) else _lost(data, changed)
    done = case.done("edit", f"{words}, as where the record stands", loss=loss)
    edit(case.sheet, case.index, {**row, "data": {**named, **changed}})
    return done


def _wanted(case: Case, named: Event) -> Event:
    """Give the turn and the step that a record should name, as far as it should name any."""
    scan, kind = case.tail, case.kind
    wanted: Event = {}
    if kind == "turn/start":
        wanted["turn"] = _next(case, "turn/start", "turn")
    elif scan.turn is not None and scan.turn is not ABSENT and ("turn" in named or kind in _TURNED):
        wanted["turn"] = scan.turn
    if kind == "step/start":
        wanted["step"] = _next(case, "step/start", "step")
    elif scan.step is not None and scan.step is not ABSENT and ("step" in named or kind in _STEPPED):
        wanted["step"] = scan.step
    return wanted


def number_on(case: Case) -> Action | None:
    """Number the turn of a record and all that follow anew, in the records behind it too: those between are gone."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict or type(row.get("surfaceOp")) is dict:
        return None  # what replaces a result names the turn of that
    wanted = _wanted(case, data)
    turn, at = as_count(data.get("turn")), as_count(wanted.get("turn"))
    if turn is None or at is None:
        return None
    step, now = as_count(data.get("step")), as_count(wanted.get("step"))
    known = step is not None and now is not None
    move = Numbering(turn, at - turn, *((step or 0, (now or 0) - (step or 0)) if known else ()))
    if not (move.turns or move.steps):
        return None
    done = case.done("renumber", _numbered_words(case, move), loss="the numbers that they named")
    renumber(case.sheet, _since(case, turn, at), move)
    return done


def _numbered_words(case: Case, move: Numbering) -> str:
    """Say which turns and steps get which numbers."""
    turn, at, step = move.turn, move.turn + move.turns, move.step + move.steps
    steps = f"the steps of turn {at} are numbered {step}, {step + 1} and so on from here on" if move.steps else ""
    if not move.turns:
        return steps
    starts = case.kind == "turn/start"
    first, last = turn + (not starts), _last_turn(case)
    after = "" if last < first else f"{_turns(first, last)} become {_turns(first + move.turns, last + move.turns)}"
    if starts:
        return f"the turns from here on are numbered anew: {after}"
    left = f"what is left of turn {turn} goes on in turn {at}"
    left += f", and {steps}" if steps else ""
    return f"{left}; the turns after it are numbered anew: {after}" if after else left


def _turns(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}..{last}"


def _last_turn(case: Case) -> int:
    """Give the number of the last turn that starts from a record on; 0 when none does."""
    for line in reversed(case.sheet.lines[case.index :]):
        if b"turn/start" in line.text and (row := line.row or {}).get("type") == "turn/start":
            data = row.get("data")
            return (as_count(data.get("turn")) if type(data) is dict else None) or 0
    return 0


def _since(case: Case, turn: int, at: int) -> int:
    """Give the index of the first line of what is left of a turn: what dsh takes with any number may stand before the case."""
    index, start = case.index, case.index
    while turn > at and index > 1:
        index -= 1
        row = case.sheet.lines[index].row or {}
        data = row.get("data")
        named = as_count(data.get("turn")) if type(data) is dict else None
        if named is not None and named < turn:
            break
        start = start if named is None else index
    return start


def _told(name: str, named: Event, value: object) -> str:
    return f"{name} {shown(named[name])} becomes {shown(value)}" if name in named else f"{name} becomes {shown(value)}"


def _lost(data: object, changed: Event) -> str:
    """Say what a record named, or held in place of what it should name."""
    if type(data) is not dict:
        return f"data {shown(data)}"
    return f"the {' and '.join(name for name in changed if name in data)} that it named"


def orphan_marker(case: Case) -> Action | None:
    """Add the marker that makes an open compaction one of an ended process, behind closers when a turn is open."""
    sheet = case.sheet
    if any(_compacts(line) for line in sheet.lines[case.index + 1 :]):
        return None  # another compaction follows, or the end of this one: the marker would come too late
    scan, time = scanned(sheet, len(sheet.lines), case.version)
    seq = sum(line.count for line in sheet.lines[1:])
    made = closers(scan, seq=seq, time=time)
    marker = end_seed(seq=seq + len(made), time=case.now)
    done = case.done(
        "mark", "the session/end-seed that was to follow is added: the compaction ended with its process", added=1
    )
    sheet.lines += [Line(text=dumps(event) + b"\n") for event in (*made, marker)]
    sheet.closers, sheet.marker = made, marker
    return done


def _compacts(line: Line) -> bool:
    """Tell whether a compaction starts or ends at a line."""
    return b'"compaction/' in line.text and (line.row or {}).get("type") in {"compaction/start", "compaction/end"}


def inner_marker(case: Case) -> Action | None:
    """Put that marker where the process ended: before the next turn of the log."""
    row = case.row
    index = case.index + (1 if row is not None and row.get("type") == "turn/end" else 0)
    marker = end_seed(seq=0, time=(row or {}).get("time", case.now))
    if index >= len(case.sheet.lines):
        return None
    done = case.done(
        "insert",
        "a session/end-seed behind the turn says that the compaction ended with its process",
        loss="nothing, but 1 record made up: session/end-seed",
        added=1,
    )
    marker["seq"] = case.position + sum(line.count for line in case.sheet.lines[case.index : index])
    insert(case, index, [marker])
    return done


def scanned(sheet: Sheet, index: int, version: int) -> tuple[TailScan, object]:
    """Scan the events before a line, sound or not, for what is open there; with the time of the last one."""
    scan, time = TailScan(version), None
    for line in sheet.lines[1:index]:
        if line.row is None:
            continue
        for event, _ in events_of(line.text, version):
            if "type" in event and "seq" in event:
                follow(scan, event)
                time = event.get("time")
    return scan, time


def _results(scan: TailScan, seq: int, time: object) -> list[Event]:
    out: list[Event] = []
    for pending in scan.pending.values():
        out.append(result_for(pending, seq=seq + len(out), time=time, version=scan.version, turn=scan.turn))
    return out


def _next(case: Case, kind: str, name: str) -> int:
    """Give the number of the next turn, or of the next step of a turn."""
    for line in reversed(case.sheet.lines[1 : case.index]):
        row = line.row or {}
        data = row.get("data")
        if row.get("type") == kind and type(data) is dict and type(data.get(name)) is int:
            return int(data[name]) + 1
        if name == "step" and row.get("type") == "turn/start":
            break
    return 1

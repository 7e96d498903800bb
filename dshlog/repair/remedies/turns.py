"""Turns, steps and calls: what was left open in the middle of history, and numbers that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT
from dshlog.fold.tail import TailScan
from dshlog.repair.closers import closers, end_seed, follow, result_for
from dshlog.repair.remedies.case import edit, insert, shown
from dshlog.repair.sheet import Line
from dshlog.repair.words import records_word
from dshlog.report.decode import events_of
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case
    from dshlog.repair.sheet import Sheet

    Event = dict[str, Any]


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
    """Let a record name the turn and the step that it stands in."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict:
        return None
    scan = case.tail
    kind = case.kind
    wanted: Event = {}
    if kind == "turn/start":
        wanted["turn"] = _next(case, "turn/start", "turn")
    elif scan.turn is not None and scan.turn is not ABSENT and "turn" in data:
        wanted["turn"] = scan.turn
    if kind == "step/start":
        wanted["step"] = _next(case, "step/start", "step")
    elif "step" in data and scan.step is not None and scan.step is not ABSENT:
        wanted["step"] = scan.step
    changed = {name: value for name, value in wanted.items() if data.get(name) != value}
    if not changed:
        return None
    words = ", ".join(f"{name} {shown(data.get(name))} becomes {shown(value)}" for name, value in changed.items())
    done = case.done("edit", f"{words}, as where the record stands", loss=f"the {' and '.join(changed)} that it named")
    edit(case.sheet, case.index, {**row, "data": {**data, **changed}})
    return done


def orphan_marker(case: Case) -> Action | None:
    """Add the marker that makes an open compaction one of an ended process, behind closers when a turn is open."""
    sheet = case.sheet
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

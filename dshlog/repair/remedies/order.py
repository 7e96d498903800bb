"""Records that stand twice, in the wrong place, under a wrong number, or of two writers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dshlog.codec.chunkruns import expand_row
from dshlog.repair.finish import is_packed
from dshlog.repair.references import Shift
from dshlog.repair.remedies.case import edit, retell, shift
from dshlog.repair.words import events_word, records_word
from dshlog.report.sequence import GAP, add_position
from dshlog.rules.sequence import Positions, forks, tell
from dshlog.storage.jsontext import same

if TYPE_CHECKING:
    from dshlog.repair.line import Line
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case
    from dshlog.repair.sheet import Sheet


def repeated(case: Case) -> Action | None:
    """Drop records that stand a second time, byte for byte."""
    lines, last = case.sheet.lines, case.index
    while last < len(lines) and _stands_before(case, lines[last]):
        last += 1
    number = last - case.index
    if not number or not case.index:
        return None
    done = case.done("drop", f"a second copy, byte for byte, of {records_word(number)} goes")
    case.sheet.drop_all(lines[case.index : last], lost=False)
    return done


def _stands_before(case: Case, line: Line) -> bool:
    """Tell whether the sound records before the case, whose numbers rise, hold a line byte for byte; or the header."""
    text = line.text.strip()
    if line.seq is None:
        return text == case.sheet.lines[0].text.strip()
    for other in reversed(case.sheet.lines[1 : case.index]) if line.seq < case.position else ():
        if other.seq is not None and other.seq <= line.seq:
            return other.text.strip() == text
    return False


def overlapping(case: Case) -> Action | None:
    """Keep of a packed row the members that do not stand before it already, when the others say the same."""
    row, position = case.row, case.position
    if row is None or not is_packed(row) or case.version > 1:
        return None
    try:
        members = list(expand_row(row))
    except (KeyError, TypeError, ValueError):
        return None
    double = [event for event in members if event["seq"] < position]
    fresh = members[len(double) :]
    if not double or (fresh and fresh[0]["seq"] != position):
        return None
    known = _events_between(case, double[0]["seq"], position)
    if len(known) != len(double) or not all(same(a, b, zero_sign=True) for a, b in zip(known, double, strict=True)):
        return None
    text = f"{events_word(len(double))} of a packed row stand before it already and go; the {len(fresh)} others stay"
    done = case.done("edit", text)
    if not fresh:
        case.sheet.drop(case.line, lost=False)
        return done
    from dshlog.codec.packing import pack_chunk_runs
    from dshlog.storage.jsontext import dumps

    texts = [dumps(packed) + b"\n" for packed in pack_chunk_runs(fresh)]
    from dshlog.repair.line import Line as Added

    retell(case.sheet, case.index, texts[0])
    case.sheet.lines[case.index + 1 : case.index + 1] = [Added(text=text) for text in texts[1:]]
    return done


def misplaced(case: Case) -> Action | None:
    """Put records back into the order of their numbers, when every number is there once."""
    sheet, position = case.sheet, case.position
    if not any(line.seq == position for line in sheet.lines[case.index + 1 :]):
        return None  # the one that belongs here is not there
    head, *lines = sheet.lines
    known = [(seq, line) for line in lines if (seq := sheet.seq_of(line)) is not None]
    if len(known) != len(lines):
        return None
    ordered = sorted(known, key=lambda pair: pair[0])
    dense = ordered[0][0] == 0 and all(
        seq + sheet.count_of(line) == behind for (seq, line), (behind, _) in pairwise(ordered)
    )
    if not dense:
        return None
    moved = sum(one is not other for (_, one), (_, other) in zip(known, ordered, strict=True))
    done = case.done(
        "edit", f"{records_word(moved)} stand in the wrong place and are put into the order of their numbers"
    )
    sheet.lines = [head, *(line for _, line in ordered)]
    return done


def wrong_number(case: Case) -> Action | None:
    """Give one record the number that its neighbours leave for it."""
    sheet, row, position = case.sheet, case.row, case.position
    if row is None or "seq0" in row:
        return None
    behind = sheet.lines[case.index + 1 :]
    if behind and sheet.seq_of(behind[0]) != position + 1:
        return None
    # Without a neighbour behind it a number that is none is put right; another number may mean a hole.
    if not behind and sheet.seq_of(case.line) is not None:
        return None
    done = case.done("edit", f"the record gets seq {position}, the number between those of its neighbours")
    edit(case.sheet, case.index, {**row, "seq": position} if "seq" in row else _with_seq(row, position))
    return done


def hole(case: Case) -> Action | None:
    """Close a hole in the numbering: what stood there is in this file no more."""
    position, found = case.position, case.sheet.seq_of(case.line)
    if found is None or found <= position:
        return None
    gone = f"event {position} is" if found == position + 1 else f"events {position}..{found - 1} are"
    done = case.done(
        "renumber",
        f"{gone} not in the file; what follows is numbered {position}, {position + 1} and so on",
        loss=f"nothing, but {gone} gone already",
    )
    shift(case.sheet, case.index, Shift(found, position - found), case.version)
    return done


BRANCH_LOSS = {"first": "the first branch", "second": "the second branch"}


def branches(case: Case) -> Action | None:
    """Keep one branch of a log that two writers continued."""
    if case.keep is None:
        return None
    found = fork_at(case.sheet)
    if found is None:
        return None
    first, second = found
    kept, going = (first, second) if case.keep == "first" else (second, first)
    name = "second" if case.keep == "first" else "first"
    events = sum(case.sheet.count_of(line) for line in going)
    done = case.done(
        "drop",
        f"the {name} branch goes: {records_word(len(going))}; the {case.keep} one stays with {records_word(len(kept))}",
        loss=BRANCH_LOSS[name],
        dropped=events,
    )
    case.sheet.drop_all(going, lost=True)
    return done


def fork_at(sheet: Sheet) -> tuple[list[Line], list[Line]] | None:
    """Give the lines of both branches at the first place where a second writer began; None when there is none."""
    positions, counted = _positions(sheet)
    found = forks(positions)
    if not found:
        return None
    _, first, second = found[0]
    return [counted[index] for index in first], [counted[index] for index in second]


def rises(sheet: Sheet, index: int, end: int) -> bool:
    """Tell whether no record from a line on has a position below `end`, or one before it: then some are missing, and that is all."""
    for line in sheet.lines[index:]:
        if line.seq is None or line.seq < end:
            return False
        end = line.seq + line.count
    return True


def told(sheet: Sheet, index: int) -> str:
    """Give the name of what broke the numbering at a line."""
    stories = tell(_positions(sheet)[0])
    return next((story.fault.name for story in stories if story.line == index + 1), GAP)


def _positions(sheet: Sheet) -> tuple[Positions, list[Line]]:
    """Give the positions of all records that have one, and their lines."""
    positions = Positions()
    counted: list[Line] = []
    for number, line in enumerate(sheet.lines[1:], 2):
        before = len(positions)
        add_position(positions, line.text, number, 0)
        if len(positions) > before:
            counted.append(line)
    return positions, counted


def _with_seq(row: dict[str, Any], seq: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in row.items():
        out[name] = value
        if name == "type":
            out["seq"] = seq
    return out if "seq" in out else {**row, "seq": seq}


def _events_between(case: Case, start: int, end: int) -> list[dict[str, Any]]:
    """Give the events with the positions start..end - 1 that stand before the line."""
    out: list[dict[str, Any]] = []
    for line in case.sheet.lines[1 : case.index]:
        row, seq = line.row, case.sheet.seq_of(line)
        if row is None or seq is None or seq + case.sheet.count_of(line) <= start or seq >= end:
            continue
        out += expand_row(row) if is_packed(row) else [row]
    return [event for event in out if start <= event["seq"] < end]

"""What closes a log copies what opened it: where that makes closers that dsh refuses, the opening record is at fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.model.number import MAX_SAFE
from dshlog.repair.finish import closed
from dshlog.repair.line import Line
from dshlog.repair.standing import Found, Standing, before, stand
from dshlog.rules.register import BY_NAME
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from dshlog.fold.tail import TailScan
    from dshlog.repair.planner import Wishes
    from dshlog.repair.sheet import Sheet

    Event = dict[str, Any]


def closers_of(sheet: Sheet, standing: Standing, now: int) -> tuple[list[Event], Event | None]:
    """Give the closers of a sound sheet and the marker behind them."""
    judge = standing.mark.judge()
    last = sheet.lines[-1].text if len(sheet.lines) > 1 else None
    return closed(judge.tail, judge.position, last, now)


def with_ending(sheet: Sheet, closing: list[Event], marker: Event) -> Sheet:
    """Give the sheet with its closers and the marker behind them."""
    ended = sheet.copy()
    ended.lines += [Line(text=dumps(event) + b"\n") for event in (*closing, marker)]
    return ended


def closable(sheet: Sheet, standing: Standing, wishes: Wishes) -> Standing:
    """Give the standing of a sound sheet: at the record that opened what dsh would close in a form that it refuses."""
    closing, marker = closers_of(sheet, standing, wishes.now)
    if marker is None or plain(closing):
        return standing
    reached = stand(with_ending(sheet, closing, marker), wishes.fix, standing.mark)
    opening = None if reached.sound else _opening(sheet, standing.mark.judge().tail)
    if opening is None:
        return standing
    at, name = opening
    first = [Found(name, BY_NAME[name].code, refused_words(reached), None)]
    return Standing(
        first=first,
        at=at,
        mark=before(sheet, at, wishes.fix),
        version=reached.version,
        late=True,
        behind=len(sheet.lines) - at,
        unread=False,
    )


def refused_words(standing: Standing) -> str:
    """Say that dsh refuses the closers, as a log with them stands."""
    return f"closed as dsh closes it, dsh would refuse it at {standing.first[0].code}"


def plain(closing: list[Event]) -> bool:
    """Tell whether closers have the form that a reader wants: dsh copies what a log holds, whatever it is."""
    for event in closing:
        data, kind = event["data"], event["type"]
        numbers = [data.get(name) for name in ("turn", "step") if name == "turn" or kind != "turn/end"]
        if not all(map(_is_number, numbers)):
            return False
        if kind == "tool/result" and not _is_text(data["message"]["source"].get("callId")):
            return False
    return True


def _opening(sheet: Sheet, scan: TailScan) -> tuple[int, str] | None:
    """Give the index of the last record that opened something without a usable number or id, and what it is then called."""
    bad = {
        "turn/start": (not _is_number(scan.turn), "turn-number-wrong"),
        "step/start": (scan.step is not None and not _is_number(scan.step), "step-number-wrong"),
        "assistant/message": (
            not all(_is_text(pending.call_id) for pending in scan.pending.values()),
            "call-id-malformed",
        ),
    }
    for index in range(len(sheet.lines) - 1, 0, -1):
        kind = (sheet.lines[index].row or {}).get("type")
        found, name = bad.get(kind, (False, "")) if type(kind) is str else (False, "")
        if found:
            return index, name
        if kind == "turn/start":
            break
    return None


def _is_number(value: object) -> bool:
    return type(value) is int and 0 < value <= MAX_SAFE


def _is_text(value: object) -> bool:
    return type(value) is str and value != ""

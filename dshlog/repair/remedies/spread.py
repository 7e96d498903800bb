"""A record that an editor spread over several lines, each of which alone is nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dshlog.repair.line import Line
from dshlog.repair.remedies.case import retell
from dshlog.repair.remedies.onebyte import is_envelope
from dshlog.repair.words import records_word
from dshlog.storage.jsontext import dumps
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"')


def spread(case: Case) -> Action | None:
    """Write records that were spread over lines on one line each, as dsh does; stop at the first that is on one."""
    lines, at = case.sheet.lines, case.index
    going: list[Line] = []
    made: list[tuple[int, bytes]] = []
    while at < len(lines) and not case.sheet.stored:  # a row holds one record
        end = at if not lines[at].text.strip() else _end(lines, at)
        if end is None:
            break
        if end > at:
            text = _whole(lines[at : end + 1], header=not at)
            if text is None:
                break
            made.append((at, text))
        going += lines[at + 1 : end + 1] if end > at else [lines[at]]
        at = end + 1
    if not made or made[0][0] != case.index:
        return None
    what = f"{records_word(len(made))} stood on {at - case.index} lines and {'gets' if len(made) == 1 else 'get'} one"
    done = case.done("edit", what if len(made) == 1 else f"{what} each")
    for index, text in made:
        retell(case.sheet, index, text)
    case.sheet.drop_all(going, lost=False)
    return done


def _end(lines: list[Line], start: int) -> int | None:
    """Give the index of the line that closes what the line at `start` opens and does not close; None for none."""
    level = 0
    for index in range(start, len(lines)):
        text = lines[index].text
        if isinstance(text, Overlong) or (index > start and text.startswith(b"{") and _own(lines[index])):
            return None
        bare = _STRING.sub(b"", text)
        level += bare.count(b"{") + bare.count(b"[") - bare.count(b"}") - bare.count(b"]")
        if index == start and (level < 1 or not bare.startswith(b"{")):
            return None
        if level <= 0:
            return index
    return None


def _own(line: Line) -> bool:
    """Tell whether a line is a record by itself."""
    row = line.row
    return row is not None and (is_envelope(row) or _begins(row))


def _begins(row: dict[str, Any]) -> bool:
    """Tell whether an object is the header of a log, whatever else is wrong with it."""
    return row.get("type") == "session" and "version" in row


def _whole(lines: list[Line], *, header: bool) -> bytes | None:
    """Give the one record that some lines are, as dsh writes it."""
    row = Line(text=b"".join(line.text for line in lines)).row
    if row is None or not (_begins(row) if header else is_envelope(row)):
        return None
    return dumps(row) + b"\n"

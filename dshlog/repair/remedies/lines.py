"""Lines that are no record: empty, filled with zeros, joined, broken by one byte, or beyond help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.repair.line import Line
from dshlog.repair.plan import NOTHING
from dshlog.repair.remedies.case import drop, edit, retell
from dshlog.repair.words import bytes_word
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

_NOTHING = b"\0 \t\r\n"
_NEEDED = {"type", "seq", "time", "data"}


def blank(case: Case) -> Action | None:
    """Drop lines that hold nothing between records that follow each other."""
    if case.sheet.stored:
        return None  # a row held something
    lines = case.sheet.lines
    last = _last_unreadable(case)
    behind = case.sheet.seq_of(lines[last + 1]) if last + 1 < len(lines) else None
    if behind is not None and behind != case.position:
        return None
    going = lines[case.index : last + 1]
    if last + 1 == len(lines) and any(line.text.strip(_NOTHING) for line in going):
        return None  # nothing behind tells that they hold nothing
    size = sum(len(line.text) for line in going)
    done = case.done("drop", f"{bytes_word(size)} that are no record go; the numbering goes on behind them")
    case.sheet.drop_all(going, lost=False)
    return done


def joined(case: Case) -> Action | None:
    """Give each record of a line that holds several, because line feeds were lost, a line of its own."""
    parts = _parts(case.line.text.strip())
    if len(parts) < 2:  # noqa: PLR2004 - one is what a line should hold
        return None
    at = case.position
    for part in parts:
        row = part.row
        if row is None or case.sheet.seq_of(part) != at:
            return None
        at += case.sheet.count_of(part)
    done = case.done("edit", f"{len(parts)} records stood on one line and get a line each")
    first, *rest = parts
    retell(case.sheet, case.index, first.text)
    case.sheet.lines[case.index + 1 : case.index + 1] = rest
    return done


def patched(case: Case) -> Action | None:
    """Keep a record with a block of zero bytes in it: what stood there is gone, the rest still makes sense."""
    text = case.line.text.removesuffix(b"\n")
    zeros = text.count(0)
    if isinstance(text, Overlong) or not 0 < zeros < len(text):
        return None
    row = _record(text.replace(b"\0", b""), case.position)
    if row is None:
        return None
    loss = f"{bytes_word(zeros)} of this record"
    done = case.done("edit", f"{bytes_word(zeros)} in the record were never written; it stays without them", loss=loss)
    edit(case.sheet, case.index, row)
    return done


def byte_order_mark(case: Case) -> Action | None:
    """Take the byte order mark off a line."""
    if not case.line.text.startswith(b"\xef\xbb\xbf"):
        return None
    done = case.done("edit", "a byte order mark before the header goes")
    retell(case.sheet, case.index, case.line.text[3:])
    return done


def unreadable(case: Case) -> Action | None:
    """Drop lines that cannot be read, and close the gap that they leave."""
    last = _last_unreadable(case)
    number = last - case.index + 1
    noun, loss = "line", f"whatever {'it' if number == 1 else 'they'} said"
    if case.sheet.stored:
        noun = "row"
    what = f"a {noun} that cannot be read goes" if number == 1 else f"{number} {noun}s that cannot be read go"
    if last + 1 == len(case.sheet.lines):
        # The last line of a file may be half of one; a row is there as a whole or not at all.
        done = case.done("cut", f"{what}; nothing stands behind", loss=loss if case.sheet.stored else NOTHING)
        case.sheet.drop_all(case.sheet.lines[case.index : last + 1], lost=case.sheet.stored)
        return done
    done = case.done("drop", f"{what}, and what follows is numbered anew", loss=loss)
    drop(case, last)
    return done


def _last_unreadable(case: Case) -> int:
    lines, index = case.sheet.lines, case.index
    while index + 1 < len(lines) and lines[index + 1].row is None:
        index += 1
    return index


def _parts(text: bytes) -> list[Line]:
    """Cut a line into the objects that stand in it one behind the other."""
    from json.decoder import JSONDecoder

    try:
        rest = text.decode()
    except UnicodeDecodeError:
        return []
    out: list[Line] = []
    decoder = JSONDecoder()
    while rest:
        try:
            _, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            return []
        out.append(Line(text=rest[:end].encode() + b"\n"))
        rest = rest[end:].lstrip()
    return out


def _record(text: bytes, position: int) -> dict[str, Any] | None:
    line = Line(text=text)
    row = line.row
    if row is None or row.keys() < _NEEDED or row.get("seq") != position:
        return None
    return row

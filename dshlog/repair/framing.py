"""What a repair makes of the frames of a damaged zstd log, and of bytes behind the last line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.model.place import Place
from dshlog.repair.finish import value_of
from dshlog.repair.line import Line
from dshlog.repair.plan import Action
from dshlog.repair.sheet import Group
from dshlog.repair.words import bytes_word, records_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.repair.salvage import Stretch
    from dshlog.repair.sheet import Sheet

LINE_FEED = "the last record gets the line feed that it lacks"


def framing_actions(sheet: Sheet) -> Iterator[Action]:
    """Tell what happens to each stretch of the file that is no sound frame."""
    if not sheet.stretches and sheet.encoding == "zstd":
        yield Action(kind="reframe", message="the text is put into zstd frames, as the name of the file promises")
    elif sheet.stretches and sheet.encoding == "raw":
        yield Action(kind="reframe", message="the frames are written as text, as the name of the file promises")
    for index, stretch in enumerate(sheet.stretches):
        if stretch.how != "whole":
            yield _stretch(sheet, index, stretch)
    if sheet.encoding == "zstd" and sheet.stretches:
        yield from _header(sheet)


def _header(sheet: Sheet) -> Iterator[Action]:
    """Tell that the header gets a frame of its own."""
    head = sheet.header_group
    if head is None or head.sound:
        return
    starts = [stretch.start for stretch in sheet.stretches if head.start <= stretch.start < head.end]
    if len(starts) > 1:
        text = "the header line was spread over more than one frame"
    elif len(head.lines) > 1:
        text = "the first frame held more than the header line"
    else:
        return
    yield Action(
        kind="reframe",
        message=f"{text}; the header gets a frame of its own",
        place=Place(file=sheet.path, frame=0, frame_at=head.start),
    )


def _stretch(sheet: Sheet, index: int, stretch: Stretch) -> Action:
    size = stretch.end - stretch.start
    rows = stretch.text.count(b"\n")
    where = Place(file=sheet.path, frame_at=stretch.start)
    span = (stretch.start, stretch.end)
    if stretch.how == "foreign":
        return Action(kind="cut", message=f"{bytes_word(size)} that are no zstd frame go", place=where, bytes=span)
    if stretch.how == "torn":
        kept = f"; what is whole in it, {records_word(rows)}, is written again" if rows else ""
        return Action(
            kind="cut",
            message=f"a frame that was never finished goes: {bytes_word(size)}{kept}",
            place=where,
            bytes=span,
        )
    if stretch.how == "renamed":
        text = f"a frame whose first bytes were changed is written again: its checksum proves its {records_word(rows)}"
        return Action(kind="rewrite", message=text, place=where, bytes=span)
    if stretch.how == "unproved":
        return Action(
            kind="rewrite",
            message=f"frame {index} fails its checksum, yet its text can be read: {records_word(rows)} are written again",
            place=where,
            bytes=span,
            loss=f"the proof that {records_word(rows)} say what they once said",
        )
    kept = f"; {records_word(rows)} before the damage are kept" if rows else ""
    return Action(
        kind="cut",
        message=f"frame {index} cannot be read: {bytes_word(size)} go{kept}",
        place=where,
        bytes=span,
        loss="whatever the rest of the frame held" if rows else "whatever the frame held",
    )


def take_tail(sheet: Sheet, *, keep: bool = False) -> Iterator[Action]:
    """Settle the bytes behind the last line feed.

    A whole record in a frame is kept, and with `keep` one of a raw log too, which dsh would cut; anything else goes.
    """
    tail, sheet.tail = sheet.tail, b""
    if not tail:
        return
    where = Place(file=sheet.path, line=len(sheet.lines) + 1)
    if (keep or sheet.encoding == "zstd") and type(value_of(tail)) is dict:
        at = sum(len(line.text) for line in sheet.lines)
        if sheet.encoding == "raw":
            sheet.groups.append(Group(start=at, end=at + len(tail), sound=False))
        line = Line(text=tail + b"\n", old=tail, number=len(sheet.lines) + 1, at=at, group=len(sheet.groups) - 1)
        sheet.lines.append(line)
        yield Action(kind="edit", message=LINE_FEED, place=where)
        return
    yield Action(kind="cut", message=f"the last {bytes_word(len(tail))} are no whole record and go", place=where)

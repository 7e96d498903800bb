"""One finding at one line of a sheet, and what every remedy needs to change it."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dshlog.model.place import Place
from dshlog.repair.finish import time_of
from dshlog.repair.line import Line
from dshlog.repair.plan import NOTHING, Action
from dshlog.repair.references import Moves, Shift
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from dshlog.fold.surface import SurfaceFolder
    from dshlog.fold.tail import TailScan
    from dshlog.repair.numbering import Numbering
    from dshlog.repair.plan import Kind
    from dshlog.repair.sheet import Sheet
    from dshlog.repair.standing import Found, Mark


_SHOWN = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A finding on a sheet that a remedy may change.

    `index` is that of the line in the sheet, which is the line itself for a finding about none. `keep` is
    the branch of a two-writer log that was chosen. `now` is the wall clock in milliseconds. `mark` stands
    before the line: the log is sound up to there. `header` has what is known of a header that may be written
    anew.
    """

    sheet: Sheet
    finding: Found
    index: int
    version: int
    now: int
    mark: Mark
    keep: Literal["first", "second"] | None = None
    header: dict[str, Any] | None = None

    @property
    def line(self) -> Line:
        """Give the line."""
        return self.sheet.lines[self.index]

    @property
    def row(self) -> dict[str, Any] | None:
        """Give its record."""
        return self.line.row

    @property
    def kind(self) -> str:
        """Give the type of its record; empty for what has none."""
        kind = (self.row or {}).get("type")
        return kind if type(kind) is str else ""

    @property
    def position(self) -> int:
        """Count the events before the line: the seq that it should have."""
        return self.mark.judge().position if self.index else 0

    @property
    def folder(self) -> SurfaceFolder:
        """Give the surface before the line."""
        return self.mark.judge().folder

    @property
    def tail(self) -> TailScan:
        """Give what is open before the line."""
        return copy(self.mark.judge().tail)

    @property
    def time(self) -> object:
        """Give the time of the last event before the line; None when there is none."""
        return time_of(self.sheet.lines[self.index - 1].text, self.version) if self.index > 1 else None

    def done(self, kind: Kind, message: str, *, loss: str = NOTHING, dropped: int = 0, added: int = 0) -> Action:
        """Tell what was done at the line."""
        place = self.place(self.line)
        return Action(kind=kind, message=message, place=place, loss=loss, dropped=dropped, added=added)

    def place(self, line: Line) -> Place:
        """Give the place of a line in the source."""
        return place_of(self.sheet, line)


Remedy = Callable[[Case], Action | None]


def place_of(sheet: Sheet, line: Line) -> Place:
    """Give the place of a line in the source; one that was added has none but the file."""
    if not line.number:
        return Place(file=sheet.path)
    framed = sheet.encoding == "zstd"
    start = sheet.groups[line.group].start if framed else None
    return Place(file=sheet.path, line=line.number, offset=line.at, frame_at=start, seq=sheet.seq_of(line))


def edit(sheet: Sheet, index: int, row: dict[str, Any]) -> None:
    """Let a line say another record."""
    retell(sheet, index, dumps(row) + b"\n")


def retell(sheet: Sheet, index: int, text: bytes) -> None:
    """Let a line say another text; the line that other sheets may share stays as it is."""
    sheet.lines[index] = sheet.lines[index].saying(text)


def added(row: dict[str, Any]) -> Line:
    """Give a new line."""
    return Line(text=dumps(row) + b"\n")


def shift(sheet: Sheet, index: int, move: Shift, version: int) -> None:
    """Move positions in all lines from `index` on."""
    if not move.by:
        return
    known: dict[Moves | None, Moves] = {}
    for at in range(index, len(sheet.lines)):
        sheet.lines[at] = sheet.lines[at].shifted(move, version, known)
    _shift_seed(sheet, move.start, move.by)


def renumber(sheet: Sheet, index: int, move: Numbering) -> None:
    """Move the numbers of turns and steps in all lines from `index` on."""
    known: dict[tuple[Numbering, ...], tuple[Numbering, ...]] = {}
    for at in range(index, len(sheet.lines)):
        sheet.lines[at] = sheet.lines[at].renumbered(move, known)


def _shift_seed(sheet: Sheet, start: int, by: int) -> None:
    """Move the end of the inherited part that the header of v0 and v1 names."""
    header = sheet.lines[0].row
    length = header.get("seedLength") if header is not None else None
    if header is not None and type(length) is int and length > start:
        edit(sheet, 0, {**header, "seedLength": max(start, length + by)})


def drop(case: Case, last: int, *, lost: bool = True) -> int:
    """Drop the lines from that of the case to index `last` and close the gap in the numbering; how many events went.

    What follows is moved to where the first dropped event stood, whatever number it had.
    """
    sheet, start = case.sheet, case.position
    going = sheet.lines[case.index : last + 1]
    count = sum(sheet.count_of(line) for line in going)
    behind = next((seq for line in sheet.lines[last + 1 :] if (seq := sheet.seq_of(line)) is not None), None)
    sheet.drop_all(going, lost=lost)
    if behind is not None and behind > start:
        shift(sheet, case.index, Shift(behind, start - behind), case.version)
    return count


def insert(case: Case, index: int, rows: list[dict[str, Any]]) -> None:
    """Put records, which have their positions already, before the line at an index; what follows moves up.

    Where events behind name positions that they cannot know, somebody took records out and forgot what the
    others name: then only their own positions move, and what they name is right again.
    """
    sheet = case.sheet
    start = case.position + sum(line.count for line in sheet.lines[case.index : index])
    stale = any(line.names_later(case.version) for line in sheet.lines[index:])
    shift(sheet, index, Shift(start, len(rows), own_only=stale), case.version)
    sheet.lines[index:index] = [added(row) for row in rows]


def said(case: Case, row: dict[str, Any], message: str, loss: str = NOTHING) -> Action:
    """Let the line say another record, and tell what was done."""
    done = case.done("edit", message, loss=loss)
    edit(case.sheet, case.index, row)
    return done


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    """Give an object without some members."""
    return {name: value for name, value in row.items() if name not in names}


def shown(value: object) -> str:
    """Give a value as JSON, cut where it is long."""
    text = dumps(value).decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"

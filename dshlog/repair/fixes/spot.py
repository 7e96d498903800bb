"""One refusal at one record, what a fix makes of it, and how a whole log is put into another order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.repair.fixes.path import find, stored
from dshlog.repair.plan import NOTHING, Action
from dshlog.repair.references import moved_row
from dshlog.repair.remedies.case import Case, edit, place_of
from dshlog.repair.seqs import Seqs
from dshlog.repair.standing import Found as Wrong
from dshlog.repair.standing import Trail
from dshlog.rules.register import BY_CODE, BY_NAME

if TYPE_CHECKING:
    from dshlog.migrate.refusal import Refusal
    from dshlog.repair.fixes.attempts import Attempts
    from dshlog.repair.fixes.path import Found
    from dshlog.repair.line import Line
    from dshlog.repair.plan import Kind
    from dshlog.repair.remedies.case import Remedy
    from dshlog.repair.sheet import Sheet

    Event = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A refusal and the line that it is about, which is 0 for one about the header or about no line.

    `path` leads to the member in the record as stored. `values` are what was named behind the fix; empty for all.
    """

    sheet: Sheet
    index: int
    refusal: Refusal
    path: str
    version: int
    now: int
    attempts: Attempts
    values: frozenset[str] = frozenset()

    @property
    def row(self) -> Event:
        """Give the record."""
        return self.sheet.lines[self.index].row or {}

    @property
    def kind(self) -> str:
        """Give its type."""
        kind = self.row.get("type")
        return kind if type(kind) is str else ""

    @property
    def data(self) -> Event:
        """Give its payload; empty for what is no object."""
        data = self.row.get("data")
        return data if type(data) is dict else {}

    @property
    def found(self) -> Found:
        """Follow the path."""
        return find(self.row, self.path)

    @property
    def session(self) -> str:
        """Give the id of the session."""
        return str((self.sheet.lines[0].row or {}).get("id", ""))

    @property
    def seq(self) -> int:
        """Give the position of the event."""
        return self.sheet.seq_of(self.sheet.lines[self.index]) or 0

    def line_of(self, seq: int) -> int:
        """Give the index of the line that holds an event."""
        return min(Seqs(self.sheet).line(seq), len(self.sheet.lines) - 1)

    def case(self, trail: Trail) -> Case:
        """Give what the remedies of single findings take; `trail` is along the sheet."""
        name = BY_CODE[self.refusal.about].name if self.refusal.about in BY_CODE else self.refusal.name
        rule = BY_NAME[name]
        return Case(
            sheet=self.sheet,
            finding=Wrong(name, rule.code, self.refusal.message, None),
            index=self.index,
            version=self.version,
            now=self.now,
            mark=trail.before(self.index),
        )


class Said(NamedTuple):
    """What a fix makes of a record: the record, and what was done and lost in words."""

    row: Event
    message: str
    loss: str = NOTHING


RowFix = Callable[[Spot], "Iterator[Said]"]  # what can be tried, the gentlest first
SheetFix = Callable[["list[Spot]"], "list[Action]"]  # changes the sheet of its spots, which share one


def action(  # noqa: PLR0913 - one keyword for each part
    spot: Spot, kind: Kind, message: str, *, loss: str = NOTHING, dropped: int = 0, added: int = 0
) -> Action:
    """Tell what was done at a record."""
    place = place_of(spot.sheet, spot.sheet.lines[spot.index])
    return Action(kind=kind, message=message, place=place, loss=loss, dropped=dropped, added=added)


def with_remedy(*remedies: Remedy) -> SheetFix:
    """Make a fix of the remedies of single findings: at each record the first that applies, from the last record on."""

    def fix(spots: list[Spot]) -> list[Action]:
        if not spots:
            return []
        done: list[Action] = []
        trail = Trail(spots[0].sheet)
        for spot in sorted({spot.index: spot for spot in spots}.values(), key=lambda one: -one.index):
            case = spot.case(trail)
            made = next((told for remedy in remedies if (told := remedy(case)) is not None), None)
            if made is not None:
                done.append(made)
        return done[::-1]

    return fix


def rearrange(sheet: Sheet, lines: list[Line], version: int) -> None:
    """Let a sheet have these lines behind its header, and let every reference follow; others are gone.

    Lines that were not there before have no position yet.
    """
    seqs = Seqs(sheet)
    old = {id(line): start for line, start in zip(sheet.lines[1:], seqs.starts, strict=True)}
    spans: list[tuple[int, int, int]] = []  # old start, number of events, new start
    at = 0
    for line in lines:
        if id(line) in old:
            spans.append((old[id(line)], sheet.count_of(line), at))
        at += sheet.count_of(line)
    spans.sort()
    starts = [span[0] for span in spans]

    def move(seq: int) -> int | None:
        if seq >= seqs.events:
            return seq  # names nothing
        place = bisect_right(starts, seq) - 1
        if place < 0:
            return None
        start, count, new = spans[place]
        return new + seq - start if seq < start + count else None

    head = sheet.lines[0]
    sheet.lines = [head, *lines]
    at = 0
    for index, line in enumerate(lines, 1):
        row = line.row
        if row is not None:
            made = moved_row(row, move, version) if id(line) in old else {**row, "seq": at}
            if made is not None:
                edit(sheet, index, made)
        at += sheet.count_of(line)
    length = (head.row or {}).get("seedLength")
    if head.row is not None and type(length) is int:
        kept = sum(min(count, max(0, length - start)) for start, count, _ in spans)
        if kept != length:
            edit(sheet, 0, {**head.row, "seedLength": kept})


def drop_lines(sheet: Sheet, indices: Iterable[int], version: int) -> None:
    """Drop lines, number what stays anew, and keep what was lost in mind."""
    going = set(indices)
    gone = [(sheet.lines[index], True) for index in sorted(going) if sheet.lines[index].number]
    rearrange(sheet, [line for at, line in enumerate(sheet.lines) if at and at not in going], version)
    sheet.gone += gone


def spot_of(  # noqa: PLR0913 - one for each part
    sheet: Sheet, refusal: Refusal, seqs: Seqs, attempts: Attempts, *, version: int, now: int
) -> Spot:
    """Find the line that a refusal is about; a member of a stream leads to the chunk that it came from."""
    index = 0 if refusal.seq is None else min(seqs.line(refusal.seq), len(sheet.lines) - 1)
    path = stored(sheet.lines[index].row or {}, refusal.path or "$")
    if path.startswith("$.data.stream[") and version <= 1 and refusal.seq is not None:
        inner = path.removeprefix("$.data.stream[")
        number, _, rest = inner.partition("]")
        chunk = attempts.chunk(index, refusal.seq, int(number))
        if chunk is not None:
            index, path = chunk, f"$.data{rest}"
    return Spot(sheet=sheet, index=index, refusal=refusal, path=path, version=version, now=now, attempts=attempts)

"""How far a log that is being mended is sound: judged on from the last sound place, not from its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dshlog.report.examine import Examination
from dshlog.rules.checkpoint import Checkpoint
from dshlog.storage.source import BytesSource

if TYPE_CHECKING:
    from dshlog.model.finding import Finding
    from dshlog.repair.sheet import Sheet
    from dshlog.rules.draft import Draft
    from dshlog.rules.judge import Judge

_SOUND = frozenset({"clean", "open"})
_ROW = "LHE"  # letters of the codes for what cannot be read as a record
_FEW, _MANY = 16, 1024  # lines that are judged at once


class Found(NamedTuple):
    """One thing that is wrong with a record."""

    name: str
    code: str
    message: str
    path: str | None


class Mark(NamedTuple):
    """A place in a sheet up to which nothing is wrong, and the judge as it stands there; None for a header."""

    at: int
    checkpoint: Checkpoint | None

    def judge(self) -> Judge:
        """Give that judge, which goes on from here whatever it was given since."""
        if self.checkpoint is None:
            message = "nobody judges a header"
            raise ValueError(message)
        return self.checkpoint.restored()


class Standing(NamedTuple):
    """Where a sheet stands: what is wrong with its first bad record, and how much lies behind that.

    `mark` stands before that record, or at the end of a sound log. `late` tells that only the whole log
    shows what is wrong, `unread` that the record cannot even be read as the next one.
    """

    first: list[Found]
    at: int
    mark: Mark
    version: int | None
    late: bool
    behind: int
    unread: bool

    @property
    def sound(self) -> bool:
        """Tell whether dsh would open it, with nothing to cut."""
        return not self.first

    @property
    def names(self) -> list[str]:
        """Give the names of what is wrong."""
        return [found.name for found in self.first]

    def better(self, other: Standing) -> bool:
        """Tell whether less is left to do than at another standing."""
        return self.sound or (self.late and not other.late) or self._left() < other._left()

    def _left(self) -> tuple[int, bool, int]:
        return self.behind, self.unread, len(self.first)


def stand(sheet: Sheet, fix: frozenset[str] = frozenset(), mark: Mark | None = None) -> Standing:
    """Judge a sheet as a raw log; findings named in `fix` count even where dsh opens the log with them.

    Args:
        sheet: what is judged.
        fix: those names.
        mark: where to go on; nothing before it may have changed since it was made.
    """
    mark = _start(sheet, fix) if mark is None or mark.checkpoint is None else mark
    if mark is None:
        return _bad_header(sheet, fix)
    judge, size = mark.judge(), _FEW
    while mark.at < len(sheet.lines):
        end = min(mark.at + size, len(sheet.lines))
        _feed(judge, sheet, mark.at, end)
        if any(_stops(draft, judge, fix) for draft in judge.drafts):
            return _before(sheet, fix, mark, _first(sheet, fix, judge, end))
        mark, size = Mark(end, Checkpoint(judge)), min(2 * size, _MANY)
    return _at_end(sheet, fix, mark)


def before(sheet: Sheet, index: int, fix: frozenset[str] = frozenset()) -> Mark:
    """Give the mark before a line of a log that its own build opens; findings named in `fix` count as in `stand`."""
    return _moved(sheet, _start(sheet, fix), index)


class Trail:
    """Marks along a log that its own build opens: what is asked for last comes first, so that nothing before it has changed."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._marks = [_start(sheet, frozenset())]

    def before(self, index: int) -> Mark:
        """Give the mark before a line, judged on from the nearest one that is known."""
        while (last := self._marks[-1]) is not None and last.at + _MANY <= index:
            self._marks.append(_moved(self._sheet, last, last.at + _MANY))
        near = max(0, (index - 1) // _MANY) if len(self._marks) > 1 else 0
        return _moved(self._sheet, self._marks[min(near, len(self._marks) - 1)], index)


def _start(sheet: Sheet, fix: frozenset[str]) -> Mark | None:
    """Give the mark behind the header; None when something is wrong with that."""
    exam = Examination(BytesSource(sheet.lines[0].text), sheet.path, "raw")
    bad = any(draft.fatal or draft.fault.name in fix for draft in exam.reading.drafts)
    return None if exam.judge is None or bad else Mark(1, Checkpoint(exam.judge))


def _feed(judge: Judge, sheet: Sheet, start: int, end: int) -> None:
    judge.feed([line.text for line in sheet.lines[start:end]], 0, 0)


def _stops(draft: Draft, judge: Judge, fix: frozenset[str]) -> bool:
    """Tell whether something is wrong for good: what a later record may take back waits for it."""
    return (draft.fatal and draft.fault.group is None) or draft is judge.issue or draft.fault.name in fix


def _first(sheet: Sheet, fix: frozenset[str], judge: Judge, fed: int) -> list[Draft]:
    """Give what is wrong with the first bad record, once nothing that waits stands before it."""
    if any(draft.fatal and draft.fault.group is not None for draft in judge.drafts):
        _feed(judge, sheet, fed, len(sheet.lines))
    line = min(draft.line or 0 for draft in judge.drafts if draft.fatal or _stops(draft, judge, fix))
    here = [draft for draft in judge.drafts if draft.line == line]
    return [draft for draft in here if draft.fatal or draft.beyond or _stops(draft, judge, fix)]


def _before(sheet: Sheet, fix: frozenset[str], mark: Mark, drafts: list[Draft]) -> Standing:
    """Give the standing before the record that something is wrong with."""
    index = (drafts[0].line or 0) - 1
    start = mark if mark.at <= index else _start(sheet, fix)
    found = [Found(draft.fault.name, draft.rule.code, draft.fault.message, draft.fault.path) for draft in drafts]
    return _standing(sheet, index, found, _moved(sheet, start, index))


def _moved(sheet: Sheet, start: Mark | None, index: int) -> Mark:
    """Give the mark before a line, up to which nothing is wrong."""
    if start is None or index < start.at:
        return Mark(index, None)
    judge = start.judge()
    _feed(judge, sheet, start.at, index)
    return Mark(index, Checkpoint(judge))


def _standing(sheet: Sheet, index: int, found: list[Found], mark: Mark, *, late: bool = False) -> Standing:
    version = None if mark.checkpoint is None else mark.judge().version
    unread = any(one.code[0] in _ROW for one in found)
    return Standing(found, index, mark, version, late, len(sheet.lines) - index if found else 0, unread)


def _bad_header(sheet: Sheet, fix: frozenset[str]) -> Standing:
    """Give the standing of a log whose header is refused."""
    report = Examination(sheet.source(), sheet.path, "raw", reader="native").run()
    first = [_found(one) for one in report.findings if _index(sheet, one) == 0 and _counts(one, fix)]
    return _standing(sheet, 0, first, Mark(0, None))._replace(version=report.version)


def _at_end(sheet: Sheet, fix: frozenset[str], mark: Mark) -> Standing:
    """Give the standing of a log whose records are sound each for itself: what is left only the whole log shows."""
    exam = Examination(sheet.source(), sheet.path, "raw", reader="native")
    exam.judge = mark.judge()
    report = exam.report()
    bad = [one for one in report.findings if one.name in fix or (_counts(one, fix) and report.state not in _SOUND)]
    if not bad:
        return _standing(sheet, 0, [], mark)
    first = min(_index(sheet, one) for one in bad)
    found = [_found(one) for one in bad if _index(sheet, one) == first]
    standing = _standing(sheet, first, found, _moved(sheet, _start(sheet, fix), first), late=True)
    return standing._replace(version=report.version)


def _counts(found: Finding, fix: frozenset[str]) -> bool:
    return found.severity == "error" or found.name in fix


def _found(found: Finding) -> Found:
    return Found(found.name, found.code, found.message, found.place.json_path)


def _index(sheet: Sheet, found: Finding) -> int:
    """Give the index of the line that a finding is about."""
    if found.place.line is not None:
        return min(found.place.line, len(sheet.lines)) - 1
    if found.place.seq is not None:
        wanted = found.place.seq
        for index, line in enumerate(sheet.lines[1:], 1):
            if line.seq is not None and line.seq <= wanted < line.seq + line.count:
                return index
    return len(sheet.lines) - 1

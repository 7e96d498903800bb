"""Fixes for what only the upgrade refuses: taken until it refuses nothing, or no fix leads on. The upgrade is the judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dshlog.migrate.refusal import PUBLISHING, READING, RESULT
from dshlog.repair.finish import value_of
from dshlog.repair.fixes.attempts import Attempts
from dshlog.repair.fixes.order import going
from dshlog.repair.fixes.spot import action, spot_of
from dshlog.repair.fixes.table import ROW_FIXES, SHEET_FIXES
from dshlog.repair.remedies.case import edit
from dshlog.repair.remedies.fields import flat
from dshlog.repair.seqs import Seqs
from dshlog.repair.standing import Found, stand
from dshlog.report.upgrade import cures_of, upgrade
from dshlog.rules.fixes import BRACKETS, cures
from dshlog.rules.register import BY_CODE, BY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.migrate.children import Child
    from dshlog.migrate.refusal import Refusal
    from dshlog.repair.asked import Asked
    from dshlog.repair.fixes.spot import Spot
    from dshlog.repair.plan import Action
    from dshlog.repair.sheet import Sheet

ROUNDS = 200
_CITES = 1  # the last generation whose messages cite the chunks that others hold
SINGLES = 24  # refusals that are tried one by one when all at once do not lead on
_MOST = 1 << 20  # refusals of one name that are told apart
_STAGES = (READING, "0->1", "1->2", "2->3", "3->4", RESULT, PUBLISHING)
_EARLY = 5  # stages before the result


@dataclass(frozen=True, slots=True)
class Standing:
    """What the upgrade says of a sheet: its refusals, how many at each stage, and how many lines stand behind the first of the result."""

    refusals: tuple[Refusal, ...]
    counts: tuple[int, ...]
    behind: int

    @property
    def opens(self) -> bool:
        """Tell whether dsh opens the log."""
        return not any(self.counts[:-1])

    def better(self, other: Standing) -> bool:
        """Tell whether less is left than at another standing."""
        early, before = self.counts[:_EARLY], other.counts[:_EARLY]
        if early != before:
            return early < before
        if self.counts[_EARLY:] == other.counts[_EARLY:]:
            return self.behind < other.behind
        return self.counts[_EARLY:] < other.counts[_EARLY:] or self.behind < other.behind


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A fix that was not taken, since the log's own build refuses what it leaves; and what may be taken instead."""

    fix: str
    found: Found
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A sheet with fixes: what was done, by which of them, what is left, and which were not taken."""

    sheet: Sheet
    actions: tuple[Action, ...]
    used: tuple[str, ...]
    left: Standing
    left_out: tuple[LeftOut, ...] = ()


def judge(sheet: Sheet, children: Iterable[Child] = ()) -> Standing:
    """Ask the upgrade about a sheet."""
    done = upgrade(sheet.source(), "raw", children=children, most=_MOST)
    found = Counter(refusal.edge for refusal in done.refusals)
    seqs = Seqs(sheet)
    first = min(
        (refusal.seq for refusal in done.refusals if refusal.edge == RESULT and refusal.seq is not None), default=None
    )
    behind = 0 if first is None else len(sheet.lines) - seqs.line(first)
    return Standing(done.refusals, tuple(found[stage] for stage in _STAGES), behind)


def fixed(sheet: Sheet, version: int, asked: Asked, *, now: int, children: tuple[Child, ...] = ()) -> Fixed:
    """Take the fixes that were asked for.

    Args:
        sheet: a log of v0 to v3 that its own build opens; it is not changed.
        version: its generation.
        asked: which fixes may be taken.
        now: the wall clock in milliseconds.
        children: the child sessions of the log.
    """
    made = _Work(version, asked, now, children).run(sheet)
    if stand(made.sheet).sound:
        return made
    careful = _Work(version, asked, now, children, careful=True)
    made = careful.run(sheet)
    return replace(made, left_out=tuple(one for name, one in careful.left_out.items() if name not in made.used))


class _Work:
    """One walk through the fixes; a careful one takes none that leaves a log that its own build refuses."""

    def __init__(
        self, version: int, asked: Asked, now: int, children: tuple[Child, ...], *, careful: bool = False
    ) -> None:
        self._careful = careful
        self.left_out: dict[str, LeftOut] = {}
        self._version, self._asked, self._now, self._children = version, asked, now, children
        self._sheet: Sheet

    def run(self, sheet: Sheet) -> Fixed:
        at = Fixed(sheet, (), (), judge(sheet, self._children))
        seen = {_told(sheet)}
        for _ in range(ROUNDS):
            self._sheet = at.sheet
            targets = [refusal for refusal in at.left.refusals if any(self._names(refusal))]
            if not targets:
                break
            steps = (one for one in self._steps(at, targets) if _told(one.sheet) not in seen)
            step = next((one for one in steps if not self._careful or self._fits(at, one)), None)
            if step is None:
                break
            seen.add(_told(step.sheet))
            at = step
        return at

    def _fits(self, at: Fixed, step: Fixed) -> bool:
        """Tell whether the log's own build opens what a step leaves, and note which fixes it would not."""
        standing = stand(step.sheet)
        if standing.sound:
            return True
        new = [word for word in step.used if word not in at.used] or step.used[-1:]
        for fix in new if len(new) == 1 else ():  # of several each is tried alone later
            known = [cures_of(refusal) for refusal in at.left.refusals]
            others = dict.fromkeys(one for names in known if fix in names for one in names if one != fix)
            self.left_out.setdefault(fix, LeftOut(fix, standing.first[0], tuple(others)))
        return False

    def _names(self, refusal: Refusal) -> list[str]:
        """Give the fixes that may be taken for a refusal."""
        rule = BY_CODE[refusal.about].name if refusal.about in BY_CODE else None
        known = cures_of(refusal)
        if refusal.edge == PUBLISHING and not self._ours(refusal):
            # dsh opens it all the same, so that it has to be named
            return [fix for fix in known if fix in self._asked.fixes]
        return [fix for fix in known if self._asked.allows(fix, refusal.name, *([rule] if rule else []))]

    def _ours(self, refusal: Refusal) -> bool:
        """Tell whether a message cites other chunks than before, so that it has to agree with them."""
        if refusal.seq is None:
            return False
        line = self._sheet.lines[Seqs(self._sheet).line(refusal.seq)]
        now, before = line.row or {}, value_of(line.old) if line.touched and line.number else None
        if type(before) is not dict or now.get("type") != "assistant/message":
            return False
        return len(flat(now.get("sourceEventSeqs", [])) or ()) != len(flat(before.get("sourceEventSeqs", [])) or ())

    def _steps(self, at: Fixed, targets: list[Refusal]) -> Iterator[Fixed]:
        """Yield what leads on: all refusals at once, one at a time, and last what takes one away and brings another."""
        spare: list[Fixed] = []
        first = targets[0]
        if (BY_CODE[first.about].name if first.about in BY_CODE else first.name) in BRACKETS:
            ways = list(self._single(at, first, spare))
            yield from sorted(ways, key=lambda way: sum(way.left.counts[:-1]))
        for all_at_once in (self._rows, self._sheets):
            some = all_at_once(at, targets)
            if some is not None:
                yield some
        for refusal in targets[:SINGLES]:
            yield from self._single(at, refusal, spare)
        yield from spare

    def _spots(self, sheet: Sheet, targets: Iterable[Refusal]) -> list[Spot]:
        seqs, attempts = Seqs(sheet), Attempts(sheet, self._version)
        return [spot_of(sheet, refusal, seqs, attempts, version=self._version, now=self._now) for refusal in targets]

    def _rows(self, at: Fixed, targets: list[Refusal]) -> Fixed | None:
        """Change every record that a fix of one record is for; of one record the last refusal first."""
        trial = at.sheet.copy()
        done: list[Action] = []
        used: list[str] = []
        for spot in reversed(self._spots(trial, targets)):
            for fix in self._names(spot.refusal):
                if fix not in ROW_FIXES:
                    break  # it comes before those of one record
                said = next(ROW_FIXES[fix](replace(spot, values=self._asked.values(fix))), None)
                if said is not None:
                    done.append(action(spot, "edit", said.message, loss=said.loss))
                    used.append(fix)
                    edit(trial, spot.index, said.row)
                    break
        return self._better(at, trial, done[::-1], used[::-1])

    def _sheets(self, at: Fixed, targets: list[Refusal]) -> Fixed | None:
        """Take one fix of the whole log for all refusals that it is the first for."""
        trial = at.sheet.copy()
        groups: dict[str, list[Spot]] = {}
        for spot in self._spots(trial, targets):
            fix = self._names(spot.refusal)[0]
            if fix in SHEET_FIXES:
                groups.setdefault(fix, []).append(replace(spot, values=self._asked.values(fix)))
        for fix, spots in groups.items():
            words = _words(fix, spots)
            done = SHEET_FIXES[fix](spots)
            if done:
                return self._better(at, trial, done, words)
        return None

    def _single(self, at: Fixed, refusal: Refusal, spare: list[Fixed]) -> Iterator[Fixed]:
        """Yield what leads on at one refusal; what only takes that one away and brings another goes to `spare`."""
        for reached in self._trials(at, refusal):
            if reached.left.better(at.left):
                yield reached
            elif _gone(refusal, at.left, reached.left):
                spare.append(reached)

    def _trials(self, at: Fixed, refusal: Refusal) -> Iterator[Fixed]:
        for fix in self._names(refusal):
            if fix in SHEET_FIXES:
                trial = at.sheet.copy()
                spot = replace(self._spots(trial, [refusal])[0], values=self._asked.values(fix))
                words = _words(fix, [spot])
                done = SHEET_FIXES[fix]([spot])
                if done:
                    yield self._at(at, trial, done, words)
                continue
            spot = replace(self._spots(at.sheet, [refusal])[0], values=self._asked.values(fix))
            for said in ROW_FIXES[fix](spot):
                trial = at.sheet.copy()
                edit(trial, spot.index, said.row)
                yield self._at(at, trial, [action(spot, "edit", said.message, loss=said.loss)], [fix])

    def _at(self, at: Fixed, trial: Sheet, done: list[Action], used: list[str]) -> Fixed:
        """Give where a trial leads."""
        words = tuple(dict.fromkeys((*at.used, *used)))
        return Fixed(trial, (*at.actions, *done), words, judge(trial, self._children))

    def _better(self, at: Fixed, trial: Sheet, done: list[Action], used: list[str]) -> Fixed | None:
        """Give where a trial leads, when it leads on."""
        reached = self._at(at, trial, done, used) if done else None
        return reached if reached is not None and reached.left.better(at.left) else None


def _told(sheet: Sheet) -> int:
    """Give a number that stands for what a sheet says."""
    return hash(tuple(line.text for line in sheet.lines))


def unwritten_words(standing: Standing, version: int) -> str | None:
    """Say why dsh opens a log and does not write its successor, and what cures that; None when it writes it."""
    if not standing.opens or not standing.refusals:
        return None
    first, more = standing.refusals[0], len(standing.refusals) - 1
    also = f", and {more} more" if more else ""
    fix = "cite-nothing" if version <= _CITES else "drop-stream"
    cure = f"; --fix {fix} cures that" if fix in cures(first.name) else ""
    rule = BY_NAME[first.name]
    return f"dsh opens the result and cannot go on in it: {rule.code} {rule.name} at seq {first.seq}{also}{cure}"


def _words(fix: str, spots: list[Spot]) -> list[str]:
    """Give the words that ask for a fix; what drops records names their types."""
    if fix != "drop-record":
        return [fix]
    kinds = [(spot.sheet.lines[index].row or {}).get("type") for spot in spots for index in going(spot)]
    return [f"{fix}={kind}" for kind in dict.fromkeys(kinds)]


def _gone(target: Refusal, before: Standing, after: Standing) -> bool:
    """Tell whether a refusal went, for which another one may have come."""
    if sum(after.counts) > sum(before.counts):
        return False
    here, same = target.path or "$", [one for one in after.refusals if (one.seq, one.edge) == (target.seq, target.edge)]
    return not any((one.path or "$").startswith(here) or here.startswith(one.path or "$") for one in same)

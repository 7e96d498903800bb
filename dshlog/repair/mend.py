"""The repair of a log that dsh gives up: one remedy after another until dsh would open what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.model.vocabulary import LATEST
from dshlog.repair.finish import Tail, closed, closing_actions, members_of, value_of
from dshlog.repair.fixes.chosen import chosen_for
from dshlog.repair.framing import LINE_FEED, framing_actions, take_tail
from dshlog.repair.plan import NOTHING, Action, Changed, Lost, Plan
from dshlog.repair.remedies.case import Case, place_of
from dshlog.repair.remedies.table import CHOICES, LEFT_ALONE, UNREAD, remedies_for
from dshlog.repair.script import script_of
from dshlog.repair.sheet import Line, load
from dshlog.repair.words import choose_words, events_word, left_alone_words, records_word
from dshlog.report.examine import Examination
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.finding import Finding
    from dshlog.model.report import Report
    from dshlog.repair.planner import Wishes
    from dshlog.repair.sheet import Sheet
    from dshlog.storage.source import Source

ROUNDS = 400  # remedies for one log; a log with more damage is cut where that many have led
_ROW = "LHE"  # letters of the codes for what cannot be read as a record
_SOUND = frozenset({"clean", "open"})


class Standing(NamedTuple):
    """Where a sheet stands: the findings at its first bad record, and how much lies behind that.

    `unread` tells that the record cannot even be read as the next one.
    """

    report: Report
    first: list[Finding]
    at: int
    behind: int
    unread: bool
    errors: int

    @property
    def sound(self) -> bool:
        """Tell whether dsh would open it, with nothing to cut."""
        return not self.first

    def better(self, other: Standing) -> bool:
        """Tell whether less is left to do than at another standing."""
        return self.sound or self[3:] < other[3:]


def mend(source: Source, before: Report, wishes: Wishes, *, lossless: bool = False) -> Plan | None:
    """Plan the repair of a log with remedies.

    Args:
        source: the log.
        before: the report on it.
        wishes: what is asked for.
        lossless: take no remedy that loses something.

    Returns:
        The plan, which has no script when there is no way; None when only a lossy one is left and none may be
        taken.
    """
    kept = keeping_tail(source, before, wishes, lossless=lossless)
    if kept is not None and not kept.lossy:
        return kept
    cut = _mended(source, before, wishes, lossless=lossless, keep=False)
    return cut if kept is None or (cut is not None and cut.script is not None and not cut.lossy) else kept


def keeping_tail(source: Source, before: Report, wishes: Wishes, *, lossless: bool) -> Plan | None:
    """Plan as `mend` does, and keep a whole record that lacks its line feed, which dsh would cut from a raw log.

    None for a log without one, and where it cannot stay: bytes that were never finished are no loss.
    """
    at = next((found.place.offset for found in before.findings if found.name == "torn-line"), None)
    if at is None or type(value_of(b"".join(source.chunks(at)))) is not dict:
        return None
    plan = _mended(source, before, wishes, lossless=lossless, keep=True)
    if plan is None or plan.script is None or not any(action.message == LINE_FEED for action in plan.actions):
        return None
    return plan


def _mended(source: Source, before: Report, wishes: Wishes, *, lossless: bool, keep: bool) -> Plan | None:
    sheet = load(source, before.path, before.encoding)
    actions = [*framing_actions(sheet), *take_tail(sheet, keep=keep)]
    if not sheet.lines:
        return Plan(before=before, why_not="nothing in it can be read as the header of a log")
    standing = stand(sheet, wishes.fix)
    for _ in range(ROUNDS):
        if standing.sound:
            break
        names = [found.name for found in standing.first]
        left_alone = (LEFT_ALONE - wishes.fix).issuperset(names)
        chosen = left_alone and chosen_for(wishes, names, sheet.lines[standing.at].row)
        if (left_alone and not chosen) or UNREAD in names:
            return Plan(before=before, why_not=left_alone_words(standing.first))
        step = _step(sheet, standing, wishes, lossless=lossless)
        if step is None and lossless:
            return None
        if step is None:
            choose = CHOICES.intersection(names)
            return Plan(before=before, why_not=choose_words() if choose else _no_way(standing.first))
        action, sheet, standing = step
        actions.append(action)
    if not standing.sound:
        return Plan(before=before, why_not=_no_way(standing.first))
    used: tuple[str, ...] = ()
    unwritten: str | None = None
    if wishes.named and before.version is not None and before.version < LATEST:
        from dshlog.repair.upgrading import fixed, unwritten_words

        known = () if wishes.children is None or before.id is None else tuple(wishes.children(before.id))
        done = fixed(sheet, before.version, wishes.asked, now=wishes.now, children=known)
        actions, sheet, used = [*actions, *done.actions], done.sheet, done.used
        unwritten = unwritten_words(done.left) if used else None
        standing = stand(sheet, wishes.fix)
        if not standing.sound:
            return Plan(before=before, why_not=_no_way(standing.first))
    return replace(_plan(sheet, before, actions, wishes), fixes=used, unwritten=unwritten)


def stand(sheet: Sheet, fix: frozenset[str] = frozenset()) -> Standing:
    """Judge a sheet as a raw log; findings named in `fix` count even where dsh opens the log with them."""
    exam = Examination(sheet.source(), sheet.path, "raw").finished()
    exam.reader = "native"
    report = exam.report()
    issue = exam.judge.issue if exam.judge is not None else None
    bad = [
        found
        for found in report.findings
        if found.name in fix
        or (found.severity == "error" and report.state not in _SOUND)
        or (issue is not None and found.place.line == issue.line and found.name == issue.fault.name)
    ]
    if not bad:
        return Standing(report, [], 0, 0, unread=False, errors=0)
    where = [_index(sheet, found) for found in bad]
    first = min(where)
    at = [found for found, index in zip(bad, where, strict=True) if index == first]
    unread = any(found.code[0] in _ROW for found in at)
    return Standing(report, at, first, len(sheet.lines) - first, unread=unread, errors=len(at))


def _index(sheet: Sheet, found: Finding) -> int:
    """Give the index of the line that a finding is about."""
    if found.place.line is not None:
        return min(found.place.line, len(sheet.lines)) - 1
    if found.place.seq is not None:
        wanted = found.place.seq
        for index, line in enumerate(sheet.lines[1:], 1):
            seq = sheet.seq_of(line)
            if seq is not None and seq <= wanted < seq + sheet.count_of(line):
                return index
    return len(sheet.lines) - 1


def _step(sheet: Sheet, standing: Standing, wishes: Wishes, *, lossless: bool) -> tuple[Action, Sheet, Standing] | None:
    """Try the remedies for the first bad record; the first one that leads on is taken, lossless ones before others."""
    version = standing.report.version
    spare: tuple[Action, Sheet, Standing] | None = None
    names = [found.name for found in standing.first]
    chosen = chosen_for(wishes, names, sheet.lines[standing.at].row)
    for remedy in [*chosen, *remedies_for(names)]:
        trial = sheet.copy()
        case = Case(
            sheet=trial,
            finding=standing.first[0],
            index=standing.at,
            version=4 if version is None else min(version, 4),
            now=wishes.now,
            keep=wishes.keep,
            header=wishes.header,
        )
        action = remedy(case)
        if action is None or (lossless and action.loss != NOTHING) or not trial.lines:
            continue
        reached = stand(trial, wishes.fix)
        if not reached.better(standing):
            continue
        if action.loss == NOTHING or remedy in chosen:
            return action, trial, reached
        spare = spare or (action, trial, reached)
    return spare


def _no_way(first: list[Finding]) -> str:
    return f"no repair is known for {first[0].code} {first[0].name}: {first[0].message}"


# -- the plan


def _plan(sheet: Sheet, before: Report, actions: list[Action], wishes: Wishes) -> Plan:
    tail = Tail(sheet.source(), sheet.path, "raw")
    closing, marker = closed(tail.scan, tail.position, tail.last, wishes.now)
    events = tail.report.events
    if marker is not None:
        sheet.lines += [Line(text=dumps(event) + b"\n") for event in (*closing, marker)]
        actions = [*actions, *closing_actions(closing, marker)]
        events += len(closing) + 1
        after = stand(sheet, wishes.fix)
        if not after.sound:
            return Plan(before=before, why_not=f"closed as dsh closes it, dsh would refuse it at {after.first[0].code}")
    else:
        closing, marker = sheet.closers, sheet.marker
    lost = tuple(_lost(sheet))
    return Plan(
        before=before,
        actions=(_kept(sheet), *_lasting(sheet, actions), *_renumbered(sheet)),
        script=tuple(script_of(sheet)),
        closers=tuple(closing),
        end_seed=marker,
        lost=lost,
        changed=tuple(changes(sheet)),
        events=events,
    )


def _lasting(sheet: Sheet, actions: list[Action]) -> Iterator[Action]:
    """Yield the actions, but for edits of records that were dropped in the end."""
    gone = {line.number for line, _ in sheet.gone}
    for action in actions:
        if action.kind != "edit" or action.place is None or action.place.line not in gone:
            yield action


def _kept(sheet: Sheet) -> Action:
    kept = sum(sheet.count_of(line) for line in sheet.lines[1:] if line.number and not line.touched)
    return Action(kind="keep", message=f"{events_word(kept)} stay as they are, byte for byte", kept=kept)


def _renumbered(sheet: Sheet) -> Iterator[Action]:
    lines = [line for line in sheet.lines[1:] if line.number and line.touched and _number_only(line)]
    if lines:
        text = f"another number for {records_word(len(lines))}, and every reference moves with it"
        yield Action(kind="renumber", message=text, kept=sum(sheet.count_of(line) for line in lines))


def _number_only(line: Line) -> bool:
    """Tell whether a line says the same under another number, as far as a look at it tells."""
    row, old = line.row, Line(text=line.old).row
    return (
        row is not None and old is not None and row.get("type") == old.get("type") and row.get("seq") != old.get("seq")
    )


def _lost(sheet: Sheet) -> Iterator[Lost]:
    for line, lost in sheet.gone:
        was = Line(text=line.old, number=line.number, at=line.at, group=line.group)
        row: dict[str, Any] | None = was.row
        if lost:
            count = 0 if row is None else members_of(row)
            yield Lost(place=place_of(sheet, was), line=line.old, event=row, count=count)


def changes(sheet: Sheet) -> Iterator[Changed]:
    """Yield every line that differs from the source, in the order of the source; what is added at its place."""
    gone = {line.number: Changed(line=line.number, old=line.old, new=()) for line, _ in sheet.gone}
    out: list[Changed] = list(gone.values())
    number = 0
    for line in sheet.lines:
        if not line.number:
            out.append(Changed(line=number + 1, old=b"", new=(line.text,)))
        elif line.touched:
            out.append(Changed(line=line.number, old=line.old, new=(line.text,)))
        number = line.number or number
    yield from sorted(out, key=lambda change: change.line)

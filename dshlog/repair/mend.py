"""The repair of a log that dsh gives up: one remedy after another until dsh would open what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.model.vocabulary import LATEST
from dshlog.repair.ending import closable, closers_of, refused_words, with_ending
from dshlog.repair.finish import closing_actions, members_of, value_of
from dshlog.repair.fixes.chosen import chosen_for
from dshlog.repair.framing import LINE_FEED, framing_actions, take_tail
from dshlog.repair.line import Line
from dshlog.repair.plan import NOTHING, Action, Changed, Lost, Plan
from dshlog.repair.remedies.case import Case, place_of
from dshlog.repair.remedies.order import rises, told
from dshlog.repair.remedies.table import ANY_GAP, CHOICES, FURTHER, LAST, LEFT_ALONE, UNREAD, remedies_for
from dshlog.repair.script import script_of
from dshlog.repair.sheet import Sheet, load
from dshlog.repair.standing import Standing, stand
from dshlog.repair.words import choose_words, events_word, left_alone_words, left_out_words, records_word, unread_words
from dshlog.report.sequence import GAP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.report import Report
    from dshlog.repair.planner import Wishes
    from dshlog.repair.remedies.case import Remedy
    from dshlog.repair.standing import Found
    from dshlog.storage.source import Source

ROUNDS = 10_000  # remedies for one log


class Step(NamedTuple):
    """What was done at the first bad record, and where that leads."""

    actions: tuple[Action, ...]
    sheet: Sheet
    standing: Standing


def mend(source: Source, before: Report, wishes: Wishes, *, lossless: bool = False, tried: bool = False) -> Plan | None:
    """Plan the repair of a log with remedies.

    Args:
        source: the log.
        before: the report on it.
        wishes: what is asked for.
        lossless: take no remedy that loses something.
        tried: `keeping_tail` has said already that it has no such plan.

    Returns:
        The plan, which has no script when there is no way; None when only a lossy one is left and none may be
        taken.
    """
    kept = None if tried else keeping_tail(source, before, wishes, lossless=lossless)
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
    unread = [found.message for found in before.findings if found.name == UNREAD]
    if unread:
        return Plan(before=before, why_not=unread_words(unread[0]))
    sheet = load(source, before.path, before.encoding)
    actions = [*framing_actions(sheet), *take_tail(sheet, keep=keep)]
    if not sheet.lines:
        return Plan(before=before, why_not="nothing in it can be read as the header of a log")
    standing = stand(sheet, wishes.fix)
    for _ in range(ROUNDS):
        standing = closable(sheet, standing, wishes) if standing.sound else standing
        if standing.sound:
            break
        left_alone = (LEFT_ALONE - wishes.fix).issuperset(standing.names)
        if left_alone and not chosen_for(wishes, standing.names, sheet.lines[standing.at].row):
            return Plan(before=before, why_not=left_alone_words(standing.first[0].message))
        step, names = _step(sheet, standing, wishes, lossless=lossless)
        if step is None and lossless:
            return None
        if step is None:
            choose = CHOICES.intersection(names)
            return Plan(before=before, why_not=choose_words() if choose else _no_way(standing.first))
        taken, sheet, standing = step
        actions += taken
    if not standing.sound:
        return Plan(before=before, why_not=_no_way(standing.first))
    used: tuple[str, ...] = ()
    unwritten: str | None = None
    left_out: str | None = None
    if wishes.named and before.version is not None and before.version < LATEST:
        from dshlog.repair.upgrading import fixed, unwritten_words

        known = () if wishes.children is None or before.id is None else tuple(wishes.children(before.id))
        done = fixed(sheet, before.version, wishes.asked, now=wishes.now, children=known)
        actions, sheet, used = [*actions, *done.actions], done.sheet, done.used
        unwritten = unwritten_words(done.left, before.version) if used else None
        left_out = left_out_words(before, done.left_out)
        standing = stand(sheet, wishes.fix)
        if not standing.sound:
            return Plan(before=before, why_not=_no_way(standing.first))
    made = _plan(sheet, before, actions, wishes, standing)
    return replace(made, fixes=used, unwritten=unwritten, left_out=left_out)


def _step(sheet: Sheet, standing: Standing, wishes: Wishes, *, lossless: bool) -> tuple[Step | None, list[str]]:
    """Try the remedies for the first bad record; gives the step that leads on, and by what names it was looked for.

    What was asked for by name comes first, and is taken even where it loses something. What made a gap is asked only
    where nothing that cures any gap leads on, for the whole log has to tell.
    """
    names = standing.names
    for remedy in chosen_for(wishes, names, sheet.lines[standing.at].row):
        step = _tried(sheet, standing, wishes, (remedy,), lossless=lossless)
        if step is not None:
            return step, names
    tried: tuple[Remedy, ...] = ANY_GAP if GAP in names else ()
    if tried:
        step = _tried(sheet, standing, wishes, tried, lossless=True)
        if step is not None:
            return step, names
        if not rises(sheet, standing.at, standing.mark.judge().position):
            names = [told(sheet, standing.at) if name == GAP else name for name in names]
    left = [remedy for remedy in remedies_for(names) if remedy not in tried]
    return _tried(sheet, standing, wishes, left, lossless=lossless), names


def _tried(
    sheet: Sheet, standing: Standing, wishes: Wishes, remedies: Iterable[Remedy], *, lossless: bool
) -> Step | None:
    """Give the first remedy that leads on, a lossless one before others; what speaks for more records where it leads further."""
    spare: Step | None = None
    halves: list[Step] = []
    for remedy in remedies:
        if remedy in LAST:  # these always lose something
            spare = spare or _in_two(standing, wishes, halves, lossless=lossless)
            if spare is not None:
                break
            halves.clear()
        trial = sheet.copy()
        case = Case(
            sheet=trial,
            finding=standing.first[0],
            index=standing.at,
            version=4 if standing.version is None else min(standing.version, 4),
            now=wishes.now,
            keep=wishes.keep,
            mark=standing.mark,
            header=wishes.header,
        )
        action = remedy(case)
        if action is None or (lossless and action.loss != NOTHING) or not trial.lines:
            continue
        at = standing.mark.at
        same = trial.lines[:at] == sheet.lines[:at]  # lines are the same only as the same line
        reached = stand(trial, wishes.fix, standing.mark if same else None)
        step = Step((action,), trial, reached)
        if not reached.better(standing):
            halves += [step] if reached.behind == standing.behind and reached.first != standing.first else []
        elif action.loss == NOTHING:
            return step
        elif spare is None or (remedy in FURTHER and reached.better(spare.standing) and not spare.standing.sound):
            spare = step
    return spare


def _in_two(standing: Standing, wishes: Wishes, halves: list[Step], *, lossless: bool) -> Step | None:
    """Give the step that leads furthest of those that take two remedies: the first only shows what else is wrong."""
    best: Step | None = None
    for half in halves:
        rest = [remedy for remedy in remedies_for(half.standing.names) if remedy not in LAST]
        step = _tried(half.sheet, half.standing, wishes, rest, lossless=lossless)
        if step is not None and step.standing.better(standing if best is None else best.standing):
            best = Step((*half.actions, *step.actions), step.sheet, step.standing)
            if best.standing.sound:
                break
    return best


def _no_way(first: list[Found]) -> str:
    if first[0].code == "H103":
        return f"what the header said is nowhere in the file, so that you have to say it: {first[0].message} (H103)"
    return f"no repair is known for {first[0].code} {first[0].name}: {first[0].message}"


# -- the plan


def _plan(sheet: Sheet, before: Report, actions: list[Action], wishes: Wishes, standing: Standing) -> Plan:
    closing, marker = closers_of(sheet, standing, wishes.now)
    if marker is not None:
        sheet = with_ending(sheet, closing, marker)
        actions = [*actions, *closing_actions(closing, marker)]
        standing = stand(sheet, wishes.fix, standing.mark)
        if not standing.sound:
            return Plan(before=before, why_not=refused_words(standing))
    else:
        closing, marker = sheet.closers, sheet.marker
    events = standing.mark.judge().position
    lost = tuple(_lost(sheet))
    return Plan(
        before=before,
        actions=(_kept(sheet, events), *_lasting(sheet, actions), *_renumbered(sheet)),
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


def _kept(sheet: Sheet, events: int) -> Action:
    changed = sum(line.count for line in sheet.lines[1:] if line.touched)
    kept = events - changed
    how = "stays as it is" if kept == 1 else "stay as they are"
    return Action(kind="keep", message=f"{events_word(kept)} {how}, byte for byte", kept=kept)


def _renumbered(sheet: Sheet) -> Iterator[Action]:
    lines = [line for line in sheet.lines[1:] if line.number and line.touched and _number_only(line)]
    if lines:
        text = f"another number for {records_word(len(lines))}, and every reference moves with it"
        yield Action(kind="renumber", message=text, kept=sum(line.count for line in lines))


def _number_only(line: Line) -> bool:
    """Tell whether a line says the same under another number, as far as a look at it tells."""
    if line.moved:
        return True
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

"""What is left when no remedy fits: drop the one record, or everything from it on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.repair.remedies.case import drop
from dshlog.repair.words import events_word, records_word

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case


def drop_record(case: Case) -> Action | None:
    """Drop a record that breaks a rule, and number what follows anew."""
    row = case.row
    if row is None or case.index == 0:
        return None
    done = case.done(
        "drop",
        f"the {case.kind or 'record'} that breaks a rule goes, and what follows is numbered anew",
        loss="this record",
        dropped=case.sheet.count_of(case.line),
    )
    drop(case, case.index)
    return done


def cut_here(case: Case) -> Action | None:
    """Cut the log before a record."""
    if case.index == 0:
        return None
    lines = case.sheet.lines
    going = lines[case.index :]
    events = sum(case.sheet.count_of(line) for line in going)
    done = case.done(
        "cut",
        f"everything from here on goes: {records_word(len(going))}",
        loss=events_word(events),
        dropped=events,
    )
    case.sheet.drop_all(going, lost=True)
    return done

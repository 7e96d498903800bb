"""The plan for a session of a database: it names rows, and cuts nothing of a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dshlog.repair.words import records_word

if TYPE_CHECKING:
    from dshlog.model.place import Place
    from dshlog.repair.plan import Plan
    from dshlog.storage.source import Rows


def with_rows(plan: Plan, rows: Rows | None) -> Plan:
    """Give a plan whose places name the rows that the lines were made of; of a file the plan as it is."""
    if rows is None:
        return plan

    def at(place: Place) -> Place:
        return replace(place, row=rows.row(place.line))

    return replace(
        plan,
        truncate_to=None,
        actions=tuple(
            replace(action, place=None if action.place is None else at(action.place), bytes=None)
            for action in plan.actions
        ),
        lost=tuple(replace(lost, place=at(lost.place)) for lost in plan.lost),
    )


def deleted_words(number: int, records: int) -> str:
    """Tell of the rows from the first bad one on, which the dsh that wrote the database deletes."""
    if number == 1:
        return "this row goes, as the dsh that wrote the database deletes it"
    held = "no event" if not records else records_word(records)
    return f"the last {number} rows go, as the dsh that wrote the database deletes them: {held} among them"

"""A session of a database in its report: what is wrong with a row, in place of the line that was made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.model.fault import Fault
from dshlog.rules.draft import Draft
from dshlog.rules.register import BY_NAME

if TYPE_CHECKING:
    from dshlog.rules.judge import Judge
    from dshlog.storage.source import Rows

_UNREAD = "line-too-long"


def name_rows(judge: Judge, rows: Rows) -> None:
    """Say of each line that is no JSON what is wrong with its row."""
    for draft in judge.drafts:
        fault = rows.faults.get(draft.line or 0)
        if fault is None or draft.fault.name != "not-json":
            continue
        draft.rule, draft.fault = BY_NAME[fault.name], fault
        if fault.name != _UNREAD:
            continue
        draft.stage = draft.rule.stages[judge.version]
        if judge.committed is draft:  # nothing is known of a row that was not read
            judge.committed = draft.committed_by = None


def row_drafts(rows: Rows | None) -> list[Draft]:
    """Give what no line tells: the row of the session, and that somebody wrote meanwhile."""
    if rows is None:
        return []
    faults = [(rows.faults[1], 1)] if 1 in rows.faults else []
    drafts: list[Draft] = []
    if rows.changed:
        text = "the database changed while the session was read: judge it again"
        faults.append((Fault("file-growing", text), 0))
    for fault, line in faults:
        rule = BY_NAME[fault.name]
        drafts.append(
            Draft(rule=rule, fault=fault, stage=rule.stages[0], line=line or None, offset=0 if line else None)
        )
    return drafts

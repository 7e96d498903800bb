"""Fixes of one record as remedies for findings of the log's own build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.migrate.refusal import READING, Refusal
from dshlog.repair.fixes.attempts import Attempts
from dshlog.repair.fixes.spot import Spot
from dshlog.repair.remedies.case import said

if TYPE_CHECKING:
    from dshlog.repair.fixes.spot import RowFix
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case, Remedy


def as_remedy(fix: RowFix) -> Remedy:
    """Make a remedy of a fix: the first thing that it would try."""

    def remedy(case: Case) -> Action | None:
        if case.row is None:
            return None
        path = case.finding.path or "$"
        spot = Spot(
            sheet=case.sheet,
            index=case.index,
            refusal=Refusal(READING, case.finding.name, case.finding.message, path),
            path=path,
            version=case.version,
            now=case.now,
            attempts=Attempts(case.sheet, case.version),
        )
        made = next(fix(spot), None)
        return None if made is None else said(case, made.row, made.message, made.loss)

    return remedy

"""Both branches of a log that two writers continued, each as the plan for a log of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from dshlog.repair.plan import NOTHING
from dshlog.repair.planner import agreed, plan_repair
from dshlog.repair.remedies.order import BRANCH_LOSS
from dshlog.repair.remedies.table import loses_branches

if TYPE_CHECKING:
    from dshlog.repair.plan import Action, Plan
    from dshlog.repair.planner import Wishes
    from dshlog.storage.source import Source

SIDES: tuple[Literal["first"], Literal["second"]] = ("first", "second")


def plan_split(source: Source, path: str, wishes: Wishes) -> list[Plan]:
    """Plan a log for each branch; what one of them lacks and the other has is not lost.

    Empty for a log that one writer alone continued.
    """
    alone = plan_repair(source, path, replace(wishes, keep=None))
    if alone.script is not None and not loses_branches(alone):
        return []
    plans = [plan_repair(source, path, replace(wishes, keep=side, allow_loss=True)) for side in SIDES]
    held = [{lost.place.line for lost in plan.lost} for plan in plans]
    nowhere = held[0] & held[1]
    return [agreed(_of_two(plan, nowhere), wishes) for plan in plans]


def _of_two(plan: Plan, nowhere: set[int | None]) -> Plan:
    lost = tuple(one for one in plan.lost if one.place.line in nowhere)
    return replace(plan, lost=lost, actions=tuple(_kept_elsewhere(action) for action in plan.actions))


def _kept_elsewhere(action: Action) -> Action:
    if action.loss not in BRANCH_LOSS.values():
        return action
    return replace(action, message=f"{action.message}; the other result has it", loss=NOTHING)

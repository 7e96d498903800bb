"""A record that lacks its turn, its step or its stream stays, and gets what the records before it tell."""

from __future__ import annotations

import json

import pytest
from test_fixes import dumped, file_of, small

from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.script import result
from dshlog.report.examine import examine
from dshlog.storage.source import BytesSource


def lacking():
    """Yield generation, index and member of each record that names a turn or a step, once of a type."""
    seen = set()
    for version in (3, 4):
        _, events = small(version)
        for index, event in enumerate(events):
            for name in ("turn", "step"):
                key = version, event["type"], name
                if name in event["data"] and key not in seen:
                    seen.add(key)
                    yield version, index, name


def repaired(version, index, name):
    """Give the log as it was, the plan for one that lacks a member and the result of that."""
    head, events = small(version)
    whole = json.loads(json.dumps(events))
    del events[index]["data"][name]
    path = file_of(version)
    data = dumped(head, events)
    assert not examine(BytesSource(data), path, upgrade="always").latest.opens
    fix = frozenset({"outside-step", "step-end-mismatch", "turn-end-mismatch", "step-start-outside-turn"})
    fix |= {"turn-number-wrong", "step-number-wrong"}
    plan = plan_repair(BytesSource(data), path, Wishes(now=1, allow_loss=True, fix=fix))
    made = b"".join(result(plan.script, BytesSource(data), "raw")).splitlines()
    return whole, plan, [json.loads(line) for line in made[1:]]


@pytest.mark.parametrize(("version", "index", "name"), list(lacking()))
def test_a_turn_or_a_step_that_is_missing_is_told_by_where_the_record_stands(version, index, name):
    whole, plan, made = repaired(version, index, name)
    assert made == whole
    assert not plan.lossy


@pytest.mark.parametrize("version", [3, 4])
def test_an_answer_without_a_stream_gets_an_empty_one(version):
    _, events = small(version)
    index = next(at for at, event in enumerate(events) if event["type"] == "assistant/message")
    whole, plan, made = repaired(version, index, "stream")
    whole[index]["data"]["stream"] = []
    assert made == whole
    assert [action.loss for action in plan.actions if action.kind == "edit"] == ["nothing, but stream is made up"]

"""A record that an editor spread over several lines is one record, and nothing of it is lost."""

from __future__ import annotations

import json

import pytest
from test_remedies import MIDDLE, V0, V4, repaired

LOGS = {"session.v4.jsonl": V4, "session.jsonl": V0}


def spread(line):
    return [part + b"\n" for part in json.dumps(json.loads(line), indent=2, ensure_ascii=False).encode().split(b"\n")]


@pytest.mark.parametrize("name", LOGS)
def test_a_record_over_several_lines_is_one_record(name):
    whole = LOGS[name]
    for index in range(len(whole)):
        plan, made = repaired([*whole[:index], *spread(whole[index]), *whole[index + 1 :]], name=name)
        assert made == whole
        assert not plan.lossy
        assert sum(action.kind == "edit" for action in plan.actions) == 1


@pytest.mark.parametrize("name", LOGS)
def test_a_whole_log_over_several_lines_is_that_log(name):
    plan, made = repaired([part for line in LOGS[name] for part in spread(line)], name=name)
    assert made == LOGS[name]
    assert not plan.lossy


def test_a_record_over_several_lines_takes_no_readable_one_along():
    half = spread(V4[MIDDLE])[:-1]
    plan, made = repaired([*V4[:MIDDLE], *half, *V4[MIDDLE:]])
    assert made == V4
    assert not plan.lost

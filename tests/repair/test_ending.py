"""What a dead writer left open, with odd values in the records that opened it: whatever is written can be opened."""

from __future__ import annotations

import json

import pytest
from test_remedies import repaired

import opened
from dshlog.repair.finish import Tail, finish
from dshlog.storage.source import BytesSource

NO_TURN = [
    *(value for value in opened.ODD if value is not opened.GONE and value not in ({"turn": 1}, {"turn": 1, "step": 1})),
    {"turn": 0},
    {"turn": 2**53},
]
NO_ID = ["", None, 2, {}, ["x"], opened.GONE]


def shown(value):
    return "gone" if value is opened.GONE else repr(value)


def log(version, end, path, value):
    """Give the lines of a log that is cut behind an event, with a value at a path."""
    rows = json.loads(json.dumps(opened.built(version)))
    last = end(rows)
    opened.change(rows[:last], path(rows), value)
    return [json.dumps(row).replace('"@', "").replace('@"', "").encode() + b"\n" for row in rows[:last]]


def number(rows, kind, which=-1):
    """Give the index of a record of a type."""
    return [at for at, row in enumerate(rows) if row["type"] == kind][which]


@pytest.mark.parametrize("value", NO_TURN, ids=shown)
def test_a_turn_without_a_number_gets_its_own_before_it_is_closed(value):
    lines = log(0, len, lambda rows: f"$[{number(rows, 'turn/start')}].data", value)
    plan, made = repaired(lines, "session.jsonl")
    rows = [json.loads(line) for line in made]
    assert [row["data"].get("turn") for row in rows if row["type"] == "turn/start"] == [1, 2]
    assert rows[-2]["data"] == {"turn": 2, "reason": {"kind": "interrupted"}}
    assert not plan.lost
    assert plan.events == len(lines) - 1 + len(plan.closers) + 1


@pytest.mark.parametrize("which", [1, 2])
@pytest.mark.parametrize("value", NO_ID, ids=shown)
@pytest.mark.parametrize("version", [0, 3])
def test_a_call_without_an_id_gets_one_before_it_is_closed(version, value, which):
    def end(rows):
        return number(rows, "assistant/message") + 1

    def path(rows):
        return f"$[{number(rows, 'assistant/message')}].data.message.content[{which}].id"

    plan, made = repaired(log(version, end, path, value), "session.jsonl" if version == 0 else "session.v3.jsonl")
    named = [event["data"]["message"]["source"]["callId"] for event in plan.closers if event["type"] == "tool/result"]
    assert named == ["call-1", "call-2"]  # as its chunks say
    assert not plan.lost
    assert made is not None


@pytest.mark.parametrize("version", [0, 3, 4])
def test_a_call_that_started_behind_the_first_bad_record_was_never_started(version):
    lines = log(version, len, lambda rows: f"$[{number(rows, 'tool/result')}].seq", 99)
    path = f"session.v{version}.jsonl" if version else "session.jsonl"
    tail = Tail(BytesSource(b"".join(lines)), path)
    plan = finish(tail, now=1)
    assert [event["data"]["error"]["code"] for event in plan.closers[:2]] == [
        "TOOL_OUTCOME_UNKNOWN",
        "TOOL_NOT_STARTED",
    ]

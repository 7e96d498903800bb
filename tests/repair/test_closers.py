"""The closers are those of dsh, byte for byte."""

from __future__ import annotations

import hashlib

import pytest

from dshlog.fold.identity import ABSENT
from dshlog.fold.tail import Pending, TailScan
from dshlog.repair.closers import closers, closing, result_for

SHA = {
    ("interrupted", True): "5655d1cb75343f7b6f034300ccd4cea6f70c07d430825b4575fa03890344bf52",
    ("interrupted", False): "613f8e88c4324029a758e388a77c9082e93d36d39ad23d5f76c5529fe7b0b42f",
    ("forked", True): "33b364d225a672b5e87d8480d0237b5b80f6ec3c7abceb04d66e9ccdaf5804e1",
    ("forked", False): "c11f77294d1c5da06c123f963e28ac20b6db83808d6da4908ca9aee695046eea",
}


def event(seq, kind, **data):
    return {"type": kind, "seq": seq, "time": 5, "data": data}


def asking(seq, *ids, turn=1, step=1):
    content = [{"type": "tool-call", "id": id_, "name": "bash", "arguments": "{}"} for id_ in ids]
    return event(seq, "assistant/message", turn=turn, step=step, message={"content": content})


@pytest.mark.parametrize(("cause", "started"), SHA)
def test_texts_are_those_that_every_build_writes(cause, started):
    pending = Pending("c", 1, 1, 3 if started else None)
    made = result_for(pending, seq=9, time=5, version=4, turn=1, cause=cause)
    text = made["data"]["message"]["content"][0]["text"]
    assert hashlib.sha256(text.encode()).hexdigest() == SHA[cause, started]


def test_a_balanced_log_needs_no_closers():
    events = [event(0, "turn/start", turn=1), event(1, "turn/end", turn=1, reason={"kind": "completed"})]
    assert closing(events, version=4) == []
    assert closing([], version=4) == []


def test_results_come_in_the_order_of_the_calls_and_before_step_and_turn():
    events = [
        event(0, "turn/start", turn=1),
        event(1, "step/start", turn=1, step=1),
        asking(2, "a", "b"),
        event(3, "tool/call", turn=1, step=1, callId="b"),
    ]
    made = closing(events, version=4)
    assert [(one["type"], one["seq"], one["time"]) for one in made] == [
        ("tool/result", 4, 5), ("tool/result", 5, 5), ("step/end", 6, 5), ("turn/end", 7, 5),
    ]  # fmt: skip
    assert "sourceEventSeqs" not in made[0]
    assert made[1]["sourceEventSeqs"] == [3]
    assert made[-1]["data"] == {"turn": 1, "reason": {"kind": "interrupted"}}


def test_what_is_closed_stays_closed():
    events = [event(0, "turn/start", turn=1), event(1, "step/start", turn=1, step=1), asking(2, "a")]
    assert closing([*events, *closing(events, version=4)], version=4) == []


def test_a_turn_without_a_number_is_closed_without_one():
    assert closing([event(0, "turn/start")], version=3)[0]["data"] == {"reason": {"kind": "interrupted"}}


def test_old_generations_take_the_turn_that_is_open_and_v4_that_of_the_call():
    events = [event(0, "turn/start", turn=7), event(1, "step/start", turn=7, step=1), asking(2, "a", turn=1)]
    assert closing(events, version=3)[0]["data"]["turn"] == 7
    assert closing(events, version=4)[0]["data"]["turn"] == 1


@pytest.mark.parametrize(
    ("call_id", "text"),
    [(7, "7"), (1.5, "1.5"), (None, "null"), (True, "true"), (ABSENT, "undefined"), ({}, "[object Object]"),
     ([1, None, "a"], "1,,a")],
)  # fmt: skip
def test_an_id_that_is_no_text_is_spelled_as_javascript_does(call_id, text):
    made = result_for(Pending(call_id, 1, 1), seq=9, time=5, version=3, turn=1)
    assert made["data"]["message"]["id"] == f"interrupted-tool-result-{text}-9"
    assert ("callId" in made["data"]["message"]["source"]) is (call_id is not ABSENT)


def test_a_scan_that_holds_nothing_makes_nothing():
    assert closers(TailScan(4), seq=0, time=0) == []

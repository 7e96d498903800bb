"""What is open at the end of a log, as the closers of dsh see it (repair.md §2)."""

from __future__ import annotations

import json

import pytest

from dshlog.fold.identity import ABSENT
from dshlog.fold.tail import TailScan
from logbuilder import Log

EVERY = [0, 1, 2, 3, 4]
WRAPPED = [0, 1, 2, 3]


def feed(scan, event):
    """Hand one event to the step of its type."""
    kind, data, seq = event["type"], event["data"], event["seq"]
    steps = {
        "turn/start": scan.turn_start,
        "turn/end": scan.turn_end,
        "step/start": scan.step_start,
        "step/end": scan.step_end,
        "assistant/message": scan.assistant,
        "tool/call": scan.tool_call,
    }
    if kind == "tool/result":
        scan.tool_result(data, appended=event.get("surfaceOp") == "append")
    elif kind in steps:
        steps[kind](data, seq)


def scanned(version, events):
    scan = TailScan(version)
    for event in events:
        feed(scan, event)
    return scan


def open_log(version, *calls, words=""):
    """Begin a log whose step advertises calls."""
    log = Log(version)
    log.turn()
    log.step()
    log.user("go")
    log.assistant(words, *((call, "bash", "{}") for call in calls))
    return log


def waiting(log):
    """Give (id, seq of its start) of each pending call, in order."""
    return [(pending.call_id, pending.call_seq) for pending in scanned(log.version, log.events).pending.values()]


def closers(scan):
    """Give the closers that the scan leads to, as (type, call, turn, step, started by)."""
    out = []
    if scan.turn is None:
        return out
    for pending in scan.pending.values():
        turn = pending.turn if scan.version == 4 else scan.turn
        out.append(("tool/result", pending.call_id, turn, pending.step, pending.call_seq))
    if scan.step is not None:
        out.append(("step/end", None, scan.turn, scan.step, None))
    return [*out, ("turn/end", None, scan.turn, None, None)]


def test_vectors_of_the_closer_functions(shared):
    told = 0
    for path in sorted((shared / "vectors/repair").glob("*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        if vector["input"]["operation"] != "closers":
            continue
        expected = []
        for closer in vector["expect"]["closers"]:
            data = closer["data"]
            source = data.get("message", {}).get("source", {})
            (started,) = closer.get("sourceEventSeqs", [None])
            expected.append((closer["type"], source.get("callId"), data.get("turn"), data.get("step"), started))
        assert closers(scanned(vector["version"], vector["input"]["events"])) == expected, path.name
        told += 1
    assert told >= 30


@pytest.mark.parametrize("version", EVERY)
def test_nothing_is_open_before_the_first_event_and_behind_a_turn(version):
    log = open_log(version, "c1")
    log.call("c1")
    log.result("c1", "done")
    log.end_step()
    log.end_turn()
    for scan in (TailScan(version), scanned(version, log.events)):
        assert (scan.turn, scan.step, scan.pending, scan.fatal) == (None, None, {}, None)


@pytest.mark.parametrize("version", EVERY)
def test_a_turn_and_a_step_are_open_until_they_end(version):
    log = open_log(version)
    assert (scanned(version, log.events).turn, scanned(version, log.events).step) == (1, 1)
    log.end_step()
    assert (scanned(version, log.events).turn, scanned(version, log.events).step) == (1, None)
    log.step()
    assert (scanned(version, log.events).turn, scanned(version, log.events).step) == (1, 2)


@pytest.mark.parametrize("version", EVERY)
def test_calls_wait_in_the_order_in_which_they_were_advertised(version):
    log = open_log(version, "c2", "c1", "c3", words="let me see")
    assert waiting(log) == [("c2", None), ("c1", None), ("c3", None)]
    first = log.call("c1")
    log.call("c2")
    log.result("c2", "done")
    assert waiting(log) == [("c1", first), ("c3", None)]


@pytest.mark.parametrize("version", EVERY)
def test_a_repeated_id_keeps_its_place_and_forgets_its_start(version):
    log = open_log(version, "a", "b")
    log.call("a")
    log.assistant("", ("a", "bash", "{}"))
    assert waiting(log) == [("a", None), ("b", None)]


@pytest.mark.parametrize("version", EVERY)
def test_a_second_start_takes_the_place_of_the_first(version):
    log = open_log(version, "a")
    log.call("a")
    second = log.call("a")
    assert waiting(log) == [("a", second)]


@pytest.mark.parametrize("version", EVERY)
def test_a_start_that_nobody_advertised_is_ignored(version):
    log = open_log(version)
    log.event("tool/call", {**log.here, "callId": "x", "name": "bash", "arguments": "{}"})
    assert waiting(log) == []


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("end", ["end_step", "end_turn", "turn"])
def test_unanswered_calls_are_forgotten_at_the_end_of_step_and_turn_and_at_a_new_turn(end, version):
    log = open_log(version, "a")
    getattr(log, end)()
    assert waiting(log) == []


@pytest.mark.parametrize("version", EVERY)
def test_a_new_turn_opens_no_step(version):
    log = open_log(version)
    log.turn()
    scan = scanned(version, log.events)
    assert (scan.turn, scan.step) == (2, None)


@pytest.mark.parametrize("version", EVERY)
def test_a_new_step_leaves_calls_waiting(version):
    log = open_log(version, "a")
    log.step()
    assert waiting(log) == [("a", None)]


def replaced_result(version, turn=1):
    """Give a log in which a replacing result of a call stands alone."""
    log = open_log(version, "a")
    log.call("a")
    data = {"turn": turn, "step": 1, "message": {"source": {"kind": "tool", "callId": "a"}}}
    return log, data


@pytest.mark.parametrize("version", EVERY)
def test_a_replacing_result_answers_a_call_before_v4_only(version):
    log, data = replaced_result(version)
    log.event("tool/result", data, surfaceOp=log.span(2, 2), sourceEventSeqs=[2])
    assert len(waiting(log)) == (0 if version in WRAPPED else 1)


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("where", [{"turn": 2}, {"step": 2}, {"turn": ...}, {"step": None}])
def test_in_v4_a_result_answers_the_call_of_its_own_turn_and_step(where, version):
    log, data = replaced_result(version)
    data = {name: value for name, value in {**data, **where}.items() if value is not ...}
    log.event("tool/result", data, surfaceOp="append")
    assert len(waiting(log)) == (0 if version in WRAPPED else 1)


@pytest.mark.parametrize("version", EVERY)
def test_an_answer_to_another_call_answers_none(version):
    log, data = replaced_result(version)
    data["message"]["source"]["callId"] = "b"
    log.event("tool/result", data, surfaceOp="append")
    assert len(waiting(log)) == 1


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("data", [None, 7, [], {}, {"message": None}, {"message": {}}, {"message": {"source": 1}}])
def test_a_result_without_a_source_answers_none(data, version):
    log = open_log(version, "a")
    log.event("tool/result", data, surfaceOp="append")
    assert len(waiting(log)) == 1
    assert scanned(version, log.events).fatal is None


@pytest.mark.parametrize("version", EVERY)
def test_a_result_without_a_call_id_answers_the_call_without_an_id(version):
    log = open_log(version)
    block = {"type": "tool-call", "name": "bash", "arguments": "{}"}
    log.event("assistant/message", {**log.here, "message": {"content": [block]}}, surfaceOp="append")
    (pending,) = scanned(version, log.events).pending.values()
    assert pending.call_id is ABSENT
    log.event("tool/result", {**log.here, "message": {"source": {"kind": "tool"}}}, surfaceOp="append")
    assert waiting(log) == []


@pytest.mark.parametrize("data", [7, "x", [], True, {}])
def test_a_payload_that_is_no_object_reads_as_one_without_members(data):
    """Asked dsh: a turn without a number is open, and closed by a `turn/end` without one."""
    scan = TailScan(0)
    scan.turn_start(data, 0)
    assert scan.turn is ABSENT
    scan.step_start(data, 1)
    assert scan.step is ABSENT
    assert closers(scan) == [("step/end", None, ABSENT, ABSENT, None), ("turn/end", None, ABSENT, None, None)]
    assert scan.fatal is None


def test_a_turn_whose_number_is_null_is_not_open():
    """Asked dsh: 0.1.2 and 0.1.5 give no closers."""
    for version in (0, 3):
        scan = scanned(version, [{"type": "turn/start", "seq": 0, "data": {"turn": None}}])
        assert scan.turn is None
        assert closers(scan) == []


@pytest.mark.parametrize("kind", ["turn/start", "step/start", "tool/call"])
def test_a_null_payload_makes_the_scan_fail(kind):
    log = open_log(0, "a")
    seq = log.event(kind, None)
    log.event(kind, None)
    assert scanned(0, log.events).fatal == seq


def test_a_null_block_in_an_assistant_message_makes_the_scan_fail():
    log = open_log(3)
    seq = log.event("assistant/message", {**log.here, "message": {"content": ["odd", None]}}, surfaceOp="append")
    assert scanned(3, log.events).fatal == seq


@pytest.mark.parametrize("kind", ["turn/end", "step/end"])
def test_a_null_payload_at_an_end_is_never_looked_at(kind):
    log = open_log(0, "a")
    log.event(kind, None)
    scan = scanned(0, log.events)
    assert (scan.fatal, scan.step, scan.pending) == (None, None, {})


@pytest.mark.parametrize("data", [7, [], {}, {"message": None}, {"message": []}, {"message": {"content": None}}])
def test_an_assistant_message_without_blocks_advertises_nothing(data):
    log = open_log(0)
    log.event("assistant/message", data, surfaceOp="append")
    assert waiting(log) == []
    assert scanned(0, log.events).fatal is None


@pytest.mark.parametrize("version", EVERY)
def test_blocks_of_other_kinds_advertise_nothing(version):
    log = open_log(version)
    blocks = ["tool-call", 7, ["tool-call"], {"type": "text", "id": "a"}, {"id": "a"}]
    log.event("assistant/message", {**log.here, "message": {"content": blocks}}, surfaceOp="append")
    assert waiting(log) == []


def advertise(*ids):
    blocks = [{"type": "tool-call", "id": value, "name": "bash", "arguments": ""} for value in ids]
    return {"turn": 1, "step": 1, "message": {"content": blocks}}


def test_call_ids_of_any_kind_are_told_apart_by_kind():
    scan = TailScan(0)
    scan.turn_start({"turn": 1}, 0)
    ids = ["1", 1, True, None, "true", 0, False, ""]
    scan.assistant(advertise(*ids), 1)
    assert len(scan.pending) == len(ids)
    scan.tool_call({"callId": 1.0}, 2)
    started = [pending.call_id for pending in scan.pending.values() if pending.call_seq is not None]
    assert started == [1]
    assert type(started[0]) is int


def test_two_objects_are_never_the_same_call():
    scan = TailScan(0)
    scan.assistant(advertise({"a": 1}, {"a": 1}, [1], [1]), 1)
    assert len(scan.pending) == 4
    scan.tool_call({"callId": {"a": 1}}, 2)
    assert all(pending.call_seq is None for pending in scan.pending.values())


def test_big_numbers_are_one_call_when_they_are_one_double():
    scan = TailScan(0)
    scan.assistant(advertise(2**53 + 1, 2**53, 2.0**53, 2**53 + 2, 10**400, float("inf")), 1)
    assert len(scan.pending) == 3


def test_zero_and_negative_zero_are_one_call():
    scan = TailScan(0)
    scan.assistant(advertise(0, -0.0), 1)
    assert len(scan.pending) == 1

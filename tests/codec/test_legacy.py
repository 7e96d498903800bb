"""Old v0 spellings read as what the v0 builds rewrite them to (events.md P-016)."""

from __future__ import annotations

import pytest

from dshlog.codec.legacy import is_current, to_current
from logbuilder import Log, text

CONTENT = [text("hi")]
NEW_ID = "legacy-message:demo:7"


def row(kind, data, **members):
    return {"type": kind, "seq": 7, "time": 5, "data": data, **members}


def rewritten(kind, data, ids=None, **members):
    """Give the event as a v0 build takes it."""
    before = row(kind, data, **members)
    copy = {**before}
    after = to_current(before, 7, "demo", ids or {})
    assert before == copy, "the stored event was changed"
    return after


def unchanged(kind, data, **members):
    event = row(kind, data, **members)
    return to_current(event, 7, "demo", {}) is event


def test_what_released_builds_write_stays_the_same_object():
    log = Log(0)
    log.turn()
    log.step()
    log.user("hi")
    log.assistant("ok", ("c1", "bash", "{}"))
    log.call("c1")
    log.result("c1", "done")
    for event in log.events:
        assert to_current(event, event["seq"], "demo", {}) is event
        if event["type"] in {"user/message", "assistant/message", "tool/result"}:
            assert is_current(event["type"], event["data"])


@pytest.mark.parametrize("kind", ["user/message", "assistant/message", "tool/result", "steering/message", "turn/start"])
@pytest.mark.parametrize("data", [None, 7, "x", [], {}])
def test_a_payload_that_is_no_object_or_is_empty_stays_as_it_is(kind, data):
    assert unchanged(kind, data)
    assert is_current("tool/result", data) is not (data == {})


def test_a_row_without_type_or_data_stays_as_it_is():
    for event in ({"seq": 7}, {"seq": 7, "data": {"content": [], "source": {}}}):
        assert to_current(event, 7, "demo", {}) is event


def test_a_bare_user_message_gets_an_id_and_a_role():
    after = rewritten("user/message", {"content": CONTENT, "source": {"kind": "user"}, "more": 1}, surfaceOp="append")
    assert after["data"] == {
        "content": CONTENT,
        "source": {"kind": "user"},
        "more": 1,
        "id": NEW_ID,
        "role": "user",
    }
    assert (after["type"], after["seq"], after["surfaceOp"]) == ("user/message", 7, "append")
    assert not is_current("user/message", {"content": CONTENT, "source": {}})


@pytest.mark.parametrize("name", ["id", "role", "message"])
def test_a_user_message_with_any_new_member_stays_as_it_is(name):
    data = {"content": CONTENT, "source": {"kind": "user"}, name: None}
    assert unchanged("user/message", data)
    assert is_current("user/message", data)


@pytest.mark.parametrize("name", ["content", "source"])
def test_a_user_message_without_content_or_source_stays_as_it_is(name):
    data = {"content": CONTENT, "source": {"kind": "user"}}
    del data[name]
    assert unchanged("user/message", data)


def test_an_assistant_message_moves_content_and_provenance_into_a_message():
    data = {"turn": 1, "step": 2, "content": CONTENT, "provenance": {"provider": "p", "kind": "x"}, "usage": {}}
    after = rewritten("assistant/message", data)
    message = {"id": NEW_ID, "role": "assistant", "content": CONTENT, "source": {"provider": "p", "kind": "model"}}
    assert after["data"] == {"turn": 1, "step": 2, "usage": {}, "message": message}
    assert not is_current("assistant/message", data)


@pytest.mark.parametrize("provenance", [None, "p", 1, []])
def test_a_provenance_that_is_no_object_gives_no_members(provenance):
    after = rewritten("assistant/message", {"content": CONTENT, "provenance": provenance})
    assert after["data"]["message"]["source"] == {"kind": "model"}


def test_an_assistant_message_that_has_a_message_or_lacks_a_part_stays_as_it_is():
    whole = {"content": CONTENT, "provenance": {}}
    assert unchanged("assistant/message", {**whole, "message": None})
    assert unchanged("assistant/message", {"content": CONTENT})
    assert unchanged("assistant/message", {"provenance": {}})
    assert is_current("assistant/message", {**whole, "message": None})


def test_a_tool_result_moves_its_answer_into_a_wrapper():
    data = {"turn": 1, "step": 1, "callId": "c1", "content": CONTENT, "isError": False, "meta": 3}
    after = rewritten("tool/result", data, surfaceOp="append")
    block = {"type": "tool-result", "toolCallId": "c1", "content": CONTENT, "isError": False}
    message = {"id": NEW_ID, "role": "user", "content": [block], "source": {"kind": "tool", "callId": "c1"}}
    assert after["data"] == {"turn": 1, "step": 1, "meta": 3, "message": message}
    assert not is_current("tool/result", data)


def test_presence_of_the_members_of_a_tool_result_is_enough():
    after = rewritten("tool/result", {"callId": None, "content": None, "isError": None})
    assert after["data"]["message"]["source"] == {"kind": "tool", "callId": None}


@pytest.mark.parametrize("name", ["callId", "content", "isError"])
def test_a_tool_result_that_lacks_a_member_stays_as_it_is(name):
    data = {"callId": "c1", "content": CONTENT, "isError": False}
    assert unchanged("tool/result", {**data, "message": {}})
    del data[name]
    assert unchanged("tool/result", data)


OLD_RESULT = {"callId": "c1", "content": CONTENT, "isError": False}


def test_a_replacing_tool_result_keeps_the_id_of_the_message_that_it_replaces():
    op = {"op": "replace", "start": 4, "end": 4}
    assert rewritten("tool/result", OLD_RESULT, {4: "old"}, surfaceOp=op)["data"]["message"]["id"] == "old"
    double = {"op": "replace", "start": 4.0, "end": 4.0}
    assert rewritten("tool/result", OLD_RESULT, {4: "old"}, surfaceOp=double)["data"]["message"]["id"] == "old"


def test_a_replacing_tool_result_without_a_message_to_replace_gets_no_id():
    op = {"op": "replace", "start": 4, "end": 4}
    assert "id" not in rewritten("tool/result", OLD_RESULT, {5: "other"}, surfaceOp=op)["data"]["message"]


@pytest.mark.parametrize(
    "op", ["append", None, 1, {}, {"op": "append", "start": 4}, {"op": "replace"}, {"op": "replace", "start": "4"}]
)
def test_a_tool_result_that_names_no_start_gets_the_new_id(op):
    assert rewritten("tool/result", OLD_RESULT, {4: "old"}, surfaceOp=op)["data"]["message"]["id"] == NEW_ID


def test_a_steering_message_becomes_a_user_message():
    message = {"id": "m", "role": "user", "content": CONTENT, "source": {"kind": "user"}}
    after = rewritten("steering/message", {"turn": 1, "message": message})
    assert (after["type"], after["data"]) == ("user/message", message)
    after = rewritten("steering/message", {"turn": -3, "content": CONTENT, "source": {"kind": "user"}})
    assert after["data"] == {"id": NEW_ID, "role": "user", "content": CONTENT, "source": {"kind": "user"}}
    assert after["type"] == "user/message"


@pytest.mark.parametrize(
    "data",
    [
        {"message": {}},
        {"turn": "1", "message": {}},
        {"turn": 0.5, "message": {}},
        {"turn": 1},
        {"turn": 1, "message": []},
        {"turn": 1, "message": None},
        {"turn": 1, "message": {}, "more": 1},
        {"turn": 1, "content": [], "source": {}, "more": 1},
        {"turn": 1, "content": []},
        {"turn": 1, "source": {}},
        {"content": [], "source": {}},
    ],
)
def test_any_other_steering_message_stays_as_it_is(data):
    assert unchanged("steering/message", data)

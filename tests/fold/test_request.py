"""What a model call was given: the header in force, the messages before it, and the tools declared so far."""

from __future__ import annotations

import pytest

from dshlog.fold.request import ToolHistory, canonical_header, request_at
from dshlog.model.surface import SurfaceError
from logbuilder import Log, text

EVERY = [0, 1, 2, 3, 4]
CONFIG = {"provider": "p", "model": "m"}


def begun(version):
    log = Log(version)
    log.turn()
    log.step()
    log.system("be brief")
    log.user("one")
    return log


def tool(name, description="does"):
    return {"name": name, "description": description, "parameters": {"type": "object"}}


def header(log, *tools, reason="change", **members):
    """Add a request header with these tool definitions."""
    return log.event(
        "request/header", {"header": {"config": CONFIG, "tools": list(tools)}, "reason": reason, **members}
    )


def change(*added, removed=()):
    """Give the blocks of a developer message."""
    blocks = [{"type": "tool-addition", "toolName": name} for name in added]
    return [*blocks, *({"type": "tool-removal", "toolName": name} for name in removed)]


def history(log):
    return request_at(log.events, len(log.events), version=4).tool_history


def names(held):
    return [entry["name"] for entry in held]


@pytest.mark.parametrize("version", EVERY)
def test_a_request_is_what_stands_before_its_settlement(version):
    log = begun(version)
    log.request("initial", ["bash"])
    log.event("request/context", {"window": 1})
    log.event("request/context", {"window": 2})
    first = len(log.events)
    answer = log.assistant("two")
    log.user("three")
    request = request_at(log.events, answer, version=version)
    assert request.messages[-1]["content"] == [text("one")]
    assert names(request.header["tools"]) == ["bash"]
    assert request.context == {"window": 2}
    assert ("system" in request.header) is (version < 3)
    assert (request.messages[0]["role"] == "system") is (version >= 3)
    assert request_at(iter(log.events), first, version=version).messages == request.messages


@pytest.mark.parametrize("version", EVERY)
def test_the_last_header_and_the_whole_surface_count(version):
    log = begun(version)
    log.request("initial", ["bash"])
    log.assistant("two")
    log.user("three")
    log.request("change", ["other"])
    request = request_at(log.events, log.assistant("four"), version=version)
    assert names(request.header["tools"]) == ["other"]
    assert [message["role"] for message in request.messages][-3:] == ["user", "assistant", "user"]


@pytest.mark.parametrize("version", EVERY)
def test_a_request_without_header_or_context_has_none(version):
    log = begun(version)
    request = request_at(log.events, log.assistant("two"), version=version)
    assert (request.header, request.context) == (None, None)
    assert request.tool_history == ({"tools": [], "updates": []} if version == 4 else None)


@pytest.mark.parametrize("version", EVERY)
def test_a_seq_behind_the_log_gives_the_next_request(version):
    log = begun(version)
    assert len(request_at(log.events, 10**6, version=version).messages) == len(log.nodes)


@pytest.mark.parametrize("version", EVERY)
def test_a_breach_before_the_settlement_is_raised_and_one_behind_it_is_not_seen(version):
    log = begun(version)
    answer = log.assistant("two")
    log.user("three", sourceEventSeqs=[0])
    assert request_at(log.events, answer, version=version).messages
    with pytest.raises(SurfaceError) as caught:
        request_at(log.events, len(log.events), version=version)
    assert (caught.value.kind, caught.value.seq) == ("marker-missing", len(log.events) - 1)


def test_kinds_are_those_of_the_surface():
    log = begun(4)
    log.user("x", sourceEventSeqs=[0], surfaceOp=log.span(3, 3))
    with pytest.raises(SurfaceError) as caught:
        request_at(log.events, 99, version=4)
    assert caught.value.kind == "sources-incomplete"


@pytest.mark.parametrize("data", [None, 1, [], {"header": None}, {"header": []}])
def test_a_header_of_another_form_leaves_no_header(data):
    log = begun(4)
    log.event("request/header", data)
    assert request_at(log.events, 99, version=4).header is None


# -- the canonical header


@pytest.mark.parametrize("version", EVERY)
def test_the_config_is_kept_and_retired_members_go(version):
    assert canonical_header({"config": CONFIG, "messagePrefix": [1], "more": 2}, version) == {"config": CONFIG}


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize(
    "defaults, kept",
    [
        ({"reasoningEffort": True}, True),
        ({"maxTokens": True}, True),
        ({"reasoningEffort": False, "maxTokens": True, "more": 1}, True),
        ({"reasoningEffort": False, "maxTokens": False}, False),
        ({"reasoningEffort": 1, "maxTokens": "true"}, False),
        ({}, False),
        (None, False),
        (True, False),
    ],
)
def test_adapter_defaults_are_kept_when_one_of_them_is_true(defaults, kept, version):
    found = canonical_header({"config": CONFIG, "adapterDefaults": defaults}, version)
    assert found == ({"config": CONFIG, "adapterDefaults": defaults} if kept else {"config": CONFIG})


@pytest.mark.parametrize("version", EVERY)
def test_empty_tools_disappear(version):
    assert canonical_header({"config": CONFIG, "tools": []}, version) == {"config": CONFIG}
    assert canonical_header({"config": CONFIG, "tools": [1]}, version) == {"config": CONFIG, "tools": [1]}


@pytest.mark.parametrize("version", EVERY)
def test_the_header_holds_the_prompt_before_v3_only(version):
    assert canonical_header({"config": CONFIG, "system": ""}, version) == {"config": CONFIG}
    expected = {"config": CONFIG, "system": "s"} if version < 3 else {"config": CONFIG}
    assert canonical_header({"config": CONFIG, "system": "s"}, version) == expected


# -- tool history


def test_a_first_header_begins_a_series():
    log = begun(4)
    header(log, tool("a"), tool("b"))
    assert history(log) == {"tools": [tool("a"), tool("b")], "updates": []}


def test_an_addition_resolves_its_definition_from_the_header_that_it_names():
    log = begun(4)
    header(log, tool("a"))
    later = header(log, tool("a"), tool("b"))
    seq = log.developer(*change("b"), header_seq=later)
    message = log.events[seq]["data"]["message"]
    assert history(log) == {
        "tools": [tool("a")],
        "updates": [{"messageId": message["id"], "additions": [tool("b")]}],
    }


def test_additions_stand_in_the_order_of_their_blocks():
    log = begun(4)
    header(log, tool("a"))
    later = header(log, tool("a"), tool("b"), tool("c"))
    log.developer(text("note"), *change("c", "b"), header_seq=later)
    assert names(history(log)["updates"][0]["additions"]) == ["c", "b"]


def test_a_removal_is_an_update_without_additions():
    log = begun(4)
    header(log, tool("a"), tool("b"))
    header(log, tool("a"))
    log.developer(*change(removed=["b", "never there"]))
    assert [update["additions"] for update in history(log)["updates"]] == [[]]


def test_a_tool_may_be_removed_and_added_again():
    log = begun(4)
    first = header(log, tool("a"), tool("b"))
    log.developer(*change(removed=["b"]))
    log.developer(*change("b"), header_seq=first)
    assert [names(update["additions"]) for update in history(log)["updates"]] == [[], ["b"]]


def test_an_addition_of_what_is_there_changes_nothing_but_is_an_update():
    log = begun(4)
    first = header(log, tool("a"))
    log.developer(*change("a"), header_seq=first)
    assert names(history(log)["updates"][0]["additions"]) == ["a"]


def test_a_log_from_before_tool_updates_shows_its_active_tools():
    log = begun(4)
    header(log, tool("a"))
    header(log, tool("a"), tool("b"))
    assert history(log) == {"tools": [tool("a"), tool("b")], "updates": []}


@pytest.mark.parametrize("members", [{"reason": "series"}, {"startsSeries": True}])
def test_a_header_may_say_that_it_begins_a_series(members):
    log = begun(4)
    first = header(log, tool("a"), tool("b"))
    log.developer(*change("b"), header_seq=first)
    header(log, tool("b"), **members)
    assert history(log) == {"tools": [tool("b")], "updates": []}


@pytest.mark.parametrize("value", [False, None, 1, "true"])
def test_only_true_begins_a_series(value):
    log = begun(4)
    first = header(log, tool("a"))
    log.developer(*change("a"), header_seq=first)
    header(log, tool("a"), startsSeries=value)
    assert len(history(log)["updates"]) == 1


def test_a_changed_definition_begins_a_series_and_the_order_of_members_counts():
    for changed in (tool("a", "other"), dict(reversed(tool("a").items()))):
        log = begun(4)
        first = header(log, tool("a"))
        log.developer(*change("a"), header_seq=first)
        header(log, changed)
        assert history(log) == {"tools": [changed], "updates": []}


def test_a_changed_definition_of_an_added_tool_begins_a_series():
    log = begun(4)
    header(log, tool("a"))
    later = header(log, tool("a"), tool("b"))
    log.developer(*change("b"), header_seq=later)
    header(log, tool("a"), tool("b", "other"))
    assert history(log) == {"tools": [tool("a"), tool("b", "other")], "updates": []}


def test_a_definition_that_was_never_declared_may_change():
    log = begun(4)
    header(log, tool("a"))
    header(log, tool("a"), tool("b"))
    later = header(log, tool("a"), tool("b", "other"))
    log.developer(*change("b"), header_seq=later)
    assert history(log)["tools"] == [tool("a")]
    assert history(log)["updates"][0]["additions"] == [tool("b", "other")]


@pytest.mark.parametrize("inner", [None, 1, {}, {"tools": None}, {"tools": [None, 1, {}, {"name": 1}]}])
def test_tools_of_another_form_have_no_names(inner):
    held = ToolHistory()
    held.header(0, {"header": inner})
    assert held.snapshot()["updates"] == []
    held.developer({"message": {"id": "m", "content": [7, {"type": "tool-removal", "toolName": 1}, text("x")]}})
    assert held.snapshot()["updates"] == [{"messageId": "m", "additions": []}]


def test_a_developer_message_whose_content_is_no_array_is_no_crash():
    log = begun(4)
    message = {"id": "m", "role": "developer", "content": None}
    log.event("developer/message", {**log.here, "message": message}, surfaceOp="append")
    assert request_at(log.events, 99, version=4).tool_history == {
        "tools": [],
        "updates": [{"messageId": "m", "additions": []}],
    }


def test_a_developer_message_in_v3_is_opaque():
    log = begun(3)
    log.event("developer/message", {"turn": 1}, ignorable=True)
    assert len(request_at(log.events, 99, version=3).messages) == 2

"""A developer message (v4) adds tools that an earlier request header declares whole, and once."""

from __future__ import annotations

import pytest

from dshlog.fold.developer import developer_fault, usable_tools
from logbuilder import Log, text


def addition(name="t1", **members):
    return {"type": "tool-addition", "toolName": name, **members}


def removal(name="t1", **members):
    return {"type": "tool-removal", "toolName": name, **members}


def tool(name="t1", **members):
    base = {"name": name, "description": "does", "parameters": {"type": "object"}, **members}
    return {key: value for key, value in base.items() if value is not ...}


def header_data(*tools):
    return {"header": {"config": {}, "tools": list(tools)}, "reason": "initial"}


def message_data(*content, header_seq=None):
    log = Log(4)
    log.turn()
    log.step()
    return log.events[log.developer(*content, header_seq=header_seq)]["data"]


def fault_of(*content, header_seq=None, headers=None, seq=9):
    """Give (name, path) of the fault of a developer message at `seq`, or None."""
    found = developer_fault(
        seq, message_data(*content, header_seq=header_seq), {3: frozenset({"t1", "t2"})} if headers is None else headers
    )
    return found and (found.name, found.path)


def test_a_tool_that_stands_whole_and_once_may_be_added():
    assert usable_tools(header_data(tool("t1"), tool("t2", deferLoading=True))) == {"t1", "t2"}
    assert usable_tools(header_data(tool("t1", more=1, description="", parameters={}))) == {"t1"}


@pytest.mark.parametrize(
    "members",
    [
        {"description": ...},
        {"description": None},
        {"description": 1},
        {"parameters": ...},
        {"parameters": []},
        {"parameters": None},
        {"deferLoading": False},
        {"deferLoading": None},
        {"deferLoading": 1},
    ],
)
def test_a_tool_with_a_part_missing_or_of_another_kind_may_not(members):
    assert usable_tools(header_data(tool(**members), tool("t2"))) == {"t2"}


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_name_that_stands_more_than_once_may_not(count):
    assert usable_tools(header_data(*[tool()] * count, tool("t2"))) == {"t2"}
    assert usable_tools(header_data(tool(description=...), tool())) == set()


@pytest.mark.parametrize(
    "data",
    [
        None,
        1,
        [],
        {},
        {"header": None},
        {"header": []},
        {"header": {}},
        {"header": {"tools": None}},
        {"header": {"tools": [None, 1, "t1", [], {}, {"name": 1}, {"name": None}]}},
    ],
)
def test_a_header_without_tools_declares_none(data):
    assert usable_tools(data) == frozenset()


def test_additions_and_removals_that_name_declared_tools_are_sound():
    assert fault_of(addition("t1"), removal("t2"), addition("t2"), header_seq=3) is None
    assert fault_of(text("only words")) is None
    assert fault_of() is None


def test_removals_are_checked_against_nothing():
    assert fault_of(removal("never heard of")) is None


def test_blocks_of_other_kinds_are_stepped_over():
    assert fault_of("odd", None, 7, [], {"type": ["tool-addition"]} | {"type": "x"}) is None


@pytest.mark.parametrize("data", [None, 1, "x", [], {}, {"message": None}, {"message": "x"}])
def test_a_developer_message_holds_a_message(data):
    assert developer_fault(9, data, {}).name == "developer-block"


@pytest.mark.parametrize("role", ["user", "system", "", None, 1])
def test_its_role_is_developer(role):
    data = message_data(text("x"))
    data["message"]["role"] = role
    found = developer_fault(9, data, {})
    assert (found.name, found.path) == ("developer-block", "$.data.message.role")


@pytest.mark.parametrize("name", ["", None, 1, True, []])
@pytest.mark.parametrize("block", [addition, removal])
def test_a_tool_change_names_a_tool(block, name):
    assert fault_of(text("x"), block(name), header_seq=3) == (
        "developer-block",
        "$.data.message.content[1].toolName",
    )


@pytest.mark.parametrize("inline", [None, {}, tool()])
def test_an_addition_does_not_hold_the_tool_itself(inline):
    assert fault_of(addition(tool=inline), header_seq=3) == ("developer-block", "$.data.message.content[0].tool")


def test_a_removal_may_hold_anything():
    assert fault_of(removal(tool=tool(), more=1)) is None


def test_header_seq_is_there_exactly_when_something_is_added():
    for content in ((), (text("x"),), (removal(),)):
        assert fault_of(*content, header_seq=3) == ("developer-header-presence", "$.data.headerSeq")
    assert fault_of(addition()) == ("developer-header-presence", "$.data.headerSeq")


@pytest.mark.parametrize("seq", [4, 9, 10, -1, -0.0, 0.5, "3", True, [3], 2**53])
def test_header_seq_names_an_earlier_request_header(seq):
    headers = {3: frozenset({"t1"}), 9: frozenset({"t1"}), 10: frozenset({"t1"}), 1: frozenset({"t1"})}
    assert fault_of(addition(), header_seq=seq, headers=headers) == ("developer-header", "$.data.headerSeq")


def test_header_seq_may_be_spelled_as_a_double():
    assert fault_of(addition(), header_seq=3.0) is None


def test_header_seq_is_not_null():
    data = {**message_data(addition()), "headerSeq": None}
    assert developer_fault(9, data, {}).name == "developer-header"


def test_an_added_tool_stands_in_the_header_that_is_named():
    found = developer_fault(
        9, message_data(addition("t1"), addition("bad\n" * 50), header_seq=3), {3: frozenset({"t1"})}
    )
    assert (found.name, found.seqs) == ("developer-tool", (3,))
    assert found.message.isprintable()
    assert len(found.message) < 250
    headers = {2: frozenset({"t1"}), 3: frozenset()}
    assert fault_of(addition(), header_seq=3, headers=headers) == ("developer-tool", "$.data.message.content")
    assert fault_of(addition(), header_seq=2, headers=headers) is None


def test_a_null_block_does_not_stand_beside_an_addition():
    assert fault_of(addition(), None, header_seq=3) == ("developer-null", "$.data.message.content[1]")
    assert fault_of(None, addition(), header_seq=3) == ("developer-null", "$.data.message.content[0]")
    assert fault_of(removal(), None) is None


def test_the_header_that_is_named_holds_no_null_tool():
    data = message_data(addition(), header_seq=3)
    headers = {3: frozenset({"t1"})}
    assert developer_fault(9, data, headers, null_tools={2}) is None
    found = developer_fault(9, data, headers, null_tools={2, 3})
    assert (found.name, found.path, found.seqs) == ("developer-null", "$.data.headerSeq", (3,))


def test_content_that_is_no_array_holds_no_tool_change():
    data = message_data(text("x"))
    for content in (None, {}, "tool-addition"):
        data["message"]["content"] = content
        assert developer_fault(9, data, {}) is None

"""Messages inside events: what of a tool result may change, and which images are offloaded."""

from __future__ import annotations

import copy

import pytest

from dshlog.fold.content import image_flags, offload, tool_print
from logbuilder import Log, image, text

EVERY = [0, 1, 2, 3, 4]
WRAPPED = [0, 1, 2, 3]  # the result stands in a wrapper block


def result_data(version, **members):
    """Give the data of a tool result with members of `data` added."""
    log = Log(version)
    log.turn()
    log.step()
    log.assistant("", ("c1", "bash", "{}"))
    log.call("c1")
    return {**log.events[log.result("c1", "done")]["data"], **members}


def changed(data, path, value):
    """Give a deep copy with one member replaced or added; a path names members and positions."""
    out = copy.deepcopy(data)
    holder = out
    for name in path[:-1]:
        holder = holder[name]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return out


def differs(data, path, value, version):
    return tool_print(data, version) != tool_print(changed(data, path, value), version)


# Paths to what must stay equal, from the result block and from around it.
BLOCK_MEMBERS = [("type", "other"), ("toolCallId", "c2"), ("isError", True), ("isError", ...), ("more", 1)]
AROUND = [
    (("turn",), 2),
    (("step",), 2),
    (("error",), {"name": "E", "code": "C"}),
    (("meta",), None),
    (("message", "id"), "other"),
    (("message", "role"), "other"),
    (("message", "source", "kind"), "other"),
    (("message", "source", "callId"), "c2"),
    (("message", "source", "more"), 1),
    (("message", "more"), 1),
    (("message", "id"), ...),
    (("message", "source"), ...),
    (("turn",), ...),
]


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("path, value", AROUND)
def test_everything_around_the_content_of_a_result_counts(path, value, version):
    assert differs(result_data(version), path, value, version)
    assert differs(result_data(version, meta={"a": [1]}), path, value, version)


@pytest.mark.parametrize("version", WRAPPED)
@pytest.mark.parametrize("name, value", BLOCK_MEMBERS)
def test_the_wrapper_of_a_result_counts_but_for_its_content(name, value, version):
    path = ("message", "content", 0, name)
    assert differs(result_data(version), path, value, version)
    assert differs(result_data(version, meta=1), path, value, version)


@pytest.mark.parametrize("name, value", [("toolCallId", "c2"), ("isError", True), ("isError", ...), ("more", 1)])
def test_the_members_of_a_v4_result_message_count(name, value):
    assert differs(result_data(4), ("message", name), value, 4)
    assert differs(result_data(4, meta=1), ("message", name), value, 4)


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("content", [[], [text("other")], None, "words", [None], 7, {"a": 1}])
def test_the_content_of_a_result_is_free(content, version):
    path = ("message", "content") if version == 4 else ("message", "content", 0, "content")
    for data in (result_data(version), result_data(version, meta=1)):
        assert not differs(data, path, content, version)


def longer(data, block):
    out = copy.deepcopy(data)
    out["message"]["content"].append(block)
    return out


@pytest.mark.parametrize("version", WRAPPED)
def test_blocks_behind_the_wrapper_are_not_compared(version):
    data = result_data(version, meta=1)
    prints = {tool_print(held, version) for held in (data, longer(data, text("more")), longer(data, None))}
    assert len(prints) == 1


@pytest.mark.parametrize("version", WRAPPED)
def test_blocks_behind_the_wrapper_of_a_plain_result_are_not_compared(version):
    data = result_data(version)
    assert tool_print(data, version) == tool_print(longer(data, text("more")), version)


def test_in_v4_the_whole_content_array_is_free():
    data = result_data(4)
    for content in ([], [text("a"), text("b")], [image("a")]):
        assert not differs(data, ("message", "content"), content, 4)


@pytest.mark.parametrize("version", EVERY)
def test_the_order_of_members_does_not_matter_and_their_spelling_neither(version):
    data = result_data(version, meta={"a": 1, "b": [1, 2]})
    turned = {name: data[name] for name in reversed(data)}
    turned["meta"] = {"b": [1.0, 2.0], "a": 1}
    turned["turn"] = 1.0
    assert tool_print(data, version) == tool_print(turned, version)
    plain = result_data(version)
    assert tool_print(plain, version) == tool_print({**plain, "turn": 1}, version)


@pytest.mark.parametrize("version", EVERY)
def test_a_turn_written_as_a_double_is_the_same_turn(version):
    data = result_data(version)
    assert tool_print(data, version) == tool_print({**data, "turn": 1.0}, version)


@pytest.mark.parametrize("version", EVERY)
def test_absent_false_and_null_are_three_things(version):
    path = ("message",) if version == 4 else ("message", "content", 0)
    prints = {
        tool_print(changed(result_data(version), (*path, "isError"), v), version) for v in (..., False, None, True)
    }
    assert len(prints) == 4
    data = result_data(version)
    metas = [data, {**data, "meta": None}, {**data, "meta": False}, {**data, "meta": 0}, {**data, "meta": ""}]
    assert len({tool_print(value, version) for value in metas}) == 5


@pytest.mark.parametrize("version", EVERY)
def test_numbers_texts_and_booleans_are_told_apart(version):
    data = result_data(version)
    values = [1, "1", True, [1], {"1": 1}]
    assert len({tool_print({**data, "turn": value}, version) for value in values}) == len(values)
    ids = ["c1", 1, None, ["c1"]]
    prints = {tool_print(changed(data, ("message", "source", "callId"), value), version) for value in ids}
    assert len(prints) == len(ids)


@pytest.mark.parametrize("version", EVERY)
def test_the_sign_of_a_zero_does_not_count(version):
    data = result_data(version)
    assert tool_print({**data, "meta": 0}, version) == tool_print({**data, "meta": -0.0}, version)


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("name", ["turn", "step", "meta"])
def test_a_big_number_is_the_double_that_it_rounds_to(name, version):
    data = result_data(version)
    odd, same, more = ({**data, name: value} for value in (2**53 + 1, 2**53, 2**53 + 2))
    assert tool_print(odd, version) == tool_print(same, version)
    assert tool_print(odd, version) == tool_print({**data, name: 2.0**53}, version)
    assert tool_print(odd, version) != tool_print(more, version)
    assert tool_print({**data, name: 10**400}, version) == tool_print({**data, name: float("inf")}, version)


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("data", [None, 1, "x", [], {}, {"message": None}, {"message": []}, {"message": {}}])
def test_a_result_of_any_form_has_a_print(data, version):
    assert tool_print(data, version) == tool_print(copy.deepcopy(data), version)
    assert tool_print(data, version) > 15


@pytest.mark.parametrize("version", WRAPPED)
@pytest.mark.parametrize("content", [None, [], "x", [None], ["x"], [[]], {}])
def test_a_wrapper_of_any_form_has_a_print(content, version):
    data = changed(result_data(version), ("message", "content"), content)
    assert tool_print(data, version) == tool_print(copy.deepcopy(data), version)
    assert tool_print(data, version) != tool_print(result_data(version), version)


@pytest.mark.parametrize("version", EVERY)
def test_a_result_without_content_is_not_one_with_content_null(version):
    path = ("message", "content") if version == 4 else ("message", "content", 0, "content")
    data = changed(result_data(version), path, ...)
    assert tool_print(data, version) == tool_print(copy.deepcopy(data), version)


def test_images_are_counted_in_content_order_with_what_is_offloaded():
    done = {**image("b"), "offloaded": True}
    content = [text("x"), image("a"), "odd", 7, [image("no")], done, {"type": "image", "offloaded": 1}]
    assert image_flags({"content": content}) == [False, True, False]


def test_a_null_block_spoils_the_content():
    assert image_flags({"content": [image("a"), None]}) is None


@pytest.mark.parametrize("message", [None, 1, "x", [], {}, {"content": None}, {"content": "x"}, {"content": []}])
def test_a_message_without_blocks_has_no_images(message):
    assert image_flags(message) == []


def test_offloading_marks_copies_of_the_picked_images():
    message = {"id": "m", "content": [text("x"), image("a"), 7, image("b"), image("c")]}
    before = copy.deepcopy(message)
    after = offload(message, [0, 2])
    assert message == before
    assert [block.get("offloaded") for block in after["content"] if type(block) is dict] == [None, True, None, True]
    assert after["id"] == "m"
    assert image_flags(after) == [True, False, True]

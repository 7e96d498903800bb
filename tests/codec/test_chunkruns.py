"""A packed row is taken whole or not at all, and stands for the chunks that were packed into it."""

from __future__ import annotations

import json
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rows
from dshlog.codec.chunkruns import PAYLOAD, expand_row, members, row_faults
from dshlog.storage.jsontext import parse, same
from logbuilder import Log

MAX_SAFE = 2**53 - 1
ABSENT = object()


def given_members(members):
    return {name: value for name, value in members.items() if value is not ABSENT}


def text_row(kind="text-chunks", *, envelope=None, **data):
    """Give a text or reasoning row with members replaced or added; ABSENT takes one away."""
    inner = {"turn": 1, "step": 1, "index": 0, "dt": [1, 2], "texts": ["a", "b", "c"], **data}
    return given_members({"type": kind, "seq0": 5, "time0": 100, "data": given_members(inner), **(envelope or {})})


def call_row(**data):
    """Give a tool-call row without a name, with members of its data replaced or added."""
    return text_row("tool-call-chunks", **{"texts": ABSENT, "id": "c1", "dt": [1], "args": ["{", "}"], **data})


def refused(row):
    """Tell that a row is malformed, and that the quick count leaves it to the exact check."""
    faults = row_faults(row)
    assert {fault.name for fault in faults} <= {"chunk-row-malformed"}
    assert not (faults and members(row, row.get("seq0"))), "the quick count takes a row that is malformed"
    return [fault.path for fault in faults]


def test_vectors_of_the_v0_runtime(shared):
    paths = sorted((shared / "vectors/streams").glob("v0-row-*.json"))
    assert len(paths) >= 8
    for path in paths:
        vector = json.loads(path.read_text(encoding="utf-8"))
        row, expected = vector["input"]["row"], vector["expect"]["runtime"]
        if isinstance(expected, dict):
            assert refused(row), path.name
        else:
            assert row_faults(row) == [], path.name
            assert list(expand_row(row)) == expected, path.name
            assert members(row, row.get("seq0")) in {0, len(expected)}, path.name


def test_worked_example_e5_is_four_events():
    """The row of storage.md §9, E5."""
    row = text_row(envelope={"seq0": 9, "time0": 1000}, dt=[12, 0, 28], texts=["He", "llo", " wor", "ld"])
    assert (row_faults(row), members(row, row.get("seq0"))) == ([], 4)
    events = list(expand_row(row))
    assert [event["seq"] for event in events] == [9, 10, 11, 12]
    assert [event["time"] for event in events] == [1000, 1012, 1012, 1040]
    third = {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": " wor"}}
    assert json.dumps(events[2]) == json.dumps({"type": "assistant/chunk", "seq": 11, "time": 1012, "data": third})


def test_worked_example_e5_of_a_tool_call_keeps_the_members_in_order():
    row = {"type": "tool-call-chunks", "seq0": 20, "time0": 5}
    row["data"] = {"turn": 1, "step": 1, "index": 1, "dt": [0, 0], "id": "c1", "name": "bash"}
    row["data"]["args"] = ['{"a', '":1', "}"]
    assert (row_faults(row), members(row, row.get("seq0"))) == ([], 3)
    first = next(expand_row(row))
    chunk = {"type": "tool-call-delta", "index": 1, "id": "c1", "name": "bash", "argumentsDelta": '{"a'}
    assert json.dumps(first["data"]["chunk"]) == json.dumps(chunk)


def test_a_reasoning_row_holds_reasoning():
    row = text_row("reasoning-chunks")
    assert (row_faults(row), members(row, row.get("seq0"))) == ([], 3)
    assert {event["data"]["chunk"]["type"] for event in expand_row(row)} == {"reasoning-delta"}


def test_an_absent_name_stays_absent_and_an_empty_one_stays_empty():
    assert "name" not in next(expand_row(call_row()))["data"]["chunk"]
    assert next(expand_row(call_row(name="", id="")))["data"]["chunk"]["name"] == ""
    assert row_faults(call_row(name="", id="")) == []


def test_rows_of_one_or_two_members_are_read_although_no_writer_makes_them():
    for count in (1, 2):
        row = text_row(dt=[1] * (count - 1), texts=["a"] * count)
        assert (row_faults(row), members(row, row.get("seq0")), len(list(expand_row(row)))) == ([], count, count)


def test_packing_by_the_builder_and_expanding_gives_the_events_back():
    log = Log(0)
    log.turn()
    log.step()
    log.assistant("one two three four five", ("c1", "bash", '{"command":"ls"}'))
    packed = rows.packed(log.events)
    assert {row["type"] for row in packed} >= {"text-chunks", "tool-call-chunks"}
    events = []
    for row in packed:
        if row["type"] in PAYLOAD:
            assert row_faults(row) == []
            assert members(row, row.get("seq0")) == len(list(expand_row(row)))
            events += expand_row(row)
        else:
            events.append(row)
    assert events == log.events


@pytest.mark.parametrize("name", ["seq0", "time0", "data"])
def test_the_envelope_has_exactly_its_members(name):
    assert refused(text_row(envelope={name: ABSENT})) == [f"$.{name}"]
    for extra in ("seq", "time", "ignorable", "surfaceOp", "sourceEventSeqs", "foo"):
        assert refused(text_row(envelope={extra: 1})) == [f"$.{extra}"]


@pytest.mark.parametrize("name", ["turn", "step", "index", "dt", "texts"])
def test_the_data_of_a_text_row_has_exactly_its_members(name):
    assert f"$.data.{name}" in refused(text_row(**{name: ABSENT}))
    for extra in ("note", "id", "name", "args"):
        assert refused(text_row(**{extra: "x"})) == [f"$.data.{extra}"]


@pytest.mark.parametrize("name", ["turn", "step", "index", "dt", "id", "args"])
def test_the_data_of_a_tool_call_row_has_exactly_its_members(name):
    assert f"$.data.{name}" in refused(call_row(**{name: ABSENT}))
    for extra in ("note", "texts"):
        assert refused(call_row(**{extra: "x"})) == [f"$.data.{extra}"]
        assert refused(call_row(name="bash", **{extra: "x"})) == [f"$.data.{extra}"]


@pytest.mark.parametrize("value", [None, 1, "x", [], True])
def test_data_is_an_object(value):
    assert refused(text_row(envelope={"data": value})) == ["$.data"]


@pytest.mark.parametrize("value", [-1, -0.0, 0.5, "5", True, None, [], 2**53])
def test_the_first_seq_is_a_count(value):
    row = text_row(envelope={"seq0": value})
    assert [fault.path for fault in row_faults(row)] == ["$.seq0"]


def test_the_quick_count_refuses_a_negative_first_seq():
    assert members(text_row(envelope={"seq0": -1}), -1) == 0


@pytest.mark.parametrize("value", [0.5, "5", True, None, [], 2**53, -(2**53)])
def test_the_first_time_is_a_safe_integer(value):
    assert refused(text_row(envelope={"time0": value})) == ["$.time0"]


def test_times_may_be_negative_or_run_backwards():
    row = text_row(envelope={"time0": -5}, dt=[-10, 3])
    assert row_faults(row) == []
    assert [event["time"] for event in expand_row(row)] == [-5, -15, -12]
    assert row_faults(text_row(envelope={"time0": 100}, dt=[-10, 3])) == []


def test_negative_zero_is_a_time_and_a_gap_to_v0_runtimes():
    row = text_row(envelope={"time0": -0.0}, dt=[-0.0, 1])
    assert row_faults(row) == []
    assert [event["time"] for event in expand_row(row)] == [0, 0, 1]


@pytest.mark.parametrize("name", ["turn", "step", "index"])
def test_turn_step_and_index_are_any_number_to_v0_runtimes(name):
    for value in (-1, 0.5, -0.0, 2**60, float("inf")):
        assert row_faults(text_row(**{name: value})) == []
        assert next(expand_row(text_row(**{name: value})))["seq"] == 5
    for value in ("1", True, None, [], {}):
        assert refused(text_row(**{name: value})) == [f"$.data.{name}"]


@pytest.mark.parametrize("value", [[], None, "abc", {}, 3, [1], ["a", None, "c"], ["a", ["b"], "c"], [True, "b", "c"]])
def test_the_pieces_are_a_non_empty_list_of_texts(value):
    assert refused(text_row(texts=value)) == ["$.data.texts"]
    assert refused(call_row(args=value)) == ["$.data.args"]


@pytest.mark.parametrize("value", [None, 1, "x", {}, [0.5, 1], ["1", 2], [True, 2], [None, 1], [[], 1], [[1], 1]])
def test_gaps_are_a_list_of_safe_integers(value):
    assert refused(text_row(dt=value)) == ["$.data.dt"]


@pytest.mark.parametrize("dt", [[], [1], [1, 2, 3], [1, 2, 3, 4]])
def test_there_is_one_gap_fewer_than_pieces(dt):
    assert refused(text_row(dt=dt)) == ["$.data.dt"]


def test_every_running_time_stays_a_safe_integer():
    assert row_faults(text_row(envelope={"time0": MAX_SAFE - 3}, dt=[1, 2])) == []
    assert refused(text_row(envelope={"time0": MAX_SAFE - 2}, dt=[1, 2])) == ["$.data.dt"]
    assert refused(text_row(envelope={"time0": MAX_SAFE}, dt=[1, -1])) == ["$.data.dt"]
    assert refused(text_row(envelope={"time0": -MAX_SAFE}, dt=[-1, 1])) == ["$.data.dt"]
    assert refused(text_row(dt=[MAX_SAFE, 1])) == ["$.data.dt"]
    assert refused(text_row(dt=[2**53, 1])) == ["$.data.dt"]


def test_the_last_seq_stays_a_safe_integer():
    assert row_faults(text_row(envelope={"seq0": MAX_SAFE - 2})) == []
    assert refused(text_row(envelope={"seq0": MAX_SAFE - 1})) == ["$.seq0"]


@pytest.mark.parametrize("name", ["id", "name"])
@pytest.mark.parametrize("value", [None, 1, True, [], {}])
def test_id_and_name_of_a_call_are_texts(name, value):
    assert refused(call_row(**{name: value})) == [f"$.data.{name}"]


def test_numbers_may_be_spelled_as_doubles():
    line = (
        b'{"type":"text-chunks","seq0":5.0,"time0":1e2,'
        b'"data":{"turn":1,"step":1,"index":0,"dt":[1.0,2e0],"texts":["a","b","c"]}}'
    )
    row = parse(line)
    assert (row_faults(row), members(row, row.get("seq0"))) == ([], 0)
    assert same(list(expand_row(row)), list(expand_row(text_row())))


def test_every_fault_of_a_row_is_told_at_once():
    row = text_row(envelope={"seq0": -1, "time0": "x", "foo": 1}, turn=None, dt=[0.5, 1])
    assert sorted(fault.path for fault in row_faults(row)) == ["$.data.dt", "$.data.turn", "$.foo", "$.seq0", "$.time0"]


SCALARS = st.sampled_from([0, 1, 7, -1, 1.0, 0.5, -0.0, MAX_SAFE, 2**53, True, None, "x", [], [1]])


@given(
    st.sampled_from(sorted(PAYLOAD)),
    st.dictionaries(st.sampled_from(["seq0", "time0", "turn", "step", "index", "dt", "id", "name", "pieces"]), SCALARS),
    st.lists(st.sampled_from([0, 1, 5, -1, 2.0, "x", None, MAX_SAFE]), max_size=3),
    st.lists(st.sampled_from(["", "a", 1, None]), max_size=4),
)
def test_the_quick_count_never_takes_what_the_exact_check_refuses(kind, changes, dt, pieces):
    payload = PAYLOAD[kind][0]
    data = {"turn": 1, "step": 1, "index": 0, "dt": dt, payload: pieces}
    if kind == "tool-call-chunks":
        data["id"] = "c"
    row = {"type": kind, "seq0": 5, "time0": 100, "data": data}
    for name, value in changes.items():
        if name in {"seq0", "time0"}:
            row[name] = value
        else:
            data[payload if name == "pieces" else name] = value
    count = members(row, row.get("seq0"))
    if count and row["seq0"] >= 0:
        assert row_faults(row) == []
        assert count == len(list(expand_row(row)))
    if row_faults(row) == []:
        times = [event["time"] for event in expand_row(row)]
        assert same(times, list(accumulate(data["dt"], initial=row["time0"])))

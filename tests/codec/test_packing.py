"""Packing gives the rows that dsh writes, and expanding them gives the events back."""

from __future__ import annotations

import json
from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dshlog
import rows
from dshlog.codec.packing import MIN_RUN, ChunkRowError, candidate, lossless, pack_chunk_runs, unpack_chunk_runs
from dshlog.storage.jsontext import parse, same
from dshlog.storage.jsonwrite import dumps
from logbuilder import Log

MAX_SAFE = 2**53 - 1


def chunk(seq, *, time=None, kind="text-delta", turn=1, step=1, **members):
    """Give a chunk event; the members of its chunk default to those of a text delta."""
    given_members = {"index": 0, "text": "a"} | members
    if kind == "tool-call-delta":
        given_members = {"index": 0, "id": "c", "argumentsDelta": "{"} | members
    inner = {"turn": turn, "step": step, "chunk": {"type": kind, **given_members}}
    return {"type": "assistant/chunk", "seq": seq, "time": seq if time is None else time, "data": inner}


def shapes(events):
    """Give each row's type, and how many events it stands for."""
    return [(row["type"], len(list(unpack_chunk_runs([row])))) for row in pack_chunk_runs(events)]


def test_vectors_of_the_writer_of_v0(shared):
    paths = sorted((shared / "vectors/streams").glob("v0-pack-*.json"))
    assert len(paths) >= 7
    for path in paths:
        vector = json.loads(path.read_text(encoding="utf-8"))
        packed = pack_chunk_runs(vector["input"]["events"])
        assert json.dumps(packed) == json.dumps(vector["expect"]["rows"]), path.name
        assert list(unpack_chunk_runs(packed)) == vector["input"]["events"], path.name


def test_vectors_of_the_reader_of_v0(shared):
    for path in sorted((shared / "vectors/streams").glob("v0-row-*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        for version, reader in ((0, "runtime"), (1, "frozen")):
            expected = vector["expect"][reader]
            if isinstance(expected, list):
                assert list(unpack_chunk_runs([vector["input"]["row"]], version=version)) == expected, path.name
            else:
                with pytest.raises(ChunkRowError):
                    list(unpack_chunk_runs([vector["input"]["row"]], version=version))


def test_worked_example():
    """The example of streams.md §3.3."""
    events = [chunk(5, time=2, text="a"), chunk(6, time=5, text="b"), chunk(7, time=9, text="c")]
    (row,) = pack_chunk_runs(events)
    data = '{"turn":1,"step":1,"index":0,"dt":[3,4],"texts":["a","b","c"]}'
    assert dumps(row).decode() == f'{{"type":"text-chunks","seq0":5,"time0":2,"data":{data}}}'


def test_two_are_no_run_and_are_handed_on_as_they_are():
    events = [chunk(0), chunk(1)]
    assert pack_chunk_runs(events) == events
    assert pack_chunk_runs(iter(())) == []
    assert shapes([*events, chunk(2)]) == [("text-chunks", MIN_RUN)]


@pytest.mark.parametrize(
    "changed",
    [
        {"turn": 2},
        {"step": 2},
        {"index": 1},
        {"kind": "reasoning-delta"},
        {"time": -MAX_SAFE},
    ],
)
def test_a_run_ends_where_something_differs(changed):
    start = [chunk(0, time=1), chunk(1, time=1), chunk(2, time=1)]
    rest = [chunk(seq, **({"time": 1} | changed)) for seq in (3, 4, 5)]
    assert [count for _, count in shapes([*start, *rest])] == [3, 3]


def test_a_run_ends_at_a_gap_of_seqs():
    assert [count for _, count in shapes([chunk(0), chunk(1), chunk(2), chunk(4), chunk(5), chunk(6)])] == [3, 3]


@pytest.mark.parametrize("other", [{"id": "d"}, {"name": "bash"}, {"name": ""}])
def test_a_call_is_told_by_its_id_and_its_name_absent_or_present(other):
    first = [chunk(seq, kind="tool-call-delta") for seq in range(3)]
    second = [chunk(seq, kind="tool-call-delta", **other) for seq in range(3, 6)]
    assert shapes([*first, *second]) == [("tool-call-chunks", 3)] * 2


def odd(event, path, value):
    """Give the event with one member set."""
    *way, last = path
    copy = json.loads(json.dumps(event))
    inner = copy
    for name in way:
        inner = inner[name]
    inner[last] = value
    return copy


CHUNK = ("data", "chunk")


@pytest.mark.parametrize(
    "path, value",
    [
        (("ignorable",), True),
        (("surfaceOp",), "append"),
        (("sourceEventSeqs",), [0]),
        (("type",), "assistant/other"),
        (("seq",), -1),
        (("seq",), 1.5),
        (("seq",), True),
        (("time",), 0.5),
        (("time",), -0.0),
        (("time",), MAX_SAFE + 1),
        (("data",), None),
        (("data", "extra"), 1),
        (("data", "turn"), "1"),
        (("data", "step"), None),
        (("data", "chunk"), []),
        ((*CHUNK, "type"), "usage"),
        ((*CHUNK, "type"), ["text-delta"]),
        ((*CHUNK, "type"), "tool-call-delta"),
        ((*CHUNK, "extra"), 1),
        ((*CHUNK, "name"), "bash"),
        ((*CHUNK, "index"), True),
        ((*CHUNK, "index"), -0.0),
        ((*CHUNK, "index"), float("inf")),
        ((*CHUNK, "text"), None),
    ],
)
def test_what_is_not_on_the_list_stays_as_it_is_and_ends_the_run(path, value):
    events = [chunk(seq) for seq in range(7)]
    events[3] = odd(events[3], path, value)
    assert candidate(events[3]) is None
    packed = pack_chunk_runs(events)
    assert [row["type"] for row in packed][::2] == ["text-chunks"] * 2
    assert packed[1] is not events[3]
    assert packed[1] == events[3]


@pytest.mark.parametrize(
    "path, value",
    [((*CHUNK, "id"), 1), ((*CHUNK, "name"), None), ((*CHUNK, "argumentsDelta"), 1), ((*CHUNK, "text"), "a")],
)
def test_a_call_delta_has_texts_and_no_more(path, value):
    event = chunk(0, kind="tool-call-delta")
    assert candidate(event) is not None
    assert candidate(odd(event, path, value)) is None


def test_any_mapping_will_do():
    events = [OrderedDict(chunk(seq)) for seq in range(3)]
    (row,) = pack_chunk_runs(events)
    assert list(unpack_chunk_runs([OrderedDict(row)])) == events


def test_rows_that_are_packed_already_pass_through():
    packed = pack_chunk_runs([chunk(seq) for seq in range(4)])
    assert pack_chunk_runs(packed) == packed


def test_a_malformed_row_names_its_place():
    (row,) = pack_chunk_runs([chunk(seq) for seq in range(3)])
    row["data"]["dt"] = [1]
    taken = unpack_chunk_runs([chunk(9), row])
    assert next(taken) == chunk(9)
    with pytest.raises(ChunkRowError, match=r"row 1: .*1 gaps for 3 pieces") as caught:
        next(taken)
    assert (caught.value.path, caught.value.position) == ("$.data.dt", 1)


def test_the_library_has_both():
    assert dshlog.pack_chunk_runs is pack_chunk_runs
    assert dshlog.unpack_chunk_runs is unpack_chunk_runs


@pytest.mark.parametrize("path", [("time0",), ("data", "index"), ("data", "dt", 0)])
def test_a_row_with_a_negative_zero_cannot_be_written_as_events(path):
    (row,) = pack_chunk_runs([chunk(seq) for seq in range(3)])
    assert lossless(row)
    assert not lossless(odd(row, path, -0.0))


def test_the_builder_packs_alike():
    log = Log(0)
    log.turn()
    log.step()
    log.assistant("one two three four five", ("c1", "bash", '{"command":"ls"}'))
    assert json.dumps(pack_chunk_runs(log.events)) == json.dumps(rows.packed(log.events))


# -- laws

TEXTS = st.text(st.characters(), max_size=3)
NUMBERS = st.one_of(st.integers(0, 2), st.sampled_from([-1, 1.5, 2**53, 2.0**60, 1e300, -0.0, MAX_SAFE]))
TIMES = st.one_of(st.integers(-3, 3), st.sampled_from([MAX_SAFE, -MAX_SAFE, 0.5, 2.0, -0.0]))


@st.composite
def deltas(draw):
    kind = draw(st.sampled_from(["text-delta", "reasoning-delta", "tool-call-delta", "usage"]))
    members = {"type": kind, "index": draw(NUMBERS)}
    if kind == "tool-call-delta":
        members["id"] = draw(st.sampled_from(["", "c", "d"]))
        if draw(st.booleans()):
            members["name"] = draw(st.sampled_from(["", "bash"]))
        members["argumentsDelta"] = draw(TEXTS)
    elif kind != "usage":
        members["text"] = draw(TEXTS)
    return members


@st.composite
def event_lists(draw):
    """Give events among which runs are likely: a chunk is often repeated, seqs mostly count up."""
    events = []
    seq = draw(st.sampled_from([0, 5, MAX_SAFE - 4]))
    for _ in range(draw(st.integers(0, 6))):
        delta, turn, step = draw(deltas()), draw(NUMBERS), draw(NUMBERS)
        for _ in range(draw(st.integers(1, 5))):
            data = {"turn": turn, "step": step, "chunk": dict(delta)}
            event = {"type": "assistant/chunk", "seq": seq, "time": draw(TIMES), "data": data}
            extra = draw(st.sampled_from([None] * 8 + ["ignorable", "chunk"]))
            if extra == "ignorable":
                event["ignorable"] = True
            elif extra == "chunk":
                data["chunk"]["odd"] = draw(TEXTS)
            events.append(event)
            seq += draw(st.sampled_from([1] * 8 + [2, 0]))
    return events


@given(event_lists())
def test_expanding_what_was_packed_gives_the_events_back(events):
    packed = pack_chunk_runs(events)
    assert same(list(unpack_chunk_runs(packed)), events, zero_sign=True)
    assert pack_chunk_runs(packed) == packed
    assert pack_chunk_runs(unpack_chunk_runs(packed)) == packed


@given(event_lists())
def test_what_was_packed_comes_back_from_its_text(events):
    stored = [parse(dumps(row)) for row in pack_chunk_runs(events)]
    assert same(list(unpack_chunk_runs(stored)), [parse(dumps(event)) for event in events], zero_sign=True)


@given(event_lists(), st.integers(0, 30))
def test_batches_change_rows_and_no_event(events, cut):
    packed = [*pack_chunk_runs(events[:cut]), *pack_chunk_runs(events[cut:])]
    assert same(list(unpack_chunk_runs(packed)), events, zero_sign=True)

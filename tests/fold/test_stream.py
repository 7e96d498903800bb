"""Embedded streams: chunks become compact records and come back as they were, and chunks make blocks."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog.fold.identity import ABSENT
from dshlog.fold.stream import Assembler, AssemblyError, StreamError, accumulate, assembled, expand_stream
from dshlog.storage.jsontext import same

FOLDER = Path(__file__).resolve().parents[2] / "fixtures/vectors/streams"
VECTORS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
MAX_SAFE = 2**53 - 1


def vectors(operation):
    return [name for name, vector in VECTORS.items() if vector["input"]["operation"] == operation]


def timed(chunks):
    return [(entry["time"], entry["chunk"]) for entry in chunks]


def delta(text, index=0, kind="text-delta"):
    return {"type": kind, "index": index, "text": text}


def call(arguments, index=0, **members):
    return {"type": "tool-call-delta", "index": index, **members, "argumentsDelta": arguments}


def start(kind, index=0):
    return {"type": "block-start", "index": index, "blockType": kind}


def end(block, index=0):
    return {"type": "block-end", "index": index, "block": block}


def finish(kind="stop", **members):
    return {"type": "finish", "reason": {"kind": kind}, **members}


def text_block(text):
    return {"type": "text", "text": text}


def call_block(call_id="c", name="bash", arguments=""):
    return {"type": "tool-call", "id": call_id, "name": name, "arguments": arguments}


def pushed(*chunks):
    assembler = Assembler()
    for chunk in chunks:
        assembler.push(chunk)
    return assembler


def run(**members):
    given_members = {"type": "text-chunks", "time0": 1, "index": 0, "dt": [1], "texts": ["a", "b"], **members}
    return {name: value for name, value in given_members.items() if value is not ABSENT}


def call_run(**members):
    return run(**{"type": "tool-call-chunks", "texts": ABSENT, "id": "c", "args": ["{", "}"], **members})


def raw(chunk, time=1):
    return {"type": "chunk", "time": time, "chunk": chunk}


# -- the vectors


@pytest.mark.parametrize("name", vectors("accumulate"))
def test_accumulate_vector(name):
    chunks, expected = timed(VECTORS[name]["input"]["chunks"]), VECTORS[name]["expect"]
    if "error" in expected:
        with pytest.raises(StreamError):
            accumulate(chunks)
        return
    stream = accumulate(chunks)
    assert json.dumps(stream) == json.dumps(expected["stream"])  # order of members counts
    assert (accumulate(expand_stream(stream)) == stream) is expected["roundtrip"]


@pytest.mark.parametrize("name", vectors("expand"))
def test_expand_vector(name):
    stream, expected = VECTORS[name]["input"]["stream"], VECTORS[name]["expect"]
    if "error" in expected:
        with pytest.raises(StreamError):
            list(expand_stream(stream))
    else:
        assert json.dumps(list(expand_stream(stream))) == json.dumps(timed(expected["chunks"]))


@pytest.mark.parametrize("name", vectors("assemble"))
def test_assemble_vector(name):
    chunks, expected = VECTORS[name]["input"]["chunks"], VECTORS[name]["expect"]
    if "error" in expected:
        assert expected["kind"] == "push-failed"
        with pytest.raises(AssemblyError):
            pushed(*chunks)
        return
    assembler = pushed(*chunks)
    found = {
        "usage": None if assembler.usage is ABSENT else assembler.usage,
        "finish": assembler.finish,
        "interruptedBlocks": assembler.interrupted_blocks(),
    }
    if "error" in expected["blocks"]:
        with pytest.raises(AssemblyError):
            assembler.blocks()
        with pytest.raises(AssemblyError):
            assembler.replay_state()
        found["blocks"] = expected["blocks"]
    else:
        replay = assembler.replay_state()
        found |= {"blocks": assembler.blocks(), "replayState": None if replay is ABSENT else replay}
    assert found == expected


def test_every_vector_is_run():
    operations = {vector["input"]["operation"] for vector in VECTORS.values()}
    assert operations == {"accumulate", "expand", "assemble", "verify"}


def test_copies_are_those_of_the_specification(shared):
    originals = {path.name: path.read_bytes() for path in (shared / "vectors/streams").glob("v4-*.json")}
    assert {path.name: path.read_bytes() for path in FOLDER.glob("*.json")} == originals


# -- records


@pytest.mark.parametrize(
    "record",
    [
        run(time0=-0.0),
        run(time0=1.0, index=1.0, dt=[1.0]),
        run(time0=-5, dt=[-4]),
        run(dt=[-0.0]),
        run(time0=MAX_SAFE - 1),
        run(texts=["\ud800", "b"]),
        run(type="reasoning-chunks"),
        call_run(),
        call_run(name="bash"),
        call_run(dt=[-1], name="bash"),
        raw({"type": "finish"}, time=-0.0),
        raw({"type": "usage", "usage": {"big": 2**60, "deep": [[1.5]]}}),
    ],
)
def test_record_is_taken(record):
    assert len(list(expand_stream([record]))) == len(record.get("dt", [])) + 1
    assembled([record])


@pytest.mark.parametrize(
    "record, path",
    [
        (None, "[1]"),
        ([], "[1]"),
        ({}, "[1].type"),
        (run(type="audio-chunks"), "[1].type"),
        (run(type=["text-chunks"]), "[1].type"),
        (run(time0=ABSENT), "[1].time0"),
        (run(time0="1"), "[1].time0"),
        (run(time0=MAX_SAFE + 1), "[1].time0"),
        (run(index=-0.0), "[1].index"),
        (run(index=1.5), "[1].index"),
        (run(index=-1), "[1].index"),
        (run(index=MAX_SAFE + 1), "[1].index"),
        (run(dt=None), "[1].dt"),
        (run(dt=[]), "[1].dt"),
        (run(dt=[1, 1]), "[1].dt"),
        (run(dt=[True]), "[1].dt"),
        (run(dt=[[1]]), "[1].dt"),
        (run(dt=[1.5]), "[1].dt"),
        (run(dt=[2**53]), "[1].dt"),
        (run(time0=MAX_SAFE), "[1].dt"),
        (run(time0=-MAX_SAFE, dt=[-1]), "[1].dt"),
        (run(dt=[], texts=[]), "[1].texts"),
        (run(texts=["a", 1]), "[1].texts"),
        (run(texts="ab"), "[1].texts"),
        (run(seq0=4), "[1].seq0"),
        (run(id="c"), "[1].id"),
        (run(texts=ABSENT, args=["a", "b"]), "[1].texts"),
        (call_run(id=ABSENT), "[1].id"),
        (call_run(id=""), "[1].id"),
        (call_run(id=5), "[1].id"),
        (call_run(name=""), "[1].name"),
        (call_run(name=None), "[1].name"),
        (call_run(texts=["a", "b"]), "[1].texts"),
        ({"type": "chunk", "time": 1}, "[1].chunk"),
        ({**raw({}), "x": 1}, "[1].x"),
        (raw({}, time=1.5), "[1].time"),
        (raw({}, time=None), "[1].time"),
        (raw([]), "[1].chunk"),
        (raw({"type": "finish", "reason": {"a": [-0.0]}}), "[1].chunk"),
        (raw({"type": "usage", "usage": float("inf")}), "[1].chunk"),
    ],
)
def test_record_is_refused(record, path):
    for take in (assembled, lambda stream: list(expand_stream(stream))):
        with pytest.raises(StreamError) as refused:
            take([run(), record])
        assert refused.value.path == path
        assert str(refused.value) == f"{path}: {refused.value.reason}"


def test_raw_chunk_of_any_shape_expands_but_need_not_assemble():
    stream = [raw({"type": "anything"})]
    assert list(expand_stream(stream)) == [(1, {"type": "anything"})]
    with pytest.raises(StreamError, match='chunk type "anything" is unknown') as refused:
        assembled(stream)
    assert refused.value.path == "[0].chunk"


@pytest.mark.parametrize(
    "chunk, path",
    [
        (None, "[0].chunk"),
        ({"type": "finish", "reason": -0.0}, "[0].chunk"),
        ({"type": "audio-delta"}, "[0].chunk.type"),
        ({"type": ["usage"]}, "[0].chunk.type"),
        ({}, "[0].chunk.type"),
        (delta("a", index=-1), "[0].chunk.index"),
        (delta(5), "[0].chunk.text"),
        (call("{"), "[0].chunk.id"),
        (call("{", id="c", name=None), "[0].chunk.name"),
        (call(None, id="c"), "[0].chunk.argumentsDelta"),
    ],
)
def test_writer_refuses_a_chunk(chunk, path):
    with pytest.raises(StreamError) as refused:
        accumulate([(1, chunk)])
    assert refused.value.path == path


def test_raw_record_that_could_be_packed_becomes_a_run():
    stream = [raw(delta("a")), raw(delta("b"), time=3)]
    assert accumulate(expand_stream(stream)) == [run(dt=[2])]


# -- blocks, as dsh 0.2.1 was seen to make them


@pytest.mark.parametrize(
    "chunks, blocks",
    [
        ([{"type": "text-delta", "index": 0}], [text_block("undefined")]),
        ([delta(None)], [text_block("null")]),
        ([delta(5), delta(1e21)], [text_block("51e+21")]),
        ([delta(text=True), delta({})], [text_block("true[object Object]")]),
        ([delta([1, None, ["x", []]])], [text_block("1,,x,")]),
        ([delta("\ud83d"), delta("\ude00")], [text_block("\U0001f600")]),
        ([delta("\ude00"), delta("\ud83d")], [text_block("\ude00\ud83d")]),
        ([start("text"), start("reasoning"), delta("a")], [text_block("a")]),
        ([delta("a", 0), delta("b", "0")], [text_block("a"), text_block("b")]),
        ([delta("a", 1), delta("b", index=True)], [text_block("a"), text_block("b")]),
        ([delta("a", 1), delta("b", 1.0)], [text_block("ab")]),
        ([delta("a", 2**53), delta("b", 2**53 + 1)], [text_block("ab")]),
        ([delta("a", {}), delta("b", {}), delta("c", [])], [text_block("a"), text_block("b"), text_block("c")]),
        ([{"type": "text-delta", "text": "a"}, {"type": "text-delta", "text": "b"}], [text_block("ab")]),
        ([{"type": "text-delta", "text": "a"}, delta("b", None)], [text_block("a"), text_block("b")]),
        ([delta("a"), end({}), delta("b")], [{}]),
        ([delta("a"), end([]), delta("b")], [[]]),
        ([delta("a"), end(0), delta("b")], [text_block("ab")]),
        ([delta("a"), end(""), end(text_block("c"))], [text_block("c")]),
        ([end("x")], ["x"]),
        ([call("x")], [call_block("call-0", "", "x")]),
        ([call("x", id=None)], [call_block("call-0", "", "x")]),
        ([call("x", id=""), call("y", id="")], [call_block("", "", "xy")]),
        ([call("x", id="c"), call("")], [call_block("call-0", "", "x")]),
        ([call("x", id="c", name=5)], [call_block("c", 5, "x")]),
        ([call("x", id="c", name="n"), call("", id="c", name=None)], [call_block("c", "n", "x")]),
        ([call("x", id="c", name="n"), end(text_block("t")), call("y", id="d")], [text_block("t")]),
        ([{"type": "block-start", "blockType": "tool-call"}], [call_block("call-undefined", "")]),
        ([start("tool-call", {}), delta("z", {})], [call_block("call-[object Object]", ""), text_block("z")]),
        ([start("tool-call", 1.5)], [call_block("call-1.5", "")]),
        ([call("", id="c"), {"type": "finish", "reason": "max-tokens"}], [call_block("c", "")]),
        ([call("", id="c"), finish("max-tokens"), {"type": "finish"}], [call_block("c", "")]),
        ([call("", id="c"), finish("max-tokens")], []),
        ([start("text"), end(call_block()), finish("max-tokens")], []),
        ([start("tool-call"), end(text_block("q")), finish("max-tokens")], [text_block("q")]),
    ],
)
def test_blocks(chunks, blocks):
    assert pushed(*chunks).blocks() == blocks


@pytest.mark.parametrize(
    "chunks, blocks",
    [
        ([start("tool-call"), end(text_block("q"))], [text_block("q")]),
        ([start("text"), end(call_block())], []),
        ([end({"type": "image"}), start("image", 1), delta("a", 2)], [text_block("a")]),
        ([end({**text_block("x"), "more": 1})], [{**text_block("x"), "more": 1}]),
        ([delta("a"), finish("max-tokens")], [text_block("a")]),
    ],
)
def test_interrupted_blocks(chunks, blocks):
    assert pushed(*chunks).interrupted_blocks() == blocks


@pytest.mark.parametrize("text", [None, 5, ["x"], ABSENT])
def test_closed_block_without_text_has_no_interrupted_form(text):
    block = {"type": "reasoning"} if text is ABSENT else {"type": "reasoning", "text": text}
    assembler = pushed(end(block))
    assert assembler.blocks() == [block]
    with pytest.raises(AssemblyError, match="has no text"):
        assembler.interrupted_blocks()


def test_visible_is_what_javascript_does_not_trim(node):
    script = "const a=[];for(let i=0;i<0x10000;i++)if(!String.fromCharCode(i).trim())a.push(i);console.log(a.join())"
    trimmed = {int(code) for code in subprocess.check_output([node, "-e", script], text=True).split(",")}
    blocks = pushed(*(delta(chr(code), code) for code in range(0x10000))).interrupted_blocks()
    hidden = set(range(0x10000)) - {ord(block["text"]) for block in blocks}
    assert hidden == trimmed


def test_visible_differs_from_what_python_strips():
    assert not pushed(delta(" \t\ufeff\u3000")).interrupted_blocks()
    for kept in ("\u0085", "\u001c", "\u180e", "\u200b"):
        assert pushed(delta(kept)).interrupted_blocks() == [text_block(kept)]


@pytest.mark.parametrize(
    "chunk",
    [
        {"type": "nope"},
        {"type": ["finish"]},
        {},
        {"type": "block-end", "index": 0},
        {"type": "block-end", "index": 0, "block": None},
    ],
)
def test_chunk_that_cannot_be_pushed(chunk):
    with pytest.raises(AssemblyError):
        pushed(chunk)


@pytest.mark.parametrize(
    "chunk", [start("image"), start(["text"]), {"type": "block-start", "index": 0}, end(block=False)]
)
def test_block_of_unknown_kind_has_to_be_closed(chunk):
    with pytest.raises(AssemblyError, match="is not closed"):
        pushed(chunk).blocks()


@pytest.mark.parametrize(
    "state, kept",
    [
        (None, None),
        (5, 5),
        ([], []),
        ({}, {}),
        ({"blocks": [1], "more": 1}, {"blocks": [1], "more": 1}),
        ({"blocks": [1, 2]}, ABSENT),
        ({"blocks": 5}, ABSENT),
        ({"blocks": True}, ABSENT),
        ({"blocks": "x"}, {"blocks": "x"}),
        ({"blocks": "\U0001f600"}, ABSENT),
        ({"blocks": {"length": 1}}, {"blocks": {"length": 1}}),
        ({"blocks": {"length": True}}, ABSENT),
    ],
)
def test_replay_state_goes_with_its_blocks(state, kept):
    found = pushed(delta("a"), finish(replayState=state)).replay_state()
    assert found is kept or (found is not ABSENT and same(found, kept))


def test_replay_state_without_a_response_gains_one_that_equals_nothing():
    state = {"blocks": ["x", "y"], "more": 1}
    found = pushed(delta("a"), call("", 1, id="c"), finish("max-tokens", replayState=state)).replay_state()
    assert found == {"response": ABSENT, "blocks": ["x"]}


@pytest.mark.parametrize("blocks", [None, "xy"])
def test_replay_state_whose_blocks_cannot_be_picked(blocks):
    assembler = pushed(delta("a"), call("", 1, id="c"), finish("max-tokens", replayState={"blocks": blocks}))
    with pytest.raises(AssemblyError, match="replay state"):
        assembler.replay_state()


def test_later_usage_and_finish_win_even_without_members():
    assembler = pushed({"type": "usage", "usage": {"a": 1}}, finish("error", replayState=1), {"type": "usage"})
    assert (assembler.usage, assembler.finish, assembler.replay_state()) == (ABSENT, {"kind": "error"}, 1)
    assembler.push({"type": "finish", "reason": None})
    assert (assembler.finish, assembler.replay_state()) == ({"kind": "stop"}, ABSENT)


# -- laws

INDICES = st.integers(0, 2)
TEXTS = st.text(st.sampled_from("ab \ufeff\ud83d\ude00"), max_size=3)
NAMED = st.fixed_dictionaries({"id": st.sampled_from(["", "c", "d"])}, optional={"name": st.sampled_from(["", "n"])})
CHUNKS = st.one_of(
    st.builds(delta, TEXTS, INDICES, st.sampled_from(["text-delta", "reasoning-delta"])),
    st.builds(lambda text, index, named: call(text, index, **named), TEXTS, INDICES, NAMED),
    st.builds(start, st.sampled_from(["text", "tool-call", "image"]), INDICES),
    st.builds(lambda text, index: end(text_block(text), index), TEXTS, INDICES),
    st.builds(finish, st.sampled_from(["stop", "max-tokens"])),
    st.builds(lambda count: {"type": "usage", "usage": {"outputTokens": count}}, INDICES),
)
TIMES = st.one_of(st.integers(-3, 9), st.sampled_from([-MAX_SAFE, MAX_SAFE]))
TIMED = st.lists(st.tuples(TIMES, CHUNKS), max_size=12)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.sampled_from([-0.0, 1.0, 1.5, 2**53, "", "a"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["type", "index", "text", "block", "reason"]), inner, max_size=3),
    ),
    max_leaves=6,
)


def answers(assembler):
    """Give everything that an assembler can be asked for, errors by their words."""
    out = [assembler.usage, assembler.finish]
    for question in (assembler.blocks, assembler.interrupted_blocks, assembler.replay_state):
        try:
            out.append(question())
        except AssemblyError as error:
            out.append(str(error))
    return out


@given(TIMED)
def test_expanding_gives_back_what_was_accumulated(chunks):
    stream = accumulate(chunks)
    assert list(expand_stream(stream)) == chunks
    assert accumulate(expand_stream(stream)) == stream


@given(TIMED)
def test_a_run_may_be_pushed_as_one(chunks):
    assert answers(assembled(accumulate(chunks))) == answers(pushed(*(chunk for _, chunk in chunks)))


@given(st.lists(st.tuples(CHUNKS, st.integers(0, 3))))
def test_any_cut_of_a_delta_assembles_alike(cut):
    whole, parts = [], []
    for chunk, at in cut:
        whole.append(chunk)
        name = next((name for name in ("text", "argumentsDelta") if name in chunk), None)
        if name is None:
            parts.append(chunk)
        else:
            parts += [{**chunk, name: chunk[name][:at]}, {**chunk, name: chunk[name][at:]}]
    assert answers(pushed(*parts)) == answers(pushed(*whole))


RECORDS = st.one_of(
    VALUES,
    st.builds(raw, VALUES, VALUES),
    st.builds(
        lambda record, name, value: {**record, name: value},
        st.sampled_from([run(), call_run(), call_run(name="n"), raw(delta("a"))]),
        st.sampled_from(["type", "time0", "time", "index", "dt", "texts", "args", "id", "name", "chunk", "x"]),
        st.one_of(VALUES, st.lists(st.integers(-1, 2), max_size=2), st.lists(TEXTS, max_size=2)),
    ),
)


def taken(take, stream):
    """Give what comes of a stream, None when it is refused."""
    try:
        return take(stream)
    except (StreamError, AssemblyError):
        return None


@given(st.lists(RECORDS, max_size=3))
def test_any_value_is_refused_or_assembles_as_its_chunks_do(stream):
    chunk_by_chunk = taken(lambda records: answers(pushed(*(chunk for _, chunk in expand_stream(records)))), stream)
    assert taken(lambda records: answers(assembled(records)), stream) == chunk_by_chunk

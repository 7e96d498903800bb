"""A message says what its embedded stream spells, and every disagreement has its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog import open_log
from dshlog.fold.verify import verify
from logbuilder import Log

FOLDER = Path(__file__).resolve().parents[2] / "fixtures/vectors/streams"
VECTORS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("v4-verify-*.json"))}
EMBEDDING = [2, 3, 4]
CALLS = ("assistant/message", "assistant/attempt")


def name_of(fault):
    return None if fault is None else fault.name


def settled(*calls, version=4):
    """Give the data of an answered call."""
    log = Log(version)
    log.turn()
    log.step()
    return log.events[log.assistant("he y", *calls)]["data"]


def raw(chunk):
    return {"type": "chunk", "time": 1, "chunk": chunk}


def of_chunks(*chunks, content=(), source=None, **members):
    message = {"role": "assistant", "content": list(content), "source": {"kind": "model", **(source or {})}}
    return {"turn": 1, "step": 1, "message": message, "stream": [raw(chunk) for chunk in chunks], **members}


def faults_of(path):
    with open_log(path) as log:
        return [fault for event in log.events() if (fault := verify(event["type"], event["data"])) is not None]


@pytest.mark.parametrize("name", VECTORS)
def test_vector(name):
    event, expected = VECTORS[name]["input"]["event"], VECTORS[name]["expect"]
    assert name_of(verify(event["type"], event["data"])) == expected.get("kind")


@pytest.mark.parametrize("version", EMBEDDING)
def test_what_a_writer_writes_agrees(version):
    assert verify("assistant/message", settled(("c1", "bash", '{"a":1}'), version=version)) is None


@pytest.mark.parametrize(
    "kind, data",
    [
        ("user/message", {"stream": [None]}),
        ("assistant/message", None),
        ("assistant/message", {}),
        ("assistant/message", {"stream": {}}),
        ("assistant/message", {"stream": [], "message": {"content": ["anything"]}}),
        ("assistant/message", {"stream": [raw({"type": "usage"})], "message": []}),
        ("assistant/attempt", {"stream": [raw({"type": "block-start", "index": 0, "blockType": "image"})]}),
    ],
)
def test_nothing_to_compare(kind, data):
    assert verify(kind, data) is None


@pytest.mark.parametrize(
    "content, path, words",
    [
        (None, "$.data.message.content", "content is no list"),
        ([], "$.data.message.content", "content has 0 blocks, the stream makes 2"),
        ([{"type": "text", "text": "he y"}] * 2, "$.data.message.content[1]", "content block 1 is not"),
    ],
)
def test_content_mismatch_names_the_block(content, path, words):
    data = settled(("c1", "bash", "{}"))
    fault = verify("assistant/message", {**data, "message": {**data["message"], "content": content}})
    assert (fault.name, fault.path) == ("content-mismatch", path)
    assert words in fault.message


def test_zero_and_negative_zero_differ():
    chunk = {"type": "block-end", "index": 0, "block": {"type": "x", "n": 0}}
    assert verify("assistant/message", of_chunks(chunk, content=[{"type": "x", "n": 0.0}])) is None
    fault = verify("assistant/message", of_chunks(chunk, content=[{"type": "x", "n": -0.0}]))
    assert fault.name == "content-mismatch"


@pytest.mark.parametrize(
    "made, given, path, words",
    [
        ({}, {"usage": None}, "$.data.usage", "usage is there, the stream has none"),
        ({"usage": None}, {}, "$.data.usage", "usage is missing, the stream has one"),
        ({"usage": {"a": 1}}, {"usage": {"a": 2}}, "$.data.usage.a", "usage has another a than the stream"),
        ({"usage": {"a": 1}}, {"usage": {"a": 1, "b": 2}}, "$.data.usage.b", "usage has another b than the stream"),
        ({"usage": {"a": 1}}, {"usage": 5}, "$.data.usage", "usage is not that of the stream"),
    ],
)
def test_usage_mismatch(made, given, path, words):
    fault = verify("assistant/message", of_chunks({"type": "usage", **made}, **given))
    assert (fault.name, fault.path, fault.message) == ("usage-mismatch", path, words)


@pytest.mark.parametrize(
    "made, source",
    [
        ({"replayState": {"response": 1}}, {}),
        ({}, {"replayState": None}),
        ({"replayState": {"response": 1}}, {"replayState": {"response": True}}),
        ({"replayState": {"response": 1, "blocks": [1]}}, {"replayState": {"response": 1, "blocks": [1]}}),
    ],
)
@pytest.mark.parametrize("interrupted", [{}, {"interrupted": True}, {"interrupted": 1}])
def test_replay_mismatch(made, source, interrupted):
    fault = verify("assistant/message", of_chunks({"type": "finish", **made}, source=source, **interrupted))
    assert fault.name == "replay-mismatch"
    assert fault.path.startswith("$.data.message.source.replayState")


def test_message_without_an_object_for_a_source_has_no_replay_state():
    data = of_chunks({"type": "finish", "replayState": 1})
    data["message"]["source"] = "model"
    assert verify("assistant/message", data).name == "replay-mismatch"


def test_interrupted_message_still_has_to_assemble_for_its_replay_state():
    start = {"type": "block-start", "index": 0, "blockType": "image"}
    fault = verify("assistant/message", of_chunks(start, interrupted=True))
    assert (fault.name, fault.path) == ("assemble-failed", "$.data.stream")
    assert fault.message == 'the stream makes no content: a block of kind "image" is not closed'


def test_invalid_stream_names_the_member():
    fault = verify("assistant/attempt", {"stream": [{"type": "chunk", "time": 1, "chunk": {"type": "x"}}]})
    assert (fault.name, fault.path) == ("stream-invalid", "$.data.stream[0].chunk")
    assert fault.message == 'the embedded stream cannot be replayed: chunk type "x" is unknown'


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 2), st.sampled_from([-0.0, 1.5, "", "text", "finish"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["type", "chunk", "time", "message", "source", "content", "usage"]), inner, max_size=4
        ),
    ),
    max_leaves=8,
)


@given(st.sampled_from(CALLS), st.dictionaries(st.sampled_from(["message", "usage", "interrupted"]), VALUES), VALUES)
def test_any_value_gets_an_answer(kind, members, stream):
    name_of(verify(kind, {**members, "stream": stream}))


# -- dsh's own answers


def verdicts(shared):
    """Yield (path, verdict) of every log that was judged."""
    for index in sorted(shared.glob("corpus/*/expected.json")):
        for verdict in json.loads(index.read_text(encoding="utf-8"))["logs"]:
            yield index.parent / verdict["file"], verdict
    for name, entries, verdict in (
        ("corpus/mutants/mutants.json", "mutants", "expected"),
        ("corpus/traps/traps.json", "mutants", "expected"),
        ("corpus/traps-migration/traps.json", "mutants", "expected"),
        ("cases/cases.json", "cases", "verdict"),
    ):
        index = shared / name
        for entry in json.loads(index.read_text(encoding="utf-8"))[entries]:
            yield index.parent / entry["file"], entry[verdict]


def test_every_message_that_dsh_wrote_agrees(shared):
    seen = dict.fromkeys(CALLS, 0)
    for index in sorted(shared.glob("corpus/*/expected.json")):
        for verdict in json.loads(index.read_text(encoding="utf-8"))["logs"]:
            if verdict["version"] in {3, 4}:
                with open_log(index.parent / verdict["file"]) as log:
                    for event in log.events():
                        if event["type"] in CALLS:
                            seen[event["type"]] += 1
                            assert verify(event["type"], event["data"]) is None, (index.parent.name, event["seq"])
    assert min(seen.values()) > 20


WORDS = {
    "content disagrees": "content-mismatch",
    "usage disagrees": "usage-mismatch",
    "replay state disagrees": "replay-mismatch",
    "invalid embedded stream": "stream-invalid",
}


def named(verdict):
    """Give our name of the disagreement that dsh's check of a published log found, None when it found none."""
    return next((name for words, name in WORDS.items() if words in verdict.get("error", "")), None)


def test_exactly_the_disagreements_that_dsh_finds_are_found(shared):
    found, expected = {}, {}
    for path, verdict in verdicts(shared):
        # dsh looks at no stream of a log with a torn tail.
        if verdict["version"] == 4 and verdict["strict"]["ok"]:
            checked = verdict["verify"]
            if "torn" in checked.get("error", ""):
                continue
            assert checked["ok"] is (named(checked) is None)
            found[str(path)] = [fault.name for fault in faults_of(path)][:1]
            expected[str(path)] = [named(checked)] if named(checked) else []
    assert found == expected
    assert sum(map(bool, found.values())) == 6


def test_a_disagreement_in_v3_is_what_stops_its_publication(shared):
    found, expected = {}, {}
    for path, verdict in verdicts(shared):
        published = verdict.get("published")
        if verdict["version"] == 3 and published and (published["ok"] or named(published)):
            found[str(path)] = [fault.name for fault in faults_of(path)][:1]
            expected[str(path)] = [named(published)] if named(published) else []
    assert found == expected
    assert any(found.values())

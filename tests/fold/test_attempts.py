"""v0 and v1: chunks belong to the attempt that the upgrade finds, and the message that cites it says the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rows
from dshlog import open_log
from dshlog.codec.chunkruns import PAYLOAD
from dshlog.codec.sources import decode_sources
from dshlog.fold.attempts import Attempts
from dshlog.model.fault import Fault
from dshlog.storage.jsontext import loads
from logbuilder import Log

ABSENT = object()
FINISH = {"type": "finish", "reason": {"kind": "stop"}}
CITATIONS = ("citation-incomplete", "citation-unknown", "citation-missing")


def followed(stored):
    """Give the faults of stored records in order."""
    attempts = Attempts()
    out = []
    for row in stored:
        if row["type"] in PAYLOAD:
            out += attempts.packed(row) or []
        elif row["type"] == "assistant/chunk":
            out += attempts.chunk(row["seq"], row["data"]) or []
        else:
            sources = row.get("sourceEventSeqs", ABSENT)
            decoded = None if sources is ABSENT else decode_sources(sources, row["seq"], distinct=False)
            assert not isinstance(decoded, Fault)
            out += attempts.event(row["type"], row["data"], row["seq"], decoded) or []
    return out + (attempts.end() or [])


def faults(log):
    """Give the faults of a built log, which packing must not change."""
    loose = followed(log.events)
    packed = followed([json.loads(rows.line(row)) for batch in log.batches()[1:] for row in batch])
    assert [(fault.name, fault.message, fault.seqs) for fault in packed] == [
        (fault.name, fault.message, fault.seqs) for fault in loose
    ]
    return loose


def names(log):
    return [fault.name for fault in faults(log)]


def opened(version=0):
    log = Log(version)
    log.turn()
    log.step()
    log.user("hi")
    return log


def chunk(log, chunk, **where):
    return log.event("assistant/chunk", {**log.here, **where, "chunk": chunk})


def delta(log, text="x", **where):
    return chunk(log, {"type": "text-delta", "index": 0, "text": text}, **where)


def closed(log):
    log.end_step()
    log.end_turn()
    return log


def answered(**members):
    """Give a log with one answer whose event has members replaced; ABSENT takes one away."""
    log = opened()
    event = log.events[log.assistant("one two three four")]
    for name, value in members.items():
        if value is ABSENT:
            del event[name]
        else:
            event[name] = value
    return closed(log)


def cited_by(log):
    return next(event for event in log.events if event["type"] == "assistant/message")["sourceEventSeqs"]


# -- the message and its attempt


@pytest.mark.parametrize("version", [0, 1])
def test_message_cites_its_attempt(version):
    log = opened(version)
    log.assistant("one two three four five", ("c1", "bash", '{"a":1}'))
    log.call("c1")
    log.result("c1", "done")
    log.end_step()
    log.step()
    log.assistant("done")
    assert faults(closed(log)) == []


def test_message_may_cite_an_empty_list():
    assert faults(answered(sourceEventSeqs=[])) == []


def test_message_without_an_attempt_cites_nothing():
    for sources in ({}, {"sourceEventSeqs": []}):
        log = opened()
        log.event("assistant/message", {**log.here, "message": {"content": []}}, surfaceOp="append", **sources)
        assert faults(closed(log)) == []


def test_message_has_to_cite_what_is_pending():
    (fault,) = faults(answered(sourceEventSeqs=ABSENT))
    assert (fault.name, fault.path) == ("citation-missing", "$.sourceEventSeqs")
    assert fault.message == "message 11 cites nothing, its attempt is chunks 3..10"


@pytest.mark.parametrize(
    "sources, name, words",
    [
        ([3, 4, 5], "citation-incomplete", "message 11 cites 3 of its attempt's 8 chunks, 3..10"),
        ([4, 5, 6, 7, 8, 9, 10], "citation-incomplete", "cites 7 of its attempt's 8 chunks"),
        ([3, 5, 6, 7, 8, 9, 10], "citation-incomplete", "cites 7 of its attempt's 8 chunks"),
        ([4, 3, 5, 6, 7, 8, 9, 10], "citation-incomplete", "cites the chunks of its attempt, 3..10, out of order"),
        ([3, 3, 5, 6, 7, 8, 9, 10], "citation-incomplete", "out of order or twice"),
        ([2, [3, 10]], "citation-unknown", "message 11 cites 2, which is no chunk; its attempt is chunks 3..10"),
        ([2], "citation-unknown", "message 11 cites 2, which is no chunk; its attempt is chunks 3..10"),
    ],
)
def test_message_cites_something_else(sources, name, words):
    (fault,) = followed(answered(sourceEventSeqs=sources).events)
    assert (fault.name, fault.path) == (name, "$.sourceEventSeqs")
    assert words in fault.message


def test_citation_may_be_spelled_in_any_way():
    for sources in ([[3, 10]], [3, [4, 10]], [[3, 5], [6, 10]], [[3, 9], 10]):
        assert followed(answered(sourceEventSeqs=sources).events) == []


def test_message_cites_chunks_that_a_retry_has_ended():
    log = opened()
    early = delta(log)
    log.event("llm/retry", log.here)
    late = delta(log)
    log.event("assistant/message", log.here, sourceEventSeqs=[early, late], surfaceOp="append")
    (fault,) = faults(closed(log))
    assert (fault.name, fault.seqs) == ("citation-unknown", (early,))
    assert fault.message == "message 6 cites 3, which is a chunk of another attempt; its attempt is chunk 5"


def test_message_cites_although_nothing_is_pending():
    log = opened()
    log.event("assistant/message", log.here, sourceEventSeqs=[0], surfaceOp="append")
    (fault,) = faults(closed(log))
    assert fault.message == "message 3 cites 0, which is no chunk; no attempt is pending"


def test_many_spans_are_not_all_named():
    log = opened()
    for _ in range(5):
        delta(log)
        log.event("todo/write", {"todos": []})
    log.event("assistant/message", log.here, surfaceOp="append")
    (fault,) = faults(closed(log))
    assert fault.message == "message 13 cites nothing, its attempt is chunks 3, 5, 7 and 2 spans more"


# -- what ends an attempt


def test_events_between_chunks_do_not_end_an_attempt():
    log = opened()
    cited = [delta(log, "x")]
    log.event("todo/write", {"todos": []})
    cited.append(delta(log, "y"))
    log.event("plan/mode", {"active": True})
    message = {"content": [{"type": "text", "text": "xy"}]}
    log.event("assistant/message", {**log.here, "message": message}, sourceEventSeqs=cited, surfaceOp="append")
    assert faults(closed(log)) == []


@pytest.mark.parametrize("kind", ["llm/retry", "llm/retry-started"])
def test_retry_ends_an_attempt(kind):
    log = opened()
    delta(log)
    log.event(kind, log.here)
    log.assistant("one two three")
    assert faults(closed(log)) == []


def test_finish_ends_an_attempt_at_the_next_chunk():
    log = opened()
    chunk(log, FINISH)
    log.event("todo/write", {"todos": []})
    log.assistant("one two three")
    assert faults(closed(log)) == []


def test_chunk_that_nobody_can_assemble_may_be_a_finish():
    log = opened()
    chunk(log, {"type": "audio"})
    chunk(log, FINISH)
    log.assistant("one two three")
    assert names(closed(log)) == ["stream-invalid"]


def test_attempt_of_another_step_is_ended_whatever_the_message_cites():
    log = opened()
    cited = delta(log)
    log.end_step()
    log.step()
    late = delta(log, step=1)
    log.event("assistant/message", {**log.here, "message": {}}, sourceEventSeqs=[cited], surfaceOp="append")
    (fault,) = faults(closed(log))
    assert (fault.name, fault.path, fault.seqs) == ("chunk-outside-step", None, (late,))


@pytest.mark.parametrize(
    "build, words",
    [
        (
            lambda log: delta(log, step=2),
            "no message takes chunk 3 of turn 1, step 2, and where the attempt ends turn 1, step 1 is open",
        ),
        (
            lambda log: delta(log, turn=2),
            "no message takes chunk 3 of turn 2, step 1, and where the attempt ends turn 1, step 1 is open",
        ),
        (
            lambda log: (log.end_step(), delta(log)),
            "no message takes chunk 4 of turn 1, step 1, and where the attempt ends no step is",
        ),
        (
            lambda log: log.event("assistant/chunk", {"chunk": FINISH}),
            "no message takes chunk 3 of turn unknown, step unknown",
        ),
        (lambda log: (log.end_step(), delta(log), log.step()), "no message takes chunk 4 of turn 1, step 1"),
        (lambda log: (delta(log), delta(log, step=2)), "no message takes chunk 4 of turn 1, step 2"),
    ],
)
def test_chunks_without_a_message_stand_in_their_step(build, words):
    log = opened()
    build(log)
    (fault,) = faults(closed(log))
    assert fault.name == "chunk-outside-step"
    assert words in fault.message


def test_chunks_at_the_end_of_the_log_stand_in_the_open_step():
    log = opened()
    delta(log)
    assert faults(log) == []
    delta(log, step=5)
    assert names(log) == ["chunk-outside-step"]


def test_next_chunk_of_an_attempt_lets_the_events_between_take_place():
    log = Log(0)
    log.turn()
    early = delta(log, turn=1, step=1)
    log.step()
    assert names(log) == ["chunk-outside-step"]
    delta(log)
    assert names(log) == []
    assert early == 1


@pytest.mark.parametrize("between", [[], ["todo/write"], ["assistant/chunk"]])
def test_inbox_splice_restarts_an_open_turn(between):
    log = Log(0)
    log.turn()
    cited = [delta(log, turn=2, step=1)]
    log.event("agent/inbox/spliced", {"target": "next-turn", "inserted": [{}]})
    for kind in between:
        data = {"turn": 2, "step": 1, "chunk": {"type": "usage"}}
        seq = log.event(kind, data)
        cited += [seq] if kind == "assistant/chunk" else []
    log.turn()
    log.step()
    message = {"content": [{"type": "text", "text": "x"}]}
    log.event("assistant/message", {**log.here, "message": message}, sourceEventSeqs=cited, surfaceOp="append")
    # Only a restart ends the attempt at once, outside of its step; else the message still takes it.
    assert names(closed(log)) == ([] if between else ["chunk-outside-step", "citation-unknown"])


@pytest.mark.parametrize("data", [{"target": "this-turn", "inserted": [{}]}, {"target": "next-turn"}, None])
def test_other_splices_restart_nothing(data):
    log = Log(0)
    log.turn()
    cited = [delta(log, turn=2, step=1)]
    log.event("agent/inbox/spliced", data)
    log.turn()
    log.step()
    message = {"content": [{"type": "text", "text": "x"}]}
    log.event("assistant/message", {**log.here, "message": message}, sourceEventSeqs=cited, surfaceOp="append")
    assert followed(closed(log).events) == []


# -- chunks cited elsewhere


@pytest.mark.parametrize(
    "kind, data, path",
    [
        ("command/done", {"sourceEventSeq": 4}, "$.data.sourceEventSeq"),
        ("compaction/summary", {"shadowedRange": {"start": 4, "end": 11}}, "$.data.shadowedRange.start"),
        ("compaction/prune", {"shadowedRange": {"start": 2, "end": 4.0}}, "$.data.shadowedRange.end"),
        ("compact/summary", {"shadowedSeqs": [2, 4]}, "$.data.shadowedSeqs[1]"),
        ("compact/prune", {"shadowedRange": [], "shadowedSeqs": [4]}, "$.data.shadowedSeqs[0]"),
        ("session/title", {"messageSeqs": [11, 4]}, "$.data.messageSeqs[1]"),
        ("session/title-llm-request", {"messageSeqs": [4]}, "$.data.messageSeqs[0]"),
    ],
)
def test_payload_refers_to_a_chunk(kind, data, path):
    log = answered()
    log.event(kind, data)
    (fault,) = faults(log)
    assert (fault.name, fault.path, fault.seqs) == ("chunk-cited-elsewhere", path, (4,))
    assert fault.message == f"{kind} 14 refers to 4, a chunk, which only the message of its attempt may cite"


@pytest.mark.parametrize(
    "kind, data",
    [
        ("command/done", {}),
        ("command/done", {"sourceEventSeq": None}),
        ("command/done", 5),
        ("compaction/summary", {"shadowedRange": {"start": 2, "end": 11}, "shadowedSeqs": [2, 11]}),
        ("session/title", {"messageSeqs": 4}),
        ("session/title", {"messageSeqs": [2, "4", 99], "sourceEventSeq": 4}),
        ("todo/write", {"messageSeqs": [4]}),
    ],
)
def test_payload_refers_to_no_chunk(kind, data):
    log = answered()
    log.event(kind, data)
    assert faults(log) == []


@pytest.mark.parametrize(
    "sources, first", [([4], 4), ([2, 10, 11], 10), ([2, [9, 12]], 9), ([[0, 8]], 3), ([[11, 13]], None), ([2], None)]
)
def test_event_cites_a_chunk(sources, first):
    log = answered()
    log.event("tool/result", {}, sourceEventSeqs=sources, surfaceOp="append")
    found = followed(log.events)
    assert [fault.seqs for fault in found] == ([] if first is None else [(first,)])
    assert {fault.path for fault in found} <= {"$.sourceEventSeqs"}


def test_event_that_ends_an_attempt_may_cite_a_chunk_too():
    log = opened()
    seq = delta(log, step=3)
    log.event("llm/retry", log.here, sourceEventSeqs=[seq])
    assert names(log) == ["chunk-outside-step", "chunk-cited-elsewhere"]


# -- what the message says


@pytest.mark.parametrize(
    "change, name",
    [
        (lambda data: data.pop("usage"), "usage-mismatch"),
        (lambda data: data["message"]["content"].clear(), "content-mismatch"),
        (lambda data: data["message"]["source"].update(replayState=1), "replay-mismatch"),
        (lambda data: data.update(interrupted=True), None),
    ],
)
def test_message_is_compared_with_its_attempt(change, name):
    log = answered()
    change(next(event for event in log.events if event["type"] == "assistant/message")["data"])
    assert names(log) == ([] if name is None else [name])


@pytest.mark.parametrize(
    "interrupted, given, name",
    [
        (True, {}, None),
        (True, {"replayState": 1}, None),
        (True, {"replayState": 2}, "replay-mismatch"),
        (False, {}, "replay-mismatch"),
    ],
)
def test_interrupted_message_may_omit_the_replay_state(interrupted, given, name):
    log = opened()
    cited = [delta(log), chunk(log, {**FINISH, "replayState": 1})]
    message = {"content": [{"type": "text", "text": "x"}], "source": given}
    data = {**log.here, "message": message, **({"interrupted": True} if interrupted else {})}
    log.event("assistant/message", data, sourceEventSeqs=cited, surfaceOp="append")
    assert names(closed(log)) == ([] if name is None else [name])


def test_message_of_the_old_spelling_is_compared_too():
    log = opened()
    cited = [delta(log), chunk(log, {**FINISH, "replayState": 1})]
    data = {**log.here, "content": [{"type": "text", "text": "x"}], "provenance": {"replayState": 1}}
    log.event("assistant/message", data, sourceEventSeqs=cited, surfaceOp="append")
    assert faults(closed(log)) == []


@pytest.mark.parametrize("odd", [{"type": "audio"}, None, {"type": "block-end", "index": 0}])
def test_chunk_that_cannot_be_assembled_is_told_once(odd):
    log = opened()
    cited = [chunk(log, odd), chunk(log, odd), *(delta(log) for _ in range(4))]
    log.event("assistant/message", {**log.here, "message": {}}, sourceEventSeqs=cited, surfaceOp="append")
    (fault,) = faults(closed(log))
    assert (fault.name, fault.path) == ("stream-invalid", "$.data.chunk")


def test_payload_that_is_no_object():
    attempts = Attempts()
    (fault,) = attempts.chunk(0, None)
    assert fault.name == "stream-invalid"
    assert attempts.event("assistant/message", None, 1, [0]) is None
    assert attempts.event("turn/start", None, 2, None) is None


# -- laws


@given(st.lists(st.sampled_from("cmMefrsSto"), max_size=25))
def test_packing_changes_nothing(steps):
    log = opened()
    cited = []
    for step in steps:
        if step == "c":
            cited += [delta(log, text) for text in "abc"]
        elif step == "f":
            cited.append(chunk(log, FINISH))
        elif step in "mM":
            message = {"content": [{"type": "text", "text": "abc"}]}
            members = {"sourceEventSeqs": [*cited], "surfaceOp": "append"}
            log.event("assistant/message", {**log.here, "message": message}, **members)
            cited = [] if step == "m" else cited
        else:
            kinds = {"e": "step/end", "r": "llm/retry", "s": "step/start", "S": "turn/start", "t": "turn/end"}
            log.event(kinds.get(step, "todo/write"), log.here, **({"sourceEventSeqs": cited[:1]} if cited else {}))
    faults(log)


# -- dsh's own answers


def readable(path):
    """Give the stored records of a log, None when they cannot all be read."""
    with open_log(path) as log:
        own = log.validate(reader="native")
        if log.version not in {0, 1} or own.state not in {"clean", "open"}:
            return None
        return [loads(line) for line in log.records()]


def test_every_message_that_dsh_wrote_agrees_with_its_chunks(shared):
    messages = 0
    for index in sorted(shared.glob("corpus/*/expected.json")):
        for verdict in json.loads(index.read_text(encoding="utf-8"))["logs"]:
            if verdict["version"] == 0:
                stored = readable(index.parent / verdict["file"])
                assert followed(stored or []) == [], index.parent.name
                messages += sum(row["type"] == "assistant/message" for row in stored or [])
    assert messages > 200


REFUSALS = {
    "chunk references are not one complete ordered attempt": CITATIONS,
    "does not cite its chunk attempt": CITATIONS,
    "targets consumed assistant/chunk": ("chunk-cited-elsewhere",),
    "assistant/attempt does not match an open turn and step": ("chunk-outside-step",),
    "content disagrees": ("content-mismatch",),
    "usage disagrees": ("usage-mismatch",),
    "replay state disagrees": ("replay-mismatch",),
}


def test_what_stops_an_upgrade_is_found(shared):
    agreed = 0
    for name, entries, verdict in (
        ("corpus/mutants/mutants.json", "mutants", "expected"),
        ("corpus/traps/traps.json", "mutants", "expected"),
        ("corpus/traps-migration/traps.json", "mutants", "expected"),
        ("cases/cases.json", "cases", "verdict"),
    ):
        index = shared / name
        for entry in json.loads(index.read_text(encoding="utf-8"))[entries]:
            path = index.parent / entry["file"]
            published = entry[verdict].get("published")
            stored = None if published is None or path.is_dir() else readable(path)
            if stored is None:
                continue
            found = {fault.name for fault in followed(stored)}
            reason = next((REFUSALS[words] for words in REFUSALS if words in published.get("error", "")), None)
            if published["ok"]:
                assert not found, path.name
            elif reason is not None:
                assert found & set(reason), (path.name, published["error"])
                agreed += 1
    assert agreed >= 6


def test_migration_vectors_of_the_first_edges(shared):
    seen = set()
    for path in sorted(shared.glob("vectors/migration/v[01]-v[24]-*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        found = {fault.name for fault in followed(vector["input"]["rows"])}
        kind = vector["expect"].get("kind")
        if kind == "chunk-sources":
            assert found & set(CITATIONS) == found != set(), path.name
        elif kind == "reference-to-chunk":
            assert found == {"chunk-cited-elsewhere"}, path.name
        else:
            assert not found - {"usage-mismatch", "content-mismatch"}, path.name
        seen.add(kind)
    assert {"chunk-sources", "reference-to-chunk", None} <= seen

"""Events, turns, transcript and frames of one log, at its end and after any event."""

from __future__ import annotations

import json

import pytest

import rows
from dshlog.render.transcript import said_dict, transcript_lines
from dshlog.report.decode import read_log
from dshlog.report.events import event_rows
from dshlog.report.facts import facts
from dshlog.report.frames import Framed
from dshlog.report.surface import surface_view
from dshlog.report.transcript import KEPT, transcript
from dshlog.report.turns import turns
from dshlog.storage.jsontext import dumps
from dshlog.storage.source import BytesSource
from logbuilder import Log, image, text, worked

EVERY = [0, 1, 2, 3, 4]


def left_open(version):
    """Give a log with a call, a pruned result, a compaction, and an open turn."""
    log = worked(version)
    log.end_turn("aborted")
    log.turn()
    results = [event["seq"] for event in log.events if event["type"] == "tool/result"]
    log.rewrite(results[0], "(pruned)")
    users = [seq for seq in log.nodes if log.events[seq]["type"] == "user/message"]
    log.compact(users[0], log.nodes[-1], "so far")
    log.step()
    log.user("two")
    log.assistant("", ("c2", "bash", "{}"), ("c3", "bash", "{}"))
    log.call("c2")
    return log


def decoded(log, **options):
    return read_log(BytesSource(rows.zstd(log.batches())), "log", **options)


def seqs_of(log, kind):
    return [event["seq"] for event in log.events if event["type"] == kind]


@pytest.mark.parametrize("version", EVERY)
def test_there_is_a_row_for_every_event(version):
    log = left_open(version)
    found = list(event_rows(decoded(log)))
    assert [(row.seq, row.type, row.time, row.data) for row in found] == [
        (event["seq"], event["type"], event["time"], event["data"]) for event in log.events
    ]
    assert [row.op for row in found] == [event.get("surfaceOp") for event in log.events]
    for at in (0, 5, len(log.events) - 1):
        assert list(event_rows(decoded(log), at=at)) == found[: at + 1]


def test_a_row_has_the_size_that_cat_prints_and_the_turn_it_is_in():
    log = left_open(4)
    found = list(event_rows(decoded(log)))
    printed = [line if line is not None else dumps(event) for event, line in decoded(log).events()]
    assert [row.size for row in found] == [len(line) for line in printed]
    by_type = {row.type: (row.turn, row.step) for row in reversed(found)}
    assert by_type["turn/start"] == by_type["turn/end"] == (1, None)
    assert by_type["user/message"] == by_type["tool/result"] == (1, 1)


@pytest.mark.parametrize(
    "kind, data, words",
    [
        ("turn/end", {"turn": 1, "reason": {"kind": "error", "error": {"code": "E"}}}, "error: E"),
        ("turn/end", {"turn": 1, "reason": {"kind": "error", "error": {"code": "E", "message": "no key"}}},
         "error: E, no key"),
        ("turn/end", {"turn": 1, "reason": {"kind": "error", "step": 1, "message": "no key"}}, "error: no key"),
        ("turn/end", {"reason": 7}, ""),
        ("tool/result", {"message": {"source": {"callId": "c"}, "isError": True, "content": [text("no")]}}, "c error: no"),
        ("tool/result", {"message": {"source": {"callId": "c"}, "content": []}, "error": {"code": "E"}}, "c error: "),
        ("tool/result", None, " ok: "),
        ("assistant/message", {"message": {"content": 7}, "usage": {"inputTokens": 1, "outputTokens": 2}}, "1+2 tokens"),
        ("agent/inbox/spliced", {"target": "next-turn", "inserted": [], "removedCount": 1}, "next-turn +0 -1"),
        ("llm/retry", {"retry": 1, "maxRetries": 5, "delayMs": 489.2, "failure": {"code": "S"}},
         "retry 1 of 5, after 489 ms, S"),
        ("plugin:new", {"turn": 1, "a": 1.0, "b": [1, 2], "c": {}, "d": True}, "a 1, b [2], c {…}, d true"),
        ("plugin:new", "plain", "plain"),
        ("llm/retry", {"retry": 1, "mode": "always", "delayMs": 5, "failure": {"code": "S"}}, "retry 1, after 5 ms, S"),
        ("session/title", {"title": "T", "source": {"kind": "user"}}, "user: T"),
        ("assistant/chunk", {"chunk": {"type": "finish", "reason": {"kind": "error", "failure": {"code": "E"}}}},
         "finish error E"),
        ("assistant/chunk", {"chunk": {"type": "finish", "reason": {"kind": "stop"}}}, "finish stop"),
        ("assistant/chunk", {"chunk": {"type": "block-end", "block": {"type": "tool-call"}}}, "block-end tool-call"),
        ("assistant/chunk", {"chunk": {"type": "usage", "usage": {"inputTokens": 3, "outputTokens": 4}}}, "usage 3+4 tokens"),
        ("developer/message",
         {"message": {"content": [{"type": "tool-addition", "toolName": "a"}, {"type": "tool-addition", "toolName": "b"},
                                  {"type": "tool-removal", "toolName": "c"}]}},
         "[tool-addition a, b] [tool-removal c]"),
        ("user/message", {"source": {"kind": "user"}, "content": [{"type": "image", "attachment": {"name": "a.png"}},
                                                                  {"type": "image"}, {"type": "file", "attachment": 7}]},
         "[image a.png] [image] [file]"),
        ("job/registered", {"jobId": "j1", "owner": "s", "kind": "bash", "label": "make all", "startedAt": 5},
         "bash make all, j1"),
        ("job/settled", {"jobId": "j1", "owner": "s", "kind": "bash", "label": "make all", "status": "completed"},
         "completed, bash make all, j1"),
        ("goal/change", {"operation": "create", "goal": {"objective": "Be done", "phase": "active"}},
         "create, active: Be done"),
        ("goal/change", {"operation": "clear", "cleared": {"id": "g"}}, "clear"),
        ("session-log-deepseek/delivery-accepted", {"sessionId": "s", "sessionFormatVersion": 4, "throughSeq": 12},
         "through seq 12, v4, s"),
        ("session-log-deepseek/delivery-accepted", {"sessionId": "s", "throughSeq": 12}, "through seq 12, s"),
        ("subagent/catalog", {"version": 0, "childId": "c1", "childCreatedAt": 1, "mode": "one-shot", "label": "side"},
         "one-shot c1: side"),
    ],
)  # fmt: skip
def test_facts_say_what_an_event_holds_whatever_it_is(kind, data, words):
    assert facts(kind, data) == words


def test_a_replacement_says_first_what_it_replaces():
    assert facts(
        "user/message", {"source": {"kind": "user"}, "content": [text("x")]}, {"startSeq": 3, "endSeq": 5}
    ) == ("replaces 3..5; x")


@pytest.mark.parametrize("version", EVERY)
def test_turns_count_what_happened_in_them(version):
    log = left_open(version)
    first, second = turns(decoded(log))
    assert (first.number, first.seq, first.end) == (1, 0, seqs_of(log, "turn/end")[0])
    assert first.duration == log.events[first.end]["time"] - log.events[0]["time"]
    assert (first.answers, first.attempts, first.calls, first.failures) == (2, 0, 1, 0)
    assert (first.tokens.input, first.tokens.output, first.tokens.cache_read) == (200, 40, None)
    assert (first.reason, first.detail, first.inherited) == ("aborted", None, False)
    assert [(step.number, step.answers, step.calls) for step in first.steps] == [(1, 1, 1), (2, 1, 0)]
    assert (second.end, second.duration, second.reason) == (None, None, None)
    assert [step.end for step in second.steps] == [None]
    at = seqs_of(log, "tool/call")[0]
    (cut,) = turns(decoded(log), at=at)
    assert (cut.end, cut.answers, cut.calls, len(cut.steps)) == (None, 1, 1, 1)


@pytest.mark.parametrize("version", EVERY)
def test_a_call_that_never_began_is_no_failure_of_a_call(version):
    log = Log(version)
    log.turn()
    log.step()
    log.assistant("", ("c1", "bash", "{}"), ("c2", "bash", "{}"))
    log.call("c1")
    answered = log.events[log.result("c1", "interrupted")]["data"]["message"]
    (answered if version == 4 else answered["content"][0])["isError"] = True
    closer = json.loads(json.dumps(answered).replace("c1", "c2"))
    log.event("tool/result", {**log.here, "message": closer}, surfaceOp="append")
    log.end_step()
    log.end_turn()
    (turn,) = turns(decoded(log))
    assert (turn.calls, turn.failures, turn.steps[0].failures) == (1, 1, 1)


@pytest.mark.parametrize("version", EVERY)
def test_an_attempt_without_a_message_is_counted_apart(version):
    log = Log(version)
    log.turn()
    log.step()
    chunk = {"type": "finish", "reason": {"kind": "error", "failure": {"message": "m", "code": "E"}}}
    if version < 2:
        log.event("assistant/chunk", {**log.here, "chunk": chunk})
    else:
        log.event("assistant/attempt", {**log.here, "stream": [{"type": "chunk", "time": 1, "chunk": chunk}]})
    log.event("llm/retry", {**log.here, "retryId": "r", "retry": 1})
    log.event("llm/retry-started", {**log.here, "retryId": "r", "retry": 1})
    log.assistant("yes")
    log.end_step()
    log.end_turn()
    (turn,) = turns(decoded(log))
    assert (turn.answers, turn.attempts) == (1, 1)


@pytest.mark.parametrize("version", EVERY)
def test_the_transcript_is_what_was_appended(version):
    log = left_open(version)
    said = transcript(decoded(log, keep=True))
    appended = [event["seq"] for event in log.events if event.get("surfaceOp") == "append"]
    inside = [call.result.seq for row in said for call in row.calls if call.result]
    assert sorted([row.seq for row in said if row.type != "turn/end"] + inside) == appended
    assert [row.text for row in said if row.type == "turn/end"] == ["aborted"]
    (calling,) = [row for row in said if row.text == "let me see"]
    (call,) = calling.calls
    assert (call.id, call.name, call.arguments) == ("c1", "bash", '{"command":"ls"}')
    assert (call.seq, call.result.text, call.result.error) == (seqs_of(log, "tool/call")[0], "a file", False)
    assert call.duration == log.events[call.result.seq]["time"] - log.events[call.seq]["time"]
    waiting = said[-1].calls
    assert [(one.seq is None, one.result) for one in waiting] == [(False, None), (True, None)]


@pytest.mark.parametrize("version", EVERY)
def test_replaced_parts_name_what_took_their_place(version):
    log = left_open(version)
    said = transcript(decoded(log, keep=True))
    checkpoint = next(
        event["seq"] for event in log.events if event["type"] == "user/message" and "sourceEventSeqs" in event
    )
    made = "compact-checkpoint" if version == 4 else "compact"
    assert {(row.replaced_by, row.replacement) for row in said if row.text in {"one", "done"}} == {(checkpoint, made)}
    assert {row.replaced_by for row in said if row.text in {"be brief", "two", "aborted"}} == {None}
    pruned = seqs_of(log, "tool/result")[1]
    assert next(row for row in said if row.calls).calls[0].result.replaced_by == pruned
    before = transcript(decoded(log, keep=True), at=pruned - 1)
    assert {row.replaced_by for row in before} == {None}


@pytest.mark.parametrize("version", EVERY)
def test_characters_are_those_of_the_texts_as_in_the_surface(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user("one", "two", image("a1"))
    log.user(image("a2"))
    log.assistant("yes", ("c1", "bash", "{}"))
    log.call("c1")
    log.result("c1", "three")
    found = transcript(decoded(log, keep=True))
    view, _ = surface_view(BytesSource(rows.zstd(log.batches())), "log")
    chars = {row.seq: row.chars for row in view.rows}
    (call,) = found[-1].calls
    assert [row.chars for row in found] == [6, 0, 3]
    assert {row.seq: row.chars for row in (*found, call.result)} == chars
    assert [row.text for row in found[:2]] == ["one\ntwo", "[image]"]


@pytest.mark.parametrize("version", EVERY)
def test_what_was_cut_short_says_so(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user("one")
    cut = log.assistant("half an ans")
    log.events[cut]["data"]["interrupted"] = True
    log.end_step()
    end = log.end_turn("error")
    log.events[end]["data"]["reason"]["error"] = {"code": "TRANSPORT", "message": "the line is\ndead"}
    found = transcript(decoded(log, keep=True))
    assert [row.interrupted for row in found] == [False, True, False]
    assert found[-1].text == "error: TRANSPORT, the line is\ndead"
    printed = list(transcript_lines(found))
    at = next(place for place, line in enumerate(printed) if "half an ans" in line)
    assert printed[at + 1] == "     interrupted"
    assert printed[-1].endswith("error: TRANSPORT, the line is dead")
    assert [said_dict(row)["interrupted"] for row in found] == [False, True, False]


def test_texts_are_held_whole_on_request_only():
    log = Log(4)
    log.turn()
    log.step()
    log.user("x" * 1000)
    (row,) = transcript(decoded(log, keep=True))
    assert (row.chars, row.text) == (1000, "x" * KEPT)
    assert transcript(decoded(log, keep=True), full=True)[0].text == "x" * 1000


@pytest.mark.parametrize("version", EVERY)
def test_what_a_fork_inherited_is_marked(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user("before")
    log.end_step()
    log.end_turn()
    log.seed()
    log.turn()
    log.step()
    log.user("after")
    assert [row.inherited for row in transcript(decoded(log, keep=True))] == [True, False]
    assert [turn.inherited for turn in turns(decoded(log))] == [True, False]


def test_old_spellings_of_v0_are_read_as_its_builds_read_them():
    log = Log(0)
    log.turn()
    log.step()
    log.event("user/message", {"content": [text("old")], "source": {"kind": "user"}}, surfaceOp="append")
    (row,) = transcript(decoded(log, keep=True))
    assert (row.role, row.text) == ("user", "old")
    assert list(event_rows(decoded(log)))[-1].facts == "old"


@pytest.mark.parametrize("version", EVERY)
def test_frames_are_those_of_the_file(version):
    log = left_open(version)
    pieces = rows.frames(log.batches())
    texts = [rows.raw([batch]) for batch in log.batches()]
    framed = Framed(BytesSource(b"".join(pieces)), "log.zstd")
    found = list(framed.rows(types=True))
    assert [row.size for row in found] == [len(piece) for piece in pieces]
    assert [row.offset for row in found] == [sum(map(len, pieces[:n])) for n in range(len(pieces))]
    assert [(row.decoded, row.rows) for row in found] == [(len(part), part.count(b"\n")) for part in texts]
    assert found[0].types == {"session": 1}
    assert found[1].types["turn/start"] == 1
    assert found[1].ratio == round(len(texts[1]) / len(pieces[1]), 2)
    assert list(framed.rows())[1].types == {}
    first = log.cuts[0] - 1
    assert len(list(Framed(BytesSource(b"".join(pieces)), "log.zstd", at=first).rows())) == 2
    assert len(list(Framed(BytesSource(b"".join(pieces)), "log.zstd", at=first + 1).rows())) == 3


def test_a_torn_and_a_bad_frame_are_told_apart():
    log = left_open(4)
    data = rows.zstd(log.batches())
    torn = list(Framed(BytesSource(data[:-10]), "log.zstd").rows())
    assert [row.torn for row in torn] == [False, False, True]
    bad = bytearray(data)
    bad[-1] ^= 1
    last = list(Framed(BytesSource(bytes(bad)), "log.zstd").rows())[-1]
    assert (last.decoded, last.rows, last.ratio, last.torn) == (None, None, None, False)


def test_a_raw_log_has_no_frames():
    framed = Framed(BytesSource(rows.raw(left_open(4).batches())), "log.jsonl", at=3)
    assert framed.raw
    assert list(framed.rows()) == []


@pytest.mark.parametrize("data", [b"", b"xx\n", rows.line({"type": "session", "version": 9, "id": "k"})])
def test_what_is_no_known_log_shows_nothing(data):
    one = read_log(BytesSource(data), "log", keep=True)
    assert transcript(one) == ()
    assert list(event_rows(read_log(BytesSource(data), "log"))) == []
    assert turns(read_log(BytesSource(data), "log")) == ()
    assert Framed(BytesSource(data), "log").raw


def logs_of(shared, every):
    """Give some logs of the corpus with their raw rows, read without dshlog."""
    for path in sorted((shared / "corpus").glob("*/sessions/*/*/session*.jsonl.zstd"))[::every]:
        lines = rows_of(path.read_bytes())
        yield path, [json.loads(line) for line in lines]


def rows_of(data):
    import zstandard

    out = b""
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        out += frame.decompress(data)
        data = frame.unused_data
    return out.split(b"\n")[1:-1]


def test_lenses_against_the_raw_rows_of_released_builds(shared):
    for path, events in logs_of(shared, 9):
        if any("seq0" in event for event in events):
            events = [event for event in events if "seq0" not in event]  # noqa: PLW2901 - packed runs have no seq
        source = BytesSource(path.read_bytes())
        found = [row for row in event_rows(read_log(source, str(path))) if row.type != "assistant/chunk"]
        plain = [event for event in events if event["type"] != "assistant/chunk"]
        assert [(row.seq, row.type, row.time) for row in found] == [(e["seq"], e["type"], e["time"]) for e in plain], (
            path
        )
        said = transcript(read_log(source, str(path), keep=True))
        inside = [call.result.seq for row in said for call in row.calls if call.result]
        appended = [event["seq"] for event in plain if event.get("surfaceOp") == "append"]
        assert sorted([row.seq for row in said if row.type != "turn/end"] + inside) == appended, path
        spans = turns(read_log(source, str(path)))
        assert [turn.seq for turn in spans] == [e["seq"] for e in plain if e["type"] == "turn/start"], path
        assert sum(turn.answers for turn in spans) == sum(e["type"] == "assistant/message" for e in plain), path
        assert sum(turn.calls for turn in spans) == sum(e["type"] == "tool/call" for e in plain), path
        ended = {e["data"]["turn"]: e["data"]["reason"]["kind"] for e in plain if e["type"] == "turn/end"}
        assert {turn.number: turn.reason for turn in spans if turn.end is not None} == ended, path
        used = [e["data"].get("usage", {}).get("inputTokens", 0) for e in plain if e["type"] == "assistant/message"]
        assert sum(turn.tokens.input or 0 for turn in spans) == sum(used), path

"""The upgrade event by event: what it makes of a log, what it refuses, and where it says so."""

from __future__ import annotations

import json

import pytest

from dshlog.migrate.children import Child
from dshlog.report.upgrade import findings, upgrade
from dshlog.rules.sample import (
    asks,
    but,
    call,
    chunk,
    content,
    delta,
    event,
    head,
    packed,
    request,
    says,
    says_early,
    step,
    step_end,
    stream,
    turn,
    turn_end,
    user,
    wrapped,
)
from dshlog.storage.source import BytesSource

OPEN = (turn(), step(), user())  # events 0 to 2
DONE = (step_end(), turn_end())


def upgraded(rows, version=0, *, to=4, children=(), **header):
    """Upgrade rows; the result as values, and what was refused as (edge, name, seq, path)."""
    text = []
    data = content((head(version, **header), *rows))
    done = upgrade(BytesSource(data), to=to, children=children, write=text.append)
    events = [json.loads(line) for line in b"".join(text).splitlines()]
    return events, [(found.edge, found.name, found.seq, found.path) for found in done.refusals], done


def types(events):
    return [value["type"] for value in events[1:]]


def test_a_prompt_becomes_a_system_message_before_its_request():
    events, refused, _ = upgraded((*OPEN[:2], request(system="Be brief."), user(), says_early(), *DONE))
    assert refused == []
    assert types(events) == [
        "turn/start", "step/start", "system/message", "system/message", "request/header", "user/message",
        "assistant/message", "step/end", "turn/end",
    ]  # fmt: skip
    assert events[0] == head(4)
    assert events[4]["surfaceOp"] == {"op": "replace", "startSeq": 2, "endSeq": 2}
    assert events[4]["data"]["message"]["content"] == [{"type": "text", "text": "Be brief."}]


def test_chunks_become_the_stream_of_the_message_that_cites_them():
    run = packed("text-chunks", {"turn": 1, "step": 1, "index": 0, "dt": [2, 3], "texts": ["He", "ll", "o"]})
    events, refused, _ = upgraded((*OPEN, run, chunk(delta("!")), says_early([[3, 6]]), *DONE), to=2)
    assert refused == []
    (message,) = [value for value in events if value["type"] == "assistant/message"]
    assert message["seq"] == 3
    assert message["data"]["stream"] == [
        {"type": "text-chunks", "time0": 103, "index": 0, "dt": [2, 3, -4], "texts": ["He", "ll", "o", "!"]}
    ]


def test_every_reason_of_every_edge_is_told_at_once():
    rows = (
        turn(),
        event("plan/mode", {"active": 1}),
        step(),
        but(user(), "data.source", {"kind": "bot"}),
        chunk({"type": "noise"}),
        event("demo/note", {}, ignorable=True),
        event("demo/note", {}),
        *DONE,
    )
    _, refused, done = upgraded(rows)
    assert sorted(refused) == [
        ("0->1", "opaque-blocks-upgrade", 5, "$.type"),
        ("0->1", "unknown-type", 6, "$.type"),
        ("0->1", "upgrade-payload", 1, "$.data.active"),
        ("1->2", "upgrade-chunk", 4, "$.data.chunk.type"),
        ("2->3", "upgrade-source-kind", 3, "$.data.source"),
    ]
    assert not done.opens
    assert {finding.place.line for _, finding in findings(done, "x")} == {3, 5, 6, 7, 8}


def test_what_v4_refuses_is_told_beside_what_an_edge_refuses():
    note = event("demo/note", {}, ignorable=True)
    rows = (*OPEN, note, but(says_early(), "data.message.content", [asks()]), event("plan/mode", {"active": 1}), *DONE)
    _, refused, _ = upgraded(rows)
    assert refused == [
        ("0->1", "opaque-blocks-upgrade", 3, "$.type"),
        ("0->1", "upgrade-payload", 5, "$.data.active"),
        ("result", "upgrade-rule", 6, None),
    ]


def test_where_an_edge_has_lost_an_event_the_result_says_nothing():
    _, refused, _ = upgraded((*OPEN, says_early([0]), but(turn_end(), "data.turn", "x")))
    assert {edge for edge, *_ in refused} == {"0->1", "1->2"}


def test_many_refusals_of_one_kind_are_counted():
    notes = [event("plan/mode", {"active": number}) for number in range(300)]
    _, refused, done = upgraded((*notes,))
    assert len(refused) == 200
    assert done.more == {"upgrade-payload": 100}
    assert [finding.follows for _, finding in findings(done, "x")][-1] == 100


@pytest.mark.parametrize(
    ("block", "path"),
    [
        ({"type": "text", "text": "a", "more": 1}, "$.data.stream[0].chunk.block.more"),
        ({"type": "audio"}, "$.data.stream[0].chunk.block"),
        (5, "$.data.stream[0].chunk.block"),
    ],
)
def test_a_block_end_holds_a_block_of_exact_members(block, path):
    end = chunk({"type": "block-end", "index": 0, "block": block})
    _, refused, _ = upgraded((*OPEN, end, *DONE))
    assert [(edge, at) for edge, _, _, at in refused] == [("2->3", path)]


@pytest.mark.parametrize("odd", [{}, [], 5, None])
def test_values_of_any_kind_are_refused_and_not_stumbled_over(odd):
    for path in (
        "data.turn",
        "data.message",
        "data.message.source",
        "data.message.content",
        "data.message.source.kind",
    ):
        _, refused, _ = upgraded((*OPEN, but(says_early(), path, odd), *DONE))
        assert refused or path == "data.message.content", path
    broken = says(stream=stream({"type": odd, "index": 0}))
    assert {edge for edge, *_ in upgraded((*OPEN, broken, *DONE), 2)[1]} == {"publishing"}


def test_a_row_that_javascript_knows_by_chance_is_a_bad_row_of_v3():
    events, refused, done = upgraded((*OPEN, event("toString", {}, surfaceOp="append"), call()), 3)
    assert refused == []
    assert types(events) == ["turn/start", "step/start", "user/message"]
    assert (done.left_out, done.lost) == (2, 2)


def test_a_bad_row_before_a_turn_end_refuses_and_elsewhere_is_left_out():
    bad = {**user(), "sourceEventSeqs": "x"}
    events, refused, done = upgraded((turn(), step(), bad, user()))
    assert (refused, types(events)) == ([], ["turn/start", "step/start", "system/message"])
    assert (done.left_out, done.lost) == (2, 2)
    assert upgraded((turn(), step(), bad, *DONE))[1] == [("reading", "upgrade-corrupt", 2, "$")]


def test_an_interrupted_turn_is_closed_before_the_next():
    inbox = event("agent/inbox/spliced", {"target": "next-turn", "start": 0, "inserted": [user()["data"]]})
    for version in (0, 3):
        events, refused, _ = upgraded((turn(), inbox, turn(2), turn_end(2)), version)
        assert refused == []
        assert types(events) == ["turn/start", "agent/inbox/spliced", "turn/end", "turn/start", "turn/end"]
        assert events[3]["data"] == {"turn": 1, "reason": {"kind": "interrupted"}}


def test_a_result_gets_the_role_of_a_tool():
    events, refused, _ = upgraded((*OPEN, says(asks()), call(), wrapped(), *DONE), 3)
    assert refused == []
    told = events[6]["data"]["message"]
    assert list(told) == ["role", "source", "toolCallId", "content", "id"]


def test_children_are_added_in_their_order_and_must_agree():
    children = [
        Child("b", 2, 1, {"version": 3, "mode": "one-shot", "provider": "p"}),
        Child("a", 2),
        Child("c", 1, 1, {"version": 1, "provider": "p", "label": "L"}),
    ]
    events, refused, _ = upgraded((turn(), turn_end()), 3, children=children)
    assert refused == []
    assert [value["data"] for value in events[3:]] == [
        {"version": 0, "childId": "c", "childCreatedAt": 1, "mode": "continuable", "label": "L"},
        {"version": 1, "childId": "a", "childCreatedAt": 2, "mode": "unknown"},
        {"version": 0, "childId": "b", "childCreatedAt": 2, "mode": "one-shot"},
    ]
    told = event("subagent/catalog", {"version": 1, "childId": "a", "childCreatedAt": 3, "mode": "unknown"})
    assert upgraded((told,), 3, children=children)[1] == [("3->4", "upgrade-catalog", None, None)]


def test_what_v4_refuses_of_the_result_is_told_of_the_stored_event():
    _, refused, done = upgraded((*OPEN, says_early(), call(), *DONE))
    assert refused == [("result", "upgrade-rule", 4, "$.data.callId")]
    ((_, finding),) = findings(done, "x")
    assert finding.message.startswith("upgrade, result: T302 call-not-advertised: ")
    assert finding.place.line == 6


def test_a_stream_that_does_not_make_its_message_opens_and_is_not_written():
    _, refused, done = upgraded((*OPEN, says(stream=stream({"type": "usage", "usage": {}})), *DONE), 3)
    assert refused == [("publishing", "content-mismatch", 3, "$.data.message.content")]
    assert done.opens


def test_a_cut_is_written_even_where_no_marker_was():
    events, refused, _ = upgraded((turn(), turn_end()), seedLength=2, parentSession="p")
    assert refused == []
    assert events[-1]["data"] == {"inherited": True}
    assert events[0]["isSeeded"] is True
    assert upgraded((turn(),), seedLength=2)[1] == [("reading", "seed-length-exceeds", None, "$")]


def test_lines_of_events_behind_packed_rows():
    run = packed("text-chunks", {"turn": 1, "step": 1, "index": 0, "dt": [1, 1], "texts": ["a", "b", "c"]})
    rows = (*OPEN, run, run, event("plan/mode", {}), chunk(delta("d")), run, event("plan/mode", {}))
    _, _, done = upgraded(rows)
    assert {finding.place.seq: finding.place.line for _, finding in findings(done, "x")} == {9: 7, 14: 10}


def test_a_log_of_the_generation_asked_for_is_left_alone():
    events, refused, done = upgraded((turn(),), 4)
    assert (events, refused, done.opens) == ([], [], True)


def test_a_header_member_that_only_later_readers_know():
    _, refused, _ = upgraded((turn(), turn_end()), colour="blue")
    assert refused == [("reading", "header-member-unknown", None, "$.colour")]


def test_numbers_that_json_cannot_carry_stop_v0_and_are_carried_from_v2_on():
    start = event("tool/code-dispatch-start", {"rootCallId": "r", "parentCallId": "r", "subCallId": "s", "name": "n"})
    rows = (*OPEN, {**start, "data": {**start["data"], "arguments": -0.0}}, *DONE)
    assert upgraded(rows)[1] == [("0->1", "upgrade-payload", 3, "$.data.arguments")]
    assert upgraded(rows, 2)[1] == []


def test_a_record_of_a_stream_holds_a_chunk_and_a_packed_row_counts():
    (found,) = upgraded((*OPEN, says(stream=stream(5)), *DONE), 2)[1]
    assert found == ("2->3", "upgrade-payload", 3, "$.data.stream[0].chunk")
    run = packed("text-chunks", {"turn": 1, "step": 1, "index": 2**53, "dt": [], "texts": ["a"]})
    assert upgraded((*OPEN, run, *DONE))[1] == [("reading", "upgrade-corrupt", 3, "$")]

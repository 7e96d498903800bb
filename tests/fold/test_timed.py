"""Chunks come out with their time and place, in one shape whatever the generation."""

from __future__ import annotations

import json

import pytest

from dshlog.fold.timed import TimedChunks, is_token, piece_of
from logbuilder import Log

SHAPE = ["seq", "turn", "step", "attempt", "time", "chunk"]


def conversation(version):
    log = Log(version)
    for words in ("one two three", "four five"):
        log.turn()
        log.user("hi")
        log.step()
        log.assistant(words)
        log.end_step()
        log.end_turn()
    return log.events


def chunk(seq, kind="text-delta", turn=1, step=1, **more):
    return {
        "type": "assistant/chunk",
        "seq": seq,
        "time": seq * 10,
        "data": {"turn": turn, "step": step, "chunk": {"type": kind, **more}},
    }


def attempts(events):
    return [(row["seq"], row["attempt"]) for row in TimedChunks().of(events)]


def test_every_generation_says_the_same():
    told = []
    for version in range(5):
        rows = list(TimedChunks().of(conversation(version)))
        assert {tuple(row) for row in rows} == {tuple(SHAPE)}
        told.append([(row["turn"], row["step"], row["attempt"], row["chunk"]) for row in rows])
    assert told[0]
    assert all(other == told[0] for other in told)


@pytest.mark.parametrize("end", ["finish", "assistant/message", "llm/retry", "step/end"])
def test_what_ends_an_attempt(end):
    between = chunk(1, "finish") if end == "finish" else {"type": end, "seq": 1, "time": 1, "data": {}}
    told = attempts([chunk(0), between, {"type": "tool/progress", "data": {}}, chunk(2), chunk(3)])
    assert [number for seq, number in told if seq >= 2] == [2, 2]
    assert attempts([chunk(0), {"type": "tool/progress", "data": {}}, chunk(2)]) == [(0, 1), (2, 1)]


def test_each_step_counts_its_own_attempts():
    assert attempts([chunk(0), chunk(1, "finish"), chunk(2, step=2), chunk(3, turn=2)]) == [
        (0, 1),
        (1, 1),
        (2, 1),
        (3, 1),
    ]


def embedded(seq, kind, stream):
    return {"type": kind, "seq": seq, "time": 1, "data": {"turn": 1, "step": 1, "stream": stream}}


RUN = {"type": "text-chunks", "time0": 1, "index": 0, "dt": [2], "texts": ["a", "b"]}


def test_embedded_attempts_count_too_and_empty_streams_do_not():
    told = TimedChunks()
    events = [
        embedded(1, "assistant/attempt", [RUN]),
        embedded(2, "assistant/message", []),
        embedded(3, "assistant/message", [RUN, {"type": "odd"}, RUN]),
        embedded(4, "assistant/message", 7),
        {"type": "assistant/message", "data": None},
    ]
    rows = list(told.of(events))
    assert [(row["seq"], row["attempt"], row["time"]) for row in rows] == [(1, 1, 1), (1, 1, 3), (3, 2, 1), (3, 2, 3)]
    assert [seq for seq, _ in told.broken] == [3]


def test_odd_chunks_are_handed_out():
    event = chunk(0)
    event["data"]["chunk"] = None
    assert next(TimedChunks().of([event]))["chunk"] is None


@pytest.mark.parametrize(
    "given, piece, token",
    [
        ({"type": "text-delta", "text": "a"}, ("text", "a"), True),
        ({"type": "reasoning-delta", "text": ""}, ("reasoning", ""), False),
        ({"type": "tool-call-delta", "argumentsDelta": "", "name": "bash"}, ("tool-call", ""), True),
        ({"type": "tool-call-delta", "argumentsDelta": ""}, ("tool-call", ""), False),
        ({"type": "text-delta"}, None, False),
        ({"type": ["text-delta"]}, None, False),
        ({"type": "usage"}, None, False),
        (None, None, False),
    ],
)
def test_pieces_and_tokens(given, piece, token):
    assert piece_of(given) == piece
    assert is_token(given) is token


@pytest.mark.parametrize("kind", [{}, [], None, 7])
def test_an_event_whose_type_is_no_text_has_no_chunks(kind):
    deep = json.loads("[" * 900 + "]" * 900)
    event = {"type": kind, "seq": 1, "time": 1, "data": {"turn": deep, "step": 1, "stream": []}}
    assert not list(TimedChunks().of([event]))

"""Each model call is counted once, in the bucket of what came of it."""

from __future__ import annotations

import pytest

from dshlog.fold.usage import Spending, tokens

USAGE = {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}


def event(kind, seq=0, *, data=None, **members):
    return {"type": kind, "seq": seq, "time": seq, "data": {"turn": 1, "step": 1, **(data or {})}, **members}


def chunk(kind="text-delta", **more):
    return event("assistant/chunk", data={"chunk": {"type": kind, **more}})


def spent(*events):
    spending = Spending()
    out = [call for one in events for call in spending.take(one)]
    return [(bucket, counts.get("inputTokens")) for bucket, _, counts in [*out, *spending.end()]]


CALL = (chunk(), chunk("usage", usage=USAGE), chunk("finish"))


def test_chunks_and_their_message_are_one_call():
    message = event("assistant/message", data={"usage": USAGE}, surfaceOp="append", sourceEventSeqs=[1])
    assert spent(*CALL, message, event("step/end")) == [("answered", 10)]
    assert spent(*CALL, {**message, "data": {"turn": 1}}) == [("answered", 10)], "the usage of the chunks will do"
    assert spent(*CALL, event("assistant/message", data={"interrupted": True})) == [("interrupted", 10)]


@pytest.mark.parametrize("end", ["llm/retry", "step/end", "turn/end", "turn/start", None])
def test_chunks_without_a_message_failed(end):
    rest = [event(end)] if end else []
    assert spent(*CALL, *rest) == [("failed", 10)]
    assert spent(chunk(), *rest) == [("failed", None)]


def test_attempts_of_one_step_are_told_apart():
    message = event("assistant/message", data={"usage": USAGE}, sourceEventSeqs=[9])
    assert spent(*CALL, *CALL, message) == [("failed", 10), ("answered", 10)]


def test_a_message_that_cites_no_chunk_takes_none():
    message = event("assistant/message", data={"usage": USAGE}, sourceEventSeqs=[])
    assert spent(*CALL, message) == [("failed", 10), ("answered", 10)]


def test_embedded_streams():
    stream = [{"type": "chunk", "time": 1, "chunk": {"type": "usage", "usage": USAGE}}, {"type": "chunk", "time": 1}]
    message = event("assistant/message", data={"stream": stream, "usage": USAGE}, surfaceOp="append")
    attempt = event("assistant/attempt", data={"stream": stream})
    assert spent(attempt, event("llm/retry"), attempt, message) == [("failed", 10), ("failed", 10), ("answered", 10)]
    assert spent(event("assistant/attempt", data={"stream": 7})) == [("failed", None)]
    assert spent(event("assistant/attempt", data={"stream": [7, {}]})) == [("failed", None)]


def test_a_replacement_is_no_call_and_a_summary_is_one():
    message = event("assistant/message", data={"usage": USAGE}, surfaceOp={"op": "replace", "start": 1, "end": 1})
    assert spent(message) == []
    assert spent(event("compaction/summary", data={"usage": USAGE})) == [("compaction", 10)]
    assert spent({"type": "assistant/message", "data": None}) == []


def test_only_counts_are_tokens():
    assert tokens({"inputTokens": 1.0, "outputTokens": -1, "totalTokens": "3", "other": 4}) == {"inputTokens": 1}
    assert tokens(None) == {}

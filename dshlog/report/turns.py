"""The turns of one log and their steps: how long, how many calls, what they cost, how they ended."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from dshlog.model.lens import Span, Tokens
from dshlog.model.number import as_count
from dshlog.model.scalar import scalar
from dshlog.report.attempts import Names
from dshlog.report.facts import error_of, get, reason_of
from dshlog.report.lens import elapsed, seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.report.decode import Decoded

_BUCKETS = {
    "input": "inputTokens",
    "output": "outputTokens",
    "cache_read": "cacheReadTokens",
    "cache_write": "cacheWriteTokens",
    "reasoning": "reasoningTokens",
}


class _Counting:
    """A turn or step in the making."""

    def __init__(self, number: object, seq: int, time: object) -> None:
        self.number, self.seq, self.time = number, seq, time
        self.answers = self.attempts = self.calls = self.failures = 0
        self.tokens = Tokens()
        self.steps: list[Span] = []
        self.requests: list[str] = []

    def span(self, end: int | None = None, time: object = None, data: object = None) -> Span:
        """Give the value; without an end it is still open."""
        reason, detail = reason_of(data)
        return Span(
            number=self.number,
            seq=self.seq,
            end=end,
            time=self.time,
            duration=None if end is None else elapsed(self.time, time),
            answers=self.answers,
            attempts=self.attempts,
            calls=self.calls,
            failures=self.failures,
            tokens=self.tokens,
            reason=reason,
            detail=detail,
            steps=tuple(self.steps),
            requests=tuple(self.requests),
        )


def turns(decoded: Decoded, *, at: int | None = None) -> tuple[Span, ...]:
    """Give the turns that began in the readable prefix up to `at`, in order, each with its steps.

    Tokens are those of the messages: what an attempt without a message used is not in them. What a fork
    inherited is marked.
    """
    version = 0 if decoded.header is None else decoded.header.version
    found = tuple(_turns(decoded, at, version))
    cut = decoded.report.inherited
    return tuple(replace(turn, inherited=turn.seq < cut) for turn in found)


def _turns(decoded: Decoded, at: int | None, version: int) -> Iterator[Span]:
    turn: _Counting | None = None
    step: _Counting | None = None
    names = Names(version)
    began: set[object] = set()  # calls without a result
    for event, _, _, seq, _, _ in seen(decoded, at):
        kind, data, time = event.get("type"), event.get("data"), event.get("time")
        here = [one for one in (turn, step) if one is not None]
        name, settled = names.event(seq, event)
        for one in here:
            if name is not None and name not in one.requests:
                one.requests.append(name)
            for call in settled:
                one.answers += call.message is not None
                one.attempts += call.message is None
        if kind == "turn/start":
            if turn is not None:
                yield _closed(turn, step)
            turn, step = _Counting(get(data, "turn"), seq, time), None
        elif kind == "turn/end" and turn is not None:
            if step is not None:
                turn.steps.append(step.span())
            yield turn.span(seq, time, data)
            turn = step = None
        elif kind == "step/start" and turn is not None:
            if step is not None:
                turn.steps.append(step.span())
            step = _Counting(get(data, "step"), seq, time)
        elif kind == "step/end" and turn is not None and step is not None:
            turn.steps.append(step.span(seq, time))
            step = None
        elif kind == "tool/call":
            began.add(scalar(get(data, "callId")))
            for one in here:
                one.calls += 1
        elif kind == "tool/result" and event.get("surfaceOp") == "append":
            called = scalar(get(data, "message", "source", "callId"))
            failed = called in began and error_of(data)
            began.discard(called)
            for one in here:
                one.failures += failed
        elif kind == "assistant/message":
            for one in here:
                one.tokens = _added(one.tokens, get(data, "usage"))
    left = [one for one in (turn, step) if one is not None]
    for _ in names.end():
        for one in left:
            one.attempts += 1
    if turn is not None:
        yield _closed(turn, step)


def _closed(turn: _Counting, step: _Counting | None) -> Span:
    """Give a turn that never ended, with the step that never did."""
    if step is not None:
        turn.steps.append(step.span())
    return turn.span()


def _added(tokens: Tokens, usage: Any) -> Tokens:  # noqa: ANN401 - JSON of any shape
    counted: dict[str, int | None] = {}
    for bucket in fields(Tokens):
        before: int | None = getattr(tokens, bucket.name)
        more = as_count(get(usage, _BUCKETS[bucket.name]))
        counted[bucket.name] = before if more is None else (before or 0) + more
    return Tokens(**counted)

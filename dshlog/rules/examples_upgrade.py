"""A bad and a good log for every code of the upgrade; the logs open in the build that wrote them."""

# ruff: noqa: FBT003 - the booleans are values of a log

from __future__ import annotations

from typing import Any

from dshlog.rules.sample import (
    Example,
    Part,
    asks,
    but,
    call,
    chunk,
    delta,
    event,
    head,
    packed,
    request,
    says,
    says_early,
    step,
    step_end,
    turn,
    turn_end,
    user,
    wrapped,
)

_IN_STEP = (turn(), step())
_OPEN = (*_IN_STEP, user())  # events 0 to 2
_DONE = (step_end(), turn_end())
_TODO = event("todo/write", {"todos": []})
_DELIVERED = event("session-log-deepseek/delivery-accepted", {"sessionId": "s1", "throughSeq": 0})
_RUN = {"turn": 1, "step": 1, "index": 0, "dt": [1], "texts": ["Hel", "lo"]}
_FAILED = but(but(wrapped(), "data.error", {"name": "E", "code": "E"}), "data.message.content.0.isError", True)
_TOOL = {"name": "ls", "description": "List files.", "parameters": {"type": "object"}}
_TAKEN = "v2-to-v3-system-36701ab3bbdb7fb02e9bffbb652f9ba6b175dbfc31464e99d49c6241a50600f2"  # what the step/start of event 1 makes in session s1
_CHILD = event(
    "subagent/catalog", {"version": 0, "childId": "s2", "childCreatedAt": 2, "mode": "one-shot", "label": "side task"}
)
_RUN_COMMAND = event("command/run", {"commandId": "k", "name": "help", "source": {"kind": "user"}})
_COMMAND_DONE = event("command/done", {"commandId": "k", "kind": "success"})
_CALLS = but(says_early(), "data.message.content", [asks()])


def _pair(
    bad: tuple[Part, ...],
    good: tuple[Part, ...],
    *,
    version: int = 0,
    before: tuple[Part, ...] = _OPEN,
    after: tuple[Part, ...] = _DONE,
    **header: Any,  # noqa: ANN401 - members of the header
) -> Example:
    first = head(version, **header)
    return Example(bad=bad, good=good, before=(first, *before), after=after, version=version, upgrade=True)


def _changed(good: Part, path: str, value: object, **rest: Any) -> Example:  # noqa: ANN401 - as _pair
    """Make a pair of a good row and the same row with another value at a path."""
    if not isinstance(good, dict):
        raise TypeError(good)
    return _pair((but(good, path, value),), (good,), **rest)


UPGRADE = {
    "G201": _pair(
        (packed("text-chunks", {**_RUN, "index": -1}),), (packed("text-chunks", _RUN),), after=(step_end(), turn_end())
    ),
    "G213": _changed(_TODO, "data.colour", "blue"),
    "G214": _changed(_TODO, "time", -0.0),
    "G215": _changed(user(), "data.content.0", {"type": "audio"}, before=_IN_STEP),
    "G216": _changed(user(), "data.source.kind", "bot", before=_IN_STEP),
    "G217": _pair((request(messagePrefix="Hi"),), (request(messagePrefix=[]),)),
    "G219": _changed(_DELIVERED, "data.sessionId", "s2"),
    "G222": _pair((says_early(),), (says_early([3]),), before=(*_OPEN, chunk(delta("Hello")))),
    "G223": _pair(
        (user("Go on", "m5", surfaceOp={"op": "replace", "start": 2, "end": 2}, sourceEventSeqs=[2, 3]),),
        (user("Go on", "m5", surfaceOp={"op": "replace", "start": 2, "end": 2}, sourceEventSeqs=[2]),),
        before=(*_OPEN, chunk(delta("Hello")), says_early([3])),
    ),
    "G224": _changed(chunk({"type": "usage", "usage": {}}), "data.chunk.type", "noise"),
    "G225": _pair((head(0, seedLength=4),), (head(0, seedLength=3),), before=(), after=()),
    "G231": _pair((request(system="Be brief."),), (request(),), before=(turn(),), after=(turn_end(),)),
    "G232": _pair((user(), step()), (step(), user()), before=(turn(),)),
    "G233": _changed(_FAILED, "data.message.content.0.isError", False, before=(*_OPEN, _CALLS, call())),
    "G234": _changed(user(), "data.id", _TAKEN, before=_IN_STEP),
    "G241": _changed(user(), "data.content.0", 5, version=3, before=_IN_STEP),
    "G242": _changed(
        wrapped(),
        "data.message.content.0.content.0",
        {"type": "tool-result", "toolCallId": "c1", "content": []},
        version=3,
        before=(*_OPEN, says(asks()), call()),
    ),
    "G243": _pair(
        (request(tools=[{**_TOOL, "deferLoading": True}]),), (request(tools=[_TOOL]),), version=3, before=_IN_STEP
    ),
    "G244": _changed(_CHILD, "data.mode", "some", version=3),
    "G251": _pair((_COMMAND_DONE,), (_RUN_COMMAND,), version=3),
}
UPGRADE["G225"] = UPGRADE["G225"]._replace(
    before=(), after=(*_OPEN, chunk(delta("Hel")), chunk(delta("lo")), says_early([3, 4]), *_DONE)
)

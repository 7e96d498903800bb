"""Every relationship rule of v4: the smallest log that breaks it, and the same log with one thing right.

Source: events.md §4; each pair is named by the rule and what is special about it.
"""

from __future__ import annotations

import pytest

from dshlog.rules.lifecycle import NOT_STARTED_TEXT
from dshlog.rules.sample import (
    GONE,
    asks,
    but,
    call,
    event,
    head,
    message,
    request,
    result,
    says,
    span,
    step,
    step_end,
    system,
    text,
    turn,
    turn_end,
    user,
)

TURN, STEP, HI = turn(), step(), user()
OPEN = (TURN, STEP, HI)  # events 0 to 2
DONE = (step_end(), turn_end())
ASKED = (*OPEN, says(asks()))  # event 3 advertises the call c1
CALLED = (*ASKED, call())  # event 4 starts it
IDLE = (TURN, turn_end())

ODD, SAME, MORE = 2**53 + 1, 2**53, 2**53 + 2  # to dsh, whose numbers are doubles, the first two are one

# -- what the pairs are made of


def repair(path="data.turn", value=1, name="interrupted-tool-result-c1-4"):
    """Give the result of a call that was not started, with one thing changed."""
    row = but(result(NOT_STARTED_TEXT), "data.message.isError", value=True)
    row = but(row, "data.error", {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"})
    return but(but(row, "data.message.id", name), path, value)


def forked(number=4):
    return but(repair(name=f"forked-tool-result-c1-{number}"), "data.message.content.0.text", "Any words.")


def retry(number=1, **data):
    return event(
        "llm/retry", {"turn": 1, "step": 1, "retryId": "r1", "retry": number, "provider": "p", "policyKey": "k", **data}
    )


def again(number=1, **data):
    return event("llm/retry-started", {"turn": 1, "step": 1, "retryId": "r1", "retry": number, **data})


def without(row, name):
    return but(row, f"data.{name}", GONE)


HEADED = (TURN, request(), STEP, HI)  # events 0 to 3; the last request/header names the provider p
NOT_HEADED = tuple(without(row, "provider") for row in (retry(), retry(2)))


def begins(**data):
    return event("compaction/start", {"compactionId": "k1", "turn": 1, **data})


def sums(start=2, end=2, listed=(2,), **data):
    shadowed = {"shadowedRange": {"start": start, "end": end}, "shadowedSeqs": list(listed)}
    return event("compaction/summary", {"compactionId": "k1", "summary": [text("Hi.")], **shadowed, **data})


def ends(**data):
    return event("compaction/end", {"compactionId": "k1", "turn": 1, **data})


def prunes(start=2, end=2, listed=(2,)):
    return event("compaction/prune", {"shadowedRange": {"start": start, "end": end}, "shadowedSeqs": list(listed)})


def checkpoint(op="append", **source):
    where = {"surfaceOp": "append"} if op == "append" else {"sourceEventSeqs": [2], "surfaceOp": span(2, 2)}
    row = user("Hi.", "m6", **where)
    return but(row, "data.source", {"kind": "compact-checkpoint", "compactionId": "k1", **source})


SEEDED = event("session/end-seed")
CUT = event("session/end-seed", {"inherited": True})


def runs(name="x"):
    return event("command/run", {"commandId": name, "name": "title"})


def done(**data):
    return event("command/done", {"commandId": "x", "kind": "success", **data})


def titles(*cited, kind="fallback"):
    return event("session/title", {"title": "Hi", "messageSeqs": list(cited), "source": {"kind": kind}})


def asks_title(*cited, **told):
    said = {**message("m8", "user", {"kind": "dsh-session-title-llm"}, text("Name it.")), **told}
    return event("session/title-llm-request", {"messageSeqs": list(cited), "messages": [said]})


def dispatch(sub="d1", parent="c1", root="c1", kind="tool/ptc-dispatch-start", **data):
    ids = {"rootCallId": root, "parentCallId": parent, "subCallId": sub}
    return event(kind, {**ids, "name": "ls", "arguments": {}, **data})


def settles(sub="d1", parent="c1", root="c1", **data):
    return dispatch(sub, parent, root, "tool/ptc-dispatch", **data)


def delivered(**data):
    facts = {"sessionFormatVersion": 4, "sessionId": "s1", "throughSeq": 0, **data}
    return event("session-log-deepseek/delivery-accepted", facts)


def child(name="s2", **data):
    return event("subagent/catalog", {"version": 0, "childId": name, "childCreatedAt": 1, "mode": "one-shot", **data})


def develops(*blocks, **data):
    told = message("m9", "developer", {"kind": "tool-registry"}, *blocks)
    return event("developer/message", {"turn": 1, "step": 1, "message": told, **data}, surfaceOp="append")


ADDS = {"type": "tool-addition", "toolName": "ls"}
REMOVES = {"type": "tool-removal", "toolName": "no such tool"}
TOOL = {"name": "ls", "description": "List.", "parameters": {}}
IMAGE = {
    "type": "image",
    "attachment": {"attachmentId": "a", "mediaType": "image/png", "bytes": 1, "width": 1, "height": 1},
}
SHOWN = but(HI, "data.content", [text("Look."), IMAGE, IMAGE])
FORK = head(isSeeded=True, parentSession="s0")


def offloads(seq=2, *indexes, **data):
    return event("image/offload", {"targets": [{"seq": seq, "imageIndexes": list(indexes) or [0]}], **data})


def inside(*rows):
    """Give rows in the first step, which then ends."""
    return (*OPEN, *rows, *DONE)


# name: (code, breaking log, sound log)
PAIRS = {
    # 4.1 turns and steps
    "R-001 first turn": ("T201", (turn(2),), (turn(1),)),
    "R-001 turn 0": ("T201", (turn(0),), (turn(1),)),
    "R-001 counts the inherited part": (
        "T201",
        (FORK, *IDLE, CUT, turn(1)),
        (FORK, *IDLE, CUT, turn(2)),
    ),
    "R-001 text": ("T201", (event("turn/start", {"turn": "1"}),), (event("turn/start", {"turn": 1.0}),)),
    "R-001 boolean": ("T201", (event("turn/start", {"turn": True}),), (turn(1),)),
    "R-001 absent": ("T201", (event("turn/start", {}),), (turn(1),)),
    "R-002": ("T202", (TURN, turn(2)), (*IDLE, turn(2))),
    "R-003 other number": ("T203", (TURN, turn_end(2)), (TURN, turn_end(1))),
    "R-003 none open": ("T203", (turn_end(1),), IDLE),
    "R-003 text": ("T203", (TURN, but(turn_end(), "data.turn", "1")), (TURN, but(turn_end(), "data.turn", 1.0))),
    "R-004": ("T204", (TURN, STEP, turn_end()), (TURN, STEP, *DONE)),
    "R-010 first step": ("T205", (TURN, step(2)), (TURN, step(1))),
    "R-010 starts anew in each turn": (
        "T205",
        (TURN, STEP, *DONE, turn(2), step(2, 2)),
        (TURN, STEP, *DONE, turn(2), step(1, 2)),
    ),
    "R-010 goes on": ("T205", (TURN, STEP, step_end(), step(1)), (TURN, STEP, step_end(), step(2))),
    "R-011 no turn": ("T206", (STEP,), (TURN, STEP)),
    "R-011 other turn": ("T206", (TURN, step(1, 2)), (TURN, step(1, 1))),
    "R-011 closed turn": ("T206", (*IDLE, step(1, 1)), (TURN, step(1, 1))),
    "R-012": ("T207", (TURN, STEP, step(2)), (TURN, STEP, step_end(), step(2))),
    "R-013 other step": ("T208", (TURN, STEP, step_end(2)), (TURN, STEP, step_end(1))),
    "R-013 other turn": ("T208", (TURN, STEP, step_end(1, 2)), (TURN, STEP, step_end(1, 1))),
    "R-013 none open": ("T208", (TURN, step_end()), (TURN, STEP, step_end())),
    "R-020 assistant/message": ("T209", (*OPEN, step_end(), says()), (*OPEN, says(), step_end())),
    "R-020 assistant/message of another step": ("T209", inside(says(step=2)), inside(says(step=1))),
    "R-020 assistant/message of another turn": ("T209", inside(says(turn=2)), inside(says(turn=1.0))),
    "R-020 assistant/attempt": (
        "T209",
        inside(event("assistant/attempt", {"turn": 1, "step": 2, "stream": []})),
        inside(event("assistant/attempt", {"turn": 1, "step": 1, "stream": []})),
    ),
    "R-020 tool/call": (
        "T209",
        (*ASKED, but(call(), "data.step", 2), result()),
        (*ASKED, but(call(), "data.step", 1), result()),
    ),
    "R-020 tool/result": (
        "T209",
        (*CALLED, but(result(), "data.turn", 2)),
        (*CALLED, but(result(), "data.turn", 1)),
    ),
    "R-020 system/message": (
        "T209",
        (TURN, STEP, but(system(), "data.step", 2)),
        (TURN, STEP, but(system(), "data.step", 1)),
    ),
    "R-020 developer/message": (
        "T209",
        inside(develops(REMOVES, step=2)),
        inside(develops(REMOVES, step=1)),
    ),
    "R-021 request/header": ("T210", (*IDLE, request()), (TURN, request())),
    "R-021 request/context": ("T210", (event("request/context"),), (TURN, event("request/context"))),
    "R-021 dispatch": ("T210", (dispatch(),), (TURN, dispatch())),
    "R-021 settlement": (
        "T210",
        (TURN, dispatch(), turn_end(), settles()),
        (TURN, dispatch(), turn_end(), turn(2), settles()),
    ),
    "R-021 replacing tool/result": (
        "T210",
        (*CALLED, result(), *DONE, result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5))),
        (*CALLED, result(), step_end(), result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5))),
    ),
    # 4.2 tool calls
    "R-030 twice in one message": ("T301", inside(says(asks(), asks()))[:-2], inside(says(asks(), asks("c2")))[:-2]),
    "R-030 twice in two messages": (
        "T301",
        (*CALLED, says(asks(), name="m4")),
        (*CALLED, result(), says(asks(), name="m4")),
    ),
    "R-031 nobody advertised": ("T302", inside(call())[:-2], (*ASKED, call())),
    "R-031 another id": ("T302", (*ASKED, call("c2")), (*ASKED, call("c1"))),
    "R-031 of the step before": (
        "T302",
        (*CALLED, result(), step_end(), step(2), but(call(), "data.step", 2)),
        (*CALLED, result(), step_end(), step(2), says(asks(), step=2, name="m4"), but(call(), "data.step", 2)),
    ),
    "R-031 started twice": ("T303", (*CALLED, call()), CALLED),
    "R-031 other name": ("T304", (*ASKED, but(call(), "data.name", "cat")), (*ASKED, call())),
    "R-031 other arguments": ("T304", (*ASKED, but(call(), "data.arguments", "{ }")), (*ASKED, call())),
    "R-031 name of a number": (
        "T304",
        (*OPEN, says(but(asks(), "name", 7)), but(call(), "data.name", "7")),
        (*OPEN, says(but(asks(), "name", 7)), but(call(), "data.name", 7.0)),
    ),
    "R-031 name of an object is never the same": (
        "T304",
        (*OPEN, says(but(asks(), "name", {})), but(call(), "data.name", {})),
        (*OPEN, says(but(asks(), "name", None)), but(call(), "data.name", None)),
    ),
    "R-031 name of a big number": (
        "T304",
        (*OPEN, says(but(asks(), "name", ODD)), but(call(), "data.name", MORE)),
        (*OPEN, says(but(asks(), "name", ODD)), but(call(), "data.name", SAME)),
    ),
    "R-031 null is not absent": (
        "T304",
        (*OPEN, says(but(asks(), "arguments", GONE)), but(call(), "data.arguments", None)),
        (*OPEN, says(but(asks(), "arguments", GONE)), but(call(), "data.arguments", GONE)),
    ),
    "R-032 nobody asked": ("T305", (*OPEN, result()), (*CALLED, result())),
    "R-032 answered twice": ("T305", (*CALLED, result(), result()), (*CALLED, result())),
    "R-032 free again": (
        "T305",
        (*CALLED, result(), says(asks("c2"), name="m4"), result()),
        (*CALLED, result(), says(asks(), name="m4"), call(), but(result(), "data.message.id", "m5")),
    ),
    "R-033 sound": ("T306", (*ASKED, result()), (*ASKED, repair())),
    "R-033 error name": ("T306", (*ASKED, repair("data.error.name", "Other")), (*ASKED, repair())),
    "R-033 error code": ("T306", (*ASKED, repair("data.error.code", "OTHER")), (*ASKED, repair())),
    "R-033 cites something": (
        "T306",
        (*ASKED, {**repair(), "sourceEventSeqs": [3]}),
        (*ASKED, repair()),
    ),
    "R-033 id of another call": ("T306", (*ASKED, repair(name="interrupted-tool-result-c2-4")), (*ASKED, repair())),
    "R-033a leading zero": (
        "T306",
        (*ASKED, repair(name="interrupted-tool-result-c1-04")),
        (*ASKED, repair(name="interrupted-tool-result-c1-9999")),
    ),
    "R-033a not safe": (
        "T306",
        (*ASKED, repair(name=f"interrupted-tool-result-c1-{2**53}")),
        (*ASKED, repair(name=f"interrupted-tool-result-c1-{2**53 - 1}")),
    ),
    "R-033a zero": (
        "T306",
        (*ASKED, repair(name="interrupted-tool-result-c1--1")),
        (*ASKED, repair(name="interrupted-tool-result-c1-0")),
    ),
    "R-033a no number": (
        "T306",
        (*ASKED, repair(name="interrupted-tool-result-c1-")),
        (*ASKED, repair(name="interrupted-tool-result-c1-7")),
    ),
    "R-033 text": (
        "T306",
        (*ASKED, repair("data.message.content.0.text", NOT_STARTED_TEXT + " ")),
        (*ASKED, repair("data.message.content.0.more", 1)),
    ),
    "R-033 two blocks": (
        "T306",
        (*ASKED, repair("data.message.content", [text(NOT_STARTED_TEXT), text("x")])),
        (*ASKED, repair("data.message.content", [text(NOT_STARTED_TEXT)])),
    ),
    "R-033 other kind of block": (
        "T306",
        (*ASKED, repair("data.message.content.0.type", "reasoning")),
        (*ASKED, repair("data.message.content.0.type", "text")),
    ),
    "R-034": ("T307", (*ASKED, step_end()), (*CALLED, result(), step_end())),
    "R-034 started": ("T307", (*CALLED, step_end()), (*CALLED, result(), step_end())),
    "R-035 forked": ("P128", (*ASKED, forked(5)), (*ASKED, forked(4))),
    "R-036 two nodes": (
        "S305",
        (*CALLED, user("Go on.", "m7"), result(), result("-", sourceEventSeqs=[5, 6], surfaceOp=span(5, 6))),
        (*CALLED, user("Go on.", "m7"), result(), result("-", sourceEventSeqs=[6], surfaceOp=span(6, 6))),
    ),
    "R-036 other type": (
        "S306",
        (*CALLED, result(), result("-", sourceEventSeqs=[2], surfaceOp=span(2, 2))),
        (*CALLED, result(), result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5))),
    ),
    "R-036 id": (
        "S307",
        (*CALLED, result(), but(result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5)), "data.message.id", "m")),
        (*CALLED, result(), result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5))),
    ),
    "R-036 isError false is not absent": (
        "S307",
        (*CALLED, result(), but(result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5)), "data.message.isError", GONE)),
        (*CALLED, result(), result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5))),
    ),
    "R-036 meta": (
        "S307",
        (
            *CALLED,
            but(result(), "data.meta", {"a": [0]}),
            but(result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5)), "data.meta", {"a": [1]}),
        ),
        (
            *CALLED,
            but(result(), "data.meta", {"a": [0]}),
            but(result("-", sourceEventSeqs=[5], surfaceOp=span(5, 5)), "data.meta", {"a": [-0.0]}),
        ),
    ),
    "R-038": (
        "T306",
        (*ASKED, repair("data.error", {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"})),
        (*CALLED, repair("data.error", {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"})),
    ),
    # 4.3 retries
    "R-040 other step": ("K101", (*HEADED, retry(step=2)), (*HEADED, retry(step=1))),
    "R-040 other turn": ("K101", (*HEADED, retry(turn=2)), (*HEADED, retry(turn=1.0))),
    "R-040 step closed last": (
        "K101",
        (*HEADED, step_end(), step(2), step_end(2), retry(step=1)),
        (*HEADED, step_end(), step(2), step_end(2), retry(step=2)),
    ),
    "R-040 before the first step": (
        "K101",
        (TURN, request(), retry(step=1)),
        (TURN, request(), retry(step=0)),
    ),
    "R-040 before the first step of the next turn": (
        "K101",
        (*HEADED, *DONE, turn(2), retry(turn=2, step=1)),
        (*HEADED, *DONE, turn(2), retry(turn=2, step=0)),
    ),
    "R-040 no turn": ("K101", (*HEADED, *DONE, retry(step=1)), (*HEADED, retry(step=1), *DONE)),
    "R-041 other": ("K102", (*HEADED, retry(provider="q")), (*HEADED, retry(provider="p"))),
    "R-041 absent": ("K102", (*HEADED, without(retry(), "provider")), (*HEADED, retry())),
    "R-041 absent equals absent": ("K102", (*OPEN, retry()), (*OPEN, NOT_HEADED[0])),
    "R-041 null is not absent": ("K102", (*OPEN, retry(provider=None)), (*OPEN, NOT_HEADED[0])),
    "R-041 header of a turn before": (
        "K102",
        (*HEADED, *DONE, turn(2), without(retry(turn=2, step=0), "provider")),
        (*HEADED, *DONE, turn(2), retry(turn=2, step=0)),
    ),
    "R-042 first": ("K103", (*HEADED, retry(2)), (*HEADED, retry(1))),
    "R-042 zero": ("K103", (*HEADED, retry(0)), (*HEADED, retry(1.0))),
    "R-042 next": ("K103", (*HEADED, retry(), retry(3)), (*HEADED, retry(), retry(2))),
    "R-042 repeated": ("K103", (*HEADED, retry(), retry()), (*HEADED, retry(), retry(2))),
    "R-042 new chain for another policy": (
        "K103",
        (*HEADED, retry(), retry(2, retryId="r2", policyKey="other")),
        (*HEADED, retry(), retry(1, retryId="r2", policyKey="other")),
    ),
    "R-042 an object never continues": (
        "K103",
        (*HEADED, retry(policyKey={}), retry(2, retryId="r2", policyKey={})),
        (*HEADED, retry(policyKey={}), retry(1, retryId="r2", policyKey={})),
    ),
    "R-042 an absent key continues": (
        "K103",
        (*HEADED, without(retry(), "policyKey"), without(retry(), "policyKey")),
        (*HEADED, without(retry(), "policyKey"), without(retry(2), "policyKey")),
    ),
    "R-042 null is not absent": (
        "K103",
        (*HEADED, without(retry(), "policyKey"), retry(2, retryId="r2", policyKey=None)),
        (*HEADED, without(retry(), "policyKey"), retry(1, retryId="r2", policyKey=None)),
    ),
    "R-042 1 and 1.0 are one key": (
        "K103",
        (*HEADED, retry(policyKey=1), retry(1, policyKey=1.0)),
        (*HEADED, retry(policyKey=1), retry(2, policyKey=1.0)),
    ),
    "R-042 a big number is one key with its neighbour": (
        "K103",
        (*HEADED, retry(policyKey=ODD), retry(1, policyKey=SAME)),
        (*HEADED, retry(policyKey=ODD), retry(2, policyKey=SAME)),
    ),
    "R-042 true is not 1": (
        "K103",
        (*HEADED, retry(policyKey=1), retry(2, retryId="r2", policyKey=True)),
        (*HEADED, retry(policyKey=1), retry(1, retryId="r2", policyKey=True)),
    ),
    "R-043": ("K104", (*HEADED, retry(), retry(2, retryId="r2")), (*HEADED, retry(), retry(2))),
    "R-044": (
        "K105",
        (*HEADED, retry(), retry(1, policyKey="other")),
        (*HEADED, retry(), retry(1, policyKey="other", retryId="r2")),
    ),
    "R-044 another step": (
        "K105",
        (*HEADED, retry(), step_end(), step(2), retry(step=2)),
        (*HEADED, retry(), step_end(), step(2), retry(step=2, retryId="r2")),
    ),
    "R-045 nothing announced": ("K106", (*HEADED, again()), (*HEADED, retry(), again())),
    "R-045 another number": ("K106", (*HEADED, retry(), again(2)), (*HEADED, retry(), again(1.0))),
    "R-045 another id": ("K106", (*HEADED, retry(), again(retryId="r2")), (*HEADED, retry(), again())),
    "R-046": ("K107", (*HEADED, retry(), again(), again()), (*HEADED, retry(), again(), retry(2), again(2))),
    "R-047 step": ("K108", (*HEADED, retry(), again(step=2)), (*HEADED, retry(), again(step=1))),
    "R-047 turn": ("K108", (*HEADED, retry(), again(turn=2)), (*HEADED, retry(), again(turn=1))),
    "P-110 no id": ("P138", (*HEADED, retry(retryId="")), (*HEADED, retry())),
    "P-110 no count": ("P138", (*HEADED, retry(1.5)), (*HEADED, retry(1))),
    "P-111 no id": ("P138", (*HEADED, retry(), again(retryId=1)), (*HEADED, retry(), again())),
    "P-111 no count": ("P138", (*HEADED, retry(), again("1")), (*HEADED, retry(), again())),
    # 4.4 compaction
    "R-051": ("K201", (*OPEN, begins(), begins()), (*OPEN, begins())),
    "R-051 ended by an error": (
        "K201",
        (*OPEN, begins(), begins(compactionId="k2")),
        (*OPEN, begins(), ends(error="no"), begins(compactionId="k2")),
    ),
    "R-052 other turn": ("K202", (*OPEN, begins(turn=2)), (*OPEN, begins(turn=1))),
    "R-052 null inside a turn": ("K202", (*OPEN, begins(turn=None)), (*OPEN, begins(turn=1))),
    "R-052 turn outside a turn": ("K202", (*IDLE, begins(turn=1)), (*IDLE, begins(turn=None))),
    "R-053 summary": ("K203", (*OPEN, begins(), sums(compactionId="k2")), (*OPEN, begins(), sums())),
    "R-053 end": ("K203", (*OPEN, begins(), sums(), ends(compactionId="k2")), (*OPEN, begins(), sums(), ends())),
    "R-053 command": (
        "K203",
        (*OPEN, begins(sourceCommandId="x"), sums(sourceCommandId="y")),
        (*OPEN, begins(sourceCommandId="x"), sums(sourceCommandId="x")),
    ),
    "R-053 command null is not absent": (
        "K203",
        (*OPEN, begins(), sums(sourceCommandId=None)),
        (*OPEN, begins(sourceCommandId=None), sums(sourceCommandId=None)),
    ),
    "R-053 command of a big number": (
        "K203",
        (*OPEN, begins(sourceCommandId=ODD), sums(sourceCommandId=MORE)),
        (*OPEN, begins(sourceCommandId=ODD), sums(sourceCommandId=SAME)),
    ),
    "R-053 command of an object": (
        "K203",
        (*OPEN, begins(sourceCommandId={}), sums(sourceCommandId={})),
        (*OPEN, begins(sourceCommandId=1), sums(sourceCommandId=1.0)),
    ),
    "R-053 checkpoint": (
        "K203",
        (*OPEN, begins(), sums(), checkpoint("replace", compactionId="k2")),
        (*OPEN, begins(), sums(), checkpoint("replace")),
    ),
    "R-053 summary outside": ("K204", (*OPEN, sums()), (*OPEN, begins(), sums())),
    "R-053 end outside": ("K204", (*OPEN, ends(error="no")), (*OPEN, begins(), ends(error="no"))),
    "R-053 empty id": ("P142", (*OPEN, begins(compactionId="")), (*OPEN, begins())),
    "R-053 absent turn": ("P142", (without(begins(), "turn"),), (begins(turn=None),)),
    "R-053 negative turn": ("P142", (begins(turn=-1),), (begins(turn=None),)),
    "R-054": ("K205", (*OPEN, begins(), sums(), sums()), (*OPEN, begins(), sums())),
    "R-055": ("K206", (*OPEN, begins(), ends()), (*OPEN, begins(), ends(error="no"))),
    "R-055 error null": ("K206", (*OPEN, begins(), ends()), (*OPEN, begins(), ends(error=None))),
    "R-056 end": ("K207", (*OPEN, begins(), sums(), ends(turn=2)), (*OPEN, begins(), sums(), ends(turn=1.0))),
    "R-056 null is written out": (
        "K207",
        (HI, begins(turn=None), sums(0, 0, [0]), without(ends(), "turn")),
        (HI, begins(turn=None), sums(0, 0, [0]), ends(turn=None)),
    ),
    "R-057 turn/end": ("K208", (*OPEN, begins(), *DONE), (*OPEN, begins(), ends(error="no"), *DONE)),
    "R-057 turn/start": (
        "K208",
        (begins(turn=None), TURN),
        (begins(turn=None), ends(turn=None, error="no"), TURN),
    ),
    "R-057 stale": (
        "K208",
        (*OPEN, begins(), *DONE, turn(2)),
        (*OPEN, begins(), *DONE, turn(2), SEEDED),
    ),
    "R-057 ended before the marker": (
        "K208",
        (begins(turn=None), TURN, turn_end(), ends(turn=None, error="no"), SEEDED),
        (begins(turn=None), TURN, turn_end(), SEEDED),
    ),
    "R-057 another begun before the marker": (
        "K208",
        (begins(turn=None), TURN, turn_end(), begins(turn=None, compactionId="k2"), SEEDED),
        (begins(turn=None), TURN, turn_end(), SEEDED, begins(turn=None, compactionId="k2")),
    ),
    "R-057a": ("K201", (begins(turn=None), begins(turn=None)), (begins(turn=None), SEEDED, begins(turn=None))),
    "R-057a nothing open": (
        "K204",
        (*OPEN, begins(), SEEDED, sums()),
        (*OPEN, begins(), SEEDED, begins(compactionId="k1"), sums()),
    ),
    "R-058 too few": (
        "K209",
        (*OPEN, user("x", "m7"), prunes(2, 3, [2])),
        (*OPEN, user("x", "m7"), prunes(2, 3, [2, 3])),
    ),
    "R-058 order": (
        "K209",
        (*OPEN, user("x", "m7"), prunes(2, 3, [3, 2])),
        (*OPEN, user("x", "m7"), prunes(2, 3, [2, 3])),
    ),
    "R-058 surface order": (
        "K209",
        (*OPEN, user("x", "m7"), user("y", "m8", sourceEventSeqs=[2], surfaceOp=span(2, 2)), prunes(3, 4, [3, 4])),
        (*OPEN, user("x", "m7"), user("y", "m8", sourceEventSeqs=[2], surfaceOp=span(2, 2)), prunes(4, 3, [4, 3])),
    ),
    "R-058 no node": ("K209", (*OPEN, prunes(1, 2, [1, 2])), (*OPEN, prunes(2, 2, [2]))),
    "R-058 shadowed before": (
        "K209",
        (*OPEN, user("y", "m8", sourceEventSeqs=[2], surfaceOp=span(2, 2)), prunes(2, 2, [2])),
        (*OPEN, user("y", "m8", sourceEventSeqs=[2], surfaceOp=span(2, 2)), prunes(3, 3, [3])),
    ),
    "R-058 summary": (
        "K209",
        (*OPEN, begins(), sums(listed=[])),
        (*OPEN, begins(), sums(listed=[2.0])),
    ),
    "R-058 its own seq": ("P135", (*OPEN, prunes(2, 3, [2, 3])), (*OPEN, prunes(2, 2, [2]))),
    "R-058 other members of the range are free": (
        "P135",
        (*OPEN, but(prunes(), "data.shadowedRange.start", GONE)),
        (*OPEN, but(prunes(), "data.shadowedRange.more", 1)),
    ),
    "R-058 no list": ("P135", (*OPEN, but(prunes(), "data.shadowedSeqs", {})), (*OPEN, prunes())),
    "R-059": ("K211", (*OPEN, checkpoint("replace")), (*OPEN, checkpoint())),
    "R-059 after the end": (
        "K211",
        (*OPEN, begins(), sums(), ends(), checkpoint("replace")),
        (*OPEN, begins(), sums(), checkpoint("replace"), ends()),
    ),
    # 4.5 commands, titles
    "R-060": ("K301", (runs("y"), done()), (runs("x"), done())),
    "R-060 later": ("K301", (done(), runs()), (runs(), done(), done())),
    "R-061": ("K302", (runs(), runs()), (runs(), runs("y"))),
    "R-061 settled": ("K302", (runs(), done(), runs()), (runs(), done(), runs("y"))),
    "R-062 error": ("K303", (TURN, runs(), done(sourceEventSeq=0, kind="error")), (TURN, runs(), done(kind="error"))),
    "R-062 success": (
        "K303",
        (TURN, runs(), done(sourceEventSeq=2)),
        (TURN, runs(), done(sourceEventSeq=0.0)),
    ),
    "R-062 null": ("K303", (TURN, runs(), done(sourceEventSeq=None)), (TURN, runs(), done())),
    "R-062 a command/run": ("K303", (TURN, runs(), done(sourceEventSeq=1)), (TURN, runs(), done(sourceEventSeq=0))),
    "R-062 a command/done": (
        "K303",
        (TURN, runs(), done(), done(sourceEventSeq=2)),
        (TURN, runs(), done(), done(sourceEventSeq=0)),
    ),
    "R-070 no list": ("P140", (without(titles(kind="user"), "messageSeqs"),), (titles(kind="user"),)),
    "R-070 no source": ("P140", (without(titles(kind="user"), "source"),), (titles(kind="user"),)),
    "R-070 empty": ("P140", inside(titles()), inside(titles(2))),
    "R-070 user": ("P140", inside(titles(2, kind="user")), inside(titles(kind="user"))),
    "R-072 other event": ("K401", inside(titles(1)), inside(titles(2))),
    "R-072 later": ("K401", (TURN, STEP, titles(3), HI), (TURN, STEP, HI, titles(2))),
    "R-072 other source": (
        "K401",
        (but(HI, "data.source.kind", "goal"), titles(0)),
        (but(HI, "data.source.name", "goal"), titles(0)),
    ),
    "R-072 shadowed": (
        "K401",
        (HI, user("x", "m7", sourceEventSeqs=[0], surfaceOp=span(0, 0)), titles(2)),
        (HI, user("x", "m7", sourceEventSeqs=[0], surfaceOp=span(0, 0)), titles(0)),
    ),
    "R-072 request": ("K401", inside(asks_title(1)), inside(asks_title(2))),
    "R-072 text": ("K401", inside(titles("2")), inside(titles(2.0))),
    "R-072 negative zero": ("K401", (HI, titles(-0.0)), (HI, titles(0))),
    "R-073": ("K402", inside(titles(2, 2)), (HI, user("x", "m7"), titles(1, 0))),
    "R-073 request": ("K402", inside(asks_title(2, 2)), inside(asks_title(2))),
    "R-074 none": ("P141", inside(but(asks_title(2), "data.messages", [])), inside(asks_title(2))),
    "R-074 role": ("P141", inside(asks_title(2, role="assistant")), inside(asks_title(2))),
    "R-074 two blocks": ("P141", inside(asks_title(2, content=[text("a"), text("b")])), inside(asks_title(2))),
    "R-074 no text block": ("P141", inside(asks_title(2, content=[IMAGE])), inside(asks_title(2))),
    "R-074 source": ("P141", inside(asks_title(2, source={"kind": "user"})), inside(asks_title(2))),
    "R-074 cites nothing": ("P140", inside(asks_title()), inside(asks_title(2))),
    # 4.6 PTC dispatch
    "R-082 parent": ("K501", inside(dispatch(parent="d0")), inside(dispatch(parent="c1"))),
    "R-082 parent of another root": (
        "K501",
        inside(dispatch(), dispatch("d2", "d1", "c2")),
        inside(dispatch(), dispatch("d2", "d1", "c1")),
    ),
    "R-082 itself": ("K501", inside(dispatch("d1", "d1")), inside(dispatch("c1", "c1"))),
    "R-082 a tree over turns": (
        "K501",
        (TURN, dispatch(), settles(), turn_end(), turn(2), dispatch("d2", "d9")),
        (TURN, dispatch(), settles(), turn_end(), turn(2), dispatch("d2", "d1"), dispatch("d3", "d2")),
    ),
    "R-082 ids": ("P139", inside(dispatch(root="", parent="")), inside(dispatch())),
    "R-082 ids of a settlement": ("P139", inside(dispatch(), settles(sub=1)), inside(dispatch(), settles())),
    "R-083": ("K502", inside(dispatch(), dispatch()), inside(dispatch(), dispatch("d2"))),
    "R-083 settled": ("K502", inside(dispatch(), settles(), dispatch()), inside(dispatch(), settles())),
    "R-084": ("K503", inside(settles()), inside(dispatch(), settles())),
    "R-084 twice": ("K503", inside(dispatch(), settles(), settles()), inside(dispatch(), settles())),
    "R-085 root": (
        "K504",
        inside(dispatch(), settles(root="c2", parent="c2")),
        inside(dispatch(), settles()),
    ),
    "R-085 parent": (
        "K504",
        inside(dispatch(), dispatch("d2", "d1"), settles("d2", "c1")),
        inside(dispatch(), dispatch("d2", "d1"), settles("d2", "d1")),
    ),
    "R-085 name": ("K504", inside(dispatch(), settles(name="cat")), inside(dispatch(), settles())),
    "R-085 arguments": (
        "K504",
        inside(dispatch(arguments={"a": [1], "b": {}}), settles(arguments={"a": [1, 2], "b": {}})),
        inside(dispatch(arguments={"a": [1], "b": {}}), settles(arguments={"b": {}, "a": [1.0]})),
    ),
    "R-085 name of any kind": (
        "K504",
        inside(dispatch(name={"a": [0]}), settles(name={"a": [-0.0]})),
        inside(dispatch(name={"a": [0], "b": 1}), settles(name={"b": 1, "a": [0]})),
    ),
    "R-085 name 0 is not -0": (
        "K504",
        inside(dispatch(name=0), settles(name=-0.0)),
        inside(dispatch(name=-0.0), settles(name=-0.0)),
    ),
    "R-085 name of a big number": (
        "K504",
        inside(dispatch(name=ODD), settles(name=MORE)),
        inside(dispatch(name=ODD), settles(name=SAME)),
    ),
    "R-085 absent name": (
        "K504",
        inside(dispatch(name=None), without(settles(), "name")),
        inside(without(dispatch(), "name"), without(settles(), "name")),
    ),
    "R-085 0 is not -0": (
        "K504",
        inside(dispatch(arguments=[0]), settles(arguments=[-0.0])),
        inside(dispatch(arguments=[-0.0]), settles(arguments=[-0.0])),
    ),
    "R-085 absent arguments": (
        "K504",
        inside(dispatch(arguments=None), without(settles(), "arguments")),
        inside(without(dispatch(), "arguments"), without(settles(), "arguments")),
    ),
    "R-086": (
        "K505",
        inside(dispatch(), settles(), dispatch(root="c2", parent="c2")),
        inside(dispatch(), settles(), dispatch("d2", root="c2", parent="c2")),
    ),
    # 4.7 surface
    "R-090 start": (
        "S301",
        (*OPEN, user("x", "m7", sourceEventSeqs=[1, 2], surfaceOp=span(1, 2))),
        (*OPEN, user("x", "m7", sourceEventSeqs=[1, 2], surfaceOp=span(2, 2))),
    ),
    "R-090 end": (
        "S301",
        (HI, TURN, user("x", "m7", sourceEventSeqs=[0, 1], surfaceOp=span(0, 1))),
        (HI, TURN, user("x", "m7", sourceEventSeqs=[0, 1], surfaceOp=span(0, 0))),
    ),
    "R-091": (
        "S302",
        (HI, user("x", "m7"), user("y", "m8", sourceEventSeqs=[0, 1], surfaceOp=span(1, 0))),
        (HI, user("x", "m7"), user("y", "m8", sourceEventSeqs=[1, 0], surfaceOp=span(0, 1))),
    ),
    "R-091 is by position": (
        "S302",
        (
            HI,
            user("x", "m7"),
            user("y", "m8", sourceEventSeqs=[0], surfaceOp=span(0, 0)),
            user("z", "m9", sourceEventSeqs=[1, 2], surfaceOp=span(1, 2)),
        ),
        (
            HI,
            user("x", "m7"),
            user("y", "m8", sourceEventSeqs=[0], surfaceOp=span(0, 0)),
            user("z", "m9", sourceEventSeqs=[1, 2], surfaceOp=span(2, 1)),
        ),
    ),
    "R-092": (
        "S304",
        (HI, user("x", "m7"), TURN, user("y", "m8", sourceEventSeqs=[0, 2], surfaceOp=span(0, 1))),
        (HI, user("x", "m7"), TURN, user("y", "m8", sourceEventSeqs=[2, 0, 1], surfaceOp=span(0, 1))),
    ),
    "R-092 ranges": (
        "S304",
        (HI, user("x", "m7"), TURN, user("y", "m8", sourceEventSeqs=[[1, 2]], surfaceOp=span(0, 1))),
        (HI, user("x", "m7"), TURN, user("y", "m8", sourceEventSeqs=[[0, 2]], surfaceOp=span(0, 1))),
    ),
    "R-092 no sources": (
        "S304",
        (HI, user("y", "m8", surfaceOp=span(0, 0))),
        (HI, user("y", "m8", sourceEventSeqs=[0], surfaceOp=span(0, 0))),
    ),
    "R-095 prune": (
        "K210",
        (TURN, STEP, system(), HI, prunes(2, 3, [2, 3])),
        (TURN, STEP, system(), HI, prunes(3, 3, [3])),
    ),
    "R-095 summary": (
        "K210",
        (TURN, STEP, system(), HI, begins(), sums(2, 2, [2])),
        (TURN, STEP, system(), HI, begins(), sums(3, 3, [3])),
    ),
    "R-096 user": (
        "S308",
        (TURN, STEP, system(), user("x", "m7", sourceEventSeqs=[2], surfaceOp=span(2, 2))),
        (TURN, STEP, system(), system("Be long.", "m7", sourceEventSeqs=[2], surfaceOp=span(2, 2))),
    ),
    "R-096 not alone": (
        "S308",
        (TURN, STEP, system(), HI, system("x", "m7", sourceEventSeqs=[2, 3], surfaceOp=span(2, 3))),
        (TURN, STEP, system(), HI, system("x", "m7", sourceEventSeqs=[2], surfaceOp=span(2, 2))),
    ),
    "R-096 the replacement is the head": (
        "S308",
        (
            *(TURN, STEP, system(), system("x", "m7", sourceEventSeqs=[2], surfaceOp=span(2, 2))),
            user("y", "m8", sourceEventSeqs=[3], surfaceOp=span(3, 3)),
        ),
        (
            *(TURN, STEP, system(), system("x", "m7", sourceEventSeqs=[2], surfaceOp=span(2, 2))),
            system("y", "m8", sourceEventSeqs=[3], surfaceOp=span(3, 3)),
        ),
    ),
    "R-097 append": ("S315", (TURN, STEP, HI, system()), (TURN, STEP, system(), HI)),
    "R-097 replace": (
        "S315",
        (TURN, STEP, HI, system("x", sourceEventSeqs=[2], surfaceOp=span(2, 2))),
        (TURN, STEP, system(), system("x", "m7", sourceEventSeqs=[2], surfaceOp=span(2, 2)), HI),
    ),
    "R-098": (
        "S308",
        (TURN, STEP, system(), HI, system("x", "m7"), user("y", "m8", sourceEventSeqs=[2], surfaceOp=span(2, 2))),
        (TURN, STEP, system(), HI, system("x", "m7"), user("y", "m8", sourceEventSeqs=[4], surfaceOp=span(4, 4))),
    ),
    # 4.8 seeds
    "R-101": ("H111", (FORK, SEEDED), (FORK, CUT)),
    "R-101 true alone": ("H111", (FORK, event("session/end-seed", {"inherited": 1})), (FORK, CUT)),
    "R-102": ("H112", (CUT,), (SEEDED,)),
    # 4.9 delivery and catalog
    "R-110": ("K601", (TURN, delivered(sessionId="s2")), (TURN, delivered())),
    "R-110 inherited": (
        "K601",
        (FORK, TURN, delivered(sessionId="s0"), CUT, delivered(sessionId="s0")),
        (FORK, TURN, delivered(sessionId="s0"), CUT, delivered()),
    ),
    "R-110 the last marker is the cut": (
        "K601",
        (FORK, TURN, CUT, SEEDED, delivered(sessionId="s0")),
        (FORK, TURN, CUT, delivered(sessionId="s0"), CUT),
    ),
    "R-110 without a parent": (
        "K601",
        (head(isSeeded=True), TURN, delivered(sessionId="s0"), CUT),
        (FORK, TURN, delivered(sessionId="s0"), CUT),
    ),
    "R-110 form also in the inherited part": (
        "P137",
        (FORK, TURN, delivered(throughSeq=1), CUT),
        (FORK, TURN, delivered(throughSeq=0), CUT),
    ),
    "P-222 session": ("P137", (TURN, delivered(sessionId="")), (TURN, delivered())),
    "P-222 own seq": ("P137", (TURN, delivered(throughSeq=1)), (TURN, delivered(throughSeq=0.0))),
    "P-222 another generation is opaque": (
        "P137",
        (TURN, delivered(sessionId=1)),
        (TURN, delivered(sessionId=1, sessionFormatVersion=5)),
    ),
    "P-220 absent means 0": (
        "P137",
        (TURN, delivered(sessionId=1)),
        (TURN, without(delivered(sessionId=1), "sessionFormatVersion")),
    ),
    "P-221": ("P137", (TURN, delivered(sessionFormatVersion="3")), (TURN, delivered(sessionFormatVersion=3))),
    "R-120": ("K701", (child(), child()), (child(), child("s3"))),
    "R-120 inherited": (
        "K701",
        (FORK, child(), CUT, child("s3"), child("s3")),
        (FORK, child(), child(), CUT, child()),
    ),
    "P-162 inherited": ("P136", (FORK, CUT, child(mode="x")), (FORK, child(mode="x"), CUT)),
    "P-162 no object": ("P136", (event("subagent/catalog", 7),), (child(),)),
    "P-162 version": ("P136", (child(version=3),), (child(version=1.0),)),
    "P-162 version of negative zero": ("P136", (child(version=-1),), (child(version=-0.0),)),
    "P-162 unknown of negative zero": (
        "P136",
        (child(mode="unknown", version=-0.0),),
        (child(mode="unknown", version=1),),
    ),
    "P-162 external": ("P136", (child(version=2),), (child(version=2, mode="external"),)),
    "P-162 external needs 2": ("P136", (child(version=1, mode="external"),), (child(version=2, mode="external"),)),
    "P-162 unknown": ("P136", (child(mode="unknown"),), (child(mode="unknown", version=1),)),
    "P-162 label": ("P136", (child(mode="continuable"),), (child(mode="continuable", label=""),)),
    "P-162 label of one-shot": ("P136", (child(label=1),), (child(label="x", more=1),)),
    "P-162 created": ("P136", (child(childCreatedAt=-1),), (child(childCreatedAt=0),)),
    "P-162 child": ("P136", (child(1),), (child(""),)),
    # 4.10 developer messages, image offload
    "R-130": (
        "S311",
        (*OPEN, request(tools=[TOOL]), develops(ADDS, headerSeq=2)),
        (*OPEN, request(tools=[TOOL]), develops(ADDS, headerSeq=3)),
    ),
    "R-130 later": (
        "S311",
        (*OPEN, develops(ADDS, headerSeq=4), request(tools=[TOOL])),
        (*OPEN, request(tools=[TOOL]), develops(ADDS, headerSeq=3.0)),
    ),
    "R-131 missing": (
        "S312",
        (*OPEN, request(), develops(ADDS, headerSeq=3)),
        (*OPEN, request(tools=[TOOL]), develops(ADDS, headerSeq=3)),
    ),
    "R-131 of another header": (
        "S312",
        (*OPEN, request(), request("change", tools=[TOOL]), develops(ADDS, headerSeq=3)),
        (*OPEN, request(), request("change", tools=[TOOL]), develops(ADDS, headerSeq=4)),
    ),
    "R-131 twice": (
        "S312",
        (*OPEN, request(tools=[TOOL, TOOL]), develops(ADDS, headerSeq=3)),
        (*OPEN, request(tools=[TOOL, TOOL | {"name": "cat"}]), develops(ADDS, headerSeq=3)),
    ),
    "R-131 description": (
        "S312",
        (*OPEN, request(tools=[TOOL | {"description": 1}]), develops(ADDS, headerSeq=3)),
        (*OPEN, request(tools=[TOOL | {"description": ""}]), develops(ADDS, headerSeq=3)),
    ),
    "R-131 parameters": (
        "S312",
        (*OPEN, request(tools=[TOOL | {"parameters": []}]), develops(ADDS, headerSeq=3)),
        (*OPEN, request(tools=[TOOL]), develops(ADDS, REMOVES, headerSeq=3)),
    ),
    "P-039 null block beside an addition": (
        "S316",
        (*OPEN, request(tools=[TOOL]), develops(ADDS, None, headerSeq=3)),
        (*OPEN, request(tools=[TOOL]), develops(ADDS, 7, REMOVES, headerSeq=3)),
    ),
    "P-039 null tool in the named header": (
        "S316",
        (*OPEN, request(tools=[TOOL, None]), develops(ADDS, headerSeq=3)),
        (*OPEN, request(tools=[None]), request("change", tools=[TOOL, 7]), develops(ADDS, headerSeq=4)),
    ),
    "R-131 before a null": (
        "S312",
        (*OPEN, request(tools=[None]), develops(ADDS, None, headerSeq=3)),
        (*OPEN, request(tools=[None]), develops(REMOVES, None)),
    ),
    "R-135 not on the surface": (
        "S314",
        (TURN, STEP, SHOWN, offloads(1)),
        (TURN, STEP, SHOWN, offloads(2)),
    ),
    "R-135 shadowed": (
        "S314",
        (
            TURN,
            STEP,
            SHOWN,
            but(user("x", "m7", sourceEventSeqs=[2], surfaceOp=span(2, 2)), "data.content", [IMAGE]),
            offloads(2),
        ),
        (
            TURN,
            STEP,
            SHOWN,
            but(user("x", "m7", sourceEventSeqs=[2], surfaceOp=span(2, 2)), "data.content", [IMAGE]),
            offloads(3),
        ),
    ),
    "R-135 type": (
        "S314",
        inside(says(IMAGE), offloads(3)),
        (*CALLED, but(result(), "data.message.content", [IMAGE]), offloads(5)),
    ),
    "R-136 index": ("S314", (TURN, STEP, SHOWN, offloads(2, 2)), (TURN, STEP, SHOWN, offloads(2, 0, 1))),
    "R-136 already": (
        "S314",
        (TURN, STEP, SHOWN, offloads(2, 0), offloads(2, 0)),
        (TURN, STEP, SHOWN, offloads(2, 0), offloads(2, 1)),
    ),
    "R-136 born offloaded": (
        "S314",
        (TURN, STEP, but(SHOWN, "data.content.1.offloaded", value=True), offloads(2, 0)),
        (TURN, STEP, but(SHOWN, "data.content.1.offloaded", value=True), offloads(2, 1)),
    ),
    "R-136 null block": (
        "S314",
        (TURN, STEP, but(SHOWN, "data.content.0", None), offloads(2, 0)),
        (TURN, STEP, but(SHOWN, "data.content.0", 7), offloads(2, 0)),
    ),
    "P-235 order": ("S314", (TURN, STEP, SHOWN, offloads(2, 1, 0)), (TURN, STEP, SHOWN, offloads(2, 0, 1))),
    "P-235 other member": ("S314", (TURN, STEP, SHOWN, offloads(2, 0, more=1)), (TURN, STEP, SHOWN, offloads(2, 0))),
    "P-235 no targets": ("S314", (event("image/offload", {"targets": []}),), (HI,)),
    # payloads that only the relations look at
    "P-003": ("P129", (event("turn/start", 7),), (TURN,)),
    "P-003 assistant/message": ("P129", inside(but(says(), "data", 7)), inside(says())),
    "P-003 assistant/attempt": (
        "P129",
        inside(but(event("assistant/attempt"), "data", 7)),
        inside(event("assistant/attempt", {"turn": 1, "step": 1, "stream": []})),
    ),
    "P-003 turn/end": ("P129", (TURN, but(turn_end(), "data", 7)), IDLE),
    "P-003 step/start": ("P129", (TURN, but(STEP, "data", 7)), (TURN, STEP)),
    "P-003 tool/call": ("P129", (*ASKED, but(call(), "data", 7)), CALLED),
    "P-003 request/context": (
        "P129",
        (TURN, but(event("request/context"), "data", 7)),
        (TURN, event("request/context")),
    ),
    "P-003 step/end": ("P129", (TURN, STEP, event("step/end", 7)), (TURN, STEP, step_end())),
    "P-034": ("P131", inside(says(asks(""))), inside(says(but(asks("x"), "type", "other")))),
    "P-038": ("P130", inside(says("x")), inside(says({"type": "x"}))),
    "P-093 list": (
        "P134",
        (event("agent/inbox/spliced", {"target": "next-turn"}),),
        (event("agent/inbox/spliced", 7),),
    ),
    "P-093 source": (
        "P134",
        (event("agent/inbox/spliced", {"inserted": [{"source": {"kind": ""}}]}),),
        (event("agent/inbox/spliced", {"inserted": [{"source": {"kind": "x"}}]}),),
    ),
    "P-094": ("P145", (event("command/run", {"commandId": ""}),), (runs(),)),
}

# What is allowed although one might think otherwise: each opens without a warning.
FREE = {
    "R-014 a turn without a step": IDLE,
    "R-015 open call": CALLED,
    "R-015 open compaction": (*OPEN, begins()),
    "R-015 open dispatch": (TURN, dispatch()),
    "R-022 user message outside turns": (HI, *IDLE, user("x", "m7")),
    "R-032 the id is free again": (
        *CALLED,
        result(),
        says(asks(), name="m4"),
        call(),
        but(result(), "data.message.id", "m5"),
        *DONE,
    ),
    "R-037 a result that cites nothing": (*CALLED, result(), *DONE),
    "R-037 a result that cites its call": (*CALLED, result(sourceEventSeqs=[4], surfaceOp="append"), *DONE),
    "R-048 a retry that never starts": (*HEADED, retry(), retry(2), again(2)),
    "R-056 a checkpoint in another turn state": (
        *(HI, begins(turn=None), sums(0, 0, [0])),
        but(checkpoint(), "surfaceOp", span(0, 0)) | {"sourceEventSeqs": [0]},
        ends(turn=None),
    ),
    "R-063 two ends of one command": (runs(), done(), done()),
    "R-075 the text of a title request": inside(asks_title(2, content=[text("unrelated")])),
    "R-087 a dispatch outlives its turn": (TURN, dispatch(), turn_end(), turn(2), settles(), turn_end(2)),
    "R-099 no system message": inside(says()),
    "R-100 earlier inherited markers": (FORK, CUT, TURN, turn_end(), CUT, turn(2)),
    "R-105 a plain marker inside a turn": (*OPEN, SEEDED, says(), *DONE),
    "R-106 closers of a fork": (FORK, *ASKED, CUT, forked(5), step_end(), turn_end(1, "forked")),
    "R-132 a removal of nothing": inside(develops(REMOVES)),
    "P-013 any reason": (TURN, but(turn_end(), "data.reason", GONE)),
}


# After a breach the event's own claim is taken over, so that each of these logs has one finding.
ONCE = {
    "a wrong turn number": ("T201", (turn(5), turn_end(5), turn(6), turn_end(6))),
    "a turn inside a turn": ("T202", (*OPEN, turn(2), step(1, 2), step_end(1, 2), turn_end(2))),
    "an end of another turn": ("T203", (TURN, turn_end(7), turn(2), turn_end(2))),
    "an open step": ("T204", (*OPEN, turn_end(), turn(2), step(1, 2), step_end(1, 2), turn_end(2))),
    "a wrong step number": ("T205", (TURN, step(3), step_end(3), step(4), step_end(4), turn_end())),
    "a turn that lost its start": ("T206", (STEP, says(), step_end(), turn_end(), turn(2), turn_end(2))),
    "a step behind its turn": ("T206", (*IDLE, STEP, step_end(), step(2), step_end(2), turn(2), turn_end(2))),
    "a step behind an earlier turn": ("T206", (*IDLE, turn(2), turn_end(2), STEP, step_end(), turn(3), turn_end(3))),
    "a step without a turn": ("T206", (but(STEP, "data.turn", None), turn(), turn_end())),
    "a step in a step": ("T207", (*OPEN, step(2), step_end(2), step(3), step_end(3), turn_end())),
    "an end of another step": ("T208", (TURN, STEP, step_end(9), step(2), step_end(2), turn_end())),
    "a call that nobody advertised": (
        "T302",
        (*OPEN, call(), says(asks()), call(), result(), *DONE),
    ),
    "and that is answered": ("T302", (*OPEN, call(), result(), *DONE)),
    "and that is not": ("T302", (*OPEN, call(), *DONE)),
    "a call that differs": ("T304", (*ASKED, but(call(), "data.name", "cat"), result(), *DONE)),
    "a call advertised twice": ("T301", (*OPEN, says(asks(), asks()), call(), result(), *DONE)),
    "a call left open": ("T307", (*ASKED, *DONE, turn(2), turn_end(2))),
    "a wrong retry number": ("K103", (*HEADED, retry(3), retry(4), again(4))),
    "a changed retry id": ("K104", (*HEADED, retry(), retry(2, retryId="r2"), retry(3))),
    "a retry id of two chains": ("K105", (*HEADED, retry(), retry(1, policyKey="other"), retry(2))),
    "a summary of another compaction": ("K203", (*OPEN, begins(), sums(compactionId="k2"), ends())),
    "an end of another compaction": ("K203", (*OPEN, begins(), sums(), ends(compactionId="k2"), begins())),
    "a compaction in a compaction": ("K201", (*OPEN, begins(), begins(compactionId="k2"), sums(compactionId="k2"))),
    "a command used twice": ("K302", (runs(), runs(), done())),
    "a dispatch started twice": ("K502", inside(dispatch(), dispatch(), settles())),
    "a settlement that differs": ("K504", inside(dispatch(), settles(name="cat"), dispatch("d2", "d1"))),
    "a replacement that does not fit": (
        "S304",
        (HI, user("x", "m7", surfaceOp=span(0, 0)), user("y", "m8", sourceEventSeqs=[0], surfaceOp=span(0, 0))),
    ),
}


@pytest.mark.parametrize("name", ONCE)
def test_what_only_follows_is_not_told_again(name, judged):
    code, log = ONCE[name]
    assert [finding.code for finding in judged(log).findings if finding.code != "T101"] == [code]


def test_a_step_outside_every_turn_is_told_once(codes):
    assert codes((STEP, says(), step_end())) == ["T206"]


def errors(report):
    return [finding.code for finding in report.findings if finding.severity == "error"]


@pytest.mark.parametrize("name", PAIRS)
def test_pair(name, judged):
    code, bad, good = PAIRS[name]
    broken, sound = judged(bad), judged(good)
    assert broken.native.opens is False
    assert broken.native.first == code
    assert code in errors(broken)
    assert sound.native.opens is True
    assert [finding.code for finding in sound.findings] in ([], ["T101"])


@pytest.mark.parametrize("name", [name for name, (code, _, _) in PAIRS.items() if code[0] != "H"])
def test_a_refused_log_is_not_called_open_as_well(name, judged):
    report = judged(PAIRS[name][1])
    assert report.state == "refused"
    assert "T101" not in [finding.code for finding in report.findings]


@pytest.mark.parametrize("name", FREE)
def test_free(name, judged):
    report = judged(FREE[name])
    assert report.native.opens is True
    assert [finding.code for finding in report.findings] in ([], ["T101"])


@pytest.mark.parametrize("name", [*PAIRS, *FREE])
def test_the_exact_path_says_the_same(name, judged, slowly):
    for log in PAIRS[name][1:] if name in PAIRS else (FREE[name],):
        assert slowly(log) == judged(log)


def test_dsh_answers_alike(dsh):
    logs = {f"{name} bad": bad for name, (_, bad, _) in PAIRS.items()}
    logs |= {f"{name} good": good for name, (_, _, good) in PAIRS.items()}
    assert dsh(logs | FREE) == []


@pytest.mark.parametrize(
    "crossing, other", [(turn_end(2), "T203"), (turn(2), "T202"), (but(turn_end(), "data", 7), None)]
)
def test_an_open_compaction_is_looked_at_before_the_turn(crossing, other, judged):
    rows = (TURN, begins(), crossing)
    assert judged(rows).native.first == ("K208" if other else "P129")
    stale = judged((*rows, event("session/end-seed"))).native.first
    assert stale == (other or "P129")  # the compaction was dropped, and with it what crosses it

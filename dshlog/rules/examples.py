"""A bad and a good log for every code of the register; the two differ in one thing.

Only `explain`, the manual and the tests load this.
"""

# ruff: noqa: FBT003 - the booleans are values of a log

from __future__ import annotations

from typing import Any

from dshlog.rules.examples_database import DATABASE
from dshlog.rules.examples_upgrade import UPGRADE
from dshlog.rules.sample import (
    GONE,
    Example,
    Folder,
    Frame,
    Held,
    Link,
    Part,
    Raw,
    Row,
    asks,
    at,
    but,
    call,
    chunk,
    delta,
    event,
    head,
    message,
    packed,
    request,
    result,
    says,
    says_early,
    span,
    step,
    step_end,
    stream,
    system,
    text,
    turn,
    turn_end,
    user,
    wrapped,
)

# What a code is for that no log can produce.

TURN, STEP, HI, HELLO = turn(), step(), user(), says()
OPEN = (TURN, STEP, HI)  # events 0 to 2; event 3 comes next
DONE = (step_end(), turn_end())
ASKED = (*OPEN, says(asks()))  # events 0 to 3; the call c1 waits to be started
CALLED = (*ASKED, call())  # events 0 to 4; the call c1 waits for its answer


def _pair(
    bad: tuple[Part, ...] = (),
    good: tuple[Part, ...] = (),
    *,
    before: tuple[Part, ...] = (),
    after: tuple[Part, ...] = (),
    version: int = 4,
    **marks: Any,  # noqa: ANN401 - the marks of Example
) -> Example:
    return Example(
        bad=bad,
        good=good,
        before=(head(version, **marks.pop("header", {})), *before),
        after=after,
        version=version,
        **marks,
    )


def _changed(good: Row, path: str, value: object, **rest: Any) -> Example:  # noqa: ANN401 - as _pair
    """Make a pair of a good row and the same row with another value at a path."""
    return _pair((but(good, path, value),), (good,), **rest)


def _said(good: Row, path: str, value: object, **rest: Any) -> Example:  # noqa: ANN401 - as _pair
    """Make such a pair for a row that stands inside the first step, which then ends."""
    return _changed(good, path, value, before=OPEN, after=DONE, **rest)


def _header(version: int = 4, after: tuple[Part, ...] = (), /, **members: object) -> Example:
    return Example(bad=(head(version, **members),), good=(head(version),), after=after, version=version)


# -- framing

HEADER_FRAME = Frame((head(),))
TURN_FRAME = Frame((at(TURN, 0, 5),))
SUM = bytes.fromhex("3a63ef51")  # the checksum of the text of TURN_FRAME


def _framed(bad: tuple[Part, ...], good: tuple[Part, ...] = (), *, after: tuple[Part, ...] = ()) -> Example:
    return Example(bad=bad, good=good, before=(HEADER_FRAME,), after=after)


FRAMING = {
    "F101": Example(bad=(Raw(b""),), good=(head(),)),
    "F102": Example(bad=(Frame((head(),), cut=2, note="frame without its last 2 bytes"),), good=(HEADER_FRAME,)),
    "F103": _framed((TURN_FRAME._replace(cut=2, note="frame without its last 2 bytes"),), (TURN_FRAME,)),
    "F104": _framed((TURN_FRAME, Raw(bytes.fromhex("deadbeef"))), (TURN_FRAME,)),
    "F105": _framed((TURN_FRAME, Raw(bytes(8))), (TURN_FRAME,)),
    "F106": _framed((Raw(bytes.fromhex("502a4d1802000000aaaa")),), after=(TURN_FRAME,)),
    "F107": _framed((TURN_FRAME._replace(descriptor=0x08, note="frame with a reserved bit"),), (TURN_FRAME,)),
    "F108": _framed(
        (TURN_FRAME._replace(descriptor=4, checksum=bytes(4), note="frame with the checksum 00000000"),),
        (TURN_FRAME._replace(descriptor=4, checksum=SUM, note=f"frame with the checksum {SUM.hex()}"),),
    ),
    "F109": Example(bad=(Frame((head(), TURN), note="one frame"),), good=(HEADER_FRAME, Frame((TURN,)))),
    "F110": _framed((TURN_FRAME._replace(text_cut=1, note="frame of a record without its line feed"),), (TURN_FRAME,)),
}

# -- lines and JSON

_TEXT = b'{"type":"user/message","seq":2,"time":102,"data":{"id":"m1","role":"user","content":[{"type":"text","text":"%s"}],"source":{"kind":"user"}},"surfaceOp":"append"}'

LINES = {
    "L101": _pair((Raw(b'{"type":"turn/end","seq":1,"ti'),), before=(TURN,)),
    "L102": _pair((b'{"type":"user/message","seq":1,}',), (HI,), before=(TURN,), after=(turn_end(),)),
    "L103": _pair((b"[1]",), (HI,), before=(TURN,), after=(turn_end(),)),
    "L104": _pair((_TEXT % b"caf\xe9",), (_TEXT % "caf\u00e9".encode(),), before=(TURN, STEP), after=DONE),
    "L105": _pair((_TEXT % b"\\ud83d",), (_TEXT % b"\\ud83d\\ude80",), before=(TURN, STEP), after=DONE),
    "L106": _pair((user("x" * 300),), (user("x"),), before=(TURN,), after=(turn_end(),), scaled=True),
    "L107": _changed(
        but(HI, "data.content.0.more", [1]),
        "data.content.0.more",
        [[[[[1]]]]],
        before=(TURN, STEP),
        after=DONE,
        scaled=True,
    ),
}

# -- the header

_SEED = event("session/end-seed", {"inherited": True})
_OWN = event("session/end-seed", {})

HEADER = {
    "H101": Example(bad=(Raw(b'{"type":"session","version":4'),), good=(head(),)),
    "H102": Example(bad=(b'{"type":"session","version":4,}',), good=(head(),)),
    "H103": _header(type="message"),
    "H104": _header(isSeeded=GONE),
    "H105": _header(colour="blue"),
    "H106": _header(cwd="p"),
    "H107": _header(sandboxMode="off"),
    "H108": _header(version="4"),
    "H109": _header(version=5),
    "H110": _header(0, (TURN, turn_end()), seedLength=9),
    "H111": _pair((_OWN,), (_SEED,), header={"isSeeded": True}),
    "H112": _pair((_SEED,), (_OWN,)),
    "H113": _pair((but(_OWN, "data", None),), (_OWN,), before=(TURN,), after=(turn_end(),)),
    "H114": _header(cwd="C:\\p"),
    "H115": _header(id="s" * 245),
    "G101": Example(before=(head(0),), version=0, readers=("0.2.1", "native")),
    "G102": Example(before=(head(),), readers=("0.1.2", "native")),
}
HEADER["H110"] = HEADER["H110"]._replace(good=(head(0, seedLength=2),))

# -- the envelope and the vocabulary

_TOLD = (*OPEN, HELLO, *DONE)  # events 0 to 5
_NOTE = event("demo/note", {"text": "unheard of"})


def _enveloped(path: str, value: object) -> Example:
    return _changed(HI, path, value, before=(TURN, STEP), after=DONE)


ENVELOPE = {
    "E101": _enveloped("time", GONE),
    "E102": _enveloped("colour", "blue"),
    "E103": _enveloped("type", 5),
    "E104": _enveloped("seq", 2.5),
    "E105": _changed(HI, "seq", GONE, before=(TURN, STEP), version=0),
    "E106": _enveloped("time", 1.5),
    "E107": _enveloped("ignorable", False),
    "E108": _enveloped("sourceEventSeqs", "1"),
    "E109": _pair((_NOTE,), ({**_NOTE, "ignorable": True},)),
    "E110": _pair((event("mode/set", {"mode": "plan"}),)),
    "E111": _pair(
        (event("tool/code-dispatch-start", {"rootCallId": "c", "parentCallId": "c", "subCallId": "d"}),),
        (event("tool/ptc-dispatch-start", {"rootCallId": "c", "parentCallId": "c", "subCallId": "d"}),),
        before=(TURN,),
    ),
    "E112": _pair(({**_NOTE, "ignorable": True},), version=0),
    "E121": _pair((at(says(text("Hi!")), 3), at(step_end(), 4), at(turn_end(), 5)), before=_TOLD),
    "E122": _pair((at(step_end(), 3), at(turn_end(1, "interrupted"), 4)), before=_TOLD),
    "E123": _pair((at(TURN, 0), at(STEP, 1)), before=_TOLD),
    "E124": _pair((), (TURN,), after=(at(HI, 1), at(turn_end(), 2))),
    "E125": _pair((), (HELLO,), before=OPEN, after=(at(step_end(), 4), at(turn_end(), 5))),
    "E126": _pair((at(HI, 2, 102), at(HI, 2, 102)), (at(HI, 2, 102),), before=(TURN, STEP)),
    "E127": _pair(
        (
            {
                **packed("text-chunks", {}),
                "seq0": 3,
                "data": (_RUN := {"turn": 1, "step": 1, "index": 0, "dt": [1, 1], "texts": ["a", "b", "c"]}),
            },
        ),
        ({**packed("text-chunks", {}), "seq0": 4, "data": _RUN},),
        before=(*OPEN, chunk(delta("a"))),
        version=0,
    ),
    "E129": _pair((at(step_end(), 4), at(HELLO, 3)), (HELLO, step_end()), before=OPEN, after=(at(turn_end(), 5),)),
}

# -- payloads

_V4_DEVELOPER = event(
    "developer/message",
    {
        "turn": 1,
        "step": 1,
        "message": message("m9", "developer", {"kind": "tool-registry"}, {"type": "tool-removal", "toolName": "ls"}),
    },
    surfaceOp="append",
)
_TOOL = {"name": "ls", "description": "List files.", "parameters": {"type": "object"}}
_ADDS = event(
    "developer/message",
    {
        "turn": 1,
        "step": 1,
        "message": message("m9", "developer", {"kind": "tool-registry"}, {"type": "tool-addition", "toolName": "ls"}),
        "headerSeq": 3,
    },
    surfaceOp="append",
)
_PICTURE = {"attachmentId": "a", "mediaType": "image/png", "bytes": 10, "width": 2, "height": 2}
_SHOWN = but(HI, "data.content", [{"type": "image", "attachment": _PICTURE}])
_NOT_STARTED = {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}
_FORKED = but(
    but(but(result("Not started."), "data.message.isError", True), "data.error", _NOT_STARTED),
    "data.message.id",
    "forked-tool-result-c1-4",
)
_SPLICED = event(
    "agent/inbox/spliced", {"target": "next-turn", "start": 0, "removedCount": 0, "inserted": [HI["data"]]}
)
_PRUNE = event("compaction/prune", {"shadowedRange": {"start": 2, "end": 2}, "shadowedSeqs": [2]})
_CHILD = event("subagent/catalog", {"version": 0, "childId": "s2", "childCreatedAt": 1, "mode": "one-shot"})
_DELIVERED = event(
    "session-log-deepseek/delivery-accepted", {"sessionFormatVersion": 4, "sessionId": "s1", "throughSeq": 0}
)
_RETRY = event("llm/retry", {"turn": 1, "step": 1, "retryId": "r1", "retry": 1, "policyKey": "p"})
_AGAIN = event("llm/retry-started", {"turn": 1, "step": 1, "retryId": "r1", "retry": 1})
_INNER = event(
    "tool/ptc-dispatch-start",
    {"rootCallId": "c1", "parentCallId": "c1", "subCallId": "d1", "name": "ls", "arguments": {}},
)
_SETTLED = but(_INNER, "type", "tool/ptc-dispatch")
_TITLE = event("session/title", {"title": "Hi", "messageSeqs": [2], "source": {"kind": "llm"}})
_ASKS_TITLE = event(
    "session/title-llm-request",
    {"messageSeqs": [2], "messages": [message("m8", "user", {"kind": "dsh-session-title-llm"}, text("Name it: Hi"))]},
)
_BEGIN = event("compaction/start", {"compactionId": "k1", "turn": 1})
_SUMMARY = event(
    "compaction/summary",
    {"compactionId": "k1", "summary": [text("Hi.")], "shadowedRange": {"start": 1, "end": 1}, "shadowedSeqs": [1]},
)
_CLOSE = event("compaction/end", {"compactionId": "k1", "turn": 1})

PAYLOAD = {
    "P101": _said(request(), "data.reason", "fallback"),
    "P102": _said(HELLO, "data.message", GONE),
    "P103": _enveloped("data.id", GONE),
    "P104": _enveloped("data.role", "system"),
    "P105": _enveloped("data.content", "Hi"),
    "P106": _enveloped("data.source", {}),
    "P107": _said(HELLO, "data.message.source.model", GONE),
    "P108": _changed(wrapped(), "data.message.source.kind", "user", before=CALLED, after=DONE, version=3),
    "P109": _changed(
        wrapped(),
        "data.message.content",
        [*wrapped()["data"]["message"]["content"], text("b.txt")],
        before=CALLED,
        after=DONE,
        version=3,
    ),
    "P110": _changed(system(), "data.message.source.kind", "user", before=(TURN, STEP), after=DONE),
    "P111": _said(HELLO, "data.stream", GONE),
    "P112": _said(request(), "data.header.config.model", GONE),
    "P113": _said(
        request(adapterDefaults={"maxTokens": True}, config={"provider": "p", "model": "m", "maxTokens": 9}),
        "data.header.config.maxTokens",
        GONE,
    ),
    "P114": _said(request(tools=[_TOOL]), "data.header.tools", []),
    "P115": _said(request(), "data.reason", "other"),
    "P116": _said(but(request("series"), "data.startsSeries", True), "data.startsSeries", False),
    "P117": _said(request(), "data.header", GONE),
    "P118": _said(request(), "data.header.system", "Be brief."),
    "P119": _said(request(tools=[_TOOL | {"deferLoading": True}]), "data.header.tools.0.deferLoading", False),
    "P120": _changed(system(), "data.message.content.0.text", GONE, before=(TURN, STEP), after=DONE),
    "P121": _said(_V4_DEVELOPER, "data.message.id", GONE),
    "P122": _changed(result(), "data.message.content", "a.txt", before=CALLED, after=DONE),
    "P123": _changed(
        but(but(result(), "data.message.isError", True), "data.error", {"name": "Error", "code": "E"}),
        "data.message.isError",
        False,
        before=CALLED,
        after=DONE,
    ),
    "P124": _enveloped("data.source", {"kind": "plugin", "plugin": "demo"}),
    "P125": _enveloped("data.role", "developer"),
    "P126": _enveloped("data.content.0", {"type": "tool-result", "toolCallId": "c1", "content": []}),
    "P127": _enveloped("data.content.0", {"type": "tool-removal", "toolName": "ls"}),
    "P128": _changed(_FORKED, "data.message.id", "forked-tool-result-c1-3", before=ASKED, after=DONE),
    "P129": _changed(event("command/run", {"commandId": "x"}), "data", 7),
    "P130": _said(HELLO, "data.message.content.0", "Hello"),
    "P131": _changed(says(asks()), "data.message.content.0.id", "", before=OPEN, after=(call(), result(), *DONE)),
    "P132": _changed(turn_end(), "data.colour", "blue", before=(TURN,), version=0),
    "P133": _changed(
        event(
            "steering/message", {"turn": 1, "content": [text("Stop.")], "source": {"kind": "user"}}, surfaceOp="append"
        ),
        "data.turn",
        "one",
        before=(TURN,),
        after=(turn_end(),),
        version=0,
    ),
    "P134": _changed(_SPLICED, "data.inserted.0.source", {}),
    "P135": _said(_PRUNE, "data.shadowedRange", GONE),
    "P136": _changed(_CHILD, "data.mode", "fast"),
    "P137": _changed(_DELIVERED, "data.throughSeq", 9, before=(event("command/run", {"commandId": "x"}),)),
    "P138": _said(_RETRY, "data.retryId", GONE),
    "P139": _said(_INNER, "data.subCallId", GONE),
    "P140": _said(_TITLE, "data.messageSeqs", []),
    "P141": _said(_ASKS_TITLE, "data.messages", []),
    "P142": _changed(_BEGIN, "data.compactionId", GONE, before=(TURN,)),
    "P144": _changed(wrapped(), "data", 7, before=CALLED, after=DONE, version=3),
    "P145": _changed(event("command/run", {"commandId": "x"}), "data.commandId", GONE),
    "P143": _changed(says(name="m2"), "data.message.id", "m1", before=OPEN, after=DONE),
}
PAYLOAD["P131"] = PAYLOAD["P131"]._replace(after=())

# -- chunk runs and streams

_PACKED = packed("text-chunks", {"turn": 1, "step": 1, "index": 0, "dt": [1, 1], "texts": ["He", "l", "lo"]})
_STREAMED = says(stream=stream(delta("Hello")))
_USED = {"type": "usage", "usage": {"inputTokens": 3, "outputTokens": 1, "totalTokens": 4}}
_FINISHED = {"type": "finish", "reason": {"kind": "stop"}, "replayState": {"response": "r1"}}
_ATTEMPT = (*OPEN, chunk(delta("Hel")), chunk(delta("lo")))  # events 0 to 4


def _cited(bad: Part, good: Part = says_early([3, 4])) -> Example:  # noqa: B008 - rows are never changed
    return _pair((bad,), (good,), before=_ATTEMPT, after=DONE, version=0, deep=True)


CHUNKS = {
    "C101": _changed(_PACKED, "data.dt", [1], before=OPEN, version=0),
    "C201": _said(_STREAMED, "data.stream.0.type", "piece", deep=True),
    "C202": _said(_STREAMED, "data.message.content.0.text", "Goodbye", deep=True),
    "C203": _said(
        says(stream=stream(delta("Hello"))),
        "data.stream",
        stream(delta("Hello"), {"type": "block-start", "index": 1, "blockType": "image"}),
        deep=True,
    ),
    "C204": _said(says(stream=stream(delta("Hello"), _USED), usage=_USED["usage"]), "data.usage", GONE, deep=True),
    "C205": _said(
        but(says(stream=stream(delta("Hello"), _FINISHED)), "data.message.source.replayState", {"response": "r1"}),
        "data.message.source.replayState.response",
        "r2",
        deep=True,
    ),
    "C206": _cited(says_early([3])),
    "C207": _cited(says_early([2, 3, 4])),
    "C208": _cited(says_early()),
    "C209": _pair(
        (user("Go on.", "m4", sourceEventSeqs=[3], surfaceOp="append"),),
        (user("Go on.", "m4", sourceEventSeqs=[2], surfaceOp="append"),),
        before=(*_ATTEMPT, says_early([3, 4])),
        after=DONE,
        version=0,
        deep=True,
    ),
    "C210": _pair((chunk(delta("Hello"), 2),), (chunk(delta("Hello")),), before=OPEN, after=DONE, version=0, deep=True),
}

# -- the surface

_TWO = (*OPEN, user("Are you there?", "m4"))  # events 0 to 3, of which 2 and 3 are on the surface
_ANSWERED = (*CALLED, result())  # events 0 to 5; the result is event 5


def _replaces(start: int, end: int, *cited: int) -> Row:
    return user("Both.", "m5", sourceEventSeqs=list(cited), surfaceOp=span(start, end))


def _rewrites(start: int, end: int, *cited: int) -> Row:
    return result("(pruned)", sourceEventSeqs=list(cited), surfaceOp=span(start, end))


_LED = (TURN, STEP, system(), HI)  # events 0 to 3; event 2 is the protected head
_OFFLOAD = event("image/offload", {"targets": [{"seq": 2, "imageIndexes": [0]}]})
_OFFERED = (*OPEN, request(tools=[_TOOL]))  # events 0 to 3

SURFACE = {
    "S201": _enveloped("surfaceOp", GONE),
    "S202": _enveloped("surfaceOp", "prepend"),
    "S203": _pair(({**step_end(), "surfaceOp": "append"},), (step_end(),), before=(TURN, STEP), after=(turn_end(),)),
    "S204": _pair(({**HI, "sourceEventSeqs": []},), (HI,), before=(TURN, STEP), after=DONE),
    "S205": _pair(
        ({**HI, "sourceEventSeqs": [0, 0]},), ({**HI, "sourceEventSeqs": [0]},), before=(TURN, STEP), after=DONE
    ),
    "S206": _pair(
        ({**HI, "sourceEventSeqs": [2]},), ({**HI, "sourceEventSeqs": [1]},), before=(TURN, STEP), after=DONE
    ),
    "S207": _pair(({**HELLO, "sourceEventSeqs": [2]},), (HELLO,), before=OPEN, after=DONE),
    "S208": _pair((_replaces(2, 4, 2, 3),), (_replaces(2, 3, 2, 3),), before=_TWO, after=DONE),
    "S301": _pair((_replaces(1, 3, 2, 3),), (_replaces(2, 3, 2, 3),), before=_TWO, after=DONE),
    "S302": _pair((_replaces(3, 2, 2, 3),), (_replaces(2, 3, 2, 3),), before=_TWO, after=DONE),
    "S304": _pair((_replaces(2, 3, 2),), (_replaces(2, 3, 2, 3),), before=_TWO, after=DONE),
    "S305": _pair((_rewrites(3, 5, 3, 5),), (_rewrites(5, 5, 5),), before=_ANSWERED, after=DONE),
    "S306": _pair((_rewrites(2, 2, 2),), (_rewrites(5, 5, 5),), before=_ANSWERED, after=DONE),
    "S307": _changed(_rewrites(5, 5, 5), "data.message.id", "m9", before=_ANSWERED, after=DONE),
    "S308": _pair((_replaces(2, 2, 2),), (_replaces(3, 3, 3),), before=_LED, after=DONE),
    "S309": _said(_V4_DEVELOPER, "data.message.content.0.toolName", GONE),
    "S310": _changed(_ADDS, "data.headerSeq", GONE, before=_OFFERED, after=DONE),
    "S311": _changed(_ADDS, "data.headerSeq", 1, before=_OFFERED, after=DONE),
    "S312": _changed(_ADDS, "data.message.content.0.toolName", "cat", before=_OFFERED, after=DONE),
    "S313": _pair((_OFFLOAD,), before=(TURN, STEP, _SHOWN), after=DONE, folded=True),
    "S314": _changed(_OFFLOAD, "data.targets.0.imageIndexes", [1], before=(TURN, STEP, _SHOWN), after=DONE),
    "S315": _pair((HI, system()), (system(), HI), before=(TURN, STEP), after=DONE),
    "S316": _changed(
        but(_ADDS, "data.message.content", [_ADDS["data"]["message"]["content"][0], text("New.")]),
        "data.message.content.1",
        None,
        before=_OFFERED,
        after=DONE,
    ),
}

# -- turns, steps, calls

LIFECYCLE = {
    "T101": _pair((), (turn_end(),), before=(TURN,)),
    "T102": _changed(STEP, "data", None, before=(TURN,), version=0),
    "T103": _changed(
        but(says_early(), "data.message.content", [asks()]), "data.message.content.0.id", "", before=OPEN, version=0
    ),
    "T201": _pair((turn(3),), (turn(2),), before=(TURN, turn_end())),
    "T202": _pair((), (turn_end(),), before=(TURN,), after=(turn(2), turn_end(2))),
    "T203": _pair((turn_end(2),), (turn_end(),), before=(TURN,)),
    "T204": _pair((), (step_end(),), before=(TURN, STEP), after=(turn_end(),)),
    "T205": _pair((step(2), step_end(2)), (STEP, step_end()), before=(TURN,), after=(turn_end(),)),
    "T206": _pair((), (TURN,), after=(STEP,)),
    "T207": _pair((), (step_end(),), before=(TURN, STEP), after=(step(2), step_end(2), turn_end())),
    "T208": _pair((step_end(2),), (step_end(),), before=(TURN, STEP), after=(turn_end(),)),
    "T209": _pair((step_end(), HELLO), (HELLO, step_end()), before=OPEN, after=(turn_end(),)),
    "T210": _pair((), (TURN,), after=(event("request/context"),)),
    "T301": _pair((says(asks(), name="m4"),), (says(asks("c2"), name="m4"),), before=ASKED),
    "T302": _pair((HELLO,), (says(asks()),), before=OPEN, after=(call(), result(), *DONE)),
    "T303": _pair((call(), call()), (call(),), before=ASKED, after=(result(), *DONE)),
    "T304": _changed(call(), "data.arguments", '{"all":true}', before=ASKED, after=(result(), *DONE)),
    "T305": _pair((HELLO,), (says(asks()), call()), before=OPEN, after=(result(), *DONE)),
    "T306": _pair((), (call(),), before=ASKED, after=(result(), *DONE)),
    "T307": _pair((), (result(),), before=CALLED, after=DONE),
}

# -- other lifecycles

_IN = (TURN, HI)  # events 0 and 1, of which 1 is on the surface
_CHECKPOINT = user("Hi.", "m6", sourceEventSeqs=[1], surfaceOp=span(1, 1))
_CHECKPOINT = but(_CHECKPOINT, "data.source", {"kind": "compact-checkpoint", "compactionId": "k1"})
_RAN = event("command/run", {"commandId": "x", "name": "title"})
_RETRIED = but(_RETRY, "data.retry", 2)
_COMMAND_DONE = event("command/done", {"commandId": "x", "kind": "success", "sourceEventSeq": 0})

OTHERS = {
    "K101": _said(_RETRY, "data.step", 2),
    "K102": _said(_RETRY, "data.provider", "q"),
    "K103": _said(_RETRY, "data.retry", 2),
    "K104": _changed(_RETRIED, "data.retryId", "r2", before=(*OPEN, _RETRY), after=DONE),
    "K105": _changed(
        but(but(_RETRY, "data.policyKey", "q"), "data.retryId", "r2"),
        "data.retryId",
        "r1",
        before=(*OPEN, _RETRY),
        after=DONE,
    ),
    "K106": _pair((), (_RETRY,), before=OPEN, after=(_AGAIN, *DONE)),
    "K107": _pair((_AGAIN, _AGAIN), (_AGAIN,), before=(*OPEN, _RETRY), after=DONE),
    "K108": _changed(_AGAIN, "data.step", 2, before=(*OPEN, _RETRY), after=DONE),
    "K201": _pair((_BEGIN, _BEGIN), (_BEGIN,), before=_IN, after=(_SUMMARY, _CLOSE, turn_end())),
    "K202": _changed(_BEGIN, "data.turn", 2, before=_IN),
    "K203": _changed(_SUMMARY, "data.compactionId", "k2", before=(*_IN, _BEGIN)),
    "K204": _pair((), (_BEGIN, _SUMMARY), before=_IN, after=(_CLOSE, turn_end())),
    "K205": _pair((_SUMMARY, _SUMMARY), (_SUMMARY,), before=(*_IN, _BEGIN), after=(_CLOSE, turn_end())),
    "K206": _pair((), (_SUMMARY,), before=(*_IN, _BEGIN), after=(_CLOSE, turn_end())),
    "K207": _changed(_CLOSE, "data.turn", None, before=(*_IN, _BEGIN, _SUMMARY), after=(turn_end(),)),
    "K208": _pair((), (_SUMMARY, _CLOSE), before=(*_IN, _BEGIN), after=(turn_end(),)),
    "K209": _changed(_SUMMARY, "data.shadowedSeqs", [0, 1], before=(*_IN, _BEGIN), after=(_CLOSE, turn_end())),
    "K210": _pair(
        (but(_PRUNE, "data", {"shadowedRange": {"start": 2, "end": 3}, "shadowedSeqs": [2, 3]}),),
        (but(_PRUNE, "data", {"shadowedRange": {"start": 3, "end": 3}, "shadowedSeqs": [3]}),),
        before=_LED,
        after=DONE,
    ),
    "K211": _pair((), (_BEGIN, _SUMMARY), before=_IN, after=(_CHECKPOINT,)),
    "K301": _pair((), (_RAN,), after=(but(_COMMAND_DONE, "data.sourceEventSeq", GONE),)),
    "K302": _changed(but(_RAN, "data.commandId", "y"), "data.commandId", "x", before=(_RAN,)),
    "K303": _changed(
        but(_COMMAND_DONE, "data.sourceEventSeq", 0), "data.sourceEventSeq", 2, before=(TURN, turn_end(), _RAN)
    ),
    "K401": _said(_TITLE, "data.messageSeqs", [0]),
    "K402": _said(_TITLE, "data.messageSeqs", [2, 2]),
    "K501": _said(_INNER, "data.parentCallId", "d9"),
    "K502": _pair((_INNER, _INNER), (_INNER,), before=OPEN, after=DONE),
    "K503": _pair((), (_INNER,), before=OPEN, after=(_SETTLED, *DONE)),
    "K504": _changed(_SETTLED, "data.name", "cat", before=(*OPEN, _INNER), after=DONE),
    "K505": _pair(
        (but(but(_INNER, "data.rootCallId", "c2"), "data.parentCallId", "c2"),),
        (but(_INNER, "data.subCallId", "d2"),),
        before=(*OPEN, _INNER),
        after=DONE,
    ),
    "K601": _changed(_DELIVERED, "data.sessionId", "s2", before=(_RAN,)),
    "K701": _changed(but(_CHILD, "data.childId", "s3"), "data.childId", "s2", before=(_CHILD,)),
}

# -- names and directories

_PROJECT = "sessions/--home-u-p--"
_HOME = f"{_PROJECT}/s1"
_LIVE = f"{_HOME}/session.v4.jsonl"
_LOG = (head(),)
_OTHER = (head(id="s2"),)
_ALONE: dict[str, Any] = {_LIVE: _LOG}
_CHAT = (head(), TURN, turn_end())
_EARLY = (head(0), turn(), turn_end())
_CACHED = "storages/session_projcache/sessions/s1.json"


def _cache(seq: int) -> tuple[Part, ...]:
    identity = {"formatVersion": 4, "cwd": "/home/u/p"}
    return ({"record": {"identity": identity, "rows": {"turns": {"seq": seq}}}},)


def _placed(bad: dict[str, Any], good: dict[str, Any] | None = None, **marks: Any) -> Example:  # noqa: ANN401
    return Example(bad_tree=bad, good_tree=_ALONE if good is None else good, **marks)


PLACES = {
    "F100": _placed({_LIVE: Folder()}),
    "D101": _placed({f"{_HOME}/session.v3.jsonl": _LOG}),
    "D102": _placed({f"{_PROJECT}/s2/session.v4.jsonl": _LOG}),
    "D103": _placed({"sessions/--home-u-q--/s1/session.v4.jsonl": _LOG}),
    "D104": _placed(
        _ALONE | {"sessions/_no-cwd/s1/session.v4.jsonl": (head(cwd=GONE),)},
        _ALONE | {"sessions/_no-cwd/s2/session.v4.jsonl": (head(id="s2", cwd=GONE),)},
    ),
    "D105": _placed(
        _ALONE | {f"{_PROJECT}/s2/session.v4.jsonl.zstd": (Frame((head(id="s2"),)),)},
        _ALONE | {f"{_PROJECT}/s2/session.v4.jsonl": _OTHER},
    ),
    "D106": _placed(_ALONE | {f"{_PROJECT}/s2.jsonl": _OTHER}, _ALONE | {f"{_PROJECT}/s2/session.v4.jsonl": _OTHER}),
    "D107": _placed(
        {_LIVE: _CHAT, f"{_HOME}/session.jsonl": (*_EARLY, turn(2), turn_end(2))},
        {_LIVE: _CHAT, f"{_HOME}/session.jsonl": (head(0), at(TURN, 0, 100), turn_end())},
    ),
    "D108": _placed(_ALONE | {f"{_LIVE}.0123456789ab.tmp": (Raw(b""),)}),
    "D109": _placed(_ALONE | {f"{_LIVE}.bak": _LOG}),
    "D110": _placed(_ALONE | {f"{_PROJECT}/s2": Link("../../elsewhere/s2"), "elsewhere/s2/session.v4.jsonl": _OTHER}),
    "D111": _placed(
        {_LIVE: (head(parentSession="s2"),)},
        {_LIVE: (head(parentSession="s2"),), f"{_PROJECT}/s2/session.v4.jsonl": _OTHER},
    ),
    "D112": _placed({_LIVE: _CHAT, _CACHED: _cache(7)}, {_LIVE: _CHAT, _CACHED: _cache(1)}),
    "D113": _placed(
        {_LIVE: _LOG, f"{_HOME}/session.lock": Held()}, {_LIVE: _LOG, f"{_HOME}/session.lock": (Raw(b""),)}
    ),
    "D114": Example(bad_tree=_ALONE, good_tree=_ALONE, grows=True),
    "D115": _placed({f"{_PROJECT}/s2/session.v4.jsonl": _LOG}),
    "D116": _placed(
        _ALONE | {f"{_PROJECT}/s2/session.v04.jsonl": _OTHER}, _ALONE | {f"{_PROJECT}/s2/session.v4.jsonl": _OTHER}
    ),
    "D117": _placed({_LIVE: (head(), user("x" * 300))}, {_LIVE: (head(), user("x"))}, scaled=True),
    "D118": _placed(
        {f"{_HOME}/session.v3.jsonl": (head(3),), _LIVE: _LOG},
        {f"{_HOME}/session.v3.jsonl": (head(3),)},
        asked=f"{_HOME}/session.v3.jsonl",
    ),
}

EXAMPLES: dict[str, Example] = {
    **FRAMING, **LINES, **HEADER, **ENVELOPE, **PAYLOAD, **CHUNKS, **SURFACE, **LIFECYCLE, **OTHERS, **PLACES, **UPGRADE, **DATABASE,
}  # fmt: skip

"""Checks that are never softened: on every record, also behind a bad one, also when it is marked ignorable.

Source: storage.md §5.3; events.md E-025, P-028..P-036, P-062..P-081, P-230..P-234.
"""

from __future__ import annotations

import pytest

from dshlog.rules.admission import admission_faults, canonical
from dshlog.rules.sample import (
    GONE,
    asks,
    but,
    call,
    event,
    message,
    request,
    result,
    says,
    span,
    step,
    step_end,
    stream,
    system,
    text,
    turn,
    turn_end,
    user,
)

TURN, STEP, HI = turn(), step(), user()
OPEN = (TURN, STEP)
ASKED = (TURN, STEP, HI, says(asks()))
CALLED = (*ASKED, call())
DONE = (step_end(), turn_end())

TOOL = {"name": "ls", "description": "List.", "parameters": {}}
PICTURE = {"attachmentId": "a", "mediaType": "image/png", "bytes": 0, "width": 1, "height": 1}
IMAGE = {"type": "image", "attachment": PICTURE}
WRAPPER = {"type": "tool-result", "toolCallId": "c1", "content": []}
ADDS = {"type": "tool-addition", "toolName": "ls"}
REMOVES = {"type": "tool-removal", "toolName": "ls"}
PLUGIN = {"kind": "plugin", "plugin": "p"}


def developer(*blocks, **data):
    told = message("m9", "developer", {"kind": "tool-registry"}, *blocks)
    return event("developer/message", {"turn": 1, "step": 1, "message": told, **data}, surfaceOp="append")


def attempt(*chunks):
    return event("assistant/attempt", {"turn": 1, "step": 1, "stream": stream(*chunks)})


def starts(kind):
    return {"type": "block-start", "index": 0, "blockType": kind}


def ends(block):
    return {"type": "block-end", "index": 0, "block": block}


def inbox(*messages):
    return event("agent/inbox/spliced", {"target": "next-turn", "start": 0, "inserted": list(messages)})


def title(**told):
    said = {**message("m8", "user", {"kind": "dsh-session-title-llm"}, text("Name it.")), **told}
    return event("session/title-llm-request", {"messageSeqs": [2], "messages": [said]})


def settled(*blocks):
    ids = {"rootCallId": "c1", "parentCallId": "c1", "subCallId": "d1", "name": "ls", "arguments": {}}
    return event("tool/ptc-dispatch", {**ids, "isError": False, "content": list(blocks)})


def started():
    return but(but(settled(), "type", "tool/ptc-dispatch-start"), "data.content", GONE)


def queued(*blocks):
    return event("team/message/queued", {"version": 2, "message": {"id": "x", "content": list(blocks)}})


def summary(name, *blocks):
    shadowed = {"shadowedRange": {"start": 2, "end": 2}, "shadowedSeqs": [2]}
    return event("compaction/summary", {"compactionId": "k1", "summary": [], name: list(blocks), **shadowed})


COMPACTING = (*OPEN, HI, event("compaction/start", {"compactionId": "k1", "turn": 1}))
SYSTEM_V3 = event(
    "system/message",
    {"turn": 1, "step": 1, "message": message("m0", "system", {"kind": "plugin", "plugin": "p"}, text("Be brief."))},
    surfaceOp="append",
)
NOT_STARTED = {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}
FORKED = but(but(result("Any."), "data.message.isError", value=True), "data.error", NOT_STARTED)
FORKED = but(FORKED, "data.message.id", "forked-tool-result-c1-4")
REFORKED = (*ASKED, FORKED)  # whose result, event 4, may be replaced


def changes(row, *entries, before=OPEN, version=4):
    """Give (code, version, before, bad row, good row) for each (code, path, bad value, good value)."""
    out = []
    for code, path, bad, good in entries:
        rows = [row if value is None and path is None else _but(row, path, value) for value in (bad, good)]
        out.append((code, version, before, *rows))
    return out


def _but(row, path, value):
    try:
        return but(row, path, value)
    except KeyError:
        return row


REQUESTS = [
    entry
    for version in (3, 4)
    for entry in changes(
        request(),
        ("P117", "data", 7, request()["data"]),
        ("P117", "data", None, request()["data"]),
        ("P117", "data.header", GONE, request()["data"]["header"]),
        ("P117", "data.header", [], request()["data"]["header"]),
        ("P118", "data.header.system", "", GONE),
        ("P118", "data.header.system", None, GONE),
        version=version,
    )
]
MESSAGES = [
    *changes(
        HI,
        ("P124", "data.source", {"kind": "plugin"}, {"kind": "plugin:x"}),
        ("P125", "data.role", "developer", "user"),
        ("P126", "data.content.0", WRAPPER, {"type": "tool-results"}),
        ("P127", "data.content.0", ADDS, {"type": "tool-additions"}),
        ("P127", "data.content.0", REMOVES, None),
    ),
    *changes(
        says(),
        ("P124", "data.message.source", PLUGIN, says()["data"]["message"]["source"]),
        ("P125", "data.message.role", "developer", "assistant"),
        ("P126", "data.message.content.0", WRAPPER, {"type": "x"}),
        ("P127", "data.message.content.0", ADDS, {"type": "x"}),
        ("P126", "data.stream", stream(ends(WRAPPER)), stream(ends({"type": "x"}))),
        ("P127", "data.stream", stream(ends(REMOVES)), stream(ends(None))),
        ("P126", "data.stream", stream(starts("tool-result")), stream(starts("text"))),
        ("P127", "data.stream", stream(starts("tool-addition")), [{"type": "x", "chunk": starts("tool-addition")}]),
    ),
    *changes(
        attempt(),
        ("P126", "data.stream", stream(starts("tool-result")), ["x", {"type": "chunk"}]),
        ("P127", "data.stream", stream(ends(ADDS)), stream({"type": "other", "block": ADDS})),
    ),
    *changes(
        inbox(HI["data"]),
        ("P124", "data.inserted.0.source", {"kind": "plugin"}, {"kind": "x"}),
        ("P125", "data.inserted.0.role", "developer", "anything"),
        ("P126", "data.inserted.0.content.0", WRAPPER, {"type": "x"}),
        ("P127", "data.inserted.0.content", [REMOVES], GONE),
    ),
    *changes(
        title(),
        ("P124", "data.messages.0.source", PLUGIN, {"kind": "dsh-session-title-llm"}),
        ("P125", "data.messages.0.role", "developer", "user"),
        ("P126", "data.messages.0.content.0", WRAPPER, text("x")),
        ("P127", "data.messages.0.content.0", ADDS, text("x")),
        before=(*OPEN, HI),
    ),
    *changes(
        summary("summary", text("x")),
        ("P126", "data.summary.0", WRAPPER, 7),
        ("P127", "data.summary.0", ADDS, {"type": "x"}),
        ("P126", "data.rawOutput", [WRAPPER], [None]),
        ("P127", "data.rawOutput", [REMOVES], "x"),
        before=COMPACTING,
    ),
    *changes(settled(), ("P126", "data.content", [WRAPPER], [ADDS, REMOVES]), before=(*OPEN, started())),
    *changes(queued(), ("P126", "data.message.content", [WRAPPER], [ADDS, REMOVES])),
]
RESULTS = [
    *changes(
        result(),
        ("P122", "data", 7, result()["data"]),
        ("P122", "data.message", GONE, result()["data"]["message"]),
        ("P122", "data.message.id", "", "x"),
        ("P122", "data.message.role", "user", "tool"),
        ("P122", "data.message.toolCallId", GONE, "c1"),
        ("P122", "data.message.toolCallId", "c2", "c1"),
        ("P122", "data.message.source.kind", "user", "tool"),
        ("P122", "data.message.source", 7, {"kind": "tool", "callId": "c1", "more": 1}),
        ("P122", "data.message.content", {}, []),
        ("P122", "data.message.isError", None, GONE),
        ("P122", "data.message.isError", "true", True),
        ("P124", "data.message.source", {**PLUGIN, "callId": "c1"}, {"kind": "tool", "callId": "c1"}),
        ("P125", "data.message.role", "developer", "tool"),
        ("P126", "data.message.content.0", WRAPPER, {"type": "x"}),
        ("P127", "data.message.content.0", ADDS, 7),
        ("P123", "data.error", {"name": "E", "code": "E"}, GONE),
        ("P123", "data.error", None, GONE),
        before=CALLED,
    ),
    *changes(
        but(result(), "data.message.isError", value=True),
        ("P126", "data.message.content", [WRAPPER], []),
        before=CALLED,
    ),
    *changes(
        FORKED,
        ("P128", "data.message.id", "forked-tool-result-c1-3", "forked-tool-result-c1-4"),
        ("P128", "data.message.id", "forked-tool-result-c1-04", "forked-tool-result-c1-4"),
        ("P128", "data.message.id", "forked-tool-result-c2-4", "forked-tool-result-c1-4"),
        ("P128", "data.error.name", "Other", "ToolNotStartedError"),
        ("P128", "data.message.content.0.text", 7, "any words"),
        ("P128", "data.message.content.0.type", "reasoning", "text"),
        ("P128", "data.message.content", [text("a"), text("b")], [text("a")]),
        ("P128", "data.message.content", ["a"], [{**text("a"), "more": 1}]),
        ("P128", "sourceEventSeqs", [3], GONE),
        before=ASKED,
    ),
    *changes(
        {**FORKED, "surfaceOp": span(4, 4), "sourceEventSeqs": [4]},
        ("P128", "sourceEventSeqs", [3, 4], [4]),
        before=REFORKED,
    ),
]
SYSTEMS = [
    *changes(
        system(),
        ("P120", "data", 7, system()["data"]),
        ("P120", "data.message", [], system()["data"]["message"]),
        ("P120", "data.turn", 0, 1.0),
        ("P120", "data.step", GONE, 1),
        ("P120", "data.message.id", GONE, "x"),
        ("P120", "data.message.role", "user", "system"),
        ("P120", "data.message.content", "x", []),
        ("P124", "data.message.source", PLUGIN, {"kind": "system-prompt", "more": 1}),
        ("P120", "data.message.content.0", "x", {"type": "x"}),
        ("P120", "data.message.content.0", {"type": ""}, {"type": "file"}),
        ("P120", "data.message.content.0.text", GONE, ""),
        ("P120", "data.message.content.0", {"type": "reasoning"}, {"type": "reasoning", "text": "", "more": 1}),
        ("P120", "data.message.content.0", but(asks(), "id", ""), {**asks(), "more": 1}),
        ("P120", "data.message.content.0", but(asks(), "name", ""), asks("c9")),
        ("P120", "data.message.content.0", but(asks(), "arguments", {}), asks("c9")),
        ("P120", "data.message.content.0", {"type": "image"}, IMAGE),
        ("P126", "data.message.content.0", WRAPPER, text("x")),
        ("P127", "data.message.content.0", ADDS, text("x")),
    ),
    *changes(
        SYSTEM_V3,
        ("P120", "data", 7, SYSTEM_V3["data"]),
        ("P120", "data.more", 1, GONE),
        ("P120", "data.message", 7, SYSTEM_V3["data"]["message"]),
        ("P120", "data.turn", 0, 1.0),
        ("P120", "data.step", "1", 1),
        ("P120", "data.message.more", 1, GONE),
        ("P120", "data.message.id", "", "x"),
        ("P120", "data.message.role", "user", "system"),
        ("P120", "data.message.content", 7, []),
        ("P120", "data.message.source", 7, {"kind": "plugin", "plugin": "x"}),
        ("P120", "data.message.source.kind", "system-prompt", "plugin"),
        ("P120", "data.message.source.plugin", "", "x"),
        ("P120", "data.message.source.more", 1, GONE),
        ("P120", "data.message.source.form", "other", "instructions"),
        ("P120", "data.message.source.form", ["catalog"], "catalog"),
        ("P120", "data.message.source.form", "snapshot", "relay"),
        ("P120", "data.message.source.form", "notice", "recall"),
        ("P120", "data.message.source", {**PLUGIN, "form": "relay", "sections": []}, {**PLUGIN, "sections": 7}),
        ("P120", "data.message.source", {**PLUGIN, "form": "relay", "summary": "x"}, {**PLUGIN, "summary": 7}),
        (
            "P120",
            "data.message.source",
            {**PLUGIN, "form": "notice", "summary": 7},
            {**PLUGIN, "form": "notice", "summary": ""},
        ),
        (
            "P120",
            "data.message.source",
            {**PLUGIN, "form": "snapshot", "sections": 7},
            {**PLUGIN, "form": "snapshot", "sections": []},
        ),
        (
            "P120",
            "data.message.source",
            {**PLUGIN, "form": "snapshot", "sections": [{"name": "", "text": ""}]},
            {**PLUGIN, "form": "snapshot", "sections": [{"name": "x", "text": ""}]},
        ),
        (
            "P120",
            "data.message.source",
            {**PLUGIN, "form": "snapshot", "sections": [{"name": "x", "text": "", "more": 1}]},
            {**PLUGIN, "form": "snapshot", "sections": [{"name": "x", "text": ""}]},
        ),
        (
            "P120",
            "data.message.source",
            {"kind": "plugin", "plugin": "compact"},
            {"kind": "plugin", "plugin": "compact", "compactionId": "k"},
        ),
        (
            "P120",
            "data.message.source",
            {"kind": "plugin", "plugin": "compact", "compactionId": "k", "sourceCommandId": ""},
            {"kind": "plugin", "plugin": "compact", "compactionId": "k", "sourceCommandId": "x"},
        ),
        ("P120", "data.message.source", {**PLUGIN, "compactionId": "k"}, PLUGIN),
        ("P120", "data.message.content.0", 7, {"type": "file", "any": 1}),
        ("P120", "data.message.content.0", {"type": ""}, {"type": "x"}),
        ("P120", "data.message.content.0.more", 1, GONE),
        ("P120", "data.message.content.0.text", 7, ""),
        ("P120", "data.message.content.0", {**asks(), "more": 1}, asks()),
        ("P120", "data.message.content.0", but(asks(), "name", ""), asks()),
        ("P120", "data.message.content.0", but(asks(), "arguments", 7), asks()),
        ("P120", "data.message.content.0", {**IMAGE, "more": 1}, IMAGE),
        ("P120", "data.message.content.0", {**WRAPPER, "more": 1}, WRAPPER),
        ("P120", "data.message.content.0", {**WRAPPER, "isError": 1}, {**WRAPPER, "isError": False}),
        ("P120", "data.message.content.0", {**WRAPPER, "toolCallId": ""}, WRAPPER),
        ("P120", "data.message.content.0", {**WRAPPER, "content": 7}, WRAPPER),
        (
            "P120",
            "data.message.content.0",
            {**WRAPPER, "content": [{"type": "text"}]},
            {**WRAPPER, "content": [text("x")]},
        ),
        version=3,
    ),
]
IMAGES = [
    ({"attachment": 7}, {}),
    ({"attachmentId": ""}, {"attachmentId": "x"}),
    ({"mediaType": "image/bmp"}, {"mediaType": "image/webp"}),
    ({"mediaType": ["image/png"]}, {"mediaType": "image/gif"}),
    ({"bytes": -1}, {"bytes": 0.0}),
    ({"width": 0}, {"width": 1}),
    ({"height": 1.5}, {"height": 2.0}),
    ({"name": 7}, {"name": ""}),
    ({"originalDimensions": 7}, {"originalDimensions": {"width": 1, "height": 1}}),
    ({"originalDimensions": {"width": 1}}, {"originalDimensions": {"width": 1.0, "height": 9}}),
    ({"originalDimensions": {"width": 1, "height": 0}}, {"originalDimensions": {"width": 1, "height": 1}}),
]
MORE = [{"more": 1}, {"originalDimensions": {"width": 1, "height": 1, "more": 1}}]  # refused in v3, carried in v4
SYSTEMS += [
    entry
    for more in MORE
    for entry in changes(
        SYSTEM_V3,
        ("P120", "data.message.content.0", {"type": "image", "attachment": PICTURE | more}, IMAGE),
        version=3,
    )
]
for _bad, _good in IMAGES:
    for _version, _row in ((3, SYSTEM_V3), (4, system())):
        _blocks = [{"type": "image", "attachment": _made.get("attachment", PICTURE | _made)} for _made in (_bad, _good)]
        SYSTEMS += changes(_row, ("P120", "data.message.content.0", *_blocks), version=_version)
DEVELOPERS = [
    *changes(
        developer(REMOVES),
        ("P121", "data", 7, developer(REMOVES)["data"]),
        ("P121", "data.message", 7, developer(REMOVES)["data"]["message"]),
        ("P121", "data.turn", 0, 1),
        ("P121", "data.step", GONE, 1.0),
        ("P121", "data.message.id", "", "x"),
        ("P121", "data.message.role", "user", "developer"),
        ("P121", "data.message.content", 7, []),
        ("P121", "data.message.source", GONE, {"kind": "x", "more": 1}),
        ("P121", "data.message.source.kind", "", "x"),
        ("P124", "data.message.source", PLUGIN, {"kind": "x"}),
        ("P126", "data.message.content.0", WRAPPER, 7),
        ("S309", "data.message.content.0.toolName", "", "x"),
        ("S309", "data.message.content.0.toolName", GONE, "x"),
        ("S310", "data.headerSeq", 2, GONE),
    ),
    *changes(
        developer(ADDS, headerSeq=2),
        ("S310", "data.headerSeq", GONE, 2),
        ("S310", "data.headerSeq", -1, 2.0),
        ("S309", "data.message.content.0.tool", TOOL, GONE),
        ("S309", "data.message.content.0.toolName", 7, "ls"),
        before=(*OPEN, request(tools=[TOOL])),
    ),
]
TOOLS = changes(
    request(tools=[TOOL, TOOL | {"name": "cat", "deferLoading": True}]),
    ("P119", "data.header.tools.1.deferLoading", False, True),
    ("P119", "data.header.tools.1.deferLoading", None, GONE),
)
RETIRED = [
    ("E111", version, OPEN, event(kind), {**event(kind), "ignorable": True})
    for version in (3, 4)
    for kind in ("tool/code-dispatch", "tool/code-dispatch-start")
]
ROWS = [*REQUESTS, *MESSAGES, *RESULTS, *SYSTEMS, *DEVELOPERS, *TOOLS, *RETIRED]
NAMED = {f"{number} v{row[1]} {row[0]} {row[3].get('type')}": row for number, row in enumerate(ROWS)}
BAD = b'{"type":'


def names(report):
    return [finding.code for finding in report.findings if finding.code != "T101"]


@pytest.mark.parametrize("name", NAMED)
def test_a_bad_row_refuses_the_log_and_a_good_one_does_not(name, judged, slowly):
    code, version, before, bad, good = NAMED[name]
    broken, sound = judged((*before, bad), version), judged((*before, good), version)
    assert broken.native.opens is False
    assert broken.native.first is not None
    assert code in names(broken)
    found = {finding.code for finding in broken.findings if finding.severity == "error"}
    assert code in found
    assert names(sound) == []
    assert sound.native.opens is True
    assert slowly((*before, bad), version) == broken
    assert slowly((*before, good), version) == sound


@pytest.mark.parametrize("name", NAMED)
def test_it_is_not_softened_behind_a_bad_record(name, judged):
    code, version, before, bad, good = NAMED[name]
    behind = (*before[:1], BAD, *before[2:])
    report = judged((*behind, bad), version)
    assert code in names(report)
    assert (report.state, report.native.opens) == ("refused", False)
    assert report.native.first not in {"L102", None}
    assert judged((*behind, good), version).native.opens is True


@pytest.mark.parametrize("name", [name for name, row in NAMED.items() if row[0] != "E111"])
def test_the_marker_changes_nothing(name, judged):
    code, version, before, bad, _ = NAMED[name]
    assert code in names(judged((*before, {**bad, "ignorable": True}), version))


@pytest.mark.parametrize("version", [0, 1, 2])
def test_older_generations_have_no_such_check(version):
    assert not [name for name, row in NAMED.items() if admission_faults(row[3], version)]


def carried(more):
    return (*OPEN, but(system(), "data.message.content.0", {"type": "image", "attachment": PICTURE | more}))


@pytest.mark.parametrize("more", MORE)
def test_further_members_of_an_attachment_are_carried_in_v4(more, judged):
    assert judged(carried(more)).native.opens is True


def test_dsh_answers_alike(dsh):
    for version in (3, 4):
        logs = {}
        for name, (_, v, before, bad, good) in NAMED.items():
            if v == version:
                logs |= {f"{name} bad": (*before, bad), f"{name} good": (*before, good)}
                logs[f"{name} behind"] = (*before[:1], BAD, *before[2:], bad)
                logs[f"{name} marked"] = (*before, {**bad, "ignorable": True})
        assert dsh(logs, version) == []


@pytest.mark.parametrize(
    "text_, number",
    [
        ("x-0", 0),
        ("x-7", 7),
        ("x-10", 10),
        ("x-00", None),
        ("x-07", None),
        ("x-", None),
        ("x--1", None),
        ("x-+1", None),
        ("x-1.0", None),
        ("x- 1", None),
        ("x-\u0661", None),
        ("y-1", None),
        (f"x-{2**53 - 1}", 2**53 - 1),
        (f"x-{2**53}", None),
        ("x-" + "9" * 5000, None),
    ],
)
def test_canonical_numbers(text_, number):
    assert canonical(text_, "x-") == number

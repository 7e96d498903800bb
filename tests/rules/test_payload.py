"""Shapes of payloads, as the build of each generation asks for them. Source: events.md §3."""

from __future__ import annotations

import pytest

from dshlog.rules.payload import log_only_payload_faults, surface_payload_faults
from dshlog.rules.sample import (
    GONE,
    asks,
    but,
    call,
    event,
    message,
    packed,
    request,
    result,
    says,
    says_early,
    span,
    step,
    step_end,
    system,
    text,
    turn,
    turn_end,
    user,
    wrapped,
)

TURN, STEP, HI = turn(), step(), user()
OPEN = (TURN, STEP, HI)
DONE = (step_end(), turn_end())
BUILT = (0, 3, 4)


def answers(version):
    return says() if version >= 3 else says_early()


def asked(version):
    return (*OPEN, but(answers(version), "data.message.content", [asks()]), call())


def answered(version):
    return result() if version == 4 else wrapped()


def early_system():
    told = message("m0", "system", {"kind": "plugin", "plugin": "p"}, text("Be brief."))
    return event("system/message", {"turn": 1, "step": 1, "message": told}, surfaceOp="append")


TOOL = {"name": "ls", "description": "List.", "parameters": {}}
DEFAULTS = request(adapterDefaults={"maxTokens": True}, config={"provider": "p", "model": "m", "maxTokens": 9})
EFFORT = request(config={"provider": "p", "model": "m", "reasoningEffort": "high"})

# (rule, path, bad value, good value): changes of one row
ANYWHERE = {
    "user": [
        ("P103", "data.id", GONE, "x"),
        ("P103", "data.id", "", "x"),
        ("P103", "data.id", 7, "7"),
        ("P104", "data.role", "system", "user"),
        ("P104", "data.role", GONE, "user"),
        ("P105", "data.content", "Hi", []),
        ("P105", "data.content", GONE, [{"no": "type"}]),
        ("P106", "data.source", GONE, {"kind": "x"}),
        ("P106", "data.source", [], {"kind": "x", "more": 1}),
        ("P106", "data.source", {"kind": ""}, {"kind": "user"}),
        ("P102", "data", 7, HI["data"]),
    ],
    "assistant": [
        ("P102", "data.message", GONE, message("x", "assistant", {"kind": "model", "provider": "p", "model": "m"})),
        ("P103", "data.message.id", GONE, "x"),
        ("P104", "data.message.role", "user", "assistant"),
        ("P105", "data.message.content", {}, []),
        ("P106", "data.message.source", 7, {"kind": "model", "provider": "p", "model": "m", "more": 1}),
        ("P107", "data.message.source.kind", "user", "model"),
        ("P107", "data.message.source.provider", GONE, "x"),
        ("P107", "data.message.source.model", "", "x"),
    ],
    "header": [
        ("P112", "data.header.config", GONE, {"provider": "x", "model": "y", "more": 1}),
        ("P112", "data.header.config.provider", "", "x"),
        ("P112", "data.header.config.model", 1, "x"),
    ],
    "effort": [("P112", "data.header.config.reasoningEffort", "", "low")],
    "defaults": [
        ("P113", "data.header.adapterDefaults", [], {"maxTokens": True}),
        ("P113", "data.header.adapterDefaults.maxTokens", False, True),
        ("P113", "data.header.config.maxTokens", GONE, 1),
        ("P113", "data.header.adapterDefaults", {"temperature": True}, {"maxTokens": True}),
    ],
}
LATER = {  # v3 and v4 only
    "assistant": [
        ("P111", "data.stream", GONE, []),
        ("P111", "data.stream", {}, []),
        ("P111", "data.turn", -1, 1.0),
        ("P111", "data.step", "1", 1),
    ],
    "attempt": [("P111", "data.stream", 7, []), ("P111", "data.turn", GONE, 1), ("P111", "data.step", 0.5, 1)],
    "header": [
        ("P115", "data.reason", GONE, "initial"),
        ("P115", "data.reason", "other", "resume"),
        ("P115", "data.reason", 1, "change"),
        ("P115", "data.reason", ["series"], "series"),
        ("P116", "data.startsSeries", False, True),
        ("P114", "data.header.adapterDefaults", {}, GONE),
        ("P114", "data.header.tools", [], [TOOL]),
    ],
}
WRAPPED = [  # v0 and v3
    ("P102", "data.message", GONE, wrapped()["data"]["message"]),
    ("P104", "data.message.role", "tool", "user"),
    ("P108", "data.message.source.kind", "user", "tool"),
    ("P108", "data.message.source.callId", GONE, "c1"),
    ("P108", "data.message.source.callId", "", "c1"),
    ("P109", "data.message.content", [], wrapped()["data"]["message"]["content"]),
    ("P109", "data.message.content.0", "x", wrapped()["data"]["message"]["content"][0]),
    ("P109", "data.message.content.0.type", "text", "tool-result"),
    ("P109", "data.message.content.0.toolCallId", "c2", "c1"),
    ("P109", "data.message.content.0.content", "a.txt", []),
]


def rows_of(version):
    """Give each kind of row with what stands before it."""
    return {
        "user": (HI, (TURN, STEP)),
        "assistant": (answers(version), OPEN),
        "attempt": (event("assistant/attempt", {"turn": 1, "step": 1, "stream": []}), OPEN),
        "header": (request("series"), OPEN),
        "effort": (EFFORT, OPEN),
        "defaults": (DEFAULTS, OPEN),
        "result": (answered(version), asked(version)),
    }


def changed(row, path, value):
    try:
        return but(row, path, value)
    except KeyError:  # what is not there need not be taken away
        return row


def pairs():
    """Give (code, version, breaking rows, sound rows) by name."""
    out = {}
    for version in BUILT:
        tables = dict(ANYWHERE)
        if version >= 3:
            tables = {kind: [*tables.get(kind, ()), *LATER.get(kind, ())] for kind in tables | LATER}
        if version < 4:
            tables["result"] = WRAPPED
        for kind, entries in tables.items():
            row, before = rows_of(version)[kind]
            for number, (code, path, bad, good) in enumerate(entries):
                logs = tuple((*before, changed(row, path, value), *DONE) for value in (bad, good))
                out[f"v{version} {kind} {number} {code} {path}"] = (code, version, *logs)
    return out


PAIRS = pairs()


def names(report):
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("name", PAIRS)
def test_pair(name, judged, slowly):
    code, version, bad, good = PAIRS[name]
    broken, sound = judged(bad, version), judged(good, version)
    assert code in names(broken)
    assert broken.native.opens is False or (version == 3 and code == "P114")
    assert names(sound) in ([], ["T101"])
    assert sound.native.opens is True
    assert slowly(bad, version) == broken
    assert slowly(good, version) == sound


@pytest.mark.parametrize("version", BUILT)
def test_dsh_answers_alike(version, dsh):
    logs = {f"{name} bad": bad for name, (_, v, bad, _) in PAIRS.items() if v == version}
    logs |= {f"{name} good": good for name, (_, v, _, good) in PAIRS.items() if v == version}
    assert dsh(logs, version) == []


def test_an_empty_member_is_a_bad_row_in_v3_and_fatal_in_v4(judged):
    rows = (*OPEN, request(tools=[]))
    assert (judged(rows, 3).state, judged(rows, 4).state) == ("torn", "refused")
    assert judged((*rows, *DONE), 3).native.first == "P114"


@pytest.mark.parametrize("version", [1, 2])
def test_generations_without_a_build_have_no_reader_that_asks(version, judged):
    rows = (
        *(TURN, STEP, but(HI, "data", 7)),
        *(but(request(), "data.header", 7), event("turn/end", {"turn": 1, "colour": "blue"})),
    )
    assert not [code for code in names(judged(rows, version)) if code[0] == "P"]
    assert surface_payload_faults("user/message", 7, version) == []
    assert log_only_payload_faults("request/header", 7, version) == []


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_a_fallback_is_refused_wherever_a_build_reads(version, judged):
    report = judged((*OPEN, request("fallback"), *DONE), version)
    assert "P101" in names(report)
    assert report.state == "refused"


def test_v0_looks_at_no_reason_of_a_header(judged):
    assert not judged((*OPEN, but(request(), "data.reason", 7), *DONE), 0).findings


@pytest.mark.parametrize("data", [7, None, {"header": 7}])
def test_a_header_that_is_no_object(data, judged):
    row = but(request(), "data", data)
    assert judged((*OPEN, row, *DONE), 0).native.first == "P112"
    for version in (3, 4):
        assert judged((*OPEN, row), version).native.first == "P117"


# -- v3: what makes a row malformed

FAILED = {"type": "tool-result", "toolCallId": "c1", "content": [], "isError": True}


def failed(*blocks):
    """Give a result with an error beside these blocks."""
    return but(but(wrapped(), "data.error", {"name": "E", "code": "E"}), "data.message.content", list(blocks))


@pytest.mark.parametrize(
    "code, row",
    [
        ("P144", but(wrapped(), "data", 7)),
        ("P123", but(wrapped(), "data.error", {"name": "E", "code": "E"})),
        ("P123", but(but(wrapped(), "data.error", None), "data.message.content", [])),
        ("P123", but(but(wrapped(), "data.error", {}), "data.message", 7)),
        ("P123", failed({"type": "text", "text": "x", "isError": True})),
        ("P123", failed({"isError": True})),
        ("P123", failed(FAILED, FAILED)),
        ("P123", failed(FAILED, text("x"))),
        ("P114", request(adapterDefaults={})),
    ],
)
def test_rows_of_v3_that_are_a_torn_tail(code, row, judged):
    report = judged((*asked(3), row), 3)
    assert (names(report)[0], report.state, report.native.opens) == (code, "torn", True)
    report = judged((*asked(3), row, turn_end()), 3)
    assert (report.state, report.native.first) == ("refused", code)


@pytest.mark.parametrize("block", [FAILED | {"toolCallId": "c2"}, FAILED | {"content": 7}])
def test_a_flagged_wrapper_of_another_form_is_met_later_and_refuses_the_log(block, judged):
    report = judged((*asked(3), failed(block)), 3)
    assert (report.state, report.native.first) == ("refused", "P109")


def test_an_error_beside_a_flagged_block_is_sound(judged):
    row = but(but(wrapped(), "data.error", {"name": "E", "code": "E"}), "data.message.content.0.isError", value=True)
    assert not judged((*asked(3), row, *DONE), 3).findings


# -- v0: the forms of turn/start and turn/end (P-015)


def error(**members):
    return {"kind": "error", **members}


FAILURE = {"message": "no", "code": "E", "status": 500, "providerRetryAfterMs": 1.5, "requestId": "r"}
SOUND_REASONS = [
    {"kind": "completed"},
    {"kind": "blocked"},
    {"kind": "max-tokens"},
    {"kind": "interrupted"},
    {"kind": "disposed"},
    {"kind": "aborted"},
    {"kind": "aborted", "reason": None},
    {"kind": "aborted", "reason": 1, "more": 1},
    {"kind": ""},
    {"kind": "whatever", "more": 1},
    error(error=None, more=1),
    error(step=0, message=""),
    error(step=1.0, message="no", code="E"),
    error(step=-0.0, message="no"),
    error(step=-0.0, failure=FAILURE),
    error(step=2, failure={"message": "", "code": ""}),
    error(step=2, failure=FAILURE),
]
BROKEN_REASONS = [
    None,
    "completed",
    {},
    {"kind": 1},
    {"kind": "completed", "more": 1},
    {"kind": "disposed", "more": 1},
    {"kind": "aborted", "more": 1},
    error(),
    error(step=1),
    error(step=-1, message="no"),
    error(step=0.5, message="no"),
    error(step="1", message="no"),
    error(message="no"),
    error(step=1, message=7),
    error(step=1, message="no", code=7),
    error(step=1, message="no", more=1),
    error(step=1, message="no", code="E", more=1),
    error(step=1, message="no", failure=FAILURE),
    error(step=1, failure=7),
    error(step=1, failure={"message": "no"}),
    error(step=1, failure={"message": 1, "code": "E"}),
    error(step=1, failure={"message": "no", "code": 1}),
    error(step=1, failure=FAILURE | {"status": "500"}),
    error(step=1, failure=FAILURE | {"providerRetryAfterMs": None}),
    error(step=1, failure=FAILURE | {"requestId": 1}),
    error(step=1, failure=FAILURE | {"more": 1}),
]
SOUND_ENDS = [{"turn": 1.0, "reason": {"kind": "completed"}}, 7, None, []]
BROKEN_ENDS = [
    {"turn": 1},
    {"reason": {"kind": "completed"}},
    {"turn": 0, "reason": {"kind": "completed"}},
    {"turn": "1", "reason": {"kind": "completed"}},
    {"turn": 1.5, "reason": {"kind": "completed"}},
    {"turn": 1, "reason": {"kind": "completed"}, "more": 1},
]
SOUND_STARTS = [{"turn": "any"}, {}, {"turn": 1, "more": 1}, {"turn": 1, "trigger": {"kind": "x", "more": 1}}, 7]
BROKEN_STARTS = [
    {"turn": 0, "trigger": {"kind": "x"}},
    {"trigger": {"kind": "x"}},
    {"turn": 1, "trigger": {"kind": "x"}, "more": 1},
    {"turn": 1, "trigger": {"kind": ""}},
    {"turn": 1, "trigger": {}},
    {"turn": 1, "trigger": "x"},
    {"turn": 1, "trigger": None},
]


def form_logs():
    """Give (rows, sound) by name."""
    out = {}
    for sound, reasons, ends, starts in (
        (True, SOUND_REASONS, SOUND_ENDS, SOUND_STARTS),
        (False, BROKEN_REASONS, BROKEN_ENDS, BROKEN_STARTS),
    ):
        ends_too = [*ends, *({"turn": 1, "reason": reason} for reason in reasons)]
        out |= {f"end {data}": ((TURN, but(turn_end(), "data", data)), sound) for data in ends_too}
        out |= {f"start {data}": ((but(TURN, "data", data), turn_end()), sound) for data in starts}
    return out


FORMS = form_logs()


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_turns_in_v0(name, judged, slowly):
    rows, sound = FORMS[name]
    report = judged(rows, 0)
    assert ("P132" in names(report)) is not sound
    assert report.native.opens is sound
    assert report.native.first == (None if sound else "P132")
    assert slowly(rows, 0) == report


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("version", [3])
def test_they_matter_to_v0_alone(name, version, judged):
    assert "P132" not in names(judged(FORMS[name][0], version))


def test_dsh_answers_alike_on_forms(dsh):
    assert dsh({name: rows for name, (rows, _) in FORMS.items()}, 0) == []


# -- v0: the closers need what they are made of (P-236, P-237)


@pytest.mark.parametrize("name", ["", 7, None, {}])
def test_a_pending_call_without_an_id(name, judged):
    early, late = (
        (*OPEN, but(answers(version), "data.message.content", [but(asks(), "id", name)])) for version in (0, 3)
    )
    assert judged(early, 0).native.first == "T103"
    assert "T103" not in names(judged((*early, *DONE), 0))
    assert judged(late, 3).native.opens is True


@pytest.mark.parametrize("kind", ["turn/start", "step/start", "tool/call"])
def test_a_null_payload_fails_the_scan(kind, judged):
    rows = (TURN, STEP, but(event(kind), "data", None))
    assert judged(rows, 0).native.first == "T102"
    report = judged(rows, 3)
    assert report.native.opens is True
    assert "T102" in report.native.but


def test_a_null_block_fails_the_scan(judged):
    rows = (*OPEN, but(answers(0), "data.message.content", [None]))
    assert judged(rows, 0).native.first == "T102"


# -- v4 and v3: a system message


@pytest.mark.parametrize("version, row", [(3, early_system()), (4, system())])
def test_system_messages_are_sound(version, row, judged):
    assert not judged((TURN, STEP, row, HI, *DONE), version).findings


def test_the_source_of_a_system_message(judged):
    assert judged((TURN, STEP, but(system(), "data.message.source.kind", "user"))).native.first == "P110"


def test_both_ends_and_the_content_of_a_rewrite_may_differ_only_there(judged):
    rewrite = result("(cut)", sourceEventSeqs=[5], surfaceOp=span(5, 5))
    assert not judged((*asked(4), result(), rewrite, *DONE)).findings


# -- deep reading


def test_an_attempt_is_replayed_on_request(judged):
    attempt = event("assistant/attempt", {"turn": 1, "step": 1, "stream": [{"type": "piece"}]})
    rows = (*OPEN, attempt, *DONE)
    assert not judged(rows).findings
    found = judged(rows, deep=True).findings
    assert [(finding.code, finding.severity) for finding in found] == [("C201", "warning")]


def test_packed_chunks_are_followed_on_request(judged):
    run = packed("text-chunks", {"turn": 1, "step": 1, "index": 0, "dt": [1, 1], "texts": ["a", "b", "c"]})
    said = but(says_early([3, 4]), "data.message.content", [text("ab")])
    rows = (*OPEN, run, said, *DONE)
    assert not judged(rows, 0).findings
    assert names(judged(rows, 0, deep=True)) == ["C206"]
    outside = (*OPEN, *DONE, run)
    assert names(judged(outside, 0, deep=True)) == ["C210"]

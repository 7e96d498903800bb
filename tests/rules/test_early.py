"""Brackets and calls of v0 to v3: nobody refuses them at home, the next upgrade does, so they are warnings.

Source: events.md §4.1, §4.2, R-033a, R-035, R-220.
"""

from __future__ import annotations

import json

import pytest

from dshlog.report.examine import examine
from dshlog.rules.lifecycle import NOT_STARTED_TEXT
from dshlog.rules.sample import (
    asks,
    but,
    call,
    event,
    message,
    request,
    says,
    says_early,
    step,
    step_end,
    text,
    turn,
    turn_end,
    user,
    wrapped,
)
from dshlog.storage.source import BytesSource

VERSIONS = (0, 1, 2, 3)
EMBEDS = 2  # from this generation on an assistant/message holds its stream
BRACKETS = tuple(f"T{number}" for number in (*range(201, 211), *range(301, 308)))

TURN, STEP, HI = turn(), step(), user()
OPEN = (TURN, STEP, HI)  # events 0 to 2
DONE = (step_end(), turn_end())


def answers(version, *content, name="m2", number=1):
    row = says(*content, name=name, step=number) if version >= EMBEDS else but(says_early(), "data.step", number)
    if version < EMBEDS and content:
        row = but(row, "data.message.content", list(content))
    return but(row, "data.message.id", name)


def called(version):
    return (*OPEN, answers(version, asks()), call())  # events 0 to 4


def repair(version, path="data.turn", value=1, name="interrupted-tool-result-c1-4"):
    """Give the result of a call that was not started, with one thing changed."""
    block = {"type": "tool-result", "toolCallId": "c1", "content": [text(NOT_STARTED_TEXT)], "isError": True}
    told = message(name, "user", {"kind": "tool", "callId": "c1"}, block)
    error = {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}
    return but(
        event("tool/result", {"turn": 1, "step": 1, "message": told, "error": error}, surfaceOp="append"), path, value
    )


def spliced(**data):
    return event(
        "agent/inbox/spliced",
        {"target": "next-turn", "start": 0, "removedCount": 0, "inserted": [user(name="m5")["data"]], **data},
    )


# name: (code, breaking rows, sound rows), each a function of the generation
PAIRS = {
    "R-001": ("T201", lambda _: (turn(2), turn_end(2)), lambda _: (turn(1), turn_end(1))),
    "R-002": ("T202", lambda _: (TURN, turn(2), turn_end(2)), lambda _: (TURN, turn_end(), turn(2), turn_end(2))),
    "R-003": ("T203", lambda _: (TURN, turn_end(2)), lambda _: (TURN, turn_end())),
    "R-003 none open": ("T203", lambda _: (turn_end(),), lambda _: (TURN, turn_end())),
    "R-004": ("T204", lambda _: (*OPEN, turn_end()), lambda _: (*OPEN, *DONE)),
    "R-010": (
        "T205",
        lambda _: (TURN, step(2), HI, step_end(2), turn_end()),
        lambda _: (*OPEN, step_end(), step(2), step_end(2), turn_end()),
    ),
    "R-011": ("T206", lambda _: (STEP, step_end(), *OPEN, *DONE), lambda _: (*OPEN, *DONE)),
    "R-012": (
        "T207",
        lambda _: (*OPEN, step(2), step_end(2), turn_end()),
        lambda _: (*OPEN, step_end(), step(2), step_end(2), turn_end()),
    ),
    "R-013": ("T208", lambda _: (*OPEN, step_end(2), turn_end()), lambda _: (*OPEN, *DONE)),
    "R-020 after the step": (
        "T209",
        lambda v: (*OPEN, step_end(), answers(v), turn_end()),
        lambda v: (*OPEN, answers(v), *DONE),
    ),
    "R-020 other step": ("T209", lambda v: (*OPEN, answers(v, number=2), *DONE), lambda v: (*OPEN, answers(v), *DONE)),
    "R-020 call": (
        "T209",
        lambda v: (*OPEN, answers(v, asks()), but(call(), "data.step", 2), wrapped(), *DONE),
        lambda v: (*called(v), wrapped(), *DONE),
    ),
    "R-020 result": (
        "T209",
        lambda v: (*called(v), but(wrapped(), "data.step", 2), *DONE),
        lambda v: (*called(v), wrapped(), *DONE),
    ),
    "R-021 header": ("T210", lambda _: (*OPEN, *DONE, request()), lambda _: (*OPEN, step_end(), request(), turn_end())),
    "R-021 context": (
        "T210",
        lambda _: (*OPEN, *DONE, event("request/context", {"provider": "p", "model": "m"})),
        lambda _: (*OPEN, step_end(), event("request/context", {"provider": "p", "model": "m"}), turn_end()),
    ),
    "R-030": (
        "T301",
        lambda v: (*called(v), answers(v, asks(), name="m4"), call(), wrapped(), *DONE),
        lambda v: (
            *(*called(v), wrapped(), answers(v, asks(), name="m4"), call()),
            *(but(wrapped(), "data.message.id", "m5"), *DONE),
        ),
    ),
    "R-031 nobody advertised": (
        "T302",
        lambda v: (*OPEN, answers(v), call(), wrapped(), *DONE),
        lambda v: (*called(v), wrapped(), *DONE),
    ),
    "R-031 twice": (
        "T303",
        lambda v: (*called(v), call(), wrapped(), *DONE),
        lambda v: (*called(v), wrapped(), *DONE),
    ),
    "R-031 other arguments": (
        "T304",
        lambda v: (*OPEN, answers(v, asks(arguments="[]")), call(), wrapped(), *DONE),
        lambda v: (*called(v), wrapped(), *DONE),
    ),
    "R-032": ("T305", lambda _: (*OPEN, wrapped(), *DONE), lambda v: (*called(v), wrapped(), *DONE)),
    "R-032 twice": (
        "T305",
        lambda v: (*called(v), wrapped(), but(wrapped(), "data.message.id", "m4"), *DONE),
        lambda v: (*called(v), wrapped(), *DONE),
    ),
    "R-034": ("T307", lambda v: (*OPEN, answers(v, asks()), *DONE), lambda v: (*called(v), wrapped(), *DONE)),
    "R-034 started": ("T307", lambda v: (*called(v), *DONE), lambda v: (*called(v), wrapped(), *DONE)),
    # the exact form of a repair
    "R-033": (
        "T306",
        lambda v: (*OPEN, answers(v, asks()), wrapped(), *DONE),
        lambda v: (*OPEN, answers(v, asks()), repair(v), *DONE),
    ),
    "R-038": (
        "T306",
        lambda v: (
            *(*OPEN, answers(v, asks())),
            *(repair(v, "data.error", {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"}), *DONE),
        ),
        lambda v: (*OPEN, answers(v, asks()), repair(v), *DONE),
    ),
}
for _about, _path, _value in (
    ("error name", "data.error.name", "Other"),
    ("error code", "data.error.code", "OTHER"),
    ("text", "data.message.content.0.content.0.text", "Another text."),
    ("two texts", "data.message.content.0.content", [text(NOT_STARTED_TEXT)] * 2),
    ("kind of text", "data.message.content.0.content.0.type", "reasoning"),
    ("leading zero", "data.message.id", "interrupted-tool-result-c1-04"),
    ("other call", "data.message.id", "interrupted-tool-result-c2-4"),
    ("no number", "data.message.id", "interrupted-tool-result-c1-"),
    ("not safe", "data.message.id", f"interrupted-tool-result-c1-{2**53}"),
):
    PAIRS[f"R-033 {_about}"] = (
        "T306",
        lambda v, path=_path, value=_value: (*OPEN, answers(v, asks()), repair(v, path, value), *DONE),
        lambda v: (*OPEN, answers(v, asks()), repair(v), *DONE),
    )
PAIRS["R-033 cites something"] = (
    "T306",
    lambda v: (*OPEN, answers(v, asks()), {**repair(v), "sourceEventSeqs": [3]}, *DONE),
    lambda v: (*OPEN, answers(v, asks()), repair(v), *DONE),
)

RESTART = (*OPEN, step_end(), spliced(), turn(2), turn_end(2))
NO_RESTART = {
    "step open": (*OPEN, spliced(), turn(2), turn_end(2)),
    "not directly before": (*OPEN, step_end(), spliced(), event("plan/mode", {"active": True}), turn(2), turn_end(2)),
    "next-step": (*OPEN, step_end(), spliced(target="next-step"), turn(2), turn_end(2)),
    "nothing inserted": (*OPEN, step_end(), spliced(inserted=[]), turn(2), turn_end(2)),
    "nothing at all": (*OPEN, step_end(), turn(2), turn_end(2)),
}
WRONG_NUMBER = (*OPEN, step_end(), spliced(), turn(3), turn_end(3))


def brackets(report):
    return [finding for finding in report.findings if finding.code in BRACKETS]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", PAIRS)
def test_a_breach_is_a_warning_and_never_more(name, version, judged, slowly):
    code, bad, good = PAIRS[name]
    broken, sound = judged(bad(version), version), judged(good(version), version)
    found = brackets(broken)
    assert found[0].code == code
    assert {finding.severity for finding in found} == {"warning"}
    assert broken.native.opens is (None if version in {1, 2} else True)
    assert broken.native.first is None
    assert broken.state in {"clean", "open"}
    assert not sound.findings
    assert sound.state == "clean"
    assert slowly(bad(version), version) == broken
    assert slowly(good(version), version) == sound


@pytest.mark.parametrize("version", VERSIONS)
def test_an_interrupted_restart_is_no_breach(version, judged):
    report = judged(RESTART, version)
    assert not brackets(report)
    assert report.state == "clean"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NO_RESTART)
def test_what_is_no_restart(name, version, judged):
    found = brackets(judged(NO_RESTART[name], version))
    assert [finding.code for finding in found] == ["T202"]
    assert found[0].severity == "warning"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_restart_goes_on_counting(version, judged):
    assert [finding.code for finding in brackets(judged(WRONG_NUMBER, version))] == ["T201"]


def test_v4_knows_no_restart(judged):
    report = judged((TURN, STEP, HI, step_end(), spliced(), turn(2), turn_end(2)))
    assert report.native.first == "T202"


@pytest.mark.parametrize("version", (0, 1, 2))
def test_the_number_of_a_repair_is_any(version, judged):
    rows = (*OPEN, answers(version, asks()), repair(version, name="interrupted-tool-result-c1-9"), *DONE)
    assert not judged(rows, version).findings


def test_the_number_of_a_repair_is_any_in_v3(judged):
    rows = (*OPEN, answers(3, asks()), repair(3, name="interrupted-tool-result-c1-9"), *DONE)
    assert not judged(rows, 3).findings


def test_v3_may_hold_the_repair_of_a_fork(judged):
    rows = (*OPEN, answers(3, asks()), repair(3, name="forked-tool-result-c1-4"), *DONE)
    assert not judged(rows, 3).findings


@pytest.mark.parametrize("version", (0, 1, 2))
def test_older_generations_have_no_repair_of_a_fork(version, judged):
    rows = (*OPEN, answers(version, asks()), repair(version, name="forked-tool-result-c1-4"), *DONE)
    assert [finding.code for finding in judged(rows, version).findings] == ["T306"]


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_else_of_v4_is_looked_at(version, judged):
    rows = (
        *OPEN,
        event("compaction/end", {"compactionId": "k1", "turn": 9}),
        event("command/done", {"commandId": "x", "kind": "success"}),
        event("session/title", {"title": "Hi", "messageSeqs": [0], "source": {"kind": "user"}}),
        event("llm/retry", {"retryId": "r1", "retry": 7}),
        *DONE,
    )
    assert not judged(rows, version).findings


@pytest.mark.parametrize("version", (0, 1, 2))
@pytest.mark.parametrize("data", [7, None, {"message": 7}])
def test_a_result_of_no_form_answers_nothing(version, data, judged):
    found = brackets(judged((*called(version), but(wrapped(), "data", data), *DONE), version))
    assert "T307" in {finding.code for finding in found}
    assert {finding.severity for finding in found} == {"warning"}


# -- what dsh says


def sound_logs():
    logs = {f"{name} {v}": (v, good(v)) for name, (_, _, good) in PAIRS.items() for v in VERSIONS}
    return logs | {f"restart {v}": (v, RESTART) for v in VERSIONS}


def broken_logs():
    logs = {f"{name} {v}": (v, bad(v)) for name, (_, bad, _) in PAIRS.items() for v in VERSIONS}
    logs |= {f"restart {name} {v}": (v, rows) for name, rows in NO_RESTART.items() for v in VERSIONS}
    return logs | {f"wrong number {v}": (v, WRONG_NUMBER) for v in VERSIONS}


def test_dsh_upgrades_what_is_sound_and_nothing_else(upgrades, written):
    sound = upgrades({name: written(rows, version) for name, (version, rows) in sound_logs().items()})
    assert not [name for name, opens in sound.items() if not opens]
    broken = upgrades({name: written(rows, version) for name, (version, rows) in broken_logs().items()})
    assert not [name for name, opens in broken.items() if opens]


@pytest.mark.parametrize("version", (0, 3))
def test_builds_of_their_own_open_all_of_them(version, dsh):
    logs = {name: rows for name, (v, rows) in (sound_logs() | broken_logs()).items() if v == version}
    assert dsh(logs, version) == []


def upgraded(shared):
    """Give the older logs that dsh 0.2.1 upgrades, with their names."""
    for index in sorted(shared.glob("corpus/*/expected.json")):
        for verdict in json.loads(index.read_text(encoding="utf-8"))["logs"]:
            if verdict["version"] in VERSIONS and verdict["open"]["ok"]:
                yield index.parent / verdict["file"]
    for name, entries, told in (
        ("corpus/mutants/mutants.json", "mutants", "expected"),
        ("corpus/traps/traps.json", "mutants", "expected"),
        ("cases/cases.json", "cases", "verdict"),
    ):
        index = shared / name
        for entry in json.loads(index.read_text(encoding="utf-8"))[entries]:
            if entry[told].get("version") in VERSIONS and entry[told]["open"]["ok"]:
                yield index.parent / entry["file"]


def test_no_log_that_dsh_upgrades_is_warned_of(shared):
    logs = list(upgraded(shared))
    assert len(logs) > 50
    warned = {
        path.name: [(finding.code, finding.message) for finding in found]
        for path in logs
        if (found := brackets(examine(BytesSource(path.read_bytes()), str(path))))
    }
    assert not warned

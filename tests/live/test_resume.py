"""What `repair --in-place` leaves is a session that the released dsh goes on with, and in which it closes nothing."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import pytest
from plays import Stage
from scripted import Reply, bash, text

import dshlog
from dshlog.cli.main import main

BUSY = ("tool", "stream", "step", "torn")  # sessions that are in the middle of something when dsh is killed
SCRIPT = (
    Reply((text("on it"), bash("sleep 60")), match="TOOL please"),
    Reply((text("a long story " * 100),), match="STREAM please", stall=20),
    Reply((bash("echo one"),), match="STEP please"),
    Reply((bash("sleep 60"), bash("echo never")), match="STEP please"),
    Reply((text("on it"), bash("sleep 60")), match="TORN please"),
)
UNKNOWN = "no result was durably recorded"  # the model is told so about a call that was running
NEVER = "before the Harness recorded it as started"


@dataclass(frozen=True)
class Story:
    """One session: its log when dsh was killed, after the repair, and after a turn of a new dsh; what the model got."""

    crashed: bytes
    repaired: bytes
    resumed: bytes
    state: str
    refusal: str
    plan: dict
    after: dshlog.Report
    request: str


@pytest.fixture(scope="module", params=["zstd", "raw"])
def stories(request, live, tmp_path_factory):
    """Play all sessions at once: begin, kill, repair, resume."""
    stage = Stage(live, tmp_path_factory.mktemp(request.param), raw=request.param == "raw")
    refusals = interrupted(stage)
    logs = stage.logs
    cut(logs["torn"])
    crashed = {name: (log.read_bytes(), dshlog.validate(log).state) for name, log in logs.items()}
    plans = {name: json.loads(repaired(log)) for name, log in logs.items()}
    mended = {name: log.read_bytes() for name, log in logs.items()}
    stage.requests.clear()
    with stage.dsh() as (dsh, _):
        for name in logs:
            dsh.resume(name)
            dsh.turn(name, f"and now, {name}?")
    asked = [json.dumps(body["messages"]) for body in stage.requests]
    return {
        name: Story(
            crashed=crashed[name][0],
            repaired=mended[name],
            resumed=log.read_bytes(),
            state=crashed[name][1],
            refusal=refusals.get(name, ""),
            plan=plans[name],
            after=dshlog.validate(log),
            request=next(body for body in asked if f"and now, {name}?" in body),
        )
        for name, log in logs.items()
    }


def interrupted(stage):
    """Kill a dsh that has one session at rest and the others busy; how each busy one was refused before."""
    with stage.dsh(*SCRIPT) as (dsh, model):
        dsh.turn("rest", "hello")
        for name in BUSY:
            dsh.prompt(name, f"{name.upper()} please")
        for name in ("tool", "torn"):
            dsh.wait_event("job/registered", name)
        dsh.wait_event("job/registered", "step", dsh.wait_event("step/end", "step"))
        assert model.stalled.wait(30)
        time.sleep(0.5)  # what dsh told of is on the disk a moment later
        refusals = {name: refused(stage.logs[name]) for name in BUSY}
        dsh.kill()
    return refusals


def cut(log):
    """Take off what the writer had not written to the end, as when the power goes."""
    log.write_bytes(log.read_bytes()[:-9])  # less than a frame, and less than a line


def refused(log):
    """Give what `repair --in-place` says of a session that a dsh has open."""
    before = log.read_bytes()
    status, _, told = run("--in-place", log)
    assert (status, log.read_bytes()) == (2, before)
    return told


def repaired(log):
    status, printed, _ = run("--in-place", "--json", log)
    assert status == 0
    return printed


def run(*words):
    from contextlib import redirect_stderr, redirect_stdout
    from io import BytesIO, StringIO, TextIOWrapper

    out, err = TextIOWrapper(BytesIO(), encoding="utf-8"), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["repair", *map(str, words)])
    out.flush()
    return status, out.buffer.getvalue().decode(), err.getvalue()


def added(story):
    """Give the events that a new dsh added."""
    assert story.resumed.startswith(story.repaired)  # byte for byte
    before, after = (list(dshlog.open_log(data)) for data in (story.repaired, story.resumed))
    assert after[: len(before)] == before
    return after[len(before) :]


@pytest.mark.parametrize("name", BUSY)
def test_a_session_that_dsh_has_open_is_left_alone(stories, name):
    assert "is held: a dsh has this session open" in stories[name].refusal


@pytest.mark.parametrize("name", BUSY)
def test_what_was_written_stays_as_it_was(stories, name):
    story = stories[name]
    assert story.state == ("torn" if name == "torn" else "open")
    at = story.plan["truncate_to"]
    assert (at is None) == (name != "torn")
    kept = story.crashed[:at]
    assert story.repaired.startswith(kept)
    assert len(story.repaired) > len(kept)
    assert (story.plan["loss"], story.plan["lost"]) == ("none", [])


@pytest.mark.parametrize("name", BUSY)
def test_dsh_goes_on_and_closes_nothing(stories, name):
    at_rest = [event["type"] for event in added(stories["rest"])]
    assert at_rest[0] == "session/end-seed"
    events = added(stories[name])
    assert [event["type"] for event in events] == at_rest[1:]  # the marker was ours
    assert events[0]["seq"] == stories[name].plan["end_seed"]["seq"] + 1
    assert events[-1]["data"]["reason"] == {"kind": "completed"}


@pytest.mark.parametrize("name", BUSY)
def test_the_session_is_whole_at_the_end(stories, name):
    assert (stories[name].after.state, stories[name].after.findings) == ("clean", ())


@pytest.mark.parametrize(
    "name, closers, told",
    [
        ("tool", ["tool/result", "step/end", "turn/end"], {UNKNOWN: 1, NEVER: 0}),
        ("stream", ["step/end", "turn/end"], {UNKNOWN: 0, NEVER: 0}),
        ("step", ["tool/result", "tool/result", "step/end", "turn/end"], {UNKNOWN: 1, NEVER: 1}),
    ],
)
def test_the_model_is_told_of_each_call_that_was_cut_off(stories, name, closers, told):
    story = stories[name]
    assert [event["type"] for event in story.plan["closers"]] == closers
    assert {words: story.request.count(words) for words in told} == told


def test_a_session_at_rest_is_not_touched(stories):
    story = stories["rest"]
    assert (story.state, story.plan["actions"], story.repaired) == ("clean", [], story.crashed)

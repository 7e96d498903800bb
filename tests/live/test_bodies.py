"""`show --request` gives what the released dsh sent to the model: the scripted model kept the bodies."""

from __future__ import annotations

import json

import pytest
from plays import PLAYS, Stage
from wire import of_log, of_wire

from dshlog.cli.main import main
from dshlog.report.request import requests
from dshlog.storage.source import BytesSource

HAPPENS = {"pruning": "compaction/prune", "compaction": "compaction/summary", "retry": "assistant/attempt"}


@pytest.fixture(scope="module", params=PLAYS)
def played(request, live, tmp_path_factory):
    """Play a story; its name, the bodies in the order of their arrival, the logs by session id."""
    stage = Stage(live, tmp_path_factory.mktemp(request.param))
    PLAYS[request.param](stage)
    return request.param, stage.requests, stage.logs


def printed(capfdbinary, *words):
    assert main([str(word) for word in words]) == 0
    return capfdbinary.readouterr().out


def names(log):
    """Give the requests that a log tells of, by the seq of the first event that tells of each."""
    source = BytesSource(log.read_bytes())
    found = requests(source, str(log), [])[0]
    every = [(number + 1, call + 1) for number, calls in enumerate(found.calls) for call in range(calls)]
    asked = requests(source, str(log), every)[0].found
    return {asked[name].first: name for name in every}


def test_a_request_of_the_log_is_what_the_model_got(played, capfdbinary):
    story, bodies, logs = played
    compared = 0
    answered = {session: names(log) for session, log in logs.items()}
    for body in bodies:
        told = body["dsh_session_log"]  # dsh says itself which session asks, and after which event
        session, after = told["session"]["id"], told["throughSeq"]
        log = logs[session]
        events = [json.loads(line) for line in printed(capfdbinary, "cat", "--seq", f"..{after}", log).splitlines()]
        kinds = [event["type"] for event in events if event["type"].startswith("compaction/")]
        if kinds and kinds[-1] == "compaction/start":
            continue  # asks for a summary, which is no request of the conversation
        first = min(seq for seq in answered[session] if seq > after)
        number, call = answered[session].pop(first)
        request = json.loads(printed(capfdbinary, "show", "--request", f"{number}.{call}", "--json", log))
        ours, theirs = of_log(request), of_wire(body)
        assert ours.system == theirs.system
        assert ours.parts == theirs.parts
        assert ours.tools == theirs.tools
        assert request["header"]["config"]["model"] == body["model"]
        compared += 1
    assert compared >= 3
    for session, log in logs.items():
        inherited = json.loads(printed(capfdbinary, "show", "--json", log))["inherited"]
        assert all(first < inherited for first in answered[session]), f"{story}: the model never got {answered}"


def test_what_the_story_is_about_happened(played, capfdbinary):
    story, _, logs = played
    if story in HAPPENS:
        assert printed(capfdbinary, "cat", "--type", HAPPENS[story], logs["session-1"])
    assert (len(logs) == 2) == (story == "fork")
    if story == "fork":
        (child,) = (log for session, log in logs.items() if session != "session-1")
        assert json.loads(printed(capfdbinary, "show", "--json", child))["inherited"] > 0

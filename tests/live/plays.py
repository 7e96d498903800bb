"""Plays short stories with the released dsh against the scripted model, and keeps what the model was sent.

Run as `python plays.py LIVE STORY TOP`: LIVE is the folder of `real_dsh.py`, TOP a folder of its own, in which
`requests.json` and the sessions root `home/sessions` are left.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Reply = dict[str, Any]

ONE = "session-1"
LONG = " ".join(f"word{number}" for number in range(2000))
TOO_LONG = (
    "This model's maximum context length is 1000000 tokens. However, you requested 1100000 tokens. Please reduce "
    "the length of the messages."
)
CHILD = '"delegationDepth":1'  # stands in the requests of a subagent only
PATIENCE = 30  # seconds for something that dsh does by itself


def bash(command: str) -> tuple[str, str, dict[str, str]]:
    """Give a tool call that runs a command."""
    return "tool", "bash", {"description": "run it", "command": command}


class Stage:
    """One home in which dsh is started and stopped as often as a story likes."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.requests: list[tuple[str, Any]] = []

    @contextmanager
    def dsh(self, *script: Reply, kill: bool = False) -> Iterator[Any]:
        """Give a running dsh whose model answers as scripted and then says the same for ever."""
        from real_dsh import MockModel, RealDsh

        model = MockModel([*script, {"blocks": [("text", "very well")], "again": True}])
        running = RealDsh(self.top / "home", self.top / "space", model)
        try:
            yield running
        finally:
            (running.kill if kill else running.close)()
            model.close()
            self.requests += model.requests


def tools(stage: Stage) -> None:
    """Thoughts, two calls at once, one that fails, Chinese and emoji."""
    both = {"blocks": [("reasoning", "想一想"), ("text", "on it"), bash("echo 三 🚀"), bash("echo no; exit 3")]}
    unknown = {"blocks": [("tool", "no_such_tool", {"x": 1})]}
    with stage.dsh(both, unknown) as dsh:
        dsh.run(ONE, "first 你好\n\nsecond line")
        dsh.run(ONE, "second")


def retry(stage: Stage) -> None:
    """The server fails twice before it answers."""
    with stage.dsh({"http": 500}, {"blocks": [("text", "half")], "cut_after": 0}, {"blocks": [bash("echo x")]}) as dsh:
        dsh.run(ONE, "go on")
        dsh.run(ONE, "more")


def pruning(stage: Stage) -> None:
    """Long results are cut when the context is nearly full."""
    script = [
        {"blocks": [bash(f"seq {n} 6000")], "usage": (tokens, 20)} for n, tokens in ((1, 100), (2, 100), (3, 700_000))
    ]
    with stage.dsh(*script) as dsh:
        dsh.run(ONE, "count")
        dsh.run(ONE, "more")


def compaction(stage: Stage) -> None:
    """A request is too long; dsh has the history summed up and asks again."""
    answers: list[Reply] = [{"blocks": [("text", LONG)]}, {"http": 400, "error_text": TOO_LONG}]
    with stage.dsh(*answers, {"blocks": [("text", "Summary: short")]}, {"blocks": [bash("echo after")]}) as dsh:
        dsh.run(ONE, f"go {LONG}")
        dsh.run(ONE, "more")
        dsh.run(ONE, "third")


def crash(stage: Stage) -> None:
    """Killed in a tool call; resumed, dsh closes the call and goes on."""
    with stage.dsh({"blocks": [("text", "on it"), bash("sleep 30")]}, kill=True) as dsh:
        dsh.prompt(ONE, "the slow one")
        dsh.wait_event("tool/call", ONE)
        time.sleep(0.7)
    with stage.dsh({"blocks": [bash("echo again")]}) as dsh:
        dsh.resume(ONE)
        dsh.run(ONE, "and now?")


def resume(stage: Stage) -> None:
    """A second process goes on with a closed session."""
    with stage.dsh({"blocks": [bash("echo one")]}) as dsh:
        dsh.run(ONE, "first")
    with stage.dsh({"blocks": [("reasoning", "as before"), ("text", "again")]}) as dsh:
        dsh.resume(ONE)
        dsh.run(ONE, "second")
        dsh.run(ONE, "third")


def fork(stage: Stage) -> None:
    """A fork begins with the history of its parent, which hears of its end."""
    forking = {"blocks": [("tool", "subagent_fork", {"description": "fork", "prompt": "look around"})]}
    inside = [{"blocks": [bash("echo inside")], "match": CHILD}, {"blocks": [("text", "seen")], "match": CHILD}]
    with stage.dsh({"blocks": [bash("echo before")]}, {"blocks": [("text", "hi")]}, forking, *inside) as dsh:
        dsh.run(ONE, "first")
        start = len(dsh.notes)
        dsh.run(ONE, "second")
        _quiet(dsh, start)


def steering(stage: Stage) -> None:
    """A second prompt comes while a tool runs."""
    with stage.dsh({"blocks": [bash("sleep 1; echo slow")]}) as dsh:
        dsh.prompt(ONE, "one")
        dsh.wait_event("tool/call", ONE)
        dsh.prompt(ONE, "two, meanwhile")
        _quiet(dsh, dsh.wait_event("turn/end", ONE))


def _quiet(dsh: Any, start: int) -> None:
    """Wait until nothing more is told for a while."""
    end = time.monotonic() + PATIENCE
    seen, since = start, time.monotonic()
    while time.monotonic() < end and time.monotonic() - since < 2.5:
        if len(dsh.notes) != seen:
            seen, since = len(dsh.notes), time.monotonic()
        time.sleep(0.1)


PLAYS: dict[str, Callable[[Stage], None]] = {
    play.__name__: play for play in (tools, retry, pruning, compaction, crash, resume, fork, steering)
}


def main() -> None:
    """Play one story."""
    live, story, top = sys.argv[1:]
    sys.path.insert(0, live)
    stage = Stage(Path(top))
    PLAYS[story](stage)
    bodies = [body for _, body in stage.requests]
    (stage.top / "requests.json").write_text(json.dumps(bodies), encoding="utf-8")


if __name__ == "__main__":
    main()

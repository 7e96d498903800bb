"""Short stories with the released dsh and a scripted model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from runtime import PATIENCE, Runtime
from scripted import Model, Reply, bash, call, text, thought

ONE = "session-1"
LONG = " ".join(f"word{number}" for number in range(2000))
TOO_LONG = (
    "This model's maximum context length is 1000000 tokens. However, you requested 1100000 tokens. Please reduce "
    "the length of the messages."
)
CHILD = '"delegationDepth":1'  # stands in the requests of a subagent only
WELL = Reply((text("very well"),), often=True)


class Stage:
    """One home in which dsh is started and stopped as often as a story likes; `requests` are what the model got."""

    def __init__(self, program: Path, top: Path, *, raw: bool = False) -> None:
        self.top = top
        self.requests: list[dict[str, Any]] = []
        self._program, self._raw = program, raw

    @property
    def sessions(self) -> Path:
        """Give the sessions root."""
        return self.top / "home/sessions"

    @property
    def logs(self) -> dict[str, Path]:
        """Give the logs by session id."""
        return {path.parent.name: path for path in self.sessions.rglob("session.v4.jsonl*")}

    @contextmanager
    def dsh(self, *script: Reply) -> Iterator[tuple[Runtime, Model]]:
        """Give a running dsh and its model, which answers as scripted and then says the same for ever."""
        home, space = self.top / "home", self.top / "space"
        with Model([*script, WELL]) as model:
            with Runtime(self._program, home, space, model.url, raw=self._raw) as running:
                yield running, model
            self.requests += model.requests


def tools(stage: Stage) -> None:
    """Thoughts, two calls at once, one that fails, Chinese and emoji."""
    both = Reply((thought("想一想"), text("on it"), bash("echo 三 🚀"), bash("echo no; exit 3")))
    with stage.dsh(both, Reply((call("no_such_tool", x=1),))) as (dsh, _):
        dsh.turn(ONE, "first 你好\n\nsecond line")
        dsh.turn(ONE, "second")


def retry(stage: Stage) -> None:
    """The server fails twice before it answers."""
    with stage.dsh(Reply(status=500), Reply(cut=True), Reply((bash("echo x"),))) as (dsh, _):
        dsh.turn(ONE, "go on")
        dsh.turn(ONE, "more")


def pruning(stage: Stage) -> None:
    """Long results are cut when the context is nearly full."""
    sizes = ((1, 100), (2, 100), (3, 700_000))
    script = [Reply((bash(f"seq {first} 6000"),), tokens=(asked, 20)) for first, asked in sizes]
    with stage.dsh(*script) as (dsh, _):
        dsh.turn(ONE, "count")
        dsh.turn(ONE, "more")


def compaction(stage: Stage) -> None:
    """A request is too long; dsh has the history summed up and asks again."""
    script = (
        Reply((text(LONG),)),
        Reply(status=400, error=TOO_LONG),
        Reply((text("Summary: short"),)),
        Reply((bash("echo after"),)),
    )
    with stage.dsh(*script) as (dsh, _):
        dsh.turn(ONE, f"go {LONG}")
        dsh.turn(ONE, "more")
        dsh.turn(ONE, "third")


def crash(stage: Stage) -> None:
    """Killed in a tool call; resumed, dsh closes the call and goes on."""
    with stage.dsh(Reply((text("on it"), bash("sleep 30")))) as (dsh, _):
        dsh.prompt(ONE, "the slow one")
        dsh.wait_event("job/registered", ONE)
        time.sleep(0.5)
        dsh.kill()
    with stage.dsh(Reply((bash("echo again"),))) as (dsh, _):
        dsh.resume(ONE)
        dsh.turn(ONE, "and now?")


def resume(stage: Stage) -> None:
    """A second process goes on with a closed session."""
    with stage.dsh(Reply((bash("echo one"),))) as (dsh, _):
        dsh.turn(ONE, "first")
    with stage.dsh(Reply((thought("as before"), text("again")))) as (dsh, _):
        dsh.resume(ONE)
        dsh.turn(ONE, "second")
        dsh.turn(ONE, "third")


def fork(stage: Stage) -> None:
    """A fork begins with the history of its parent, which hears of its end."""
    forking = Reply((call("subagent_fork", description="fork", prompt="look around"),))
    inside = (Reply((bash("echo inside"),), match=CHILD), Reply((text("seen"),), match=CHILD))
    with stage.dsh(Reply((bash("echo before"),)), Reply((text("hi"),)), forking, *inside) as (dsh, _):
        dsh.turn(ONE, "first")
        start = len(dsh.notes)
        dsh.turn(ONE, "second")
        _quiet(dsh, start)


def steering(stage: Stage) -> None:
    """A second prompt comes while a tool runs."""
    with stage.dsh(Reply((bash("sleep 1; echo slow"),))) as (dsh, _):
        dsh.prompt(ONE, "one")
        dsh.wait_event("tool/call", ONE)
        dsh.prompt(ONE, "two, meanwhile")
        _quiet(dsh, dsh.wait_event("turn/end", ONE))


def _quiet(dsh: Runtime, start: int) -> None:
    """Wait until nothing more is told for a while."""
    end = time.monotonic() + PATIENCE
    seen, since = start, time.monotonic()
    while time.monotonic() < end and time.monotonic() - since < 2:
        if len(dsh.notes) != seen:
            seen, since = len(dsh.notes), time.monotonic()
        time.sleep(0.1)


PLAYS: dict[str, Callable[[Stage], None]] = {
    play.__name__: play for play in (tools, retry, pruning, compaction, crash, resume, fork, steering)
}

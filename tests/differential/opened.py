"""Logs that a dead writer left open, with one odd value in what a repair reads to close them."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures"))

from bases import Base, Case
from logbuilder import Log
from stock import spots
from tables import GONE, VALUES, change

VERSIONS = range(5)
READ = {"turn/start", "turn/end", "step/start", "step/end", "assistant/message", "tool/call", "tool/result"}
NAMED = ("data", "turn", "step", "callId", "toolCallId", "message", "source", "content", "id", "type")
ODD = (*VALUES, "one", 2, [1], "interrupted", {"turn": 1}, {"turn": 1, "step": 1})


def cases(_logs: list[Base], count: int, seed: int) -> Iterator[Case]:
    """Yield `count` of all such logs; all of them when there are fewer."""
    plans = every()
    chosen = plans if count >= len(plans) else random.Random(seed).sample(plans, count)  # noqa: S311 - the same logs
    for number, (version, end, path, value) in enumerate(chosen):
        rows = json.loads(json.dumps(built(version)[:end]))
        change(rows, path, value)
        kind = rows[int(path[2 : path.index("]")])].get("type")
        about = f"v{version} cut behind event {end - 2}, {kind} {path} {'gone' if value is GONE else repr(value)}"
        data = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
        yield Case(name=f"opened-{seed}-{number}", about=about, suffix=".jsonl", data=_numbers(data).encode())


@cache
def every() -> list[tuple[int, int, str, Any]]:
    """Give generation, number of lines, path and value of each of them."""
    return [
        (version, end, path, value)
        for version in VERSIONS
        for rows in [built(version)]
        for end in ends(rows)
        for path in places(rows[:end])
        for value in ODD
    ]


def _numbers(text: str) -> str:
    """Spell the numbers that JSON of Python cannot."""
    for value in VALUES:
        if isinstance(value, str) and value.startswith("@") and value.endswith("@"):
            text = text.replace(json.dumps(value), value.strip("@"))
    return text


def built(version: int) -> list[Any]:
    """Give the header and the events of a log with a finished turn and one with two calls, an answered one first."""
    log = Log(version)
    log.turn()
    log.step()
    log.user("Hi")
    log.assistant("Hello.")
    log.end_step()
    log.end_turn()
    log.turn()
    log.user("Go on")
    log.step()
    log.assistant("Look.", ("call-1", "bash", "{}"), ("call-2", "bash", "{}"))
    log.call("call-1")
    log.result("call-1", "ok")
    log.call("call-2")
    return [log.header, *log.events]


def ends(rows: list[Any]) -> Iterator[int]:
    """Yield the numbers of lines behind which the log is cut off: after each event that opens or closes something."""
    yield from (at + 1 for at, row in enumerate(rows) if row["type"] in READ)


def places(rows: list[Any]) -> Iterator[str]:
    """Yield the paths to what a repair reads, in the last turn and where the turn before it ends."""
    begin = max(at for at, row in enumerate(rows) if row["type"] == "turn/start")
    for _, key, path in spots(rows):
        if path.count(".") and key in NAMED and "chunk" not in path and "stream" not in path:
            at = int(path[2 : path.index("]")])
            if rows[at]["type"] in READ and (at >= begin or rows[at]["type"] == "turn/end"):
                yield path

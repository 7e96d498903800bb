"""A request to the model as the log determines it, and what differs between two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dshlog.model.view import SurfaceRow

Name = tuple[int, int]  # which header, which call under it; both from 1


def request_word(name: Name) -> str:
    """Give the name of a request as it is asked for: `2`, or `2.3` for the third call under the second header."""
    return str(name[0]) if name[1] == 1 else f"{name[0]}.{name[1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """One request: the state just before its answer.

    `number` counts the `request/header` events from 1, `call` the calls of the model under that header.
    `seq` is the header's seq, `answer` the event that settles the call and `first` the first that tells of
    it; both None when the log tells of none. `turn` and `step` are those open then. `header` is the
    canonical header in force, `context` the payload of the last `request/context`, `tools` the tools that
    the header offers, `tool_history` as in `Request`. `messages` are in the order in which the model got
    them, `rows` the same for people, one for each.
    """

    number: int
    call: int
    seq: int
    first: int | None
    answer: int | None
    answered_by: str | None
    turn: object
    step: object
    header: dict[str, Any]
    context: Any
    tools: tuple[Any, ...]
    tool_history: dict[str, Any] | None
    messages: tuple[Any, ...]
    rows: tuple[SurfaceRow, ...]

    @property
    def name(self) -> str:
        """Give `2`, or `2.3` for the third call under the second header."""
        return request_word((self.number, self.call))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """An event that made a later request differ from what an earlier one began with.

    `kind` is compaction, pruning, replacement, offload, system, tools or config. `nodes` are the messages
    of the earlier request that it took away or changed, in surface order, `replaced` all that stood on the surface
    where it took its place; empty where it took none. `told_by` is the `compaction/summary` or
    `compaction/prune` that belongs to it.
    """

    kind: str
    seq: int
    type: str
    nodes: tuple[int, ...] = ()
    replaced: tuple[int, ...] = ()
    told_by: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What differs between two requests of one log, the earlier one first.

    `messages` counts the messages that both begin with; `chars` the characters of the JSON of their roles
    and contents, and those in which the first different messages still agree. `earlier_chars` and
    `later_chars` count all of each. `causes` stand in log order; `breaks` is the one at which the common
    part ends, None when the later request only adds to the earlier.
    """

    earlier: RequestView
    later: RequestView
    messages: int
    chars: int
    earlier_chars: int
    later_chars: int
    config: tuple[str, ...]
    system: bool
    tools_added: tuple[str, ...]
    tools_removed: tuple[str, ...]
    tools_changed: tuple[str, ...]
    tools_moved: bool
    causes: tuple[Cause, ...]
    breaks: Cause | None

"""A session as the header of its log tells of it."""

from __future__ import annotations

from typing import NamedTuple


class SessionRow(NamedTuple):
    """One log of a root by its header alone; None where the header does not say.

    A named tuple and no dataclass, since thousands are made at once. `project` is the header's cwd, else
    the name of the directory. `version` is that of the header, `created` in milliseconds. `kind` is
    "subagent", "fork" or "session"; a `seeded` one begins with events of its parent, which a subagent may too. `older` are the paths of the generations that this log hides.
    `problem` says why there is no header. A `linked` one lies behind a symbolic link where dsh wants a directory.
    """

    path: str
    id: str | None = None
    project: str | None = None
    created: int | None = None
    version: int | None = None
    size: int | None = None
    parent: str | None = None
    kind: str = "session"
    seeded: bool = False
    preset: str | None = None
    older: tuple[str, ...] = ()
    problem: str | None = None
    linked: bool = False


class SessionDepth(NamedTuple):
    """What only the whole log of a session tells.

    `turns` counts the turns that began. `title` is the last one, `goal` the objective of a goal that was
    not cleared, `reason` how the last turn ended (None while it is open), `last` the time of the last event.
    """

    state: str
    events: int
    turns: int
    title: str | None
    goal: str | None
    reason: str | None
    last: object


class Branched(NamedTuple):
    """A session in the tree of its root: how deep it stands, and whether its parent is missing.

    `cycle` tells that its ancestors lead back to itself.
    """

    row: SessionRow
    depth: int
    orphan: bool = False
    cycle: bool = False

"""What is known of a header that is lost: from the command line, another generation beside it, and its place."""
# ruff: noqa: PTH120 - paths are texts here

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.cli.failure import Failure

if TYPE_CHECKING:
    from dshlog.cli.world import World

LOST_HEADER = "header-not-session"
_PASSED_ON = ("id", "createdAt", "cwd", "parentSession", "origin", "delegationDepth", "agentPreset")


class Given(NamedTuple):
    """What the command line says of the header."""

    id: str | None
    cwd: str | None


def known_header(world: World, log: str, given: Given) -> dict[str, Any]:
    """Give the members that are known, those of the command line first.

    Raises:
        Failure: the working directory is none, or is not that of the project that the log lies in.
    """
    from dshlog.codec.header import is_absolute
    from dshlog.files.find import home
    from dshlog.storage.naming import decode_segment, is_project_dir, project_key

    known: dict[str, Any] = {}
    place = None if log == "-" else home(log)
    if place is not None:
        known |= _of_sibling(world, log)
        known.setdefault("id", decode_segment(place.segment))
    if given.id is not None:
        known["id"] = given.id
    if given.cwd is not None:
        if not is_absolute(given.cwd):
            message = f"--cwd {given.cwd} is no absolute path"
            raise Failure(message, "name the directory in which the session worked")
        known["cwd"] = given.cwd
    placed = place is not None and is_project_dir(place.project)
    if place is not None and placed and project_key(known.get("cwd")) != place.project:
        message = f"the header of {log} names the working directory that {place.project} stands for"
        raise Failure(message, "name it with --cwd DIR")
    return {name: value for name, value in known.items() if value is not None}


def _of_sibling(world: World, log: str) -> dict[str, Any]:
    """Give what the header of another generation in the session directory says, which dsh passes on when it upgrades."""
    from dshlog.files.unreadable import Unreadable
    from dshlog.storage.jsontext import loads

    directory = os.path.dirname(log) or os.curdir
    for found in world.find(directory, all_generations=True):
        if found.kind != "log" or os.path.basename(found.path) == os.path.basename(log):  # noqa: PTH119 - as above
            continue
        try:
            with world.source(found.path) as source:
                read = world.read_log(source, found.path)
        except Unreadable:
            continue
        if read.header is not None and read.header_line is not None:
            header: Any = loads(read.header_line)
            return {name: header[name] for name in _PASSED_ON if name in header}
    return {}

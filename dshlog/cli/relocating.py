"""`dshlog repair --relocate`: give logs the names and places that their headers name."""
# ruff: noqa: PTH100, PTH118, PTH120 - paths are texts here

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dshlog.cli.output import Output, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.cli.world import World

Move = tuple[str, str]  # from, to


def relocate(world: World, path: str, *, carry_out: bool) -> int:
    """Plan the moves for all logs behind a path, and carry them out when told to; the exit status.

    A file gets the name of its generation first, then a session directory its place.
    """
    from dshlog.files.unreadable import Unreadable

    failed = False
    moves = list(_moves(world, path))
    with Output() as output:
        for old, new in moves:
            try:
                if carry_out:
                    _carry_out(old, new)
            except Unreadable as error:
                failed = True
                say("error", error.message, error.hints)
            else:
                output.lines([_told(old, new, done=carry_out)])
        output.lines(_ending(path, len(moves), done=carry_out))
    if failed:
        return 2
    return 1 if moves and not carry_out else 0


def _moves(world: World, path: str) -> Iterator[Move]:
    """Yield each move once: files within their directories, and then directories."""
    from dshlog.files.find import home
    from dshlog.repair.relocate import Spot, spot_of

    directories: dict[str, str] = {}
    for entry in world.find(path):
        place = home(entry.path, any_project=True) if entry.kind == "log" else None
        if place is None:
            continue
        directory, name = os.path.split(entry.path)
        now = Spot(place.project, place.segment, name)
        with world.source(entry.path) as source:
            wanted = spot_of(world.examine(source, entry.path, reader="native"), now)
        if wanted.name != name:
            yield entry.path, os.path.join(directory, wanted.name)
        if (wanted.project, wanted.segment) != (place.project, place.segment):
            root = os.path.dirname(os.path.dirname(os.path.abspath(directory)))
            directories.setdefault(directory, os.path.join(root, wanted.project, wanted.segment))
    yield from directories.items()


def _carry_out(old: str, new: str) -> None:
    from dshlog.files.relocate import move_log, move_session

    if os.path.isdir(old):  # noqa: PTH112 - paths are texts here
        move_session(old, new)
    else:
        move_log(old, new)


def _told(old: str, new: str, *, done: bool) -> str:
    from dshlog.files.relocate import taken
    from dshlog.render.words import path_name

    there = "" if done or not taken(new) else "   (it is there already: compare both, and keep one)"
    return f"{'moved' if done else 'move'} {path_name(old)}\n  to {path_name(new)}{there}"


def _ending(path: str, number: int, *, done: bool) -> Iterator[str]:
    from dshlog.render.words import path_name, shell_word

    if not number:
        yield f"{path_name(path)}: every log lies where its header says"
    elif not done:
        yield f"next: dshlog repair --relocate --in-place {shell_word(path)}"

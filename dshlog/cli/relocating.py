"""`dshlog repair --relocate`: give logs the names and places that their headers name."""
# ruff: noqa: PTH100, PTH117, PTH118 - paths are texts here

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from dshlog.cli.output import Output, look, say
from dshlog.render.relocation import Move, relocation_dict, relocation_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.cli.world import World

_TAKEN = "it is there already: compare both, and keep one"
_CLAIMED = "another log that moves has that place too: compare both, and keep one"


def relocate(world: World, path: str, *, carry_out: bool, json: bool) -> int:
    """Plan the moves for all logs behind a path, and carry them out when told to; the exit status.

    A file gets the name of its generation first, then a session directory its place.
    """
    from dshlog.files.unreadable import Unreadable
    from dshlog.render.jsonout import exact

    failed = False
    moves = list(_possible(_moves(world, path)))
    for index, move in enumerate(moves):
        if not carry_out or move.why_not is not None:
            continue
        try:
            _carry_out(move)
        except Unreadable as error:
            failed = True
            say("error", error.message, error.hints)
            moves[index] = replace(move, why_not=error.message)
        else:
            moves[index] = replace(move, moved=True)
    with Output() as output:
        if json:
            output.data(exact(relocation_dict(path, moves)))
        else:
            output.text(relocation_lines(path, moves, done=carry_out), look(output, "never").width)
    if failed:
        return 2
    return 0 if all(move.moved for move in moves) else 1


def _moves(world: World, path: str) -> Iterator[Move]:
    """Yield each move once: files within their directories, and then directories."""
    from dshlog.files.find import home
    from dshlog.repair.relocate import Spot, spot_of

    directories: dict[str, Move] = {}
    for entry in world.find(path):
        place = home(entry.path, any_project=True) if entry.kind == "log" and not entry.database else None
        if place is None:
            continue
        directory, name = os.path.split(entry.path)
        now = Spot(place.project, place.segment, name)
        with world.source(entry.path) as source:
            wanted = spot_of(world.examine(source, entry.path, reader="native"), now)
        if wanted.name != name:
            yield Move(kind="file", old=entry.path, new=os.path.join(directory, wanted.name))
        if (wanted.project, wanted.segment) != (place.project, place.segment):
            new = os.path.join(place.root, wanted.project, wanted.segment)
            told = new if os.path.isabs(directory) else os.path.relpath(new)
            directories.setdefault(directory, Move(kind="directory", old=directory or ".", new=told))
    yield from directories.values()


def _possible(moves: Iterable[Move]) -> Iterator[Move]:
    """Yield the moves, those to a name that is taken with the reason why they cannot be."""
    from dshlog.files.relocate import taken

    claimed: set[str] = set()
    for move in moves:
        target = os.path.abspath(move.new)
        why_not = _TAKEN if taken(target) else _CLAIMED if target in claimed else None
        claimed.add(target)
        yield replace(move, why_not=why_not)


def _carry_out(move: Move) -> None:
    from dshlog.files.relocate import move_log, move_session

    (move_log if move.kind == "file" else move_session)(move.old, move.new)

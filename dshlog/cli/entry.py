"""The logs behind a path of the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dshlog.cli.failure import Failure
from dshlog.render.words import path_name, shell_word

if TYPE_CHECKING:
    from dshlog.cli.world import World
    from dshlog.files.find import Found
    from dshlog.files.unreadable import Unreadable
    from dshlog.model.report import Report

_NAMED = 3  # logs that are offered when one of many must be chosen


def looked_up(world: World, path: str, root: str | None, command: str) -> str:
    """Give the session directory that an id stands for, or the path itself; without a root always that.

    Raises:
        Failure: it is no path, and the root has no such session or several.
        Unreadable: the root cannot be listed.
    """
    if root is None or path == "-":
        return path
    found = world.named(root, path)
    places = [place for held in found.values() for place in held]
    if len(places) == 1:
        return places[0]
    if not places:
        if os.path.lexists(path):
            return path
        message = f"no session {path_name(path)} in {path_name(root)}"
        raise Failure(
            message, "give the whole id, or 6 or more characters of its beginning", f"dshlog ls {shell_word(root)}"
        )
    if len(found) > 1:
        message = f"{len(found)} sessions begin with {path_name(path)}"
        raise Failure(
            message,
            *(f"dshlog {command} --root {shell_word(root)} {shell_word(id_)}" for id_ in sorted(found)[:_NAMED]),
        )
    message = f"session {path_name(path)} lies in {len(places)} projects, name one"
    raise Failure(message, *(f"dshlog {command} {shell_word(place)}" for place in places[:_NAMED]))


def stored(world: World, path: str, session: str | None, command: str) -> str:
    """Give the path of a session of a database, by its id or the beginning of one; of any other path the path itself.

    Args:
        world: what opens databases.
        path: of a database with a session, or `FILE#ID` without one.
        session: what was said to be the id.
        command: the command that is run, for hints.

    Raises:
        Failure: the path is no database, or it has no such session or several.
        Unreadable: the database cannot be read.
    """
    if session is None and "#" not in path:
        return path
    from dshlog.files.dbpath import is_database, session_path, split
    from dshlog.files.unreadable import Unreadable

    if session is None:
        parts = split(path)
        try:
            if parts is None or len(world.databases.named(*parts)) == 0:
                return path
        except Unreadable:
            return path  # the finding for it is that of the database
        path, session = parts
    elif path == "-":
        message = "--session goes with the path of a SQLite database, which is not read from standard input"
        raise Failure(message)
    elif not is_database(path):
        message = f"--session goes with a SQLite database, and {path_name(path)} is none"
        raise Failure(message)
    ids = world.databases.named(path, session)
    if len(ids) == 1:
        return session_path(path, ids[0])
    if not ids:
        message = f"no session {path_name(session)} in {path_name(path)}"
        raise Failure(
            message, "give the whole id, or 6 or more characters of its beginning", f"dshlog ls {shell_word(path)}"
        )
    message = f"{len(ids)} sessions begin with {path_name(session)}"
    raise Failure(
        message, *(f"dshlog {command} {shell_word(path)} --session {shell_word(id_)}" for id_ in ids[:_NAMED])
    )


def is_stored(path: str) -> bool:
    """Tell whether a path is a database or a session of one."""
    from dshlog.files.dbpath import is_database, is_session

    return is_session(path) or is_database(path)


def tell_remarks(world: World) -> None:
    """Say on standard error what there is to say about the databases that were opened."""
    from dshlog.cli.output import say

    for path, faults in world.remarks.items():
        for fault in faults:
            if fault.name == "database-retired":
                continue  # whoever asks for a session of it knows
            from dshlog.rules.register import BY_NAME

            say(BY_NAME[fault.name].severity(0), f"{path_name(path)}: {fault.message}")


def all_looked_up(
    world: World, paths: list[str], root: str | None, command: str, session: str | None = None
) -> tuple[list[str], list[tuple[str, str]]]:
    """Give what several words stand for, and those that stand for nothing, which are told, with the reason."""
    from dshlog.cli.output import say
    from dshlog.files.unreadable import Unreadable

    found: list[str] = []
    errors: list[tuple[str, str]] = []
    for path in paths:
        try:
            found.append(stored(world, looked_up(world, path, root, command), session, command))
        except (Failure, Unreadable) as error:
            errors.append((path, error.message))
            say("error", error.message, error.hints)
    return found, errors


def one_log(world: World, path: str, command: str) -> str:
    """Give the one log that a path stands for.

    Raises:
        Failure: it stands for none or for several.
        Unreadable: nothing is there.
    """
    if path == "-":
        return path
    found = []
    for entry in world.find(path):
        if entry.kind == "log":
            found.append(entry)
        elif entry.path == path:
            raise unreadable_entry(entry)
    if len(found) == 1:
        return found[0].path
    if not found:
        message = f"no session log in {path_name(path)}"
        raise Failure(message)
    message = f"{path_name(path)} holds {len(found)} logs, name one"
    raise Failure(message, *(f"dshlog {command} {shell_word(entry.path)}" for entry in found[:_NAMED]))


def unreadable_entry(found: Found) -> Unreadable:
    """Give the error for a path of the command line at which no log can be read."""
    from dshlog.files.unreadable import Unreadable

    why = found.note or f"it is a {found.kind}"
    return Unreadable(f"cannot read {path_name(found.path)}: {why}", found.hints, why=why)


def unreadable_report(path: str, why: str, name: str = "unreadable-entry") -> Report:
    """Give the report on an entry that has a log's name and cannot be read as one, or on such a database."""
    from dshlog.report.placing import whole_file

    return whole_file(path, why, name)

"""The logs behind a path of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.cli.failure import Failure
from dshlog.render.words import path_name, shell_word

if TYPE_CHECKING:
    from dshlog.cli.world import World
    from dshlog.files.find import Found
    from dshlog.files.unreadable import Unreadable
    from dshlog.model.report import Report

_NAMED = 3  # logs that are offered when one of many must be chosen


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


def unreadable_report(path: str, why: str) -> Report:
    """Give the report on an entry that has a log's name and cannot be read as one."""
    from dshlog.model.finding import Finding
    from dshlog.model.place import Place
    from dshlog.model.report import ReaderVerdict, Report

    finding = Finding(
        code="F100",
        name="unreadable-entry",
        severity="error",
        place=Place(file=path),
        message=why,
    )
    verdict = ReaderVerdict(build=None, opens=False, first=finding.code)
    return Report(path=path, state="not-a-log", native=verdict, latest=verdict, findings=(finding,))

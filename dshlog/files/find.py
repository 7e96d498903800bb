"""Find the logs that a path stands for: a file, a session, a project, a root, or any directory above.

Names decide, as they do in dsh; nothing is opened. One bad entry never ends a walk. Paths are texts
and not `Path` objects, so that they come out as they were typed.
"""
# ruff: noqa: PTH100, PTH113, PTH110, PTH111, PTH114, PTH116, PTH118, PTH119

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from dshlog.files.dbpath import SUFFIXES, dsh_database, is_database, misnamed
from dshlog.files.unreadable import Unreadable, refuse_irregular, refuse_lost, unreadable
from dshlog.storage.naming import is_project_dir, parse_log_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.fault import Fault
    from dshlog.storage.naming import LogName

FREE_SUFFIXES = (".jsonl", ".jsonl.zstd", ".jsonl.zst")  # what a log outside a session directory ends in
MIXED = "raw and zstd logs lie side by side, and dsh refuses every session of such a root"

Kind = Literal["log", "directory", "database", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One thing that was found where a log may be.

    `path` starts with the path that was asked for. `kind` is "log" for a regular file (or a symbolic
    link to one), "directory" for a directory that is named like a log, "database" for a SQLite database
    with the `fault` for which it gives no session, and "unreadable" for what could
    not be looked at or is neither; `note` then says why and `hints` what to do. `canonical` tells that
    the file stands in its place below a root (see `home`). `older` are the paths of the generations
    that this one hides, oldest first; they are not found on their own. `database` is the file that holds the log.
    """

    path: str
    kind: Kind = "log"
    canonical: bool = False
    older: tuple[str, ...] = ()
    note: str | None = None
    hints: tuple[str, ...] = ()
    database: str | None = None
    fault: Fault | None = None


class Home(NamedTuple):
    """The place of a log three levels below a root; `project` and `segment` are directory names."""

    root: str
    project: str
    segment: str
    name: LogName


def find_logs(path: str, *, all_generations: bool = False) -> Iterator[Found]:
    """Yield what a path stands for, in an order that depends on the names alone.

    A file stands for itself (a database as "database" without a fault: whoever opens it finds its sessions), and so does a directory that is named like a log: dsh selects it by its
    name and fails. Any other directory is walked: one that directly holds a canonical log name is a
    session and gives its live generation, or all of them, oldest first; any other gives the free logs
    in it. The logs of a directory come before those of the directories inside it. Symbolic links to
    directories are not followed, except `path` itself. A path that cannot be looked at is found as
    "unreadable"; nothing is raised.
    """
    try:
        refuse_lost(path)
        walked = stat.S_ISDIR(os.stat(path).st_mode)
    except Unreadable as fault:
        yield _faulty(path, fault)
        return
    except (OSError, ValueError) as error:
        yield _faulty(path, unreadable(path, error))
        return
    if not walked or os.path.basename(absolute(path)).endswith(FREE_SUFFIXES):
        yield database_at(path) or _look(path)
    else:
        yield from _walk(path, all_generations=all_generations)


def home(path: str, *, any_project: bool = False) -> Home | None:
    """Tell the place of a log by the names of the file and of the two directories around it.

    The file needs a canonical log name and the upper directory the name of a project, unless
    `any_project` says that the root is known: there dsh looks into every directory. The session
    directory may have any name, since dsh looks into every one and refuses those named wrongly.
    None for a free file.
    """
    directory, file = os.path.split(absolute(path))
    name = parse_log_name(file)
    if name is None:
        return None
    upper, segment = os.path.split(directory)
    root, project = os.path.split(upper)
    if not segment or not project or not (any_project or is_project_dir(project)):
        return None
    return Home(root=root, project=project, segment=segment, name=name)


def default_root() -> str:
    """Give the sessions root of this account: below `$DSH_HOME` unless that is blank, else `~/.dsh`."""
    place = os.environ.get("DSH_HOME", "")
    if not place.strip():
        place = "~/.dsh"
    # Not expanduser alone: dsh knows no `~user`, and takes `~\\` for home on every platform.
    if place == "~" or place.startswith(("~/", "~\\")):
        place = os.path.expanduser("~") + os.sep + place[2:]
    return os.path.join(absolute(place), "sessions")


def by_name(entry: os.DirEntry[str]) -> str:
    """Give the key that sorts a directory."""
    return entry.name


def is_directory(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a directory to be walked; one that cannot be asked is, so that its listing says why."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return True


def in_order(logs: dict[str, LogName]) -> list[str]:
    """Sort the logs of a session, the oldest generation first."""
    return sorted(logs, key=lambda name: (logs[name].generation, logs[name].encoding))


def live_logs(logs: dict[str, LogName]) -> Iterator[tuple[str, list[str]]]:
    """Yield for each encoding of a session, raw first, its live log and those that it hides, oldest first."""
    ordered = in_order(logs)
    for encoding in sorted({name.encoding for name in logs.values()}):
        *older, live = (name for name in ordered if logs[name].encoding == encoding)
        yield live, older


def _walk(top: str, *, all_generations: bool) -> Iterator[Found]:
    """Walk a directory without recursion, so that no depth is too deep."""
    waiting = [top]
    seen: set[tuple[int, int]] = set()
    while waiting:
        directory = waiting.pop()
        try:
            # A loop of mounts or of Windows junctions has no symbolic link in it.
            at = os.stat(directory)
            if at.st_ino and (at.st_dev, at.st_ino) in seen:
                continue
            seen.add((at.st_dev, at.st_ino))
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=by_name)
        except OSError as error:
            yield _faulty(directory, unreadable(directory, error))
            continue
        logs = {entry.name: name for entry in entries if (name := parse_log_name(entry.name)) is not None}
        if logs:
            yield from _session(directory, logs, all_generations=all_generations)
        inner: list[str] = []
        for entry in entries:
            path = os.path.join(directory, entry.name)
            if entry.name in logs:
                continue
            if entry.name.endswith(FREE_SUFFIXES):
                if not logs:
                    yield from _free(path)
            elif entry.name.endswith(SUFFIXES) and dsh_database(path):
                yield Found(path=path, kind="database", database=path)
            elif is_directory(entry):
                inner.append(path)
        waiting.extend(reversed(inner))


def _session(directory: str, logs: dict[str, LogName], *, all_generations: bool) -> Iterator[Found]:
    """Yield the live generation of each encoding (raw first), or all generations."""
    note = MIXED if len({name.encoding for name in logs.values()}) > 1 else None
    if all_generations:
        for name in in_order(logs):
            yield _look(os.path.join(directory, name), note=note)
        return
    for live, older in live_logs(logs):
        hidden = tuple(os.path.join(directory, name) for name in older)
        yield _look(os.path.join(directory, live), older=hidden, note=note)


def _free(path: str) -> Iterator[Found]:
    """Yield a file or a directory that is named like a log, and a link that leads nowhere.

    A pipe, a socket, a device and a link to a directory are passed over: dsh does not see them either.
    """
    found = _look(path)
    if found.kind == "log" or (found.kind == "directory" and not os.path.islink(path)) or not os.path.exists(path):
        yield found


def database_at(path: str) -> Found | None:
    """Tell whether a file that was asked for is a database, or should be one by its name."""
    if parse_log_name(os.path.basename(path)) is not None or not os.path.isfile(path):
        return None
    fault = misnamed(path) if path.endswith(SUFFIXES) else None
    if fault is None and not is_database(path):
        return None
    return Found(path=path, kind="database", database=path, fault=fault, note=None if fault is None else fault.message)


def _look(path: str, *, older: tuple[str, ...] = (), note: str | None = None) -> Found:
    canonical = home(path) is not None
    try:
        mode = os.stat(path).st_mode
        refuse_irregular(path, mode)
    except (OSError, ValueError) as error:
        return _faulty(path, unreadable(path, error), canonical=canonical, older=older)
    except Unreadable as fault:
        kind: Kind = "directory" if stat.S_ISDIR(mode) else "unreadable"
        return _faulty(path, fault, kind, canonical=canonical, older=older)
    return Found(path=path, canonical=canonical, older=older, note=note)


def _faulty(
    path: str,
    fault: Unreadable,
    kind: Kind = "unreadable",
    *,
    canonical: bool = False,
    older: tuple[str, ...] = (),
) -> Found:
    return Found(path=path, kind=kind, canonical=canonical, older=older, note=fault.why, hints=fault.hints)


def absolute(path: str) -> str:
    """Give the absolute path; the path as it is where the working directory is gone."""
    try:
        return os.path.abspath(path)
    except (OSError, ValueError):  # The process stands in a directory that is gone.
        return path

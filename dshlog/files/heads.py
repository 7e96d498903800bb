"""The heads of the logs below a directory: where each lies, how large it is, and its first bytes.

The names decide as in `find`, but one look at each directory is all that is made, since there may be
thousands. Paths are texts, so that they come out as they were typed.
"""
# ruff: noqa: PTH116, PTH118, PTH119, PTH208

from __future__ import annotations

import os
import stat
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from dshlog.files.dbpath import SUFFIXES, dsh_database
from dshlog.files.find import FREE_SUFFIXES, absolute, by_name, database_at, in_order, is_directory, live_logs
from dshlog.files.unreadable import Unreadable, irregular, refuse_lost, unreadable
from dshlog.storage.firstline import FIRST, MOST
from dshlog.storage.naming import is_project_dir, parse_log_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.storage.naming import LogName

_QUIET = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
HIDDEN = "a link: dsh sees nothing"
NOWHERE = "the link leads nowhere"
_DEEP = 16  # levels below which a loop of mounts is looked for

_canonical = cache(parse_log_name)


class Head(NamedTuple):
    """One log: its size, its first bytes, the generations that it hides; or why it cannot be read.

    `linked` tells that it lies behind a symbolic link where dsh wants a directory. A `database` is a file that
    holds sessions; it is not opened here.
    """

    path: str
    size: int | None = None
    data: bytes = b""
    older: tuple[str, ...] = ()
    problem: str | None = None
    linked: bool = False
    database: bool = False


def heads(top: str, *, all_generations: bool = False) -> Iterator[Head]:
    """Yield the logs that a path stands for, as `find_logs` finds them, in an order that the names decide.

    A session gives its live generation of each encoding, or all. What cannot be read is given with its
    problem; nothing is raised. Symbolic links are followed to sessions of a project alone, as dsh does.
    """
    try:
        refuse_lost(top)
        walked = stat.S_ISDIR(os.stat(top).st_mode)
    except Unreadable as fault:
        yield Head(top, problem=fault.why)
        return
    except (OSError, ValueError) as error:
        yield Head(top, problem=unreadable(top, error).why)
        return
    if not walked:
        found = database_at(top)
        if found is None:
            yield head(top)
        else:
            problem = None if found.fault is None else found.fault.message
            yield Head(top, 0, problem=problem, database=problem is None)
        return
    waiting = [(top, 0)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        directory, depth = waiting.pop()
        try:
            if depth > _DEEP:
                at = os.stat(directory)
                if (at.st_dev, at.st_ino) in seen:
                    continue
                seen.add((at.st_dev, at.st_ino))
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=by_name)
        except OSError as error:
            yield Head(directory, problem=unreadable(directory, error).why)
            continue
        logs = {entry.name: name for entry in entries if (name := _canonical(entry.name)) is not None}
        if logs:
            yield from _session(directory, logs, all_generations=all_generations)
        inner: list[tuple[str, int]] = []
        for entry in entries:
            if entry.name in logs:
                continue
            if entry.name.endswith(FREE_SUFFIXES):
                if not logs and _is_file(entry):
                    yield head(entry.path)
            elif entry.name.endswith(SUFFIXES) and dsh_database(entry.path):
                yield Head(entry.path, database=True)
            elif is_directory(entry):
                inner.append((entry.path, depth + 1))
            elif entry.is_symlink():
                yield from _linked(entry, directory, all_generations=all_generations)
        waiting.extend(reversed(inner))


def head(path: str, older: tuple[str, ...] = ()) -> Head:
    """Read the first bytes of a log; more than a few only when its header line is that long."""
    try:
        # Opened quietly, for a pipe in place of a log must not be waited for.
        file = os.open(path, _QUIET | _BINARY)
    except (OSError, ValueError) as error:
        return Head(path, older=older, problem=unreadable(path, error).why)
    try:
        seen = os.fstat(file)
        if not stat.S_ISREG(seen.st_mode):
            return Head(path, older=older, problem=irregular(seen.st_mode)[0])
        data = os.read(file, FIRST)
        if b"\n" not in data and len(data) == FIRST:
            data += _more(file)
    except OSError as error:
        return Head(path, older=older, problem=unreadable(path, error).why)
    finally:
        os.close(file)
    return Head(path, seen.st_size, data, older)


def _more(file: int) -> bytes:
    parts: list[bytes] = []
    wanted = MOST
    while wanted > 0:
        part = os.read(file, wanted)
        if not part:
            break
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def _session(directory: str, logs: dict[str, LogName], *, all_generations: bool) -> Iterator[Head]:
    if all_generations:
        for name in in_order(logs):
            yield head(os.path.join(directory, name))
        return
    for live, older in live_logs(logs):
        yield head(os.path.join(directory, live), tuple(os.path.join(directory, name) for name in older))


def _linked(entry: os.DirEntry[str], directory: str, *, all_generations: bool) -> Iterator[Head]:
    """Yield what lies behind a link that stands for a project, or for a session in one; others are passed over."""
    if is_project_dir(entry.name):
        yield Head(entry.path, problem=HIDDEN, linked=True)
    elif is_project_dir(os.path.basename(absolute(directory))):
        try:
            names = os.listdir(entry.path)
        except FileNotFoundError:
            yield Head(entry.path, problem=NOWHERE, linked=True)
        except OSError:
            return  # no directory
        else:
            logs = {name: parsed for name in names if (parsed := _canonical(name)) is not None}
            found = _session(entry.path, logs, all_generations=all_generations) if logs else ()
            yield from (one._replace(linked=True) for one in found)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return True

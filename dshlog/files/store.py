"""What the disk tells about a sessions root and about a log in it; nothing is created and nothing written.

Contents are not read, except the small cache that dsh keeps beside a root.
"""
# ruff: noqa: PTH110, PTH114, PTH116, PTH118, PTH121

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from dshlog.files.read import FileSource
from dshlog.files.unreadable import Unreadable
from dshlog.model.number import as_count
from dshlog.model.store import LogFacts, RootFacts, SessionEntry
from dshlog.storage.naming import is_project_dir, parse_log_name, project_key, session_segment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dshlog.files.find import Home
    from dshlog.model.report import Encoding, Report
    from dshlog.model.store import Branch, Entry

LOCK = "session.lock"
MAX_CACHE = 8 << 20  # bytes of a cache file that are read; those of dsh hold a few thousand

_FLAT_SUFFIXES = (".jsonl", ".jsonl.zstd")
_TEMPORARY = ".tmp"
_CACHE = ("storages", "session_projcache", "sessions")
_QUIET = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)


def looks_like_root(path: str) -> bool:
    """Tell whether a directory holds one that is named after a working directory."""
    return any(is_project_dir(entry.name) for entry in _entries(path))


def scan_root(root: str, shown: str) -> RootFacts:
    """List the names below a root as far as dsh does, three levels deep.

    What cannot be listed is passed over: the walk that finds the logs tells of it.

    Args:
        root: the absolute path.
        shown: how paths below it are to be spelled.
    """
    scan = _Scan()
    for entry in _entries(root):
        if entry.is_symlink():
            if is_project_dir(entry.name) and _is_directory(entry, follow=True):
                scan.linked_projects.append(entry.name)
            elif is_project_dir(entry.name):
                scan.dead_links.append(entry.name)
        elif _is_directory(entry):
            scan.project(entry)
    return RootFacts(
        root=shown,
        sessions=tuple(scan.sessions),
        encodings=tuple(scan.encodings.items()),
        flat=tuple(scan.flat),
        linked_projects=tuple(scan.linked_projects),
        dead_links=tuple(scan.dead_links),
        without_log=tuple(scan.without_log),
        temporaries=tuple(scan.temporaries),
        copies=tuple(scan.copies),
    )


class _Scan:
    """What one look at a root has gathered; the names are those of `RootFacts`."""

    def __init__(self) -> None:
        self.sessions: list[SessionEntry] = []
        self.encodings: dict[Encoding, int] = {"raw": 0, "zstd": 0}
        self.flat: list[str] = []
        self.linked_projects: list[str] = []
        self.dead_links: list[str] = []
        self.without_log: list[str] = []
        self.temporaries: list[str] = []
        self.copies: list[str] = []

    def project(self, project: os.DirEntry[str]) -> None:
        """Look into a directory of the root, which is a project for dsh whatever its name."""
        for child in _entries(project.path):
            if _is_directory(child, follow=True):
                self._session(project.name, child)
            elif child.name.endswith(_FLAT_SUFFIXES):
                if _is_file(child):
                    self.flat.append(os.path.join(project.name, child.name))
            elif is_project_dir(project.name) and child.is_symlink() and not os.path.exists(child.path):
                self.dead_links.append(os.path.join(project.name, child.name))

    def _session(self, project: str, child: os.DirEntry[str]) -> None:
        names = [entry.name for entry in _entries(child.path)]
        logs = _canonical(names)
        where = os.path.join(project, child.name)
        linked = child.is_symlink()
        if logs:
            self.sessions.append(SessionEntry(project=project, segment=child.name, names=logs, linked=linked))
        # What a link leads to lies elsewhere, and a directory that dsh would not make may hold anything.
        if linked or not (logs or is_project_dir(project)):
            return
        for name in logs:
            self.encodings[_encoding(name)] += 1
        others = [name for name in names if name not in logs and name != LOCK]
        if others and not logs:
            self.without_log.append(where)
        for name in filter(_like_a_log, others):
            if name.endswith(_TEMPORARY):
                self.temporaries.append(os.path.join(where, name))
            elif logs:
                self.copies.append(os.path.join(where, name))


class Watch:
    """One log in its place, looked at before it is read and again afterwards."""

    def __init__(self, path: str, place: Home) -> None:
        """Take the path as it was found, and its place as `home` tells it."""
        self.path = path
        self.place = place
        self.directory, self.name = os.path.split(path)
        self.held = lock_held(self.directory)
        self._before = _look(path)
        self.siblings = _canonical(entry.name for entry in _entries(self.directory or os.curdir))

    def older(self, *, every: bool = False) -> tuple[str, ...]:
        """Give the paths of older generations that were written to after this one; with `every` all of them.

        Nothing is older when a newer generation hides this one.
        """
        own = self.place.name
        same = [name for name in self.siblings if _encoding(name) == own.encoding]
        if not same or same[-1] != self.name or self._before is None:
            return ()
        paths = [os.path.join(self.directory, name) for name in same[:-1]]
        looks = {path: _look(path) for path in paths}
        return tuple(
            path
            for path, seen in looks.items()
            if seen is not None
            and stat.S_ISREG(seen.st_mode)
            and (every or seen.st_mtime_ns > self._before.st_mtime_ns)
        )

    def facts(self, report: Report, branches: tuple[Branch, ...] = ()) -> LogFacts:
        """Look again, now that the log was read, and give all facts."""
        before, after, place = self._before, _look(self.path), self.place
        changed = before is not None and after is not None and _stamp(before) != _stamp(after)
        return LogFacts(
            project=place.project,
            segment=place.segment,
            name=self.name,
            generation=place.name.generation,
            encoding=place.name.encoding,
            siblings=self.siblings,
            entry=self._entry(),
            project_linked=os.path.islink(os.path.join(place.root, place.project)),
            resolves=self._resolves(report),
            held=self.held,
            size=None if before is None else before.st_size,
            grown=after.st_size if changed and after is not None else None,
            cached=cached_seq(place.root, report),
            branches=branches,
        )

    def _entry(self) -> Entry:
        if self._before is None:
            return "broken-link" if os.path.islink(self.path) else "unreadable"
        if stat.S_ISREG(self._before.st_mode):
            return "log"
        return "directory" if stat.S_ISDIR(self._before.st_mode) else "unreadable"

    def _resolves(self, report: Report) -> bool:
        """Tell whether the path that the header gives is another name of this file."""
        if not report.id or report.cwd == "":
            return False
        place = self.place
        project, segment = project_key(report.cwd), session_segment(report.id)
        if (project, segment) == (place.project, place.segment):
            return False
        try:
            return os.path.samefile(os.path.join(place.root, project, segment, self.name), self.path)
        except (OSError, ValueError):
            return False


def lock_held(directory: str) -> bool | None:
    """Tell whether another process holds the lock of a session; None where that cannot be asked.

    The lock is asked for as a reader would, so that two of us never see each other, and given back at once.
    """
    try:
        import fcntl
    except ImportError:  # Windows, where dsh uses a named semaphore and no file.
        return None
    try:
        descriptor = os.open(os.path.join(directory, LOCK), os.O_RDONLY | _QUIET)
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except BlockingIOError:
        return True
    except OSError:  # A file system without locks.
        return None
    else:
        return False
    finally:
        os.close(descriptor)


def cached_seq(root: str, report: Report) -> int | None:
    """Give the highest seq up to which dsh's projection cache folded this session; None when it does not say.

    Only a cache of the very same session is believed: generation and cwd must be those of the log.
    Seen with dsh 0.2.1: `record.identity` tells whose cache it is, each of `record.rows` has the `seq` of
    the last event that it knows.
    """
    home_of_dsh, name = os.path.split(root)
    if name != "sessions" or not report.id or session_segment(report.id) != report.id:
        return None
    text = _head(os.path.join(home_of_dsh, *_CACHE, f"{report.id}.json"))
    if text is None:
        return None
    from dshlog.storage.jsontext import NotJSON, loads

    try:
        record = _member(loads(text), "record")
    except NotJSON:
        return None
    identity, rows = _member(record, "identity"), _member(record, "rows")
    if type(rows) is not dict or as_count(_member(identity, "formatVersion")) != report.version:
        return None
    if _member(identity, "cwd") != report.cwd:
        return None
    seqs = [as_count(_member(row, "seq")) for row in rows.values()]
    return max((seq for seq in seqs if seq is not None), default=None)


def _like_a_log(name: str) -> bool:
    """Tell whether a name that is no log's begins like one: a temporary file, a copy, a slip of the pen."""
    folded = name.casefold()
    return folded.startswith("session.") and ".jsonl" in folded


def _canonical(names: Iterable[str]) -> tuple[str, ...]:
    logs = {name: parsed for name in names if (parsed := parse_log_name(name)) is not None}
    return tuple(sorted(logs, key=lambda name: (logs[name].generation, logs[name].encoding)))


def _encoding(name: str) -> Encoding:
    return "zstd" if name.endswith(".zstd") else "raw"


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as listing:
            return sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_directory(entry: os.DirEntry[str], *, follow: bool = False) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _look(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _stamp(seen: os.stat_result) -> tuple[int, int, int]:
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def _head(path: str) -> bytes | None:
    """Give the bytes of a small regular file, None for anything else."""
    try:
        with FileSource(path) as file:
            return file.read(0, file.size) if file.size <= MAX_CACHE else None
    except Unreadable:
        return None


def _member(value: Any, name: str) -> Any:  # noqa: ANN401 - JSON of any shape
    return value.get(name) if type(value) is dict else None

"""What the disk says about a sessions root and about one log in it: names, links, locks, never contents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dshlog.model.report import Encoding

Entry = Literal["log", "directory", "broken-link", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEntry:
    """One session directory: where it lies and the canonical log names in it, oldest generation first.

    A `linked` one is a symbolic link: dsh finds it by its id and leaves it out of its list.
    """

    project: str
    segment: str
    names: tuple[str, ...]
    linked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RootFacts:
    """The names below one sessions root, as dsh looks at them.

    `root` is how paths below it are spelled. Every other path is relative to the root, its parts joined
    by the separator of the platform. `flat` are regular files that lie like logs among the sessions of a
    project, `linked_projects` symbolic links where a project directory should be, `dead_links` links that lead nowhere,
    where a directory of either kind should be, `without_log` session
    directories that hold something and no log, `temporaries` what a first write or a migration left
    behind, `copies` other names in a session directory that look like a log.
    """

    root: str
    sessions: tuple[SessionEntry, ...]
    encodings: tuple[tuple[Encoding, int], ...] = ()
    flat: tuple[str, ...] = ()
    linked_projects: tuple[str, ...] = ()
    dead_links: tuple[str, ...] = ()
    without_log: tuple[str, ...] = ()
    temporaries: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """What an older generation holds that the live one never got.

    `name` is the older file, `seq` the first such event in it, `turns` how many turns it began since.
    """

    name: str
    seq: int
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFacts:
    """One log in its place three levels below a root, and what happened to it while it was read.

    `generation` and `encoding` are those of the file name. `siblings` are the canonical names in its
    directory, itself included. `resolves` tells that the path
    which its header gives leads to this very file although it is spelled otherwise. `held` is None where
    the lock could not be asked. `size` is the size before, `grown` the size after when anything changed.
    `cached` is the highest seq that dsh's projection cache knows for this generation of the session.
    """

    project: str
    segment: str
    name: str
    generation: int
    encoding: Encoding
    siblings: tuple[str, ...]
    entry: Entry = "log"
    project_linked: bool = False
    resolves: bool = False
    held: bool | None = None
    size: int | None = None
    grown: int | None = None
    cached: int | None = None
    branches: tuple[Branch, ...] = ()

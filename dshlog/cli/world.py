"""What the commands ask of the rest of dshlog; nothing is imported before it is asked for."""

from __future__ import annotations

import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from dshlog.cli.family import Family
    from dshlog.files.databases import Databases
    from dshlog.files.find import Found
    from dshlog.model.fault import Fault
    from dshlog.model.report import Report
    from dshlog.model.session import SessionRow
    from dshlog.model.stream import StreamView
    from dshlog.model.view import SurfaceView
    from dshlog.report.decode import Decoded
    from dshlog.report.examine import Upgrading
    from dshlog.report.excerpt import Excerpt
    from dshlog.report.stats import Stats
    from dshlog.storage.source import Source


class World:
    """The disk and the use cases, as the commands see them."""

    @cached_property
    def family(self) -> Family:
        """The child sessions of logs, as their roots know them."""
        from dshlog.cli.family import Family

        return Family(self)

    @cached_property
    def databases(self) -> Databases:
        """The SQLite databases among the paths."""
        from dshlog.files.databases import Databases

        return Databases()

    @property
    def remarks(self) -> dict[str, list[Fault]]:
        """What there is to say about each database that was opened, by its path."""
        return self.databases.remarks if "databases" in self.__dict__ else {}

    def default_root(self) -> str:
        """Give the sessions root of this user."""
        from dshlog.files.find import default_root

        return default_root()

    def find(self, path: str, *, all_generations: bool = False) -> Iterator[Found]:
        """Yield the logs that a path stands for."""
        from dshlog.files.dbpath import is_session, split
        from dshlog.files.find import Found, find_logs

        if is_session(path):
            parts = split(path)
            if parts is not None:
                self.databases.look(parts[0])
            yield Found(path=path, database=None if parts is None else parts[0])
            return
        for found in find_logs(path, all_generations=all_generations):
            if found.kind == "database" and found.fault is None:
                yield from self.databases.expand(found.path, asked=found.path == path)
            else:
                yield found

    def named(self, root: str, text: str) -> dict[str, list[str]]:
        """Give the session directories of a root by ids that are or begin with a text."""
        from dshlog.files.lookup import sessions_named

        return sessions_named(root, text)

    def sessions(self, path: str, *, all_generations: bool = False) -> list[SessionRow]:
        """Give the logs that a path stands for, by their headers alone."""
        from dshlog.files.dbpath import split
        from dshlog.files.heads import heads
        from dshlog.model.session import SessionRow
        from dshlog.report.sessions import session_row

        parts = split(path) if "#" in path else None
        if parts is not None:
            found = [row for row in self._stored(parts[0], asked=True) if row.path == path]
            return found or [SessionRow(path, problem="the database has no such session")]
        rows: list[SessionRow] = []
        for head in heads(path, all_generations=all_generations):
            if head.database:
                rows += self._stored(head.path, asked=head.path == path)
                continue
            if head.problem is None:
                row = session_row(head.path, head.size, head.data, head.older)
            else:
                row = SessionRow(head.path, size=head.size, older=head.older, problem=head.problem)
            rows.append(row._replace(linked=True) if head.linked else row)
        return rows

    def _stored(self, path: str, *, asked: bool) -> Iterator[SessionRow]:
        """Yield the sessions of a database."""
        from dshlog.model.session import SessionRow
        from dshlog.report.sessions import session_row

        for name, size, header, problem in self.databases.headers(path, asked=asked):
            if problem is None:
                yield session_row(name, size, header, ())
            else:
                yield SessionRow(name, size=size, problem=problem)

    def source(self, path: str) -> AbstractContextManager[Source]:
        """Open a log; `-` is standard input."""
        from dshlog.files.read import FileSource, open_stdin

        if path != "-":
            return FileSource(path) if "#" not in path else self.databases.source(path) or FileSource(path)
        return open_stdin(None if sys.stdin is None else sys.stdin.buffer)

    def kept_source(self, path: str) -> AbstractContextManager[Source]:
        """Open a log that is read several times; standard input is kept for that."""
        from dshlog.files.read import keep_stdin

        return self.source(path) if path != "-" else keep_stdin(None if sys.stdin is None else sys.stdin.buffer)

    def file_size(self, path: str) -> int:
        """Give the size of a file in bytes, 0 where it cannot be told."""
        try:
            return os.stat(path).st_size  # noqa: PTH116 - paths are texts here
        except (OSError, ValueError):
            return 0

    def examine(
        self,
        source: Source,
        path: str,
        *,
        reader: str,
        deep: bool = False,
        extra_types: frozenset[str] = frozenset(),
        upgrade: Upgrading = "never",
    ) -> Report:
        """Judge one log."""
        from dshlog.report.examine import examine

        return examine(
            source,
            path,
            reader=reader,
            deep=deep,
            extra_types=extra_types,
            upgrade=upgrade,
            children=self.family.of(path),
        )

    def excerpts(self, report: Report) -> dict[int, Excerpt]:
        """Give pieces of the records that a report names; none of what cannot be read a second time."""
        from dshlog.files.unreadable import Unreadable
        from dshlog.report.excerpt import excerpts

        if report.path == "-":
            return {}  # Standard input has passed by.
        try:
            with self.source(report.path) as source:
                return excerpts(source, report)
        except Unreadable:
            return {}

    def line_lengths(self, report: Report) -> dict[int, int]:
        """Give the lengths of the lines of a raw log that a report names, by their offsets."""
        from dshlog.files.unreadable import Unreadable
        from dshlog.report.excerpt import line_lengths, offsets

        if report.path == "-":
            return {}  # Standard input has passed by.
        try:
            with self.source(report.path) as source:
                return line_lengths(source, offsets(report.findings))
        except Unreadable:
            return {}

    def surface_view(self, source: Source, path: str, *, at: int | None) -> tuple[SurfaceView, Report]:
        """Fold one log."""
        from dshlog.report.surface import surface_view

        return surface_view(source, path, at=at, upgrade="small", children=self.family.of(path))

    def stream_view(self, source: Source, path: str, seq: int) -> tuple[StreamView | str, Report]:
        """Replay one model call."""
        from dshlog.report.stream import stream_view

        return stream_view(source, path, seq, upgrade="small", children=self.family.of(path))

    def stats(self, source: Source, path: str) -> tuple[Stats, Report]:
        """Count what happened in one log."""
        from dshlog.report.stats import log_stats

        return log_stats(source, path, upgrade="small", children=self.family.of(path))

    def read_log(self, source: Source, path: str, *, keep: bool = False) -> Decoded:
        """Decode one log; with `keep` its surface is held too."""
        from dshlog.report.decode import read_log

        return read_log(source, path, keep=keep, upgrade="small", children=self.family.of(path))

"""A sessions root as dsh sees it: what each log breaks by its place, and what no single log can tell."""
# ruff: noqa: PTH118, PTH120 - paths are texts here, nothing is opened

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dshlog.report.listing import listing
from dshlog.report.placing import Around, finding, place_findings, placed
from dshlog.storage.naming import session_segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.finding import Finding
    from dshlog.model.report import Encoding, Report
    from dshlog.model.store import LogFacts, RootFacts, SessionEntry

RELATED = 100  # places that one finding about a root names; its message counts all

_NAMES = "a log is called session.jsonl or session.vN.jsonl, with .zstd behind it when it is compressed"


class Store:
    """Judges the logs of one root one after the other; keeps names, and of bad logs the paths only.

    Nothing here knows all reports at once: what dsh makes of a root follows from the names below it and
    from one header at a time.
    """

    def __init__(self, facts: RootFacts) -> None:
        self.facts = facts
        self._by_segment: dict[str, list[SessionEntry]] = {}
        for entry in facts.sessions:
            self._by_segment.setdefault(entry.segment, []).append(entry)
        self._minority, self._majority = _minority(facts.encodings)
        self._fails: list[str] = []
        self._skips: list[str] = []
        self._counted = [0, 0]

    def place(self, report: Report, facts: LogFacts) -> Report:
        """Add to a report what the place of its log breaks, and settle its state and its verdicts.

        Call it for every log of the root that is judged: the findings about the root count them.
        """
        twins = [other for other in self._holders(facts.segment) if other.project != facts.project]
        around = Around(
            twins=tuple(self._log(other) for other in twins),
            others=self._majority if facts.encoding == self._minority else 0,
            namesake=self._namesake(report, facts),
            parent_known=report.parent is None or self._knows(report.parent),
        )
        added = tuple(place_findings(report, facts, around))
        # A twin that is a link breaks the look-up alone.
        listed = {one.name for one in added if one.name != "duplicate-id" or not all(other.linked for other in twins)}
        if not any(one.name == "hidden-generation" for one in added) and not facts.project_linked:
            self._count(report, facts, listed)
        return placed(report, added, facts)

    def findings(self, tops: Iterable[str] = (os.curdir,)) -> Iterator[Finding]:
        """Yield what belongs to no single log, worst first.

        Args:
            tops: the directories that were asked for, relative to the root; "." is the root or one above.
        """
        asked = frozenset(tops)
        facts = self.facts
        if not asked:
            return
        flat = [path for path in facts.flat if _below(path, asked)]
        for path in flat:
            yield finding(
                "flat-file",
                self._shown(path),
                "a log directly in a project directory: dsh neither lists nor opens any session of this root",
                hint="move it out of the root, or into the session directory where its header belongs",
            )
        yield from self._lists([self._shown(path) for path in flat])
        for path in facts.linked_projects:
            if _below(path, asked):
                yield finding(
                    "symlink-hides", self._shown(path), "a symbolic link: dsh sees no session in this project directory"
                )
        for path in facts.dead_links:
            if _below(path, asked):
                text = "a symbolic link that leads nowhere: dsh knows no session there"
                yield finding("symlink-hides", self._shown(path), text, hint="remove it, or bring back what it led to")
        for entry in facts.sessions:
            where = os.path.join(entry.project, entry.segment)
            if entry.linked and _below(where, asked):
                text = "a symbolic link: dsh opens this session by its id and leaves it out of its list"
                yield finding("symlink-hides", self._shown(where), text)
        for name, paths, text, hint in (
            (
                "listing-skips",
                facts.without_log,
                "no file in it is a log by its name: dsh knows no such session",
                _NAMES,
            ),
            ("leftover-temporary", facts.temporaries, "left by a first write or a migration that did not end", None),
            (
                "backup-inside-root",
                facts.copies,
                "it looks like a copy of a log, and dsh ignores a file of this name",
                None,
            ),
        ):
            for path in paths:
                if _below(path, asked):
                    yield finding(name, self._shown(path), text, hint=hint)

    def _count(self, report: Report, facts: LogFacts, broken: set[str]) -> None:
        """Note what dsh's list makes of the log."""
        effect = listing(report, broken, facts.entry)
        if effect == "fails":
            self._counted[0] += 1
            self._fails += [report.path] if len(self._fails) < RELATED else []
        elif effect == "skipped":
            self._counted[1] += 1
            self._skips += [report.path] if len(self._skips) < RELATED else []

    def _lists(self, flat: list[str]) -> Iterator[Finding]:
        fails, skips = self._counted
        if fails + len(flat):
            logs = "1 log makes" if fails + len(flat) == 1 else f"{fails + len(flat)} logs make"
            yield finding(
                "listing-fails",
                self._root(),
                f"{logs} dsh fail to list this root: none of its sessions is shown, and none "
                + ("can be opened" if flat or self._minority else "of an older format can be opened"),
                related=(*self._fails, *flat)[:RELATED],
            )
        if skips:
            logs = "1 session is" if skips == 1 else f"{skips} sessions are"
            yield finding(
                "listing-skips",
                self._root(),
                f"{logs} missing from dsh's list, since the header cannot be read",
                related=self._skips,
            )

    def _namesake(self, report: Report, facts: LogFacts) -> str | None:
        """Give the session directory that has the name which this log's directory should have."""
        if not report.id or facts.segment == (segment := session_segment(report.id)):
            return None
        held = self._holders(segment)
        return self._shown(os.path.join(held[0].project, segment)) if held else None

    def _holders(self, segment: str) -> list[SessionEntry]:
        """Give the session directories of this name that hold a log."""
        return [entry for entry in self._by_segment.get(segment, ()) if entry.names]

    def _knows(self, id_: str) -> bool:
        return bool(id_) and bool(self._holders(session_segment(id_)))

    def _log(self, entry: SessionEntry) -> str:
        return self._shown(os.path.join(entry.project, entry.segment, entry.names[-1]))

    def _shown(self, path: str) -> str:
        return os.path.join(self.facts.root, path)

    def _root(self) -> str:
        return self.facts.root or os.curdir


def _minority(encodings: Iterable[tuple[Encoding, int]]) -> tuple[Encoding | None, int]:
    """Give the encoding of fewer logs, and how many have the other; at a draw dsh's default is the other."""
    count = dict(encodings)
    raw, zstd = count.get("raw", 0), count.get("zstd", 0)
    if not raw or not zstd:
        return None, 0
    return ("raw", zstd) if raw <= zstd else ("zstd", raw)


def _below(path: str, tops: frozenset[str]) -> bool:
    """Tell whether a path is one of the tops or lies below one."""
    if os.curdir in tops:
        return True
    while path and path not in tops:
        path = os.path.dirname(path)
    return bool(path)

"""The rules of name and place, applied to one log: what its directories, its name and its siblings say."""
# ruff: noqa: PTH118, PTH120 - paths are texts here, nothing is opened

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.model.report import ReaderVerdict, Report
from dshlog.model.vocabulary import LATEST
from dshlog.rules.register import BY_CODE, BY_NAME
from dshlog.storage.naming import log_name, parse_log_name, project_key, session_segment, shown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.report import Encoding, State
    from dshlog.model.store import LogFacts

# When dsh makes these checks: before it opens the file, at its header, or after all records were scanned.
_RANK = {
    "mixed-encodings": 0,
    "duplicate-id": 0,
    "name-differs-from-version": 1,
    "directory-differs-from-id": 3,
    "directory-differs-from-cwd": 3,
}
_SCANNING, _ADOPTING = 2, 4  # ranks of what the content is refused for, between the checks above
_ADOPTION = "vmto"  # stages behind the check of the path
_NO_FILE = BY_NAME["unreadable-entry"].code  # what is no file is that first, whatever else its name breaks
_UNFINISHED = frozenset({"open-turn", "torn-line", "torn-frame"})
FLAT_SUFFIXES = (".jsonl", ".jsonl.zstd")  # what makes dsh take a file in a project directory for a log

_FILE_STATES: dict[str, State] = {
    "database-newer": "newer",
    "database-damaged": "refused",
    "database-shape": "refused",
}
_AT_WORK = "in progress: a writer is at work"


def finding(
    name: str, where: Place | str, message: str, *, hint: str | None = None, related: Iterable[str] = ()
) -> Finding:
    """Make a finding; `where` is a place, or the path of a file as a whole."""
    rule = BY_NAME[name]
    return Finding(
        code=rule.code,
        name=name,
        severity=rule.severity(LATEST),
        place=Place(file=where) if isinstance(where, str) else where,
        message=message,
        hint=hint or rule.hint,
        rule=rule.rule,
        related=tuple(Place(file=path) for path in related),
    )


def whole_file(path: str, why: str, name: str) -> Report:
    """Make the report on a file of which nothing can be read."""
    rule = BY_NAME[name]
    found = Finding(
        code=rule.code,
        name=name,
        severity="error",
        place=Place(file=path),
        message=why,
        hint=rule.hint,
        rule=rule.rule,
    )
    verdict = ReaderVerdict(build=None, opens=False, first=found.code)
    return Report(
        path=path, state=_FILE_STATES.get(name, "not-a-log"), native=verdict, latest=verdict, findings=(found,)
    )


def _header_place(report: Report, member: str) -> Place:
    """Give the place of a header member, which is line 1 and frame 0 of every log."""
    frame = 0 if report.encoding == "zstd" else None
    return Place(file=report.path, line=1, offset=0, frame=frame, frame_at=frame, json_path=f"$.{member}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the names elsewhere in the root say about one log.

    `twins` are paths of the same session in other project directories. `others` counts the logs below
    the root in the other encoding, and is 0 unless those are more. `namesake` is the session directory
    that has the name which this one should have. `parent_known` is False when the parent that the header
    names is in no project directory.
    """

    twins: tuple[str, ...] = ()
    others: int = 0
    namesake: str | None = None
    parent_known: bool = True


def place_findings(report: Report, facts: LogFacts, around: Around) -> Iterator[Finding]:
    """Yield what name and place of one log break, given the report on its content."""
    path = report.path
    twins, others = around.twins, around.others
    if others:
        other = "zstd" if facts.encoding == "raw" else "raw"
        yield finding(
            "mixed-encodings",
            path,
            f"this log is {facts.encoding}, {others} below this root {'is' if others == 1 else 'are'} {other}; "
            "dsh opens no session of a root that holds both",
            hint="move it to a root of its own, or store it again in the other encoding",
        )
    if twins:
        dirs = "directory" if len(twins) == 1 else "directories"
        yield finding(
            "duplicate-id",
            path,
            f"session {shown_name(facts.segment)} lies in {len(twins)} more project {dirs}, and dsh opens none of them",
            hint="compare the copies, keep one below the root and move the others out of it",
            related=twins,
        )
    yield from _header(report, facts, around.namesake)
    yield from _hidden(facts, path)
    if report.parent is not None and not around.parent_known:
        where = _header_place(report, "parentSession")
        yield finding("parent-missing", where, f"parent session {report.parent!r} is not in this root")
    yield from _events(report, facts)


def _header(report: Report, facts: LogFacts, namesake: str | None) -> Iterator[Finding]:
    """Compare the header with the file name and with the two directories."""
    version = report.version
    if version is None:
        return
    if version != facts.generation:
        wanted = log_name(version, facts.encoding)
        taken = wanted in facts.siblings
        yield finding(
            "name-differs-from-version",
            _header_place(report, "version"),
            f"the file name says v{facts.generation}, the header says v{version}",
            hint=f"{wanted} is taken: compare both, keep one and move the other out of the root"
            if taken
            else f"rename it to {wanted}",
        )
    # Of a newer format nothing else is looked at, and what leads to the same file is no mismatch.
    if version > LATEST or facts.resolves:
        return
    segment = _name_of(report.id)
    if report.id == "":
        where = _header_place(report, "id")
        yield finding("directory-differs-from-id", where, "the id in the header is empty, which names no directory")
    elif segment is not None and segment != facts.segment:
        hint = f"rename the directory to {segment}"
        if namesake is not None:
            hint = f"{segment} is there already, so this looks like a copy: move it out of the root"
        yield finding(
            "directory-differs-from-id",
            _header_place(report, "id"),
            f"the session directory is '{shown_name(facts.segment)}', the id {report.id!r} belongs into {segment!r}",
            hint=hint,
            related=() if namesake is None else (namesake,),
        )
    project = _project_of(report)
    if project is not None and project != facts.project:
        yield finding(
            "directory-differs-from-cwd",
            _header_place(report, "cwd"),
            f"the project directory is '{shown_name(facts.project)}', "
            + ("a log without cwd" if report.cwd is None else f"the cwd {report.cwd!r}")
            + f" belongs into {project!r}",
            hint=f"move the session directory into {project}, or write the cwd of this project into the header",
        )


def _hidden(facts: LogFacts, path: str) -> Iterator[Finding]:
    """Say whether dsh reads this generation at all, and whether one that it hides went on."""
    above = [other for other in facts.siblings if _generation(other, facts.encoding) > facts.generation]
    if above:
        text = f"dsh reads {above[-1]} beside it and never this file; a dsh of that older format may"
        yield finding("hidden-generation", path, text)
    for other in facts.branches:
        older = os.path.join(os.path.dirname(path), other.name)
        turns = "1 turn" if other.turns == 1 else f"{other.turns} turns"
        yield finding(
            "stale-generation",
            Place(file=older, seq=other.seq),
            f"{other.name} went on from its event {other.seq}: {turns} that {facts.name} never got",
            hint=f"read both before you remove one: dshlog cat --seq {other.seq}.. shows what only the older one holds",
            related=(path,),
        )


def _events(report: Report, facts: LogFacts) -> Iterator[Finding]:
    """Say what happened while the log was read, and what dsh remembers of it."""
    path = report.path
    if facts.held:
        yield finding("lock-held", path, "another process holds session.lock: the log is judged as it was")
    told = any(found.name == "file-growing" for found in report.findings)
    if facts.grown is not None and not told:
        text = f"it had {facts.size} bytes before it was read and {facts.grown} afterwards; the first are judged"
        if facts.grown == facts.size:
            text = f"its {facts.size} bytes were written to while it was read"
        yield finding("file-growing", path, text)
    if facts.project_linked:
        yield finding("symlink-hides", path, "its project directory is a symbolic link, in which dsh sees no session")
    at_work = facts.held or facts.grown is not None
    if facts.cached is not None and facts.cached >= report.events and not at_work and report.native.opens:
        lost = facts.cached + 1 - report.events
        yield finding(
            "cache-knows-more",
            path,
            f"the projection cache of dsh knows event {facts.cached}, the log holds {report.events} events: "
            f"{lost} at the end {'is' if lost == 1 else 'are'} gone",
        )


def placed(report: Report, added: tuple[Finding, ...], facts: LogFacts) -> Report:
    """Give the report with the findings of its place: file order, state and verdicts settled again."""
    at_work = bool(facts.held) or facts.grown is not None
    found = [_in_progress(old) if at_work and old.name in _UNFINISHED else old for old in report.findings]
    if not added and not at_work:
        return report
    # Stable: what is said about one line keeps its order, and what belongs to no line stands at the end.
    ordered = tuple(sorted((*found, *added), key=lambda one: one.place.line or float("inf")))
    errors = [one for one in added if one.severity == "error"]
    if not errors:
        return replace(report, findings=ordered)
    first = min(errors, key=lambda one: _RANK[one.name])
    apart = report.state == "not-a-log" or (report.version is not None and report.version > LATEST)
    return replace(
        report,
        findings=ordered,
        state=report.state if apart else "refused",
        torn=None,
        native=_refused(report.native, first, report.version),
        latest=_refused(report.latest, first, report.version),
    )


def unsought(report: Report, name: str, *, flat: bool) -> Report:
    """Give the report on a file that dsh never looks at, so that no verdict says that it opens.

    Args:
        report: on its content, of which the state stays.
        name: that of the file.
        flat: whether it lies directly in a project directory, and not in that of a session.
    """
    if not flat and parse_log_name(name) is not None:
        return report
    code = BY_NAME["flat-file" if flat and name.endswith(FLAT_SUFFIXES) else "listing-skips"].code

    def settled(verdict: ReaderVerdict) -> ReaderVerdict:
        return replace(verdict, opens=False, first=code, but=()) if verdict.opens else verdict

    return replace(report, native=settled(report.native), latest=settled(report.latest))


def _refused(verdict: ReaderVerdict, first: Finding, version: int | None) -> ReaderVerdict:
    """Let a reader stop at a place rule, unless it stops at something earlier."""
    if verdict.build is None and (verdict.opens is None or verdict.first == _NO_FILE):
        return verdict
    if verdict.first is not None:
        known = BY_CODE[verdict.first]
        stage = known.stages[version if version is not None and version <= LATEST else LATEST]
        if known.name == "header-version-newer" or _RANK[first.name] > (_ADOPTING if stage in _ADOPTION else _SCANNING):
            return verdict
    return replace(verdict, opens=False, first=first.code, but=())


def _in_progress(old: Finding) -> Finding:
    return replace(old, severity="note", hint=_AT_WORK)


def _generation(other: str, encoding: Encoding) -> int:
    """Give the generation of a sibling in the same encoding; -1 for any other."""
    parsed = parse_log_name(other)
    return parsed.generation if parsed is not None and parsed.encoding == encoding else -1


def _name_of(id_: str | None) -> str | None:
    return session_segment(id_) if id_ else None


def _project_of(report: Report) -> str | None:
    """Give the directory that the header's cwd belongs into; None when the header does not tell."""
    if report.cwd is None:
        unread = any(found.place.json_path == "$.cwd" for found in report.findings)
        return None if unread else project_key(None)
    return project_key(report.cwd) if report.cwd else None

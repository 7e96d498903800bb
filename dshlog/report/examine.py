"""Examine one log: bytes in, one report out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from dshlog.fold.identity import ABSENT
from dshlog.model.fault import Fault
from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.model.report import ReaderVerdict, Report, SurfaceSize, Tail, Torn
from dshlog.model.vocabulary import BUILDS, LATEST
from dshlog.report.dbrows import name_rows, row_drafts
from dshlog.report.reading import Reading
from dshlog.report.size import Sizes
from dshlog.rules.draft import Draft
from dshlog.rules.fixes import hint, remedy
from dshlog.rules.judge import Judge
from dshlog.rules.lifecycle import show
from dshlog.rules.register import BY_NAME, OPENS_BUT, ORDER
from dshlog.storage.source import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dshlog.migrate.children import Child
    from dshlog.model.finding import Severity
    from dshlog.model.report import Encoding, State
    from dshlog.report.latest import Answer
    from dshlog.report.upgrade import Halfway, Upgrade
    from dshlog.storage.source import Source

    Children = Callable[[str], Iterable[Child]]

Upgrading = Literal["never", "small", "always"]

_SEED_IN_BODY = 2
_GIVEN_UP = "u"  # the stage of what dshlog does not read
_TORN = frozenset({"torn-line", "torn-frame"})
_STRICT_FRAMES = frozenset({0, 3, 4})  # readers for which a bad record in a complete frame is corruption


def examine(  # noqa: PLR0913 - one keyword for each way of reading
    source: Source,
    path: str,
    *,
    reader: str = "latest",
    encoding: Encoding | None = None,
    deep: bool = False,
    extra_types: frozenset[str] = frozenset(),
    upgrade: Upgrading = "never",
    children: Children | None = None,
) -> Report:
    """Judge one log by its content.

    Args:
        source: the bytes; read once when raw, several times when zstd.
        path: how the report names the log.
        reader: whose answer state and severity follow; a reader that is not known for the log's
            generation falls back to the generation's own.
        deep: replay embedded streams and compare them with their messages; in v0 and v1 compare each
            message with the chunks of its attempt.
        extra_types: event types of another build or a plugin, taken for known log-only types.
        upgrade: whether the latest reader is asked about a log of v0 to v3, which it upgrades first: always,
            up to a size that takes no time worth telling, or never. Without its answer that of the
            generation's own build counts.
        encoding: raw or zstd when the name of the file decides it; else the first bytes do.
        children: gives what is known of the child sessions of an id, which an upgrade to v4 asks for.

    Returns:
        The report. A broken log is not an error; what the source raises passes through.
    """
    exam = Examination(
        source,
        path,
        encoding,
        deep=deep,
        extra_types=extra_types,
        upgrade=upgrade,
        reader=reader,
        children=children,
    )
    return exam.finished().report()


class Examination:
    """One examination: a reading, a judge when the generation is known, and the settling at the end."""

    def __init__(  # noqa: PLR0913 - as examine
        self,
        source: Source,
        path: str,
        encoding: Encoding | None = None,
        *,
        keep: bool = False,
        deep: bool = False,
        extra_types: frozenset[str] = frozenset(),
        upgrade: Upgrading = "never",
        reader: str = "latest",
        stop_frame: int | None = None,
        children: Children | None = None,
    ) -> None:
        self.path = path
        judging: dict[str, Any] = {"keep": keep, "deep": deep, "extra_types": extra_types}
        self._options: dict[str, Any] = {**judging, "upgrade": upgrade, "reader": reader, "children": children}
        self.reading = Reading(source, encoding or named_encoding(path), stop_frame=stop_frame)
        self._rows = rows_of(source)
        header = self.reading.header
        self.judge = Judge(header, **judging) if header is not None else None
        self.reader = reader
        self._upgrade = self._upgrading(upgrade, children, deep=deep)
        self._halfway = self._stopping(upgrade)
        self._answer: Answer | None = None
        self._sizes = Sizes()
        self.framed_position: int | None = None  # events of the complete frames
        self._issue_in_frames = False
        self._settled: tuple[int, Report] | None = None  # the report, and the bytes of text that it is about
        self._lost = 0  # bytes that were cut off while the log was read

    def _upgrading(self, wanted: Upgrading, children: Children | None, *, deep: bool) -> Upgrade | None:
        """Give what takes the records on their way to the latest generation; None when it is not asked."""
        header = self.reading.header
        if wanted == "never" or header is None or header.version >= LATEST:
            return None
        if wanted == "small":
            from dshlog.report.latest import BUDGET, ZSTD_FACTOR

            size = self.reading.container.source.size or 0
            if size * (ZSTD_FACTOR if self.reading.container.encoding == "zstd" else 1) > BUDGET:
                return None
        from dshlog.report.upgrade import Upgrade

        return Upgrade(header, verify=deep, children=() if children is None else children(header.id))

    def _stopping(self, wanted: Upgrading) -> Halfway | None:
        """Give what takes the records on their way to the build before the latest, when that was asked for."""
        header = self.reading.header
        if wanted == "never" or self.reader != BUILDS[LATEST - 1] or header is None or header.version >= LATEST - 1:
            return None
        from dshlog.report.upgrade import Halfway

        return Halfway(header)

    def run(self) -> Report:
        """Read everything and settle the report."""
        return self.finished().report()

    def finished(self) -> Examination:
        """Read everything; the examination that stands, which is another one when this took bad text."""
        if self.judge is not None:
            for lines, at, end in self.reading.batches():
                self.feed(lines, at, end)
        again = self.again()
        return self if again is None else again.finished()

    def again(self) -> Examination | None:
        """Give the examination to make instead when text of a bad frame was taken before its fault showed."""
        container = self.reading.container
        if not container.overrun:
            return None
        return Examination(
            container.source, self.path, container.encoding, stop_frame=container.bad_frame, **self._options
        )

    def feed(self, lines: list[bytes], at: int, end: int) -> None:
        """Judge one batch; the generation must be known."""
        judge = self.judge
        if judge is None:
            return
        if self.reading.in_torn and self.framed_position is None:
            self._end_of_frames(judge)
        self._sizes.feed(lines, at)
        judge.feed(lines, at, end)
        for upgrade in (self._upgrade, self._halfway):
            if upgrade is not None:
                upgrade.feed(lines)

    def report(self) -> Report:
        """Settle what the reading and the judge found; asked again, the answer is the same."""
        consumed = self.reading.consumed
        if self._settled is None or self._settled[0] != consumed:
            self._settled = consumed, self._settle()
        return self._settled[1]

    def _settle(self) -> Report:
        reading, judge = self.reading, self.judge
        container = reading.container
        drafts = list(reading.drafts)
        if judge is not None:
            if self.framed_position is None:
                self._end_of_frames(judge)
            judge.finish()
            if self._rows is not None:
                name_rows(judge, self._rows)
            drafts += judge.drafts + self._end_faults(judge) + self._reader_faults(judge.version)
            if judge.issue is not None:
                from dshlog.report.sequence import name_gaps

                drafts = name_gaps(drafts, judge, container.source, container.encoding)
        drafts += self._cut_meanwhile() + row_drafts(self._rows)
        fatal = [draft for draft in drafts if draft.fatal]
        own = [draft for draft in fatal if draft.rule.name != "reader-older"]  # what the log itself is refused for
        given_up = any(draft.stage == _GIVEN_UP for draft in fatal)  # then nobody knows what an upgrade would say
        if self._upgrade is not None and judge is not None and not given_up:
            drafts, fatal = self._asked_latest(drafts, fatal, self._upgrade, judge)
        native = self._native(drafts, own)
        state = self._state(drafts, fatal)
        version = reading.version
        size = container.source.size
        text = reading.consumed if judge is not None else None
        large = self._sizes.note(self.path, text) if text is not None else None
        findings = self._findings(drafts, refused=bool(fatal))
        return Report(
            path=self.path,
            state=state,
            native=native,
            latest=self._latest(drafts, own),
            findings=findings if large is None else (*findings, large),
            id=_text(reading.value, "id"),
            cwd=_text(reading.value, "cwd"),
            parent=_text(reading.value, "parentSession"),
            version=version,
            encoding=container.encoding,
            bytes=reading.consumed if size is None else size - self._lost,
            text=text,
            stored=None if self._rows is None else self._rows.row(None),
            frames=None if container.frames is None else len(container.frames),
            records=judge.records if judge is not None else 0,
            events=judge.position if judge is not None else 0,
            inherited=self._inherited(),
            torn=self._torn(own),
            surface=_surface_size(judge),
            stop=self._stop(judge),
            tail=_tail(judge),
        )

    def _asked_latest(
        self, drafts: list[Draft], fatal: list[Draft], upgrade: Upgrade, judge: Judge
    ) -> tuple[list[Draft], list[Draft]]:
        """Add what the upgrade refuses; with that reader in charge its refusals are the errors."""
        from dshlog.report.latest import Answer

        done = upgrade.finish(self.reading.drafts)
        self._answer = answer = Answer(done, drafts, judge.issue, judge.version)
        drafts = [*drafts, *answer.added]
        if self._halfway is not None:
            answer = Answer(self._halfway.finish(self.reading.drafts), drafts, judge.issue, judge.version)
            drafts += answer.added
        elif self.reader not in {"latest", BUILDS[LATEST]}:
            return drafts, fatal
        for draft in drafts:
            draft.fatal = id(draft) in answer.fatal
        return drafts, [draft for draft in drafts if draft.fatal]

    # -- the end of the log

    def _cut_meanwhile(self) -> list[Draft]:
        """Note that bytes that were there at the start could not be read any more."""
        container = self.reading.container
        size, frames = container.source.size, container.frames
        if size is None or (frames is None and not self.reading.in_torn):  # not everything was asked for
            return []
        read = self.reading.consumed if frames is None else frames.size
        self._lost = size - read
        if not self._lost:
            return []
        rule = BY_NAME["file-growing"]
        text = f"it had {size} bytes when it was opened and {read} could be read: another process cut it, so judge it again"
        return [Draft(rule=rule, fault=Fault(rule.name, text), stage="n", line=None, offset=None)]

    def _end_of_frames(self, judge: Judge) -> None:
        """Settle the complete part: there, most readers take a bad record for corruption at once."""
        self.framed_position = judge.position
        framed = self.reading.container.frames is not None
        self._issue_in_frames = framed and judge.issue is not None
        strict = self._issue_in_frames and judge.version in _STRICT_FRAMES
        if strict and judge.committed is None and judge.issue is not None and judge.issue.stage != _GIVEN_UP:
            judge.committed = judge.issue

    def _end_faults(self, judge: Judge) -> list[Draft]:
        """Make the checks that come after the last record."""
        out: list[Draft] = []

        def note(
            name: str, message: str, path: str | None = None, line: int | None = None, seq: int | None = None
        ) -> None:
            rule = BY_NAME[name]
            stage = rule.stages[judge.version]
            draft = Draft(
                rule=rule, fault=Fault(name, message, path), stage=stage, line=line, offset=0 if line else None, seq=seq
            )
            draft.fatal = stage in "st"
            out.append(draft)

        issue = judge.issue
        if issue is not None:
            issue.fatal = judge.committed is issue or issue.stage == _GIVEN_UP
        header = self.reading.header
        whole = not any(draft.fatal for draft in (*judge.drafts, *self.reading.drafts))
        if header is not None and whole:
            if judge.version < _SEED_IN_BODY:
                if header.seed_length is not None and header.seed_length > judge.position:
                    message = f"seedLength is {header.seed_length}, the log has {judge.position} events"
                    note("seed-length-exceeds", message, "$.seedLength", 1)
            elif header.is_seeded and not judge.marker_seen:
                note(
                    "seed-marker-missing",
                    "isSeeded is true, but no inherited session/end-seed follows",
                    "$.isSeeded",
                    1,
                )
            elif judge.marker_seen and not header.is_seeded:
                message = "isSeeded is false, yet an inherited session/end-seed follows"
                note("seed-marker-unexpected", message, "$.isSeeded", 1)
        if judge.tail.fatal is not None:
            note("tail-scan-fails", f"event {judge.tail.fatal} has a null payload", seq=judge.tail.fatal)
        for pending in judge.tail.pending.values() if judge.version == 0 and judge.tail.turn is not None else ():
            if type(pending.call_id) is not str or not pending.call_id:
                note("pending-call-id-malformed", "a pending call has no usable id")
                break
        if judge.tail.turn is not None and whole:
            note("open-turn", _open_words(judge))
        return out

    def _reader_faults(self, version: int) -> list[Draft]:
        """Say when the reader that was asked for by name has no answer of its own for this generation."""
        asked = BUILDS.index(self.reader) if self.reader in BUILDS else version
        known = {LATEST: self._upgrade, LATEST - 1: self._halfway}.get(asked)
        if asked == version or known is not None:
            return []
        if asked < version:
            text = f"dsh {self.reader} reads v{asked} and does not open a v{version} log"
            name = "reader-older"
        else:
            text = f"dsh {self.reader} upgrades this v{version} log first, which was not judged"
            name = "reader-unknown"
        rule = BY_NAME[name]
        draft = Draft(rule=rule, fault=Fault(name, text, "$.version"), stage=rule.stages[version], line=1, offset=0)
        draft.fatal = draft.stage == "f"
        return [draft]

    def _stop(self, judge: Judge | None) -> int | None:
        """Give the line of the first bad record, or that at which no more text could be read."""
        container = self.reading.container
        if judge is None:
            return None
        if judge.issue is not None:
            return judge.issue.line
        frames = container.frames
        cut = frames is not None and (frames.fault is not None or frames.torn is not None)
        if cut or container.bad_frame is not None or self.reading.rest_length:
            return judge.records + 2  # the header is line 1
        return None

    def _inherited(self) -> int:
        header, judge = self.reading.header, self.judge
        if header is None or judge is None:
            return 0
        return (header.seed_length or 0) if judge.version < _SEED_IN_BODY else (judge.cut or 0)

    def _torn(self, fatal: list[Draft]) -> Torn | None:
        """Say where dsh would cut; None when it would not, or does not open the log at all."""
        reading, judge = self.reading, self.judge
        frames = reading.container.frames
        if judge is None or fatal or self._lost:
            return None
        if frames is not None:
            if frames.torn is None:
                return None
            saved = judge.position - (self.framed_position or 0)
            return Torn(at=frames.torn, bytes=frames.size - frames.torn, events=saved)
        size = reading.consumed
        at = max(judge.good_end or 0, reading.header_end)
        return Torn(at=at, bytes=size - at, events=0) if at < size else None

    # -- verdicts

    def _state(self, drafts: list[Draft], fatal: list[Draft]) -> State:
        reading, judge = self.reading, self.judge
        if reading.value is None:
            return "not-a-log"
        names = {draft.fault.name for draft in fatal}
        if names == {"header-version-newer"}:
            return "newer"
        if names == {"unknown-type"} and judge is not None and judge.newer_type:
            return "newer"
        if fatal:
            return "refused"
        if judge is not None and (judge.issue is not None or any(draft.fault.name in _TORN for draft in drafts)):
            return "torn"
        return "open" if judge is not None and judge.tail.turn is not None else "clean"

    def _native(self, drafts: list[Draft], fatal: list[Draft]) -> ReaderVerdict:
        version = self.reading.version
        if version is None or version > LATEST:
            return self._verdict(None, drafts, fatal, LATEST)
        build = BUILDS[version]
        if build is None:
            return ReaderVerdict(build=None, opens=None)
        return self._verdict(build, drafts, fatal, version)

    def _latest(self, drafts: list[Draft], fatal: list[Draft]) -> ReaderVerdict:
        version = self.reading.version
        build = BUILDS[LATEST]
        if version is None or version > LATEST:
            return self._verdict(build, drafts, fatal, LATEST)
        if version < LATEST:
            answer = self._answer
            if answer is None:
                return ReaderVerdict(build=build, opens=None)
            first = answer.first.rule.code if answer.first is not None else None
            return ReaderVerdict(build=build, opens=answer.opens, first=first, but=tuple(sorted(answer.but)))
        return self._verdict(build, drafts, fatal, version)

    def _verdict(self, build: str | None, drafts: list[Draft], fatal: list[Draft], version: int) -> ReaderVerdict:
        first = self._first(fatal, version)
        if fatal:
            # What was not read leaves the answer open, unless the log is refused for something else.
            return ReaderVerdict(build=build, opens=None if first is None else False, first=first)
        later = {draft.rule.code for draft in drafts if draft.rule.code in OPENS_BUT and not draft.beyond}
        if self._answer is not None and not self._answer.opens:
            later |= {draft.rule.code for draft in drafts if id(draft) in self._answer.fatal}
        but = sorted(later)
        return ReaderVerdict(build=build, opens=True, but=tuple(but))

    def _first(self, fatal: list[Draft], version: int) -> str | None:
        """Give the code at which the reader stops: the earliest check, then the earliest record."""
        order = ORDER[version]
        known = [draft for draft in fatal if draft.stage != _GIVEN_UP]
        if not known:
            return None
        return min(known, key=lambda draft: (order.find(draft.stage), _line_of(draft))).rule.code

    # -- findings

    def _findings(self, drafts: Iterable[Draft], *, refused: bool) -> tuple[Finding, ...]:
        ordered = sorted(drafts, key=_line_of)
        container = self.reading.container
        frames = container.frames
        offsets = [draft.offset for draft in ordered if draft.offset is not None]
        offsets += [offset for draft in ordered for _, offset, _ in _related(draft)]
        located = container.locate(offsets) if frames is not None and offsets and len(frames) else {}

        def place(line: int | None, offset: int | None, seq: int | None, path: str | None = None) -> Place:
            frame = located.get(offset) if offset is not None else None
            frame_at = None
            if frame is not None and frames is not None:
                frame_at = frames.starts[frame] if frame < len(frames) else frames.torn
            row = None if self._rows is None else self._rows.row(line)
            return Place(
                file=self.path,
                line=line,
                offset=offset,
                frame=frame,
                frame_at=frame_at,
                seq=seq,
                json_path=path,
                row=row,
            )

        out: list[Finding] = []
        for draft in ordered:
            fault, rule = draft.fault, draft.rule
            where = place(draft.line, draft.offset, draft.seq, fault.path)
            if draft.frame is not None:
                where = Place(
                    file=self.path, line=draft.line, offset=draft.offset, frame=draft.frame, frame_at=draft.frame_at
                )
            out.append(
                Finding(
                    code=rule.code,
                    name=rule.name,
                    severity=self._severity(draft, refused=refused),
                    place=where,
                    message=fault.message,
                    hint=self._hint(draft, refused=refused),
                    remedy=remedy(draft.cures) if draft.cures and rule.code[0] == "G" else rule.remedy,
                    rule=rule.rule,
                    follows=draft.follows,
                    related=tuple(place(*spot) for spot in _related(draft)),
                )
            )
        return tuple(out)

    def _severity(self, draft: Draft, *, refused: bool) -> Severity:
        if draft.fatal:
            return "error"
        if draft.stage in "wn.":
            return "note" if draft.stage == "n" else "warning"
        return "error" if refused and draft.beyond else "warning"

    def _hint(self, draft: Draft, *, refused: bool) -> str | None:
        judge = self.judge
        if judge is not None and draft is judge.issue and not refused:
            behind = judge.records - (draft.line or 0) + 1
            also = f" and the {behind} behind it" if behind > 0 else ""
            if self._rows is not None:
                return f"the dsh that wrote the database deletes this row{also} on its next write"
            return f"dsh drops this record{also} and cuts the file here on its next write"
        if draft.committed_by is not None:
            at, log = f"at line {draft.committed_by[0]}", "log"
            if self._rows is not None:
                at, log = f"in the row with seq {self._rows.row(draft.committed_by[0]).seq}", "session"
            return f"the turn/end {at} shows that this was committed, so dsh refuses the {log}"
        return draft.rule.hint or (hint(draft.cures) if draft.cures else None)


def named_encoding(path: str) -> Encoding | None:
    """Give the encoding that a file name promises, as dsh takes it; None leaves it to the first bytes."""
    if path.endswith((".zstd", ".zst")):
        return "zstd"
    return "raw" if path.endswith(".jsonl") else None


def _related(draft: Draft) -> tuple[tuple[int, int, int | None], ...]:
    return draft.related if draft.committed_by is None else (*draft.related, draft.committed_by)


def _line_of(draft: Draft) -> float:
    """Give the line that sorts a draft; what belongs to no line stands at the end of the file."""
    return draft.line if draft.line is not None else float("inf")


def _text(value: dict[str, object] | None, name: str) -> str | None:
    member = value.get(name) if value is not None else None
    return member if type(member) is str else None


def _surface_size(judge: Judge | None) -> SurfaceSize | None:
    if judge is None:
        return None
    nodes, replacements, messages = judge.surface_size()
    return SurfaceSize(nodes=nodes, replacements=replacements, messages=messages)


def _tail(judge: Judge | None) -> Tail:
    if judge is None:
        return Tail()
    scan = judge.tail

    def shown(value: object) -> object:
        return None if value is ABSENT else value

    if scan.turn is None:
        return Tail()  # a step or a call outside every turn is not open
    return Tail(
        turn=shown(scan.turn),
        step=shown(scan.step),
        calls=tuple(shown(pending.call_id) for pending in scan.pending.values()),
    )


def _open_words(judge: Judge) -> str:
    """Say what is open at the end in one sentence."""
    tail = _tail(judge)
    words = f"ends inside turn {show(tail.turn)}" if tail.turn is not None else "ends inside a turn without a number"
    if tail.step is not None:
        words += f", step {show(tail.step)}"
    if tail.calls:
        words += f", {len(tail.calls)} call{'s' if len(tail.calls) > 1 else ''} unanswered"
    return words

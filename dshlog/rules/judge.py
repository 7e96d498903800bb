"""Judges the records of one log in order, as the reader of its generation does.

The loop accepts a record quickly when its envelope is spelled plainly; anything else takes the exact
path, which alone words findings. Payload, fold and tail steps are the same on both paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orjson import loads

from dshlog.codec.chunkruns import PAYLOAD, members, row_faults
from dshlog.codec.envelope import decode_row
from dshlog.codec.legacy import to_current
from dshlog.fold.identity import ABSENT, member
from dshlog.fold.marker import EMBEDDED_STREAMS, marker_faults, source_faults
from dshlog.fold.surface import SurfaceFolder
from dshlog.fold.tail import Pending, TailScan
from dshlog.model.fault import Fault
from dshlog.model.number import MAX_SAFE, as_count
from dshlog.model.vocabulary import SURFACE_TYPES, known_types, row_checked_types
from dshlog.rules.admission import admission_faults
from dshlog.rules.compaction import GROUP
from dshlog.rules.draft import Draft
from dshlog.rules.drafts import Drafts, Spot
from dshlog.rules.early import EarlyRelations
from dshlog.rules.eventtype import INHERITED_NAMES, is_newer, type_fault
from dshlog.rules.marks import plain_op, plainly_cited
from dshlog.rules.payload import log_only_payload_faults, row_faults_v3, surface_payload_faults
from dshlog.rules.plain import EXACT, FACTS, PLAIN
from dshlog.rules.records import OWN
from dshlog.rules.register import BY_NAME
from dshlog.rules.relations import Relations
from dshlog.rules.tails import GAP, MALFORMED, NOT_JSON, SOUND, UNREAD, tail_policy
from dshlog.rules.unread import unread_fault
from dshlog.storage.jsontext import LEVELS, NotJSON, depth, flags, not_json_words, odd, parse
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Callable

    from dshlog.codec.envelope import Row
    from dshlog.codec.sources import Sources
    from dshlog.fold.attempts import Attempts
    from dshlog.model.header import Header
    from dshlog.model.surface import Surface

    Step = Callable[[Any, int], "list[Fault] | None"]
    # The reader of a surface payload, or the check of a log-only one, and the step: (facts, seq, op) or (data, seq).
    Way = tuple[Callable[[Any], Any] | None, Callable[[Any], bool] | None, Callable[..., "list[Fault] | None"] | None]
    Origin = tuple[str, object, object]  # type, turn and step: the event's own, else those open at it

RELATED = 4  # the first generation whose own reader checks relationships
_PACKED_UNTIL = 2  # generations below this one pack chunk runs into rows
_LOG_ONLY, _APPENDED, _CITING = 4, 5, 6  # members of a row: the four, with surfaceOp, with sourceEventSeqs too
_FEW = 256  # lines that are looked at one by one before it is asked whether all that follow are the same
_COMPACTION_ENDS = frozenset({"compaction/start", "compaction/end"})
_MARKER_FAULTS = frozenset(
    {
        "marker-missing",
        "marker-malformed",
        "replace-not-earlier",
        "sources-empty",
        "sources-duplicate",
        "not-earlier",
        "sources-on-assistant",
    }
)


class Judge:
    """Takes the lines behind the header one batch after another and collects what is wrong.

    `position` counts the logical events of the readable prefix; it stands still from the first bad
    record on, and so do the surface and the tail. `records` counts all lines.
    """

    def __init__(
        self, header: Header, *, keep: bool = False, deep: bool = False, extra_types: frozenset[str] = frozenset()
    ) -> None:
        self.version = version = header.version
        self.session_id = header.id
        self.position = 0
        self.records = 0
        self.good_end: int | None = None  # text offset behind the last accepted record
        self._drafts = Drafts(version)
        self.issue: Draft | None = None  # the first bad record
        self.committed: Draft | None = None  # the issue, once a later record shows that it was committed
        self.folder = SurfaceFolder(version, keep=keep)
        self._scan = TailScan(version)
        self.inherited_cut: int | None = None  # seq of the last inherited end-seed (v2 and later)
        self.marker_seen = False  # as the reader counts markers, which in v3 includes a dropped row
        self.newer_type = False  # a required type that no generation ever had
        self.origins: dict[int, Origin] | None = {} if keep else None  # of every node ever placed
        self._cause = SOUND  # how the first bad record reads
        self._cursor: int | None = None  # behind the issue: the position that the next record should have
        self._policy = tail_policy(version)
        self._resumed = self._settled = False  # behind the issue: records continue again; a turn has begun since
        self._frozen_tail: TailScan | None = None
        self._frozen_size: tuple[int, int, int] | None = None
        self._frozen_cut: int | None = None
        self._frozen_ids: list[tuple[int, int]] = []  # messages whose id stands there twice
        self._frozen_view: tuple[Surface, dict[int, Any]] | None = None
        self._mark, self._mark_offset = 0, 0  # index of a line of the batch, and its offset
        self._known = known_types(version) | extra_types
        self._row_checked = row_checked_types() | INHERITED_NAMES if version == 3 else frozenset()  # noqa: PLR2004 - the generation
        # 0.1.2 and 0.1.5 look at no relation when they open a log, the upgrade does; 0.2.1 looks itself.
        self._relations = (Relations if version >= RELATED else EarlyRelations)(header, self.folder)
        self._scans = version < RELATED  # whether the closer scan runs beside the lifecycle
        self._attempts = _attempts() if deep and version < EMBEDDED_STREAMS else None
        self._verify = _verifier() if deep and version >= EMBEDDED_STREAMS else None
        self._message_ids: dict[int, object] = {}  # v0: message id of each tool result, for the legacy form
        self._watched = keep or self._scans or self._verify is not None
        self._steps = self._log_only_steps()
        self._quick = self._quick_ways()

    def _log_only_steps(self) -> dict[str, Step | None]:
        """Give what each known log-only type does to the state; None for nothing."""
        steps: dict[str, Any] = dict.fromkeys(self._known - SURFACE_TYPES[self.version])
        scan = self._scan
        follow: dict[str, Step] = {"session/end-seed": self._end_seed, "request/header": self._request_header}
        if self._scans:
            follow |= {
                "turn/start": scan.turn_start,
                "turn/end": scan.turn_end,
                "step/start": scan.step_start,
                "step/end": scan.step_end,
                "tool/call": scan.tool_call,
            }
        else:
            follow["image/offload"] = self._offload
        related = self._relations.steps
        for kind in follow.keys() | related.keys():
            both = [step for step in (related.get(kind), follow.get(kind)) if step is not None]
            steps[kind] = both[0] if len(both) == 1 else _both(both[0], both[1])
        return steps

    def _quick_ways(self) -> dict[str, Way]:
        """Give what the quick loop does with each type that it may take."""
        exact = EXACT[self.version] if self._verify is None else EXACT[self.version] | {"assistant/attempt"}
        plain, related = PLAIN[self.version], self._relations.quick
        ways: dict[str, Way] = {
            kind: (None, plain.get(kind), step) for kind, step in self._steps.items() if kind not in exact
        }
        return ways | {kind: (reader, None, related[kind]) for kind, reader in FACTS[self.version].items()}

    @property
    def tail(self) -> TailScan:
        """Give what is open at the end of the readable prefix."""
        if self._frozen_tail is not None:
            return self._frozen_tail
        if not self._scans:
            # In a log that keeps the relationship rules the closer scan finds what the lifecycle holds.
            life, scan = self._relations.life, self._scan
            scan.turn, scan.step = (None, None) if life.claimed else (life.turn, life.step)
            scan.pending = {
                known: Pending(call.id, life.turn, life.step, call.start_seq)
                for known, call in life.calls.items()
                if not call.ghost
            }
        return self._scan

    def parts(self) -> tuple[object, ...]:
        """Give all that changes from record to record: the judge and those whom it asks."""
        return self, self._drafts, self.folder, self._scan, *self._relations.parts()

    def surface_size(self) -> tuple[int, int, int]:
        """Count (nodes, replacements, messages) of the readable prefix."""
        folder = self.folder
        return self._frozen_size or (len(folder), folder.replaced, folder.message_count())

    def kept(self) -> tuple[Surface, dict[int, Any]]:
        """Give the surface of the readable prefix, and its messages by seq in surface order.

        The judge must have been told to keep them.
        """
        return self._frozen_view or (self.folder.surface(), dict(self.folder.derived()))

    @property
    def cut(self) -> int | None:
        """Give the inherited cut of the readable prefix (v2 and later), None when it has none."""
        return self.inherited_cut if self._frozen_tail is None else self._frozen_cut

    @property
    def drafts(self) -> list[Draft]:
        """Give what was found so far, in the order in which it was met."""
        return self._drafts.kept

    # -- the loop

    def feed(self, lines: list[bytes], at: int, end: int) -> None:
        """Judge a batch of whole lines that stand in the text from offset `at` to `end`."""
        done = 0
        self._mark, self._mark_offset = 0, at
        while self.issue is None and done < len(lines):
            done = self._quickly(lines, done)
            if done < len(lines):
                self._exactly(lines, done)
                done += 1
        if self.issue is None:
            self.good_end = end
        number = _FEW
        while done < len(lines) and not self._repeated(lines, done):
            until = min(done + number, len(lines))
            for index in range(done, until):
                self._exactly(lines, index)
            done, number = until, 2 * number
        self.records += len(lines)

    def _quickly(self, lines: list[bytes], start: int) -> int:  # noqa: PLR0915 - one loop, each call in it costs
        """Take lines from index `start` on while they are spelled plainly; the index of the first that is not."""
        if self._attempts is not None:
            return start  # attempts are followed on the exact path
        ways, put, version = self._quick, self.folder.put, self.version
        packs = version < _PACKED_UNTIL
        expected = self.position
        facts: Any
        step: Any
        for index in range(start, len(lines)):
            line = lines[index]
            try:
                row = loads(line)
                kind = row["type"]
                if packs and kind in PAYLOAD:
                    count = members(row, expected)
                    # Negative zero matters at position 0 to v0 builds, anywhere to later readers.
                    if count == 0 or (version and (odd(line) or row_faults(row, version))):
                        break
                    expected += count
                    continue
                seq = row["seq"]
                time = row["time"]
                data = row["data"]
                reader, plain, step = ways[kind]
                if reader is not None:
                    facts = reader(data)
                    if facts is None:
                        break
                elif plain is not None and not plain(data):
                    break
            except (ValueError, KeyError, TypeError, AttributeError):
                break
            # The fast parser loses the sign of a zero, so a zero in a typed place takes the exact path.
            if seq != expected or not seq or type(seq) is not int or type(time) is not int or not 0 < time <= MAX_SAFE:
                break
            if reader is None:
                if len(row) != _LOG_ONLY:
                    break
                if step is None:
                    expected += 1
                    continue
                faults = step(data, seq)
            else:
                op = row.get("surfaceOp")
                cited = row.get("sourceEventSeqs")
                appends = op == "append"
                if not appends and not plain_op(op, seq, version):
                    break
                if cited is None:
                    if len(row) != _APPENDED:
                        break
                elif len(row) != _CITING or not plainly_cited(kind, cited, seq, version, appends):
                    break
                faults = step(facts, seq, op)
                if self._watched:
                    faults = self._watch(kind, data, seq, op, faults)
                what, _, _, _, name, empty, message = facts
                fault = put(seq, what, op, cited, name, empty, message)
                if fault is not None:
                    faults = [*(faults or ()), fault]
            if faults:
                self.position = expected
                place = self._spot(lines, index)
                for fault in faults:
                    self._note(fault, place, seq)
            expected += 1
        else:
            index = len(lines)
        self.position = expected
        return index

    def _place(self, kind: str, data: Any, seq: int, op: Any, cited: Any) -> list[Fault] | None:  # noqa: ANN401
        """Fold a surface event and follow its calls; the faults found."""
        faults = self._relations.surface[kind](data, seq, op, cited)
        if self._watched:
            faults = self._watch(kind, data, seq, op, faults)
        fault = self.folder.take(seq, kind, data, op, cited)
        return faults if fault is None else [*(faults or ()), fault]

    def _watch(self, kind: str, data: Any, seq: int, op: Any, faults: list[Fault] | None) -> list[Fault] | None:  # noqa: ANN401
        """Tell whoever follows along of a surface event: the closer scan, the origins, the stream verifier."""
        if self.origins is not None and self.issue is None:
            self.origins[seq] = self._origin(kind, data)
        if self._scans:
            if kind == "assistant/message":
                self._scan.assistant(data, seq)
            elif kind == "tool/result":
                self._scan.tool_result(data, appended=op == "append")
                if self.version == 0:
                    name = member(member(data, "message"), "id")
                    if name is not ABSENT:
                        self._message_ids[seq] = name
        if self._verify is not None:
            replayed = self._verify(kind, data)
            if replayed is not None:
                return [*(faults or ()), replayed]
        return faults

    def _origin(self, kind: str, data: Any) -> Origin:  # noqa: ANN401
        own = data if type(data) is dict and kind != "user/message" else {}
        state = self._scan if self._scans else self._relations.life
        turn, step = own.get("turn", state.turn), own.get("step", state.step)
        return kind, None if turn is ABSENT else turn, None if step is ABSENT else step

    def _end_seed(self, data: Any, seq: int) -> None:  # noqa: ANN401
        inherited = self.version >= EMBEDDED_STREAMS and type(data) is dict and data.get("inherited") is True
        if inherited:
            if self.issue is None:
                self.inherited_cut = seq
                self.marker_seen = True
            if self.issue is None:
                self._drafts.take_back(OWN)
        self._relations.end_seed(inherited=inherited)
        if self.issue is None:
            self._drafts.take_back(GROUP)  # behind a bad record the reader sees no marker

    def _request_header(self, data: Any, seq: int) -> list[Fault] | None:  # noqa: ANN401
        if self.version >= RELATED:
            self.folder.note_header(seq, data)
        if type(data) is dict and data.get("reason") == "fallback":
            return [Fault("header-reason-fallback", 'reason is "fallback"', "$.data.reason")]
        return None

    def _offload(self, data: Any, seq: int) -> list[Fault] | None:  # noqa: ANN401
        fault = self.folder.offload(seq, data)
        return [fault] if fault is not None else None

    # -- the exact path

    def _exactly(self, lines: list[bytes], index: int) -> None:
        """Judge one line in full: what it is, whether dsh takes it, and what is wrong with it."""
        place = self._spot(lines, index)
        line = lines[index]
        if isinstance(line, Overlong):
            self._bad([unread_fault(line)], place, NOT_JSON if line.beyond_dsh else UNREAD)
            return
        line = line.removesuffix(b"\n")
        try:
            value = self._value(line, place)
        except NotJSON as error:
            if not self._hollow(1):
                self._bad([Fault("not-json", not_json_words(line, error))], place, NOT_JSON)
            return
        if type(value) is not dict:
            self._bad([Fault("not-an-object", "the record is JSON but no object")], place, MALFORMED)
            return
        kind = value.get("type")
        if self.version < _PACKED_UNTIL and type(kind) is str and kind in PAYLOAD:
            self._packed(value, place)
        else:
            self._event(value, place)

    def _repeated(self, lines: list[bytes], start: int) -> bool:
        """Judge the lines from index `start` on at once when all are the same; False when each has to be looked at.

        What is said about a line behind the first bad record, when the same line stands before it and nothing
        new was kept, is said about each that follows.
        """
        line, number = lines[start], len(lines) - start
        if number < _FEW or lines[-1] != line or lines.count(line) < number or lines[start:].count(line) < number:
            return False
        standing: tuple[object, ...] | None = None
        for index in range(start, len(lines)):
            before, standing = standing, self._standing()
            if before == standing:
                self._drafts.repeat(len(lines) - index)
                return True
            self._drafts.mark()
            self._exactly(lines, index)
        return True

    def _standing(self) -> tuple[object, ...]:
        """Give all that a record behind the first bad one may change, but the counts."""
        return len(self.drafts), self.committed, self._cursor, self._resumed, self._settled

    def _hollow(self, number: int) -> bool:
        """Take a line that is no JSON behind a bad record when such faults are only counted by now, as `_bad` would."""
        if self.issue is None or not self._drafts.more("not-json", number):
            return False
        if number:
            self._resumed = self._settled = False
            self._cursor = None
        return True

    def _value(self, line: bytes, place: Spot) -> object:
        """Parse a line; what JavaScript lets pass and a person should know becomes a finding."""
        try:
            value: object = loads(line)
        except ValueError:
            value = parse(line, told=not self._hollow(0))
            invalid, lone = flags(line)
            if invalid:
                self._note(Fault("invalid-utf8", "bytes that are not UTF-8 read as U+FFFD"), place, None)
            if lone:
                self._note(Fault("lone-surrogate", "a text holds half a surrogate pair"), place, None)
            levels = depth(value)
            if levels > LEVELS:
                self._note(Fault("nested-deeply", f"values stand {levels} deep inside each other"), place, None)
            return value
        return parse(line) if odd(line) else value

    def _packed(self, row: dict[str, Any], place: Spot) -> None:
        faults = row_faults(row, self.version)
        seq = as_count(row.get("seq0"))
        if faults:
            self._bad(faults, place, MALFORMED, seq)
            return
        data = row["data"]
        count = len(data["args"] if "args" in data else data["texts"])
        if self._in_place(seq, place, count=count, ends_turn=False):
            self.position += count
            if self._attempts is not None:
                self._note_all(self._attempts.packed(row), place, seq)

    def _event(self, row: dict[str, Any], place: Spot) -> None:
        decoded = decode_row(row, self.version)
        kind, seq = row.get("type"), decoded.seq
        refused = admission_faults(row, self.version)
        for fault in refused:
            self._note(fault, place, seq)
        malformed = decoded.malformed
        if not malformed and type(kind) is str:
            if kind == "session/end-seed" and self.version >= EMBEDDED_STREAMS and type(row["data"]) is not dict:
                malformed = [Fault("seed-marker-malformed", "the data of session/end-seed is no object", "$.data")]
            elif self.version == 3 and kind in self._row_checked and seq is not None:  # noqa: PLR2004
                malformed = self._surface_form(row, kind, seq, decoded.sources) + row_faults_v3(kind, row["data"])
                if malformed and seq == self.position and self.issue is None and kind == "session/end-seed":
                    # 0.1.5 counts the marker before it drops the row for its envelope.
                    self._end_seed(row["data"], seq)
        ends_turn = kind == "turn/end"
        if malformed:
            self._bad(malformed + decoded.odd, place, MALFORMED, seq, ends_turn=ends_turn)
        elif self._in_place(seq, place, count=1, ends_turn=ends_turn):
            self.position += 1
            self._take(row, self.position - 1, place, decoded, refused=bool(refused))
        else:
            # Without a usable seq the gap says it already.
            decoded.odd = [fault for fault in decoded.odd if seq is not None or fault.name != "seq-not-count"]
            self._look(row, seq, place, decoded, refused=bool(refused))

    def _in_place(self, seq: int | None, place: Spot, *, count: int, ends_turn: bool) -> bool:
        """Tell whether a decoded record continues the readable prefix; a gap is reported here."""
        if self.issue is None and seq == self.position:
            return True
        if self.issue is None or (self._cursor is not None and seq != self._cursor):
            wanted = self.position if self.issue is None else self._cursor
            found = f"found {seq}" if seq is not None else "the record has no usable one"
            self._bad(
                [Fault("seq-gap", f"expected seq {wanted}, {found}", "$.seq")], place, GAP, seq, ends_turn=ends_turn
            )
        else:
            self._behind(SOUND, place, ends_turn=ends_turn)
            self._resumed = True
        self._cursor = None if seq is None else seq + count
        return False

    def _bad(
        self, faults: list[Fault], place: Spot, how: str, seq: int | None = None, *, ends_turn: bool = False
    ) -> None:
        """Report a record that does not continue the log; the first one ends the readable prefix."""
        first = self.issue is None
        self._resumed = self._settled = False
        if first:
            self._freeze()
        for fault in faults:
            draft = self._note(fault, place, seq, beyond=self.issue is not None)
            if self.issue is None:
                self.issue = draft
                self._cause = how
                self.good_end = place.offset
        self._behind(how, place, ends_turn=ends_turn, seq=seq)
        if first or self._cursor is not None:
            self._cursor = seq + 1 if seq is not None else None

    def _behind(self, how: str, place: Spot, *, ends_turn: bool, seq: int | None = None) -> None:
        """Ask the reader's policy whether this record shows that the first bad one was committed."""
        issue = self.issue
        if issue is None or self.committed is not None or self._cause == UNREAD:
            return  # nothing is known of a first bad record that was not read
        if not self._policy(self._cause, how, ends_turn):
            return
        self.committed = issue
        if place.line != issue.line:
            issue.committed_by = (place.line, place.offset, seq)

    def _take(self, row: dict[str, Any], seq: int, place: Spot, decoded: Row, *, refused: bool) -> None:
        """Judge an event of the readable prefix by the checks that come after the row decoder.

        `refused` says that admission has already found fault with the payload, which is then not looked
        at a second time.
        """
        if self.version == 0:
            row = to_current(row, seq, self.session_id, self._message_ids)
        kind = row.get("type")
        faults = list(decoded.odd)
        if type(kind) is str:
            self._vocabulary(row, kind, seq, place, beyond=False)
            faults += self._form_and_payload(row, kind, seq, decoded, refused=refused)
            form = any(fault.name in _MARKER_FAULTS for fault in faults)
            faults += self._meaning(row, kind, seq, decoded, sound=not form)
        for fault in faults:
            self._note(fault, place, seq, late=True)

    def _form_and_payload(
        self, row: dict[str, Any], kind: str, seq: int, decoded: Row, *, refused: bool
    ) -> list[Fault]:
        """Check what one event says by itself."""
        faults = self._surface_form(row, kind, seq, decoded.sources)
        if not refused and kind in self._known:
            if kind in SURFACE_TYPES[self.version]:
                faults += surface_payload_faults(kind, row.get("data"), self.version)
            else:
                faults += log_only_payload_faults(kind, row.get("data"), self.version)
        return faults

    def _meaning(self, row: dict[str, Any], kind: str, seq: int, decoded: Row, *, sound: bool) -> list[Fault]:
        """Let an event change the state; what does not fit it is a fault. `sound` says that its marker is."""
        data = row.get("data")
        faults: list[Fault] = []
        if kind in SURFACE_TYPES[self.version] and kind in self._known:
            if "surfaceOp" in row and sound:
                faults += self._place(kind, data, seq, row["surfaceOp"], decoded.sources) or []
        elif kind in self._known:
            if kind in _COMPACTION_ENDS:
                self._drafts.confirm(GROUP)  # the compaction that was crossed is not a stale one
            step = self._steps[kind]
            faults += (step(data, seq) if step is not None else None) or []
            if kind == "assistant/attempt" and self._verify is not None:
                replayed = self._verify(kind, data)
                faults += [replayed] if replayed is not None else []
        if self._attempts is not None:
            follow = self._attempts
            faults += (
                follow.chunk(seq, data) if kind == "assistant/chunk" else follow.event(kind, data, seq, decoded.sources)
            ) or []
        return faults

    def _look(self, row: dict[str, Any], seq: int | None, place: Spot, decoded: Row, *, refused: bool) -> None:
        """Look at an event behind the first bad record: by itself always, in its relations where that is fair.

        Relations are judged again from the first turn that starts behind the damage; before it, and on the
        surface for good, what does not fit only follows from the damage and is counted there.
        """
        kind = row.get("type")
        faults = list(decoded.odd)
        if type(kind) is str:
            self._vocabulary(row, kind, seq, place, beyond=True)
            if seq is not None:
                form = self._form_and_payload(row, kind, seq, decoded, refused=refused)
                faults += form
                if self._resumed and self._attempts is None:
                    faults += self._relate_behind(row, kind, seq, decoded, sound=not form)
        for fault in faults:
            self._note(fault, place, seq, beyond=True, late=True)

    def _relate_behind(self, row: dict[str, Any], kind: str, seq: int, decoded: Row, *, sound: bool) -> list[Fault]:
        if kind == "turn/start" and not self._settled:
            self._settled = True
            self._relations.life.resume(member(row.get("data"), "turn"))
        found = self._meaning(row, kind, seq, decoded, sound=sound)
        kept = [fault for fault in found if self._settled and BY_NAME[fault.name].code[0] not in "SK"]
        if self.issue is not None:
            self.issue.follows += len(found) - len(kept)
        return kept

    def _freeze(self) -> None:
        """Keep what the readable prefix holds; the state goes on to judge what stands behind it."""
        self._frozen_tail = self.tail.twin()
        folder = self.folder
        self._frozen_size = (len(folder), folder.replaced, folder.message_count())
        self._frozen_cut = self.inherited_cut
        self._frozen_ids = folder.repeated_ids()
        if self.origins is not None:
            self._frozen_view = (folder.surface(), dict(folder.derived()))

    def _surface_form(self, row: dict[str, Any], kind: str, seq: int, sources: Sources | None) -> list[Fault]:
        looked_at = kind in self._known or kind in self._row_checked
        opaque = not looked_at and row.get("ignorable") is True
        if not looked_at and not opaque:
            return []  # an unknown required type refuses the log by itself
        faults = marker_faults(row, seq, self.version, opaque=opaque)
        if not faults and sources is not None and kind in SURFACE_TYPES[self.version]:
            faults = source_faults(kind, sources, seq, self.version)
        return faults

    def _vocabulary(self, row: dict[str, Any], kind: str, seq: int | None, place: Spot, *, beyond: bool) -> None:
        """Fail closed on types that the build does not know."""
        if kind not in self._known:
            fault = type_fault(kind, self.version, ignorable=row.get("ignorable") is True)
            if fault is not None:
                self._note(fault, place, seq, beyond=beyond)
                self.newer_type = self.newer_type or (is_newer(fault, kind) and not beyond)

    def finish(self) -> None:
        """Make the checks that wait for the end of the readable prefix."""
        end = Spot(self.records + 1, self.good_end or 0)
        if self._attempts is not None:
            self._note_all(self._attempts.end(), end, None)
        for seq, earlier in self.folder.repeated_ids() if self.issue is None else self._frozen_ids:
            text = f"the message of event {seq} has the id of event {earlier}"
            draft = self._note(Fault("message-id-repeated", text, None, (earlier,)), end, seq, beyond=False)
            draft.line = seq + 2 if self.version >= _PACKED_UNTIL else None  # a packed row holds many events
            draft.offset = None

    # -- bookkeeping

    def _note_all(self, faults: list[Fault] | None, place: Spot, seq: int | None) -> None:
        for fault in faults or ():
            self._note(fault, place, seq)

    def _spot(self, lines: list[bytes], index: int) -> Spot:
        """Give the place of a line of the batch; asked for in rising order, so that a batch is summed once."""
        self._mark_offset += sum(map(len, lines[self._mark : index]))
        self._mark = index
        return Spot(self.records + index + 2, self._mark_offset)

    def _note(
        self, fault: Fault, place: Spot, seq: int | None, *, beyond: bool | None = None, late: bool = False
    ) -> Draft:
        """Keep a fault; `beyond` tells that it stands behind the first bad record, by default whether there is one."""
        return self._drafts.note(
            fault, place, seq, beyond=self.issue is not None if beyond is None else beyond, late=late
        )


def _attempts() -> Attempts:
    from dshlog.fold.attempts import Attempts

    return Attempts()


def _verifier() -> Callable[[str, Any], Fault | None]:
    from dshlog.fold.verify import verify

    return verify


def _both(first: Step, second: Step) -> Step:
    """Make one step of two that look at the same event."""

    def both(data: Any, seq: int) -> list[Fault] | None:  # noqa: ANN401
        found = first(data, seq)
        more = second(data, seq)
        return found if more is None else [*(found or ()), *more]

    return both

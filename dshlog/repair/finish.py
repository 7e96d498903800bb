"""What dsh itself does to a log that it opens: cut the torn tail, write again what a torn frame still holds, close."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.chunkruns import PAYLOAD
from dshlog.model.place import Place
from dshlog.repair.closers import closers, end_seed
from dshlog.repair.plan import NOTHING, Action, Batch, Changed, Copy, Lost, Plan
from dshlog.repair.rows import deleted_words
from dshlog.repair.words import closing_words, cut_words, events_word, lost_words, saved_words
from dshlog.report.decode import events_of
from dshlog.report.examine import Examination
from dshlog.storage.jsontext import NotJSON, dumps, loads
from dshlog.storage.source import rows_of
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dshlog.fold.tail import TailScan
    from dshlog.model.report import Encoding, Report
    from dshlog.rules.judge import Judge
    from dshlog.storage.source import Source

    Event = dict[str, Any]

OPENS = frozenset({"clean", "open", "torn"})


class Tail:
    """One reading of a log, with what a repair of its end needs.

    `last` is the last record that dsh accepts, `saved` are those accepted out of a torn frame, `behind` the
    records from the first bad one on: line number, text offset, line.
    """

    def __init__(self, source: Source, path: str, encoding: Encoding | None = None) -> None:
        exam = Examination(source, path, encoding)
        self.last: bytes | None = None
        self.saved: list[bytes] = []
        self.behind: list[tuple[int, int, bytes]] = []
        self.rows = rows_of(source)
        if exam.judge is not None:
            self._read(exam, exam.judge)
        again = exam.again()
        exam = exam if again is None else again.finished()
        exam.reader = "native"
        self.report: Report = exam.report()
        # Readers of v1 and v2 drop bad records of whole frames too, which no cut of the file does.
        self.mixed = self.report.state == "torn" and self.report.torn is None
        self.header_end = exam.reading.header_end
        self.position = exam.judge.position if exam.judge is not None else 0
        self.scan: TailScan | None = exam.judge.tail if exam.judge is not None else None

    def _read(self, exam: Examination, judge: Judge) -> None:
        for lines, at, end in exam.reading.batches():
            first = judge.records
            exam.feed(lines, at, end)
            issue = judge.issue
            sound = len(lines)
            if issue is not None and issue.line is not None:
                sound = max(0, issue.line - 2 - first)
            if sound:
                self.last = lines[sound - 1]
            if exam.reading.in_torn:
                self.saved += lines[:sound]
            if judge.committed is not None:
                self.behind.clear()  # dsh refuses the log, so nothing is cut
                continue
            offset = at + sum(map(len, lines[:sound]))
            for index in range(sound, len(lines)):
                self.behind.append((first + index + 2, offset, lines[index]))
                offset += len(lines[index])


def finish(tail: Tail, *, now: int, hidden: Sequence[tuple[int, int, bytes]] = ()) -> Plan:
    """Plan what dsh does when it next writes to a log that it opens.

    Args:
        tail: the log; its report says that dsh opens it.
        now: the wall clock in milliseconds, for the marker.
        hidden: what can be read of all that is cut, where that is more than dsh reads: line number, text offset, line.
    """
    report, path = tail.report, tail.report.path
    actions: list[Action] = []
    behind = hidden or tail.behind
    lost = tuple(lost_lines(path, behind))
    records = sum(one.event is not None for one in lost)
    lost = lost if records or tail.rows is not None else ()  # half a record alone is no loss, and no row is half
    closing, marker = closed(tail.scan, tail.position, tail.last, now)
    torn = report.torn
    end = (report.bytes or 0) if torn is None else torn.at
    script: list[Copy | Batch] = [Copy(0, end)]
    if torn is not None or closing:
        kept = report.events - len(rewritten(tail.saved, report.version or 0))
        actions.append(Action(kind="keep", message=f"{events_word(kept)} stay as they are", bytes=(0, end), kept=kept))
    if torn is not None:
        dropped = sum(one.count for one in lost)
        words = cut_words(torn.bytes, framed=report.encoding == "zstd", lost=records)
        if tail.rows is not None:
            words = deleted_words(len(behind), records)
        actions.append(
            Action(
                kind="cut",
                message=words,
                place=_cut_place(tail, torn.at),
                bytes=(torn.at, torn.at + torn.bytes),
                loss=lost_words(report, lost) if lost else NOTHING,
                dropped=dropped,
            )
        )
    saved = tuple(rewritten(tail.saved, report.version or 0))
    if tail.saved:
        script.append(Batch(tuple(tail.saved)))
        actions.append(Action(kind="rewrite", message=saved_words(len(tail.saved)), kept=len(saved)))
    if marker is not None:
        script.append(Batch(tuple(dumps(event) + b"\n" for event in (*closing, marker))))
        actions += closing_actions(closing, marker)
    return Plan(
        before=report,
        actions=tuple(actions),
        script=tuple(script),
        truncate_to=None if torn is None else torn.at,
        rewritten=saved,
        closers=tuple(closing),
        end_seed=marker,
        lost=lost,
        changed=tuple(_changed(tail, behind, script[1:])),
        events=report.events + len(closing) + (marker is not None),
    )


def _changed(tail: Tail, behind: Sequence[tuple[int, int, bytes]], added: list[Copy | Batch]) -> Iterator[Changed]:
    """Yield what is cut, line by line, and what is appended; records that are only written again are no change."""
    saved = len(tail.saved)
    yield from (Changed(line=line, old=text, new=()) for line, _, text in behind)
    lines = [text for piece in added if isinstance(piece, Batch) for text in piece.lines]
    end = tail.report.records - len(tail.behind) + 2
    yield from (Changed(line=end, old=b"", new=(text,)) for text in lines[saved:])


def closed(scan: TailScan | None, position: int, last: bytes | None, now: int) -> tuple[list[Event], Event | None]:
    """Give the closers of a log and the marker behind them; nothing for one that is balanced."""
    if scan is None or last is None or scan.turn is None:
        return [], None
    made = closers(scan, seq=position, time=time_of(last, scan.version))
    return made, end_seed(seq=position + len(made), time=now)


def closing_actions(closing: list[Event], marker: Event) -> list[Action]:
    """Tell of each closer, and of the marker."""
    actions = [Action(kind="close", message=closing_words(event), added=1) for event in closing]
    text = f"session/end-seed at seq {marker['seq']}: what comes later belongs to the next process"
    return [*actions, Action(kind="mark", message=text, added=1)]


def lost_lines(path: str, behind: Iterable[tuple[int, int, bytes]]) -> Iterable[Lost]:
    """Yield lines as they are lost: records are JSON objects, whatever else is wrong with them."""
    for line, offset, text in behind:
        value = value_of(text)
        if type(value) is not dict:
            if not isinstance(text, Overlong):
                yield Lost(place=Place(file=path, line=line, offset=offset), line=text, event=None, count=0)
            continue
        seq = value.get("seq", value.get("seq0"))
        place = Place(file=path, line=line, offset=offset, seq=seq if type(seq) is int else None)
        yield Lost(place=place, line=text, event=value, count=members_of(value))


def value_of(line: bytes) -> object:
    """Give the value of a line; None for what is not JSON."""
    if isinstance(line, Overlong):
        return None
    try:
        return loads(line)
    except NotJSON:
        return None


def is_packed(row: Event) -> bool:
    """Tell whether a record calls itself a packed row."""
    kind = row.get("type")
    return type(kind) is str and kind in PAYLOAD


def members_of(row: Event) -> int:
    """Count the events that a record holds."""
    data = row.get("data")
    if is_packed(row) and type(data) is dict:
        pieces = data.get(PAYLOAD[row["type"]][0])
        return len(pieces) if type(pieces) is list and pieces else 1
    return 1


def rewritten(lines: Iterable[bytes], version: int) -> list[Event]:
    """Give the events of accepted records, packed runs and ranges of citations expanded."""
    return [event for line in lines for event, _ in events_of(line, version)]


def time_of(line: bytes, version: int) -> object:
    """Give the time of the last event of an accepted record."""
    return rewritten([line], version)[-1].get("time")


def _cut_place(tail: Tail, at: int) -> Place:
    report = tail.report
    if report.encoding == "zstd":
        return Place(file=report.path, frame=report.frames, frame_at=at)
    line = tail.behind[0][0] if tail.behind else report.records + 2
    return Place(file=report.path, line=line, offset=at)

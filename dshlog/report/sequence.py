"""One more reading of a log whose sequence is broken, to tell what broke it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.chunkruns import PAYLOAD
from dshlog.model.number import as_count
from dshlog.report.reading import Reading
from dshlog.rules.draft import Draft
from dshlog.rules.register import BY_NAME
from dshlog.rules.sequence import Positions, is_closer, tell
from dshlog.storage.jsontext import NotJSON, loads

if TYPE_CHECKING:
    from dshlog.model.report import Encoding
    from dshlog.rules.judge import Judge
    from dshlog.storage.source import Source

GAP = "seq-gap"
_MOST = 1 << 21  # records whose positions are held to tell a story, some 42 bytes each


def name_gaps(drafts: list[Draft], judge: Judge, source: Source, encoding: Encoding) -> list[Draft]:
    """Put the story of the sequence in the place of bare gaps.

    Args:
        drafts: everything found so far.
        judge: the judge that found it; when its first bad record is a gap, the story takes that place.
        source: read once more; a pipe cannot be, and keeps its gaps, as a log of more than two million records.
        encoding: as the first reading found it.
    """
    gaps = [draft for draft in drafts if draft.fault.name == GAP]
    if not gaps or source.size is None or judge.records > _MOST:
        return drafts
    stories = tell(_positions(Reading(source, encoding)))
    if not stories:
        return drafts
    rest = [draft for draft in drafts if draft.fault.name != GAP]
    named: list[Draft] = []
    for story in stories:
        rule = BY_NAME[story.fault.name]
        draft = Draft(
            rule=rule,
            fault=story.fault,
            stage=rule.stages[judge.version],
            line=story.line,
            offset=story.offset,
            seq=story.seq,
            beyond=True,
        )
        draft.follows, draft.related = story.follows, story.related
        named.append(draft)
        if judge.issue is not None and judge.issue.fault.name == GAP and judge.issue.line == story.line:
            draft.beyond, draft.fatal = False, judge.issue.fatal
            draft.committed_by = judge.issue.committed_by
            draft.follows += judge.issue.follows
            if judge.committed is judge.issue:
                judge.committed = draft
            judge.issue = draft
    if judge.issue in gaps:
        return drafts  # the story does not begin where the reader stops; bare gaps say it better
    return rest + named


def _positions(reading: Reading) -> Positions:
    positions = Positions()
    line_number = 1
    for lines, at, _ in reading.batches():
        offset = at
        for line in lines:
            line_number += 1
            add_position(positions, line, line_number, offset)
            offset += len(line)
    return positions


def add_position(positions: Positions, line: bytes, number: int, offset: int) -> None:
    """Note the position of one line, which may hold anything."""
    try:
        row: Any = loads(line)
    except NotJSON:
        row = None
    seq = count = None
    if type(row) is dict:
        kind = row.get("type")
        if type(kind) is str and kind in PAYLOAD:
            data = row.get("data")
            pieces = data.get(PAYLOAD[kind][0]) if type(data) is dict else None
            seq, count = as_count(row.get("seq0")), len(pieces) if type(pieces) is list else None
        else:
            seq, count = as_count(row.get("seq")), 1
    if seq is None or not count:
        positions.skip()
    else:
        positions.add(number, offset, seq, count, hash(line.strip()), closer=is_closer(row))

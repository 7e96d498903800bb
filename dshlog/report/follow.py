"""One pass over a log in which somebody looks at each record before and after the judge takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dshlog.codec.chunkruns import PAYLOAD
from dshlog.codec.legacy import to_current
from dshlog.report.examine import Examination
from dshlog.storage.jsontext import NotJSON, loads
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Callable

    from dshlog.model.report import Encoding
    from dshlog.report.examine import Children
    from dshlog.rules.judge import Judge
    from dshlog.storage.source import Source

_PACKED_UNTIL = 2  # generations below this one pack chunk runs into rows


W = TypeVar("W", bound="Watcher")


class Watcher(Protocol):
    """Somebody who looks on; the judge holds the surface and its messages."""

    def before(self, event: dict[str, Any], seq: int, judge: Judge) -> None:
        """Look at an event that the judge takes next; what it held before is still there."""

    def after(self, event: dict[str, Any], seq: int, judge: Judge) -> None:
        """Look at the same event once the judge has taken it into the readable prefix."""

    def end(self, judge: Judge) -> None:
        """Look at what the judge holds behind the last event that is asked for."""


def follow(  # noqa: PLR0913 - as examine
    source: Source,
    path: str,
    watcher: Callable[[], W],
    *,
    at: int | None = None,
    encoding: Encoding | None = None,
    children: Children | None = None,
) -> tuple[W, Examination]:
    """Read one log to its end and show the events up to `at` to a watcher.

    Args:
        source: the bytes, as for `examine`.
        path: how the report names the log.
        watcher: makes a watcher; called once more when text of a bad frame was taken.
        at: seq of the last event to show; None for the whole readable prefix. A packed run of v0 or v1 is
            shown as one `assistant/chunk` with its row under `run`, and never cut.
        encoding: as for `examine`.
        children: as for `examine`.

    Returns:
        The watcher, and the examination, which has read everything.
    """
    exam = Examination(source, path, encoding, keep=True, upgrade="small", children=children)
    while True:
        made = watcher()
        _pass(exam, made, at)
        again = exam.again()
        if again is None:
            return made, exam
        exam = again


def _pass(exam: Examination, watcher: Watcher, at: int | None) -> None:
    judge = exam.judge
    if judge is None:
        return
    shown = True
    for lines, start, end in exam.reading.batches():
        offset = start
        for index, line in enumerate(lines if shown else ()):
            seq = judge.position
            if judge.issue is not None or (at is not None and seq > at):
                watcher.end(judge)
                shown = False
                exam.feed(lines[index:], offset, end)
                break
            event = _event(line, seq, judge)
            if event is not None:
                watcher.before(event, seq, judge)
            exam.feed([line], offset, offset + len(line))
            offset += len(line)
            if event is not None and judge.issue is None:
                watcher.after(event, seq, judge)
        else:
            if not shown:
                exam.feed(lines, start, end)
    if shown:
        watcher.end(judge)


def _event(line: bytes, seq: int, judge: Judge) -> dict[str, Any] | None:
    """Give the event of a line, sound or not; None when it holds none."""
    if isinstance(line, Overlong):
        return None
    try:
        row: Any = loads(line)
    except NotJSON:
        return None
    if type(row) is not dict:
        return None
    kind, data = row.get("type"), row.get("data")
    if judge.version < _PACKED_UNTIL and type(kind) is str and kind in PAYLOAD and type(data) is dict:
        return {
            "type": "assistant/chunk",
            "seq": seq,
            "time": row.get("time0"),
            "data": {"turn": data.get("turn"), "step": data.get("step")},
            "run": row,
        }
    return to_current(row, seq, judge.session_id, {}) if judge.version == 0 else row

"""The events of one log, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.model.lens import EventRow
from dshlog.report.attempts import Names
from dshlog.report.facts import facts
from dshlog.report.lens import seen
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.report.decode import Decoded


def event_rows(decoded: Decoded, *, at: int | None = None) -> Iterator[EventRow]:
    """Yield a row per logical event of the readable prefix up to `at`, one at a time."""
    names = Names(0 if decoded.header is None else decoded.header.version)
    for event, stored, line, seq, turn, step in seen(decoded, at):
        op = stored.get("surfaceOp")
        yield EventRow(
            seq=seq,
            time=stored.get("time"),
            type=str(stored.get("type")),
            turn=turn,
            step=step,
            size=len(dumps(stored) if line is None else line),
            op=op,
            facts=facts(str(event.get("type")), event.get("data"), op),
            data=stored.get("data"),
            request=names.event(seq, event)[0],
        )

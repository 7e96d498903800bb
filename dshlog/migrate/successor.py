"""The result of an upgrade: its lines, and the answer of the reader of v4 to it. Source: migration.md §1.3, §6.3."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from dshlog.migrate.chain import LAST
from dshlog.migrate.refusal import PUBLISHING, RESULT, Refusal, Refusals
from dshlog.migrate.stage import Event
from dshlog.migrate.written import event_line, header_line
from dshlog.model.header import Header
from dshlog.rules.judge import Judge

_BATCH = 128  # lines that are handed on together
_HOLE = {"type": "plugin:refused", "seq": 0, "time": 1, "data": None, "ignorable": True}
_REPLAYED = frozenset({"stream-invalid", "content-mismatch", "usage-mismatch", "replay-mismatch", "assemble-failed"})


class Successor:
    """The last stage. Once something was refused nothing is written any more; the result is judged as long as that is fair.

    Args:
        header: of the result.
        refusals: of the edges before; what v4 refuses of the result comes on top.
        write: takes the text of the result, header first.
        verify: whether embedded streams are replayed, as dsh does before it writes the result.
    """

    def __init__(
        self, header: Header, refusals: Refusals, *, write: Callable[[bytes], object] | None, verify: bool
    ) -> None:
        self.events = 0
        self._refusals = refusals
        self._write = write
        self._judge = Judge(header, deep=verify) if header.version == LAST else None
        self._lines: list[bytes] = []
        self._at = len(header_line(header))
        self._origins = array("q")  # by seq of the result
        if write is not None:
            write(header_line(header))

    def take(self, event: Event, origin: int) -> None:
        """Take one event of the result."""
        if self._refusals.blurred:
            return
        self._origins.append(origin)
        self._lines.append(event_line(event))
        self.events += 1
        if len(self._lines) >= _BATCH:
            self._flush()

    def packed(self, row: Event, origin: int) -> None:
        """Take a packed row of a result that is v1."""
        self.take({**row, "seq0": origin}, origin)
        self.events += len(row["data"]["dt"])

    def hole(self, origin: int) -> None:
        """Let an event that nobody knows stand for a refused one while the result is judged."""
        self.take({**_HOLE, "seq": len(self._origins)}, origin)

    def end(self) -> None:
        """Hand on the last lines and tell what v4 refuses of the result."""
        self._flush()
        judge = self._judge
        if judge is None or self._refusals.blurred:
            return
        judge.finish()
        told: list[Refusal] = []
        for draft in judge.drafts:
            replayed = draft.fault.name in _REPLAYED
            if not (draft.fatal or replayed or draft is judge.issue):
                continue
            edge, name, words = PUBLISHING, draft.rule.name, draft.fault.message
            if not replayed:
                edge, name = RESULT, "upgrade-rule"
                words = f"{draft.rule.code} {draft.rule.name}: {words}"
            origin = self._origins[draft.seq] if draft.seq is not None and draft.seq < len(self._origins) else None
            if origin is not None and self._refusals.holds(origin):
                continue  # an edge has said why
            told.append(Refusal(edge, name, words, draft.fault.path, origin, None, draft.rule.code))
        for refusal in told:
            self._refusals.add(refusal)

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        if not lines or self._refusals.blurred:
            return
        text = b"".join(lines)
        if self._write is not None and not self._refusals:
            self._write(text)
        if self._judge is not None:
            self._judge.feed(lines, self._at, self._at + len(text))
        self._at += len(text)

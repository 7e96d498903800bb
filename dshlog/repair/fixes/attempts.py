"""Which chunks of a log of v0 or v1 make an attempt, and which of them a message takes. Source: migration.md §3.3, §3.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT, identical
from dshlog.fold.stream import Accumulator, StreamError
from dshlog.repair.finish import is_packed

if TYPE_CHECKING:
    from dshlog.repair.sheet import Sheet

    Event = dict[str, Any]

_SETTLING = frozenset({"turn/end", "step/end", "llm/retry", "llm/retry-started"})


class Attempt:
    """The chunks of one attempt: the lines that hold them and the positions of their events."""

    def __init__(self, turn: object, step: object) -> None:
        self.turn, self.step = turn, step
        self.lines: list[int] = []
        self.seqs: list[int] = []
        self.ended = False

    def of(self, turn: object, step: object) -> bool:
        """Tell whether it is that of a turn and a step."""
        return identical(self.turn, turn) and identical(self.step, step)


class Attempts:
    """All attempts of a sheet; `taken` gives by line of a message the one that is pending there."""

    def __init__(self, sheet: Sheet, version: int) -> None:
        self.all: list[Attempt] = []
        self.taken: dict[int, Attempt] = {}
        self._sheet = sheet
        self._pending: Attempt | None = None
        seq = 0
        for index, line in enumerate(sheet.lines[1:] if version <= 1 else (), 1):
            if line.row is not None:
                self._see(line.row, index, seq, sheet.count_of(line))
            seq += sheet.count_of(line)

    def chunk(self, index: int, seq: int, number: int) -> int | None:
        """Give the line of the chunk that became a record of the stream of a message, or of the attempt that ends at `seq`."""
        attempt = self.taken.get(index) or next((one for one in self.all if one.seqs[-1] == seq), None)
        if attempt is None:
            return None
        maker = Accumulator()
        for line in attempt.lines:
            row = self._sheet.lines[line].row or {}
            before = len(maker.records)
            try:
                if is_packed(row):
                    maker.add_packed(row)
                else:
                    maker.add(row.get("time"), _fields(row).get("chunk"))
            except StreamError:
                return None
            if before <= number < len(maker.records):
                return line
        return None

    def _see(self, row: Event, index: int, seq: int, count: int) -> None:
        kind, data = row.get("type"), _fields(row)
        turn, step = data.get("turn", ABSENT), data.get("step", ABSENT)
        if kind == "assistant/chunk" or is_packed(row):
            self._add(turn, step, index, range(seq, seq + count))
            chunk = data.get("chunk")
            if self._pending is not None and type(chunk) is dict and chunk.get("type") == "finish":
                self._pending.ended = True
        elif kind == "assistant/message":
            if self._pending is not None and self._pending.of(turn, step):
                self.taken[index] = self._pending
            self._pending = None
        elif kind in _SETTLING:
            self._pending = None

    def _add(self, turn: object, step: object, index: int, seqs: range) -> None:
        pending = self._pending
        if pending is None or pending.ended or not pending.of(turn, step):
            pending = self._pending = Attempt(turn, step)
            self.all.append(pending)
        pending.lines.append(index)
        pending.seqs += seqs


def _fields(row: Event) -> Event:
    data = row.get("data")
    return data if type(data) is dict else {}

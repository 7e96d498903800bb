"""The pending attempt of v1: chunks that no message has taken yet. Source: migration.md §3.3, §3.4."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dshlog.codec.sources import runs_of
from dshlog.fold.identity import identical
from dshlog.fold.stream import Accumulator
from dshlog.migrate.stage import Event


class PendingAttempt:
    """The chunks so far as a stream and as spans of seqs, and the events that wait for the attempt to end."""

    __slots__ = ("buffered", "maker", "seq", "spans", "step", "terminal", "time", "turn")

    def __init__(self, turn: object, step: object) -> None:
        self.turn = turn
        self.step = step
        self.maker = Accumulator()
        self.spans: list[range] = []
        self.buffered: list[tuple[Event | None, int]] = []  # None is the place of a refused event
        self.terminal = False  # a finish chunk has come
        self.seq = 0  # of the last chunk
        self.time: Any = None  # of the last chunk

    def of(self, turn: object, step: object) -> bool:
        """Tell whether a step is that of the attempt."""
        return _same(self.turn, turn) and _same(self.step, step)

    def add(self, start: int, stop: int, time: object) -> None:
        """Note the seqs of chunks."""
        if self.spans and self.spans[-1].stop == start:
            start = self.spans.pop().start
        self.spans.append(range(start, stop))
        self.seq, self.time = stop - 1, time

    def cited_by(self, sources: Iterable[int | range]) -> bool:
        """Tell whether citations name exactly the chunks, in order."""
        if len(self.spans) == 1 and type(sources) is list and len(sources) == len(self.spans[0]):
            return sources == list(self.spans[0])
        return runs_of(sources) == self.spans


def _same(a: object, b: object) -> bool:
    return a is b or identical(a, b)

"""Where the events of a log of v1 have gone: their seqs in v2. Source: migration.md §3.2."""

from __future__ import annotations

from array import array
from bisect import bisect_left

NOWHERE, CHUNK = -1, -2  # in place of a target: nothing emitted yet, a chunk that was consumed


class Targets:
    """Targets by source seq; of chunks, which are most events of a log, only the number is held.

    `size` counts the events of the source that were met, in order.
    """

    def __init__(self) -> None:
        self.size = 0
        self._sources, self._targets = array("q"), array("q")  # of events that are no chunks

    def chunks(self, number: int) -> None:
        """Meet chunks."""
        self.size += number

    def event(self) -> None:
        """Meet an event that will be emitted."""
        self._sources.append(self.size)
        self._targets.append(NOWHERE)
        self.size += 1

    def emit(self, seq: int, target: int) -> None:
        """Note where an event has gone."""
        last = len(self._sources) - 1
        place = last if self._sources[last] == seq else bisect_left(self._sources, seq)
        self._targets[place] = target

    def of(self, seq: int) -> int:
        """Give the target of an event, or why it has none."""
        if seq >= self.size:
            return NOWHERE
        place = bisect_left(self._sources, seq)
        return self._targets[place] if place < len(self._sources) and self._sources[place] == seq else CHUNK

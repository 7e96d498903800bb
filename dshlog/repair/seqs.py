"""Where the events of a sheet stand."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dshlog.repair.sheet import Sheet


class Seqs:
    """The lines of a sheet by the positions of their events."""

    def __init__(self, sheet: Sheet) -> None:
        self.starts: list[int] = []
        at = 0
        for line in sheet.lines[1:]:
            self.starts.append(at)
            at += sheet.count_of(line)
        self.events = at

    def line(self, seq: int) -> int:
        """Give the index of the line that holds an event."""
        return bisect_right(self.starts, seq)

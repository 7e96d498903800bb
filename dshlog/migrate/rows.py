"""Stored rows of v0 to v3 as the upgrade reads them: one row after the other, tolerant of a bad tail.

Source: migration.md §1.4, storage.md §5.2 (b).
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import Any

from dshlog.codec.chunkruns import PAYLOAD, members, row_faults
from dshlog.codec.envelope import MEMBERS, REQUIRED
from dshlog.codec.sources import Sources, decode_sources, expand
from dshlog.fold.marker import marker_faults, source_faults
from dshlog.migrate.refusal import READING, Refusal, Refusals
from dshlog.migrate.stage import Event, PackedStage, Stage
from dshlog.model.fault import Fault
from dshlog.model.number import MAX_SAFE, as_count, as_int, is_number
from dshlog.model.vocabulary import row_checked_types
from dshlog.rules.admission import admission_faults
from dshlog.rules.eventtype import INHERITED_NAMES
from dshlog.rules.payload import row_faults_v3
from dshlog.storage.jsontext import NotJSON, loads
from dshlog.storage.unread import Overlong

_PACKING = 2  # generations below this one have packed rows
_EXACT = 2  # the first generation whose envelope is checked row by row
_CHECKED = 3  # the generation whose rows are checked for more than their envelope
_INT = {int}
_PLAIN = {"type", "seq", "time", "data"}


class Rows:
    """Feeds the rows of a log to the first stage until one does not continue it.

    `position` counts the events that were fed or, in v3, would have been.
    """

    def __init__(self, version: int, first: Stage, packed: PackedStage | None, refusals: Refusals) -> None:
        self.version = version
        self.position = 0
        self.marker = -1  # seq of the last inherited end-seed that was accepted
        self.unheld = False  # a line was too large to be held, so that the result is not that of dsh
        self.left_out = 0  # rows at the end that are not taken
        self.lost = 0  # those among them that are objects
        self._runs: tuple[array[int], array[int]] = (array("q"), array("q"))  # seq behind each packed row, lines saved
        self._first = first
        self._packed = packed
        self._refusals = refusals
        self._object = False  # whether the last line is one
        self._unread = self._bad = self._odd = False  # not JSON; malformed or out of place; odd in v3
        self._row_checked = row_checked_types() | INHERITED_NAMES if version == _CHECKED else frozenset()

    def line_of(self, seq: int) -> int:
        """Give the line of an event that was taken, counted from 1."""
        ends, saved = self._runs
        before = bisect_right(ends, seq)
        last = saved[before - 1] if before else 0
        within = 0
        if before < len(ends):
            first = ends[before] - (saved[before] - last) - 1
            within = max(0, seq - first)
        return seq + 2 - last - within

    def feed(self, lines: list[bytes]) -> None:
        """Take whole lines behind the header, in order."""
        for line in lines:
            if self._refusals.stopped:
                return
            self._line(line)
            if self._unread or self._bad or self._odd:
                self.left_out += 1
                self.lost += self._object

    def _line(self, line: bytes) -> None:
        try:
            if isinstance(line, Overlong):
                self.unheld = True
                raise NotJSON(0, "the line is too long")  # noqa: TRY301 - dsh would read it, we cannot
            value = loads(line)
        except NotJSON:
            self._object = False
            self._unread = True
            return
        self._object = type(value) is dict
        row: Any = value if type(value) is dict else {}
        kind = row.get("type")
        if self._unread:
            if kind == "turn/end":
                self._corrupt("a turn/end stands behind a line that is not JSON", "$")
            return
        if self.version == _CHECKED:
            for fault in admission_faults(row, self.version):
                self._fatal(fault.name, fault, kind)
                return
        if self.version < _PACKING and type(kind) is str and kind in PAYLOAD:
            self._packed_row(row)
        else:
            self._event(value, row, kind)

    def _packed_row(self, row: Event) -> None:
        count = 0 if self._bad else _members(row, self.position)
        if not count or self._packed is None:
            self._bad = True
            return
        at, self.position = self.position, self.position + count
        ends, saved = self._runs
        ends.append(self.position)
        saved.append(count - 1 + (saved[-1] if saved else 0))
        self._packed.packed(row, at)

    def _event(self, value: object, row: Event, kind: object) -> None:
        decoded = type(value) is dict and self._decodes(row)
        if self._bad or not decoded:
            if self._bad and decoded and kind == "turn/end":
                self._corrupt("a turn/end stands behind a row that was left out", "$")
            self._bad = True
            return
        seq = row.get("seq")
        if not is_number(seq) or seq != self.position:
            if kind == "turn/end":
                self._corrupt(f"a turn/end stands at another position than {self.position}", "$.seq")
            self._bad = True
            return
        at, self.position = self.position, self.position + 1
        if self.version == _CHECKED:
            fault = self._odd_row(row, kind, at)
            self._odd = self._odd or fault is not None
            if self._odd and kind == "turn/end":
                words = fault.message if fault is not None else "a turn/end stands behind a row that was left out"
                self._corrupt(words, fault.path if fault is not None else "$")
            if self._odd:
                return
        if kind == "session/end-seed" and self.version >= _EXACT:
            if type(row["data"]) is not dict:
                self._corrupt("the data of a session/end-seed is no object", "$.data")
                return
            if row["data"].get("inherited") is True:
                self.marker = at
        self._first.take(row, at)

    def _decodes(self, row: Event) -> bool:
        """Tell whether the row decoder takes an object; its sources are decoded in place."""
        if (
            self.version >= _EXACT
            and row.keys() != _PLAIN
            and not (
                all(name in row for name in REQUIRED) and row.keys() <= MEMBERS and row.get("ignorable", True) is True
            )
        ):
            return False
        if self.version >= _EXACT and (type(row["type"]) is not str or as_int(row["time"]) is None):
            return False
        if "sourceEventSeqs" not in row:
            return True
        seq = as_count(row.get("seq"))
        if seq is None:
            return False
        if self.version < _PACKING and _plainly_listed(row["sourceEventSeqs"], seq):
            return True
        sources = decode_sources(row["sourceEventSeqs"], seq, distinct=self.version >= _EXACT)
        if isinstance(sources, Fault):
            return False
        row["sourceEventSeqs"] = sources if self.version < _PACKING else list(expand(sources))
        return True

    def _odd_row(self, row: Event, kind: Any, seq: int) -> Fault | None:  # noqa: ANN401 - a text by now
        """Give what makes a v3 row of a listed type malformed beyond its envelope."""
        if as_count(row["seq"]) is None:
            return Fault("seq-not-count", "seq is negative zero", "$.seq")
        if kind not in self._row_checked:
            return None
        faults = marker_faults(row, seq, self.version, opaque=False)
        sources: Sources | None = row.get("sourceEventSeqs")
        if not faults and sources is not None:
            faults = source_faults(kind, sources, seq, self.version)
        faults = faults or row_faults_v3(kind, row["data"])
        return faults[0] if faults else None

    def _fatal(self, name: str, fault: Fault, kind: object) -> None:
        self._refusals.stopped = True
        shown = kind if type(kind) is str else None
        self._refusals.add(Refusal(READING, name, fault.message, fault.path, self.position, shown))

    def _corrupt(self, words: str, path: str | None) -> None:
        if not self._refusals.stopped:
            self._fatal("upgrade-corrupt", Fault("upgrade-corrupt", words, path), "turn/end")


def _members(row: Event, position: int) -> int:
    """Count the events of a packed row that continues the log; 0 when it does not, or is malformed."""
    count = members(row, position)
    data = row.get("data")
    if count and type(data) is dict and data.get("id") != "":
        numbers = (data["turn"], data["step"], data["index"])
        if min(numbers) >= 0 and max(numbers) <= MAX_SAFE:
            return count
    if row_faults(row, 1) or as_count(row["seq0"]) != position:
        return 0
    return len(row["data"]["dt"]) + 1


def _plainly_listed(sources: object, seq: int) -> bool:
    """Tell quickly that a list of v0 or v1 decodes, and to itself; False when in doubt."""
    return (
        type(sources) is list
        and 0 < len(sources) <= seq
        and set(map(type, sources)) == _INT
        and min(sources) >= 0
        and max(sources) <= MAX_SAFE
    )

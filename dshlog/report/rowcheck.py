"""A quick look at the rows of v0 and v1: does dsh read every one of them, in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from dshlog.codec.chunkruns import PAYLOAD, members, row_faults
from dshlog.codec.envelope import decode_row
from dshlog.model.number import MAX_SAFE, as_count
from dshlog.rules.marks import plainly_cited
from dshlog.storage.jsontext import NotJSON, loads, odd
from dshlog.storage.unread import Overlong

_LOG_ONLY, _APPENDED, _CITING = 4, 5, 6  # members of a row: the four, with surfaceOp, with sourceEventSeqs too


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Whole lines and what they say.

    `rows` has what the fast parser gives for each line, which may have lost the sign of a zero; None where it
    refuses. `packed` has the sound packed rows by index whose every number is a plain one.
    """

    lines: list[bytes]
    rows: list[Any]
    packed: dict[int, dict[str, Any]]


def plain_batch(lines: list[bytes]) -> Batch:
    """Give lines that nobody has looked at."""
    return Batch(lines=lines, rows=[None] * len(lines), packed={})


class RowCheck:
    """Takes all rows of a log in order; `sound` stays True while each continues the log as dsh's reader wants it.

    Only what a row has outside of its payload is looked at. A log that is not sound may still be one that
    dsh reads: the judge knows.
    """

    def __init__(self, version: int) -> None:
        """Begin with the first row."""
        self._version = version
        self.position = 0
        self.sound = True

    def read(self, lines: list[bytes]) -> Batch:
        """Take the next lines."""
        try:
            rows: list[Any] = list(map(orjson.loads, lines))
        except ValueError:
            rows = list(map(_parsed, lines))
        packed: dict[int, dict[str, Any]] = {}
        expected, version = self.position, self._version
        for index, row in enumerate(rows):
            try:
                kind = row["type"]
                if kind in PAYLOAD:
                    count = members(row, expected)
                    if count and not odd(lines[index]) and not (version and row_faults(row, version)):
                        packed[index] = row
                        expected += count
                        continue
                else:
                    seq, time = row["seq"], row["time"]
                    if (
                        # The fast parser loses the sign of a zero.
                        seq == expected > 0 < time <= MAX_SAFE
                        and type(seq) is type(time) is int
                        and type(kind) is str
                        and "data" in row
                        and (len(row) == _LOG_ONLY or self._marked(row, kind, seq))
                    ):
                        expected += 1
                        continue
            except (KeyError, TypeError):
                pass
            expected += self._exactly(lines[index], expected)
        self.position = expected
        return Batch(lines=lines, rows=rows, packed=packed)

    def _marked(self, row: dict[str, Any], kind: str, seq: int) -> bool:
        """Tell whether what a row has beyond the four members is a surface marker and a plain list of sources."""
        if "surfaceOp" not in row:
            return False
        if len(row) == _APPENDED:
            return True
        return len(row) == _CITING and plainly_cited(kind, row["sourceEventSeqs"], seq, self._version, ranges=True)

    def _exactly(self, line: bytes, expected: int) -> int:
        """Count the events of a line that is not spelled plainly; a line that is not sound counts for nothing."""
        count = self._count(line, expected) if self.sound and not isinstance(line, Overlong) else 0
        self.sound = self.sound and count > 0
        return count

    def _count(self, line: bytes, expected: int) -> int:
        try:
            row = loads(line)
        except NotJSON:
            return 0
        if type(row) is not dict:
            return 0
        kind = row.get("type")
        if type(kind) is str and kind in PAYLOAD:
            if row_faults(row, self._version) or as_count(row["seq0"]) != expected:
                return 0
            return len(row["data"][PAYLOAD[kind][0]])
        decoded = decode_row(row, self._version)
        return int(not decoded.malformed and not decoded.odd and decoded.seq == expected)


def _parsed(line: bytes) -> Any:  # noqa: ANN401 - a JSON value
    try:
        return orjson.loads(line)
    except ValueError:
        return None

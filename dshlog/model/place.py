"""Where something stands in a log: the place that every finding names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Row(NamedTuple):
    """One row of a database: the file, the table, the session, and the value of the column `seq`.

    A place that is no single row has no table; a row of `sessions` has no seq, nor has one of `events`
    whose seq is no integer.
    """

    database: str
    table: str | None
    session: str | None
    seq: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One place in one log.

    `line` counts from 1 in the decoded text (the header is line 1). `offset` is the 0-based byte of
    that line in the decoded text. `frame` is the 0-based zstd frame that holds the line's first byte
    and `frame_at` the 0-based byte of that frame in the file; both are None in a raw log. A finding
    about the file as a whole has line, offset and seq None. `json_path` names the member at fault.
    `row` is the row that the line was made of, in a session of a database.
    """

    file: str
    line: int | None = None
    offset: int | None = None
    frame: int | None = None
    frame_at: int | None = None
    seq: int | None = None
    json_path: str | None = None
    row: Row | None = None

    @property
    def on_disk(self) -> tuple[str, int | None]:
        """Give the file that there is, and the line of it; a database has none."""
        return (self.file, self.line) if self.row is None else (self.row.database, None)

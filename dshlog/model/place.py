"""Where something stands in a log: the place that every finding names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One place in one log.

    `line` counts from 1 in the decoded text (the header is line 1). `offset` is the 0-based byte of
    that line in the decoded text. `frame` is the 0-based zstd frame that holds the line's first byte
    and `frame_at` the 0-based byte of that frame in the file; both are None in a raw log. A finding
    about the file as a whole has line, offset and seq None. `json_path` names the member at fault.
    """

    file: str
    line: int | None = None
    offset: int | None = None
    frame: int | None = None
    frame_at: int | None = None
    seq: int | None = None
    json_path: str | None = None

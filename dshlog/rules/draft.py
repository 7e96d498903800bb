"""A finding in the making: a fault with its place, before the end of the log settles how bad it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dshlog.model.fault import Fault
    from dshlog.rules.rule import Rule


@dataclass(slots=True, kw_only=True)
class Draft:
    """One fault at one record.

    `line` counts from 1 in the decoded text, `offset` from 0. `stage` is where the reader meets it.
    `fatal` says that the reader refuses the log for it; `beyond` that it stands behind the first bad
    record, where the reader no longer looks unless the stage says so. `follows` counts
    further faults of the same rule that were not kept.
    """

    rule: Rule
    fault: Fault
    stage: str
    line: int | None
    offset: int | None
    seq: int | None = None
    fatal: bool = False
    beyond: bool = False
    follows: int = 0
    frame: int | None = None  # set for a fault of the frame itself; else found from the offset
    frame_at: int | None = None
    related: tuple[tuple[int, int, int | None], ...] = ()  # (line, offset, seq)

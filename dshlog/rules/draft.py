"""A finding in the making: a fault with its place, before the end of the log settles how bad it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dshlog.model.fault import Fault
    from dshlog.rules.rule import Rule


class Draft:
    """One fault at one record.

    `line` counts from 1 in the decoded text, `offset` from 0; both are None for what belongs to no line.
    `stage` is where the reader meets it. `fatal` says that the reader refuses the log for it; `beyond`
    that it stands behind the first bad record, where the reader no longer looks unless the stage says so.
    `follows` counts further faults of the same rule that were not kept. `frame` and `frame_at` are set
    for a fault of the frame itself, else they are found from the offset. `related` holds other places as
    (line, offset, seq), `committed_by` the one that shows that a bad record was committed. `cures` names the fixes
    for what only the upgrade refuses.
    """

    __slots__ = (
        "beyond",
        "committed_by",
        "cures",
        "fatal",
        "fault",
        "follows",
        "frame",
        "frame_at",
        "line",
        "offset",
        "related",
        "rule",
        "seq",
        "stage",
    )

    def __init__(  # noqa: PLR0913 - one keyword for each part
        self,
        *,
        rule: Rule,
        fault: Fault,
        stage: str,
        line: int | None,
        offset: int | None,
        seq: int | None = None,
        beyond: bool = False,
    ) -> None:
        self.rule = rule
        self.fault = fault
        self.stage = stage
        self.line = line
        self.offset = offset
        self.seq = seq
        self.beyond = beyond
        self.fatal = False
        self.follows = 0
        self.frame: int | None = None
        self.frame_at: int | None = None
        self.related: tuple[tuple[int, int, int | None], ...] = ()
        self.committed_by: tuple[int, int, int | None] | None = None
        self.cures: tuple[str, ...] = ()

"""What the register knows about one rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dshlog.model.finding import Remedy, Severity


class Rule(NamedTuple):
    """One rule with its place in dsh's order of checks and its explanation.

    `stages` has one letter for each generation 0..4: where the generation's own reader (v1, v2: the
    only reader there is) looks.

    d  names and directories around the file, whatever the generation of the reader
    f  framing of the file                    h  the header record
    r  row decoding: a bad row ends the readable prefix, and is corruption only when more was committed
    a  admission: fatal wherever the row stands, also behind a bad row
    c  completeness of the decoded text       s  the seed rule at the end
    l  relationships over the prefix          v  vocabulary of the build
    m  message shapes, before the vocabulary (v0)
    t  the scan of the open tail (v0)         o  adoption: envelope, messages, surface
    u  dshlog gives up: what dsh says is not known
    e  the upgrade to v4, edge by edge and at its result
    w  nobody refuses; a person should look   n  nobody refuses; worth knowing
    .  cannot occur, or is not looked at
    """

    code: str
    name: str
    rule: str | None
    stages: str
    summary: str
    why: str
    hint: str | None = None
    remedy: Remedy = "none"

    def severity(self, version: int) -> Severity:
        """Give the severity that the stage alone implies; the tail may soften an `r`."""
        stage = self.stages[version]
        return {"w": "warning", "n": "note", ".": "warning"}.get(stage, "error")  # type: ignore[return-value]

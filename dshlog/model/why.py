"""Why an event is or is not on the surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dshlog.model.surface import Inside


class Link(NamedTuple):
    """Another event that has to do with it; `via` is the member that names it, or who made a replacement."""

    seq: int
    type: str
    via: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """One event and its way to the surface or off it.

    `state` is "surface" (the model sees it), "empty" (a node that gives no message), "replaced", "log-only"
    (no type of the surface), "opaque" (an unknown type that is ignorable) or "refused" (a rule kept it off).
    `rule` is the id in the specification of the rule that decides. `op` is its `surfaceOp` as stored.
    `replaced_by` is the chain of events that took its place: the first took it directly, each further one
    took the place of the one before; `replacement` is the beginning of the first one's text. `hides` are the nodes that it replaced itself, `inside` the replacements
    among these and below, `cites` the events that
    it names as its sources, `cited_by` events that name it, `changed_by` those that changed its message in
    place. `text` is that of the message that the model gets, or would have got.
    """

    path: str
    version: int
    at: int | None
    seq: int
    time: object
    type: str
    turn: object
    step: object
    inherited: bool
    op: object
    state: str
    rule: str
    reason: str
    position: int | None
    replaced_by: tuple[Link, ...]
    replacement: str | None
    hides: tuple[int, ...]
    inside: tuple[Inside, ...]
    cites: tuple[int, ...]
    cited_by: tuple[Link, ...]
    changed_by: tuple[int, ...]
    facts: str
    text: str
    findings: tuple[str, ...]

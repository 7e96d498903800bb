"""Why an event is or is not on the surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dshlog.model.surface import Inside


class Link(NamedTuple):
    """Another event that names it; `via` is the member."""

    seq: int
    type: str
    via: str


class Heir(NamedTuple):
    """An event that took the place of another on the surface; `by` is who made it, None where its type says so.

    `kind` is compaction, pruning, system or replacement. `told_by` is the `compaction/summary` or
    `compaction/prune` that told of it, `told_type` its type, and `compaction` the id of a compaction.
    """

    seq: int
    type: str
    by: str | None
    kind: str
    told_by: int | None = None
    told_type: str | None = None
    compaction: str | None = None


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
    replaced_by: tuple[Heir, ...]
    replacement: str | None
    hides: tuple[int, ...]
    inside: tuple[Inside, ...]
    cites: tuple[int, ...]
    cited_by: tuple[Link, ...]
    changed_by: tuple[int, ...]
    facts: str
    text: str
    findings: tuple[str, ...]

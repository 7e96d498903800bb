"""The surface: which events produce the model's messages, and in what order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class SurfaceError(ValueError):
    """An event breaks a rule of the surface.

    `kind` is one of the closed list of kinds ("replace-start-missing", "sources-incomplete", ...),
    `seq` the event at fault as its log spells it.
    """

    def __init__(self, kind: str, seq: object, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.seq = seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """An event that took the place of a span of nodes.

    `start` and `end` are the inclusive ends as the event names them; `shadowed` are the seqs that it
    hid, in surface order, never empty.
    """

    seq: int
    start: int
    end: int
    shadowed: tuple[int, ...]


class Inside(NamedTuple):
    """A replacement that stands inside another: `seq` is hidden there, and hid `shadowed` itself; `depth` from 1."""

    depth: int
    seq: int
    shadowed: tuple[int, ...]


def inside(shadowed: Iterable[int], hidden: Mapping[int, tuple[int, ...]]) -> tuple[Inside, ...]:
    """Give the replacements among what a replacement shadowed and below, each before those inside it.

    `hidden` maps the seq of each replacement to what it shadowed.
    """
    out: list[Inside] = []
    waiting = [(1, seq) for seq in reversed(tuple(shadowed))]
    while waiting:
        depth, seq = waiting.pop()
        below = hidden.get(seq)
        if below is not None:
            out.append(Inside(depth, seq, below))
            waiting.extend((depth + 1, one) for one in reversed(below))
    return tuple(out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The folded surface.

    `nodes` are seqs in surface order, unique and not sorted once something was replaced.
    `projected` maps a seq to the message that stands in for its own (v4 image offload); an entry
    stays when its node is shadowed later. `append_origin` are the seqs that were appended, in log
    order: what a person saw. The generations count replacements and content changes, for caches.
    """

    nodes: tuple[int, ...]
    replacements: tuple[Replacement, ...] = ()
    projected: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    append_origin: tuple[int, ...] = ()
    replace_generation: int = 0
    content_generation: int = 0

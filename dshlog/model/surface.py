"""The surface: which events produce the model's messages, and in what order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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

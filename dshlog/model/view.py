"""The surface as a person reads it, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dshlog.model.surface import Inside, Replacement


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceRow:
    """One node of the surface as a person reads it.

    `position` counts from 0. `turn` and `step` are the event's own, else those open at its seq, else
    None. `chars` counts the code points of all text in the message. `text` is that text (for previews
    and `--full`). `replaced` lists what this node shadowed directly, in surface order, and `inside` the
    replacements among that and below. A node whose message derives nothing (empty content) has `role` None.
    """

    position: int
    seq: int
    type: str
    role: str | None
    turn: object
    step: object
    chars: int
    source: str | None
    text: str
    replaced: tuple[int, ...]
    inside: tuple[Inside, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceView:
    """The surface after event `at` (None: the end of the readable prefix).

    `times` are those of the first and the last event of the prefix, None where nobody looked or there is none;
    `title` is the last title there, `goal` the objective of a goal that was not cleared.
    """

    path: str
    version: int | None
    at: int | None
    nodes: tuple[int, ...]
    replacements: tuple[Replacement, ...]
    rows: tuple[SurfaceRow, ...]
    times: tuple[object, object] | None = None
    title: str | None = None
    goal: str | None = None

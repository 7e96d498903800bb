"""One model call as it came: what `show --stream` tells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Deltas of one kind: `text`, `reasoning` or `tool-call`; `chars` counts code points."""

    kind: str
    fragments: int
    chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """The waits between one delta and the next, in ms.

    `after` is where the longest begins, in ms from the first chunk of the call.
    """

    count: int
    median: int
    p95: int
    longest: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamView:
    """One attempt with its timing.

    Times are ms since the epoch: `began` is when its step or its retry began, `first` and `last` its first
    and last chunk, `token` the first sign of the model. `tokens` has a pair for each delta: ms since `first`,
    code points. `seq` and `type` are of the event that was asked for.
    """

    path: str
    version: int | None
    seq: int
    type: str
    turn: object
    step: object
    attempt: int
    began: int | None
    first: int
    token: int | None
    last: int
    chunks: int
    parts: tuple[Part, ...]
    gaps: Gaps | None
    chars_per_second: float | None
    fragments_per_second: float | None
    usage: object
    finish: object
    tokens: tuple[tuple[int, int], ...]

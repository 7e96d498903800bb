"""What one log shows through each lens: events, turns, transcript, frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """One logical event on one line.

    `turn` and `step` are the event's own, else those open at it, else None. `size` counts the bytes of the
    event as `cat` prints it. `op` is its `surfaceOp` as stored, None for an event without. `facts` says
    what it holds, in a few words. `data` is the payload. `request` names the request that a `request/header` or the
    answer to one belongs to, None for other events.
    """

    seq: int
    time: object
    type: str
    turn: object
    step: object
    size: int
    op: object
    facts: str
    data: Any
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens by bucket, as the usage of the messages counts them; None where none of them tells."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What happened in a turn or in a step of it.

    `seq` is the event that opens it and `end` the one that closes it, None while it is open. `time` is that
    of the first, `duration` the milliseconds to the second. `answers` counts messages of the model,
    `attempts` the calls of the model that gave none, `calls` tool calls that began and `failures` those
    of them whose result says so. `reason` is the kind of the turn's end, `detail` what it says besides. `steps` are the
    steps of a turn; a step has none. `requests` names the requests whose header or answer stands there.
    """

    number: object
    seq: int
    end: int | None
    time: object
    duration: int | float | None
    answers: int
    attempts: int
    calls: int
    failures: int
    tokens: Tokens
    inherited: bool = False
    reason: str | None = None
    detail: str | None = None
    steps: tuple[Span, ...] = ()
    requests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a tool call; `text` as in `Said`, `replaced_by` the event that took its place later."""

    seq: int
    error: bool
    chars: int
    text: str
    replaced_by: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A tool call as a message advertises it.

    `seq` is the event that began it, None when none did; `duration` the milliseconds from there to the
    result.
    """

    id: object
    name: object
    arguments: object
    seq: int | None = None
    duration: int | float | None = None
    result: Answer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One thing that the person saw: an appended message, or the end of a turn that did not complete.

    `text` is the message's text, or its beginning when the whole was not asked for, or words that stand in
    for what is no text; `chars` counts the code points of all its texts. `interrupted` says that an answer was cut short. `replaced_by` is the event that took the message's place on the surface, None while it is live; the
    person saw it all the same.
    """

    seq: int
    time: object
    type: str
    role: str | None
    turn: object
    step: object
    source: str | None
    chars: int
    text: str
    interrupted: bool = False
    inherited: bool = False
    replaced_by: int | None = None
    replacement: str | None = None
    calls: tuple[Called, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRow:
    """One zstd frame.

    `offset` is its first byte in the file, `size` its bytes there, `decoded` the bytes of its text and
    `rows` the line feeds in that; both None when it does not decompress. A `torn` one ran out of bytes, and
    `decoded` counts what can be read of it. `types` counts the records that end in it by type, when asked.
    """

    index: int
    offset: int
    size: int
    decoded: int | None
    rows: int | None
    torn: bool = False
    types: dict[str, int] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Give how many bytes of text stand behind one byte of the frame."""
        return round(self.decoded / self.size, 2) if self.decoded is not None and self.size else None

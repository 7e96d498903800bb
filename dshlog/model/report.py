"""The report on one log: facts, state, verdicts per reader, and all findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from dshlog.model.finding import Finding
from dshlog.model.place import Row

State = Literal["clean", "open", "torn", "refused", "newer", "not-a-log"]
Encoding = Literal["raw", "zstd"]

STATES: tuple[State, ...] = ("clean", "open", "torn", "refused", "newer", "not-a-log")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderVerdict:
    """What one released dsh build makes of the log.

    `build` is the release that is modelled, None where the generation had none. `opens` is None when
    the reader is not known to dshlog. `first` is the code of the finding at which that build stops.
    `but` lists the codes of what will fail later although the log opens.
    """

    build: str | None
    opens: bool | None
    first: str | None = None
    but: tuple[str, ...] = ()


class Torn(NamedTuple):
    """A tail that dsh cuts on its next write.

    `at` is the 0-based file offset of the cut, `bytes` how many bytes of the file lie behind it, and
    `events` how many logical events dsh writes again because it could read them from a torn frame.
    """

    at: int
    bytes: int
    events: int


class SurfaceSize(NamedTuple):
    """Counts of the folded surface: live nodes, replacements made, messages that the model gets."""

    nodes: int
    replacements: int
    messages: int


class Tail(NamedTuple):
    """What is open at the end: turn and step as the log spells them, ids of unanswered calls in order."""

    turn: object = None
    step: object = None
    calls: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that is known about one log after one reading.

    `records` counts storage lines after the header, `events` logical events of the readable prefix in
    the log's own generation (packed runs by member), `inherited` those before the inherited cut.
    `frames` counts complete zstd frames and is None for a raw log. `text` counts the bytes of the decoded
    text, `parent` is the session that the header names as its origin. `stop` is the line at which the readable
    prefix ends before the log does, None where all of it was taken. `stored` names the session of a database that the
    log stands for, None for a file. Findings stand in file order.
    """

    path: str
    state: State
    native: ReaderVerdict
    latest: ReaderVerdict
    findings: tuple[Finding, ...]
    id: str | None = None
    cwd: str | None = None
    parent: str | None = None
    version: int | None = None
    encoding: Encoding | None = None
    bytes: int | None = None
    text: int | None = None
    frames: int | None = None
    records: int = 0
    events: int = 0
    inherited: int = 0
    torn: Torn | None = None
    surface: SurfaceSize | None = None
    stop: int | None = None
    stored: Row | None = None
    tail: Tail = Tail()  # noqa: RUF009 - immutable, so one value serves all

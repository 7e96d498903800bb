"""What two logs have in common, and what they differ in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dshlog.model.finding import Finding
    from dshlog.model.report import State

View = Literal["events", "messages", "surface"]
Kind = Literal["changed", "only-a", "only-b"]


class Change(NamedTuple):
    """One member that differs: `path` leads to it, `kind` tells whether one side lacks it (that value is None then)."""

    path: str
    kind: Literal["changed", "added", "removed"]
    old: object
    new: object


class Unit(NamedTuple):
    """What is compared at once: an event, a run of chunk events of one attempt, or a message.

    `seq` is that of the first of `size` events, `value` what is compared, without `seq`.
    """

    seq: int
    size: int
    type: str
    turn: object
    step: object
    facts: str
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something that one side lacks, or that differs; `changes` are the members, `more` counts those left out."""

    kind: Kind
    a: Unit | None
    b: Unit | None
    changes: tuple[Change, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two logs.

    `version` is its generation and `compared` the one in which it was compared. `events` counts those of the
    readable prefix in the latter; `stop` is the line at which that ends early; `left_out` counts rows at the end that
    the upgrade leaves out, and `refusals` are its reasons against it, in which case nothing was upgraded.
    """

    path: str
    id: str | None = None
    version: int | None = None
    compared: int | None = None
    events: int = 0
    state: State | None = None
    stop: int | None = None
    left_out: int = 0
    refusals: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What both begin with: so many events (or messages), up to this turn and step; `last` is the last message."""

    count: int = 0
    turn: object = None
    step: object = None
    last: Unit | None = None


@dataclass(slots=True)
class Tally:
    """Counts of events, or of messages where only these are compared; whole once every difference was given.

    `same` counts those that are the same on both sides, `renumbered` those among them that stand at another seq, the
    rest by type. `tail_a` and `tail_b` are the seqs from which on nothing corresponds any more, None where no such
    tail is.
    """

    same: int = 0
    renumbered: int = 0
    changed: Counter[str] = field(default_factory=Counter)
    only_a: Counter[str] = field(default_factory=Counter)
    only_b: Counter[str] = field(default_factory=Counter)
    tail_a: int | None = None
    tail_b: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two logs side by side.

    `same` tells that there is no difference; `unread` that what cannot be read of one of them was not compared, and is
    not the same text on both sides. `differences` come in the order of the logs. Where they are an iterator they are
    read as they are asked for, once, and `tally` is whole behind the last of them.
    """

    view: View
    a: Side
    b: Side
    same: bool
    unread: bool
    header: tuple[Change, ...]
    common: Common
    differences: Iterable[Difference]
    tally: Tally

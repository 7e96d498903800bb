"""The plan of a repair: what stays, what goes, what is added and what is lost, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from dshlog.model.place import Place
    from dshlog.model.report import Report

Kind = Literal["keep", "cut", "rewrite", "reframe", "drop", "edit", "renumber", "insert", "close", "mark"]
NOTHING = "none"  # the loss of an action that loses nothing


class Copy(NamedTuple):
    """A half-open byte range of the source that goes into the result as it is."""

    start: int
    end: int


class Batch(NamedTuple):
    """Whole lines, each with its line feed; in a zstd log they make one frame."""

    lines: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that the repair does.

    `place` is where in the source, `bytes` the half-open range of the file that it is about, both None
    for what stands behind its end. `loss` is "none", or what is lost in words. `kept`, `dropped` and
    `added` count events.
    """

    kind: Kind
    message: str
    place: Place | None = None
    bytes: tuple[int, int] | None = None
    loss: str = NOTHING
    kept: int = 0
    dropped: int = 0
    added: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """One line of the source that is not in the result: where it stood, its bytes, its value and how many events it holds.

    The value is None for a line that is no record, which holds none.
    """

    place: Place
    line: bytes
    event: Any
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One record of the source and the lines that stand for it in the result; none when it was dropped.

    `line` counts from 1 as in a place; `old` is empty for lines that are added before it.
    """

    line: int
    old: bytes
    new: tuple[bytes, ...]


class Advice(NamedTuple):
    """The fixes that would let dsh upgrade a log, as they are asked for, and what they cost in words."""

    fixes: tuple[str, ...]
    loss: str = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a repair of one log would do.

    `before` is the report on the source. `script` makes the result; it is None when there is none, and
    `why_not` says why. `truncate_to` is the file offset at which dsh would cut, `rewritten` what it
    would write again of a torn frame; None and empty where dsh does not open the log or cuts nothing.
    `closers` and `end_seed` are appended behind the kept records in one write. `events` counts those of
    the result. `remains` says that dsh refuses to upgrade the result, as it refuses the log. `fixes` are those that
    were taken because they were asked for, `advice` names those that would let dsh upgrade the result. `unwritten` says
    why dsh opens the result and does not write its successor, `left_out` which fixes that were asked for were not taken,
    since the log's own build would refuse what they leave.
    """

    before: Report
    actions: tuple[Action, ...] = ()
    script: tuple[Copy | Batch, ...] | None = None
    truncate_to: int | None = None
    rewritten: tuple[dict[str, Any], ...] = ()
    closers: tuple[dict[str, Any], ...] = ()
    end_seed: dict[str, Any] | None = None
    lost: tuple[Lost, ...] = ()
    invented: int = 0
    changed: tuple[Changed, ...] = ()
    why_not: str | None = None
    events: int = 0
    remains: str | None = None
    fixes: tuple[str, ...] = ()
    advice: Advice | None = None
    unwritten: str | None = None
    left_out: str | None = None

    @property
    def healthy(self) -> bool:
        """Tell whether there is nothing to do; `why_not` still names what dsh refuses to upgrade."""
        return self.script is not None and not self.actions

    @property
    def records_lost(self) -> int:
        """Count the records that are not in the result; lines that cannot be read are none."""
        return sum(one.event is not None for one in self.lost)

    @property
    def lossy(self) -> bool:
        """Tell whether a record is dropped or made up in the middle of history."""
        return bool(self.lost) or any(action.loss != NOTHING for action in self.actions)

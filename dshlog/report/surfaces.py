"""Compare what the model sees at the end of two logs, or as of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.model.comparison import Common
from dshlog.report.compare import Parts, assembled
from dshlog.report.examine import Examination
from dshlog.report.follow import follow
from dshlog.report.prefix import same_text
from dshlog.report.units import Keys, Raw, Shown, message_of
from dshlog.storage.jsontext import same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dshlog.model.comparison import Comparison, Side
    from dshlog.model.report import Report
    from dshlog.report.compare import Given, Wanted
    from dshlog.rules.judge import Judge


def compare_surfaces(a: Given, b: Given, sides: tuple[Side, Side], wanted: Wanted, *, alike: bool) -> Comparison:
    """Compare the messages of the nodes of two surfaces, whatever their seqs."""
    (left, one), (right, other) = (_surface(log, wanted.at, alike=alike) for log in (a, b))
    count = 0
    while count < min(len(left), len(right)) and _alike(left[count], right[count]):
        count += 1
    rest = left[count:], right[count:]
    parts = Parts(
        view="surface",
        header=(),
        common=Common(count=count, last=Shown().unit(left[count - 1]) if count else None),
        keys=(Keys(rest[0]), Keys(rest[1])),
        units=(_given(rest[0]), _given(rest[1])),
        shown=(Shown(), Shown()),
        same_text=same_text(a.container, b.container),
    )
    return assembled(sides, (one, other), parts, wanted)


def _alike(one: Raw, other: Raw) -> bool:
    return same(one.event["data"], other.event["data"], zero_sign=True)


def _given(units: list[Raw]) -> Callable[[], Iterator[Raw]]:
    return lambda: iter(units)


class _End:
    """Looks at the surface where a log ends, or is taken to end."""

    def __init__(self) -> None:
        self.units: list[Raw] = []

    def before(self, event: dict[str, Any], seq: int, judge: Judge) -> None:
        """Nothing is asked of single events."""

    def after(self, event: dict[str, Any], seq: int, judge: Judge) -> None:
        """Nothing is asked of single events."""

    def end(self, judge: Judge) -> None:
        """Take the nodes."""
        surface, messages = judge.kept()
        for seq in surface.nodes:
            kind, turn, step = (judge.origins or {})[seq]
            self.units.append(Raw(seq, 1, {"type": kind, "turn": turn, "step": step, "data": messages.get(seq)}))


def _surface(log: Given, at: int | None, *, alike: bool) -> tuple[list[Raw], Report]:
    if at is not None:
        end, exam = follow(log.source, log.path, _End, at=at, encoding=log.encoding)
    else:
        end = _End()
        exam = Examination(log.source, log.path, log.encoding, keep=True, upgrade="small").finished()
        if exam.judge is not None:
            end.end(exam.judge)
    units = [_bare(unit, alike=alike) for unit in end.units if alike or unit.event["type"] != "system/message"]
    return units, exam.report()


def _bare(unit: Raw, *, alike: bool) -> Raw:
    """Give a node as it is compared: by its message alone."""
    event = unit.event
    shown = {"type": event["type"], "data": message_of(event["data"], alike=alike)}
    return unit._replace(event=shown, at=(event["turn"], event["step"]))

"""Where a judge stands, kept so that it can go on from there more than once."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from dshlog.fold.tail import Pending
from dshlog.rules.lifecycle import Call

if TYPE_CHECKING:
    from dshlog.rules.judge import Judge

_CHANGING = frozenset({dict, list, set, Call, Pending})  # values that a judge changes where they are
_LEVELS = 4  # of them inside each other: what lies deeper is a value of the log, which nobody changes


class Checkpoint:
    """All that a judge which keeps nothing and does not look deep has held at one record.

    What was found is shared with the judge: only how often it was found may have changed since.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._held = [{name: _twin(getattr(part, name)) for name in _names(part)} for part in judge.parts()]

    def restored(self) -> Judge:
        """Give the judge as it was."""
        for part, held in zip(self._judge.parts(), self._held, strict=True):
            for name, value in held.items():
                setattr(part, name, _twin(value))
        return self._judge


def _names(part: object) -> tuple[str, ...]:
    return getattr(part, "__slots__", None) or tuple(vars(part))


def _twin(value: Any, levels: int = _LEVELS) -> Any:  # noqa: ANN401 - whatever a judge holds
    """Give a value that does not change when the other one does."""
    kind = type(value)
    if kind is Call or kind is Pending:
        return copy(value)
    if kind is dict and levels and not _CHANGING.isdisjoint(map(type, value.values())):
        return {key: _twin(held, levels - 1) for key, held in value.items()}
    return value.copy() if kind in _CHANGING else value

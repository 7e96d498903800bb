"""The restart of an interrupted turn, which two edges close. Source: migration.md §3.1, §5; events.md R-220."""

from __future__ import annotations

from typing import Any

from dshlog.fold.identity import ABSENT
from dshlog.model.number import as_count


class OpenTurn:
    """What is open, and whether the event directly before lets the next turn start."""

    __slots__ = ("_lenient", "_spliced", "step", "turn")

    def __init__(self, *, ends_step: bool) -> None:
        """Begin; `ends_step` says whether the boundaries of a turn end an open step."""
        self.turn: object = None  # ABSENT when the turn has no number
        self.step = False
        self._spliced = False
        self._lenient = ends_step

    def restarts(self, kind: str, data: Any) -> bool:  # noqa: ANN401 - a JSON value
        """Tell whether a turn/start follows an interrupted turn that must be closed first."""
        return (
            kind == "turn/start"
            and self._spliced
            and not self.step
            and (open_turn := as_count(self.turn)) is not None
            and type(data) is dict
            and as_count(data.get("turn")) == open_turn + 1
        )

    def see(self, kind: object, data: Any) -> None:  # noqa: ANN401 - a JSON value
        """Take the next event of the source."""
        self._spliced = False
        if kind == "agent/inbox/spliced":
            fields = data if type(data) is dict else {}
            self._spliced = fields.get("target") == "next-turn" and bool(fields.get("inserted"))
        elif kind == "turn/start":
            self.turn = data.get("turn", ABSENT) if type(data) is dict else ABSENT
            self.step = self.step and not self._lenient
        elif kind == "turn/end":
            self.turn = None
            self.step = self.step and not self._lenient
        elif kind == "step/start":
            self.step = True
        elif kind == "step/end":
            self.step = False

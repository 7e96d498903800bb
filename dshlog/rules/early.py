"""Brackets and calls of v0 to v3, which no build of theirs checks and the next upgrade refuses.

Source: events.md §4.1, §4.2, R-033a, R-220. The faults are the same as in v4; here they are warnings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT, member
from dshlog.rules.admission import canonical
from dshlog.rules.relations import Relations
from dshlog.rules.repairs import not_started, recovered

if TYPE_CHECKING:
    from dshlog.fold.surface import SurfaceFolder
    from dshlog.model.fault import Fault
    from dshlog.model.header import Header

_FORKED_SINCE = 3  # the first generation whose upgrade takes the result of a fork
_KEPT = ("turn/start", "turn/end", "step/start", "step/end", "tool/call", "request/header", "request/context")


class EarlyRelations(Relations):
    """The part of the relationship rules that says whether turns, steps and calls are balanced."""

    def __init__(self, header: Header, folder: SurfaceFolder) -> None:
        super().__init__(header, folder)
        self._version = header.version
        self._restart: int | None = None  # seq of an inbox event that may restart a turn
        self.steps = {kind: self.steps[kind] for kind in _KEPT}
        self.steps["turn/start"] = self._restarted
        self.steps["agent/inbox/spliced"] = self._spliced
        self.surface = dict.fromkeys(self.surface, _unrelated)
        self.surface["assistant/message"] = self._assistant
        self.surface["tool/result"] = self._wrapped
        self.quick["user/message"] = _unrelated_facts

    def end_seed(self, *, inherited: bool) -> None:
        """Do nothing: no rule that is followed here looks at it."""

    def _restarted(self, data: Any, seq: int) -> list[Fault] | None:  # noqa: ANN401
        """R-220: an interrupted turn may be followed by the next when its prompt was put into the inbox."""
        life = self.life
        if self._restart == seq - 1 and life.turn is not None and life.step is None:
            life.turn = None
        return self._turn_start(data, seq)

    def _spliced(self, data: Any, seq: int) -> None:  # noqa: ANN401
        if member(data, "target") == "next-turn" and member(data, "inserted"):
            self._restart = seq

    def _wrapped(self, data: Any, seq: int, op: Any, cited: Any) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            return None
        call_id = member(member(data.get("message"), "source"), "callId")
        repairs = "error" in data and self._repairs(data, call_id, cited)
        facts = (0, data.get("turn", ABSENT), data.get("step", ABSENT), call_id)
        return self.answered(facts, seq, op, repairs=repairs)

    def _repairs(self, data: dict[str, Any], call_id: object, cited: Any) -> bool:  # noqa: ANN401
        """R-033, R-035: the exact result that a recovery or, in v3, a fork writes for a call that was not started.

        The upgrade takes any number behind the id, since an earlier one may have renumbered the event.
        """
        content = member(data.get("message"), "content")
        block = content[0] if type(content) is list and len(content) == 1 else None
        name = not_started(data, call_id, block)
        if name is None:
            return False
        forked = self._version >= _FORKED_SINCE and canonical(name, f"forked-tool-result-{call_id}-") is not None
        return forked or recovered(name, call_id, block, cited)


def _unrelated(_data: Any, _seq: int, _op: Any, _cited: Any) -> None:  # noqa: ANN401
    """Stand for a surface type that no rule followed here looks at."""


def _unrelated_facts(_facts: tuple[Any, ...], _seq: int, _op: Any) -> None:  # noqa: ANN401
    """Stand for the same, read quickly."""

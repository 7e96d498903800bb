"""What is open at the end of a log: the scan that dsh's closers are computed from.

Source: repair.md §2. Nothing is validated here: numbers are taken as found, a payload that is no
object reads as one without members.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from dshlog.fold.identity import ABSENT, identical, key


class Pending:
    """An advertised call without an answer: where it was advertised, and the `tool/call` that started it."""

    __slots__ = ("call_id", "call_seq", "step", "turn")

    def __init__(self, call_id: object, turn: object, step: object, call_seq: int | None = None) -> None:
        self.call_id = call_id
        self.turn = turn
        self.step = step
        self.call_seq = call_seq


class TailScan:
    """The open turn, the open step and the pending calls, after each event.

    `turn` and `step` hold the value as the log spells it, ABSENT when an opening event had none, and
    None when nothing is open. `fatal` becomes the seq of the first event whose null payload makes
    dsh's scan fail (events.md P-237).
    """

    __slots__ = ("fatal", "pending", "step", "turn", "version")

    def __init__(self, version: int) -> None:
        self.version = version
        self.turn: object = None
        self.step: object = None
        self.pending: dict[Any, Pending] = {}
        self.fatal: int | None = None

    def twin(self) -> TailScan:
        """Give a scan that stands where this one does, and stays there."""
        other = TailScan(self.version)
        other.turn, other.step, other.fatal = self.turn, self.step, self.fatal
        other.pending = {name: copy(pending) for name, pending in self.pending.items()}
        return other

    def turn_start(self, data: object, seq: int) -> None:
        """Open a turn; calls of an earlier one are forgotten."""
        self.turn = self._member(data, "turn", seq)
        self.step = None
        self.pending.clear()

    def turn_end(self, _data: object, _seq: int) -> None:
        """Close the turn."""
        self.turn = self.step = None
        self.pending.clear()

    def step_start(self, data: object, seq: int) -> None:
        """Open a step."""
        self.step = self._member(data, "step", seq)

    def step_end(self, _data: object, _seq: int) -> None:
        """Close the step; its unanswered calls are forgotten."""
        self.step = None
        self.pending.clear()

    def assistant(self, data: object, seq: int) -> None:
        """Note the calls that an assistant message advertises; a repeated id keeps its position."""
        if type(data) is not dict or type(message := data.get("message")) is not dict:
            return
        content = message.get("content")
        for block in content if type(content) is list else ():
            if type(block) is dict:
                if block.get("type") == "tool-call":
                    call_id = block.get("id", ABSENT)
                    pending = Pending(call_id, data.get("turn", ABSENT), data.get("step", ABSENT))
                    self.pending[key(call_id)] = pending
            elif block is None:
                self._fail(seq)

    def tool_call(self, data: object, seq: int) -> None:
        """Note that a pending call was started."""
        pending = self.pending.get(key(self._member(data, "callId", seq)))
        if pending is not None:
            pending.call_seq = seq

    def tool_result(self, data: object, *, appended: bool) -> None:
        """Take an answered call off the list; v4 wants an appended result of the call's own turn and step."""
        message = data.get("message") if type(data) is dict else None
        source = message.get("source") if type(message) is dict else None
        if type(data) is not dict or type(source) is not dict:
            return
        known = key(source.get("callId", ABSENT))
        pending = self.pending.get(known)
        if pending is None:
            return
        if self.version >= 4 and not (  # noqa: PLR2004 - the generation
            appended
            and identical(pending.turn, data.get("turn", ABSENT))
            and identical(pending.step, data.get("step", ABSENT))
        ):
            return
        del self.pending[known]

    def _member(self, data: object, name: str, seq: int) -> object:
        if data is None:
            self._fail(seq)
        return data.get(name, ABSENT) if type(data) is dict else ABSENT

    def _fail(self, seq: int) -> None:
        if self.fatal is None:
            self.fatal = seq

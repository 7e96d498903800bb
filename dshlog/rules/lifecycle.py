"""Turns, steps and tool calls: the brackets of a log and what must stand inside them.

Source: events.md §4.1, §4.2. After a breach the event's own claim is taken over, so that what only
follows from it is not reported again.
"""

from __future__ import annotations

from dshlog.fold.identity import ABSENT, identical, key
from dshlog.model.fault import Fault
from dshlog.model.number import as_count

NOT_STARTED_TEXT = (
    "The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed."
)


class Call:
    """A call of the open step: what advertised it, and whether it was started. A ghost was never advertised."""

    __slots__ = ("arguments", "ghost", "id", "name", "seq", "start_seq")

    def __init__(self, call_id: object, name: object, arguments: object, seq: int) -> None:
        self.id = call_id
        self.name = name
        self.arguments = arguments
        self.seq = seq  # of the message that advertised it
        self.start_seq: int | None = None  # of the tool/call that started it
        self.ghost = False


class Lifecycle:
    """The open turn, step and calls. Each method takes one event's facts and gives the fault, or None.

    `claimed` says that the open turn was never started: a step outside every turn named it.
    """

    __slots__ = ("calls", "claimed", "last_step", "next_step", "next_turn", "step", "turn")

    def __init__(self) -> None:
        self.turn: object = None
        self.step: object = None
        self.next_turn = 1
        self.next_step = 1
        self.last_step: object = 0  # the step closed last in the open turn; 0 before the first
        self.calls: dict[object, Call] = {}
        self.claimed = False

    def turn_start(self, turn: object, _seq: int) -> Fault | None:
        """R-001, R-002."""
        fault = None
        if self.turn is not None and not self.claimed:
            fault = Fault(
                "turn-start-inside-turn", f"turn {show(turn)} starts inside turn {show(self.turn)}", "$.data.turn"
            )
        elif not identical(turn, self.next_turn):
            fault = Fault("turn-number-wrong", f"expected turn {self.next_turn}, found {show(turn)}", "$.data.turn")
        number = as_count(turn)
        self.turn = turn if turn is not None else ABSENT
        self.next_turn = (self.next_turn if number is None else number) + 1
        self.step, self.next_step, self.last_step = None, 1, 0
        self.claimed = False
        self.calls.clear()
        return fault

    def resume(self, turn: object) -> None:
        """Go on behind damage: nothing is open, and the turn that starts now has the right number."""
        self.turn = self.step = None
        self.next_turn = as_count(turn) or self.next_turn
        self.calls.clear()

    def turn_end(self, turn: object) -> Fault | None:
        """R-003, R-004, R-005."""
        fault = None
        if self.turn is None:
            fault = Fault("turn-end-mismatch", f"turn {show(turn)} ends, but no turn is open", "$.data.turn")
        elif not identical(turn, self.turn):
            fault = Fault("turn-end-mismatch", f"turn {show(turn)} ends inside turn {show(self.turn)}", "$.data.turn")
        elif self.step is not None:
            fault = Fault(
                "turn-end-inside-step", f"turn {show(turn)} ends, but step {show(self.step)} is open", "$.data.turn"
            )
        self.turn = self.step = None
        self.calls.clear()
        return fault

    def step_start(self, turn: object, step: object) -> Fault | None:
        """R-010, R-011, R-012."""
        if (
            type(step) is int
            and step == self.next_step
            and self.step is None
            and type(turn) is int
            and turn == self.turn
        ):
            self.step = step  # the plain spelling of what follows; no call is open between steps
            self.next_step = step + 1
            return None
        fault = None
        if self.turn is None or not identical(turn, self.turn):
            open_turn = "no turn" if self.turn is None else f"turn {show(self.turn)}"
            fault = Fault(
                "step-start-outside-turn", f"a step of turn {show(turn)} starts, {open_turn} is open", "$.data.turn"
            )
        elif self.step is not None:
            fault = Fault(
                "step-start-inside-step", f"step {show(step)} starts inside step {show(self.step)}", "$.data.step"
            )
        elif not identical(step, self.next_step):
            fault = Fault("step-number-wrong", f"expected step {self.next_step}, found {show(step)}", "$.data.step")
        if self.turn is None:
            self._claim(turn)
        number = as_count(step)
        self.step = step if step is not None else ABSENT
        self.next_step = (self.next_step if number is None else number) + 1
        self.calls.clear()
        return fault

    def _claim(self, turn: object) -> None:
        """Take over the turn that a step outside every turn names."""
        self.turn = turn if turn is not None else ABSENT
        self.claimed = True
        self.next_turn = max(self.next_turn, (as_count(turn) or 0) + 1)
        self.last_step = 0

    def step_end(self, turn: object, step: object) -> list[Fault] | None:
        """R-013, R-034."""
        if not self.calls and type(step) is int and step == self.step and type(turn) is int and turn == self.turn:
            self.last_step, self.step = step, None  # the plain spelling of what follows
            return None
        out: list[Fault] = []
        if self.step is None or not identical(turn, self.turn) or not identical(step, self.step):
            found = f"step {show(step)} of turn {show(turn)} ends"
            out.append(Fault("step-end-mismatch", f"{found}, {self._where()} is open", "$.data.step"))
        elif self.calls:
            out += [
                Fault(
                    "call-unanswered",
                    f"step {show(step)} ends without a result for call {show_id(call.id)}",
                    None,
                    (call.seq,),
                )
                for call in self.calls.values()
                if not call.ghost
            ]
        self.last_step = self.step if self.step is not None else self.last_step
        self.step = None
        self.calls.clear()
        return out

    def inside_step(self, kind: str, turn: object, step: object) -> Fault | None:
        """R-020."""
        if type(step) is int and step == self.step and type(turn) is int and turn == self.turn:
            return None  # the plain spelling of what follows
        if self.step is not None and identical(turn, self.turn) and identical(step, self.step):
            return None
        found = f"{kind} names step {show(step)} of turn {show(turn)}"
        return Fault("outside-step", f"{found}, {self._where()} is open", "$.data.step")

    def inside_turn(self, kind: str) -> Fault | None:
        """R-021."""
        return None if self.turn is not None else Fault("outside-turn", f"{kind} stands outside every turn")

    def advertise(self, call_id: object, name: object, arguments: object, seq: int) -> Fault | None:
        """R-030: an assistant message advertises a call."""
        known = call_id if type(call_id) is str else key(call_id)
        earlier = self.calls.get(known)
        self.calls[known] = Call(call_id, name, arguments, seq)
        if earlier is None or earlier.ghost:
            return None
        text = f"call {show_id(call_id)} is advertised twice and not answered between"
        return Fault("call-advertised-twice", text, "$.data.message.content", (earlier.seq,))

    def start(self, call_id: object, name: object, arguments: object, seq: int) -> Fault | None:
        """R-031: a tool/call starts an advertised call."""
        known = call_id if type(call_id) is str else key(call_id)
        call = self.calls.get(known)
        if call is None:
            ghost = self.calls[known] = Call(call_id, name, arguments, seq)
            ghost.start_seq, ghost.ghost = seq, True
            text = f"call {show_id(call_id)} starts, but no assistant message advertises it"
            return Fault("call-not-advertised", text, "$.data.callId")
        if call.start_seq is not None:
            text = f"call {show_id(call_id)} starts again before it was answered"
            return Fault("call-started-twice", text, "$.data.callId", (call.seq,))
        call.start_seq = seq
        if type(name) is type(arguments) is str and name == call.name and arguments == call.arguments:
            return None  # the plain spelling of what follows
        for member, given, advertised in (("name", name, call.name), ("arguments", arguments, call.arguments)):
            if not identical(given, advertised):
                text = f"call {show_id(call_id)} starts with other {member} than advertised"
                return Fault("call-differs", text, f"$.data.{member}", (call.seq,))
        return None

    def answer(self, call_id: object, *, repairs: bool) -> Fault | None:
        """R-032, R-033: an appended tool/result; `repairs` when it has the exact not-started form."""
        call = self.calls.pop(call_id if type(call_id) is str else key(call_id), None)
        if call is None:
            text = f"a result answers call {show_id(call_id)}, which is not open"
            return Fault("result-without-call", text, "$.data.message")
        if call.start_seq is None and not repairs:
            text = f"a result answers call {show_id(call_id)}, which was never started"
            return Fault("result-not-started", text, "$.data.message", (call.seq,))
        return None

    def _where(self) -> str:
        if self.turn is None:
            return "no turn"
        return (
            f"turn {show(self.turn)} without a step"
            if self.step is None
            else f"step {show(self.step)} of turn {show(self.turn)}"
        )


def show(value: object) -> str:
    """Show a number of a turn or step; anything else by its kind."""
    if value is ABSENT:
        return "(none)"
    if type(value) is float and value.is_integer():
        return f"{int(value)}"  # as JavaScript shows it; the sign of a zero does not count here
    if type(value) is int or type(value) is float:
        return f"{value!r}"
    return {str: "(a text)", bool: "(a boolean)", type(None): "(null)", list: "(a list)"}.get(
        type(value), "(an object)"
    )


def show_id(value: object) -> str:
    """Show an id: printable and cut at 80 characters."""
    if type(value) is not str:
        return show(value)
    return value if value.isprintable() and 0 < len(value) <= 80 else ascii(value[:80])  # noqa: PLR2004

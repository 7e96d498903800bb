"""All relationship rules of one log, dispatched by event type. Source: events.md §4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT, member
from dshlog.model.fault import Fault
from dshlog.rules.compaction import Compaction
from dshlog.rules.dispatches import Dispatches
from dshlog.rules.lifecycle import Lifecycle
from dshlog.rules.records import Records
from dshlog.rules.repairs import not_started, recovered
from dshlog.rules.retries import Retries

if TYPE_CHECKING:
    from collections.abc import Callable

    from dshlog.fold.surface import SurfaceFolder
    from dshlog.model.header import Header

    Step = Callable[[Any, int], "list[Fault] | None"]
    SurfaceStep = Callable[[Any, int, Any, Any], "list[Fault] | None"]
    QuickStep = Callable[[tuple[Any, ...], int, Any], "list[Fault] | None"]

_COMPACTOR = "compact-checkpoint"


class Relations:
    """The relationship state of one log: what each event means for the ones before it.

    `steps` has one function for each log-only type; it takes (payload, seq) and gives the faults.
    `surface` has one for each surface type; it takes (payload, seq, surfaceOp, sourceEventSeqs) and sees
    the surface as it is before the event.
    """

    def __init__(self, header: Header, folder: SurfaceFolder) -> None:
        self.life = life = Lifecycle()
        self._folder = folder
        self.compaction = compaction = Compaction(life, folder)
        self._retries = retries = Retries(life)
        self._records = records = Records(header)
        self._dispatches = dispatches = Dispatches(life)
        self.surface: dict[str, SurfaceStep] = {
            "user/message": self._user,
            "assistant/message": self._assistant,
            "tool/result": self._result,
            "system/message": self._system,
            "developer/message": self._developer,
        }
        # The same for plainly spelled events, whose facts were read already.
        self.quick: dict[str, QuickStep] = {
            "user/message": self.prompted,
            "assistant/message": self.settled,
            "tool/result": self.answered,
        }
        self.steps: dict[str, Step] = {
            "turn/start": self._turn_start,
            "turn/end": self._turn_end,
            "step/start": self._step_start,
            "step/end": self._step_end,
            "tool/call": self._tool_call,
            "assistant/attempt": self._attempt,
            "request/header": self._header,
            "request/context": self._context,
            "llm/retry": _whole(retries.retry),
            "llm/retry-started": _whole(retries.started),
            "compaction/start": _whole(compaction.start),
            "compaction/summary": _whole(compaction.summary),
            "compaction/end": _whole(compaction.end),
            "compaction/prune": _whole(compaction.span),
            "command/run": _whole(records.command_run),
            "command/done": _whole(records.command_done),
            "session/title": _whole(records.title),
            "session/title-llm-request": _whole(records.title_request),
            "session-log-deepseek/delivery-accepted": _whole(records.delivery),
            "agent/inbox/spliced": records.inbox,
            "subagent/catalog": records.catalog,
            "tool/ptc-dispatch-start": _whole(dispatches.start),
            "tool/ptc-dispatch": _whole(dispatches.settle),
        }

    def parts(self) -> tuple[object, ...]:
        """Give all that changes from event to event."""
        return self, self.life, self.compaction, self._retries, self._records, self._dispatches

    def end_seed(self, *, inherited: bool) -> None:
        """Take a session/end-seed: it drops an open compaction and may be the inherited cut."""
        self.compaction.end_seed()
        if inherited:
            self._records.inherited()

    # -- surface events

    def prompted(self, facts: tuple[Any, ...], seq: int, op: Any) -> list[Fault] | None:  # noqa: ANN401
        """Judge a user message by its facts (plain.py)."""
        return self._user(facts[6], seq, op, None)

    def settled(self, facts: tuple[Any, ...], seq: int, _op: Any) -> list[Fault] | None:  # noqa: ANN401
        """Judge an assistant message by its facts: it stands in its step and advertises its calls."""
        life = self.life
        fault = life.inside_step("assistant/message", facts[1], facts[2])
        faults = [fault] if fault is not None else None
        for block in facts[3]:
            fault = life.advertise(block["id"], block.get("name", ABSENT), block.get("arguments", ABSENT), seq)
            if fault is not None:
                faults = [*(faults or ()), fault]
        return faults

    def answered(
        self,
        facts: tuple[Any, ...],
        _seq: int,
        op: Any,  # noqa: ANN401
        *,
        repairs: bool = False,
    ) -> list[Fault] | None:
        """Judge a tool result by its facts; `repairs` when it has the exact not-started form."""
        life = self.life
        if op != "append":
            fault = life.inside_turn("a replacing tool/result")
            return [fault] if fault is not None else None
        fault = life.inside_step("tool/result", facts[1], facts[2])
        answer = life.answer(facts[3], repairs=repairs)
        if fault is None and answer is None:
            return None
        return [found for found in (fault, answer) if found is not None]

    def _user(self, data: Any, seq: int, op: Any, _cited: Any) -> list[Fault] | None:  # noqa: ANN401
        source = data.get("source") if type(data) is dict else None
        kind = source.get("kind") if type(source) is dict else None
        if kind == "user":
            self._records.prompt(seq)
        elif kind == _COMPACTOR and op != "append":
            return self.compaction.checkpoint(source)
        return None

    def _placed(self, kind: str, data: Any) -> list[Fault] | None:  # noqa: ANN401
        """Judge where an event stands that belongs to the open step."""
        if type(data) is not dict:
            return [_no_object(kind)]
        fault = self.life.inside_step(kind, data.get("turn", ABSENT), data.get("step", ABSENT))
        return [fault] if fault is not None else None

    def _developer(self, data: Any, _seq: int, _op: Any, _cited: Any) -> list[Fault] | None:  # noqa: ANN401
        return self._placed("developer/message", data)

    def _system(self, data: Any, _seq: int, _op: Any, _cited: Any) -> list[Fault] | None:  # noqa: ANN401
        faults = self._placed("system/message", data)
        if len(self._folder) and not self._folder.head_is_system():
            late = Fault("system-message-late", "a system/message comes after another message came first")
            return [*(faults or ()), late]
        return faults

    def _assistant(self, data: Any, seq: int, op: Any, _cited: Any) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            return [_no_object("assistant/message")]
        message = data.get("message")
        content = message.get("content") if type(message) is dict else None
        malformed: list[Fault] = []
        calls: list[Any] = []
        for index, block in enumerate(content if type(content) is list else ()):
            where = f"$.data.message.content[{index}]"
            if type(block) is not dict:
                malformed.append(Fault("assistant-block-malformed", "a content block is no object", where))
            elif block.get("type") == "tool-call":
                if type(block.get("id")) is str and block["id"]:
                    calls.append(block)
                else:
                    malformed.append(Fault("call-id-malformed", "a tool-call block has no id", f"{where}.id"))
        faults = self.settled((0, data.get("turn", ABSENT), data.get("step", ABSENT), calls), seq, op)
        return [*(faults or ()), *malformed] if malformed else faults

    def _result(self, data: Any, seq: int, op: Any, cited: Any) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            return [_no_object("tool/result")]
        call_id = member(member(data.get("message"), "source"), "callId")
        repairs = "error" in data and _is_repair(data, call_id, cited)
        facts = (0, data.get("turn", ABSENT), data.get("step", ABSENT), call_id)
        return self.answered(facts, seq, op, repairs=repairs)

    # -- log-only events

    def _turn_start(self, data: Any, seq: int) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            self.life.turn_start(self.life.next_turn, seq)
            return [_no_object("turn/start")]
        crossed = self.compaction.crossed("turn/start")
        fault = self.life.turn_start(data.get("turn", ABSENT), seq)
        return [found for found in (crossed, fault) if found is not None] or None  # in the order in which dsh looks

    def _turn_end(self, data: Any, _seq: int) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            self.life.turn_end(self.life.turn)
            return [_no_object("turn/end")]
        crossed = self.compaction.crossed("turn/end")
        fault = self.life.turn_end(data.get("turn", ABSENT))
        return [found for found in (crossed, fault) if found is not None] or None  # in the order in which dsh looks

    def _step_start(self, data: Any, _seq: int) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            self.life.step_start(self.life.turn, self.life.next_step)
            return [_no_object("step/start")]
        fault = self.life.step_start(data.get("turn", ABSENT), data.get("step", ABSENT))
        return [fault] if fault is not None else None

    def _step_end(self, data: Any, _seq: int) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            self.life.step_end(self.life.turn, self.life.step)
            return [_no_object("step/end")]
        return self.life.step_end(data.get("turn", ABSENT), data.get("step", ABSENT))

    def _tool_call(self, data: Any, seq: int) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            return [_no_object("tool/call")]
        fault = self.life.inside_step("tool/call", data.get("turn", ABSENT), data.get("step", ABSENT))
        start = self.life.start(
            data.get("callId", ABSENT), data.get("name", ABSENT), data.get("arguments", ABSENT), seq
        )
        if fault is None and start is None:
            return None
        return [found for found in (fault, start) if found is not None]

    def _attempt(self, data: Any, _seq: int) -> list[Fault] | None:  # noqa: ANN401
        if type(data) is not dict:
            return [_no_object("assistant/attempt")]
        fault = self.life.inside_step("assistant/attempt", data.get("turn", ABSENT), data.get("step", ABSENT))
        return [fault] if fault is not None else None

    def _header(self, data: Any, _seq: int) -> list[Fault] | None:  # noqa: ANN401
        self._retries.provider = member(member(member(data, "header"), "config"), "provider")
        fault = self.life.inside_turn("request/header")
        return [fault] if fault is not None else None

    def _context(self, data: Any, _seq: int) -> list[Fault] | None:  # noqa: ANN401
        fault = self.life.inside_turn("request/context")
        return [fault] if fault is not None else [_no_object("request/context")] if type(data) is not dict else None


def _whole(step: Step) -> Step:
    """Refuse a payload that is no object before a rule looks into it (P-003)."""

    def checked(data: Any, seq: int) -> list[Fault] | None:  # noqa: ANN401
        return step(data, seq) if type(data) is dict else [Fault("payload-not-object", "data is no object", "$.data")]

    return checked


def _no_object(kind: str) -> Fault:
    return Fault("payload-not-object", f"the data of {kind} is no object", "$.data")


def _is_repair(data: dict[str, Any], call_id: object, cited: Any) -> bool:  # noqa: ANN401
    """Tell whether a result is the exact repair of a call that was not started (R-033, R-035)."""
    message = data.get("message")
    name = not_started(data, call_id, message)
    # Admission has checked the form of a fork's result.
    return name is not None and (name.startswith("forked-tool-result-") or recovered(name, call_id, message, cited))

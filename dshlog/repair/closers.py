"""The synthetic events that end what a dead writer left open, byte for byte those of dsh.

Source: repair.md §2, §3, §8 and §9; the texts are data that every build writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from dshlog.fold.identity import ABSENT
from dshlog.fold.tail import TailScan
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dshlog.fold.tail import Pending

    Event = dict[str, Any]

Cause = Literal["interrupted", "forked"]

TOOL_ROLE = 4  # the first generation whose tool results are messages of a role of their own

_REPEAT = (
    "Decide whether to retry from the tool semantics: retry only if the operation is read-only or idempotent; if it may "
    "have side effects, first verify external state or ask the user. Do not retry blindly."
)
_STARTED: dict[Cause, str] = {
    "interrupted": "The tool call was interrupted after it was recorded, but no result was durably recorded. "
    f"Its outcome is unknown. {_REPEAT}",
    "forked": "The history inherited by this branch records this tool call starting but does not include its result. "
    f"The parent session may have completed it after the fork point. {_REPEAT}",
}
_NOT_STARTED: dict[Cause, str] = {
    "interrupted": "The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed.",
    "forked": "The history inherited by this branch has no record of this tool call starting. "
    f"The parent session may have executed it after the fork point. {_REPEAT}",
}


def closing(events: Iterable[Mapping[str, Any]], *, version: int, cause: Cause = "interrupted") -> list[Event]:
    """Give the closers of a log.

    Args:
        events: all of its events in order, in the spelling of their generation.
        version: that generation.
        cause: why it ends; a v4 fork closes what it inherited with texts of its own.

    Returns:
        Results for the calls without one, in the order in which they were advertised, `step/end` and
        `turn/end`; nothing for a balanced log. A second scan behind them finds nothing.
    """
    scan, last = TailScan(version), None
    for last in events:
        follow(scan, last)
    return [] if last is None else closers(scan, seq=last["seq"] + 1, time=last["time"], cause=cause)


def fork_seed(events: Sequence[Mapping[str, Any]], boundary: int) -> list[Event]:
    """Give what dsh appends to a v4 log that it forks behind the event `boundary`: the marker and the closers.

    Source: repair.md §9.2. The inherited part is `events[: boundary + 1]`.
    """
    prefix = events[: boundary + 1]
    marker = end_seed(seq=boundary + 1, time=prefix[-1]["time"], inherited=True)
    return [marker, *closing([*prefix, marker], version=TOOL_ROLE, cause="forked")]


def end_seed(*, seq: int, time: object, inherited: bool = False) -> Event:
    """Give the marker between what is history and what the next process appends."""
    return {"type": "session/end-seed", "seq": seq, "time": time, "data": {"inherited": True} if inherited else {}}


def closers(scan: TailScan, *, seq: int, time: object, cause: Cause = "interrupted") -> list[Event]:
    """Give the closers for what a scan found open.

    Args:
        scan: the state behind the last event.
        seq: the position behind it.
        time: that of the last event, as the log has it.
        cause: as in `closing`.
    """
    if scan.turn is None:
        return []
    out: list[Event] = []
    for pending in scan.pending.values():
        out.append(
            result_for(pending, seq=seq + len(out), time=time, version=scan.version, turn=scan.turn, cause=cause)
        )
    if scan.step is not None:
        data = _present(turn=scan.turn, step=scan.step)
        out.append({"type": "step/end", "seq": seq + len(out), "time": time, "data": data})
    data = {**_present(turn=scan.turn), "reason": {"kind": cause}}
    out.append({"type": "turn/end", "seq": seq + len(out), "time": time, "data": data})
    return out


def result_for(  # noqa: PLR0913 - one keyword for each part of the event
    pending: Pending, *, seq: int, time: object, version: int, turn: object, cause: Cause = "interrupted"
) -> Event:
    """Give the result that says that a call was never answered.

    Args:
        pending: the call.
        seq: position of the result, which is part of the message id.
        time: of the result.
        version: the generation.
        turn: the open turn; from v4 on the turn of the call itself counts.
        cause: as in `closing`.
    """
    started = pending.call_seq is not None
    text = (_STARTED if started else _NOT_STARTED)[cause]
    name = {"id": f"{cause}-tool-result-{_as_text(pending.call_id)}-{seq}"}
    source = {"kind": "tool", **_present(callId=pending.call_id)}
    told = [{"type": "text", "text": text}]
    called = _present(toolCallId=pending.call_id)
    if version >= TOOL_ROLE:
        message = {**name, "role": "tool", **called, "isError": True, "source": source, "content": told}
    else:
        block = {"type": "tool-result", **called, "isError": True, "content": told}
        message = {**name, "role": "user", "source": source, "content": [block]}
    error = (
        {"name": "ToolOutcomeUnknownError", "code": "TOOL_OUTCOME_UNKNOWN"}
        if started
        else {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}
    )
    numbers = _present(turn=pending.turn if version >= TOOL_ROLE else turn, step=pending.step)
    data = {**numbers, "message": message, "error": error}
    event: Event = {"type": "tool/result", "seq": seq, "time": time, "data": data, "surfaceOp": "append"}
    if started:
        event["sourceEventSeqs"] = [pending.call_seq]
    return event


def follow(scan: TailScan, event: Mapping[str, Any]) -> None:
    """Let a scan see one event."""
    kind, data, seq = event["type"], event.get("data"), event["seq"]
    if kind == "tool/result":
        scan.tool_result(data, appended=event.get("surfaceOp") == "append")
        return
    step = {
        "turn/start": scan.turn_start,
        "turn/end": scan.turn_end,
        "step/start": scan.step_start,
        "step/end": scan.step_end,
        "assistant/message": scan.assistant,
        "tool/call": scan.tool_call,
    }.get(kind)
    if step is not None:
        step(data, seq)


def _present(**members: object) -> Event:
    """Give the members that the log has; JavaScript writes none for what is undefined."""
    return {name: value for name, value in members.items() if value is not ABSENT}


def _as_text(call_id: object) -> str:
    """Spell an id inside a text as JavaScript does; every build writes texts, an old log may hold anything."""
    if type(call_id) is str:
        return call_id
    if call_id is ABSENT:
        return "undefined"
    if type(call_id) is dict:
        return "[object Object]"
    if type(call_id) is list:
        return ",".join("" if entry is None else _as_text(entry) for entry in call_id)
    return dumps(call_id).decode()

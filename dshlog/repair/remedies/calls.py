"""Calls whose three records do not agree: what the message advertises, what was started, what answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.repair.plan import NOTHING
from dshlog.repair.remedies.callids import step_of
from dshlog.repair.remedies.case import edit, said, shown, without

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

    Event = dict[str, Any]


def second_copy(case: Case) -> Action | None:
    """Drop the second of two equal blocks of a message that advertise one call."""
    row = case.row
    message = _message(row)
    if row is None or message is None:
        return None
    kept: list[Any] = []
    for block in message["content"]:
        if not (type(block) is dict and block.get("type") == "tool-call" and block in kept):
            kept.append(block)
    if len(kept) == len(message["content"]):
        return None
    done = case.done("edit", "a block that advertises the same call a second time, word for word, goes")
    _edit_message(case, case.index, {**message, "content": kept})
    return done


def advertised_arguments(case: Case) -> Action | None:
    """Let a `tool/call` have the arguments that its message advertised."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict:
        return None
    blocks = [block for index in step_of(case) for block in _blocks(case.sheet.lines[index].row, data.get("callId"))]
    if len(blocks) != 1 or type(blocks[0].get("arguments")) is not str:
        return None
    wanted = {"name": blocks[0].get("name"), "arguments": blocks[0]["arguments"]}
    if all(data.get(name) == value for name, value in wanted.items()):
        return None
    text = "name and arguments become those that the message advertised"
    done = case.done("edit", text, loss="the arguments that the call was recorded with")
    edit(case.sheet, case.index, {**row, "data": {**data, **wanted}})
    return done


def result_message(case: Case) -> Action | None:
    """Give the message of a `tool/result` what its form wants and the record itself, or the open call, tells."""
    row = case.row
    data = None if row is None else row.get("data")
    message = data.get("message") if type(data) is dict else None
    if row is None or type(data) is not dict or type(message) is not dict or case.kind != "tool/result":
        return None
    source = message.get("source")
    named = [message.get("toolCallId"), source.get("callId") if type(source) is dict else None]
    calls: list[Any] = list(dict.fromkeys(filter(_is_text, named)))
    told = len(calls)
    if told != 1:
        calls = [call.call_id for call in case.tail.pending.values() if call.call_id in calls or not calls]
    if len(calls) != 1:
        return None
    name = message["id"] if _is_text(message.get("id")) else _result_id(case, calls[0])
    made = {"id": name, **without(message, "id"), "role": "tool", "toolCallId": calls[0]}
    made["source"] = {**(source if type(source) is dict else {}), "kind": "tool", "callId": calls[0]}
    if type(made.get("isError", True)) is not bool:
        made["isError"] = "error" in data
    changed = [name for name, value in made.items() if message.get(name) != value or name not in message]
    if not changed:
        return None
    words = ", ".join(f"{name} becomes {shown(made[name])}" for name in changed)
    loss = "which of two calls it answers" if told > 1 else NOTHING
    return said(case, {**row, "data": {**data, "message": made}}, f"of the message {words}", loss)


def _result_id(case: Case, call_id: str) -> str:
    """Give the id that another result of a call has: a result and what replaces it have one; else one of its own."""
    for line in case.sheet.lines[1:]:
        if (
            line is case.line
            or b'"tool/result"' not in line.text
            or call_id.encode("utf-8", "replace") not in line.text
        ):
            continue
        message = _message(line.row)
        if message is not None and message.get("toolCallId") == call_id and _is_text(message.get("id")):
            return str(message["id"])
    return f"recovered-message-{case.position}"


def _is_text(value: object) -> bool:
    return type(value) is str and value != ""


def _message(row: Event | None) -> Event | None:
    data = row.get("data") if row is not None else None
    message = data.get("message") if type(data) is dict else None
    return message if type(message) is dict and type(message.get("content")) is list else None


def _blocks(row: Event | None, call_id: object) -> list[Event]:
    """Give the blocks of an assistant message that advertise a call."""
    message = _message(row) if row is not None and row.get("type") == "assistant/message" else None
    content: Iterator[Any] = iter(message["content"] if message is not None else ())
    return [
        block
        for block in content
        if type(block) is dict and block.get("type") == "tool-call" and block.get("id") == call_id
    ]


def _edit_message(case: Case, index: int, message: Event) -> None:
    row = case.sheet.lines[index].row or {}
    edit(case.sheet, index, {**row, "data": {**row["data"], "message": message}})

"""Calls whose three records do not agree: what the message advertises, what was started, what answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.repair.remedies.callids import step_of
from dshlog.repair.remedies.case import edit

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

"""Old spellings inside v0 that its own builds rewrite before they check anything. Source: events.md P-016."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dshlog.model.number import as_count, as_int_or_zero


def is_current(kind: str, data: object) -> bool:
    """Tell whether the payload of a v0 surface event is spelled as the released builds write it."""
    if type(data) is not dict:
        return True
    return "id" in data or "role" in data or "message" in data if kind == "user/message" else "message" in data


def to_current(row: dict[str, Any], seq: int, session_id: str, ids: Mapping[int, object]) -> dict[str, Any]:
    """Give the event as a v0 build takes it; the same object when nothing is to be rewritten.

    Args:
        row: the stored event.
        seq: its position.
        session_id: of the log; goes into the id of a wrapped message.
        ids: message ids of earlier tool results by seq; a rewritten legacy result keeps the id of the
            message that it replaces.
    """
    kind, data = row.get("type"), row.get("data")
    if type(data) is not dict:
        return row
    new_id = f"legacy-message:{session_id}:{seq}"
    if kind == "user/message":
        if data.keys().isdisjoint({"id", "role", "message"}) and "content" in data and "source" in data:
            return {**row, "data": {**data, "id": new_id, "role": "user"}}
    elif kind == "assistant/message":
        if "message" not in data and "content" in data and "provenance" in data:
            rest = {name: value for name, value in data.items() if name not in {"content", "provenance"}}
            origin = data["provenance"]
            source = {**(origin if type(origin) is dict else {}), "kind": "model"}
            message = {"id": new_id, "role": "assistant", "content": data["content"], "source": source}
            return {**row, "data": {**rest, "message": message}}
    elif kind == "tool/result":
        if "message" not in data and data.keys() >= {"callId", "content", "isError"}:
            return {**row, "data": _result(data, row.get("surfaceOp"), new_id, ids)}
    elif kind == "steering/message":
        wrapped = _steering(data, new_id)
        if wrapped is not None:
            return {**row, "type": "user/message", "data": wrapped}
    return row


def _result(data: dict[str, Any], op: object, new_id: str, ids: Mapping[int, object]) -> dict[str, Any]:
    rest = {name: value for name, value in data.items() if name not in {"callId", "content", "isError"}}
    message: dict[str, Any] = {"id": new_id}
    start = as_count(op.get("start")) if type(op) is dict and op.get("op") == "replace" else None
    if start is not None:
        if start in ids:
            message["id"] = ids[start]
        else:
            del message["id"]
    call_id = data["callId"]
    block = {"type": "tool-result", "toolCallId": call_id, "content": data["content"], "isError": data["isError"]}
    message |= {"role": "user", "content": [block], "source": {"kind": "tool", "callId": call_id}}
    return {**rest, "message": message}


def _steering(data: dict[str, Any], new_id: str) -> dict[str, Any] | None:
    turn = data.get("turn")
    if as_int_or_zero(turn) is None:
        return None
    if data.keys() == {"turn", "message"} and type(data["message"]) is dict:
        return dict(data["message"])
    if data.keys() == {"turn", "content", "source"}:
        return {"id": new_id, "role": "user", "content": data["content"], "source": data["source"]}
    return None

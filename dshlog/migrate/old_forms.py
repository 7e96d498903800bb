"""Old spellings inside v0 that the upgrade rewrites. Source: migration.md §2, steps 3, 4, 6 and 9.

The v0 builds rewrite some of them too, with another order of members (codec/legacy.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dshlog.model.number import as_count

_FAILURE = {"message", "code", "status", "providerRetryAfterMs", "requestId"}


class OldFormError(ValueError):
    """An event of an old form that cannot be rewritten: `words` say why, `path` leads to the member."""

    def __init__(self, words: str, path: str, name: str = "upgrade-old-form") -> None:
        super().__init__(words)
        self.words = words
        self.path = path
        self.name = name


def trigger_dropped(data: dict[str, Any]) -> dict[str, Any]:
    """Give the payload of a turn/start without its trigger."""
    trigger = data["trigger"]
    kind = trigger.get("kind") if type(trigger) is dict else None
    if data.keys() != {"turn", "trigger"} or not as_count(data["turn"]):
        raise OldFormError("data is not exactly turn, from 1 up, and trigger", "$.data")
    if type(kind) is not str or not kind:
        raise OldFormError("trigger names no kind", "$.data.trigger")
    return {"turn": data["turn"]}


def reason_of(data: dict[str, Any]) -> Any:  # noqa: ANN401 - a JSON value
    """Give the reason of a turn/end as v1 spells it."""
    if data.keys() != {"turn", "reason"} or not as_count(data["turn"]):
        raise OldFormError("data is not exactly turn, from 1 up, and reason", "$.data")
    reason = data["reason"]
    kind = reason.get("kind") if type(reason) is dict else None
    if type(reason) is not dict or type(kind) is not str:
        raise OldFormError("reason names no kind", "$.data.reason")
    if kind == "aborted" and "reason" not in reason:
        _only(reason, {"kind"})
        return {"kind": "aborted", "reason": {"kind": "legacy"}}
    if kind == "disposed":
        _only(reason, {"kind"})
        return {"kind": "aborted", "reason": {"kind": "disposed"}}
    if kind == "error" and "error" not in reason:
        return {"kind": "error", "error": _failure(reason)}
    return reason


def _failure(reason: dict[str, Any]) -> dict[str, Any]:
    if as_count(reason.get("step")) is None:
        raise OldFormError("step is no count", "$.data.reason.step")
    if "failure" in reason:
        _only(reason, {"kind", "step", "failure"})
        failure = reason["failure"]
        if type(failure) is not dict or not {"message", "code"} <= failure.keys() <= _FAILURE:
            raise OldFormError("failure has another form", "$.data.reason.failure")
        return failure
    _only(reason, {"kind", "step", "message", "code"})
    if "message" not in reason:
        raise OldFormError("message is missing", "$.data.reason.message")
    return {"message": reason["message"], "code": reason.get("code", "UNKNOWN")}


def _only(reason: dict[str, Any], names: set[str]) -> None:
    if reason.keys() - names:
        raise OldFormError(f"a reason of the kind {reason['kind']} holds other members", "$.data.reason")


def steered(data: dict[str, Any], new_id: str) -> dict[str, Any]:
    """Give the user message of a steering/message."""
    if as_count(data.get("turn")) is None:
        raise OldFormError("turn is no count", "$.data.turn")
    if data.keys() == {"turn", "message"} and type(data["message"]) is dict:
        return data["message"]
    if data.keys() == {"turn", "content", "source"}:
        rest = {name: value for name, value in data.items() if name != "turn"}
        return {**rest, "id": new_id, "role": "user"}
    raise OldFormError("data is neither turn and message nor turn, content and source", "$.data")


def message_of(kind: str, data: dict[str, Any], op: object, new_id: str, ids: Mapping[int, str]) -> None:
    """Wrap, in place, what an old message event holds outside a message."""
    if kind == "user/message":
        if data.keys().isdisjoint({"id", "role", "message"}) and "content" in data and "source" in data:
            data |= {"id": new_id, "role": "user"}
    elif "message" in data:
        return
    elif kind == "assistant/message":
        if "content" in data and type(data.get("provenance")) is dict:
            source = {**data.pop("provenance"), "kind": "model"}
            data["message"] = {"id": new_id, "role": "assistant", "content": data.pop("content"), "source": source}
    elif type(data.get("callId")) is str and "content" in data and type(data.get("isError")) is bool:
        call_id, content, failed = data.pop("callId"), data.pop("content"), data.pop("isError")
        block = {"type": "tool-result", "toolCallId": call_id, "content": content, "isError": failed}
        data["message"] = {
            "id": _replaced(op, new_id, ids),
            "role": "user",
            "content": [block],
            "source": {"kind": "tool", "callId": call_id},
        }


def _replaced(op: object, new_id: str, ids: Mapping[int, str]) -> str:
    """Give the id of an old tool result: a new one, or that of the result which it replaces."""
    if type(op) is not dict or op.get("op") != "replace":
        return new_id
    start = as_count(op.get("start"))
    known = ids.get(start) if start is not None else None
    if known is None:
        text = f"the tool result replaces event {start}, which has no message id to take over"
        raise OldFormError(text, "$.surfaceOp.start", "message-id-missing")
    return known

"""The message of a tool result up to v3: one wrapper block of its own call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import member
from dshlog.repair.remedies.case import said, shown

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

    Event = dict[str, Any]

_WRAPPED = 3  # the last generation with the wrapper


def tool_wrapper(case: Case) -> Action | None:
    """Let the message of a tool result be one wrapper block of its own call."""
    row, data = case.row, (case.row or {}).get("data")
    message = data.get("message") if type(data) is dict else None
    if row is None or case.kind != "tool/result" or type(data) is not dict or type(message) is not dict:
        return None
    if case.version > _WRAPPED:
        return None
    blocks = message.get("content")
    blocks = blocks if type(blocks) is list else content_of(blocks) or []
    wrappers = [block for block in blocks if _is_result(block)]
    call_id = next((name for name in _names(case, data, wrappers) if type(name) is str and name), None)
    if call_id is None:
        return None
    content: list[Any] = []
    for block in blocks:
        content += _inner(block) if _is_result(block) else [block]
    flags = [block["isError"] for block in wrappers if type(block.get("isError")) is bool]
    made_block: Event = {"type": "tool-result", "toolCallId": call_id, "content": content}
    if flags:
        made_block["isError"] = any(flags)
    name = message.get("id")
    named = {"id": name if type(name) is str and name else f"recovered-message-{case.position}"}
    made = {**message, **named, "source": {"kind": "tool", "callId": call_id}, "content": [made_block]}
    if made == message:
        return None
    others = [shown(block["toolCallId"]) for block in wrappers if block.get("toolCallId", call_id) != call_id]
    loss = "none" if not others else f"toolCallId {', '.join(others)}"
    text = f"the result becomes one block of the call {call_id}"
    return said(case, {**row, "data": {**data, "message": made}}, text, loss)


def _names(case: Case, data: Event, wrappers: list[Event]) -> list[Any]:
    """Give the ids that a result may be for, those of open calls first."""
    own = member(member(data.get("message"), "source"), "callId")
    pending = case.tail.pending
    named = [own, *(block.get("toolCallId") for block in wrappers), data.get("callId")]
    return [*(name for name in named if type(name) is str and name in pending), *named]


def _is_result(block: object) -> bool:
    return type(block) is dict and block.get("type") == "tool-result"


def _inner(block: Event) -> list[Any]:
    """Give the content of a wrapper; wrappers inside it give theirs."""
    out: list[Any] = []
    waiting = _listed(block.get("content"))
    while waiting:
        item = waiting.pop(0)
        if _is_result(item):
            waiting[:0] = _listed(item.get("content"))
        else:
            out.append(item)
    return out


def _listed(content: object) -> list[Any]:
    return list(content) if type(content) is list else content_of(content) or []


def content_of(content: Any) -> list[Any] | None:  # noqa: ANN401 - a JSON value
    """Give what stands where a list of content belongs as such a list; None for what is none."""
    if content is None or content == "":
        return []
    if type(content) is str:
        return [{"type": "text", "text": content}]
    if type(content) is dict and type(content.get("type")) is str:
        return [content]
    if type(content) is not list:
        return None
    return [{"type": "text", "text": block} if type(block) is str else block for block in content if block is not None]

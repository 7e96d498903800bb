"""What a model server was sent, and what a log says was sent, in one form that can be compared.

Both give a list of parts: `(role, kind, ...)` for each text, thought, call and result in order. How parts are
joined to messages is the affair of the provider's adapter.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

Json = dict[str, Any]
Part = tuple[str, ...]


class Sent(NamedTuple):
    """One request: its system prompt, its parts in order, the names of its tools in order."""

    system: str
    parts: list[Part]
    tools: list[str]


def _same_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _texts(content: object) -> str:
    """Join the text of a result, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or () if block["type"] == "text")


def of_wire(body: Json) -> Sent:
    """Read the body of a request in the form of the Messages protocol."""
    system = body.get("system", "")
    parts: list[Part] = []
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts += [_wire_part(message["role"], block) for block in blocks]
    text = system if isinstance(system, str) else "\n\n".join(block["text"] for block in system)
    return Sent(text, parts, [tool["name"] for tool in body.get("tools", ())])


def _wire_part(role: str, block: Json) -> Part:
    kind = block["type"]
    if kind == "text":
        return role, "text", block["text"]
    if kind == "thinking":
        return role, "thought", block["thinking"]
    if kind == "tool_use":
        return role, "call", block["id"], block["name"], _same_json(block["input"])
    if kind == "tool_result":
        failed = "failed" if block.get("is_error") else "done"
        return "tool", "result", block["tool_use_id"], failed, _texts(block["content"])
    message = f"no part for a block of type {kind}"
    raise ValueError(message)


def of_log(request: Json) -> Sent:
    """Read what `show --request --json` prints for a v4 log."""
    system: list[str] = []
    parts: list[Part] = []
    for message in request["messages"]:
        role = message["role"]
        if role == "system":
            system.append(_texts(message["content"]))
        elif role == "tool":
            failed = "failed" if message.get("isError") else "done"
            parts.append(("tool", "result", message["source"]["callId"], failed, _texts(message["content"])))
        elif role != "developer":
            parts += [_log_part(role, block) for block in message["content"]]
    return Sent("\n\n".join(system), parts, [tool["name"] for tool in request["tools"]])


def _log_part(role: str, block: Json) -> Part:
    kind = block["type"]
    if kind == "text":
        return role, "text", block["text"]
    if kind == "reasoning":
        return role, "thought", block["text"]
    if kind == "tool-call":
        return role, "call", block["id"], block["name"], _same_json(json.loads(block["arguments"]))
    message = f"no part for a block of type {kind}"
    raise ValueError(message)

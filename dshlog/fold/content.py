"""Messages inside events: where they stand, what identifies a tool result, how an image is offloaded."""

from __future__ import annotations

from typing import Any

from dshlog.model.number import MAX_SAFE
from dshlog.storage.jsontext import fingerprint

_TOOL_ROLE = 4  # the first generation whose tool results carry their content without a wrapper block
_MASK = (1 << 62) - 1
_ABOVE_KINDS = 1 << 6  # set in every print, so that a print is never taken for a kind


def tool_print(data: object, version: int) -> int:
    """Identify a tool result but for its content: equal prints mean that only content differs.

    v0..v3 leave out the content of block 0 and every later block, v4 the whole content array.
    Source: surface.md §5.1.
    """
    if type(data) is dict and type(message := data.get("message")) is dict:
        quick = _quick_print(data, message, version)
        if quick is not None:
            return quick
        if version >= _TOOL_ROLE:
            data = {**data, "message": {**message, "content": None}}
        else:
            content = message.get("content")
            block = content[0] if type(content) is list and content else None
            bare = {**block, "content": None} if type(block) is dict else block
            data = {**data, "message": {**message, "content": [bare]}}
    return int.from_bytes(fingerprint(data), "big") | _ABOVE_KINDS


def _quick_print(data: dict[str, Any], message: dict[str, Any], version: int) -> int | None:
    """Hash the shape that nearly every tool result has; None for any other.

    The shape fixes the members and their types, so equal results always take the same way, and the
    hash of texts is salted by the process, so no log can aim at a collision.
    """
    try:
        source = message["source"]
        if version >= _TOOL_ROLE:
            block: dict[str, Any] = message
            if len(message) != 5 + ("isError" in message) or message["role"] != "tool":
                return None  # id, role, source, toolCallId, content
        else:
            block = message["content"][0]  # later blocks are not compared
            if len(message) != 4 or message["role"] != "user":  # noqa: PLR2004 - id, role, source, content
                return None
            if len(block) != 3 + ("isError" in block) or block["type"] != "tool-result":
                return None
        failed = block.get("isError")
        turn, step, name, call_id = data["turn"], data["step"], message["id"], source["callId"]
        if type(turn) is float or type(step) is float:
            turn, step = _whole(turn), _whole(step)
        if (
            type(turn) is type(step) is int
            and type(name) is type(call_id) is str
            and len(data) == 3  # noqa: PLR2004 - turn, step, message
            and len(source) == 2  # noqa: PLR2004 - kind, callId
            and source["kind"] == "tool"
            and block["toolCallId"] == call_id
            and "content" in block
            and (failed is False or failed is True or "isError" not in block)
            and -MAX_SAFE <= turn <= MAX_SAFE  # beyond, several integers are one number
            and -MAX_SAFE <= step <= MAX_SAFE
        ):
            return plain_print(turn, step, failed, name, call_id)
    except (KeyError, TypeError, IndexError):
        pass
    return None


def plain_print(turn: int, step: int, failed: bool | None, name: str, call_id: str) -> int:  # noqa: FBT001
    """Hash what identifies a result of the usual shape; `failed` is None when it carries no isError."""
    return hash((turn, step, failed, name, call_id)) & _MASK | _ABOVE_KINDS


def _whole(number: object) -> object:
    """Give an integral float as int, since 1.0 and 1 are one number; negative zero is 0 here."""
    return int(number) if type(number) is float and number.is_integer() else number


def image_flags(message: object) -> list[bool] | None:
    """Tell of each image block of a message whether it is offloaded; None when a block is null."""
    content = message.get("content") if type(message) is dict else None
    flags: list[bool] = []
    for block in content if type(content) is list else ():
        if type(block) is dict:
            if block.get("type") == "image":
                flags.append(block.get("offloaded") is True)
        elif block is None:
            return None
    return flags


def offload(message: dict[str, Any], picked: list[int]) -> dict[str, Any]:
    """Give a copy of a message whose picked images (counted from 0 in content order) are offloaded."""
    content: list[Any] = []
    images = 0
    for block in message["content"]:
        if type(block) is dict and block.get("type") == "image":
            content.append({**block, "offloaded": True} if images in picked else block)
            images += 1
        else:
            content.append(block)
    return {**message, "content": content}

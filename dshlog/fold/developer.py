"""Developer messages (v4): tool additions that a request header must have declared. Source: surface.md §5.3."""

from __future__ import annotations

from collections.abc import Container, Mapping

from dshlog.model.fault import Fault
from dshlog.model.number import as_count


def usable_tools(data: object) -> frozenset[str]:
    """Give the tool names of a request/header that a developer message may add.

    A name counts when exactly one tool has it, with a text description, object parameters, and
    `deferLoading` absent or true.
    """
    header = data.get("header") if type(data) is dict else None
    tools = header.get("tools") if type(header) is dict else None
    seen: dict[str, bool] = {}
    for tool in tools if type(tools) is list else ():
        if type(tool) is dict and type(name := tool.get("name")) is str:
            seen[name] = (
                name not in seen
                and type(tool.get("description")) is str
                and type(tool.get("parameters")) is dict
                and tool.get("deferLoading", True) is True
            )
    return frozenset(name for name, usable in seen.items() if usable)


def holds_null_tool(data: object) -> bool:
    """Tell whether null stands among the tools of a request/header."""
    header = data.get("header") if type(data) is dict else None
    tools = header.get("tools") if type(header) is dict else None
    return type(tools) is list and None in tools


def developer_fault(
    seq: int, data: object, headers: Mapping[int, frozenset[str]], null_tools: Container[int] = ()
) -> Fault | None:
    """Check the tool changes of a developer/message at `seq`; None when they are sound.

    `headers` maps the seq of every earlier request/header to the names it lets one add, `null_tools` has
    the seqs of those in which null stands among the tools.
    """
    message = data.get("message") if type(data) is dict else None
    if type(data) is not dict or type(message) is not dict:
        return Fault("developer-block", "developer/message holds no message", "$.data.message")
    if message.get("role") != "developer":
        return Fault("developer-block", "the message of a developer/message has another role", "$.data.message.role")
    additions: list[str] = []
    content = message.get("content")
    for index, block in enumerate(content if type(content) is list else ()):
        kind = block.get("type") if type(block) is dict else None
        if type(block) is not dict or kind not in ("tool-addition", "tool-removal"):
            continue
        where = f"$.data.message.content[{index}]"
        name = block.get("toolName")
        if type(name) is not str or not name:
            return Fault("developer-block", f"{block['type']} names no tool", f"{where}.toolName")
        if block["type"] == "tool-addition":
            if "tool" in block:
                return Fault("developer-block", "a tool-addition holds the tool itself", f"{where}.tool")
            additions.append(name)
    if ("headerSeq" in data) != bool(additions):
        state = "without a tool-addition" if "headerSeq" in data else "is missing beside a tool-addition"
        return Fault("developer-header-presence", f"headerSeq {state}", "$.data.headerSeq")
    if not additions:
        return None
    header = as_count(data["headerSeq"])
    if header is None or header >= seq or header not in headers:
        return Fault("developer-header", "headerSeq names no earlier request/header", "$.data.headerSeq")
    for name in additions:
        if name not in headers[header]:
            text = f"tool {ascii(name[:80])[1:-1]} is not declared exactly once, whole, in request/header {header}"
            return Fault("developer-tool", text, "$.data.message.content", (header,))
    if type(content) is list and None in content:
        where = f"$.data.message.content[{content.index(None)}]"
        return Fault("developer-null", "a null block stands beside a tool-addition", where)
    if header in null_tools:
        text = f"null stands among the tools of request/header {header}"
        return Fault("developer-null", text, "$.data.headerSeq", (header,))
    return None

"""What exactly a model call was given: header, messages and tool history. Source: surface.md §10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dshlog.fold.surface import SurfaceFolder, surface_error
from dshlog.model.vocabulary import LATEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SYSTEM_IN_HEADER = 3  # below this generation the header carries the system prompt
_TOOL_HISTORY = 4  # the first generation whose developer messages change tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The request as the log determines it; a provider adapter may still transform it.

    `header` is the canonical header in force, None when there was none. `context` is the payload of the
    last request/context or None. `messages` are in the order in which the model got them. `tool_history`
    is `{"tools": [...], "updates": [...]}` in v4, else None.
    """

    header: dict[str, Any] | None
    context: Any
    messages: tuple[dict[str, Any], ...]
    tool_history: dict[str, Any] | None


def request_at(events: Iterable[Mapping[str, Any]], settlement_seq: int, *, version: int = LATEST) -> Request:
    """Reconstruct the request that the event at `settlement_seq` settled.

    Args:
        events: the log from seq 0 in the spelling of its generation, read up to `settlement_seq`.
        settlement_seq: seq of the assistant/message or assistant/attempt; v0 and v1: also the first
            assistant/chunk of an attempt that has no message.
        version: generation, 0 to 4.

    Raises:
        SurfaceError: an earlier event breaks a rule of the surface.
    """
    folder = SurfaceFolder(version, keep=True)
    history = ToolHistory()
    header: Any = None
    context: Any = None
    for event in events:
        if event.get("seq") == settlement_seq:
            break
        for fault in folder.push(event):
            raise surface_error(fault, event)
        kind, data = event.get("type"), event.get("data")
        if kind == "request/header" and type(data) is dict:
            header = data.get("header")
            if version >= _TOOL_HISTORY:
                history.header(event["seq"], data)
        elif kind == "request/context":
            context = data
        elif kind == "developer/message" and type(data) is dict and version >= _TOOL_HISTORY:
            history.developer(data)
    return Request(
        header=canonical_header(header, version) if type(header) is dict else None,
        context=context,
        messages=tuple(message for _, message in folder.derived()),
        tool_history=history.snapshot() if version >= _TOOL_HISTORY else None,
    )


def canonical_header(header: Mapping[str, Any], version: int) -> dict[str, Any]:
    """Give what a request/header contributes to a request; empty and retired members disappear."""
    out: dict[str, Any] = {"config": header.get("config")}
    defaults = header.get("adapterDefaults")
    if type(defaults) is dict and (defaults.get("reasoningEffort") is True or defaults.get("maxTokens") is True):
        out["adapterDefaults"] = defaults
    if version < _SYSTEM_IN_HEADER and header.get("system"):
        out["system"] = header["system"]
    if header.get("tools"):
        out["tools"] = header["tools"]
    return out


class ToolHistory:
    """Folds request headers and developer messages into the tools that a v4 request declares."""

    def __init__(self) -> None:
        self._headers: dict[int, list[Any]] = {}
        self._declared: dict[str, Any] = {}
        self._active: list[Any] = []
        self._available: list[str] = []
        self._tools: list[Any] = []
        self._updates: list[Any] = []
        self._begun = False

    def header(self, seq: int, data: Mapping[str, Any]) -> None:
        """Take a request/header; a changed definition, reason or flag starts a new series."""
        from dshlog.storage.jsontext import dumps

        inner = data.get("header")
        tools = inner.get("tools") if type(inner) is dict else None
        tools = tools if type(tools) is list else []
        named = {tool["name"]: tool for tool in tools if type(tool) is dict and type(tool.get("name")) is str}
        self._headers[seq] = tools
        changed = any(
            name in self._declared and dumps(tool) != dumps(self._declared[name]) for name, tool in named.items()
        )
        if not self._begun or data.get("reason") == "series" or data.get("startsSeries") is True or changed:
            self._begun = True
            self._declared = dict(named)
            self._tools, self._updates = tools, []
            self._available = list(named)
        self._active = tools

    def developer(self, data: Mapping[str, Any]) -> None:
        """Take a developer/message whose additions were checked against the header that it names."""
        message = data["message"]
        declared = self._headers.get(data.get("headerSeq", -1), [])
        additions: list[Any] = []
        content = message.get("content")
        for block in content if type(content) is list else ():
            name = block.get("toolName") if type(block) is dict else None
            if type(block) is not dict or type(name) is not str:
                continue
            if block.get("type") == "tool-addition":
                tool = next(tool for tool in declared if type(tool) is dict and tool.get("name") == name)
                additions.append(tool)
                self._declared[name] = tool
                if name not in self._available:
                    self._available.append(name)
            elif block.get("type") == "tool-removal" and name in self._available:
                self._available.remove(name)
        self._updates.append({"messageId": message.get("id"), "additions": additions})

    def snapshot(self) -> dict[str, Any]:
        """Give the tools with their updates; a log from before tool updates shows its active tools."""
        active = {tool["name"] for tool in self._active if type(tool) is dict and type(tool.get("name")) is str}
        if active != set(self._available):
            return {"tools": self._active, "updates": []}
        return {"tools": self._tools, "updates": self._updates}

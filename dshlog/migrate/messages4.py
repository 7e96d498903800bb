"""Messages and content as v4 spells them. Source: migration.md §5.1 to §5.3."""

from __future__ import annotations

from typing import Any

from dshlog.migrate.shapes import Flaw

_SPECIAL = {
    "compact": "compact-checkpoint",
    "tools-code-mode": "ptc-mode",
    "tools-ptc": "ptc-mode",
    "dsh-compaction-basic": "compact-basic",
}
_KEPT = frozenset(
    [
        "agent-instructions",
        "session-reference",
        "team-message",
        "goal",
        "skill-invocation",
        "skill-catalog",
        "coordinator",
        "subagent-report",
        "subagent-settled",
        "webhook",
        "agent-message",
        "model-selection",
        "plan-mode",
        "time-context",
        "tmux-context",
        "user-approval",
        "repeat-tool-reminder",
        "tool-cordis",
        "cordis-host-runner",
        "tool-goal",
        "tool-jobs",
        "hooks-codex",
        "hooks-claude-code",
        "schedule",
        "dsh-session-title-llm",
    ]
)
_PROMPTS = "@deepseek-ai/dsh-system-prompt"
_CONTENT = frozenset({"text", "reasoning", "image", "file", "tool-call", "tool-result"})
_WRAPPED = frozenset({"system/message", "assistant/message", "tool/result"})
_LISTS = {"agent/inbox/spliced": "inserted", "session/title-llm-request": "messages"}
_MESSAGE = ("id", "role", "source", "content")
_BLOCK = ("type", "toolCallId", "content", "isError")


class FormError(ValueError):
    """A message or a block that the edge cannot convert."""

    def __init__(self, path: str, words: str, name: str = "upgrade-message-form") -> None:
        super().__init__(words)
        self.flaw = Flaw(path, words, name)


def plugin_kind(plugin: str, role: object) -> str:
    """Give the source kind that v4 has in place of a plugin's name, in a message of this role."""
    if plugin == _PROMPTS:
        return "system-prompt" if role == "system" else "runtime-context"
    return _SPECIAL.get(plugin) or (plugin if plugin in _KEPT else f"plugin:{plugin}")


def convert(kind: str, data: Any) -> None:  # noqa: ANN401 - a JSON value
    """Bring the messages and the content of an event into the form of v4, in place.

    Raises:
        FormError: something stands where a message or a block belongs.
    """
    if kind == "user/message":
        _message(data, "$.data")
    elif type(data) is not dict:
        return
    elif kind in _WRAPPED:
        _message(data.get("message"), "$.data.message")
        if kind == "tool/result" and data["message"].get("role") == "user":
            _lift(data)
            _content(data["message"]["content"], "$.data.message.content[0].content")
        _stream(data.get("stream"))
    elif kind == "assistant/attempt":
        _stream(data.get("stream"))
    elif kind in _LISTS:
        name = _LISTS[kind]
        held = data.get(name)
        if type(held) is not list:
            raise FormError(f"$.data.{name}", f"{name} is no list of messages")
        for index, item in enumerate(held):
            _message(item, f"$.data.{name}[{index}]")
    elif kind == "compaction/summary":
        _content(data.get("summary"), "$.data.summary")
        if "rawOutput" in data:
            _content(data["rawOutput"], "$.data.rawOutput")
    elif kind == "tool/ptc-dispatch":
        _content(data.get("content"), "$.data.content")
    elif kind == "team/message/queued" and type(data.get("message")) is dict:
        _content(data["message"].get("content"), "$.data.message.content")


def _message(message: Any, path: str) -> None:  # noqa: ANN401
    if type(message) is not dict or type(message.get("content")) is not list:
        raise FormError(path, "no message with a list of content stands here")
    if type(source := message.get("source")) is dict:
        message["source"] = source_of(source, message.get("role"), f"{path}.source")
    _content(message["content"], f"{path}.content")


def source_of(source: dict[str, Any], role: object, path: str) -> dict[str, Any]:
    """Give a message source under its kind of v4."""
    kind = source.get("kind")
    if type(kind) is not str or not kind:
        raise FormError(path, "the source names no kind")
    if kind != "plugin":
        return source
    plugin = source.get("plugin")
    if type(plugin) is not str:
        raise FormError(f"{path}.plugin", "the source names no plugin")
    renamed = plugin_kind(plugin, role)
    return {name: renamed if name == "kind" else value for name, value in source.items() if name != "plugin"}


def _content(blocks: Any, path: str) -> None:  # noqa: ANN401
    if type(blocks) is not list:
        raise FormError(path, "no list of content stands here")
    for index, block in enumerate(blocks):
        kind = block.get("type") if type(block) is dict else None
        if type(kind) is not str or kind not in _CONTENT:
            _block(block, f"{path}[{index}]")


def _block(block: Any, path: str) -> None:  # noqa: ANN401
    kind = block.get("type") if type(block) is dict else None
    if type(kind) is not str:
        raise FormError(path, "no block with a type stands here")
    if kind not in _CONTENT:
        block["type"] = f"plugin:{kind}"


def _stream(stream: Any) -> None:  # noqa: ANN401
    for index, record in enumerate(stream if type(stream) is list else ()):
        chunk = record.get("chunk") if type(record) is dict and record.get("type") == "chunk" else None
        if type(chunk) is not dict:
            continue
        kind = chunk.get("type")
        path = f"$.data.stream[{index}].chunk"
        if kind == "block-end":
            _block(chunk.get("block"), f"{path}.block")
        elif kind == "block-start":
            named = chunk.get("blockType")
            if type(named) is not str:
                raise FormError(f"{path}.blockType", "blockType is no text")
            if named not in _CONTENT:
                chunk["blockType"] = f"plugin:{named}"


def _lift(data: dict[str, Any]) -> None:
    """Take the wrapper block off the message of a tool result."""
    message = data["message"]

    def wrong(path: str, words: str) -> FormError:
        return FormError(f"$.data.message{path}", words, "upgrade-tool-wrapper")

    source, blocks, name = message.get("source"), message["content"], message.get("id")
    call_id = source.get("callId") if type(source) is dict and source.get("kind") == "tool" else None
    if type(name) is not str or not name:
        raise wrong(".id", "the message has no id")
    if type(call_id) is not str or not call_id:
        raise wrong(".source", "the source is not tool with a callId")
    block = blocks[0] if len(blocks) == 1 else {"type": None}
    if block["type"] != "tool-result" or block.get("toolCallId") != call_id:
        raise wrong(".content", "the content is not exactly one tool-result block of the same call")
    if type(block.get("isError", True)) is not bool:
        raise wrong(".content[0].isError", "isError is no boolean")
    content = block.get("content")
    if type(content) is not list:
        raise wrong(".content[0].content", "the content of the block is no list")
    made = {"role": "tool", "source": source, "toolCallId": call_id, "content": content}
    if "isError" in block:
        made["isError"] = block["isError"]
    made["id"] = name
    made |= {f"plugin:message:{key}": value for key, value in message.items() if key not in _MESSAGE}
    made |= {f"plugin:result:{key}": value for key, value in block.items() if key not in _BLOCK}
    data["message"] = made
    if any(type(inner) is dict and inner.get("type") == "tool-result" for inner in content):
        raise wrong(".content[0].content", "a tool-result block stands inside another")

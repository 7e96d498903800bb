"""Checks that are never softened: made on every row, also behind a bad one.

Source: storage.md §5.3; events.md E-025, P-028, P-029, P-035, P-036, P-062, P-064, P-067, P-075, P-077,
P-081, P-230..P-234.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.model.fault import Fault
from dshlog.model.number import MAX_SAFE, as_count
from dshlog.rules.payload import is_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SINCE = 3  # the first generation that has such checks

_DISPATCH = frozenset({"tool/code-dispatch", "tool/code-dispatch-start"})
_CHANGES = frozenset({"tool-addition", "tool-removal"})
RETIRED_BLOCKS = frozenset({"tool-result", *_CHANGES})  # blocks that v4 admits nowhere, or in developer messages only
_MESSAGE = "$.data.message"
_ATTACHMENT = frozenset({"attachmentId", "mediaType", "bytes", "width", "height"})
_PIXEL = {"width": 1, "height": 1}
_MEDIA = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})


def admission_faults(row: dict[str, Any], version: int) -> list[Fault]:
    """Give the faults for which the reader refuses the log wherever the row stands."""
    kind = row.get("type")
    if version < SINCE or type(kind) is not str:
        return []
    if kind in _DISPATCH and row.get("ignorable") is not True:
        return [Fault("retired-dispatch", f"{kind} was renamed tool/ptc-dispatch* in v3", "$.type")]
    check = (_V3 if version == SINCE else _V4).get(kind)
    return list(check(row)) if check is not None else []


# -- request/header


def _header(row: dict[str, Any], *, defer: bool) -> Iterator[Fault]:
    data = row.get("data")
    header = data.get("header") if type(data) is dict else None
    if type(data) is not dict or type(header) is not dict:
        yield Fault("header-not-object", "request/header holds no header object", "$.data.header")
        return
    if "system" in header:
        yield Fault(
            "header-system-retired", "header.system is retired, the prompt is a system/message", "$.data.header.system"
        )
    tools = header.get("tools")
    for index, tool in enumerate(tools if defer and type(tools) is list else ()):
        if type(tool) is dict and tool.get("deferLoading", True) is not True:
            where = f"$.data.header.tools[{index}].deferLoading"
            yield Fault("tool-deferral-not-true", "deferLoading is present and not true", where)


# -- messages of v3


def _v3_system(row: dict[str, Any]) -> Iterator[Fault]:
    data = row.get("data")
    message = data.get("message") if type(data) is dict else None
    if type(data) is not dict or data.keys() != {"turn", "step", "message"} or type(message) is not dict:
        yield Fault(
            "system-form-malformed", "the data of a system/message is not exactly turn, step, message", "$.data"
        )
        return
    yield from _coordinates(data, "system-form-malformed")
    if (
        message.keys() != {"id", "role", "source", "content"}
        or not is_text(message["id"])
        or message["role"] != "system"
    ):
        yield Fault("system-form-malformed", "the message is not exactly id, role system, source, content", _MESSAGE)
        return
    source = message["source"]
    if type(source) is not dict or source.get("kind") != "plugin" or not _plugin_source(source):
        yield Fault(
            "system-form-malformed", "the source of a v3 system/message is no sound plugin source", f"{_MESSAGE}.source"
        )
    content = message["content"]
    if type(content) is not list:
        yield Fault("system-form-malformed", "the content is no list", f"{_MESSAGE}.content")
        return
    for index, block in enumerate(content):
        if not _v3_block(block):
            yield Fault("system-form-malformed", "a content block is malformed", f"{_MESSAGE}.content[{index}]")


def _plugin_source(source: dict[str, Any]) -> bool:
    """Check a plugin source member by member (P-041)."""
    allowed = {"kind", "plugin", "form", "sections", "summary"}
    if source.get("plugin") == "compact":
        allowed |= {"compactionId", "sourceCommandId"}
        if not is_text(source.get("compactionId")) or not is_text(source.get("sourceCommandId", "x")):
            return False
    if not is_text(source.get("plugin")) or source.keys() - allowed:
        return False
    if "form" not in source:
        return True  # without a form neither sections nor summary is looked at
    form = source["form"]
    if form not in ("instructions", "catalog", "snapshot", "notice", "relay", "recall"):
        return False
    if ("sections" in source) != (form == "snapshot") or ("summary" in source) != (form == "notice"):
        return False
    if form == "snapshot":
        sections = source["sections"]
        return type(sections) is list and all(
            type(part) is dict
            and part.keys() == {"name", "text"}
            and is_text(part["name"])
            and type(part["text"]) is str
            for part in sections
        )
    return form != "notice" or type(source["summary"]) is str


def _v3_block(block: object) -> bool:
    """Check a content block of a v3 system/message, and those nested in it, without recursion."""
    waiting = [block]
    while waiting:
        item = waiting.pop()
        if type(item) is not dict or not is_text(item.get("type")):
            return False
        kind = item["type"]
        if kind in {"text", "reasoning"}:
            sound = item.keys() == {"type", "text"} and type(item["text"]) is str
        elif kind == "image":
            sound = item.keys() == {"type", "attachment"} and _image(item["attachment"], carries=False)
        elif kind == "tool-call":
            sound = (
                item.keys() == {"type", "id", "name", "arguments"}
                and is_text(item["id"])
                and is_text(item["name"])
                and type(item["arguments"]) is str
            )
        elif kind == "tool-result":
            content = item.get("content")
            sound = (
                not item.keys() - {"type", "toolCallId", "content", "isError"}
                and is_text(item.get("toolCallId"))
                and type(item.get("isError", True)) is bool
                and type(content) is list
            )
            waiting += content if type(content) is list else []
        else:
            sound = True
        if not sound:
            return False
    return True


def _image(attachment: object, *, carries: bool) -> bool:
    """Check an image attachment (P-032); `carries` says whether it may hold further members."""
    if type(attachment) is not dict:
        return False
    original = attachment.get("originalDimensions", _PIXEL)
    return (
        attachment.keys() >= _ATTACHMENT
        and (carries or attachment.keys() <= _ATTACHMENT | {"name", "originalDimensions"})
        and is_text(attachment["attachmentId"])
        and type(attachment["mediaType"]) is str
        and attachment["mediaType"] in _MEDIA
        and as_count(attachment["bytes"]) is not None
        and type(attachment.get("name", "")) is str
        and all(as_count(attachment[side]) for side in ("width", "height"))
        and type(original) is dict
        and _PIXEL.keys() <= original.keys()
        and (carries or len(original) == len(_PIXEL))
        and all(as_count(original[side]) for side in ("width", "height"))
    )


# -- messages of v4


def _coordinates(data: dict[str, Any], name: str) -> Iterator[Fault]:
    for member in ("turn", "step"):
        if not as_count(data.get(member)):
            yield Fault(name, f"{member} is no count from 1 up", f"$.data.{member}")


def _v4_message(row: dict[str, Any], name: str, role: str) -> tuple[list[Fault], dict[str, Any] | None]:
    """Give the message of an event of this role, None without one, and what is wrong around it as faults of a rule."""
    data = row.get("data")
    message = data.get("message") if type(data) is dict else None
    if type(data) is not dict or type(message) is not dict:
        return [Fault(name, f"a {role}/message holds no message", _MESSAGE)], None
    faults = list(_coordinates(data, name))
    if not is_text(message.get("id")) or message.get("role") != role or type(message.get("content")) is not list:
        faults.append(Fault(name, f"the message lacks an id, the role {role} or a content list", _MESSAGE))
    return faults, message


def _v4_system(row: dict[str, Any]) -> Iterator[Fault]:
    faults, message = _v4_message(row, "system-form-malformed", "system")
    yield from faults
    if message is None:
        return
    content = message.get("content")
    yield from _source_faults(message, _MESSAGE, "system")
    for index, block in enumerate(content if type(content) is list else ()):
        where = f"{_MESSAGE}.content[{index}]"
        yield from _block_faults([block], f"{_MESSAGE}.content", start=index)
        if not _v4_system_block(block):
            yield Fault("system-form-malformed", "a content block is malformed", where)


def _v4_system_block(block: object) -> bool:
    if type(block) is not dict or not is_text(block.get("type")):
        return False
    kind = block["type"]
    if kind in {"text", "reasoning"}:
        return type(block.get("text")) is str
    if kind == "tool-call":
        return is_text(block.get("id")) and is_text(block.get("name")) and type(block.get("arguments")) is str
    if kind == "image":
        return _image(block.get("attachment"), carries=True)
    return True


def _v4_developer(row: dict[str, Any]) -> Iterator[Fault]:
    faults, message = _v4_message(row, "developer-form-malformed", "developer")
    yield from faults
    if message is None:
        return
    data, content = row["data"], message.get("content")
    source = message.get("source")
    if type(source) is not dict or not is_text(source.get("kind")):
        yield Fault("developer-form-malformed", "the source names no kind", f"{_MESSAGE}.source")
    yield from _source_faults(message, _MESSAGE, "developer")
    adds = False
    for index, block in enumerate(content if type(content) is list else ()):
        if type(block) is not dict:
            continue
        where = f"{_MESSAGE}.content[{index}]"
        kind = block.get("type")
        if kind == "tool-result":
            yield Fault("tool-result-block-retired", "a tool-result block stands in a developer/message", where)
        elif type(kind) is str and kind in _CHANGES:
            adds = adds or kind == "tool-addition"
            if not is_text(block.get("toolName")):
                yield Fault("developer-block", f"{kind} names no tool", f"{where}.toolName")
            if kind == "tool-addition" and "tool" in block:
                yield Fault("developer-block", "a tool-addition holds the tool itself", f"{where}.tool")
    if ("headerSeq" in data) != adds or (adds and as_count(data["headerSeq"]) is None):
        text = "headerSeq does not go with the tool additions"
        yield Fault("developer-header-presence", text, "$.data.headerSeq")


def _v4_user(row: dict[str, Any]) -> Iterator[Fault]:
    yield from _carried(row.get("data"), "$.data")


def _v4_assistant(row: dict[str, Any]) -> Iterator[Fault]:
    data = row.get("data")
    if type(data) is dict:
        yield from _carried(data.get("message"), _MESSAGE)
        yield from _stream(data.get("stream"))


def _v4_attempt(row: dict[str, Any]) -> Iterator[Fault]:
    data = row.get("data")
    if type(data) is dict:
        yield from _stream(data.get("stream"))


def _v4_result(row: dict[str, Any]) -> Iterator[Fault]:
    data = row.get("data")
    message = data.get("message") if type(data) is dict else None
    if type(data) is not dict or type(message) is not dict:
        yield Fault("tool-form-malformed", "a tool/result holds no message", "$.data.message")
        return
    source = message.get("source")
    call_id = message.get("toolCallId")
    if not is_text(message.get("id")) or message.get("role") != "tool":
        yield Fault("tool-form-malformed", "the message lacks an id or the role tool", _MESSAGE)
    if (
        type(source) is not dict
        or source.get("kind") != "tool"
        or not is_text(call_id)
        or source.get("callId") != call_id
    ):
        yield Fault(
            "tool-form-malformed", "toolCallId and source.callId do not name one call", f"{_MESSAGE}.toolCallId"
        )
    if type(message.get("content")) is not list:
        yield Fault("tool-form-malformed", "the content is no list", f"{_MESSAGE}.content")
    if type(message.get("isError", True)) is not bool:
        yield Fault("tool-form-malformed", "isError is no boolean", f"{_MESSAGE}.isError")
    yield from _carried(message, _MESSAGE)
    if "error" in data and message.get("isError") is not True:
        yield Fault("tool-error-unflagged", "error stands beside a message that is no error", "$.data.error")
    yield from _fork(row, data, message)


def _fork(row: dict[str, Any], data: dict[str, Any], message: dict[str, Any]) -> Iterator[Fault]:
    """Check the result that a fork writes for a call that was not started (P-067)."""
    error, name = data.get("error"), message.get("id")
    prefix = "forked-tool-result-"
    if (
        type(error) is not dict
        or error.get("code") != "TOOL_NOT_STARTED"
        or type(name) is not str
        or not name.startswith(prefix)
    ):
        return
    source = message.get("source")
    call_id = source.get("callId") if type(source) is dict else None
    number = canonical(name, f"{prefix}{call_id}-") if type(call_id) is str else None
    seq = as_count(row.get("seq"))
    appended = row.get("surfaceOp") == "append"
    sources = row.get("sourceEventSeqs")
    content = message.get("content")
    sound = (
        number is not None
        and seq is not None
        and error.get("name") == "ToolNotStartedError"
        and message.get("isError") is True
        and type(content) is list
        and len(content) == 1
        and type(content[0]) is dict
        and content[0].get("type") == "text"
        and type(content[0].get("text")) is str
        and (number == seq and "sourceEventSeqs" not in row if appended else number < seq and sources == [number])
    )
    if not sound:
        yield Fault("fork-result-malformed", "the not-started result of a fork has another form", _MESSAGE)


def canonical(text: str, prefix: str) -> int | None:
    """Give the number behind a prefix when it is a safe integer in its one spelling, else None."""
    digits = text[len(prefix) :] if text.startswith(prefix) else ""
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and digits != "0") or len(digits) > 16:  # noqa: PLR2004
        return None
    return int(digits) if int(digits) <= MAX_SAFE else None


def _carried(message: object, where: str) -> Iterator[Fault]:
    """Check a message that v4 carries: no plugin source, no developer role, no retired block."""
    if type(message) is not dict:
        return
    yield from _source_faults(message, where, "")
    content = message.get("content")
    if type(content) is list:
        yield from _block_faults(content, f"{where}.content")


def _source_faults(message: dict[str, Any], where: str, role: str) -> Iterator[Fault]:
    source = message.get("source")
    if type(source) is dict and source.get("kind") == "plugin":
        yield Fault("plugin-source-retired", "a message has the retired source kind plugin", f"{where}.source.kind")
    if message.get("role") == "developer" and role != "developer":
        yield Fault(
            "developer-role-elsewhere", "the role developer stands outside a developer/message", f"{where}.role"
        )


def _block_faults(content: list[Any], where: str, *, start: int = 0, changes: bool = True) -> Iterator[Fault]:
    for index, block in enumerate(content, start):
        kind = block.get("type") if type(block) is dict else None
        if kind == "tool-result":
            yield Fault("tool-result-block-retired", "a tool-result block, which v4 has no more", f"{where}[{index}]")
        elif changes and type(kind) is str and kind in _CHANGES:
            yield Fault(
                "tool-change-misplaced", f"a {kind} block stands outside a developer/message", f"{where}[{index}]"
            )


def _stream(stream: object) -> Iterator[Fault]:
    """Look for retired kinds in the block-start and block-end records of an embedded stream."""
    for index, record in enumerate(stream if type(stream) is list else ()):
        chunk = record.get("chunk") if type(record) is dict and record.get("type") == "chunk" else None
        if type(chunk) is not dict:
            continue
        where = f"$.data.stream[{index}].chunk"
        if chunk.get("type") == "block-start":
            yield from _block_faults([{"type": chunk.get("blockType")}], where)
        elif chunk.get("type") == "block-end":
            yield from _block_faults([chunk.get("block")], where)


def _blocks(row: dict[str, Any], *members: str, changes: bool = True) -> Iterator[Fault]:
    data = row.get("data")
    for member in members:
        content = data.get(member) if type(data) is dict else None
        if type(content) is list:
            yield from _block_faults(content, f"$.data.{member}", changes=changes)


def _messages(row: dict[str, Any], member: str) -> Iterator[Fault]:
    data = row.get("data")
    listed = data.get(member) if type(data) is dict else None
    for index, message in enumerate(listed if type(listed) is list else ()):
        yield from _carried(message, f"$.data.{member}[{index}]")


def _queued(row: dict[str, Any]) -> Iterator[Fault]:
    data = row.get("data")
    message = data.get("message") if type(data) is dict else None
    if type(message) is dict and type(message.get("content")) is list:
        yield from _block_faults(message["content"], "$.data.message.content", changes=False)


_V3: dict[str, Callable[[dict[str, Any]], Iterator[Fault]]] = {
    "request/header": lambda row: _header(row, defer=False),
    "system/message": _v3_system,
}
_V4: dict[str, Callable[[dict[str, Any]], Iterator[Fault]]] = {
    "request/header": lambda row: _header(row, defer=True),
    "system/message": _v4_system,
    "developer/message": _v4_developer,
    "user/message": _v4_user,
    "assistant/message": _v4_assistant,
    "assistant/attempt": _v4_attempt,
    "tool/result": _v4_result,
    "agent/inbox/spliced": lambda row: _messages(row, "inserted"),
    "session/title-llm-request": lambda row: _messages(row, "messages"),
    "compaction/summary": lambda row: _blocks(row, "summary", "rawOutput"),
    "tool/ptc-dispatch": lambda row: _blocks(row, "content", changes=False),
    "team/message/queued": _queued,
}

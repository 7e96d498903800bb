"""One member of a payload put right: names, ids, sources, and what a reader does not have any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.migrate.messages4 import plugin_kind
from dshlog.model.number import as_count
from dshlog.repair.remedies.case import said, shown, without

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

    Event = dict[str, Any]

_RENAMED = {"tool/code-dispatch-start": "tool/ptc-dispatch-start", "tool/code-dispatch": "tool/ptc-dispatch"}
_COMPACTED = frozenset({"compact/start", "compact/summary", "compact/end", "compact/prune"})
_EMBEDDED = 2  # the first generation whose messages hold their stream
_PLUGIN = 4  # the first generation in which a plugin's source kind carries its name


def dispatch_name(case: Case) -> Action | None:
    """Call a code dispatch as its generation calls it."""
    row = case.row
    kind = None if row is None else row.get("type")
    if row is None or type(kind) is not str or kind not in _RENAMED:
        return None
    return said(case, {**row, "type": _RENAMED[kind]}, f"{kind} becomes {_RENAMED[kind]}, as this generation calls it")


def compaction_name(case: Case) -> Action | None:
    """Call an event of a compaction as the last builds of v0 do, and as the upgrade does."""
    row = case.row
    kind = case.kind
    if row is None or case.version != 0 or kind not in _COMPACTED:
        return None
    made = f"compaction/{kind.partition('/')[2]}"
    return said(case, {**row, "type": made}, f"{kind} becomes {made}, as the upgrade calls it")


def message_id(case: Case) -> Action | None:
    """Give a message without an id one that tells its position."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict:
        return None
    name = f"recovered-message-{case.position}"
    message = data if row.get("type") == "user/message" else data.get("message")
    if type(message) is not dict or (type(message.get("id")) is str and message["id"]):
        return None
    named = {"id": name, **without(message, "id")}
    made = named if message is data else {**data, "message": named}
    return said(case, {**row, "data": made}, f"the message gets the id {name}; it had none")


def stream(case: Case) -> Action | None:
    """Give an answer without a stream an empty one: its message says what came of it."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict or type(data.get("stream")) is list or case.version < _EMBEDDED:
        return None
    was = f"it was {shown(data['stream'])}" if "stream" in data else "it was missing"
    made = {**row, "data": {**data, "stream": []}}
    return said(case, made, f"data.stream becomes []; {was}", "nothing, but stream is made up")


def header_system(case: Case) -> Action | None:
    """Take the system text out of a request/header, where this generation has none."""
    row, data, header = _header(case)
    if row is None or data is None or header is None or "system" not in header:
        return None
    text = header["system"]
    held = type(text) is str and any(_says(line.row, text) for line in case.sheet.lines[1:])
    made = {**row, "data": {**data, "header": without(header, "system")}}
    where = "a system/message of this log says the same" if held else "no other record says it"
    return said(case, made, f"header.system goes; {where}", "none" if held else "the system text")


def tool_deferral(case: Case) -> Action | None:
    """Take `deferLoading` with another value than true off the tools of a request/header."""
    row, data, header = _header(case)
    tools = None if header is None else header.get("tools")
    if row is None or data is None or header is None or type(tools) is not list:
        return None
    plain = [
        without(tool, "deferLoading") if type(tool) is dict and tool.get("deferLoading") is not True else tool
        for tool in tools
    ]
    if plain == tools:
        return None
    made = {**row, "data": {**data, "header": {**header, "tools": plain}}}
    return said(case, made, "deferLoading goes where it is not true: only true has a meaning")


def plugin_source(case: Case) -> Action | None:
    """Let the kind of a plugin's source carry its name, as from v4 on."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict or case.version < _PLUGIN:
        return None
    message = data if type(data.get("source")) is dict else data.get("message")
    source = message.get("source") if type(message) is dict else None
    if type(message) is not dict or type(source) is not dict or source.get("kind") != "plugin":
        return None
    plugin = source.get("plugin")
    if type(plugin) is not str:
        return None
    kind = plugin_kind(plugin, message.get("role"))
    named = {**message, "source": {**without(source, "plugin"), "kind": kind}}
    made = named if message is data else {**data, "message": named}
    return said(case, {**row, "data": made}, f"the source of kind plugin becomes {kind}")


def fork_number(case: Case) -> Action | None:
    """Let the id of a result that a fork added name its own position."""
    row = case.row
    data = None if row is None else row.get("data")
    message = data.get("message") if type(data) is dict else None
    name = message.get("id") if type(message) is dict else None
    if row is None or type(data) is not dict or type(message) is not dict or type(name) is not str:
        return None
    head, _, number = name.rpartition("-")
    wanted = f"{head}-{case.position}"
    if not name.startswith("forked-tool-result-") or name == wanted or not number:
        return None
    made = {**row, "data": {**data, "message": {**message, "id": wanted}}}
    return said(case, made, f"the id of a forked result becomes {wanted}, its own position")


def through(case: Case) -> Action | None:
    """Let a delivery marker that names itself or a later event name the one before it."""
    row = case.row
    data = None if row is None else row.get("data")
    seq = as_count(data.get("throughSeq")) if type(data) is dict else None
    if row is None or type(data) is not dict or seq is None or seq < case.position or not case.position:
        return None
    made = {**row, "data": {**data, "throughSeq": case.position - 1}}
    return said(
        case, made, f"throughSeq {seq} becomes {case.position - 1}: no later event was delivered", "up to where"
    )


def mark_ignorable(case: Case) -> Action | None:
    """Let every reader pass over an event whose type it does not know."""
    row = case.row
    if row is None or "ignorable" in row:
        return None
    made: Event = {}
    for name, value in row.items():
        made[name] = value
        if name == "data":
            made["ignorable"] = True
    return said(case, made, f"{row.get('type')} is marked ignorable: dsh passes over it from now on")


def title_source(case: Case) -> Action | None:
    """Keep a title whose messages are gone as one that the user gave."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict or data.get("messageSeqs") != []:
        return None
    if type(data.get("title")) is not str or not data["title"]:
        return None
    made = {**row, "data": {**data, "source": {"kind": "user"}}}
    return said(
        case,
        made,
        "the title stays as one that the user gave: the message that it came from is gone",
        "who gave the title",
    )


def turn_form(case: Case) -> Action | None:
    """Take out of a turn/start or a turn/end what its form does not have."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict:
        return None
    allowed = {"turn/start": ("turn", "trigger"), "turn/end": ("turn", "reason")}.get(str(row.get("type")))
    extra = [name for name in data if allowed is not None and name not in allowed]
    if not extra:
        return None
    values = ", ".join(f"{name} = {shown(data[name])}" for name in extra)
    return said(
        case, {**row, "data": without(data, *extra)}, f"data has no member {values}; it goes", f"data.{extra[0]}"
    )


def _header(case: Case) -> tuple[Event | None, Event | None, Event | None]:
    row = case.row
    data = None if row is None else row.get("data")
    header = data.get("header") if type(data) is dict else None
    return row, data if type(data) is dict else None, header if type(header) is dict else None


def _says(row: Event | None, text: str) -> bool:
    if row is None or row.get("type") != "system/message":
        return False
    data = row.get("data")
    message = data.get("message") if type(data) is dict else None
    content = message.get("content") if type(message) is dict else None
    blocks = content if type(content) is list else ()
    return "".join(str(block.get("text", "")) for block in blocks if type(block) is dict) == text

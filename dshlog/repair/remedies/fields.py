"""One member of one record put right: envelope, surface marker, citations, names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.envelope import MEMBERS
from dshlog.codec.sources import encode_sources
from dshlog.fold.surface import SurfaceFolder
from dshlog.model.number import as_count, as_int
from dshlog.repair.remedies.case import edit
from dshlog.report.decode import events_of
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

    Event = dict[str, Any]

_SHOWN = 60  # characters of a value in a message
_RENAMED = {"tool/code-dispatch-start": "tool/ptc-dispatch-start", "tool/code-dispatch": "tool/ptc-dispatch"}
_KINDS = {
    "compact": "compact-checkpoint",
    "tools-code-mode": "ptc-mode",
    "tools-ptc": "ptc-mode",
    "dsh-compaction-basic": "compact-basic",
}
_SAME_NAME = frozenset(
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
_MOST = 1 << 22  # positions in one range of citations
_PLUGIN = 4  # the first generation in which a plugin's source kind carries its name


def time(case: Case) -> Action | None:
    """Give a record the time of the one before it."""
    row = case.row
    if row is None or as_int(row.get("time")) is not None:
        return None
    value = row.get("time")
    if type(value) is float and value == 0:
        return _said(case, {**row, "time": 0}, "time -0 becomes 0, which is the same moment")
    before = case.sheet.lines[case.index - 1].row or {}
    near = before.get("time", before.get("time0", before.get("createdAt")))
    if as_int(near) is None:
        return None
    made = {name: row[name] for name in ("type", "seq") if name in row} | {"time": near}
    return _said(
        case, {**made, **row, "time": near}, f"time becomes {near}, that of the record before", "when it happened"
    )


def unknown_member(case: Case) -> Action | None:
    """Take members out of an envelope that it does not have."""
    row = case.row
    extra = [] if row is None else [name for name in row if name not in MEMBERS]
    if row is None or not extra or "seq0" in row:
        return None
    kept = {name: value for name, value in row.items() if name in MEMBERS}
    named = ", ".join(f"{name} = {_shown(row[name])}" for name in extra)
    return _said(case, kept, f"the envelope has no member {named}; it goes", f"member {', '.join(extra)}")


def ignorable(case: Case) -> Action | None:
    """Take out `ignorable` with another value than true, which says nothing."""
    row = case.row
    if row is None or row.get("ignorable", True) is True:
        return None
    kept = {name: value for name, value in row.items() if name != "ignorable"}
    return _said(case, kept, f"ignorable = {_shown(row['ignorable'])} goes: only true has a meaning")


def sources_list(case: Case) -> Action | None:
    """Take out of the citations what no event may cite: repeats, later events, an empty list."""
    row, position = case.row, case.position
    cited = None if row is None else row.get("sourceEventSeqs")
    if row is None or type(cited) is not list or any(as_count(entry) is None for entry in cited):
        return None
    kept = [int(seq) for seq in dict.fromkeys(cited) if seq < position]
    if len(kept) == len(cited) and kept:
        return None
    ahead = [seq for seq in dict.fromkeys(cited) if seq >= position]
    made = {**row, "sourceEventSeqs": kept} if kept else _without(row, "sourceEventSeqs")
    what = f"citations of later events {ahead} go" if ahead else "citations that stand twice, or none at all, go"
    return _said(case, made, what, f"the citations {ahead}" if ahead else "none")


def sources_member(case: Case) -> Action | None:
    """Take citations off an event that may have none."""
    row = case.row
    if row is None or "sourceEventSeqs" not in row:
        return None
    value = _shown(row["sourceEventSeqs"])
    return _said(
        case, _without(row, "sourceEventSeqs"), f"sourceEventSeqs {value} go: this event has none", "its citations"
    )


def marker(case: Case) -> Action | None:
    """Take the surface marker off an event that never joins the surface."""
    row = case.row
    names = [name for name in ("surfaceOp", "sourceEventSeqs") if row is not None and name in row]
    if row is None or not names:
        return None
    values = ", ".join(f"{name} = {_shown(row[name])}" for name in names)
    return _said(case, _without(row, *names), f"{values} goes: this event never joins the surface", ", ".join(names))


def append_marker(case: Case) -> Action | None:
    """Let an event without a usable surface marker be appended, as most are."""
    row = case.row
    op = None if row is None else row.get("surfaceOp")
    if row is None or op == "append" or type(op) is dict:
        return None
    text = "surfaceOp becomes append; it was " + ("missing" if "surfaceOp" not in row else _shown(op))
    made = {**row, "surfaceOp": "append"}
    if "sourceEventSeqs" in row and "surfaceOp" not in row:
        made = _without(row, "sourceEventSeqs") | {"surfaceOp": "append", "sourceEventSeqs": row["sourceEventSeqs"]}
    return _said(case, made, text, "how it joined the surface")


def cite_shadowed(case: Case) -> Action | None:
    """Let a replacement cite every node that it hides."""
    row = case.row
    op = None if row is None else row.get("surfaceOp")
    if row is None or type(op) is not dict:
        return None
    hidden = _span(case, op.get("startSeq", op.get("start")), op.get("endSeq", op.get("end")))
    cited = _flat(row.get("sourceEventSeqs", []))
    if hidden is None or cited is None:
        return None
    missing = [seq for seq in hidden if seq not in cited]
    if not missing:
        return None
    stored = row.get("sourceEventSeqs", [])
    every = [*cited, *missing]
    plain = all(type(entry) is int for entry in stored)
    made = {**row, "sourceEventSeqs": every if plain else encode_sources(sorted(every))}
    return _said(case, made, f"the replacement cites {missing} too, which it hides")


def exact_span(case: Case) -> Action | None:
    """Let the list of a compaction name exactly the nodes of its span, without the protected head."""
    row = case.row
    data = None if row is None else row.get("data")
    span = data.get("shadowedRange") if type(data) is dict else None
    if row is None or type(data) is not dict or type(span) is not dict:
        return None
    nodes, folder = _surface(case)
    hidden = _between(nodes, span.get("start"), span.get("end"))
    if hidden and nodes and hidden[0] == nodes[0] and folder.head_is_system():
        hidden = hidden[1:]
    if not hidden or data.get("shadowedSeqs") == hidden:
        return None
    made = {**data, "shadowedRange": {**span, "start": hidden[0], "end": hidden[-1]}, "shadowedSeqs": hidden}
    text = f"shadowedSeqs becomes {_shown(hidden)}, the surface from {hidden[0]} to {hidden[-1]}"
    return _said(case, {**row, "data": made}, text)


def dispatch_name(case: Case) -> Action | None:
    """Call a code dispatch as its generation calls it."""
    row = case.row
    kind = None if row is None else row.get("type")
    if row is None or type(kind) is not str or kind not in _RENAMED:
        return None
    return _said(case, {**row, "type": _RENAMED[kind]}, f"{kind} becomes {_RENAMED[kind]}, as this generation calls it")


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
    named = {"id": name, **_without(message, "id")}
    made = named if message is data else {**data, "message": named}
    return _said(case, {**row, "data": made}, f"the message gets the id {name}; it had none")


def header_system(case: Case) -> Action | None:
    """Take the system text out of a request/header, where this generation has none."""
    row, data, header = _header(case)
    if row is None or data is None or header is None or "system" not in header:
        return None
    text = header["system"]
    held = type(text) is str and any(_says(line.row, text) for line in case.sheet.lines[1:])
    made = {**row, "data": {**data, "header": _without(header, "system")}}
    where = "a system/message of this log says the same" if held else "no other record says it"
    return _said(case, made, f"header.system goes; {where}", "none" if held else "the system text")


def tool_deferral(case: Case) -> Action | None:
    """Take `deferLoading` with another value than true off the tools of a request/header."""
    row, data, header = _header(case)
    tools = None if header is None else header.get("tools")
    if row is None or data is None or header is None or type(tools) is not list:
        return None
    plain = [
        _without(tool, "deferLoading") if type(tool) is dict and tool.get("deferLoading") is not True else tool
        for tool in tools
    ]
    if plain == tools:
        return None
    made = {**row, "data": {**data, "header": {**header, "tools": plain}}}
    return _said(case, made, "deferLoading goes where it is not true: only true has a meaning")


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
    kind = _kind_of(plugin, message.get("role"))
    named = {**message, "source": {**_without(source, "plugin"), "kind": kind}}
    made = named if message is data else {**data, "message": named}
    return _said(case, {**row, "data": made}, f"the source of kind plugin becomes {kind}")


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
    return _said(case, made, f"the id of a forked result becomes {wanted}, its own position")


def through(case: Case) -> Action | None:
    """Let a delivery marker that names itself or a later event name the one before it."""
    row = case.row
    data = None if row is None else row.get("data")
    seq = as_count(data.get("throughSeq")) if type(data) is dict else None
    if row is None or type(data) is not dict or seq is None or seq < case.position or not case.position:
        return None
    made = {**row, "data": {**data, "throughSeq": case.position - 1}}
    return _said(
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
    return _said(case, made, f"{row.get('type')} is marked ignorable: dsh passes over it from now on")


def title_source(case: Case) -> Action | None:
    """Keep a title whose messages are gone as one that the user gave."""
    row = case.row
    data = None if row is None else row.get("data")
    if row is None or type(data) is not dict or data.get("messageSeqs") != []:
        return None
    if type(data.get("title")) is not str or not data["title"]:
        return None
    made = {**row, "data": {**data, "source": {"kind": "user"}}}
    return _said(
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
    values = ", ".join(f"{name} = {_shown(data[name])}" for name in extra)
    return _said(
        case, {**row, "data": _without(data, *extra)}, f"data has no member {values}; it goes", f"data.{extra[0]}"
    )


def _kind_of(plugin: str, role: object) -> str:
    """Give the kind that stands for a plugin from v4 on. Source: migration.md §5.1."""
    if plugin == "@deepseek-ai/dsh-system-prompt":
        return "system-prompt" if role == "system" else "runtime-context"
    return _KINDS.get(plugin) or (plugin if plugin in _SAME_NAME else f"plugin:{plugin}")


def _said(case: Case, row: Event, message: str, loss: str = "none") -> Action:
    done = case.done("edit", message, loss=loss)
    edit(case.sheet, case.index, row)
    return done


def _without(row: Event, *names: str) -> Event:
    return {name: value for name, value in row.items() if name not in names}


def _shown(value: object) -> str:
    text = dumps(value).decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


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


def _flat(cited: object) -> list[int] | None:
    """Give a stored list of citations position by position; None for what is none."""
    out: list[int] = []
    for entry in cited if type(cited) is list else (None,):
        ends = entry if type(entry) is list and len(entry) == 2 else [entry, entry]  # noqa: PLR2004 - first and last
        first, last = as_count(ends[0]), as_count(ends[1])
        if first is None or last is None or last - first > _MOST:
            return None
        out += range(first, last + 1)
    return out


def _span(case: Case, start: object, end: object) -> list[int] | None:
    return _between(_surface(case)[0], start, end)


def _between(nodes: list[int], start: object, end: object) -> list[int] | None:
    first, last = as_count(start), as_count(end)
    if first not in nodes or last not in nodes:
        return None
    low, high = sorted((nodes.index(first), nodes.index(last)))
    return nodes[low : high + 1]


def _surface(case: Case) -> tuple[list[int], SurfaceFolder]:
    """Fold what stands before the line."""
    folder = SurfaceFolder(case.version)
    for line in case.sheet.lines[1 : case.index]:
        if line.row is not None:
            for event, _ in events_of(line.text, case.version):
                folder.push(event)
    return list(folder.surface().nodes), folder

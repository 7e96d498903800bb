"""What an event holds, in a few words; whatever stands in its payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.model.number import MAX_SAFE
from dshlog.report.surface import block_words, message_text

if TYPE_CHECKING:
    from collections.abc import Callable

LENGTH = 240  # code points of each text that is taken over


def facts(kind: str, data: object, op: object = "append") -> str:
    """Say what an event holds; a replacement says first which span it takes."""
    tell = _TELL.get(kind)
    words = _scalars(data) if tell is None else tell(data if type(data) is dict else {})
    return f"replaces {span_words(op)}; {words}" if type(op) is dict else words


def span_words(op: dict[str, Any]) -> str:
    """Give `3..5` for the span that a replacing `surfaceOp` names, in the spelling of any generation."""
    start, end = op.get("startSeq", op.get("start")), op.get("endSeq", op.get("end"))
    return f"{short(start)}..{short(end)}"


def short(value: object) -> str:
    """Give one value in words, cut where it is long; nothing for what is absent."""
    if value is None:
        return ""
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is list:
        return f"[{len(value)}]"
    if type(value) is dict:
        return "{…}"
    if type(value) is bool:
        return "true" if value else "false"
    return str(value)[:LENGTH]


def get(value: object, *names: str) -> Any:  # noqa: ANN401 - JSON of any shape
    """Give a member of a member; None where there is none."""
    for name in names:
        value = value.get(name) if type(value) is dict else None
    return value


def error_of(data: object) -> bool:
    """Tell whether a `tool/result` says that its call failed, in any form."""
    if get(data, "error") is not None:
        return True
    message = get(data, "message")
    content = get(message, "content")
    block = content[0] if type(content) is list and content else None
    return get(message, "isError") is True or (get(block, "type") == "tool-result" and get(block, "isError") is True)


def failure_of(data: object) -> object:
    """Give the code of the failure that ended an attempt, else the kind of its end."""
    stream = get(data, "stream")
    for record in reversed(stream) if type(stream) is list else ():
        reason = get(record, "chunk", "reason")
        if reason is not None:
            return get(reason, "failure", "code") or get(reason, "kind")
    return None


def reason_of(data: object) -> tuple[str | None, str | None]:
    """Give kind and detail of the reason of a `turn/end`, old forms too."""
    reason = get(data, "reason")
    kind = get(reason, "kind")
    for detail in (
        get(reason, "error", "code"),
        get(reason, "failure", "code"),
        get(reason, "code"),
        get(reason, "reason", "kind"),
    ):
        if type(detail) is str:
            return (kind if type(kind) is str else None), detail[:LENGTH]
    return (kind if type(kind) is str else None), None


def reason_words(data: object) -> str:
    """Give kind and detail of the reason of a `turn/end`, and the message of what failed."""
    reason = get(data, "reason")
    told = (get(reason, "error", "message"), get(reason, "failure", "message"), get(reason, "message"))
    message = next((words for words in told if type(words) is str), None)
    kind, detail = reason_of(data)
    return _joined(kind, _joined(detail, message), separator=": ")


def _number(values: list[Any], noun: str) -> str:
    return f"{len(values)} {noun}" if len(values) == 1 else f"{len(values)} {noun}s"


def _joined(*parts: object, separator: str = ", ") -> str:
    return separator.join(words for words in map(short, parts) if words)


def _tokens(usage: object) -> str:
    return f"{short(get(usage, 'inputTokens'))}+{short(get(usage, 'outputTokens'))} tokens" if usage else ""


def _scalars(data: object) -> str:
    """Name the members that are plain values; nested ones would not fit."""
    if type(data) is not dict:
        return short(data)
    return ", ".join(f"{short(name)} {short(value)}" for name, value in data.items() if name not in ("turn", "step"))


def _text(message: object) -> str:
    return message_text(message)[:LENGTH] or block_words(get(message, "content"))[:LENGTH]


def _user(data: dict[str, Any]) -> str:
    kind = get(data, "source", "kind")
    return _text(data) if kind == "user" else f"{short(kind)}: {_text(data)}"


def _assistant(data: dict[str, Any]) -> str:
    content = get(data, "message", "content")
    calls = [block for block in (content if type(content) is list else ()) if get(block, "type") == "tool-call"]
    names = " ".join(f"{short(get(block, 'name'))}(…)" for block in calls)
    tokens = _tokens(data.get("usage"))
    stopped = "interrupted" if data.get("interrupted") is True else ""
    return _joined(tokens, names, stopped, message_text(data.get("message")))


def _attempt(data: dict[str, Any]) -> str:
    stream = data.get("stream")
    return _joined(failure_of(data), _number(stream, "record") if type(stream) is list else "")


def _chunk(data: dict[str, Any]) -> str:
    chunk = data.get("chunk")
    words = (
        get(chunk, "text")
        or get(chunk, "argumentsDelta")
        or get(chunk, "blockType")
        or get(chunk, "block", "type")
        or _tokens(get(chunk, "usage"))
        or _joined(get(chunk, "reason", "kind"), get(chunk, "reason", "failure", "code"), separator=" ")
    )
    return f"{short(get(chunk, 'type'))} {short(words)}".rstrip()


def _call(data: dict[str, Any]) -> str:
    return f"{short(data.get('name'))} {short(data.get('arguments'))} {short(data.get('callId'))}"


def _result(data: dict[str, Any]) -> str:
    state = "error" if error_of(data) else "ok"
    return f"{short(get(data, 'message', 'source', 'callId'))} {state}: {_text(data.get('message'))}"


def _header(data: dict[str, Any]) -> str:
    config, tools = get(data, "header", "config"), get(data, "header", "tools")
    model = f"{short(get(config, 'provider'))}/{short(get(config, 'model'))}"
    return _joined(data.get("reason"), model, _number(tools, "tool") if type(tools) is list else "no tools")


def _inbox(data: dict[str, Any]) -> str:
    inserted, removed = data.get("inserted"), data.get("removedCount")
    added = inserted if type(inserted) is list else ()
    words = f"{short(data.get('target'))} +{len(added)} -{short(removed) or 0}"
    return f"{words}: {_text(added[0])}" if added else words


def _summary(data: dict[str, Any]) -> str:
    seqs = data.get("shadowedSeqs")
    hides = (
        f"hides {_number(seqs, 'node')} {span_words(get(data, 'shadowedRange') or {})}" if type(seqs) is list else ""
    )
    return _joined(hides, message_text({"content": data.get("summary")}))


def _compaction_end(data: dict[str, Any]) -> str:
    error = data.get("error")
    return _joined(data.get("compactionId"), f"failed: {short(error)}" if error is not None else "")


def _retry(data: dict[str, Any]) -> str:
    delay = data.get("delayMs")
    wait = f"after {round(delay)} ms" if isinstance(delay, (int, float)) and abs(delay) <= MAX_SAFE else ""
    code = get(data, "failure", "code")
    most = data.get("maxRetries")
    return _joined(f"retry {short(data.get('retry'))}" + ("" if most is None else f" of {short(most)}"), wait, code)


def _job(data: dict[str, Any]) -> str:
    what = _joined(data.get("kind"), data.get("label"), separator=" ")
    return _joined(data.get("status"), what, data.get("jobId"))


def _goal(data: dict[str, Any]) -> str:
    goal = data.get("goal")
    head, objective = _joined(data.get("operation"), get(goal, "phase")), short(get(goal, "objective"))
    return f"{head}: {objective}" if objective else head


def _delivered(data: dict[str, Any]) -> str:
    version = data.get("sessionFormatVersion")
    form = "" if version is None else f"v{short(version)}"
    return _joined(f"through seq {short(data.get('throughSeq'))}", form, data.get("sessionId"))


def _child(data: dict[str, Any]) -> str:
    head, label = _joined(data.get("mode"), data.get("childId"), separator=" "), short(data.get("label"))
    return f"{head}: {label}" if label else head


def _title(data: dict[str, Any]) -> str:
    return f"{short(get(data, 'source', 'kind'))}: {short(data.get('title'))}"


def _message(data: dict[str, Any]) -> str:
    return _text(data.get("message"))


_TELL: dict[str, Callable[[dict[str, Any]], str]] = {
    "user/message": _user,
    "assistant/message": _assistant,
    "assistant/attempt": _attempt,
    "assistant/chunk": _chunk,
    "system/message": _message,
    "developer/message": _message,
    "tool/call": _call,
    "tool/result": _result,
    "turn/start": lambda _: "",
    "turn/end": reason_words,
    "step/start": lambda _: "",
    "step/end": lambda _: "",
    "request/header": _header,
    "request/context": lambda data: _joined(
        f"{short(data.get('provider'))}/{short(data.get('model'))}", f"window {short(data.get('contextWindow'))}"
    ),
    "agent/inbox/spliced": _inbox,
    "compaction/start": lambda data: short(data.get("compactionId")),
    "compaction/summary": _summary,
    "compaction/prune": _summary,
    "compaction/end": _compaction_end,
    "llm/retry": _retry,
    "llm/retry-started": lambda data: f"retry {short(data.get('retry'))}",
    "session/title": _title,
    "job/registered": _job,
    "job/settled": _job,
    "goal/change": _goal,
    "session-log-deepseek/delivery-accepted": _delivered,
    "subagent/catalog": _child,
}

"""Payloads of the released inventory, v0 to v2, as the upgrade wants them. Source: events.md §3, migration.md §6."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from dshlog.migrate.shape_goal import change
from dshlog.migrate.shape_messages import STRICT, content, message, result_message
from dshlog.migrate.shape_small import SMALL, opaque_descriptor
from dshlog.migrate.shape_stream import stream
from dshlog.migrate.shapes import (
    Check,
    Flaw,
    above_zero,
    anything,
    behind,
    between,
    boolean,
    count,
    exact,
    finite,
    list_of,
    named,
    null,
    number_one,
    one_of,
    portable,
    positive,
    text,
    true,
)
from dshlog.model.number import as_count

Payload = Callable[[Any, int], "list[Flaw] | None"]  # the payload and the event's own seq

_failure = exact(
    {"message": named, "code": named},
    {"status": between(100, 599, whole=True), "providerRetryAfterMs": above_zero, "requestId": named},
)
_usage = exact(
    {"inputTokens": count, "outputTokens": count},
    {"totalTokens": count, "cacheReadTokens": count, "cacheWriteTokens": count, "reasoningTokens": count},
)
_STEP: dict[str, Check] = {"turn": count, "step": count}
_CALL: dict[str, Check] = {
    "rootCallId": named,
    "parentCallId": named,
    "subCallId": named,
    "name": named,
}


def _object(value: object) -> list[Flaw] | None:
    return None if type(value) is dict else [Flaw("", "is no object")]


_tools = list_of(exact({"name": named, "description": text, "parameters": _object}))


# -- turns


def _cause(value: object) -> list[Flaw] | None:
    kind = value.get("kind") if type(value) is dict else None
    if kind == "hook":
        return exact({"kind": text, "reason": text})(value)
    return exact({"kind": one_of("user", "parent", "disposed", "legacy")})(value)


def _reason(value: object) -> list[Flaw] | None:
    """P-013."""
    kind = value.get("kind") if type(value) is dict else None
    if type(kind) is not str or not kind:
        return [Flaw("", "names no kind")]
    if kind in {"completed", "blocked", "max-tokens", "interrupted"}:
        return exact({"kind": text})(value)
    if kind == "aborted":
        return exact({"kind": text, "reason": _cause})(value)
    if kind == "error":
        return exact({"kind": text, "error": _failure})(value)
    return None


# -- requests


def _defaults(value: object) -> list[Flaw] | None:
    return exact({}, {"reasoningEffort": true, "maxTokens": true})(value)


_header_shape = exact(
    {
        "config": exact(
            {"provider": named, "model": named},
            {"reasoningEffort": named, "temperature": finite, "maxTokens": positive, "stop": list_of(text)},
        )
    },
    {"adapterDefaults": _defaults, "tools": _tools, "system": text},
)


def _header(value: object) -> list[Flaw] | None:
    flaws = _header_shape(value)
    if flaws is not None or type(value) is not dict:
        return flaws
    for name in value.get("adapterDefaults", ()):
        if name not in value["config"]:
            return [Flaw(f".adapterDefaults.{name}", "stands for no member of the config")]
    return None


# -- references to earlier events


def _earlier(value: object, seq: int) -> list[Flaw] | None:
    at = as_count(value)
    if at is None:
        return [Flaw("", "is no seq")]
    return None if at < seq else [Flaw("", f"names {at}, which is not earlier")]


def _seqs(value: object, seq: int, *, empty: bool) -> list[Flaw] | None:
    if type(value) is not list:
        return [Flaw("", "is no list")]
    if not value and not empty:
        return [Flaw("", "is empty")]
    out: list[Flaw] = []
    seen: set[int] = set()
    for index, item in enumerate(value):
        flaws = _earlier(item, seq)
        if flaws is None and int(item) in seen:
            flaws = [Flaw("", f"names {int(item)} twice")]
        if flaws is not None:
            out += behind(f"[{index}]", flaws)
        else:
            seen.add(int(item))
    return out or None


def _with_seqs(shape: Check, name: str, *, empty: bool) -> Payload:
    def check(data: Any, seq: int) -> list[Flaw] | None:  # noqa: ANN401
        flaws = shape(data)
        if type(data) is not dict or name not in data:
            return flaws
        more = _seqs(data[name], seq, empty=empty)
        return flaws if more is None else [*(flaws or ()), *behind(f".{name}", more)]

    return check


def _span(shape: Check) -> Payload:
    """Check the span of a summary or a prune (P-101)."""
    listed = _with_seqs(shape, "shadowedSeqs", empty=False)
    ends = exact({"start": count, "end": count})

    def check(data: Any, seq: int) -> list[Flaw] | None:  # noqa: ANN401
        flaws = listed(data, seq)
        if flaws is not None:
            return flaws
        held, span = data["shadowedSeqs"], data["shadowedRange"]
        flaws = ends(span)
        if flaws is not None:
            return behind(".shadowedRange", flaws)
        if span["start"] != held[0] or span["end"] != held[-1]:
            return [Flaw(".shadowedRange", "does not name the first and the last of the list")]
        return None

    return check


def _command_done(data: Any, seq: int) -> list[Flaw] | None:  # noqa: ANN401
    flaws = _done_shape(data)
    if flaws is None and "sourceEventSeq" in data:
        more = _earlier(data["sourceEventSeq"], seq)
        return behind(".sourceEventSeq", more) if more is not None else None
    return flaws


_done_shape = exact(
    {"commandId": named, "kind": one_of("success", "error")}, {"text": text, "sourceEventSeq": anything}
)


def _retry(value: object) -> list[Flaw] | None:
    """P-110."""
    required: dict[str, Check] = {
        "retryId": named,
        "turn": count,
        "step": count,
        "provider": named,
        "mode": one_of("normal", "always"),
        "policyKey": named,
        "retry": positive,
        "delayMs": between(0, 2147483647),
        "failure": _failure,
    }
    if type(value) is dict and value.get("mode") == "normal":
        flaws = exact({**required, "maxRetries": positive})(value)
        if flaws is None and value["maxRetries"] < value["retry"]:
            return [Flaw(".maxRetries", "is below retry")]
        return flaws
    return exact(required)(value)


def _marker(version: int) -> Payload:
    """P-220 to P-222."""

    def check(data: Any, seq: int) -> list[Flaw] | None:  # noqa: ANN401
        optional: dict[str, Check] = {"sessionFormatVersion": count} if version else {}
        own = type(data) is dict and as_count(data.get("sessionFormatVersion", 0)) == version
        flaws = exact({"sessionId": named if own else anything, "throughSeq": anything}, optional)(data)
        if flaws is None and own:
            more = _earlier(data["throughSeq"], seq)
            return behind(".throughSeq", more) if more is not None else None
        return flaws

    return check


_title_source: dict[str, Check] = {
    "fallback": exact({"kind": text}),
    "user": exact({"kind": text}),
    "provider": exact({"kind": text, "provider": named}, {"model": exact({"provider": named, "model": named})}),
}


def _title(value: object) -> list[Flaw] | None:
    kind = value.get("kind") if type(value) is dict else None
    shape = _title_source.get(kind) if type(kind) is str else None
    return [Flaw("", "is of no known kind")] if shape is None else shape(value)


# -- the table


def _plain(shape: Check) -> Payload:
    return lambda data, _seq: shape(data)


def _versioned(version: int) -> dict[str, Payload]:
    own = content(version)
    opaque = portable if version < STRICT else anything  # v2 carries what JSON itself cannot
    call: dict[str, Check] = {**_CALL, "arguments": opaque}
    user = message(version, "user")
    assistant: dict[str, Check] = {"message": message(version, "assistant", "model")}
    settled: dict[str, Check] = dict(_STEP)
    if version >= STRICT:
        settled = {"turn": positive, "step": positive, "stream": stream}
    table: dict[str, Check] = {
        "user/message": user,
        "assistant/message": exact({**settled, **assistant}, {"usage": _usage, "interrupted": true}),
        "tool/result": exact(
            {**_STEP, "message": result_message(version)},
            {"error": exact({"name": named, "code": named}), "meta": opaque},
        ),
        "agent/inbox/spliced": exact(
            {"target": one_of("next-turn", "next-step"), "start": count, "inserted": list_of(user)},
            {"removedCount": count, "outcome": one_of("canceled")},
        ),
        "tool/code-dispatch": exact({**call, "isError": boolean, "content": own}),
        "tool/code-dispatch-start": exact(call),
        "session/end-seed": exact({}, {"inherited": true} if version >= STRICT else {}),
        "team/message/queued": _queued(own),
    }
    if version >= STRICT:
        table["assistant/attempt"] = exact(settled)
    out = {kind: _plain(shape) for kind, shape in table.items()}
    summary = exact(
        {
            "compactionId": named,
            "summary": own,
            "shadowedRange": anything,
            "shadowedSeqs": anything,
            "shadowedTokenCount": count,
            "provider": named,
            "model": named,
        },
        {"sourceCommandId": named, "maxTokens": count, "usage": _usage, "rawOutput": own, "llmStreamCall": true},
    )

    def streamed(value: object) -> list[Flaw] | None:
        flaws = summary(value)
        if flaws is None and type(value) is dict and "llmStreamCall" in value and "rawOutput" not in value:
            return [Flaw(".rawOutput", "is missing beside llmStreamCall")]
        return flaws

    out["compaction/summary"] = _span(streamed)
    request = exact(
        {
            "titleProvider": named,
            "messageSeqs": anything,
            "route": exact({"provider": named, "model": named}),
            "system": text,
            "messages": list_of(user),
            "maxTokens": positive,
        }
    )
    out["session/title-llm-request"] = _with_seqs(request, "messageSeqs", empty=False)
    out["session-log-deepseek/delivery-accepted"] = _marker(version)
    return out


def _queued(own: Check) -> Check:
    head: dict[str, Check] = {"id": named, "senderId": named, "targetId": named, "senderName": text, "content": own}
    inner = exact({**head, "delivery": one_of("quiet", "wakeup")})
    return exact({"version": number_one, "teamId": named, "message": inner})


_SAME: dict[str, Payload] = {
    kind: _plain(shape)
    for kind, shape in {
        **SMALL,
        "turn/start": exact({"turn": count}),
        "turn/end": exact({"turn": count, "reason": _reason}),
        "step/start": exact(_STEP),
        "step/end": exact(_STEP),
        "tool/call": exact({**_STEP, "callId": named, "name": named, "arguments": text}),
        "request/header": exact(
            {"header": _header, "reason": one_of("initial", "resume", "change", "series")}, {"startsSeries": true}
        ),
        "request/context": exact({"provider": named, "model": named}, {"contextWindow": positive}),
        "compaction/start": exact(
            {"compactionId": named, "turn": lambda value: null(value) and count(value)}, {"sourceCommandId": named}
        ),
        "compaction/end": exact(
            {"compactionId": named, "turn": lambda value: null(value) and count(value)},
            {"sourceCommandId": named, "error": text},
        ),
        "llm/retry": _retry,
        "llm/retry-started": exact({"retryId": named, **_STEP, "retry": positive}),
        "goal/change": change,
    }.items()
}
_SAME["compaction/prune"] = _span(
    exact({"shadowedRange": anything, "shadowedSeqs": anything, "shadowedTokenCount": count})
)
_SAME["command/done"] = _command_done
_SAME["session/title"] = _with_seqs(
    exact({"title": named, "messageSeqs": anything, "source": _title}), "messageSeqs", empty=True
)


@cache
def payloads(version: int) -> dict[str, Payload]:
    """Give the check of the payload of every type that the upgrade of a generation (0 to 2) takes.

    Chunks are left out: only the builder of streams looks at them.
    """
    table = {**_SAME, **_versioned(version)}
    if version == 1:
        table["subagent/descriptor"] = _plain(opaque_descriptor)
    if version < STRICT:
        for kind in ("feedback/message-put", "feedback/message-delete"):
            del table[kind]
    return table

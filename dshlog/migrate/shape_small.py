"""Payloads of small state and audit events, v0 to v2, as the upgrade wants them. Source: events.md §3.6, §3.9, §3.10."""

from __future__ import annotations

import re
from datetime import datetime

from dshlog.fold.assembler import trimmed
from dshlog.migrate.shapes import (
    Check,
    Flaw,
    behind,
    boolean,
    count,
    exact,
    finite,
    integer,
    list_of,
    named,
    number_one,
    one_of,
    positive,
    text,
)
from dshlog.model.number import as_count

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", re.ASCII)
_route = exact({"provider": named, "model": named})


def _not_negative(value: object) -> list[Flaw] | None:
    flaws = finite(value)
    return flaws if flaws is not None or value >= 0 else [Flaw("", "is negative")]  # type: ignore[operator]


# -- schedules


def _date(value: object) -> list[Flaw] | None:
    """Take the one spelling of a moment in UTC."""
    if type(value) is str and _DATE.fullmatch(value) and not value.startswith("0000"):
        try:
            datetime.fromisoformat(value)
        except ValueError:
            pass
        else:
            return None
    return [Flaw("", "is no canonical UTC time")]


def _trimmed(value: object) -> list[Flaw] | None:
    return (
        None if type(value) is str and value and trimmed(value) == value else [Flaw("", "is no trimmed text, or empty")]
    )


def _record(value: object) -> list[Flaw] | None:
    required: dict[str, Check] = {
        "kind": one_of("after", "at", "every"),
        "id": _trimmed,
        "prompt": named,
        "scheduledAt": _date,
    }
    kind = value.get("kind") if type(value) is dict else None
    if kind == "after":
        required["afterSeconds"] = positive
    elif kind == "every":
        required["everySeconds"] = _period
    return exact(required)(value)


def _period(value: object) -> list[Flaw] | None:
    seconds = as_count(value)
    return None if seconds is not None and seconds >= 300 else [Flaw("", "is no count from 300 up")]  # noqa: PLR2004


def _schedule(value: object) -> list[Flaw] | None:
    """P-150."""
    required: dict[str, Check] = {"version": number_one, "operation": one_of("create", "delete", "dispatch")}
    optional: dict[str, Check] = {}
    operation = value.get("operation") if type(value) is dict else None
    if operation == "create":
        required["schedule"] = _record
    else:
        required["id"] = _trimmed
        if operation == "dispatch":
            optional["acceptedAt"] = _date
    return exact(required, optional)(value)


# -- subagents and teams

_names = list_of(named)
_filter_shape = exact({}, {"allow": _names, "deny": _names})


def _filter(value: object) -> list[Flaw] | None:
    return _filter_shape(value) or (None if value else [Flaw("", "is empty")])


def _descriptor(value: object) -> list[Flaw] | None:
    """P-160."""
    required: dict[str, Check] = {
        "mode": one_of("one-shot", "continuable"),
        "version": lambda held: None if as_count(held) == 3 else [Flaw("", "is not 3")],  # noqa: PLR2004
        "provider": named,
    }
    if type(value) is not dict or value.get("mode") != "continuable":
        return exact(required, {"label": text})(value)
    optional: dict[str, Check] = {
        "agentProvider": named,
        "agentModel": named,
        "agentReasoningEffort": named,
        "persona": named,
        "toolFilter": _filter,
    }
    flaws = exact({**required, "label": named}, optional)(value)
    if flaws is None and ("agentProvider" in value) != ("agentModel" in value):
        return [Flaw("", "holds one of agentProvider and agentModel alone")]
    return flaws


def opaque_descriptor(value: object) -> list[Flaw] | None:
    """Check a descriptor of its known version; v1 carries the others."""
    version = as_count(value.get("version")) if type(value) is dict else None
    return _descriptor(value) if version == 3 or version is None else None  # noqa: PLR2004


def _policy(value: object) -> list[Flaw] | None:
    flaws = list_of(_route, empty=False)(value)
    if flaws is None and type(value) is list:
        seen: set[tuple[str, str]] = set()
        for index, item in enumerate(value):
            pair = (item["provider"], item["model"])
            if pair in seen:
                return [Flaw(f"[{index}]", "names a model twice")]
            seen.add(pair)
    return flaws


_TEAM: dict[str, Check] = {"version": number_one, "teamId": named}
_member = exact(
    {
        "id": named,
        "name": text,
        "description": text,
        "provider": text,
        "context": one_of("fresh", "fork"),
        "phase": one_of("provisioning", "active", "failed"),
    },
    {"error": text},
)
_task = exact(
    {
        "id": named,
        "revision": positive,
        "subject": text,
        "description": text,
        "status": one_of("pending", "in_progress", "completed", "deleted"),
        "blockedBy": _names,
        "writeScopes": list_of(text),
    },
    {"ownerId": named},
)

# -- others

_search_message = exact(
    {"role": one_of("user"), "content": list_of(exact({"type": one_of("text"), "text": text}), empty=False)}
)
_search_tool = exact({"type": one_of("web_search_20250305"), "name": one_of("web_search"), "max_uses": positive})


def _single(each: Check) -> Check:
    def check(value: object) -> list[Flaw] | None:
        if type(value) is not list or len(value) != 1:
            return [Flaw("", "is no list of one")]
        flaws = each(value[0])
        return behind("[0]", flaws) if flaws is not None else None

    return check


_item = exact(
    {
        "messageId": text,
        "rating": one_of("positive", "negative"),
        "version": text,
        "createdAt": count,
        "updatedAt": count,
    },
    {"note": text},
)

SMALL: dict[str, Check] = {
    "agent-preset/selected": exact({"agentPreset": text}),
    "approval/asked": exact({"id": named, "toolName": named}, {"callId": named, "reason": text}),
    "approval/decided": exact({"id": named, "outcome": one_of("allowed-once", "rejected", "cancelled", "unavailable")}),
    "approval/policy": exact({"policy": one_of("ask", "never")}, {"source": one_of("delegation")}),
    "feedback/record": exact({"text": named}),
    "feedback/message-put": exact({"sessionId": text, "item": _item}),
    "feedback/message-delete": exact({"sessionId": text, "messageId": text}),
    "hook/invoked": exact(
        {"turn": count, "point": named, "dialect": one_of("claude-code", "codex"), "handlerId": named},
        {"matcher": text},
    ),
    "hook/result": exact(
        {"turn": count, "point": named, "handlerId": named, "decision": named, "durationMs": _not_negative},
        {"exitCode": integer, "stderrSummary": text},
    ),
    "model/selection": exact({"provider": named, "model": named}, {"reasoningEffort": named}),
    "permission/preset": exact({"preset": named}),
    "plan/mode": exact({"active": boolean}),
    "sandbox/mode": exact(
        {"mode": one_of("read-only", "workspace-write", "danger-full-access")}, {"source": one_of("delegation")}
    ),
    "todo/write": exact(
        {"todos": list_of(exact({"content": text, "status": one_of("pending", "in_progress", "completed")}))}
    ),
    "command/run": exact(
        {"commandId": named, "name": named, "source": exact({"kind": one_of("user")})}, {"args": text}
    ),
    "schedule/change": _schedule,
    "subagent/descriptor": _descriptor,
    "subagent/model-selection-policy": exact({"allowedModels": _policy}),
    "team/member": exact({**_TEAM, "member": _member}),
    "team/task": exact({**_TEAM, "task": _task}),
    "team/message/delivered": exact({**_TEAM, "messageId": named, "targetId": named}),
    "tool-workflow/run-start": exact({"runId": named, "name": named}),
    "tool-workflow/run-end": exact({"runId": named, "stopReason": one_of("completed", "cancelled", "error")}),
    "tool-workflow/agent-start": exact(
        {"runId": named, "seq": positive, "label": text, "childId": named}, {"phase": text}
    ),
    "tool-workflow/agent-end": exact(
        {"runId": named, "seq": positive, "outcome": one_of("completed", "failed", "cancelled")}
    ),
    "web/deepseek-search-llm-request": exact(
        {
            "endpoint": named,
            "apiVersion": named,
            "body": exact(
                {
                    "model": named,
                    "max_tokens": positive,
                    "messages": _single(_search_message),
                    "tools": _single(_search_tool),
                }
            ),
        }
    ),
}

"""Shapes of payloads that a generation's own reader looks at, and the plain spellings it surely accepts.

Each `*_faults` function words every breach; each plain check only says yes, for the quick loop.
Source: events.md §3.
"""

from __future__ import annotations

from typing import Any

from dshlog.model.fault import Fault
from dshlog.model.number import as_count, as_int, as_int_or_zero, is_number

ROLES = {
    "user/message": "user",
    "assistant/message": "assistant",
    "system/message": "system",
    "developer/message": "developer",
}
TOOL_ROLE = 4  # the first generation whose tool results have the role "tool"
REASONS = frozenset({"initial", "resume", "change", "series", "fallback"})  # fallback has a rule of its own
_MESSAGE = "$.data.message"


def is_text(value: object) -> bool:
    """Tell whether a JSON value is a non-empty text."""
    return type(value) is str and value != ""


def message_faults(kind: str, data: object, version: int) -> list[Fault]:
    """Check the message of a surface event as adoption does (P-020..P-027, P-061)."""
    at = "$.data" if kind == "user/message" else _MESSAGE
    message: Any = data if kind == "user/message" else data.get("message") if type(data) is dict else None
    if type(message) is not dict:
        return [Fault("message-missing", f"{kind} holds no message", at)]
    out: list[Fault] = []
    if not is_text(message.get("id")):
        out.append(Fault("message-id-missing", f"the message of {kind} has no id", f"{at}.id"))
    role = ROLES.get(kind) or ("tool" if version >= TOOL_ROLE else "user")
    if message.get("role") != role:
        out.append(Fault("message-role-wrong", f"the message of {kind} does not have the role {role}", f"{at}.role"))
    content = message.get("content")
    if type(content) is not list:
        out.append(Fault("message-content-malformed", f"the content of {kind} is no list", f"{at}.content"))
    source = message.get("source")
    if type(source) is not dict or not is_text(source.get("kind")):
        out.append(Fault("message-source-malformed", f"the source of {kind} names no kind", f"{at}.source"))
        return out
    origin = source["kind"]
    if kind == "assistant/message":
        if origin != "model" or not is_text(source.get("provider")) or not is_text(source.get("model")):
            message_ = "the source of an assistant/message is not model with provider and model"
            out.append(Fault("assistant-source-malformed", message_, f"{at}.source"))
    elif kind == "tool/result":
        if origin != "tool" or not is_text(source.get("callId")):
            out.append(
                Fault("tool-source-malformed", "the source of a tool/result is not tool with a callId", f"{at}.source")
            )
        elif version < TOOL_ROLE and type(content) is list:
            block = content[0] if len(content) == 1 and type(content[0]) is dict else {}
            if (
                block.get("type") != "tool-result"
                or block.get("toolCallId") != source["callId"]
                or type(block.get("content")) is not list
            ):
                text = "the content is not exactly one tool-result block of the same call"
                out.append(Fault("tool-wrapper-malformed", text, f"{at}.content"))
    elif kind == "system/message" and version >= TOOL_ROLE and origin != "system-prompt":
        out.append(
            Fault("system-source-malformed", "the source of a system/message is not system-prompt", f"{at}.source")
        )
    return out


def settlement_faults(kind: str, data: object) -> list[Fault]:
    """Check what settles a model call (P-051): a stream, and a turn and a step that are counts."""
    out: list[Fault] = []
    fields = data if type(data) is dict else {}
    if type(fields.get("stream")) is not list:
        out.append(Fault("settlement-malformed", f"{kind} holds no stream", "$.data.stream"))
    out += [
        Fault("settlement-malformed", f"{name} of {kind} is no count", f"$.data.{name}")
        for name in ("turn", "step")
        if as_count(fields.get(name)) is None
    ]
    return out


def header_faults(data: object, version: int) -> list[Fault]:
    """Check a request/header as adoption does (P-070..P-074, P-078)."""
    header = data.get("header") if type(data) is dict else None
    if type(data) is not dict or type(header) is not dict:
        # v3 and v4 refuse this at the row already; v0 looks at the configuration only.
        return (
            [Fault("header-config-malformed", "request/header holds no header", "$.data.header")]
            if version == 0
            else []
        )
    out: list[Fault] = []
    where = "$.data.header"
    config = header.get("config")
    if type(config) is not dict or not is_text(config.get("provider")) or not is_text(config.get("model")):
        out.append(Fault("header-config-malformed", "config names no provider and model", f"{where}.config"))
    elif "reasoningEffort" in config and not is_text(config["reasoningEffort"]):
        text = "config.reasoningEffort is no text"
        out.append(Fault("header-config-malformed", text, f"{where}.config.reasoningEffort"))
    if "adapterDefaults" in header:
        out += _default_faults(header["adapterDefaults"], config)
    if version == 0:
        return out
    if version >= TOOL_ROLE:
        out += empty_member_faults(header)
    reason = data.get("reason")
    if type(reason) is not str or reason not in REASONS:
        out.append(Fault("header-reason-unknown", "reason is none of initial, resume, change, series", "$.data.reason"))
    if "startsSeries" in data and data["startsSeries"] is not True:
        out.append(Fault("header-series-not-true", "startsSeries is present and not true", "$.data.startsSeries"))
    return out


def empty_member_faults(header: dict[str, Any]) -> list[Fault]:
    """Refuse members that a request/header leaves out when they are empty (P-074)."""
    return [
        Fault("header-member-empty", f"{name} is empty, and must then be left out", f"$.data.header.{name}")
        for name, empty in (("adapterDefaults", {}), ("tools", []))
        if name in header and header[name] == empty
    ]


def row_faults_v3(kind: str, data: object) -> list[Fault]:
    """Check what makes a v3 row malformed beyond its envelope (P-064, P-083)."""
    if type(data) is not dict:
        return (
            [Fault("result-not-object", "the data of tool/result is no object", "$.data")]
            if kind == "tool/result"
            else []
        )
    if kind == "request/header":
        header = data.get("header")
        return empty_member_faults(header) if type(header) is dict else []
    if kind == "tool/result" and "error" in data:
        message = data.get("message")
        content = message.get("content") if type(message) is dict else None
        block = content[0] if type(content) is list and len(content) == 1 else None
        if type(block) is not dict or block.get("type") != "tool-result" or block.get("isError") is not True:
            text = "error stands beside something else than one tool-result block that is an error"
            return [Fault("tool-error-unflagged", text, "$.data.error")]
    return []


def surface_payload_faults(kind: str, data: object, version: int) -> list[Fault]:
    """Check the payload of a surface event as the generation's own reader does; v1 and v2 have none."""
    if version in {1, 2}:
        return []
    faults = message_faults(kind, data, version)
    if kind == "assistant/message" and version > 0:
        faults += settlement_faults(kind, data)
    return faults


def log_only_payload_faults(kind: str, data: object, version: int) -> list[Fault]:
    """Check the payload of a log-only event as the generation's own reader does; v1 and v2 have none."""
    if version in {1, 2}:
        return []
    if kind == "request/header":
        return header_faults(data, version)
    if version == 0 and kind in {"turn/start", "turn/end"}:
        return turn_form_faults(kind, data)
    if version > 0 and kind == "assistant/attempt":
        return settlement_faults(kind, data)
    return []


def _default_faults(defaults: object, config: object) -> list[Fault]:
    where = "$.data.header.adapterDefaults"
    if type(defaults) is not dict:
        return [Fault("header-defaults-malformed", "adapterDefaults is no object", where)]
    held = config if type(config) is dict else {}
    return [
        Fault("header-defaults-malformed", f"adapterDefaults.{ascii(name[:40])[1:-1]} does not fit the config", where)
        for name, value in defaults.items()
        if name not in {"reasoningEffort", "maxTokens"} or value is not True or name not in held
    ]


def turn_form_faults(kind: str, data: object) -> list[Fault]:
    """Check turn/start and turn/end as v0 builds do (P-015)."""
    if type(data) is not dict or (kind == "turn/start" and "trigger" not in data):
        return []
    wanted = {"turn", "trigger"} if kind == "turn/start" else {"turn", "reason"}
    turn = as_int(data.get("turn"))
    if data.keys() != wanted or turn is None or turn < 1:
        text = f"the data of {kind} is not exactly {' and '.join(sorted(wanted, reverse=True))}, with a turn from 1 up"
        return [Fault("turn-form-malformed", text, "$.data")]
    if kind == "turn/start":
        trigger = data["trigger"]
        sound = type(trigger) is dict and is_text(trigger.get("kind"))
        return [] if sound else [Fault("turn-form-malformed", "trigger names no kind", "$.data.trigger")]
    return (
        []
        if _reason_fits(data["reason"])
        else [Fault("turn-form-malformed", "reason has no known form", "$.data.reason")]
    )


def _reason_fits(reason: object) -> bool:
    if type(reason) is not dict or type(reason.get("kind")) is not str:
        return False
    kind = reason["kind"]
    if kind in {"completed", "blocked", "max-tokens", "interrupted", "disposed"}:
        return len(reason) == 1
    if kind == "aborted":
        return "reason" in reason or len(reason) == 1
    if kind != "error" or "error" in reason:
        return True
    step = as_int_or_zero(reason.get("step"))
    if step is None or step < 0:
        return False
    if reason.keys() == {"kind", "step", "failure"}:
        return _failure_fits(reason["failure"])
    text = type(reason.get("message")) is str
    return text and (
        reason.keys() == {"kind", "step", "message"}
        or (reason.keys() == {"kind", "step", "message", "code"} and type(reason["code"]) is str)
    )


def _failure_fits(failure: object) -> bool:
    if type(failure) is not dict or type(failure.get("message")) is not str or type(failure.get("code")) is not str:
        return False
    numbers = all(is_number(failure[name]) for name in ("status", "providerRetryAfterMs") if name in failure)
    known = {"message", "code", "status", "providerRetryAfterMs", "requestId"}
    return numbers and type(failure.get("requestId", "")) is str and failure.keys() <= known

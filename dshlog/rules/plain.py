"""Plain spellings that a reader surely accepts, told quickly; whatever is not plain takes the exact path.

A plain check may say no to a sound payload, never yes to a broken one: the exact checks in payload.py and
admission.py decide and word everything else. Source: the rules named there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.rules.admission import RETIRED_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable

    Plain = Callable[[Any], bool]

_GONE = frozenset({*RETIRED_BLOCKS, "plugin"})  # kinds that v4 refuses as block or as source


def _guarded(check: Plain) -> Plain:
    """Take a missing member or a value of another type for a no."""

    def guarded(data: Any) -> bool:  # noqa: ANN401 - a JSON value
        try:
            return check(data)
        except (KeyError, TypeError, ValueError):
            return False

    return guarded


def _texts(*values: object) -> bool:
    """Tell whether all values are non-empty texts."""
    for value in values:
        if type(value) is not str or not value:
            return False
    return True


def _user(data: Any) -> bool:  # noqa: ANN401
    return (
        data["role"] == "user"
        and _texts(data["id"], data["source"]["kind"])
        and type(data["content"]) is list
    )


def _user_v4(data: Any) -> bool:  # noqa: ANN401
    if not _user(data) or data["source"]["kind"] == "plugin":
        return False
    for block in data["content"]:
        if block["type"] in _GONE:
            return False
    return True


def _assistant(data: Any) -> bool:  # noqa: ANN401
    message = data["message"]
    source = message["source"]
    return (
        message["role"] == "assistant"
        and source["kind"] == "model"
        and _texts(message["id"], source["provider"], source["model"])
        and type(message["content"]) is list
    )


def _settled(data: Any) -> bool:  # noqa: ANN401
    return type(data["stream"]) is list and type(data["turn"]) is type(data["step"]) is int and data["turn"] > 0 < data["step"]


def _assistant_v3(data: Any) -> bool:  # noqa: ANN401
    return _assistant(data) and _settled(data)


def _assistant_v4(data: Any) -> bool:  # noqa: ANN401
    if not _assistant(data) or not _settled(data):
        return False
    for block in data["message"]["content"]:
        if block["type"] in _GONE:
            return False
    return _stream_v4(data)


def _stream_v4(data: Any) -> bool:  # noqa: ANN401
    for record in data["stream"]:
        if record["type"] == "chunk":
            chunk = record["chunk"]
            kind = chunk["type"]
            if kind == "block-start":
                if chunk["blockType"] in _GONE:
                    return False
            elif kind == "block-end" and chunk["block"]["type"] in _GONE:
                return False
    return True


def _result(data: Any) -> bool:  # noqa: ANN401
    message = data["message"]
    source = message["source"]
    (block,) = message["content"]
    return (
        message["role"] == "user"
        and source["kind"] == "tool"
        and block["type"] == "tool-result"
        and _texts(message["id"], source["callId"])
        and block["toolCallId"] == source["callId"]
        and type(block["content"]) is list
        and ("error" not in data or block.get("isError") is True)
    )


def _result_v4(data: Any) -> bool:  # noqa: ANN401
    message = data["message"]
    source = message["source"]
    if (
        message["role"] != "tool"
        or source["kind"] != "tool"
        or not _texts(message["id"], message["toolCallId"])
        or message["toolCallId"] != source["callId"]
        or "error" in data
        or type(message.get("isError", False)) is not bool
        or type(message["content"]) is not list
    ):
        return False
    for block in message["content"]:
        if block["type"] in _GONE:
            return False
    return True


def _turn_start_v0(data: Any) -> bool:  # noqa: ANN401
    return type(data) is dict and "trigger" not in data


def _turn_end_v0(data: Any) -> bool:  # noqa: ANN401
    reason = data["reason"]
    return (
        len(data) == 2  # noqa: PLR2004 - turn, reason
        and type(data["turn"]) is int
        and data["turn"] > 0
        and len(reason) == 1
        and reason["kind"] in ("completed", "interrupted", "max-tokens", "blocked")
    )


def _inbox_v4(data: Any) -> bool:  # noqa: ANN401
    if type(data["inserted"]) is not list:
        return False
    for message in data["inserted"]:
        if message.get("role") != "user" or type(message["source"]["kind"]) is not str or message["source"]["kind"] in {"", "plugin"}:
            return False
        for block in message["content"]:
            if block["type"] in _GONE:
                return False
    return True


# By generation: type -> plain check. Surface types that are missing always take the exact path.
PLAIN: dict[int, dict[str, Plain]] = {
    version: {kind: _guarded(check) for kind, check in checks.items()}
    for version, checks in {
        0: {
            "user/message": _user,
            "assistant/message": _assistant,
            "tool/result": _result,
            "turn/start": _turn_start_v0,
            "turn/end": _turn_end_v0,
        },
        1: dict.fromkeys(("user/message", "assistant/message", "tool/result"), lambda _: True),
        2: dict.fromkeys(("user/message", "assistant/message", "tool/result"), lambda _: True),
        3: {
            "user/message": _user,
            "assistant/message": _assistant_v3,
            "tool/result": _result,
            "assistant/attempt": _settled,
        },
        4: {
            "user/message": _user_v4,
            "assistant/message": _assistant_v4,
            "tool/result": _result_v4,
            "assistant/attempt": lambda data: _settled(data) and _stream_v4(data),
            "agent/inbox/spliced": _inbox_v4,
        },
    }.items()
}

# By generation: log-only types that always take the exact path; all are rare.
EXACT: tuple[frozenset[str], ...] = (
    frozenset({"request/header"}),
    frozenset(),
    frozenset({"session/end-seed"}),
    frozenset({"request/header", "session/end-seed"}),
    frozenset(
        {
            "request/header",
            "session/end-seed",
            "session/title-llm-request",
            "compaction/start",
            "compaction/summary",
            "compaction/end",
            "tool/ptc-dispatch",
            "tool/ptc-dispatch-start",
            "team/message/queued",
            "image/offload",
        }
    ),
)

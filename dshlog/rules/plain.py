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


def _user(data: Any) -> bool:  # noqa: ANN401
    name, kind = data["id"], data["source"]["kind"]
    return (
        type(name) is type(kind) is str
        and name != ""
        and kind != ""
        and data["role"] == "user"
        and type(data["content"]) is list
    )


def _user_v4(data: Any) -> bool:  # noqa: ANN401
    if not _user(data) or data["source"]["kind"] == "plugin":
        return False
    for block in data["content"]:  # noqa: SIM110 - a loop costs less than a generator
        if block["type"] in _GONE:
            return False
    return True


def _assistant(data: Any) -> bool:  # noqa: ANN401
    message = data["message"]
    source = message["source"]
    name, provider, model = message["id"], source["provider"], source["model"]
    return (
        type(name) is type(provider) is type(model) is str
        and name != ""
        and provider != ""
        and model != ""
        and message["role"] == "assistant"
        and source["kind"] == "model"
        and type(message["content"]) is list
    )


def _settled(data: Any) -> bool:  # noqa: ANN401
    return (
        type(data["stream"]) is list
        and type(data["turn"]) is type(data["step"]) is int
        and data["turn"] > 0 < data["step"]
    )


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
    name, call_id = message["id"], source["callId"]
    return (
        type(name) is type(call_id) is str
        and name != ""
        and call_id != ""
        and message["role"] == "user"
        and source["kind"] == "tool"
        and block["type"] == "tool-result"
        and block["toolCallId"] == source["callId"]
        and type(block["content"]) is list
        and ("error" not in data or block.get("isError") is True)
    )


def _result_v4(data: Any) -> bool:  # noqa: ANN401
    message = data["message"]
    source = message["source"]
    name, call_id = message["id"], message["toolCallId"]
    if (
        type(name) is not str
        or type(call_id) is not str
        or name == ""
        or call_id == ""
        or call_id != source["callId"]
        or message["role"] != "tool"
        or source["kind"] != "tool"
        or "error" in data
        or type(message.get("isError", False)) is not bool
        or type(message["content"]) is not list
    ):
        return False
    for block in message["content"]:  # noqa: SIM110 - a loop costs less than a generator
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
        if (
            message.get("role") != "user"
            or type(message["source"]["kind"]) is not str
            or message["source"]["kind"] in {"", "plugin"}
        ):
            return False
        for block in message["content"]:
            if block["type"] in _GONE:
                return False
    return True


# By generation: type -> plain check, which may raise KeyError, TypeError or ValueError for a no. Surface
# types that are missing always take the exact path.
PLAIN: tuple[dict[str, Plain], ...] = (
    {
        "user/message": _user,
        "assistant/message": _assistant,
        "tool/result": _result,
        "turn/start": _turn_start_v0,
        "turn/end": _turn_end_v0,
    },
    dict.fromkeys(("user/message", "assistant/message", "tool/result"), lambda _: True),
    dict.fromkeys(("user/message", "assistant/message", "tool/result"), lambda _: True),
    {
        "user/message": _user,
        "assistant/message": _assistant_v3,
        "tool/result": _result,
        "assistant/attempt": _settled,
    },
    {
        "user/message": _user_v4,
        "assistant/message": _assistant_v4,
        "tool/result": _result_v4,
        "assistant/attempt": lambda data: _settled(data) and _stream_v4(data),
        "agent/inbox/spliced": _inbox_v4,
    },
)

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

"""Compact facts of plainly spelled payloads, read quickly; whatever is not plain takes the exact path.

A reader here may say None to a sound payload, never give facts of a broken one: the exact checks in
payload.py and admission.py decide and word everything else. Source: the rules named there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.content import plain_print
from dshlog.fold.identity import ABSENT
from dshlog.fold.surface import ASSISTANT, USER
from dshlog.model.number import MAX_SAFE
from dshlog.rules.admission import RETIRED_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable

    # What stands at the node (a kind or a print), turn, step, what the event is about (the source kind of a
    # user message, the tool-call blocks of an assistant message, the call id of a result), the message's id,
    # whether it derives no message, and the message.
    Facts = tuple[int, object, object, Any, str, bool, Any]
    FactReader = Callable[[Any], "Facts | None"]
    Plain = Callable[[Any], bool]

_ODD_BLOCKS = frozenset({*RETIRED_BLOCKS, "image"})  # kinds that a v4 reader looks at more closely
_EMPTY: list[Any] = []


def _user(data: Any) -> Facts | None:  # noqa: ANN401 - a JSON value
    name, kind = data["id"], data["source"]["kind"]
    if (
        type(name) is not str
        or type(kind) is not str
        or name == ""
        or kind == ""
        or data["role"] != "user"
        or type(data["content"]) is not list
    ):
        return None
    return USER, ABSENT, ABSENT, kind, name, False, data


def _user_v4(data: Any) -> Facts | None:  # noqa: ANN401
    facts = _user(data)
    if facts is None or facts[3] == "plugin":
        return None
    for block in data["content"]:
        if block["type"] in _ODD_BLOCKS:
            return None
    return facts


def _assistant(data: Any) -> Facts | None:  # noqa: ANN401
    message = data["message"]
    source = message["source"]
    name, provider, model, content = message["id"], source["provider"], source["model"], message["content"]
    if (
        type(name) is not str
        or type(provider) is not str
        or type(model) is not str
        or name == ""
        or provider == ""
        or model == ""
        or message["role"] != "assistant"
        or source["kind"] != "model"
        or type(content) is not list
    ):
        return None
    calls = _EMPTY
    for block in content:
        kind = block["type"]
        if kind == "tool-call":
            call_id = block["id"]
            if type(call_id) is not str or call_id == "":
                return None
            calls = [*calls, block]
        elif kind in RETIRED_BLOCKS:
            return None
    return ASSISTANT, data["turn"], data["step"], calls, name, not content, message


def _settled(data: Any) -> bool:  # noqa: ANN401
    turn, step = data["turn"], data["step"]
    return (
        type(turn) is int
        and type(step) is int
        and 0 < turn <= MAX_SAFE
        and 0 < step <= MAX_SAFE
        and type(data["stream"]) is list
    )


def _assistant_v3(data: Any) -> Facts | None:  # noqa: ANN401
    return _assistant(data) if _settled(data) else None


def _assistant_v4(data: Any) -> Facts | None:  # noqa: ANN401
    return _assistant(data) if _settled(data) and _stream_v4(data) else None


def _stream_v4(data: Any) -> bool:  # noqa: ANN401
    for record in data["stream"]:
        if record["type"] == "chunk":
            chunk = record["chunk"]
            kind = chunk["type"]
            if kind == "block-start":
                if chunk["blockType"] in RETIRED_BLOCKS:
                    return False
            elif kind == "block-end" and chunk["block"]["type"] in RETIRED_BLOCKS:
                return False
    return True


def _result(data: Any) -> Facts | None:  # noqa: ANN401
    message = data["message"]
    source = message["source"]
    (block,) = message["content"]
    name, call_id, turn, step, failed = (
        message["id"],
        source["callId"],
        data["turn"],
        data["step"],
        block.get("isError"),
    )
    if (
        type(name) is not str
        or type(call_id) is not str
        or type(turn) is not int
        or type(step) is not int
        or name == ""
        or call_id == ""
        or len(data) != 3  # noqa: PLR2004 - turn, step, message
        or len(message) != 4  # noqa: PLR2004 - id, role, source, content
        or len(source) != 2  # noqa: PLR2004 - kind, callId
        or message["role"] != "user"
        or source["kind"] != "tool"
        or block["type"] != "tool-result"
        or not -MAX_SAFE <= turn <= MAX_SAFE  # beyond, several integers are one number
        or not -MAX_SAFE <= step <= MAX_SAFE
        or block["toolCallId"] != call_id
        or type(block["content"]) is not list
        or (len(block) != 3 if failed is None else len(block) != 4 or (failed is not False and failed is not True))  # noqa: PLR2004
    ):
        return None
    return plain_print(turn, step, failed, name, call_id), turn, step, call_id, name, False, message


def _result_v4(data: Any) -> Facts | None:  # noqa: ANN401
    message = data["message"]
    source = message["source"]
    name, call_id, turn, step, content = (
        message["id"],
        message["toolCallId"],
        data["turn"],
        data["step"],
        message["content"],
    )
    failed = message.get("isError")
    if (
        type(name) is not str
        or type(call_id) is not str
        or type(turn) is not int
        or type(step) is not int
        or name == ""
        or call_id == ""
        or len(data) != 3  # noqa: PLR2004 - turn, step, message
        or len(source) != 2  # noqa: PLR2004 - kind, callId
        or not -MAX_SAFE <= turn <= MAX_SAFE  # beyond, several integers are one number
        or not -MAX_SAFE <= step <= MAX_SAFE
        or source["callId"] != call_id
        or source["kind"] != "tool"
        or message["role"] != "tool"
        or type(content) is not list
        # id, role, source, toolCallId, content
        or (len(message) != 5 if failed is None else len(message) != 6 or (failed is not False and failed is not True))  # noqa: PLR2004
    ):
        return None
    for block in content:
        if block["type"] in _ODD_BLOCKS:
            return None
    return plain_print(turn, step, failed, name, call_id), turn, step, call_id, name, False, message


def _turn_start_v0(data: Any) -> bool:  # noqa: ANN401
    return type(data) is dict and "trigger" not in data


def _turn_end_v0(data: Any) -> bool:  # noqa: ANN401
    reason = data["reason"]
    return (
        len(data) == 2  # noqa: PLR2004 - turn, reason
        and type(data["turn"]) is int
        and 0 < data["turn"] <= MAX_SAFE
        and len(reason) == 1
        and reason["kind"] in ("completed", "interrupted", "max-tokens", "blocked")
    )


def _attempt_v4(data: Any) -> bool:  # noqa: ANN401
    return _settled(data) and _stream_v4(data)


def _prune_v4(data: Any) -> bool:  # noqa: ANN401
    # The fast parser loses the sign of a zero, and here it counts.
    span = data["shadowedRange"]
    return span["start"] != 0 != span["end"] and 0 not in data["shadowedSeqs"]


def _inbox_v4(data: Any) -> bool:  # noqa: ANN401
    if type(data["inserted"]) is not list:
        return False
    for message in data["inserted"]:
        kind = message["source"]["kind"]
        if message.get("role") != "user" or type(kind) is not str or kind in {"", "plugin"}:
            return False
        for block in message["content"]:
            if block["type"] in RETIRED_BLOCKS:
                return False
    return True


# By generation: surface type -> reader of its facts. Every reader may raise KeyError, TypeError, ValueError or
# AttributeError for a no. Surface types that are missing always take the exact path.
FACTS: tuple[dict[str, FactReader], ...] = (
    {"user/message": _user, "assistant/message": _assistant, "tool/result": _result},
    {},
    {},
    {"user/message": _user, "assistant/message": _assistant_v3, "tool/result": _result},
    {"user/message": _user_v4, "assistant/message": _assistant_v4, "tool/result": _result_v4},
)

# By generation: log-only type -> whether its payload is plain.
PLAIN: tuple[dict[str, Plain], ...] = (
    {"turn/start": _turn_start_v0, "turn/end": _turn_end_v0},
    {},
    {},
    {"assistant/attempt": _settled},
    {"assistant/attempt": _attempt_v4, "agent/inbox/spliced": _inbox_v4, "compaction/prune": _prune_v4},
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
            "session/title",
            "session/title-llm-request",
            "session-log-deepseek/delivery-accepted",
            "subagent/catalog",
            "command/done",
            "llm/retry",
            "llm/retry-started",
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

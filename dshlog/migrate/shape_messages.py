"""Messages of v0 to v2 as the upgrade wants them: content blocks, sources, roles. Source: events.md §3.2, migration.md §6."""

from __future__ import annotations

from typing import Any

from dshlog.fold.identity import ABSENT
from dshlog.migrate.shape_goal import change, goal_source_flaws
from dshlog.migrate.shapes import (
    Check,
    Flaw,
    anything,
    behind,
    boolean,
    count,
    exact,
    list_of,
    named,
    number_one,
    one_of,
    positive,
    text,
    true,
)
from dshlog.model.number import as_count

STRICT = 2  # the generation from which on unknown content and sources are refused

_size = exact({"width": positive, "height": positive})
_image = exact(
    {
        "attachmentId": named,
        "mediaType": one_of("image/png", "image/jpeg", "image/webp", "image/gif"),
        "bytes": count,
        "width": positive,
        "height": positive,
    },
    {"name": text, "originalDimensions": _size},
)
_file = exact({"attachmentId": named, "name": text, "bytes": count})
_BLOCKS: dict[str, Check] = {
    "text": exact({"type": text, "text": text}),
    "reasoning": exact({"type": text, "text": text}),
    "image": exact({"type": text, "attachment": _image}),
    "tool-call": exact({"type": text, "id": named, "name": named, "arguments": text}),
    "tool-result": exact({"type": text, "toolCallId": named, "content": anything}, {"isError": boolean}),
}
_STRICT_BLOCKS: dict[str, Check] = {**_BLOCKS, "file": exact({"type": text, "attachment": _file})}
ADMITTED = frozenset(_STRICT_BLOCKS)  # kinds of content that v3 and v4 know


def content(version: int) -> Check:
    """Give the check of a list of content blocks; nested lists are looked at without recursion."""
    known = _STRICT_BLOCKS if version >= STRICT else _BLOCKS

    def check(value: object) -> list[Flaw] | None:
        if type(value) is not list:
            return [Flaw("", "is no list of content blocks")]
        out: list[Flaw] | None = None
        waiting: list[tuple[str, list[Any]]] = [("", value)]
        for path, blocks in waiting:
            for index, item in enumerate(blocks):
                kind = item.get("type") if type(item) is dict else None
                where = f"{path}[{index}]"
                if type(kind) is not str or not kind:
                    out = [*(out or ()), Flaw(where, "is no block with a type")]
                    continue
                shape = known.get(kind)
                if shape is None:
                    if version >= STRICT:
                        out = [
                            *(out or ()),
                            Flaw(
                                where,
                                f"is of the kind {kind[:40]!a}, which is no content of v2",
                                "upgrade-content-kind",
                                kind,
                            ),
                        ]
                    continue
                flaws = shape(item)
                if flaws is not None:
                    out = [*(out or ()), *behind(where, flaws)]
                if kind == "tool-result":
                    if type(item.get("content")) is list:
                        waiting.append((f"{where}.content", item["content"]))
                    else:
                        out = [*(out or ()), Flaw(f"{where}.content", "is no list of content blocks")]
        return out

    return check


# -- sources

_FORMS = one_of("instructions", "catalog", "snapshot", "notice", "relay", "recall")
_sections = list_of(exact({"name": named, "text": text}))
_change = exact({"action": one_of("set", "replace", "remove"), "scope": text, "path": text}, {"digest": text})
_REFERENCE: dict[str, Check] = {
    "sessionId": named,
    "label": text,
    "capturedThroughSeq": lambda value: None if value is None else count(value),
    "compacted": boolean,
    "originalMessages": count,
    "retainedMessages": count,
    "omittedMessages": count,
    "omittedBytes": count,
    "inputIndex": count,
    "truncated": boolean,
}


def _plugin(source: dict[str, Any]) -> list[Flaw] | None:
    """P-041."""
    required: dict[str, Check] = {"kind": text, "plugin": named}
    optional: dict[str, Check] = {"form": _FORMS}
    if source.get("plugin") == "compact":
        required["compactionId"] = named
        optional["sourceCommandId"] = named
    form = source.get("form", ABSENT)
    if form is ABSENT:
        optional |= {"sections": anything, "summary": anything}
    elif form == "snapshot":
        required["sections"] = _sections
    elif form == "notice":
        required["summary"] = text
    return exact(required, optional)(source)


def _references(version: int) -> Check:
    optional: dict[str, Check] = {}
    if version > 0:

        def captured(value: object) -> list[Flaw] | None:
            number = as_count(value)
            return None if number is not None and 1 <= number <= version else [Flaw("", f"is not 1 to {version}")]

        optional["capturedFormatVersion"] = captured
    each = exact(_REFERENCE, optional)

    def check(value: object) -> list[Flaw] | None:
        flaws = list_of(each, empty=False)(value)
        if flaws is not None or type(value) is not list:
            return flaws
        out: list[Flaw] = []
        seen: set[str] = set()
        for index, item in enumerate(value):
            lost = item["omittedMessages"]
            if lost != item["originalMessages"] - item["retainedMessages"]:
                out.append(Flaw(f"[{index}].omittedMessages", "is not what is left out"))
            if item["truncated"] != (lost > 0 or item["omittedBytes"] > 0):
                out.append(Flaw(f"[{index}].truncated", "does not go with what is left out"))
            if item["inputIndex"] != index:
                out.append(Flaw(f"[{index}].inputIndex", "is not its place in the list"))
            if item["sessionId"] in seen:
                out.append(Flaw(f"[{index}].sessionId", "names a session twice"))
            seen.add(item["sessionId"])
        return out or None

    return check


def _sources(version: int) -> dict[str, Check]:
    def kind(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
        return exact({"kind": text, **required}, optional)

    relay = kind({"form": one_of("relay"), "senderSessionId": named})
    table: dict[str, Check] = {
        "user": kind({}, {"rpcId": named, "clientTimeZone": named}),
        "plugin": _plugin,
        "model": kind({"provider": named, "model": named}, {"replayState": anything}),
        "tool": kind({"callId": named}),
        "agent-instructions": kind(
            {"form": one_of("instructions"), "changes": list_of(_change)}, {"baseline": true, "baselineIdentity": named}
        ),
        "session-reference": kind(
            {
                "form": one_of("recall"),
                "version": number_one,
                "references": _references(version),
            }
        ),
        "team-message": kind({"teamId": named, "messageId": named, "senderId": named, "senderName": text}),
        "goal": kind({"goalId": named, "revision": positive, "round": positive}),
        "skill-invocation": kind({"name": named, "form": one_of("instructions")}),
        "skill-catalog": kind(
            {"form": one_of("catalog"), "entries": list_of(exact({"name": named, "description": text}))},
            {"update": true},
        ),
        "coordinator": relay,
        "subagent-report": relay,
        "agent-message": relay,
        "subagent-settled": kind({"form": one_of("notice"), "summary": text, "senderSessionId": named}),
        "webhook": kind(
            {
                "provider": named,
                "source": named,
                "deliveryId": named,
                "ruleId": named,
                "form": one_of("notice"),
                "summary": text,
            }
        ),
    }
    if version < STRICT:
        plain = table["goal"]
        legacy = kind(
            {
                "goalId": named,
                "revision": positive,
                "round": lambda value: None if as_count(value) == 0 else [Flaw("", "is not 0")],
                "change": change,
            }
        )
        table["goal"] = lambda source: (legacy if "change" in source else plain)(source)
    return table


def source(version: int) -> Check:
    """Give the check of a message source."""
    known = _sources(version)

    def check(value: object) -> list[Flaw] | None:
        kind = value.get("kind") if type(value) is dict else None
        if type(kind) is not str or not kind:
            return [Flaw("", "names no kind")]
        shape = known.get(kind)
        if shape is not None:
            return shape(value)
        return (
            [Flaw("", f"is of the kind {kind[:40]!a}, which v2 does not have", "upgrade-source-kind", kind)]
            if version >= STRICT
            else None
        )

    return check


# -- messages


def message(version: int, role: str, kind: str | None = None) -> Check:
    """Give the check of a message of one role, and, when one is named, of one source kind."""
    origin = source(version)

    def of_kind(value: object) -> list[Flaw] | None:
        flaws = origin(value)
        if flaws is None and kind is not None and type(value) is dict and value["kind"] != kind:
            return [Flaw("", f"is not of the kind {kind}")]
        return flaws

    shape = exact({"id": named, "role": one_of(role), "content": content(version), "source": of_kind})

    def check(value: object) -> list[Flaw] | None:
        flaws = shape(value)
        if flaws is None and version < STRICT and kind is None and type(value) is dict:
            return goal_source_flaws(value)
        return flaws

    return check


def result_message(version: int) -> Check:
    """Give the check of the message of a tool result: one wrapper block of its own call (P-061)."""
    shape = message(version, "user", "tool")

    def check(value: object) -> list[Flaw] | None:
        flaws = shape(value)
        if flaws is not None or type(value) is not dict:
            return flaws
        blocks = value["content"]
        block = blocks[0] if len(blocks) == 1 else {}
        if block.get("type") != "tool-result" or block["toolCallId"] != value["source"]["callId"]:
            return [Flaw(".content", "is not exactly one tool-result block of the same call")]
        return None

    return check

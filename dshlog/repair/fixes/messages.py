"""Fixes of messages, of their content, and of events of old forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.migrate.old_forms import OldFormError, reason_of
from dshlog.model.number import as_count
from dshlog.repair.fixes.path import cut, held, put, spelled
from dshlog.repair.fixes.spot import Said
from dshlog.repair.remedies.case import shown, without
from dshlog.repair.remedies.wrapper import content_of
from dshlog.storage.jsontext import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.repair.fixes.spot import Spot

    Event = dict[str, Any]

_PREFIX = "v2-to-v3-system-"
_FAILURE = ("message", "code", "status", "providerRetryAfterMs", "requestId")


# -- old forms


def old_form(spot: Spot) -> Iterator[Said]:
    """Give a turn or a steering message the form that the upgrade makes of it."""
    data, kind = spot.data, spot.kind
    made: Event | None = None
    if kind == "turn/start" and "trigger" in data and as_count(data.get("turn")):
        made = {"turn": data["turn"]}
    elif kind == "turn/end" and as_count(data.get("turn")):
        reason = _reason(data.get("reason"))
        made = None if reason is None else {"turn": data["turn"], "reason": reason}
    elif kind == "steering/message":
        made = _steering(data)
    elif kind == "request/header" and type(data.get("header")) is dict:
        made = put(data, ("header",), without(data["header"], "messagePrefix"))
    if made is None or made == data:
        return
    gone = [name for name in data if name not in made and name != "trigger"]
    text = f"the {kind} gets the form that the upgrade makes of it: {shown(made)}"
    yield Said({**spot.row, "data": made}, text, ", ".join(gone) or _lost(data, made))


def _lost(data: Event, made: Event) -> str:
    old, new = data.get("reason"), made.get("reason")
    if type(old) is not dict or type(new) is not dict:
        return "none"
    gone = [name for name in old if name not in new and name not in {"step", "failure", "message", "code"}]
    return f"{', '.join(gone)} of the reason" if gone else "none"


def _reason(reason: Any) -> Event | None:  # noqa: ANN401 - a JSON value
    """Give a reason of v1 that says the same, without what no reason holds."""
    kind = reason.get("kind") if type(reason) is dict else None
    if type(reason) is not dict or type(kind) is not str or not kind:
        return None
    failure = reason.get("failure", reason.get("error", reason))
    if kind == "error" and type(failure) is dict and type(failure.get("message")) is str:
        held_failure = {name: failure[name] for name in _FAILURE if name in failure}
        return {"kind": "error", "error": {**held_failure, "code": failure.get("code", "UNKNOWN")}}
    plain = {"kind": kind, **({"reason": reason["reason"]} if kind == "aborted" and "reason" in reason else {})}
    try:
        return reason_of({"turn": 1, "reason": plain})  # type: ignore[no-any-return]
    except OldFormError:
        return None


def _steering(data: Event) -> Event | None:
    turn = data.get("turn") if as_count(data.get("turn")) is not None else 0
    if type(data.get("message")) is dict:
        return {"turn": turn, "message": data["message"]}
    if "content" in data:
        return {"turn": turn, "content": data["content"], "source": data.get("source", {"kind": "user"})}
    return None


# -- content


def content_text(spot: Spot) -> Iterator[Said]:
    """Let a block of an unknown kind be a text that spells it."""
    steps = spot.found.steps
    if spot.values and spot.refusal.about not in spot.values:
        return
    if spot.found.rest == ".blockType":
        yield Said(
            put(spot.row, (*steps, "blockType"), "text"),
            "blockType becomes text; it was missing",
            "nothing, but blockType is made up",
        )
        return
    block = held(spot.row, steps) if steps else None
    if type(block) is str and steps[-1] == "blockType":
        yield Said(put(spot.row, steps, "text"), f"the blockType {shown(block)} becomes text", "that it was no text")
    elif type(block) is dict:
        made = {"type": "text", "text": dumps(block).decode("utf-8", "surrogatepass")}
        text = f"the block of kind {shown(block.get('type'))} becomes a text that spells it"
        yield Said(put(spot.row, steps, made), text, "that it was no text")


def flag_error(spot: Spot) -> Iterator[Said]:
    """Mark a result with an error as failed."""
    message = spot.data.get("message")
    blocks = message.get("content") if type(message) is dict else None
    if type(blocks) is list and len(blocks) == 1 and type(blocks[0]) is dict:
        made = {**blocks[0], "isError": True}
        was = shown(blocks[0]["isError"]) if "isError" in blocks[0] else "missing"
        text = f"isError of the result becomes true, as its error says; it was {was}"
        yield Said(
            put(spot.row, ("data", "message", "content", 0), made),
            text,
            "none" if was == "missing" else f"isError = {was}",
        )


def message_form(spot: Spot) -> Iterator[Said]:
    """Make a list of content of what stands in its place."""
    steps, rest = spot.found
    at = next((end for end in range(len(steps), -1, -1) if _holds_content(held(spot.row, steps[:end]))), None)
    holder = held(spot.row, steps[:at]) if at is not None else None
    if type(holder) is not dict or rest.startswith(".source"):
        return
    content = holder.get("content")
    made = content_of(content)
    if made is None or made == content:
        return
    where = (*steps[:at], "content")
    yield Said(put(spot.row, where, made), f"{spelled(where)} becomes a list of content; it was {shown(content)}")


def _holds_content(value: Any) -> bool:  # noqa: ANN401
    return type(value) is dict and "content" in value


# -- others


def rename_message(spot: Spot) -> Iterator[Said]:
    """Give a message an id that the upgrade does not give away."""
    steps = spot.found.steps
    name = held(spot.row, steps) if steps and steps[-1] == "id" else None
    if type(name) is str:
        made = f"message-{spot.seq}-{name}"
        yield Said(
            put(spot.row, steps, made),
            f"the id {name} becomes {made}: the upgrade gives it to a system message",
            "the id",
        )


def drop_system_text(spot: Spot) -> Iterator[Said]:
    """Take the system prompt out of a request/header."""
    header = spot.data.get("header")
    if type(header) is dict and "system" in header:
        text = f"header.system goes; it was {shown(header['system'])}"
        yield Said(cut(spot.row, ("data", "header", "system")), text, "the system text")

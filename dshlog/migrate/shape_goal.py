"""Goal changes of v0 to v2, and the old message that carried one. Source: events.md P-045, P-140."""

from __future__ import annotations

from typing import Any

from dshlog.migrate.shapes import Check, Flaw, anything, count, exact, named, number_one, one_of, positive
from dshlog.storage.jsontext import dumps

_PHASES = one_of("active", "paused", "blocked", "complete")
_goal: dict[str, Check] = {
    "id": named,
    "revision": positive,
    "objective": named,
    "phase": _PHASES,
    "maxGoalRounds": positive,
}
_reason = exact({"code": named, "message": named})
_HEAD: dict[str, Check] = {"kind": one_of("goal/change"), "version": number_one}
_clear = exact(
    {
        **_HEAD,
        "operation": anything,
        "cleared": exact({"id": named, "revision": positive}),
        "clearedAt": count,
    }
)


def _state(value: object) -> list[Flaw] | None:
    blocked = type(value) is dict and value.get("phase") == "blocked"
    return exact({**_goal, "blockedReason": _reason} if blocked else _goal)(value)


_snapshot = exact(
    {
        **_HEAD,
        "operation": one_of("create", "edit", "pause", "resume", "complete", "block"),
        "goal": _state,
        "roundsStarted": count,
        "createdAt": count,
        "updatedAt": count,
    }
)


def change(value: object) -> list[Flaw] | None:
    """Check a goal change (P-140)."""
    clears = type(value) is dict and value.get("operation") == "clear"
    return (_clear if clears else _snapshot)(value)


def goal_source_flaws(message: dict[str, Any]) -> list[Flaw] | None:
    """Check what ties an old goal message to the change in its source (P-045)."""
    source = message["source"]
    if source["kind"] != "goal" or "change" not in source:
        return None
    held = source["change"]
    names = (
        ("cleared", "clearedAt")
        if held["operation"] == "clear"
        else ("goal", "roundsStarted", "createdAt", "updatedAt")
    )
    about = held[names[0]]
    if about["id"] != source["goalId"] or about["revision"] != source["revision"]:
        return [Flaw(".source", "names another goal or revision than its change")]
    blocks = message["content"]
    # Half a surrogate pair is one character here and an escape in the written form; compare what is written.
    wanted = b"<goal_state>" + dumps({name: held[name] for name in names}) + b"</goal_state>"
    block = blocks[0] if len(blocks) == 1 else {}
    if block.get("type") != "text" or block["text"].encode("utf-8", "surrogatepass") != wanted:
        return [Flaw(".content", "does not spell the change as the goal state")]
    return None

"""A member that the upgrade misses: derived from the events before it where they tell, else the plainest that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.repair.fixes.path import held, put, spelled
from dshlog.repair.fixes.spot import Said
from dshlog.repair.remedies.case import shown
from dshlog.repair.remedies.turns import scanned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dshlog.repair.fixes.path import Steps
    from dshlog.repair.fixes.spot import Spot

    Event = dict[str, Any]

_PLAIN: dict[str, Any] = {
    "description": "",
    "parameters": {},
    "text": "",
    "summary": "",
    "sections": [],
    "content": [],
    "inserted": [],
    "stream": [],
    "senderName": "",
    "label": "",
    "isError": False,
    "messageSeqs": [],
    "shadowedTokenCount": 0,
    "delayMs": 0,
    "start": 0,
    "arguments": "{}",
    "outcome": "cancelled",
}
_UNKNOWN_END = {"kind": "interrupted"}
_BRACKETS = frozenset({"turn/start", "turn/end", "step/start", "step/end"})
_ROLES = {"user/message": "user", "assistant/message": "assistant", "tool/result": "user", "system/message": "system"}


def add_member(spot: Spot) -> Iterator[Said]:
    """Put in the member that is missing or of no use."""
    steps, rest = spot.found
    if not rest and len(steps) > 1 and type(steps[-1]) is str:
        yield from _replaced(spot, steps)
        return
    name = rest.removeprefix(".")
    if rest == "" and steps == ("data",) and spot.kind in _BRACKETS:
        yield from _bracket(spot)
    if not rest.startswith(".") or "." in name or "[" in name or not steps:
        return
    holder = held(spot.row, steps)
    if type(holder) is not dict:
        return
    made = _derived(spot, name, holder)
    loss = "none"
    if made is None and name in _PLAIN:
        made = _PLAIN[name]
    if made is not None and (name in _PLAIN or name == "reason"):
        loss = f"nothing, but {name} is made up"
    if made is None:
        return
    place = (*steps, name)
    how = "as the events before it tell" if loss == "none" else "made up"
    yield Said(put(spot.row, place, made), f"{spelled(place)} becomes {shown(made)}, {how}; it was missing", loss)


def _replaced(spot: Spot, steps: Steps) -> Iterator[Said]:
    """Give a member another value, where the events before it tell which."""
    old, made = held(spot.row, steps), _derived(spot, str(steps[-1]), held(spot.row, steps[:-1]))
    if made is not None and made != old:
        text = f"{spelled(steps)} becomes {shown(made)}; it was {shown(old)}"
        yield Said(put(spot.row, steps, made), text, f"{spelled(steps)} = {shown(old)}")


def _bracket(spot: Spot) -> Iterator[Said]:
    """Give a turn or a step that holds nothing what the events before it tell."""
    scan, _ = scanned(spot.sheet, spot.index, spot.version)
    turn = _number(scan.turn) or 1
    data: Event = {"turn": turn}
    if spot.kind.startswith("step/"):
        data["step"] = _number(scan.step) or 1
    if spot.kind == "turn/end":
        data["reason"] = _UNKNOWN_END
    text = f"the data of {spot.kind} becomes {shown(data)}; it was {shown(spot.row.get('data'))}"
    yield Said({**spot.row, "data": data}, text, "nothing, but data is made up")


def _number(value: object) -> int | None:
    return value if type(value) is int else None


def _derived(spot: Spot, name: str, holder: Event) -> Any:  # noqa: ANN401 - a JSON value
    if name in {"turn", "step"}:
        scan, _ = scanned(spot.sheet, spot.index, spot.version)
        number = scan.turn if name == "turn" else scan.step
        return _number(number)
    if name == "id":
        return f"recovered-message-{spot.seq}" if "content" in holder and "role" in holder else None
    if name == "role":
        return _ROLES.get(spot.kind, "user")
    if name == "compactionId":
        return _compaction(spot)
    if name == "retryId":
        return _retry(spot, holder)
    if name == "maxRetries":
        return holder.get("retry")
    if name == "reason" and spot.kind == "turn/end":
        return _UNKNOWN_END
    if name == "reason" and spot.kind == "request/header":
        return "change" if _before(spot, lambda row: row.get("type") == "request/header") else "initial"
    if name in {"provider", "model"}:
        return _route(spot, name)
    if name == "source":
        return _source(spot)
    return None


def _source(spot: Spot) -> Event | None:
    if spot.kind == "session/title":
        return {"kind": "user"} if not spot.data.get("messageSeqs") else {"kind": "fallback"}
    if spot.kind == "assistant/message":
        provider, model = _route(spot, "provider"), _route(spot, "model")
        return None if provider is None or model is None else {"kind": "model", "provider": provider, "model": model}
    if spot.kind == "command/run" or (spot.kind == "user/message" and "source" not in spot.data):
        return {"kind": "user"}
    return {"kind": "plugin", "plugin": "unknown"} if spot.kind == "user/message" else None


def _before(spot: Spot, fits: Callable[[Event], bool]) -> Event | None:
    for line in reversed(spot.sheet.lines[1 : spot.index]):
        if line.row is not None and fits(line.row):
            return line.row
    return None


def _route(spot: Spot, name: str) -> Any:  # noqa: ANN401 - a JSON value
    row = _before(spot, lambda row: row.get("type") == "request/header")
    try:
        return None if row is None else row["data"]["header"]["config"][name]
    except (KeyError, TypeError):
        return None


def _compaction(spot: Spot) -> str:
    row = _before(spot, lambda row: row.get("type") in {"compaction/start", "compact/start"})
    data = row.get("data") if row is not None else None
    name = data.get("compactionId") if type(data) is dict else None
    if type(name) is str and name:
        return name
    seq = row.get("seq") if row is not None else spot.seq
    return f"legacy-compaction:{spot.session}:{seq}"  # the id that the upgrade gives to such a start


def _retry(spot: Spot, holder: Event) -> str | None:
    def same(row: Event) -> bool:
        data = row.get("data")
        return (
            row.get("type") == "llm/retry"
            and type(data) is dict
            and all(data.get(name) == holder.get(name) for name in ("turn", "step"))
        )

    first = _before(spot, same)
    if first is None:
        return None
    name = first["data"].get("retryId")
    if type(name) is str:
        return name
    chain = [line.row for line in spot.sheet.lines[1 : spot.index] if line.row is not None and same(line.row)]
    return f"legacy-retry:{spot.session}:{chain[0].get('seq')}"  # as above

"""A place in a JSON value by its path: found, replaced and taken out without changing the value itself."""

from __future__ import annotations

from typing import Any, NamedTuple

from dshlog.migrate.shapes import shown

Event = dict[str, Any]
Steps = tuple[str | int, ...]


class Found(NamedTuple):
    """Where a path leads: the steps that exist, and the rest of the path behind them."""

    steps: Steps
    rest: str


def find(value: Any, path: str) -> Found:  # noqa: ANN401 - a JSON value
    """Follow a path as far as it leads; of names that hold dots the longest that fits is taken."""
    steps: list[str | int] = []
    rest = path.removeprefix("$")
    while rest:
        step, length = _step(value, rest)
        if step is None:
            break
        steps.append(step)
        value, rest = value[step], rest[length:]
    return Found(tuple(steps), rest)


def _step(value: Any, rest: str) -> tuple[str | int | None, int]:  # noqa: ANN401
    if type(value) is list and rest[0] == "[":
        number = rest[1 : rest.find("]")]
        if number.isdecimal() and int(number) < len(value):
            return int(number), len(number) + 2
    if type(value) is dict and rest[0] == ".":
        fits = [name for name in value if _fits(rest[1:], shown(name))]
        if fits:
            name = max(fits, key=len)
            return name, 1 + len(shown(name))
    return None, 0


def _fits(rest: str, name: str) -> bool:
    return rest.startswith(name) and rest[len(name) : len(name) + 1] in {"", ".", "["}


def held(value: Any, steps: Steps) -> Any:  # noqa: ANN401
    """Give what stands at a place."""
    for step in steps:
        value = value[step]
    return value


def put(value: Any, steps: Steps, new: Any) -> Any:  # noqa: ANN401
    """Give the value with something else at a place; a member that is not there is added at the end."""
    if not steps:
        return new
    first, *rest = steps
    if type(value) is list and type(first) is int:
        return [put(item, tuple(rest), new) if at == first else item for at, item in enumerate(value)]
    inner = value.get(first) if first in value else None
    return {**value, first: put(inner, tuple(rest), new)}


def cut(value: Any, steps: Steps) -> Any:  # noqa: ANN401
    """Give the value without the member or the item at a place."""
    *above, last = steps
    holder = held(value, tuple(above))
    if type(holder) is list:
        left: Any = [item for at, item in enumerate(holder) if at != last]
    else:
        left = {name: item for name, item in holder.items() if name != last}
    return put(value, tuple(above), left)


def spelled(steps: Steps) -> str:
    """Give a place as a path below the record."""
    return "".join(f"[{step}]" if type(step) is int else f".{step}" for step in steps).removeprefix(".")


def stored(row: Event, path: str) -> str:
    """Give the path in the record as stored, where the upgrade has wrapped what an old form holds."""
    kind, data = row.get("type"), row.get("data")
    if type(data) is not dict:
        return path
    if kind == "steering/message" and type(data.get("message")) is dict:
        return path.replace("$.data", "$.data.message", 1)
    if "message" in data or not path.startswith("$.data.message"):
        return path
    inner = path.removeprefix("$.data.message")
    if kind == "assistant/message":
        return _moved(inner, {".source": "$.data.provenance", ".content": "$.data.content"}, path)
    if kind == "tool/result":
        names = {".content[0].content": "$.data.content", ".content[0].toolCallId": "$.data.callId"}
        return _moved(inner, {**names, ".source.callId": "$.data.callId"}, path)
    return path


def _moved(inner: str, names: dict[str, str], path: str) -> str:
    for old, new in names.items():
        if inner.startswith(old):
            return new + inner.removeprefix(old)
    return path

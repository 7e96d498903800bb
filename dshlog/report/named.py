"""What a session is about: its last title, and the goal that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.storage.jsontext import loads
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKS = (b'"session/title"', b'"goal/change"')


class Named:
    """Follows the events that give a session its title and its goal; other events are passed over.

    `title` is the last one, `goal` the objective of a goal that was not cleared.
    """

    def __init__(self) -> None:
        self.title: str | None = None
        self.goal: str | None = None

    def lines(self, lines: Iterable[bytes]) -> None:
        """Take records as they are stored, all of them sound."""
        for line in lines:
            if any(mark in line for mark in _MARKS) and not isinstance(line, Overlong):
                event: Any = loads(line)
                self.event(event)

    def event(self, event: dict[str, Any]) -> None:
        """Take an event."""
        kind, data = event.get("type"), event.get("data")
        if kind == "session/title":
            self.title = _text(data, "title")
        elif kind == "goal/change":
            self.goal = _text(data, "goal", "objective")


def _text(value: object, *path: str) -> str | None:
    for name in path:
        value = value.get(name) if type(value) is dict else None
    return value if type(value) is str else None

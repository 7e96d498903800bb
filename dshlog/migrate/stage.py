"""What stands behind an edge: whoever takes its events."""

from __future__ import annotations

from typing import Any, Protocol

Event = dict[str, Any]


class Stage(Protocol):
    """Takes the events of a log in order; `end` comes last.

    An event belongs to the stage that takes it, which may change it in place. `origin` is the seq of the
    event in the log as stored for which it stands. An event that cannot go on is a `hole`: it keeps its
    place so that the others keep theirs, and nothing is written any more.
    """

    def take(self, event: Event, origin: int) -> None:
        """Take one event."""

    def hole(self, origin: int) -> None:
        """Take the place of an event that was refused."""

    def end(self) -> None:
        """Take the end of the log."""


class PackedStage(Stage, Protocol):
    """A stage of v0 or v1, which takes packed rows of chunks as they are."""

    def packed(self, row: Event, origin: int) -> None:
        """Take a well-formed packed row; `origin` is the seq of its first member."""

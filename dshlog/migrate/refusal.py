"""What the upgrade refuses: a value for each refusal, and the list in which they are collected."""

from __future__ import annotations

from typing import Any, NamedTuple

READING = "reading"  # before the first edge
RESULT = "result"  # behind the last one
PUBLISHING = "publishing"  # the log opens, and its successor is not written
# Refusals that leave every event its place and its meaning: behind them the result can still be judged.
_HARMLESS = frozenset(
    {"upgrade-payload", "upgrade-envelope", "upgrade-content-kind", "upgrade-source-kind", "upgrade-delivery"}
    | {"upgrade-error-unflagged", "upgrade-defer-loading", "unknown-type", "opaque-blocks-upgrade"}
)
KEPT = 200  # refusals of one name that are kept one by one


class Refusal(NamedTuple):
    """One reason for which dsh does not upgrade a log.

    `edge` is "0->1" to "3->4", "reading" before the first edge, "result" behind the last, or "publishing" for
    what only keeps dsh from writing the result. `name` is the
    name of the finding, `seq` the event in the log as stored (None when it belongs to none), `kind` its
    type there, `path` leads to the member at fault, `about` is the kind of source or content, or the code of
    v4, that it is about, `how` whether the member is missing or extra.
    """

    edge: str
    name: str
    message: str
    path: str | None = None
    seq: int | None = None
    kind: str | None = None
    about: str | None = None
    how: str | None = None


def unknown_type(event: dict[str, Any]) -> str:
    """Give the name of the finding about an event whose type is not known."""
    return "opaque-blocks-upgrade" if event.get("ignorable") is True else "unknown-type"


class Refusals:
    """Collects refusals in the order in which dsh would meet them."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self.kept: list[Refusal] = []
        self.more: dict[str, int] = {}  # by name: refusals that were counted only
        self.stopped = False  # the log was found corrupt: nothing behind it is looked at
        self.blurred = False  # an event has lost its place or its meaning, so that the result says nothing
        self._counts: dict[str, int] = {}
        self._seqs: set[int] = set()

    def __bool__(self) -> bool:
        """Tell whether anything was refused."""
        return bool(self.kept)

    def add(self, refusal: Refusal) -> None:
        """Keep a refusal, or count it when there are many of its name."""
        if refusal.name not in _HARMLESS or refusal.path == "$.data":
            self.blurred = True
        if refusal.seq is not None:
            self._seqs.add(refusal.seq)
        seen = self._counts[refusal.name] = self._counts.get(refusal.name, 0) + 1
        if seen > self._most:
            self.more[refusal.name] = seen - self._most
            return
        self.kept.append(refusal)

    def holds(self, seq: int) -> bool:
        """Tell whether something was refused about an event, so that its payload need not be told of twice."""
        return seq in self._seqs

"""A log of an older generation as a parent's upgrade looks at it: restored to v3, and its descriptors read.

Source: migration.md §5.5. The rules of v3 between events are those of v4 on the converted log, with the few
differences that are named here.
"""

from __future__ import annotations

from typing import Any

from dshlog.fold.identity import member
from dshlog.migrate.chain import LAST, early, header_of
from dshlog.migrate.children import Child, ConflictError, fact_of
from dshlog.migrate.edge34 import FromV3
from dshlog.migrate.refusal import RESULT, Refusal, Refusals
from dshlog.migrate.stage import Event, Stage
from dshlog.migrate.successor import Successor
from dshlog.model.header import Header
from dshlog.rules.register import BY_CODE

# Refusals of the last edge that v3 makes of itself: an unknown type, a delivery marker of another session.
_OWN = frozenset({("unknown-type", "$.type"), ("upgrade-delivery", "$.data.sessionId")})
# Rules of v4 that v3 does not have; a delivery marker is looked at only when it is of the log's own generation.
_NEW = frozenset(
    {
        "title-cites-twice",
        "catalog-malformed",
        "catalog-child-repeated",
        "delivery-malformed",
        "delivery-foreign-session",
    }
)


class Descriptors:
    """Collects the payloads of the descriptors that are a session's own."""

    def __init__(self) -> None:
        self.found: list[Any] = []

    def see(self, event: Event) -> None:
        """Take an event of v2 or later."""
        if event.get("type") == "subagent/descriptor":
            self.found.append(event.get("data"))
        elif event.get("type") == "session/end-seed" and member(event.get("data"), "inherited") is True:
            self.found.clear()

    def of(self, name: str, created_at: int) -> Child:
        """Give the child that they describe; one whose descriptor has another form counts as undescribed."""
        child = Child(name, created_at, len(self.found), self.found[0] if self.found else None)
        try:
            fact_of(child)
        except ConflictError:
            return Child(name, created_at)
        return child


class Restoring:
    """Takes the lines of a log of v0 to v3 that is to be restored to v3, and no further; `rows` reads them.

    `adopted` says whether a session is made of the result, as of a log that is opened, and not of one that is
    only looked into.
    """

    def __init__(self, header: Header, *, adopted: bool = False) -> None:
        self._stages = "lo" if adopted else "l"
        self._before, self._lifting, self._result = Refusals(), Refusals(), Refusals()
        successor = Successor(header_of(header, LAST), self._result, write=None, verify=False)
        self._lift = FromV3(header_of(header, LAST - 1), successor, self._lifting, ())
        self.descriptors = Descriptors()
        self._chain = early(header, LAST - 1, _Tap(self._lift, self.descriptors), None, self._before)
        self.rows = self._chain.rows
        self._v3 = header.version == LAST - 1

    def feed(self, lines: list[bytes]) -> None:
        """Take whole lines in order."""
        self.rows.feed(lines)

    def finish(self) -> list[Refusal]:
        """Take the end; gives what v3 refuses."""
        if not self._before.stopped:
            self._chain.end()
        if self._before:
            return self._before.kept
        if self._lift.restarted and self._v3:
            return [Refusal(RESULT, "turn-start-inside-turn", "an interrupted turn was restarted", None)]
        own = [refusal for refusal in self._lifting.kept if (refusal.name, refusal.path) in _OWN]
        return own + [refusal for refusal in self._result.kept if refusal.edge == RESULT and self._asked(refusal)]

    def _asked(self, refusal: Refusal) -> bool:
        """Tell whether v3 has the rule of v4 that is behind a refusal."""
        rule = BY_CODE[refusal.about or ""]
        return rule.stages[LAST] in self._stages and rule.name not in _NEW


class _Tap:
    """Lets the descriptors be seen on their way."""

    def __init__(self, behind: Stage, descriptors: Descriptors) -> None:
        self._behind, self._descriptors = behind, descriptors

    def take(self, event: Event, origin: int) -> None:
        self._descriptors.see(event)
        self._behind.take(event, origin)

    def hole(self, origin: int) -> None:
        self._behind.hole(origin)

    def end(self) -> None:
        self._behind.end()

"""Compactions: the bracket, its checkpoint, and the span that summary and prune shadow. Source: events.md §4.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT, identical, member
from dshlog.model.fault import Fault
from dshlog.model.number import as_count
from dshlog.rules.lifecycle import show_id

if TYPE_CHECKING:
    from dshlog.fold.surface import SurfaceFolder
    from dshlog.rules.lifecycle import Lifecycle

GROUP = "compaction"  # faults that a later session/end-seed takes back


class Compaction:
    """The open compaction. Each method takes one event's payload and gives its faults."""

    def __init__(self, life: Lifecycle, folder: SurfaceFolder) -> None:
        self._life = life
        self._folder = folder
        self.id: object = None  # of the open compaction, None when none is open
        self._turn: object = None
        self._command: object = ABSENT
        self._summarised = False

    def start(self, data: object, _seq: int) -> list[Fault]:
        """R-051, R-052, R-053."""
        out: list[Fault] = []
        name, turn = member(data, "compactionId"), member(data, "turn")
        if self.id is not None:
            out.append(
                Fault("compaction-inside-compaction", f"a compaction starts inside compaction {show_id(self.id)}")
            )
        if type(name) is not str or not name:
            out.append(Fault("compaction-malformed", "compactionId is no text", "$.data.compactionId"))
        if turn is not None and as_count(turn) is None:
            out.append(Fault("compaction-malformed", "turn is neither null nor a count", "$.data.turn"))
        elif not identical(turn, self._life.turn):
            out.append(Fault("compaction-turn-wrong", "turn is not the open turn", "$.data.turn"))
        self.id = name
        self._turn, self._command, self._summarised = turn, member(data, "sourceCommandId"), False
        return out

    def summary(self, data: object, seq: int) -> list[Fault]:
        """R-053, R-054, R-056, R-058, R-095."""
        out = self._belongs(data, "compaction/summary")
        if not out:
            if self._summarised:
                out.append(Fault("compaction-summary-repeated", f"compaction {show_id(self.id)} has a second summary"))
            if not identical(self._turn, self._life.turn):
                out.append(Fault("compaction-turn-changed", "the summary stands in another turn than its start"))
        self._summarised = True
        return out + self.span(data, seq)

    def end(self, data: object, _seq: int) -> list[Fault]:
        """R-053, R-055, R-056."""
        out = self._belongs(data, "compaction/end")
        if not out:
            if "error" not in (data if type(data) is dict else {}) and not self._summarised:
                out.append(
                    Fault(
                        "compaction-end-without-summary",
                        f"compaction {show_id(self.id)} ends without a summary or an error",
                    )
                )
            if not identical(member(data, "turn"), self._turn):
                out.append(Fault("compaction-turn-changed", "the end names another turn than the start", "$.data.turn"))
            elif not identical(self._turn, self._life.turn):
                out.append(Fault("compaction-turn-changed", "the end stands in another turn than its start"))
        self.id = None
        return out

    def crossed(self, kind: str) -> Fault | None:
        """R-057: a turn starts or ends inside an open compaction; taken back when that turns out stale."""
        if self.id is None:
            return None
        return Fault("compaction-crossed", f"{kind} stands inside compaction {show_id(self.id)}", group=GROUP)

    def end_seed(self) -> None:
        """R-057a: a session/end-seed drops the open compaction."""
        self.id = None

    def checkpoint(self, source: object) -> list[Fault]:
        """R-059: a replacing user message from the compactor."""
        if self.id is None:
            return [Fault("checkpoint-without-compaction", "a compaction checkpoint stands outside every compaction")]
        if not self._same(source):
            return [
                Fault("compaction-id-differs", "the checkpoint names another compaction or command", "$.data.source")
            ]
        return []

    def span(self, data: object, seq: int) -> list[Fault]:
        """R-058, R-095: the shadowed list is exactly the current span, and spares the protected head."""
        span, listed = member(data, "shadowedRange"), member(data, "shadowedSeqs")
        start, end = as_count(member(span, "start")), as_count(member(span, "end"))
        if start is None or end is None or start >= seq or end >= seq:
            return [Fault("span-malformed", "shadowedRange has no earlier start and end", "$.data.shadowedRange")]
        if type(listed) is not list:
            return [Fault("span-malformed", "shadowedSeqs is no list", "$.data.shadowedSeqs")]
        actual = self._folder.between(start, end)
        if actual is None or not _lists(listed, actual):
            return [
                Fault("span-not-exact", f"shadowedSeqs is not the surface from {start} to {end}", "$.data.shadowedSeqs")
            ]
        if self._folder.head_is_system() and actual[0] == self._folder.head():
            return [
                Fault(
                    "span-holds-head",
                    f"the span holds the protected system message {actual[0]}",
                    "$.data.shadowedRange",
                )
            ]
        return []

    def _belongs(self, data: object, kind: str) -> list[Fault]:
        if self.id is None:
            return [Fault("compaction-not-open", f"{kind} stands outside every compaction")]
        if not self._same(data):
            return [
                Fault("compaction-id-differs", f"{kind} names another compaction or command", "$.data.compactionId")
            ]
        return []

    def _same(self, data: object) -> bool:
        return identical(member(data, "compactionId"), self.id) and identical(
            member(data, "sourceCommandId"), self._command
        )


def _lists(listed: list[Any], nodes: list[int]) -> bool:
    """Tell whether a stored list holds these seqs in this order."""
    if listed == nodes and list(map(type, listed)).count(int) == len(nodes):
        return True  # the plain spelling of what follows
    return len(listed) == len(nodes) and all(as_count(a) == b for a, b in zip(listed, nodes, strict=True))

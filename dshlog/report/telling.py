"""What events tell of replacements: compactions and prunings name what they hide, before it is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.report.facts import get
from dshlog.report.transcript import replacing

if TYPE_CHECKING:
    from dshlog.model.surface import Replacement

_TELLING = frozenset({"compaction/summary", "compaction/prune", "compact/summary", "compact/prune"})
_COMPACTORS = frozenset({"compact", "compact-checkpoint"})


class Told(NamedTuple):
    """A `compaction/summary` or `compaction/prune`: its seq and type, what it says is hidden, the compaction's id."""

    seq: int
    type: str
    shadowed: frozenset[int]
    compaction: str | None

    @property
    def pruning(self) -> bool:
        """Tell whether results were pruned, and no span compacted."""
        return self.type.endswith("prune")


class Made(NamedTuple):
    """What a replacing event is: its type and who made it, the kind of replacement, and what told of it.

    `kind` is compaction, pruning, system or replacement.
    """

    type: str
    maker: str
    kind: str
    told: Told | None


class Tellings:
    """Collects the events that replace, and those that tell of replacements."""

    def __init__(self) -> None:
        self._told: list[Told] = []
        self._kinds: dict[int, tuple[str, str]] = {}  # of replacing events: type and maker

    def event(self, event: dict[str, Any], seq: int) -> None:
        """Take an event that was taken."""
        kind, data = str(event.get("type")), event.get("data")
        if kind in _TELLING:
            seqs, compaction = get(data, "shadowedSeqs"), get(data, "compactionId")
            shadowed = frozenset(one for one in seqs if type(one) is int) if type(seqs) is list else frozenset()
            self._told.append(Told(seq, kind, shadowed, compaction if type(compaction) is str else None))
        if type(event.get("surfaceOp")) is dict:
            self._kinds[seq] = kind, replacing(kind, data)

    def of(self, made: Replacement) -> Made:
        """Say what a replacement is; the last event before it that tells of all it shadowed belongs to it."""
        kind, maker = self._kinds.get(made.seq, ("", ""))
        shadowed = set(made.shadowed)
        told = next((one for one in reversed(self._told) if one.seq < made.seq and one.shadowed >= shadowed), None)
        if kind == "system/message":
            return Made(kind, maker, "system", None)
        if kind == "tool/result":
            return Made(kind, maker, "pruning", told if told is not None and told.pruning else None)
        if maker in _COMPACTORS:
            return Made(kind, maker, "compaction", told)
        if told is None:
            return Made(kind, maker, "replacement", None)
        return Made(kind, maker, "pruning" if told.pruning else "compaction", told)

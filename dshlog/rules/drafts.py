"""What a judge has found so far: kept one by one up to a bound, counted above it, and sometimes taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dshlog.rules.draft import Draft
from dshlog.rules.register import BY_NAME

if TYPE_CHECKING:
    from dshlog.model.fault import Fault

KEPT = 200  # findings of one rule that are kept one by one
_FATAL = frozenset("acslvmtou")  # stages at which the reader refuses the whole log, or dshlog has to give up
_EVERYWHERE = frozenset("au")  # those that look behind the first bad record too


class Spot(NamedTuple):
    """The place of one line: its number from 1 and its offset from 0 in the text."""

    line: int
    offset: int


class Drafts:
    """The drafts of one log, in the order in which the faults were met."""

    def __init__(self, version: int) -> None:
        self.kept: list[Draft] = []
        self._version = version
        self._by_rule: dict[tuple[str, bool], list[Draft]] = {}
        self._marked: list[int] = []  # for each kept one, how many it stood for at the mark
        self._deferred: dict[str, list[Draft]] = {}

    def note(self, fault: Fault, place: Spot, seq: int | None, *, beyond: bool, late: bool) -> Draft:
        """Keep a fault as a draft; from the 201st of one rule on they are only counted.

        Args:
            fault: what was seen.
            place: the line it was seen in.
            seq: of the record, None when it has no usable one.
            beyond: whether it stands behind the first bad record, where only admission still looks.
            late: whether the row decoder has let the record pass, so that a later check refuses it.
        """
        rule = BY_NAME[fault.name]
        stage = rule.stages[self._version]
        if late and stage == "r":
            stage = "o"
        draft = Draft(rule=rule, fault=fault, stage=stage, line=place.line, offset=place.offset, seq=seq, beyond=beyond)
        draft.fatal = stage in _FATAL and (not beyond or stage in _EVERYWHERE)
        same = self._by_rule.setdefault((fault.name, draft.fatal), [])
        if len(same) < KEPT:
            same.append(draft)
            self.kept.append(draft)
            if fault.group is not None:
                self._deferred.setdefault(fault.group, []).append(draft)
        else:
            same[-1].follows += 1
        return draft

    def more(self, name: str, number: int = 0) -> bool:
        """Count further harmless faults of a rule; False when such a fault would still be kept, and none is counted."""
        same = self._by_rule.get((name, False))
        if same is None or len(same) < KEPT:
            return False
        same[-1].follows += number
        return True

    def mark(self) -> None:
        """Remember what is counted by now."""
        self._marked = [draft.follows for draft in self.kept]

    def repeat(self, times: int) -> None:
        """Count so many times what was counted since the mark, when nothing was kept since."""
        for draft, follows in zip(self.kept, self._marked, strict=True):
            draft.follows += times * (draft.follows - follows)

    def confirm(self, group: str) -> None:
        """Hold the faults of a group for good."""
        self._deferred.pop(group, None)

    def take_back(self, group: str) -> None:
        """Forget the faults of a group: a later event has shown them to be harmless."""
        gone = {id(draft) for draft in self._deferred.pop(group, ())}
        if gone:
            self.kept = [draft for draft in self.kept if id(draft) not in gone]
            for same in self._by_rule.values():
                same[:] = [draft for draft in same if id(draft) not in gone]

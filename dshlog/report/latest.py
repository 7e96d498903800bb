"""The answer of the latest reader to a log of an older generation, told beside that of its own build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.migrate.refusal import PUBLISHING, READING
from dshlog.model.fault import Fault
from dshlog.report.upgrade import cures_of, sentence
from dshlog.rules.draft import Draft
from dshlog.rules.register import BY_NAME

if TYPE_CHECKING:
    from dshlog.migrate.refusal import Refusal
    from dshlog.report.upgrade import Upgraded

BUDGET = 8 << 20  # bytes of text up to which the upgrade is judged without being asked for
ZSTD_FACTOR = 4  # about how many bytes of text stand behind one of a zstd log


class Answer:
    """Which drafts say what the upgrade refuses.

    `added` are those that nobody made before, `fatal` the identities of all for which the log does not open,
    `first` the draft at which dsh stops. `but` are codes of what fails although the log opens.
    """

    def __init__(self, done: Upgraded, drafts: list[Draft], issue: Draft | None, version: int) -> None:
        self.opens = done.opens
        self.added: list[Draft] = []
        self.fatal: set[int] = set()
        self.first: Draft | None = None
        self.but: set[str] = set()
        self._version = version
        self._every = drafts
        self._told: dict[int | None, list[Draft]] = {}
        for draft in drafts:
            self._told.setdefault(draft.seq, []).append(draft)
        for refusal in done.refusals:
            draft = self._known(refusal, issue) or self._new(refusal, done)
            if refusal.edge == PUBLISHING:
                self.but.add(draft.rule.code)
                continue
            draft.cures = cures_of(refusal)
            self.fatal.add(id(draft))
            self.first = self.first or draft

    def _known(self, refusal: Refusal, issue: Draft | None) -> Draft | None:
        """Give the draft that says the same already."""
        if refusal.name == "upgrade-corrupt":
            return issue
        for draft in self._every if refusal.edge == READING else self._told.get(refusal.seq, ()):
            if draft.rule.name == refusal.name or draft.rule.code == refusal.about:
                return draft
            if refusal.seq is not None and (draft.fatal or _about_the_same(draft.fault.path, refusal.path)):
                return draft
        return None

    def _new(self, refusal: Refusal, done: Upgraded) -> Draft:
        rule = BY_NAME[refusal.name]
        line = done.lines.get(refusal.seq) if refusal.seq is not None else None
        draft = Draft(
            rule=rule,
            fault=Fault(refusal.name, sentence(refusal), refusal.path),
            stage=rule.stages[self._version],
            line=line,
            offset=None,
            seq=refusal.seq,
        )
        self.added.append(draft)
        self._told.setdefault(refusal.seq, []).append(draft)
        return draft


def _about_the_same(told: str | None, refused: str | None) -> bool:
    """Tell whether one of two paths leads to the other's place or above it."""
    if told is None or refused is None or "$" in {told, refused}:
        return False
    return told.startswith(refused) or refused.startswith(told)

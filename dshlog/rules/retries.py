"""Retries of a model call: one chain for each step, provider and policy. Source: events.md §4.3, P-110, P-111."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.fold.identity import ABSENT, identical, key, member
from dshlog.model.fault import Fault
from dshlog.model.number import as_count
from dshlog.rules.lifecycle import show

if TYPE_CHECKING:
    from dshlog.rules.lifecycle import Lifecycle


class Retries:
    """All chains of the log. `provider` is that of the last request/header, ABSENT before the first."""

    def __init__(self, life: Lifecycle) -> None:
        self._life = life
        self.provider: object = ABSENT
        self._chains: dict[object, tuple[int, object]] = {}  # chain -> last retry, retryId
        self._owners: dict[object, object] = {}  # retryId -> chain
        self._planned: dict[object, list[object]] = {}  # (retryId, retry) -> turn, step, started

    def retry(self, data: object, _seq: int) -> list[Fault]:
        """R-040..R-044."""
        name, number = member(data, "retryId"), as_count(member(data, "retry"))
        if type(name) is not str or not name or number is None:
            return [Fault("retry-malformed", "llm/retry lacks a retryId or a count", "$.data.retryId")]
        out: list[Fault] = []
        turn, step, provider = (member(data, part) for part in ("turn", "step", "provider"))
        life = self._life
        wanted = life.step if life.step is not None else life.last_step
        if life.turn is None or not identical(turn, life.turn) or not identical(step, wanted):
            text = f"llm/retry names step {show(step)} of turn {show(turn)}, which is not the open or last one"
            out.append(Fault("retry-outside-step", text, "$.data.step"))
        if not identical(provider, self.provider):
            out.append(
                Fault("retry-provider-differs", "provider is not that of the last request/header", "$.data.provider")
            )
        chain = (key(turn), key(step), key(provider), key(member(data, "policyKey")))
        last, owner = self._chains.get(chain, (0, name))
        if number != last + 1:
            out.append(Fault("retry-number-wrong", f"expected retry {last + 1}, found {number}", "$.data.retry"))
        if owner != name:
            out.append(Fault("retry-id-changed", "the chain had another retryId before", "$.data.retryId"))
        elif self._owners.get(name, chain) != chain:
            out.append(Fault("retry-id-reused", "the retryId belongs to another chain", "$.data.retryId"))
        self._chains[chain] = (number, owner)
        self._owners.setdefault(name, chain)
        self._planned[name, number] = [turn, step, False]
        return out

    def started(self, data: object, _seq: int) -> list[Fault]:
        """R-045..R-047."""
        name, number = member(data, "retryId"), as_count(member(data, "retry"))
        if type(name) is not str or not name or number is None:
            return [Fault("retry-malformed", "llm/retry-started lacks a retryId or a count", "$.data.retryId")]
        planned = self._planned.get((name, number))
        if planned is None:
            return [Fault("retry-start-unmatched", f"no llm/retry announced retry {number}", "$.data.retry")]
        out: list[Fault] = []
        if planned[2]:
            out.append(Fault("retry-started-twice", f"retry {number} starts a second time", "$.data.retry"))
        if not identical(member(data, "turn"), planned[0]) or not identical(member(data, "step"), planned[1]):
            out.append(Fault("retry-start-moved", f"retry {number} starts in another step", "$.data.step"))
        planned[2] = True
        return out

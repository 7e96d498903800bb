"""The sum over the plans of many logs: what came of them, and what to run for those that wait for a word."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dshlog.render.words import count, shell_word
from dshlog.repair.asked import NEVER
from dshlog.repair.remedies.table import CHOICES
from dshlog.rules.fixes import EVERY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.repair.plan import Plan

_NAMED = 4  # fixes that one command names; more of them are called upgrade
_ORDER = (
    "nothing to do",
    "repaired",
    "can be repaired",
    "can be repaired with a loss",
    "with a cure by name",
    "waiting for a choice",
    "not repairable",
)


def summary_lines(plans: Iterable[tuple[Plan, bool]], path: str) -> Iterator[str]:
    """Yield the sum over many logs, of plans and whether each was written, and what to run next.

    `path` is where they were found.
    """
    seen: Counter[str] = Counter()
    fixes: list[tuple[str, ...]] = []
    lost = 0
    for plan, written in plans:
        kind = _kind(plan, written=written)
        seen[kind] += 1
        lost += plan.records_lost if written or plan.why_not is None else 0
        if plan.advice is not None and kind == "with a cure by name":
            fixes.append(plan.advice.fixes)
    yield f"{count(sum(seen.values()), 'log')}: " + ", ".join(f"{seen[name]} {name}" for name in _ORDER if seen[name])
    if lost:
        yield f"{count(lost, 'record')} lost"
    if fixes:
        words = "".join(f" --fix {shell_word(word)}" for word in together(fixes))
        yield f"next: dshlog repair{words} {shell_word(path)}   (plans what has a cure by name)"
    if seen["waiting for a choice"]:
        said = "plans what waits for a choice; or --keep second"
        yield f"{' or' if fixes else 'next'}: dshlog repair --keep first {shell_word(path)}   ({said})"


def together(asked: Iterable[Iterable[str]]) -> list[str]:
    """Give the fixes of many logs, or few words that stand for them."""
    words = list(dict.fromkeys(word for words in asked for word in words))
    if len(words) <= _NAMED:
        return words
    return [EVERY, *(word for word in words if word.partition("=")[0] in NEVER)]


def _kind(plan: Plan, *, written: bool) -> str:
    if plan.healthy and plan.why_not is None:
        return "nothing to do"
    if written:
        return "repaired"
    if plan.script is not None and not plan.healthy:
        return "can be repaired with a loss" if plan.lossy else "can be repaired"
    if plan.advice is not None:
        return "with a cure by name"
    choice = plan.script is None and any(found.name in CHOICES for found in plan.before.findings)
    return "waiting for a choice" if choice else "not repairable"

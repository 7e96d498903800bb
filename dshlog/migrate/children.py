"""What a parent says about its children after the upgrade to v4. Source: migration.md §5.5."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dshlog.fold.identity import ABSENT, identical, member
from dshlog.model.number import as_count
from dshlog.rules.records import is_catalog_fact

_VERSIONS = frozenset({1, 2, 3})  # of descriptors that say something
_MODES = frozenset({"continuable", "one-shot"})


class Child(NamedTuple):
    """What is known about one child session.

    `descriptors` counts the descriptor events of its own, `descriptor` is the payload of the first.
    """

    id: str
    created_at: int
    descriptors: int = 0
    descriptor: Any = None

    @property
    def order(self) -> tuple[int, bytes]:
        """Give what children are sorted by: the time, then the id by its UTF-16 code units."""
        return self.created_at, self.id.encode("utf-16-be", "surrogatepass")


class ConflictError(ValueError):
    """The log and the facts about its children contradict each other."""


def child_of(evidence: object) -> Child | None:
    """Give the child that a piece of evidence in dsh's own words is about; None when it has another form."""
    name, created = member(evidence, "childId"), as_count(member(evidence, "childCreatedAt"))
    number, told = as_count(member(evidence, "descriptorCount")), member(evidence, "descriptor")
    if type(name) is not str or created is None or number is None:
        return None
    return Child(name, created, number, None if told is ABSENT else told)


def fact_of(child: Child) -> dict[str, Any] | None:
    """Give the catalog fact that the descriptor of a child makes; None when it makes none.

    Raises:
        ConflictError: the descriptor lacks its form.
    """
    told = child.descriptor
    version = as_count(member(told, "version"))
    if child.descriptors != 1 or version not in _VERSIONS or type(told) is not dict:
        return None
    mode = "continuable" if version == 1 else told.get("mode")
    label = told.get("label", ABSENT)
    if type(told.get("provider")) is not str:
        raise ConflictError(f"the descriptor of child {child.id!a} names no provider")
    if type(mode) is not str or mode not in _MODES:
        raise ConflictError(f"the descriptor of child {child.id!a} names no known mode")
    if type(label) is not str and (mode == "continuable" or label is not ABSENT):
        raise ConflictError(f"the descriptor of child {child.id!a} has no label that is a text")
    fact = {"version": 0, "childId": child.id, "childCreatedAt": child.created_at, "mode": mode}
    return fact if label is ABSENT else {**fact, "label": label}


def added_facts(told: Iterable[Any], children: Iterable[Child]) -> list[dict[str, Any]]:
    """Give the catalog facts that a log lacks, in their order.

    Args:
        told: payloads of its own `subagent/catalog` events.
        children: those that the store knows.

    Raises:
        ConflictError: a fact is malformed or repeated, or differs from what the child says.
    """
    known: dict[str, dict[str, Any]] = {}
    for fact in told:
        if not is_catalog_fact(fact):
            raise ConflictError("a subagent/catalog fact has another form")
        if fact["childId"] in known:
            raise ConflictError(f"child {fact['childId']!a} is catalogued twice")
        known[fact["childId"]] = fact
    out: list[dict[str, Any]] = []
    for child in sorted(children, key=lambda each: each.order):
        fact = fact_of(child)
        there = known.get(child.id)
        if there is None:
            unknown = {"version": 1, "childId": child.id, "childCreatedAt": child.created_at, "mode": "unknown"}
            out.append(unknown if fact is None else fact)
        elif not identical(there["childCreatedAt"], child.created_at):
            raise ConflictError(f"child {child.id!a} was created at another time than its catalog fact says")
        elif fact is not None and any(there.get(name, ABSENT) != fact.get(name, ABSENT) for name in ("mode", "label")):
            raise ConflictError(f"child {child.id!a} is described otherwise than its catalog fact says")
    return out

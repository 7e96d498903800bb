"""A finding: one defect with its place, its words and its cure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dshlog.model.place import Place

Severity = Literal["error", "warning", "note"]
Remedy = Literal["lossless", "lossy", "none"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")  # most severe first


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One defect of one log.

    `code` and `name` come from the rule register and never change their meaning. `rule` is the id in
    the written specification ("R-092", "storage/R14") or None. `follows` counts the further faults
    that only follow from this one and are not listed.
    """

    code: str
    name: str
    severity: Severity
    place: Place
    message: str
    hint: str | None = None
    remedy: Remedy = "none"
    rule: str | None = None
    follows: int = 0
    related: tuple[Place, ...] = ()

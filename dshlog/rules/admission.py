"""Checks that are never softened: made on every row, also behind a bad one. Source: storage.md §5.3."""

from __future__ import annotations

from typing import Any

from dshlog.model.fault import Fault

_DISPATCH = frozenset({"tool/code-dispatch", "tool/code-dispatch-start"})
SINCE = 3  # the first generation that has such checks


def admission_faults(row: dict[str, Any], version: int) -> list[Fault]:
    """Give the faults for which the reader refuses the log wherever the row stands."""
    kind = row.get("type")
    if version < SINCE or type(kind) is not str:
        return []
    if kind in _DISPATCH and row.get("ignorable") is not True:
        return [Fault("retired-dispatch", f"{kind} was renamed tool/ptc-dispatch* in v3", "$.type")]
    return []

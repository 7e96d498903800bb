"""The remedy that was asked for by name, for what the log's own build refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.rules.fixes import cures

if TYPE_CHECKING:
    from dshlog.repair.planner import Wishes
    from dshlog.repair.remedies.case import Remedy


def chosen_for(wishes: Wishes, names: list[str], row: dict[str, Any] | None) -> list[Remedy]:
    """Give the remedies for the findings of one record that were asked for by name, and for a record of this type."""
    if not wishes.fixes:
        return []
    from dshlog.repair.fixes.table import NATIVE

    kind = None if row is None or not isinstance(row.get("type"), str) else row["type"]
    known = dict.fromkeys(fix for name in names for fix in cures(name))
    return [
        NATIVE[fix]
        for fix in known
        if fix in NATIVE and fix in wishes.fixes and (not wishes.fixes[fix] or kind in wishes.fixes[fix])
    ]

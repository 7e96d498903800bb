"""Percentiles by nearest rank: always a value that occurred."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(rising: Sequence[int], percent: int) -> int | None:
    """Give the smallest value that `percent` of the values do not exceed; None when there are none.

    `rising` is sorted, `percent` lies in 1..100.
    """
    if not rising:
        return None
    return rising[-(-percent * len(rising) // 100) - 1]

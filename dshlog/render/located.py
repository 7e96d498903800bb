"""How the formats of CI name a file: relative to the checkout, with slashes on every platform."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Located:
    """Spells paths relative to the first of some directories that holds them or is them; others absolutely.

    Args:
        here: the working directory, absolute; what a relative path begins at.
        tops: absolute directories, such as the checkout of a CI job; `here` is the last that is tried.
    """

    def __init__(self, here: str, tops: Sequence[str] = ()) -> None:
        self._here = here
        self._tops = [os.path.normpath(top) for top in (*tops, here)]

    def __call__(self, path: str) -> str:
        """Give the path as CI knows it; `-` stays what it is."""
        if path == "-":
            return path
        full = os.path.normpath(os.path.join(self._here, path))  # noqa: PTH118 - paths are texts here
        for top in self._tops:
            if full == top:
                return "."
            inside = full.removeprefix(top.rstrip(os.sep) + os.sep)
            if inside != full:
                return inside.replace(os.sep, "/")
        return full.replace(os.sep, "/")

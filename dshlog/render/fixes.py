"""The fixes that are made only when they are named, as lines and as JSON."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from dshlog.render.jsonout import SCHEMA, Json
from dshlog.render.look import PLAIN
from dshlog.rules.fixes import EVERY, FIXES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.render.look import Look
    from dshlog.rules.fixes import Fix

WIDTH = 100  # columns outside a terminal
_INDENT = "    "


def fixes_lines(look: Look = PLAIN) -> Iterator[str]:
    """Yield every fix with what it changes, what it may cost and what proves it."""
    width = WIDTH if look.width is None else min(WIDTH, look.width)
    yield look.paint("bold", EVERY)
    yield from _wrapped("all of the following that the upgrade needs, but for those that need a value", width)
    for fix in FIXES.values():
        yield look.paint("bold", word_of(fix))
        yield from _wrapped(fix.what, width)
        yield from _wrapped(f"loses: {fix.cost}; proof: {fix.proof}", width)


def fixes_dict() -> Json:
    """Give the same as one document."""
    return {
        "schema": SCHEMA,
        "known": [
            {
                "name": fix.name,
                "value": fix.value,
                "needs_value": fix.needs_value,
                "what": fix.what,
                "loss": fix.loss,
                "proof": fix.proof,
            }
            for fix in FIXES.values()
        ],
    }


def word_of(fix: Fix) -> str:
    """Give a fix as it is named on the command line."""
    if fix.value is None:
        return fix.name
    return f"{fix.name}={fix.value}" if fix.needs_value else f"{fix.name}[={fix.value}]"


def _wrapped(text: str, width: int) -> Iterator[str]:
    yield from wrap(text, width, initial_indent=_INDENT, subsequent_indent=_INDENT)

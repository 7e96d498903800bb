"""The small checks that payload shapes are made of: each gives what is wrong with a value, or None.

Source: events.md §1.3.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, isinf
from typing import Any, NamedTuple

from dshlog.model.number import MAX_SAFE, as_count, as_int


class Flaw(NamedTuple):
    """What is wrong with a value: `path` leads from it to the place, "" for itself.

    `name` is that of the finding, `about` the kind of content or source that it is about. `how` says of a member
    that it is "missing" or "extra"; None of one that is there and wrong.
    """

    path: str
    words: str
    name: str = "upgrade-payload"
    about: str | None = None
    how: str | None = None


Check = Callable[[Any], "list[Flaw] | None"]


def anything(_value: object) -> None:
    """Take any JSON value."""


def text(value: object) -> list[Flaw] | None:
    """Take a text."""
    return None if type(value) is str else [Flaw("", "is no text")]


def named(value: object) -> list[Flaw] | None:
    """Take a text that is not empty."""
    return None if type(value) is str and value else [Flaw("", "is no text, or empty")]


def count(value: object) -> list[Flaw] | None:
    """Take a safe integer from 0 up."""
    if type(value) is int and 0 <= value <= MAX_SAFE:
        return None
    return None if as_count(value) is not None else [Flaw("", "is no count")]


def positive(value: object) -> list[Flaw] | None:
    """Take a safe integer from 1 up."""
    return None if as_count(value) else [Flaw("", "is no count from 1 up")]


def integer(value: object) -> list[Flaw] | None:
    """Take a safe integer of either sign."""
    return None if as_int(value) is not None else [Flaw("", "is no integer")]


def boolean(value: object) -> list[Flaw] | None:
    """Take true or false."""
    return None if type(value) is bool else [Flaw("", "is no boolean")]


def finite(value: object) -> list[Flaw] | None:
    """Take a number that is neither infinite nor negative zero."""
    return None if _finite(value) else [Flaw("", "is no finite number")]


def between(low: float, high: float, *, whole: bool = False) -> Check:
    """Take a finite number from `low` to `high`."""
    words = f"is no {'integer' if whole else 'number'} from {low} to {high}"

    def check(value: object) -> list[Flaw] | None:
        right = _finite(value) and low <= value <= high and (not whole or as_int(value) is not None)  # type: ignore[operator]
        return None if right else [Flaw("", words)]

    return check


def above_zero(value: object) -> list[Flaw] | None:
    """Take a finite number above 0."""
    return None if _finite(value) and value > 0 else [Flaw("", "is no number above 0")]  # type: ignore[operator]


def one_of(*known: str) -> Check:
    """Take one of some texts."""
    allowed = frozenset(known)
    words = f"is not {' or '.join(known)}"

    def check(value: object) -> list[Flaw] | None:
        return None if type(value) is str and value in allowed else [Flaw("", words)]

    return check


def true(value: object) -> list[Flaw] | None:
    """Take true alone."""
    return None if value is True else [Flaw("", "is not true")]


def number_one(value: object) -> list[Flaw] | None:
    """Take the number 1."""
    return None if as_count(value) == 1 else [Flaw("", "is not 1")]


def list_of(each: Check, *, empty: bool = True) -> Check:
    """Take a list whose items pass a check."""

    def check(value: object) -> list[Flaw] | None:
        if type(value) is not list:
            return [Flaw("", "is no list")]
        if not value and not empty:
            return [Flaw("", "is empty")]
        out: list[Flaw] | None = None
        for index, item in enumerate(value):
            flaws = each(item)
            if flaws is not None:
                out = [*(out or ()), *behind(f"[{index}]", flaws)]
        return out

    return check


def exact(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    """Take an object with exactly these members."""
    needed = tuple(required.items())
    allowed = optional or {}

    def check(value: object) -> list[Flaw] | None:
        if type(value) is not dict:
            return [Flaw("", "is no object")]
        out: list[Flaw] | None = None
        missing = 0
        for name, each in needed:
            if name not in value:
                missing += 1
                out = [*(out or ()), Flaw(f".{name}", "is missing", how="missing")]
                continue
            flaws = each(value[name])
            if flaws is not None:
                out = [*(out or ()), *behind(f".{name}", flaws)]
        if len(value) == len(needed) - missing:
            return out
        for name, item in value.items():
            if name in required:
                continue
            if name not in allowed:
                out = [*(out or ()), Flaw(f".{shown(name)}", "does not belong here", how="extra")]
                continue
            flaws = allowed[name](item)
            if flaws is not None:
                out = [*(out or ()), *behind(f".{name}", flaws)]
        return out

    return check


def either(first: Check, second: Check) -> Check:
    """Take what passes one of two checks; the flaws are those of the first."""

    def check(value: object) -> list[Flaw] | None:
        flaws = first(value)
        return flaws if flaws is None or second(value) is not None else None

    return check


def null(value: object) -> list[Flaw] | None:
    """Take null."""
    return None if value is None else [Flaw("", "is not null")]


def portable(value: object) -> list[Flaw] | None:
    """Take any JSON value that JavaScript would read again from what it writes: no -0, no infinity."""
    todo: list[Any] = [value]
    for held in todo:
        kind = type(held)
        if kind is dict:
            todo.extend(held.values())
        elif kind is list:
            todo.extend(held)
        elif kind is float and (isinf(held) or (held == 0 and copysign(1, held) < 0)):
            return [Flaw("", "holds a number that JSON cannot carry")]
    return None


def behind(prefix: str, flaws: list[Flaw]) -> list[Flaw]:
    """Move flaws of a member below the path of the member."""
    return [flaw._replace(path=prefix + flaw.path) for flaw in flaws]


def shown(name: str) -> str:
    """Show a member name without control characters, cut at 40 characters."""
    return name if name.isprintable() and len(name) <= 40 else ascii(name[:40])[1:-1]  # noqa: PLR2004


def _finite(value: object) -> bool:
    if type(value) is int:
        return True
    return type(value) is float and not isinf(value) and (value != 0 or copysign(1, value) > 0)

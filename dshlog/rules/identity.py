"""Equality as dsh's relationship rules use it: JavaScript's `===` on parsed values. Source: events.md §1.4."""

from __future__ import annotations

from dshlog.fold.tail import ABSENT

_NUMBERS = (int, float)


def identical(a: object, b: object) -> bool:
    """Tell whether two values of different rows are the same to `===`.

    Numbers by value (0 equals -0), texts, booleans and null by value; an absent member (ABSENT) equals
    only an absent one; objects and lists of different rows are never equal.
    """
    kind = type(a)
    if kind is dict or kind is list:
        return False
    if kind is type(b):
        return a == b
    return kind in _NUMBERS and type(b) in _NUMBERS and a == b


def key(value: object) -> object:
    """Give a map key that is equal for identical values and for nothing else."""
    kind = type(value)
    if kind is str:
        return value
    if kind in _NUMBERS:
        return ("number", value)
    if kind is dict or kind is list:
        return object()  # never equal to any other
    return (kind, value)


def member(data: object, name: str) -> object:
    """Give a member of a payload, ABSENT when there is none or the payload is no object."""
    return data.get(name, ABSENT) if type(data) is dict else ABSENT

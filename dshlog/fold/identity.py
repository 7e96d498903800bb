"""Equality as dsh's relationship rules use it: JavaScript's `===` on parsed values. Source: events.md §1.4."""

from __future__ import annotations

from dshlog.storage.jsontext import double_of

ABSENT = object()  # a member that is not there, told apart from null

_NUMBERS = (int, float)


def identical(a: object, b: object) -> bool:
    """Tell whether two values of different rows are the same to `===`.

    Numbers by the double that JavaScript holds (0 equals -0), texts, booleans and null by value; an absent
    member (ABSENT) equals only an absent one; objects and lists of different rows are never equal.
    """
    kind = type(a)
    if kind is dict or kind is list:
        return False
    if isinstance(a, _NUMBERS) and isinstance(b, _NUMBERS) and bool not in {kind, type(b)}:
        return a == b or double_of(a) == double_of(b)
    return kind is type(b) and a == b


def key(value: object) -> object:
    """Give a map key that is equal for identical values and for nothing else."""
    kind = type(value)
    if kind is str:
        return value
    if kind is dict or kind is list:
        return object()  # never equal to any other
    if isinstance(value, _NUMBERS) and kind is not bool:
        return ("number", double_of(value))
    return (kind, value)


def member(data: object, name: str) -> object:
    """Give a member of a payload, ABSENT when there is none or the payload is no object."""
    return data.get(name, ABSENT) if type(data) is dict else ABSENT

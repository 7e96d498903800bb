"""JSON values of any depth where a plain one belongs."""

from __future__ import annotations


def scalar(value: object) -> object:
    """Give a value that can be compared, shown and looked up at no depth: a list or an object is only its kind."""
    return "(a list)" if type(value) is list else "(an object)" if type(value) is dict else value

"""Numbers as JavaScript judges them: integral floats are integers, `bool` is none, -0 is not 0.

Values come from a JSON text whose `-0` was read as the float -0.0 (storage/jsontext.py sees to it).
"""

from __future__ import annotations

MAX_SAFE = 2**53 - 1


def as_int(value: object) -> int | None:
    """Give a safe integer of either sign as int; None for anything else, negative zero included."""
    if type(value) is int:
        return value if -MAX_SAFE <= value <= MAX_SAFE else None
    if type(value) is float and value.is_integer() and -MAX_SAFE <= value <= MAX_SAFE:
        return int(value) if value or str(value) == "0.0" else None
    return None


def as_int_or_zero(value: object) -> int | None:
    """Give a safe integer as `as_int` does, and 0 for negative zero: for checks that do not tell the two apart."""
    return 0 if type(value) is float and value == 0 else as_int(value)


def as_count(value: object) -> int | None:
    """Give a safe integer from 0 up as int; None for anything else, negative zero included."""
    number = as_int(value)
    return number if number is not None and number >= 0 else None


def is_number(value: object) -> bool:
    """Tell whether a JSON value is a number."""
    return type(value) is int or type(value) is float

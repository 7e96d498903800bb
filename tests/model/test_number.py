"""Numbers are JavaScript's: judged by value and not by spelling, and a boolean is none."""

from __future__ import annotations

import pytest

from dshlog.model.number import MAX_SAFE, as_count, as_int, as_int_or_zero, is_number
from dshlog.storage.jsontext import parse


@pytest.mark.parametrize(
    "text, integer",
    [
        ("0", 0),
        ("1", 1),
        ("1.0", 1),
        ("1e0", 1),
        ("10e-1", 1),
        ("0.0", 0),
        ("-1", -1),
        ("-7.0", -7),
        ("9007199254740991", MAX_SAFE),
        ("9007199254740991.0", MAX_SAFE),
        ("-9007199254740991", -MAX_SAFE),
    ],
)
def test_an_integral_number_is_an_integer_however_it_is_spelled(text, integer):
    value = parse(text.encode())
    assert as_int(value) == integer
    assert type(as_int(value)) is int
    assert as_count(value) == (integer if integer >= 0 else None)
    assert is_number(value)


@pytest.mark.parametrize(
    "text", ["-0", "-0.0", "-0e3", "0.5", "-1.5", "9007199254740992", "-9007199254740992", "1e300", "1e999", "-1e999"]
)
def test_negative_zero_fractions_and_what_no_double_holds_exactly_are_no_integers(text):
    value = parse(text.encode())
    assert as_int(value) is None
    assert as_count(value) is None
    assert is_number(value)


@pytest.mark.parametrize("text, integer", [("-0", 0), ("-0.0", 0), ("0", 0), ("-1", -1), ("2.0", 2), ("0.5", None)])
def test_where_only_the_value_counts_negative_zero_is_zero(text, integer):
    assert as_int_or_zero(parse(text.encode())) == integer


@pytest.mark.parametrize("value", [2**53, -(2**53), 2**64])
def test_an_integer_that_stayed_exact_beyond_the_doubles_is_not_safe(value):
    assert as_int(value) is None


@pytest.mark.parametrize("text", ["true", "false", "null", '"1"', "[]", "[1]", "{}"])
def test_nothing_else_is_a_number(text):
    value = parse(text.encode())
    assert as_int(value) is None
    assert as_count(value) is None
    assert not is_number(value)

"""Equality of values of different rows, as JavaScript's `===` on parsed values. Source: events.md §1.4."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog.fold.identity import ABSENT, identical, key, member
from dshlog.model.vocabulary import LATEST
from dshlog.rules.lifecycle import show, show_id
from dshlog.rules.register import BY_CODE

SCALARS = [None, True, False, 0, 1, 2, -1, 0.5, 2**60, "", "0", "1", "true", "null", ABSENT]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(2**53 - 2, 2**53 + 4),
    st.sampled_from([0.0, -0.0, 1.0, 0.5, 1e300]),
    st.text(max_size=2),
    st.just(ABSENT),
    st.builds(list),
    st.builds(dict),
)


@pytest.mark.parametrize("a, b", list(product(SCALARS, SCALARS)))
def test_scalars_are_identical_to_themselves_alone(a, b):
    assert identical(a, b) is (a is b)


@pytest.mark.parametrize(
    "a, b",
    [
        (0, -0.0),
        (0.0, -0.0),
        (1, 1.0),
        (2**60, 2.0**60),
        (-1, -1.0),
        (2**53 + 1, 2**53),
        (-(2**53) - 1, -(2.0**53)),
        (10**400, float("inf")),
    ],
)
def test_numbers_are_identical_by_value(a, b):
    assert identical(a, b)
    assert key(a) == key(b)


@pytest.mark.parametrize("value", [{}, [], {"a": 1}, [1]])
def test_objects_of_different_rows_never_are(value):
    assert not identical(value, value)
    assert not identical(value, type(value)(value))
    assert key(value) != key(value)


@given(a=VALUES, b=VALUES)
def test_keys_are_equal_exactly_for_identical_values(a, b):
    assert (key(a) == key(b)) is identical(a, b)
    assert identical(a, b) is identical(b, a)


def test_members():
    assert member({"a": None}, "a") is None
    assert member({}, "a") is ABSENT
    assert all(member(data, "a") is ABSENT for data in (None, 7, "a", ["a"], ABSENT))


@pytest.mark.parametrize(
    "value, words",
    [
        (ABSENT, "(none)"),
        (3, "3"),
        (3.0, "3"),
        (-0.0, "0"),
        (1.5, "1.5"),
        ("x", "(a text)"),
        (True, "(a boolean)"),
        (None, "(null)"),
        ([1], "(a list)"),
        ({}, "(an object)"),
    ],
)
def test_numbers_in_messages(value, words):
    assert show(value) == words


@pytest.mark.parametrize(
    "value, words",
    [
        ("call_1", "call_1"),
        ("x" * 80, "x" * 80),
        ("x" * 81, repr("x" * 80)),
        ("", "''"),
        ("a\n", "'a\\n'"),
        ("\ud800", "'\\ud800'"),
        (7, "7"),
        (None, "(null)"),
    ],
)
def test_ids_in_messages(value, words):
    assert show_id(value) == words


@pytest.mark.parametrize("code", BY_CODE)
def test_every_rule_has_a_stage_of_each_generation(code):
    rule = BY_CODE[code]
    assert len(rule.stages) == LATEST + 1
    assert set(rule.stages) <= set("dfhraceslvmtouwn.")
    for version, stage in enumerate(rule.stages):
        wanted = {"w": "warning", "n": "note", ".": "warning"}.get(stage, "error")
        assert rule.severity(version) == wanted

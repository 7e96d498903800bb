"""Lists of seqs as schema 17 keeps them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dbbuilder
from dshlog.codec.varints import seqs_of
from dshlog.model.number import MAX_SAFE


@pytest.mark.parametrize(
    ("stored", "seqs"),
    [
        ("", []),
        ("00", [0]),
        ("03020202", [3, 4, 5, 6]),
        ("ac0201", [300, 299]),
        ("7f", [127]),
        ("8001", [128]),
        ("0500", [5, 5]),
        ("ffffffffffffff0f", [MAX_SAFE]),
        ("00feffffffffffff1f", [0, MAX_SAFE]),
        ("ffffffffffffff0ffdffffffffffff1f", [MAX_SAFE, 0]),
    ],
)
def test_examples_are_read(stored, seqs):
    assert seqs_of(bytes.fromhex(stored)) == seqs


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        ("80", "entry 0 ends before its last byte"),
        ("0380", "entry 1 ends before its last byte"),
        ("8000", "entry 0 is spelled longer than it must be"),
        ("038200", "entry 1 is spelled longer than it must be"),
        ("0001", "entry 1 is -1, which is no seq"),
        ("ffffffffffffff1f", f"entry 0 is {2 * MAX_SAFE + 1}, which is no seq"),
        ("ffffffffffffff0f02", f"entry 1 is {MAX_SAFE + 1}, which is no seq"),
        ("ffffffffffffffff01", "entry 0 has more than 8 bytes"),
        ("80" * 1000, "entry 0 has more than 8 bytes"),
    ],
)
def test_what_is_malformed_is_told(stored, why):
    assert seqs_of(bytes.fromhex(stored)) == why


@given(st.lists(st.integers(0, MAX_SAFE)))
def test_every_list_comes_back(seqs):
    assert seqs_of(dbbuilder.varints(seqs)) == seqs


@given(st.binary(max_size=40))
def test_bytes_that_are_read_are_spelled_in_no_other_way(data):
    seqs = seqs_of(data)
    assert isinstance(seqs, str) or dbbuilder.varints(seqs) == data

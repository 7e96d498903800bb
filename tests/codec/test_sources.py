"""`sourceEventSeqs` stands for earlier events: one by one, or in inclusive ranges that only ever rise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog.codec.sources import MIN_RUN, decode_sources, encode_sources, expand, relation_fault
from dshlog.model.fault import Fault

MAX_SAFE = 2**53 - 1

ENCODED = [  # the table of storage.md §4.3
    ([0, 1], [0, 1]),
    ([0, 1, 2], [[0, 2]]),
    ([3, 4, 5, 9, 10, 12, 13, 14, 15], [[3, 5], 9, 10, [12, 15]]),
    ([5, 4], [5, 4]),
    ([7], [7]),
    ([], []),
    ([5, 6, 7, 7], [5, 6, 7, 7]),
    ([5, 6, 7, 3], [5, 6, 7, 3]),
    ([0, 2, 3, 4], [0, [2, 4]]),
]


def decoded(stored, seq=1000, *, distinct=True):
    """Give the flat list that the stored one stands for, or the name of the fault."""
    sources = decode_sources(stored, seq, distinct=distinct)
    return sources.name if isinstance(sources, Fault) else list(expand(sources))


@pytest.mark.parametrize("logical, stored", ENCODED)
def test_only_a_rising_list_has_its_runs_of_three_packed(logical, stored):
    assert encode_sources(logical) == stored


def test_a_run_below_the_minimum_is_stored_one_by_one():
    assert encode_sources(list(range(MIN_RUN - 1))) == list(range(MIN_RUN - 1))
    assert encode_sources(list(range(MIN_RUN))) == [[0, MIN_RUN - 1]]


@given(st.lists(st.integers(0, 30), unique=True))
def test_decoding_gives_back_what_was_encoded(seqs):
    for logical in (seqs, sorted(seqs)):
        assert decoded(encode_sources(logical)) == logical


@pytest.mark.parametrize(
    "stored, logical",
    [
        ([[0, 0]], [0]),
        ([[0, 1]], [0, 1]),
        ([[0, 0], [1, 1]], [0, 1]),
        ([0, [1, 2]], [0, 1, 2]),
        ([], []),
        ([5, 4, 9], [5, 4, 9]),
        ([1.0, [2.0, 4.0]], [1, 2, 3, 4]),
        ([[0, 2], 4, [6, 8]], [0, 1, 2, 4, 6, 7, 8]),
    ],
)
@pytest.mark.parametrize("distinct", [True, False])
def test_forms_that_no_writer_makes_are_read(stored, logical, distinct):
    assert decoded(stored, distinct=distinct) == logical


@pytest.mark.parametrize(
    "stored",
    [
        None,
        {},
        {"0": 1},
        "0",
        7,
        True,
        [0.5],
        ["0"],
        [-0.0],
        [-1],
        [True],
        [None],
        [{}],
        [2**53],
        [1, [1, 2]],
        [[1, 2], 0],
        [[1, 2], 2],
        [[1, 2], [2, 3]],
        [3, [4, 5], 4],
        [3, 2, [4, 5]],
        [3, 3, [4, 5]],
        [[2, 1]],
        [[0, 1, 2]],
        [[0]],
        [[]],
        [[0, -0.0]],
        [[-0.0, 1]],
        [[0, "1"]],
        [[0, None]],
        [[0.5, 2]],
        [[True, 2]],
        [[[0, 1]]],
    ],
)
@pytest.mark.parametrize("distinct", [True, False])
def test_a_list_that_is_not_positions_or_rising_ranges_is_malformed(stored, distinct):
    assert decoded(stored, distinct=distinct) == "sources-malformed"


def test_from_v2_on_positions_are_unique_and_earlier_than_the_event():
    assert decoded([0, 0], 5) == "sources-duplicate"
    assert decoded([3, 1, 3], 5) == "sources-duplicate"
    assert decoded([5], 5) == "not-earlier"
    assert decoded([0, 6], 5) == "not-earlier"
    assert decoded([[3, 5]], 5) == "not-earlier"
    assert decoded([[3, 4]], 5) == [3, 4]
    assert decoded([0], 0) in {"not-earlier", "sources-malformed"}


def test_before_v2_the_row_decoder_leaves_that_to_a_later_check():
    assert decoded([0, 0], 5, distinct=False) == [0, 0]
    assert decoded([5, 9], 5, distinct=False) == [5, 9]
    assert decoded([[3, 5]], 5, distinct=False) == [3, 4, 5]


@pytest.mark.parametrize("distinct", [True, False])
def test_a_list_never_stands_for_more_positions_than_stand_before_the_event(distinct):
    assert decoded([0, 1, 2], 2, distinct=distinct) == "sources-malformed"
    assert decoded([[0, 4]], 5, distinct=distinct) == [0, 1, 2, 3, 4]
    assert decoded([[0, 3], 4, 5], 5, distinct=distinct) in {"sources-malformed", "not-earlier"}
    assert decoded([], 0, distinct=distinct) == []


def test_a_range_near_the_end_of_the_numbers_is_not_spread_out():
    assert decoded([[0, MAX_SAFE]], 5, distinct=False) == "sources-malformed"
    sources = decode_sources([[0, MAX_SAFE - 1]], MAX_SAFE, distinct=True)
    assert sources == [range(MAX_SAFE)]
    assert decode_sources([[1, 2**53]], MAX_SAFE, distinct=True).name == "sources-malformed"


def test_a_fault_names_the_entry():
    fault = decode_sources([0, 1, [3, 2]], 10, distinct=True)
    assert fault.path == "$.sourceEventSeqs[2]"
    assert repr(fault) == f"Fault('sources-malformed', {fault.message!r})"
    assert decode_sources([0, "x"], 10, distinct=True).path == "$.sourceEventSeqs[1]"
    for value, words in [({}, "an object"), ("", "a text"), (False, "a boolean"), (None, "null"), (3, "a number")]:
        assert words in decode_sources(value, 10, distinct=True).message


def test_relations_are_checked_over_seqs_and_ranges():
    assert relation_fault([], 0) is None
    assert relation_fault([0, range(2, 5)], 5) is None
    assert relation_fault([0, range(2, 6)], 5).name == "not-earlier"
    assert relation_fault([4, 4], 5).name == "sources-duplicate"

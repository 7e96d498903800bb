"""What corresponds in two sequences: in order on both sides, equal, and as much as is easy to see."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dshlog.report.align import Run, gaps, runs

KEYS = st.lists(st.integers(0, 6), max_size=30)


@given(KEYS, KEYS)
def test_runs_are_equal_and_rise_on_both_sides(a, b):
    at_a = at_b = 0
    for run in runs(a, b):
        assert run.a >= at_a
        assert run.b >= at_b
        assert run.size > 0
        assert a[run.a : run.a + run.size] == b[run.b : run.b + run.size]
        at_a, at_b = run.a + run.size, run.b + run.size
    assert at_a <= len(a)
    assert at_b <= len(b)


@given(KEYS, KEYS)
def test_runs_and_gaps_are_the_whole_of_both(a, b):
    left, right = [], []
    for run, in_a, in_b, _ in gaps(runs(a, b), len(a), len(b)):
        left += [*in_a, *range(run.a, run.a + run.size)]
        right += [*in_b, *range(run.b, run.b + run.size)]
    assert left == list(range(len(a)))
    assert right == list(range(len(b)))


@given(st.lists(st.integers(), max_size=40, unique=True), st.data())
def test_of_distinct_keys_only_what_was_left_out_has_no_partner(a, data):
    gone = data.draw(st.sets(st.sampled_from(range(len(a))))) if a else set()
    b = [key for at, key in enumerate(a) if at not in gone]
    assert sum(run.size for run in runs(a, b)) == len(b)


def test_equal_keys_are_paired_in_their_order():
    assert runs([1, 1, 2, 1, 3], [1, 2, 1, 1, 4]) == [Run(0, 0, 1), Run(2, 1, 1), Run(3, 3, 1)]
    assert runs([], [1]) == []
    assert runs([1, 2], [1, 2]) == [Run(0, 0, 2)]

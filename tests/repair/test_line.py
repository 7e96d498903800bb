"""A line whose positions move more than once says what it would say if each move were made at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog.repair.line import Line
from dshlog.repair.references import Moves, Shift, moved_text
from dshlog.storage.jsontext import dumps

MOVES = st.builds(Shift, st.integers(0, 30), st.integers(-5, 5).filter(bool))
SHIFTS = st.lists(MOVES.filter(lambda shift: shift.start + shift.by >= 0), min_size=1, max_size=4)  # none below 0
ROWS = [
    lambda seq, cited: {"type": "user/message", "seq": seq, "time": 1, "data": {}, "sourceEventSeqs": cited, "surfaceOp": "append"},
    lambda seq, _cited: {"type": "text-chunks", "seq0": seq, "time0": 1, "data": {"turn": 1, "texts": ["a", "b"]}},
    lambda seq, cited: {"type": "session/title", "seq": seq, "time": 1, "data": {"messageSeqs": cited, "title": "t"}},
    lambda seq, _cited: {"type": "tool/result", "seq": seq, "time": 1, "data": {}, "surfaceOp": {"op": "replace", "start": 3, "end": 9}},
]  # fmt: skip


@given(
    row=st.sampled_from(ROWS), seq=st.integers(20, 40), cited=st.lists(st.integers(0, 19), max_size=6), shifts=SHIFTS
)
def test_moves_are_made_one_after_the_other(row, seq, cited, shifts):
    text = dumps(row(seq, cited)) + b"\n"
    at_once, line, known = text, Line(text=text, old=text, number=2), {}
    for shift in shifts:
        at_once = moved_text(at_once, shift, 4) or at_once
        line = line.shifted(shift, 4, known)
    seq = line.seq
    assert line.text == at_once
    assert Line(text=at_once).seq == seq
    assert line.moved
    assert line.old == text


@pytest.mark.parametrize("read", [True, False])
def test_a_line_that_was_edited_is_not_only_moved(read):
    line = Line(text=b'{"type":"a","seq":5}\n', old=b'{"type":"a","seq":5}\n', number=2)
    edited = line.saying(b'{"type":"b","seq":5}\n').shifted(Shift(3, 1), 4, {})
    assert not read or edited.text
    again = edited.shifted(Shift(3, 1), 4, {})
    assert again.text == b'{"type":"b","seq":7}\n'
    assert not again.moved


def test_moves_tell_where_an_event_is():
    moves = Moves(4, Shift(5, 2), Shift(7, -2))
    assert [moves(seq) for seq in range(4, 9)] == [4, 5, 6, 7, 8]
    assert moves.all([4, 5, 8]) == [4, 5, 8]
    assert Moves(4, Shift(7, -2), Shift(5, 1)).all([4, 5, 6, 7]) == [4, 6]

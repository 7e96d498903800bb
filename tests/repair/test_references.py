"""Every member that names the position of another event moves with it."""

from __future__ import annotations

import pytest

from dshlog.repair.references import Shift, moved_row, moved_text, names_later
from dshlog.storage.jsontext import dumps

UP = Shift(5, 2)  # two events were put in before 5
DOWN = Shift(7, -2)  # 5 and 6 are gone


def line(row):
    """Give a record as it is stored."""
    return dumps(row) + b"\n"


def event(kind="user/message", seq=9, **members):
    return {"type": kind, "seq": seq, "time": 1, "data": {}, **members}


@pytest.mark.parametrize(
    ("row", "up", "down"),
    [
        (event(), event(seq=11), event(seq=7)),
        ({"type": "text-chunks", "seq0": 9, "data": {}}, {"type": "text-chunks", "seq0": 11, "data": {}},
         {"type": "text-chunks", "seq0": 7, "data": {}}),
        (event(sourceEventSeqs=[4, 5, 8]), event(seq=11, sourceEventSeqs=[4, 7, 10]), event(seq=7, sourceEventSeqs=[4, 6])),
        (event(sourceEventSeqs=[[2, 8]]), event(seq=11, sourceEventSeqs=[[2, 4], [7, 10]]), event(seq=7, sourceEventSeqs=[[2, 6]])),
        (event(sourceEventSeqs=[5, 6]), event(seq=11, sourceEventSeqs=[7, 8]), event(seq=7)),
        (event(surfaceOp={"op": "replace", "startSeq": 5, "endSeq": 6}),
         event(seq=11, surfaceOp={"op": "replace", "startSeq": 7, "endSeq": 8}),
         event(seq=7, surfaceOp={"op": "replace", "startSeq": 5, "endSeq": 4})),
        (event(surfaceOp={"op": "replace", "start": 2, "end": 8}),
         event(seq=11, surfaceOp={"op": "replace", "start": 2, "end": 10}),
         event(seq=7, surfaceOp={"op": "replace", "start": 2, "end": 6})),
        (event("compaction/summary", data={"shadowedRange": {"start": 4, "end": 8}, "shadowedSeqs": [4, 5, 8]}),
         event("compaction/summary", 11, data={"shadowedRange": {"start": 4, "end": 10}, "shadowedSeqs": [4, 7, 10]}),
         event("compaction/summary", 7, data={"shadowedRange": {"start": 4, "end": 6}, "shadowedSeqs": [4, 6]})),
        (event("session/title", data={"messageSeqs": [5, 8]}), event("session/title", 11, data={"messageSeqs": [7, 10]}),
         event("session/title", 7, data={"messageSeqs": [6]})),
        (event("command/done", data={"sourceEventSeq": 5}), event("command/done", 11, data={"sourceEventSeq": 7}),
         event("command/done", 7, data={})),
        (event("developer/message", data={"headerSeq": 8}), event("developer/message", 11, data={"headerSeq": 10}),
         event("developer/message", 7, data={"headerSeq": 6})),
        (event("image/offload", data={"targets": [{"seq": 8, "imageIndexes": [0]}, {"seq": 5, "imageIndexes": [0]}]}),
         event("image/offload", 11, data={"targets": [{"seq": 10, "imageIndexes": [0]}, {"seq": 7, "imageIndexes": [0]}]}),
         event("image/offload", 7, data={"targets": [{"seq": 6, "imageIndexes": [0]}]})),
        (event("session-log-deepseek/delivery-accepted", data={"throughSeq": 6, "sessionFormatVersion": 4}),
         event("session-log-deepseek/delivery-accepted", 11, data={"throughSeq": 8, "sessionFormatVersion": 4}),
         event("session-log-deepseek/delivery-accepted", 7, data={"throughSeq": 4, "sessionFormatVersion": 4})),
        (event("session-log-deepseek/delivery-accepted", data={"throughSeq": 6, "sessionFormatVersion": 3}),
         event("session-log-deepseek/delivery-accepted", 11, data={"throughSeq": 6, "sessionFormatVersion": 3}),
         event("session-log-deepseek/delivery-accepted", 7, data={"throughSeq": 6, "sessionFormatVersion": 3})),
        (event("tool/result", data={"message": {"id": "forked-tool-result-c-9"}}),
         event("tool/result", 11, data={"message": {"id": "forked-tool-result-c-11"}}),
         event("tool/result", 7, data={"message": {"id": "forked-tool-result-c-7"}})),
        (event("tool/result", data={"message": {"id": "interrupted-tool-result-c-9"}}),
         event("tool/result", 11, data={"message": {"id": "interrupted-tool-result-c-9"}}),
         event("tool/result", 7, data={"message": {"id": "interrupted-tool-result-c-9"}})),
    ],
)  # fmt: skip
def test_what_an_event_names_moves_with_it(row, up, down):
    assert moved_row(row, UP, 4) == up
    assert moved_row(row, DOWN, 4) == down


def test_old_generations_compare_the_number_in_an_id_with_the_position():
    row = event("tool/result", data={"message": {"id": "interrupted-tool-result-c-9"}})
    assert moved_row(row, UP, 2)["data"]["message"]["id"] == "interrupted-tool-result-c-11"
    odd = event("tool/result", data={"message": {"id": "interrupted-tool-result-c-3"}})
    assert moved_row(odd, UP, 2)["data"]["message"]["id"] == "interrupted-tool-result-c-3"


@pytest.mark.parametrize(
    "row",
    [
        event(seq=2, sourceEventSeqs=[1]),
        event(seq=2, data=None),
        {"type": "x"},
        event(
            seq=2, sourceEventSeqs="x", surfaceOp="append", data={"messageSeqs": ["x"], "shadowedRange": {"start": "x"}}
        ),
        event("tool/result", 2, data={"message": {"id": "forked-tool-result-c-x"}}),
        event("image/offload", 2, data={"targets": ["x", {"seq": "x"}]}),
        event(seq=2, sourceEventSeqs=[[0, 2**53 - 1]]),
    ],
)
def test_what_names_nothing_that_moves_stays(row):
    assert moved_row(row, UP, 4) is None


def test_only_the_own_position_moves_when_the_rest_is_right():
    row = event(sourceEventSeqs=[8])
    assert moved_row(row, UP, 4, own_only=True) == event(seq=11, sourceEventSeqs=[8])
    assert moved_row(event(seq=2), UP, 4, own_only=True) is None


def test_an_event_that_names_itself_or_a_later_one_is_known():
    assert names_later(line(event(sourceEventSeqs=[9])), 4)
    assert names_later(line(event("session/title", data={"messageSeqs": [12]})), 4)
    assert not names_later(line(event(sourceEventSeqs=[8])), 4)
    assert not names_later(line({"type": "x"}), 4)


@pytest.mark.parametrize("move", [UP, DOWN, Shift(3, 4), Shift(5, 2, own_only=True)], ids=["up", "down", "far", "own"])
@pytest.mark.parametrize(
    "members",
    [
        {},
        {"sourceEventSeqs": [1, 4, 6, 7]},
        {"sourceEventSeqs": [5, 6]},
        {"sourceEventSeqs": [[1, 4], 7], "surfaceOp": "append"},
        {"surfaceOp": "append", "sourceEventSeqs": [7, 8]},
        {"surfaceOp": {"op": "replace", "start": 6, "end": 8}, "sourceEventSeqs": [6, 8]},
        {"data": {"messageSeqs": [7]}},
        {"data": {"targets": [{"seq": 7, "imageIndexes": [0]}]}},
        {"data": {"text": 'says "seq": 4 and sourceEventSeqs'}},
        {"seq": 2, "sourceEventSeqs": [1]},
    ],
    ids=str,
)
def test_a_line_moves_as_its_record_does(members, move):
    row = event(**members)
    moved = moved_row(row, move, 4, own_only=move.own_only)
    assert moved_text(line(row), move, 4) == (None if moved is None else line(moved))

"""Turns and steps that are gone leave numbers that all move at once, in every record behind them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rows
from dshlog.repair.line import Line
from dshlog.repair.numbering import Numbering, renumbered_row, renumbered_text
from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.references import Shift
from dshlog.repair.salvage import stretches
from dshlog.repair.script import result
from dshlog.report.examine import examine
from dshlog.storage.jsontext import dumps, loads
from dshlog.storage.source import BytesSource
from logbuilder import Log, log_name

BRACKETS = frozenset(
    {"turn-number-wrong", "turn-start-inside-turn", "turn-end-mismatch", "turn-end-inside-step", "step-number-wrong"}
    | {"step-start-outside-turn", "step-start-inside-step", "step-end-mismatch", "outside-step", "outside-turn"}
)
TURNS, STEPS = 12, 3
# Each frame that breaks begins and ends behind one end of a step, or behind the start of a turn, which is step 0:
# it swallows a whole turn and parts of both neighbours, or some steps.
HOLES = {
    "between steps": [((2, 1, "end"), (4, 2, "end"))],
    "inside steps": [((2, 2, "start"), (4, 2, "start"))],
    "up to a step": [((2, 1, "end"), (4, 0, "start"))],
    "over the end of a turn": [((2, 3, "end"), (4, 0, "start"))],
    "steps alone": [((2, 1, "end"), (2, 2, "end"))],
    "three": [((2, 1, "end"), (4, 2, "end")), ((6, 2, "start"), (8, 1, "start")), ((10, 1, "end"), (11, 2, "end"))],
}  # fmt: skip


def long_log(version, cuts):
    """Give a log of twelve turns whose frames end at these places, and nowhere else."""
    log = Log(version)
    ends = []
    for turn in range(1, TURNS + 1):
        log.turn()
        ends += [len(log.events)] if (turn, 0, "start") in cuts else []
        for step in range(1, STEPS + 1):
            log.step()
            ends += [len(log.events)] if (turn, step, "start") in cuts else []
            if (turn, step) == (1, 1):
                log.system("Be brief.")
                log.request(tools=("bash",))
            if step == 1:
                log.user(f"Ask {turn}")
            log.assistant(f"Answer {turn}, {step}")
            log.end_step()
            ends += [len(log.events)] if (turn, step, "end") in cuts else []
        log.end_turn()
    log.cuts = ends
    return log


def broken(version, holes):
    """Give the bytes of a zstd log with a frame broken for each hole, and the records that are left."""
    log = long_log(version, {place for hole in holes for place in hole})
    batches = log.batches()
    frames = rows.frames(batches)
    gone = range(2, len(frames), 2)
    data = b"".join(bytes(20) if at in gone else frame for at, frame in enumerate(frames))
    left = [row for at, batch in enumerate(batches) if at not in gone and at for row in batch]
    assert len(gone) == len(holes)
    return data, left


def mended(version, data):
    """Give the plan for a broken log and the events of its result, which its own build opens and the newest too."""
    name = log_name(version, zstd=True)
    plan = plan_repair(BytesSource(data), name, Wishes(now=1, allow_loss=True, fix=BRACKETS))
    assert plan.script is not None, plan.why_not
    made = b"".join(result(plan.script, BytesSource(data), "zstd"))
    report = examine(BytesSource(made), name, upgrade="always")
    assert (report.state, report.native.opens, report.latest.opens) == ("clean", True, True)
    return plan, zstd_text(made)


def zstd_text(data):
    """Give the text of a zstd log."""
    return b"".join(stretch.text for stretch in stretches(data))


@pytest.mark.parametrize("version", [0, 3, 4])
@pytest.mark.parametrize("name", HOLES)
def test_what_is_left_of_turns_is_numbered_anew_at_once(version, name):
    data, left = broken(version, HOLES[name])
    plan, made = mended(version, data)
    assert not plan.lost
    done = [action.kind for action in plan.actions if action.kind in {"edit", "renumber"}]
    assert len(done) <= 3 * len(HOLES[name]) + 1
    stored = [text(row) for row in left]
    assert [line for line in map(text, map(loads, made.splitlines()[1:])) if line in stored] == stored


def text(row):
    """Give what a record says apart from numbers."""
    data = {name: value for name, value in row["data"].items() if name not in {"turn", "step"}}
    return dumps([row["type"], data])


def test_the_plan_says_which_turns_and_steps_get_which_numbers():
    data, _ = broken(4, HOLES["between steps"])
    plan, _ = mended(4, data)
    told = [action for action in plan.actions if "turn" in action.message]
    assert [action.message for action in told] == [
        "what is left of turn 4 goes on in turn 2, and the steps of turn 2 are numbered 2, 3 and so on from here on; the turns after it are numbered anew: 5..12 become 3..10"
    ]
    assert told[0].loss == "the numbers that they named"


def test_one_wrong_number_is_that_of_one_record():
    log = long_log(4, ())
    start = next(row for row in log.events if row["type"] == "turn/start" and row["data"]["turn"] == 5)
    start["data"] = {"turn": 4}
    data = rows.raw(log.batches())
    plan = plan_repair(BytesSource(data), log_name(4, zstd=False), Wishes(now=1, allow_loss=True))
    assert [action.message for action in plan.actions if action.kind != "keep"] == [
        "turn 4 becomes 5, as where the record stands"
    ]


def test_what_says_the_turn_of_another_record_follows_it():
    log, earlier = Log(4), 0
    for turn in range(1, 7):
        log.turn()
        log.step()
        if turn == 1:
            log.system("Be brief.")
            log.request(tools=("bash",))
        log.assistant("", (f"c{turn}", "bash", "{}"))
        log.call(f"c{turn}")
        seq = log.result(f"c{turn}", "Much")
        log.end_step()
        if turn == 6:
            log.prune(earlier, "Little")
        earlier = seq
        log.end_turn()
    data = b"".join(bytes(20) if at == 2 else frame for at, frame in enumerate(rows.frames(log.batches())))
    plan, made = mended(4, data)
    assert not plan.lost
    pruned = [row for row in map(loads, made.splitlines()) if type(row.get("surfaceOp")) is dict]
    assert [row["data"]["turn"] for row in pruned] == [4]


ROWS = [
    {"type": "turn/start", "seq": 9, "time": 1, "data": {"turn": 5}},
    {"type": "step/end", "seq": 9, "time": 1, "data": {"turn": 5, "step": 2}},
    {"type": "step/end", "seq": 9, "time": 1, "data": {"step": 2, "turn": 5}},
    {"type": "text-chunks", "seq0": 9, "time0": 1, "data": {"turn": 6, "step": 3, "texts": ["a"]}},
    {"type": "tool/call", "seq": 9, "time": 1, "data": {"turn": 5, "step": 2, "arguments": '{"turn":5,"step":2}'}},
    {"type": "todo/write", "seq": 9, "time": 1, "data": {"todos": [{"turn": 5, "step": 2}]}},
    {"type": "tool/call", "seq": 9, "time": 1, "data": {"turn": 5, "step": 2, "meta": {"turn": 5, "step": 2}}},
    {"type": "compaction/start", "seq": 9, "time": 1, "data": {"turn": None}},
    {"type": "a-plugin/move", "seq": 9, "time": 1, "ignorable": True, "data": {"turn": 5, "step": 2}},
    {"type": "a-plugin/move", "seq": 9, "time": 1, "data": {"turn": 5}},
    {"type": "llm/retry", "seq": 9, "time": 1, "data": {"retryId": "\u0001", "turn": 7, "step": 0}},
]
NUMBERINGS = st.builds(Numbering, st.integers(3, 8), st.integers(-2, 3), st.integers(1, 3), st.integers(-1, 2))


@pytest.mark.parametrize("row", ROWS)
@given(moves=st.lists(NUMBERINGS, min_size=1, max_size=3))
def test_numbers_that_are_written_in_place_are_those_that_are_set(row, moves):
    text = dumps(row) + b"\n"
    made = renumbered_row(row, moves)
    assert renumbered_text(text, moves) == (text if made is None else dumps(made) + b"\n")
    line = Line(text=text, old=text, number=2).renumbered(moves[0], {}).shifted(Shift(5, 3), 4, {})
    for move in moves[1:]:
        line = line.renumbered(move, {})
    moved = loads(renumbered_text(text, moves))
    own = "seq0" if "seq0" in row else "seq"
    assert loads(line.text) == {**moved, own: 12}
    assert line.moved
    assert line.seq == 12


def test_turns_and_the_steps_of_one_of_them_move():
    move = Numbering(5, -2, 3, -1)
    assert [move.turn_of(turn) for turn in (4, 5, 9)] == [4, 3, 7]
    assert [move.step_of(*at) for at in ((5, 2), (5, 3), (6, 3))] == [2, 2, 3]
    assert renumbered_text(b'no record of a "turn"\n', [move]) == b'no record of a "turn"\n'

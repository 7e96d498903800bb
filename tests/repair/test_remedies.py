"""Each remedy on a small log that it is for: what it changes, what it costs, and that the rest stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import build
import rows
from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.remedies import turns
from dshlog.repair.salvage import stretches
from dshlog.repair.script import result
from dshlog.report.examine import examine
from dshlog.storage.lines import Lines
from dshlog.storage.source import BytesSource
from logbuilder import Log

FIXTURES = Path(build.__file__).parent
V4 = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes().splitlines(keepends=True)
V0 = (FIXTURES / "v0/clean-raw/session.jsonl").read_bytes().splitlines(keepends=True)
COMPACTED = (FIXTURES / "v4/compaction-raw/session.v4.jsonl").read_bytes().splitlines(keepends=True)


def dumped(row):
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def changed(lines, index, **members):
    """Give lines with members of one record replaced; None takes one out."""
    row = json.loads(lines[index])
    row |= members
    row = {name: value for name, value in row.items() if value is not None}
    return [*lines[:index], dumped(row), *lines[index + 1 :]]


def with_line(lines, index, line):
    return [*lines[:index], line, *lines[index + 1 :]]


def broken(lines, index, was, becomes, *, last=False):
    """Give lines with the first or the last of some bytes replaced in one of them."""
    line = lines[index]
    at = line.rindex(was) if last else line.index(was)
    return with_line(lines, index, line[:at] + becomes + line[at + len(was) :])


def first(lines, kind):
    """Give the index of the first record of a type."""
    return next(index for index, line in enumerate(lines) if json.loads(line).get("type") == kind)


def repaired(lines, name="session.v4.jsonl", **wishes):
    """Repair a log; gives the plan and the lines of the result, None when there is none."""
    data = b"".join(lines)
    plan = plan_repair(BytesSource(data), name, Wishes(now=7, allow_loss=True, **wishes))
    if plan.script is None:
        return plan, None
    made = b"".join(result(plan.script, BytesSource(data), plan.before.encoding))
    assert examine(BytesSource(made), name, reader="native").state == "clean"
    return plan, made.splitlines(keepends=True)


TURN, STEP, USER = first(V4, "turn/start"), first(V4, "step/start"), first(V4, "user/message")
MIDDLE = STEP + 1
LOSSLESS = {
    "blank line": [*V4[:MIDDLE], b"\n", *V4[MIDDLE:]],
    "zero bytes between records": [*V4[:MIDDLE], b"\0" * 9 + b"\n", *V4[MIDDLE:]],
    "two records on one line": [*V4[:MIDDLE], V4[MIDDLE].rstrip() + V4[MIDDLE + 1], *V4[MIDDLE + 2 :]],
    "a trailing comma": [*V4[:MIDDLE], V4[MIDDLE].replace(b"}\n", b",}\n"), *V4[MIDDLE + 1 :]],
    "a brace too few": [*V4[:MIDDLE], V4[MIDDLE].replace(b"}\n", b"\n"), *V4[MIDDLE + 1 :]],
    "a byte order mark": [b"\xef\xbb\xbf" + V4[0], *V4[1:]],
    "a record twice": [*V4[:MIDDLE], V4[MIDDLE], *V4[MIDDLE:]],
    "the header twice": [*V4[:MIDDLE], V4[0], *V4[MIDDLE:]],
    "two records swapped": [*V4[:MIDDLE], V4[MIDDLE + 1], V4[MIDDLE], *V4[MIDDLE + 2 :]],
    "a wrong number": changed(V4, MIDDLE, seq=999),
    "a number as text": changed(V4, MIDDLE, seq="3"),
    "a version as text": changed(V4, 0, version="4"),
    "no version": changed(V4, 0, version=None),
    "another type of header": changed(V4, 0, type="sesion"),
    "no depth": changed(V4, 0, delegationDepth=None),
    "ignorable that is false": changed(V4, TURN, ignorable=False),
}


@pytest.mark.parametrize("name", LOSSLESS)
def test_lossless_remedy_gives_back_what_was(name):
    plan, made = repaired(LOSSLESS[name])
    assert made == V4
    assert not plan.lossy
    assert not plan.lost


LOSSY = {
    "a line that cannot be read": [*V4[:STEP], b"{what?\n", *V4[STEP + 1 :]],
    "an array": [*V4[:STEP], b"[1]\n", *V4[STEP + 1 :]],
    "a hole": [*V4[:STEP], *V4[STEP + 1 :]],
    "no time": changed(V4, TURN, time=None),
    "a member too many": changed(V4, TURN, note="x"),
    "a marker on a log-only event": changed(V4, TURN, surfaceOp="append"),
    "no marker": changed(V4, USER, surfaceOp=None),
    "a marker of no kind": changed(V4, USER, surfaceOp="prepend"),
    "a citation of a later event": changed(V4, USER, sourceEventSeqs=[900]),
    "a turn with another number": changed(V4, TURN, data={"turn": 3}),
    "no turn/start": [*V4[:TURN], *V4[TURN + 1 :]],
    "no turn/end": [line for line in V4 if b'"turn/end"' not in line] + V4[TURN : TURN + 1],
    "a header member too many": changed(V4, 0, colour="red"),
    "a relative cwd": changed(V4, 0, cwd="home"),
    "no time of creation": changed(V4, 0, createdAt=None),
    "seeded without a marker": changed(V4, 0, isSeeded=True),
    "zeros in a number": [*V4[:TURN], V4[TURN].replace(b'"time":1', b'"time":\0\x001', 1), *V4[TURN + 1 :]],
    "not a number": [*V4[:TURN], V4[TURN].replace(b'"turn":1', b'"turn":NaN'), *V4[TURN + 1 :]],
}


@pytest.mark.parametrize("name", LOSSY)
def test_lossy_remedy_keeps_all_other_records(name):
    plan, made = repaired(LOSSY[name])
    assert plan.lossy
    assert made is not None
    kinds = [json.loads(line)["type"] for line in made]
    for line in V4[1:]:
        kind = json.loads(line)["type"]
        assert kind in kinds
    assert len(made) >= len(V4) - 1


def test_without_consent_a_lossy_plan_is_not_carried_out():
    data = b"".join(LOSSY["a hole"])
    plan = plan_repair(BytesSource(data), "session.v4.jsonl", Wishes(now=7))
    assert "--allow-loss agrees" in plan.why_not
    assert plan.script is not None


def test_references_move_with_what_they_name():
    assert any(b"sourceEventSeqs" in line for line in COMPACTED)
    second = TURN + 1
    plan, made = repaired([*COMPACTED[:second], dumped({"type": "sandbox/mode"}), *COMPACTED[second:]])
    assert made is not None
    assert [json.loads(line) for line in made] == [json.loads(line) for line in COMPACTED]
    lost = first(COMPACTED, "request/header") if b'"request/header"' in b"".join(COMPACTED) else second
    plan, made = repaired([*COMPACTED[:lost], *COMPACTED[lost + 1 :]])
    assert made is not None
    assert plan.lossy


def test_packed_row_that_overlaps_keeps_what_is_new():
    index = next(index for index, line in enumerate(V0) if b"-chunks" in line)
    row = json.loads(V0[index])
    again = {**row, "data": dict(row["data"])}
    plan, made = repaired([*V0[: index + 1], dumped(again), *V0[index + 1 :]], name="session.jsonl")
    assert not plan.lossy
    assert made == V0


def test_a_compaction_that_its_process_took_along_gets_its_marker():
    opened = {"type": "compaction/start", "seq": 0, "time": 1, "data": {"compactionId": "c", "turn": 2}}
    step_end = max(index for index, line in enumerate(V4) if b'"step/end"' in line)
    lines = list(V4)
    rows = [json.loads(line) for line in lines]
    rows.insert(step_end + 1, opened)
    for seq, row in enumerate(rows[1:]):
        row["seq"] = seq
    rows = rows[: step_end + 3]
    plan, made = repaired([dumped(row) for row in rows])
    assert made is not None
    assert not plan.lossy
    assert plan.end_seed == {"type": "session/end-seed", "seq": len(rows) - 1, "time": 7, "data": {}}


def test_an_open_compaction_before_another_one_costs_no_look_at_the_whole_log(monkeypatch):
    log = Log(4)
    for turn in (1, 2):
        log.turn()
        log.step()
        if turn == 1:
            log.system("be brief")
        first, last = log.user("one"), log.assistant("two")
        log.end_step()
        log.compact(first, last, "short")
        log.end_turn()
    kept = [event for event in log.events if event["type"] != "compaction/end" or event["data"]["turn"] == 2]
    monkeypatch.setattr(turns, "scanned", lambda *_: pytest.fail("looked at all records"))
    plan, made = repaired([dumped(row) for row in (log.header, *kept)])
    assert not plan.lost
    assert [json.loads(line)["type"] for line in made].count("session/end-seed") == 1


def test_what_is_newer_is_left_alone_unless_it_is_named():
    lines = [*V4, dumped({"type": "acme/note", "seq": len(V4) - 1, "time": 9, "data": {}})]
    plan, made = repaired(lines)
    assert made is None
    assert plan.why_not.startswith("the file is whole")
    plan, made = repaired(lines, fix=frozenset({"unknown-type"}))
    assert json.loads(made[-1])["ignorable"] is True
    assert made[:-1] == lines[:-1]


def test_what_breaks_a_rule_goes_alone_and_is_named():
    bad = {"type": "tool/result", "seq": USER, "time": 9, "data": {"turn": 1}, "surfaceOp": "append"}
    lines = [*V4[: USER + 1], dumped(bad), *V4[USER + 1 :]]
    plan, made = repaired(lines)
    assert made == V4
    assert [lost.event for lost in plan.lost] == [bad]


def test_a_list_of_citations_that_no_log_can_have_is_left_alone():
    lines = changed(V4, USER, sourceEventSeqs=[[0, 2**53 - 1]])
    plan, made = repaired([*lines[:TURN], *lines[TURN + 1 :]])
    assert made is not None
    assert plan.lossy


def test_a_record_that_is_too_long_for_us_is_never_dropped(monkeypatch):
    monkeypatch.setattr(Lines.__init__, "__defaults__", (300,))
    monkeypatch.setattr("dshlog.storage.source.WINDOW", 50)
    monkeypatch.setattr("dshlog.report.reading.LONGEST_STRING", 1000)
    long = {"type": "todo/write", "seq": len(V4) - 1, "time": 9, "data": {"todos": [], "a": "x" * 2000}}
    plan, made = repaired([*V4, dumped(long)])
    assert made is None
    assert plan.why_not.startswith("dshlog does not read all of it")


@pytest.mark.parametrize("kind", [[], {}, 7, None, "", "text-chunks"])
def test_a_type_of_any_kind_is_no_obstacle(kind):
    plan, made = repaired(changed(V4, MIDDLE, type=kind))
    assert made is not None or plan.why_not


def called(version, *, block, call, result_id):
    """Give lines with one call, whose records name it in three ways."""
    lines = list(V0 if version == 0 else V4)
    rows = [json.loads(line) for line in lines]
    step = next(index for index, row in enumerate(rows) if row.get("type") == "tool/call")
    advertised = max(index for index in range(step) if rows[index].get("type") == "assistant/message")
    answer = next(index for index in range(step, len(rows)) if rows[index].get("type") == "tool/result")
    for one in rows[advertised]["data"]["message"]["content"]:
        if one.get("type") == "tool-call":
            one.update(block)
    rows[step]["data"] |= call
    message = rows[answer]["data"]["message"]
    if result_id is not None:
        message["source"]["callId"] = result_id
        for one in message["content"]:
            if "toolCallId" in one:
                one["toolCallId"] = result_id
        if "toolCallId" in message:
            message["toolCallId"] = result_id
    return [dumped(row) for row in rows], advertised, step


@pytest.mark.parametrize("version", [0, 4])
def test_the_call_without_an_id_gets_one_everywhere(version):
    lines, advertised, step = called(version, block={"id": ""}, call={"callId": ""}, result_id="")
    name = "session.jsonl" if version == 0 else "session.v4.jsonl"
    plan, made = repaired(lines, name=name)
    assert not plan.lossy
    assert len(made) == len(lines)
    given = json.loads(made[step])["data"]["callId"]
    assert given == "call_1", "its chunks still have the id"
    assert given.encode() in made[advertised]


def test_arguments_become_those_that_were_advertised():
    lines, _, step = called(4, block={}, call={"arguments": "{}\ufffd"}, result_id=None)
    plan, made = repaired(lines)
    assert plan.lossy
    assert made == V4
    assert step


def advertised_twice():
    """Give lines in which one message advertises a call twice."""
    rows = [json.loads(line) for line in V4]
    index = next(
        index for index, row in enumerate(rows) if b'"tool-call"' in V4[index] and row["type"] == "assistant/message"
    )
    content = rows[index]["data"]["message"]["content"]
    content.append(next(block for block in content if block.get("type") == "tool-call"))
    return [dumped(row) for row in rows]


def test_a_block_that_stands_twice_goes():
    plan, made = repaired(advertised_twice())
    assert made == V4
    assert not plan.lossy


TEXT = b"".join(V4)
SPREAD = {
    "header over two frames": [V4[0][:40], V4[0][40:], b"".join(V4[1:])],
    "header without its line feed": [V4[0].rstrip(), b"\n", b"".join(V4[1:])],
    "line feed before the records": [V4[0].rstrip(), b"\n" + b"".join(V4[1:])],
    "records behind half a header": [V4[0][:40], V4[0][40:] + b"".join(V4[1:])],
    "records in the first frame": [TEXT],
}


@pytest.mark.parametrize("name", SPREAD)
def test_the_header_gets_a_frame_of_its_own(name):
    data = b"".join(rows.frame(text) for text in SPREAD[name])
    plan = plan_repair(BytesSource(data), "session.v4.jsonl.zstd", Wishes(now=7))
    assert (plan.lossy, plan.why_not) == (False, None)
    assert [action.message for action in plan.actions if "the header gets a frame of its own" in action.message]
    made = b"".join(result(plan.script, BytesSource(data), "zstd"))
    report = examine(BytesSource(made), "session.v4.jsonl.zstd")
    assert (report.state, report.events) == ("clean", plan.events)
    assert b"".join(stretch.text for stretch in stretches(made)) == TEXT


def test_a_plan_that_writes_nothing_says_where_dsh_cuts():
    message = {"id": "u0", "role": "user", "content": [], "source": {"kind": "user"}}
    user = {"type": "user/message", "time": 1, "data": message, "surfaceOp": "append"}
    tail = [{**user, "seq": 12}, {**user, "seq": 0}, {**user, "seq": 1, "sourceEventSeqs": [1]}]
    plan, made = repaired([V0[0], *map(dumped, tail)], name="session.jsonl", keep="first")
    assert made is None
    assert plan.truncate_to == len(V0[0])


RESULT = first(V4, "tool/result")
OF_RESULT = {
    "no id": ({"id": None}, {"id": f"recovered-message-{RESULT - 1}"}),
    "no role": ({"role": None}, {}),
    "the role of a person": ({"role": "user"}, {}),
    "no call id": ({"toolCallId": None}, {}),
    "an empty call id": ({"toolCallId": ""}, {}),
    "no source": ({"source": None}, {}),
    "a source without a call": ({"source": {"kind": "tool"}}, {}),
    "a flag that is no boolean": ({"isError": "no"}, {}),
}


@pytest.mark.parametrize("name", OF_RESULT)
def test_the_message_of_a_result_is_put_right(name):
    spoiled, given = OF_RESULT[name]
    data = json.loads(V4[RESULT])["data"]
    message = {member: value for member, value in (data["message"] | spoiled).items() if value is not None}
    plan, made = repaired(changed(V4, RESULT, data={**data, "message": message}))
    assert not plan.lossy
    assert json.loads(made[RESULT])["data"]["message"] == data["message"] | given
    assert made[:RESULT] + made[RESULT + 1 :] == V4[:RESULT] + V4[RESULT + 1 :]


@pytest.mark.parametrize("spoiled", [0, 1], ids=["the replaced one", "the replacement"])
def test_a_result_has_the_id_of_what_replaces_it(spoiled):
    row = json.loads(V4[RESULT])
    content = [{"type": "text", "text": "cut"}]
    seq = len(V4)
    again = {**row, "seq": seq, "surfaceOp": {"op": "replace", "startSeq": row["seq"], "endSeq": row["seq"]}}
    again |= {
        "sourceEventSeqs": [row["seq"]],
        "data": {**row["data"], "message": {**row["data"]["message"], "content": content}},
    }
    turn = max(json.loads(text)["data"]["turn"] for text in V4 if b'"turn/start"' in text) + 1
    start = {"type": "turn/start", "seq": seq - 1, "time": row["time"], "data": {"turn": turn}}
    end = {
        "type": "turn/end",
        "seq": seq + 1,
        "time": row["time"],
        "data": {"turn": turn, "reason": {"kind": "completed"}},
    }
    whole = [*V4, dumped(start), dumped(again), dumped(end)]
    assert examine(BytesSource(b"".join(whole)), "session.v4.jsonl").native.opens
    index = (RESULT, len(V4) + 1)[spoiled]
    data = json.loads(whole[index])["data"]
    message = {name: value for name, value in data["message"].items() if name != "id"}
    plan, made = repaired(changed(whole, index, data={**data, "message": message}))
    assert made[: len(whole)] == whole
    assert not plan.lossy


def test_a_result_that_names_two_calls_is_that_of_the_open_one():
    data = json.loads(V4[RESULT])["data"]
    plan, made = repaired(changed(V4, RESULT, data={**data, "message": {**data["message"], "toolCallId": "other"}}))
    assert made == V4
    assert plan.lossy
    assert not plan.lost


def test_sound_frames_behind_a_frame_that_claims_too_much_are_not_cut_with_it():
    frames = [rows.frame(line) for line in V4]
    longer = bytearray(frames[4])
    longer[7] ^= 0x7F  # a length of its first block
    data = b"".join([*frames[:4], bytes(longer), *frames[5:]])
    before = examine(BytesSource(data), "session.v4.jsonl.zstd")
    plan = plan_repair(BytesSource(data), "session.v4.jsonl.zstd", Wishes(now=7, allow_loss=True))
    assert before.state == "torn"
    assert plan.truncate_to == len(b"".join(frames[:4]))
    assert plan.events > before.events + len(plan.closers) + 1


ODD_TEXT = {  # what a text of a row says in JSON, and what it says when both fixes were made
    "half a pair": (rb"\ud83d", rb"\ufffd"),
    "the other half": (rb"\uDe80", rb"\ufffd"),
    "two first halves": (rb"\ud83d\ud83d", rb"\ufffd\ufffd"),
    "a byte of another encoding": (b"caf\xe9", "caf\ufffd".encode()),
    "both": (b"\\ud83d caf\xe9", b"\\ufffd caf\xef\xbf\xbd"),
    "half a pair as bytes": (b"\xed\xa0\xbd", "\ufffd\ufffd\ufffd".encode()),
    "a pair beside it": (rb"\ud83d\ude80\ud83d", rb"\ud83d\ude80\ufffd"),
}
BOTH = frozenset({"invalid-utf8", "lone-surrogate"})


@pytest.mark.parametrize("name", ODD_TEXT)
def test_text_that_is_no_text_becomes_the_replacement_sign(name):
    odd, sound = ODD_TEXT[name]
    before, after = (
        [*V4[:USER], V4[USER].replace(b'"text":"', b'"text":"' + put, 1), *V4[USER + 1 :]] for put in (odd, sound)
    )
    plan, made = repaired(before, fix=BOTH)
    assert made == after
    assert plan.lossy  # what stood there is said nowhere else
    assert not plan.lost
    left = examine(BytesSource(b"".join(made)), "session.v4.jsonl").findings
    assert not BOTH.intersection(found.name for found in left)


def test_of_two_kinds_of_odd_text_the_one_that_was_named_is_put_right():
    before = [*V4[:USER], V4[USER].replace(b'"text":"', b'"text":"\\ud83d caf\xe9', 1), *V4[USER + 1 :]]
    _, made = repaired(before, fix=frozenset({"invalid-utf8"}))
    assert made[USER] == before[USER].replace(b"\xe9", "\ufffd".encode())
    _, made = repaired(before, fix=frozenset({"lone-surrogate"}))
    assert made[USER] == before[USER].replace(b"\\ud83d", b"\\ufffd")


HALVES = {  # rows of one step: where a pair is cut, and how it is put together
    "pieces of a packed row": (0, rb'"Go \ud83d","\ude80!"', b'"Go \xf0\x9f\x9a\x80","!"'),
    "pieces of a stream": (4, rb'"Go \ud83d","\ude80!"', b'"Go \xf0\x9f\x9a\x80","!"'),
    "chunks of a stream": (2, rb'"text":"Go \ud83d"', b'"text":"Go \xf0\x9f\x9a\x80"'),
}


@pytest.mark.parametrize("name", HALVES)
def test_a_pair_that_is_cut_between_two_pieces_is_put_together(name):
    """The message has both halves, so that no piece may lose its own."""
    version, cut, whole = HALVES[name]
    log = Log(version)
    log.turn()
    log.step()
    log.user("Hi")
    log.assistant("Go \U0001f680! And on.")
    log.end_step()
    log.end_turn()
    lines = b"".join(dumped(row) for batch in log.batches() for row in batch)
    pieces = b'"Go ","\xf0\x9f\x9a\x80! ","And ","on."'
    assert lines.count(pieces) == 1
    if name == "chunks of a stream":
        chunk = b'{"type":"chunk","time":1700000000050,"chunk":{"type":"text-delta","index":0,"text":"%s"}}'
        start, end = (
            lines.rindex(b'{"type":"text-chunks"', 0, lines.index(pieces)),
            lines.index(pieces) + len(pieces) + 2,
        )
        before, after = (
            lines[:start] + chunk % one + b"," + chunk % other + lines[end:]
            for one, other in ((rb"Go \ud83d", rb"\ude80! And on."), ("Go \U0001f680".encode(), b"! And on."))
        )
    else:
        before, after = (lines.replace(pieces, put + b',"And ","on."') for put in (cut, whole))
        before, after = before.replace(b'"!",', b'"! ",'), after.replace(b'"!",', b'"! ",')
        before = before.replace(rb'\ude80!"', rb'\ude80! "')
    path = f"session.v{version}.jsonl" if version else "session.jsonl"
    assert "lone-surrogate" in {found.name for found in examine(BytesSource(before), path).findings}
    plan, made = repaired(before.splitlines(keepends=True), path, fix=frozenset({"lone-surrogate"}))
    assert b"".join(made) == after
    assert not plan.lossy

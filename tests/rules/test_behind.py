"""What is judged behind the first bad record, and what is only counted there.

A record's own form always; its relations again from the next turn/start; nothing of it changes what is
said about the readable prefix. Source: product.md §2, storage.md §5.2, §5.3.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rows
from dshlog.report.decode import read_log
from dshlog.report.examine import examine
from dshlog.report.surface import surface_view
from dshlog.rules.sample import (
    GONE,
    at,
    but,
    call,
    content,
    event,
    head,
    request,
    result,
    says,
    step,
    step_end,
    turn,
    turn_end,
)
from dshlog.rules.sample import user as says_user
from dshlog.storage.source import BytesSource
from logbuilder import Log

TURN, STEP, HI = turn(), step(), says_user()
DONE = (step_end(), turn_end())
BAD = b'{"type":"user/message",'
VERSIONS = (0, 1, 2, 3, 4)


def broken(*behind, before=(TURN, STEP, HI), version=4):
    """Give rows with a line that cannot be read; what comes behind it counts on as if it were an event."""
    return (head(version), *before, BAD, *behind)


def told(report):
    """Give (code, severity, seq) of what stands behind the first bad line."""
    first = report.findings[0]
    return [
        (finding.code, finding.severity, finding.place.seq)
        for finding in report.findings
        if finding.place.line is not None and finding.place.line > (first.place.line or 0) and finding.code != "T101"
    ]


# -- own form

FORMS = {
    "unknown member": ("E102", {**says_user("x", "m4"), "colour": "blue"}),
    "time": ("E106", but(says_user("x", "m4"), "time", 1.5)),
    "unknown type": ("E109", event("demo/note")),
    "retired type": ("E110", event("mode/set")),
    "marker": ("S201", but(says_user("x", "m4"), "surfaceOp", GONE)),
    "marker on a log-only event": ("S203", {**step_end(), "surfaceOp": "append"}),
    "own seq cited": ("S206", {**says_user("x", "m4"), "sourceEventSeqs": [4]}),
    "no sources": ("S204", {**says_user("x", "m4"), "sourceEventSeqs": []}),
    "message id": ("P103", but(says_user("x", "m4"), "data.id", GONE)),
    "role": ("P104", but(says_user("x", "m4"), "data.role", "system")),
    "stream": ("P111", but(says(), "data.stream", GONE)),
    "header config": ("P112", but(request(), "data.header.config", {})),
    "header reason": ("P115", but(request(), "data.reason", "x")),
}
ADMISSION = {
    "plugin source": ("P124", but(says_user("x", "m4"), "data.source", {"kind": "plugin"})),
    "header system": ("P118", request(system="Be brief.")),
    "retired dispatch": ("E111", event("tool/code-dispatch")),
    "tool form": ("P122", but(result(), "data.message", GONE)),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_form_of_a_record_is_judged_and_hurts_as_much_as_the_log_does(name, judged):
    code, row = FORMS[name]
    torn = judged(broken(row))
    assert (torn.state, torn.native.opens, torn.native.first) == ("torn", True, None)
    assert [(found, severity) for found, severity, _ in told(torn)] == [(code, "warning")]
    refused = judged(broken(row, turn_end()))
    assert (refused.state, refused.native.first) == ("refused", "L102")
    assert (code, "error") in [(found, severity) for found, severity, _ in told(refused)]


@pytest.mark.parametrize("name", ADMISSION)
def test_admission_is_never_softened(name, judged):
    code, row = ADMISSION[name]
    report = judged(broken(row))
    assert (report.state, report.native.opens, report.native.first) == ("refused", False, code)
    assert (code, "error") in [(found, severity) for found, severity, _ in told(report)]


def test_a_note_stays_a_warning_behind_a_bad_record(judged):
    report = judged(broken(but(says_user("x", "m4"), "ignorable", value=True), version=0), 0)
    assert told(report) == []
    opaque = judged(broken({**event("demo/note"), "ignorable": True}, turn_end(), version=0), 0)
    assert [(code, severity) for code, severity, _ in told(opaque)] == [("E112", "warning")]


def test_a_newer_type_behind_a_bad_record_does_not_make_the_log_newer(judged):
    assert judged(broken(event("demo/note"), turn_end())).state == "refused"
    assert judged((event("demo/note"), turn())).state == "newer"


@pytest.mark.parametrize("again", [BAD, b"[1]", b"7", b'{"type":"plan/mode"}'])
def test_every_unreadable_line_is_told(again, judged):
    report = judged(broken(says_user("x", "m4"), again))
    assert report.findings[0].code == "L102"
    assert len(told(report)) >= 1


# -- relations

OUTSIDE = but(says(name="m7"), "data.step", 9)  # names a step that is not open
NEXT = (turn(2), step(1, 2))


def test_relations_are_judged_again_from_the_next_turn(judged):
    report = judged(broken(OUTSIDE, *DONE, *NEXT, but(OUTSIDE, "data.message.id", "m8"), step_end(1, 2), turn_end(2)))
    assert told(report) == [("T209", "error", 9)]
    assert report.findings[0].follows == 1  # the one before the turn


def test_before_the_next_turn_they_are_counted_only(judged):
    report = judged(broken(OUTSIDE, call(), *DONE))
    assert told(report) == []
    assert report.findings[0].follows == 2


def test_the_number_of_that_turn_is_taken_as_it_is(judged):
    report = judged(broken(*DONE, turn(7), turn_end(7), turn(8), turn_end(8)))
    assert told(report) == []
    assert told(judged(broken(*DONE, turn(7), turn_end(7), turn(9)))) == [("T201", "error", 8)]


def test_an_open_turn_before_the_damage_is_forgotten(judged):
    assert told(judged(broken(turn(2), step(1, 2), step_end(1, 2), turn_end(2)))) == []


def test_a_second_bad_record_ends_it_again(judged):
    report = judged(broken(*DONE, *NEXT, BAD, but(OUTSIDE, "data.turn", 2), step_end(1, 2), turn_end(2)))
    assert [code for code, _, _ in told(report)] == ["L102"]
    assert report.findings[0].follows == 1


def test_a_gap_ends_it_too(judged):
    behind = (*DONE, *NEXT, at(OUTSIDE, 40), at(step_end(1, 2), 41), at(turn_end(2), 42))
    report = judged(broken(*behind))
    assert [code for code, _, _ in told(report)] == ["E125"]


@pytest.mark.parametrize(
    "row",
    [
        says_user("x", "m4", sourceEventSeqs=[0], surfaceOp={"op": "replace", "startSeq": 0, "endSeq": 0}),
        event("compaction/end", {"compactionId": "k1", "turn": 2}),
        event("llm/retry-started", {"retryId": "r1", "retry": 1}),
        event("command/done", {"commandId": "x", "kind": "success"}),
    ],
    ids=["surface", "compaction", "retry", "command"],
)
def test_what_needs_the_whole_log_is_counted_for_good(row, judged):
    report = judged(broken(*DONE, *NEXT, row, step_end(1, 2), turn_end(2)))
    assert told(report) == []
    assert report.findings[0].follows == 1


def test_early_relations_are_judged_again_too(judged):
    call_row = event("tool/call", {"turn": 2, "step": 1, "callId": "c1", "name": "ls", "arguments": "{}"})
    report = judged(broken(*DONE, *NEXT, call_row, step_end(1, 2), turn_end(2), version=3), 3)
    assert [(code, severity) for code, severity, _ in told(report)] == [("T302", "warning")]


def test_deep_reading_follows_no_relations_behind_a_bad_record_of_v0(judged):
    report = judged(broken(*DONE, *NEXT, call(), version=0), 0, deep=True)
    assert [code for code, _, _ in told(report)] == []


# -- the readable prefix


def talk(version):
    """Give the rows of a log with all that a prefix can hold: calls, a compaction, an inherited part."""
    log = Log(version)
    log.turn()
    log.step()
    first = log.system("Be brief.")
    seen = log.user("List the files.")
    log.request()
    log.assistant("", ("c1", "bash", "{}"))
    log.call("c1")
    log.result("c1", "a.txt")
    log.end_step()
    log.end_turn()
    log.seed()
    log.turn()
    log.step()
    log.user("And?")
    log.compact(seen, log.nodes[-1], "Files were listed.")
    log.assistant("Two.", ("c2", "bash", "{}"))
    log.call("c2")
    log.result("c2", "b.txt")
    log.end_step()
    log.end_turn()
    assert first is None or first in log.nodes
    return [row for batch in log.batches() for row in batch]


def facts(report):
    return replace(
        report, findings=(), state="", native=None, latest=None, bytes=0, text=0, records=0, torn=None, stop=None
    )


@settings(max_examples=40, deadline=None)
@given(data=st.data(), version=st.sampled_from(VERSIONS), line=st.sampled_from([BAD, b"[1]", b"\xff"]))
def test_facts_are_those_of_the_prefix(data, version, line):
    log = talk(version)
    where = data.draw(st.integers(1, len(log)))
    prefix, behind = rows.raw([log[:where]]), rows.raw([[line, *log[where:]]])
    whole = prefix + behind
    ours = examine(BytesSource(whole), "session.jsonl")
    alone = examine(BytesSource(prefix), "session.jsonl")
    assert facts(ours) == facts(alone)
    if ours.native.opens:
        assert ours.torn is not None
        assert (ours.torn.at, ours.torn.bytes) == (len(prefix), len(behind))
    assert surface_view(BytesSource(whole), "x")[0] == surface_view(BytesSource(prefix), "x")[0]
    kept = [event["seq"] for event, _ in read_log(BytesSource(prefix), "x").events()]
    assert kept == list(range(alone.events))


@settings(max_examples=40, deadline=None)
@given(data=st.data(), version=st.sampled_from(VERSIONS))
def test_a_sound_log_has_nothing_wrong_behind_a_line_that_was_put_in(data, version):
    log = talk(version)
    where = data.draw(st.integers(1, len(log)))
    report = examine(BytesSource(rows.raw([[*log[:where], b"{", *log[where:]]])), "session.jsonl")
    codes = [finding.code for finding in report.findings if finding.code not in {"T101", "H111"}]
    assert codes == ["L102"]


@pytest.mark.parametrize("version", [3, 4])
def test_the_inherited_cut_is_that_of_the_prefix(version, judged):
    cut = event("session/end-seed", {"inherited": True})
    header = head(version, isSeeded=True, parentSession="s0")
    report = judged((header, turn(), turn_end(), cut, BAD, cut, event("plan/mode", {"active": True})))
    assert report.inherited == 2
    late = judged((header, turn(), turn_end(), BAD, cut))
    assert late.inherited == 0
    assert "H111" in [finding.code for finding in late.findings]  # markers behind a bad row do not count


# A marker whose row 0.1.5 drops for its envelope counts all the same; behind a bad row it does not.
DROPPED = {**event("session/end-seed", {"inherited": True}), "surfaceOp": "append"}
FORK = head(3, isSeeded=True, parentSession="s0")
MARKERS = {
    "dropped, seeded": (None, (FORK, TURN, DROPPED)),
    "dropped, not seeded": ("H112", (head(3), TURN, DROPPED)),
    "behind, seeded": ("H111", (FORK, TURN, BAD, event("session/end-seed", {"inherited": True}))),
    "behind, not seeded": (None, (head(3), TURN, BAD, event("session/end-seed", {"inherited": True}))),
}
# The row decoder of v3 looks at a fixed list of types (E-029); other types are refused later, so for good.
LISTED = {
    "listed": (None, (head(3), TURN, {**event("plan/mode", {"active": True}), "surfaceOp": "append"})),
    "not listed": ("S203", (head(3), TURN, {**event("deliverables/presented"), "surfaceOp": "append"})),
    "not known": ("E109", (head(3), TURN, {**event("demo/note"), "surfaceOp": "append"})),
    "not known, marked": (None, (head(3), TURN, {**event("demo/note"), "surfaceOp": "x", "ignorable": True})),
    "a name of every object": (None, (head(3), TURN, {**event("constructor"), "surfaceOp": "x", "ignorable": True})),
}


@pytest.mark.parametrize("name", MARKERS | LISTED)
def test_rows_that_v3_drops_or_keeps(name, judged):
    first, rows_ = (MARKERS | LISTED)[name]
    report = judged(rows_, 3)
    assert (report.native.opens, report.native.first) == (first is None, first)


CROSSED = (event("compaction/start", {"compactionId": "k1", "turn": None}), TURN)
SEEDED, CUT = event("session/end-seed"), event("session/end-seed", {"inherited": True})
CHILD = event("subagent/catalog", {"version": 9, "childId": "s2", "childCreatedAt": 1, "mode": "one-shot"})
# name: (code, rows of the prefix that are at fault, the marker that would excuse them if it stood in the prefix)
EXCUSED = {
    "stale compaction": ("K208", (head(), *CROSSED), SEEDED),
    "inherited catalog": ("P136", (head(isSeeded=True, parentSession="s0"), CUT, CHILD), CUT),
}


@pytest.mark.parametrize("name", EXCUSED)
def test_a_marker_in_the_prefix_takes_faults_back(name, judged):
    _, prefix, marker = EXCUSED[name]
    assert judged((*prefix, marker)).native.opens is True


@pytest.mark.parametrize("name", EXCUSED)
def test_a_marker_behind_the_damage_takes_nothing_back(name, judged):
    code, prefix, marker = EXCUSED[name]
    report = judged((*prefix, BAD, marker, marker))
    assert (report.native.opens, report.native.first) == (False, code)


def test_warnings_of_the_prefix_stay(judged):
    rows_ = (TURN, STEP, HI, but(HI, "data.content", []))
    assert "P143" in [finding.code for finding in judged(rows_).findings]
    assert "P143" in [finding.code for finding in judged((*rows_, BAD)).findings]


def test_an_id_that_repeats_behind_the_damage_only_is_not_told(judged):
    assert "P143" not in [finding.code for finding in judged((TURN, STEP, HI, BAD, HI)).findings]


@pytest.mark.parametrize("version", [0, 3])
def test_the_line_of_an_id_that_repeats_is_told_where_a_row_is_an_event(version, judged):
    found = judged((TURN, STEP, HI, HI, step_end(), turn_end()), version).findings
    assert [(finding.code, finding.place.line, finding.place.seq) for finding in found] == [
        ("P143", 5 if version else None, 3)
    ]


# -- counting


def test_findings_of_one_rule_are_counted_from_the_201st_on(judged):
    report = judged(tuple(event("demo/note") for _ in range(250)))
    found = [finding for finding in report.findings if finding.code == "E109"]
    assert len(found) == 200
    assert [finding.follows for finding in found] == [0] * 199 + [50]


def test_they_are_counted_apart_on_each_side_of_the_bad_record(judged):
    note = event("demo/note")
    report = judged((*[note] * 3, BAD, *[note] * 210))
    found = [finding.follows for finding in report.findings if finding.code == "E109"]
    assert len(found) == 203
    assert sum(found) == 10


def test_the_hint_says_how_many_records_go(judged):
    report = judged(broken(HI, STEP))
    assert (
        report.findings[0].hint == "dsh drops this record and the 2 behind it and cuts the file here on its next write"
    )
    assert judged(broken()).findings[0].hint == "dsh drops this record and cuts the file here on its next write"


def test_dsh_answers_alike(dsh):
    logs = {name: broken(row) for name, (_, row) in (FORMS | ADMISSION).items()}
    logs |= {f"{name}, committed": broken(row, turn_end()) for name, (_, row) in (FORMS | ADMISSION).items()}
    assert dsh(logs) == []
    assert dsh({name: rows_ for name, (_, rows_) in (MARKERS | LISTED).items()}, 3) == []


def behind_of(lines, version=4):
    """Judge lines behind a bad one, all in one batch and one by one."""
    reports = []
    for window in (1 << 18, 7):
        source = Windows(content((head(version),)) + b"x\n" + b"".join(lines), window)
        reports.append(examine(source, "log.jsonl"))
    first, second = reports
    assert first == second
    return first


class Windows(BytesSource):
    """A source in pieces of one size."""

    def __init__(self, data, size):
        super().__init__(data)
        self._piece = size

    def chunks(self, start=0, end=None):
        data = self.read(start, self.size if end is None else end - start)
        yield from (data[at : at + self._piece] for at in range(0, len(data), self._piece))


@pytest.mark.parametrize("line", [b"\n", b"  \n", b'{"seq":1,}\n', b"\xff\n", b'"\\x"\n'])
def test_many_faults_of_one_kind_are_counted_however_they_come(line):
    end = b'{"type":"turn/end","seq":1,"time":2,"data":{"turn":1,"reason":{"kind":"completed"}}}\n'
    for behind in ([], [end], [end, line, b"[1]\n"], [line, end, *[line] * 900, end]):
        report = behind_of([line] * 1000 + behind)
        places = [finding for finding in report.findings if finding.name == "not-json"]
        assert len(places) == 200
        outside = behind.count(end)  # of a turn that is not open, which is counted under the first
        assert sum(1 + finding.follows for finding in places) == 1001 + behind.count(line) + outside
        assert report.records == 1001 + len(behind)
        assert report.state == ("refused" if end in behind else "torn")


def test_many_lines_that_only_the_exact_parser_takes_are_no_fault():
    report = behind_of([b"\n"] * 300 + [b'{"type":"a\\ud800"}\n'] * 300 + [b"[" * 3000 + b"]" * 3000 + b"\n"] * 3)
    found = {
        finding.name: sum(1 + other.follows for other in report.findings if other.name == finding.name)
        for finding in report.findings
    }
    assert found["not-json"] == 301
    assert found["lone-surrogate"] == 300
    assert found["not-an-object"] == 3


@pytest.mark.parametrize("version", [0, 3, 4])
@pytest.mark.parametrize(
    "line",
    [
        b"{}\n",
        b"[1]\n",
        b'{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}\n',
        b'{"type":"turn/start","seq":0,"time":1,"data":{"turn":-1}}\n',
        b'{"type":"tool/result","seq":7,"time":1,"data":{}}\n',
        b'{"type":"new/thing","seq":7,"time":1,"data":{}}\n',
        b'{"type":"turn/end","seq":7,"time":1}\n',
        b'{"type":"a\\ud800","seq":1.5,"time":-0,"data":"\xff"}\n',
    ],
)
def test_the_same_line_again_and_again_is_judged_as_one_by_one(line, version):
    sound = b'{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}\n'
    for behind in ([], [sound, *[line] * 300], [b"\n"] * 700):
        report = behind_of([sound, *[line] * 900, *behind], version)
        assert report.records == 902 + len(behind)

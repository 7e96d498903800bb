from __future__ import annotations

import pytest

from dshlog.model.place import Place
from dshlog.model.report import Tail
from dshlog.render.look import Look
from dshlog.render.tally import NAMED, Tally
from dshlog.render.text import (
    SHOWN,
    finding_lines,
    leading,
    next_line,
    readable_lines,
    report_lines,
    short_line,
    verdict_line,
)


def test_a_finding_says_what_then_where_then_what_to_do(build):
    assert list(finding_lines(build.finding())) == [
        "s/session.v4.jsonl.zstd:31: error S304 replace-omits-shadowed: event 29 shadows 4, 6, 9 but cites 4, 9",
        "  at  seq 29, frame 3 (file byte 18204), text byte 40112, member $.sourceEventSeqs",
        "  hint cite every shadowed seq",
        "  see s/session.v4.jsonl.zstd:8  seq 6",
        "  + 4 more that only follow from this",
    ]


def test_a_finding_about_the_whole_file_is_one_line(build):
    finding = build.finding(place=Place(file="a\nb"), message="empty\x1b", hint=None, related=(), follows=0)
    assert list(finding_lines(finding)) == ["a\\nb: error S304 replace-omits-shadowed: empty\\x1b"]


def test_many_related_places_are_capped(build):
    lines = list(finding_lines(build.finding(related=tuple(Place(file="x", line=n) for n in range(1, 41)))))
    assert [line for line in lines if "see" in line][-1] == "  see 28 more places; --format json lists all"


def test_the_verdict_of_a_clean_log_is_one_line(build):
    assert list(report_lines(build.clean())) == [
        "s/session.v4.jsonl.zstd: clean; v4 zstd, 53 events, 7 nodes on the surface after 1 replacement; dsh 0.2.1 opens it"
    ]


def test_the_verdict_of_a_refused_log_names_the_code_and_what_is_open(build):
    assert verdict_line(build.refused()) == (
        "s/session.v4.jsonl.zstd: refused; v4 zstd, 53 events, 7 nodes on the surface after 1 replacement; "
        "torn: dsh cuts 885 bytes at file byte 12001 and writes 2 events of them again; "
        "open: turn 1, step 1, call call_7; dsh 0.2.1 refuses it at S304"
    )


@pytest.mark.parametrize(
    "native, latest, version, words",
    [
        (("0.1.2", True), ("0.2.1", None), 0, "dsh 0.1.2 opens it; dsh 0.2.1 not judged"),
        (("0.1.5", False), ("0.2.1", True), 3, "dsh 0.1.5 refuses it; dsh 0.2.1 opens it"),
        ((None, None), ("0.2.1", None), 1, "no dsh release read v1 itself; dsh 0.2.1 not judged"),
        ((None, None), (None, False), None, "dsh refuses it"),
    ],
)
def test_each_reader_is_named_with_its_build(build, native, latest, version, words):
    report = build.clean(native=build.reader(*native), latest=build.reader(*latest), version=version)
    assert verdict_line(report).endswith(f"; {words}")


def test_what_is_no_log_has_no_counts(build):
    report = build.clean(
        state="not-a-log", version=None, encoding=None, surface=None,
        native=build.reader(None, opens=False), latest=build.reader("0.2.1", opens=False, first="F101"),
    )  # fmt: skip
    assert verdict_line(report) == "s/session.v4.jsonl.zstd: not-a-log; dsh refuses it; dsh 0.2.1 refuses it at F101"


def test_opens_but_is_a_line_of_its_own(build):
    verdict = build.reader(but=("S304", "T900"))
    lines = list(
        report_lines(build.clean(native=verdict, latest=verdict, findings=(build.finding(severity="warning"),)))
    )
    assert lines[-1] == "s/session.v4.jsonl.zstd: opens, but: S304 replace-omits-shadowed, T900 (dsh 0.2.1)"
    assert lines[-2].endswith("dsh 0.2.1 opens it")


def test_opens_but_names_the_reader_it_is_true_for(build):
    report = build.clean(native=build.reader("0.1.5", but=("S304",)), latest=build.reader("0.2.1", opens=None))
    assert list(report_lines(report))[1:] == ["s/session.v4.jsonl.zstd: opens, but: S304 (dsh 0.1.5)"]


def test_findings_of_one_code_are_capped_and_the_others_are_not(build):
    plain = {"hint": None, "related": (), "follows": 0}
    findings = [build.finding(code="E105", place=Place(file="x", line=n), **plain) for n in range(330)]
    lines = list(report_lines(build.refused(findings=(*findings, build.finding(**plain)))))
    assert sum(" E105 " in line for line in lines) == SHOWN
    assert sum(" S304 " in line for line in lines) == 1
    assert "s/session.v4.jsonl.zstd: and 310 more E105; --format json lists all" in lines


def test_the_next_command_is_given_where_there_is_something_to_do(build):
    assert next_line(build.refused(path="a b")) == "next: dshlog repair 'a b'"
    assert next_line(build.refused(path="-")) == "next: dshlog explain S304"
    assert next_line(build.refused(path="-", findings=())) == "next: dshlog explain S304"
    assert next_line(build.clean(path="a b", state="open")) == "next: dshlog show 'a b'"
    torn = build.clean(state="torn", findings=(build.finding(code="F103", severity="warning"),))
    assert next_line(torn) == f"next: dshlog repair {torn.path}"
    for report in (build.clean(), build.clean(state="open", path="-")):
        assert next_line(report) is None


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"records": 34, "events": 16}, "16 of 34 records can be read; `dshlog cat --raw 'a b'` prints all"),
        ({"records": 16, "events": 16}, "all 16 records can be read; `dshlog cat --raw 'a b'` prints all"),
        ({"records": 1, "events": 1}, "its 1 record can be read; `dshlog cat --raw 'a b'` prints all"),
        ({"records": 3, "events": 1, "path": "-"}, "1 of 3 records can be read"),
        (
            {"records": 12, "events": 20, "version": 0},
            "20 events can be read, in a file of 12 records; `dshlog cat --raw 'a b'` prints all",
        ),
        (
            {"state": "newer", "records": 3, "events": 0},
            "no record is judged, since the format is not known here; `dshlog cat --raw 'a b'` prints all",
        ),
    ],
)
def test_a_damaged_log_says_how_much_of_it_can_be_read(build, changed, words):
    assert list(readable_lines(build.refused(**({"path": "a b"} | changed)))) == [f"  {words}"]


def test_a_log_without_a_header_says_what_prints_its_records(build):
    stop = build.reader(opens=False, first="H103")
    report = build.refused(state="not-a-log", native=stop, latest=stop, records=0, events=0)
    assert "without a header that can be read; `dshlog cat --raw" in next(readable_lines(report))
    for report in (build.clean(), build.clean(state="open"), build.refused(state="not-a-log", records=0)):
        assert list(readable_lines(report)) == []


def test_the_turn_end_that_proves_a_record_committed_is_a_reason(build):
    hint = "the turn/end at line 26 shows that this was committed, so dsh refuses the log"
    lines = list(finding_lines(build.finding(hint=hint, related=(Place(file="a", line=26, offset=3),))))
    assert f"  why  {hint}" in lines
    assert "  see a:26  the turn/end" in lines


def test_a_log_that_dsh_does_not_look_for_is_opened_by_none(build):
    reader = build.reader(opens=False, first="D116")
    assert verdict_line(build.clean(native=reader, latest=reader)).endswith(
        "; dsh 0.2.1 does not look for a log of this name here (D116)"
    )


def test_colour_is_only_there_when_asked_for(build):
    plain = "\n".join(report_lines(build.refused()))
    coloured = "\n".join(report_lines(build.refused(), Look(colour=True)))
    assert "\x1b" not in plain
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert "\x1b[31mrefused\x1b[0m" in coloured


def test_the_leading_finding_is_the_one_at_which_dsh_stops(build):
    note = build.finding(code="L105", severity="note")
    early = build.finding(code="E101")
    stop = build.finding()
    assert leading(build.refused(findings=(note, early, stop))) is stop
    assert leading(build.refused(findings=(note, early))) is early
    assert leading(build.clean()) is None


def test_one_log_among_many_is_one_short_line(build):
    both = build.refused(findings=(build.finding(), build.finding(code="E101")))
    assert short_line(both) == (
        "s/session.v4.jsonl.zstd:31: refused, error S304 replace-omits-shadowed: "
        "event 29 shadows 4, 6, 9 but cites 4, 9 (+ 1 more)"
    )
    assert short_line(build.clean(state="open", tail=Tail(turn=1))) == "s/session.v4.jsonl.zstd: open"


def test_a_tally_counts_by_state_and_cause_and_names_the_bad_logs(build):
    tally = Tally()
    for report in (build.clean(), build.refused(path="b"), build.clean(state="open"), build.refused(path="a b")):
        tally.add(report)
    tally.add(build.clean(state="open", findings=(build.finding(code="T001", name="open-turn", severity="note"),)))
    assert tally.failed == 2
    assert list(tally.lines()) == [
        "5 logs: 1 clean, 2 open, 2 refused",
        "2 errors, 1 note; by cause:",
        "  S304 replace-omits-shadowed: 2 in 2 logs",
        "  T001 open-turn: 1 in 1 log",
        "bad:",
        "  b  refused",
        "  a b  refused",
        "next: dshlog validate b",
    ]


def test_a_tally_fails_on_what_it_is_told_to(build):
    report = build.clean(state="open", findings=(build.finding(severity="note"),))
    failed = {}
    for word in ("error", "warning", "note"):
        tally = Tally(word)
        tally.add(report)
        failed[word] = tally.failed
    assert failed == {"error": 0, "warning": 0, "note": 1}


def test_a_tally_of_clean_logs_is_one_line(build):
    tally = Tally()
    tally.add(build.clean())
    tally.add(build.clean())
    assert list(tally.lines()) == ["2 logs: 2 clean"]


def test_very_many_bad_logs_are_not_all_repeated(build):
    tally = Tally()
    for number in range(NAMED + 5):
        tally.add(build.refused(path=f"log{number}"))
    assert list(tally.lines())[-2:] == ["  and 5 more, each with its line above", "next: dshlog validate log0"]

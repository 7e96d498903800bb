from __future__ import annotations

import pytest

from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.model.report import ReaderVerdict, Report
from dshlog.report.choose import Choice, UnknownCodeError


def finding(code, severity="error"):
    return Finding(code=code, name="n", severity=severity, place=Place(file="a"), message="m")


FINDINGS = tuple(map(finding, ("F103", "L102", "E101", "E109", "P101", "S304", "T101", "D117")))


def codes(**how):
    return [found.code for found in Choice(**how).findings(FINDINGS)]


@pytest.mark.parametrize(
    "how, left",
    [
        ({"select": ["S304"]}, ["S304"]),
        ({"select": ["S", "e1"]}, ["E101", "E109", "S304"]),
        ({"ignore": ["E", " t101 "]}, ["F103", "L102", "P101", "S304", "D117"]),
        ({"select": ["E"], "ignore": ["E109"]}, ["E101"]),
        ({"select": ["E109"], "ignore": ["E"]}, []),
        ({"quick": True}, ["F103", "L102", "E101", "E109", "S304"]),
        ({"quick": True, "select": ["P", "S"]}, ["S304"]),
    ],
)
def test_codes_are_chosen_by_their_beginnings(how, left):
    assert codes(**how) == left


def test_the_longest_beginning_decides_the_severity_and_then_the_last():
    choice = Choice(severity=[("E101", "note"), ("E", "warning"), ("S", "note"), ("S", "warning")])
    got = {found.code: found.severity for found in choice.findings(FINDINGS)}
    assert (got["E101"], got["E109"], got["S304"], got["F103"]) == ("note", "warning", "warning", "error")


@pytest.mark.parametrize("how", [{"select": ["X"]}, {"ignore": ["S3044"]}, {"severity": [("", "note")]}])
def test_a_code_that_no_rule_has_is_an_error(how):
    with pytest.raises(UnknownCodeError):
        Choice(**how)


def test_a_report_keeps_its_state_and_its_verdicts():
    verdict = ReaderVerdict(build="0.2.1", opens=False, first="S304", but=())
    report = Report(path="a", state="refused", native=verdict, latest=verdict, findings=FINDINGS)
    assert Choice().report(report) is report
    chosen = Choice(ignore=["S"]).report(report)
    assert (chosen.state, chosen.native, chosen.latest) == ("refused", verdict, verdict)
    assert len(chosen.findings) == len(FINDINGS) - 1

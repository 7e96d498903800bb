from __future__ import annotations

import json
from collections import Counter

import pytest

from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.report.baseline import Baseline, NotABaselineError, baseline_dict, read_baseline
from dshlog.report.fingerprint import Identity, fingerprints, identity


def finding(code="S304", seq=3, message="m", file="a", line=9):
    place = Place(file=file, line=line, seq=seq, json_path="$.x" if seq else None)
    return Finding(code=code, name="n", severity="error", place=place, message=message)


def known(*findings):
    return Counter(identity(found, str) for found in findings)


def test_a_known_finding_is_left_out_whatever_its_words_and_its_line():
    baseline = Baseline(known(finding()), str)
    assert baseline.findings([finding(message="other", line=1)]) == ()
    assert baseline.met == 1


def test_a_further_finding_of_the_same_kind_is_new():
    again = finding(seq=None)
    baseline = Baseline(known(again, again), str)
    assert baseline.findings([again, again, again]) == (again,)
    assert baseline.findings([finding(seq=4), finding(file="b")]) == (finding(seq=4), finding(file="b"))


def test_a_document_comes_back_and_is_sorted():
    counts = known(finding("S304", 3), finding("L102", None), finding("L102", None), finding("E101", 7, file="0"))
    document = json.loads(json.dumps(baseline_dict(counts)))
    assert read_baseline(document) == counts
    assert [(entry["path"], entry["code"], entry["count"]) for entry in document["findings"]] == [
        ("0", "E101", 1), ("a", "L102", 2), ("a", "S304", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value, why",
    [
        ([], "no baseline"),
        ({"findings": []}, "no baseline"),
        ({"schema": 1, "findings": {}}, "no baseline"),
        ({"schema": 2, "findings": []}, "schema is not 1"),
        ({"schema": 1, "findings": [{"path": "a"}]}, "entry 0"),
        (
            {"schema": 1, "findings": [{"path": "a", "code": "S304", "seq": True, "json_path": None, "count": 1}]},
            "entry",
        ),
    ],
)
def test_what_is_no_baseline_is_refused(value, why):
    with pytest.raises(NotABaselineError, match=why):
        read_baseline(value)


def test_fingerprints_tell_equal_findings_of_one_log_apart():
    assert len(set(fingerprints([finding(), finding(), finding(seq=None)], str))) == 3
    assert fingerprints([finding(message="x")], str) == fingerprints([finding(line=1)], str)
    assert identity(finding(), str.upper) == Identity("A", "S304", 3, "$.x")

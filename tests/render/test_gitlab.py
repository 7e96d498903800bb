from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from dshlog.model.place import Place
from dshlog.render.gitlab import CodeQuality

# What GitLab documents about a Code Quality report; there is no official schema.
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def document(*logs, path=str):
    report = CodeQuality(path)
    pieces = [piece for findings in logs for piece in report.issues(findings)]
    value = json.loads(b"".join((report.begin(), *pieces, report.end())))
    Draft202012Validator(SCHEMA).validate(value)
    return value


def test_a_finding_is_an_issue(build):
    (issue,) = document([build.finding()])
    del issue["fingerprint"]
    assert issue == {
        "description": "replace-omits-shadowed: event 29 shadows 4, 6, 9 but cites 4, 9; cite every shadowed seq",
        "check_name": "S304",
        "severity": "critical",
        "location": {"path": "s/session.v4.jsonl.zstd", "lines": {"begin": 31}},
    }


def test_no_finding_is_an_empty_array():
    assert document() == []
    assert document([], []) == []


@pytest.mark.parametrize("severity, word", [("error", "critical"), ("warning", "minor"), ("note", "info")])
def test_each_severity_has_its_word(build, severity, word):
    assert document([build.finding(severity=severity)])[0]["severity"] == word


def test_a_fingerprint_stays_when_words_and_lines_change_and_tells_equal_findings_apart(build):
    first = document([build.finding(), build.finding()], [build.finding(place=Place(file="b", seq=29))])
    prints = [issue["fingerprint"] for issue in first]
    assert len(set(prints)) == 3
    moved = Place(file=build.path, line=99, offset=3, seq=29, json_path="$.sourceEventSeqs")
    assert document([build.finding(message="other words", place=moved)])[0]["fingerprint"] == prints[0]


def test_half_a_surrogate_is_no_reason_to_fail(build):
    place = Place(file="a\udcff")
    assert document([build.finding(message="\ud800", place=place)])[0]["location"]["path"] == "a\udcff"

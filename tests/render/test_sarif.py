from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from dshlog.model.place import Place
from dshlog.render.sarif import Sarif, uri
from dshlog.rules.register import RULES

# The schema of SARIF 2.1.0 as its authors publish it, without its descriptions.
SCHEMA = Path(__file__).parent / "schemas" / "sarif-2.1.0.json"


@pytest.fixture(scope="module")
def validator():
    return Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.fixture
def run(validator):
    def go(*logs, errors=(), **about):
        sarif = Sarif("0.1.0", str)
        pieces = [piece for findings in logs for piece in sarif.results(findings, **about)]
        value = json.loads(b"".join((sarif.begin(), *pieces, sarif.end(errors))))
        validator.validate(value)
        return value["runs"][0]

    return go


def test_the_schema_bites(validator):
    assert not validator.is_valid({"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]})


def test_every_rule_is_there_also_without_a_finding(run):
    told = run()
    assert told["results"] == []
    assert told["tool"]["driver"]["version"] == "0.1.0"
    assert told["invocations"] == [{"executionSuccessful": True}]
    rules = told["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in RULES]
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert "\n\nTo do: " in rule["help"]["text"]
        assert rule["fullDescription"]["text"] not in rule["help"]["text"]


def test_what_could_not_be_read_is_a_notification(run):
    (invocation,) = run(errors=[("a b", "cannot read a b: why")])["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"]) == ("error", "cannot read a b: why")
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b"


def test_a_result_names_its_rule_and_its_level(run, build):
    told = run([build.finding()], [build.finding(severity="note", hint=None)])
    first, second = told["results"]
    assert first["ruleId"] == "S304"
    assert told["tool"]["driver"]["rules"][first["ruleIndex"]]["name"] == "replace-omits-shadowed"
    assert (first["level"], second["level"]) == ("error", "note")
    assert first["message"]["text"] == "event 29 shadows 4, 6, 9 but cites 4, 9; cite every shadowed seq"
    assert second["message"]["text"] == "event 29 shadows 4, 6, 9 but cites 4, 9"


def test_a_zstd_log_has_no_region_but_properties(run, build):
    (result,) = run([build.finding()], encoding="zstd", lengths={40112: 9})["results"]
    assert "region" not in result["locations"][0]["physicalLocation"]
    assert "region" not in result["relatedLocations"][0]["physicalLocation"]
    assert result["properties"] == {
        "line": 31, "textOffset": 40112, "frame": 3, "frameAt": 18204, "seq": 29, "jsonPath": "$.sourceEventSeqs",
        "remedy": "none", "follows": 4,
    }  # fmt: skip


def test_a_raw_log_has_a_region_and_bytes_where_their_number_is_known(run, build):
    place = Place(file="a", line=3, offset=20)
    findings = [build.finding(place=place, related=(Place(file="a", line=8, offset=90, seq=6),))]
    (result,) = run(findings, encoding="raw", lengths={20: 9})["results"]
    region = {"startLine": 3, "byteOffset": 20, "byteLength": 9}
    assert result["locations"][0]["physicalLocation"]["region"] == region
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"] == {"startLine": 8}
    assert related["message"]["text"] == "seq 6, line 8"


def test_a_fingerprint_stays_when_words_and_lines_change(run, build):
    moved = Place(file=build.path, line=99, offset=3, seq=29, json_path="$.sourceEventSeqs")
    told = run([build.finding()], [build.finding(message="other words", place=moved)])
    first, second = (result["partialFingerprints"] for result in told["results"])
    assert first == second


@pytest.mark.parametrize(
    "path, reference",
    [
        ("a/b.jsonl", "a/b.jsonl"),
        ("a b#c?%.jsonl", "a%20b%23c%3F%25.jsonl"),
        ("c:d/e", "c%3Ad/e"),
        ("ü\n", "%C3%BC%0A"),
        ("\udcff", "%FF"),
        ("\ud800", "%3F"),
        ("/a b", "file:///a%20b"),
        ("C:/a b", "file:///C:/a%20b"),
    ],
)
def test_a_path_becomes_a_reference(path, reference):
    assert uri(path) == reference


def test_what_no_json_writer_takes_is_escaped(run, build):
    (result,) = run([build.finding(message="\ud800", place=Place(file="\udcff"))])["results"]
    assert result["message"]["text"].startswith("\ud800")


def test_a_code_that_the_register_lacks_has_no_index(run, build):
    (result,) = run([build.finding(code="Z999")])["results"]
    assert "ruleIndex" not in result

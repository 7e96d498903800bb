"""Options that choose findings: what is shown and counted, never what a log is."""

from __future__ import annotations

import json
import os

import pytest


@pytest.fixture
def three(world):
    world.logs |= {"a": "clean", "b": "refused", "c": "open"}
    return ("a", "b", "c")


def test_what_is_not_selected_is_neither_shown_nor_counted(run, three):
    told = run("validate", "--select", "L,T101", *three)
    assert told.status == 0
    assert "S304 some-name" not in told.out
    assert "b: refused at S304\n" in told.out
    assert told.out.endswith("\n2 findings left out by --select\n")
    alone = run("validate", "--ignore", "S", "b").out.splitlines()
    assert alone == [
        "b: refused; v4 raw, 4 events; dsh 0.2.1 refuses it at S304",
        "next: dshlog repair b",
        "1 finding left out by --ignore",
    ]
    document = json.loads(run("validate", "--ignore", "S3", "--ignore", "L", "--format", "json", *three).out)
    assert document["summary"]["findings"] == {"error": 0, "warning": 0, "note": 0}
    assert document["summary"]["states"]["refused"] == 1
    assert document["logs"][1]["readers"]["latest"]["first"] == "S304"


@pytest.mark.parametrize(
    "word, shown", [("replace-omits-shadowed", True), ("Replace-Omits", True), ("open-turn,T3", False)]
)
@pytest.mark.usefixtures("three")
def test_rules_may_be_named(run, word, shown):
    assert (run("validate", "--select", word, "b", "c").status == 1) == shown
    assert (run("validate", "--ignore", word, "b", "c").status == 0) == shown


@pytest.mark.parametrize("level, status, count", [("error", 1, 2), ("warning", 0, 0), ("note", 0, 0)])
def test_a_severity_can_be_another(run, three, level, status, count):
    told = run("validate", "--severity", f"S304={level}", "--format", "json", *three)
    document = json.loads(told.out)
    assert told.status == status
    assert document["summary"]["findings"]["error"] == count
    assert [log["state"] for log in document["logs"]] == ["clean", "refused", "open"]


@pytest.mark.parametrize(
    "words, message",
    [
        (("--select", "X1"), "invalid value for '--select': no rule has the code X1"),
        (("--ignore", "S304,"), "invalid value for '--ignore': a code is empty"),
        (("--severity", "S304"), "'S304' is not CODE=LEVEL"),
        (("--severity", "S304=bad"), "'S304=bad' is not CODE=LEVEL"),
        (("--severity", "Z=note"), "invalid value for '--severity': no rule has the code Z"),
        (("--quick", "--deep"), "--quick and --deep exclude each other"),
        (("--jobs", "0"), "invalid value for '--jobs'"),
        (("--jobs", "x"), "invalid value for '--jobs': 'x' is not a whole number\n"),
        (("-", "-"), "standard input, -, can be read once only"),
        (("--show-content", "--format", "sarif"), "--show-content goes with --format text only"),
        (("--config", "x", "--no-config"), "--config and --no-config exclude each other"),
    ],
)
def test_wrong_use_is_2(run, three, words, message):
    told = run("validate", *words, *three)
    assert (told.status, told.out) == (2, "")
    assert message in told.err


def test_quick_shows_the_outer_layers_only(run, three):
    assert "S304" in run("validate", "--quick", *three).out
    assert run("validate", "--quick", "--select", "T", *three).status == 0


def test_deep_and_the_vocabulary_reach_the_judge(run, world, three, tmp_path):
    words, as_json = tmp_path / "words.txt", tmp_path / "words.json"
    words.write_bytes(b"\xef\xbb\xbf# of the plugin\nacme/step  # one\r\n\nacme/note\nplugin:x\n")
    as_json.write_text(' ["acme/done"]')
    run("validate", "--deep", "--vocabulary", str(words), "--vocabulary", str(as_json), "a")
    assert world.deep[-1] == (True, frozenset({"acme/step", "acme/note", "acme/done", "plugin:x"}))
    run("validate", "a")
    assert world.deep[-1] == (False, frozenset())


@pytest.mark.parametrize(
    "data, why",
    [
        (b"a/b\ntwo words\n", "words:2 has a line that is no event type: two words"),
        (b"word\n", "words:1 has a line that is no event type: word"),
        (b'["word"]', "is no list of event types"),
        (b"[1]", "is no list of event types"),
        (b"[", "is not JSON"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_a_vocabulary_that_is_none_is_told(run, three, tmp_path, data, why):
    path = tmp_path / "words"
    path.write_bytes(data)
    told = run("validate", "--vocabulary", str(path), *three)
    assert (told.status, told.out) == (2, "")
    assert why in told.err
    assert run("validate", "--vocabulary", str(tmp_path / "none"), *three).status == 2


def test_a_baseline_lets_only_new_findings_fail(run, world, three, tmp_path):
    path = tmp_path / "known.json"
    told = run("validate", "--write-baseline", str(path), *three)
    assert told.status == 0
    assert "S304" in told.out
    known = json.loads(path.read_text())
    assert [entry["code"] for entry in known["findings"]] == ["S304", "S304"]
    assert known["findings"][0]["path"] == os.path.relpath("b", tmp_path)
    told = run("validate", "--baseline", str(path), "--fail-on", "note", *three)
    assert told.status == 0
    assert told.out.splitlines()[-1] == "2 findings of the baseline left out"
    world.logs["d"] = "refused"
    told = run("validate", "--baseline", str(path), *three, "d")
    assert told.status == 1
    assert "d:3: refused, error S304" in told.out
    world.logs |= {"b": "clean", "c": "clean"}
    told = run("validate", "--baseline", str(path), *three)
    assert told.out.splitlines()[-1] == "2 findings of the baseline not met: mended, or in a log that was not judged"


def test_a_new_baseline_holds_what_was_selected_also_what_an_old_one_knows(run, three, tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    run("validate", "--write-baseline", str(old), *three)
    run("validate", "--baseline", str(old), "--write-baseline", str(new), *three)
    assert new.read_bytes() == old.read_bytes()
    run("validate", "--ignore", "S", "--write-baseline", str(new), *three)
    assert json.loads(new.read_text())["findings"] == []


def test_no_baseline_is_written_of_half_a_run(run, three, tmp_path):
    path = tmp_path / "known.json"
    told = run("validate", "--write-baseline", str(path), *three, "missing")
    assert told.status == 2
    assert "is not written" in told.err
    assert not path.exists()


@pytest.mark.parametrize(
    "text, why", [("{", "not JSON"), ("{}", "no baseline"), ('{"schema":9,"findings":[]}', "schema")]
)
def test_what_is_no_baseline_is_told(run, three, tmp_path, text, why):
    path = tmp_path / "known.json"
    path.write_text(text)
    told = run("validate", "--baseline", str(path), *three)
    assert (told.status, told.out) == (2, "")
    assert why in told.err
    assert run("validate", "--baseline", str(tmp_path / "none"), *three).status == 2


def test_a_baseline_that_cannot_be_written_is_2(run, three, tmp_path):
    told = run("validate", "--write-baseline", str(tmp_path / "no" / "known.json"), *three)
    assert told.status == 2
    assert "cannot write" in told.err

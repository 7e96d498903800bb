from __future__ import annotations

import json

import pytest

from dshlog.cli.main import main
from dshlog.files.find import Found


def test_one_clean_log_is_one_line(run, world):
    world.logs["a"] = "clean"
    told = run("validate", "a")
    assert (told.status, told.err) == (0, "")
    assert told.out == "a: clean; v4 raw, 4 events; dsh 0.2.1 opens it\n"


def test_one_refused_log_ends_with_the_command_to_run_next(run, world):
    world.logs["a b"] = "refused"
    told = run("validate", "a b")
    assert told.status == 1
    assert told.out.splitlines() == [
        "a b:3: error S304 some-name: it is so",
        "  at  text byte 20",
        "  why dshlog explain S304",
        "a b: refused; v4 raw, 4 events; dsh 0.2.1 refuses it at S304",
        "next: dshlog repair 'a b'",
    ]


def test_of_several_logs_the_clean_ones_are_only_counted(run, world):
    world.logs |= {"a": "clean", "b": "refused", "c": "open"}
    told = run("validate", "a", "b", "c")
    assert told.status == 1
    assert told.out.splitlines() == [
        "b:3: refused, error S304 some-name: it is so",
        "3 logs: 1 clean, 1 open, 1 refused",
        "1 error, 1 note; by cause:",
        "  S304 some-name: 2 in 2 logs",
        "bad:",
        "  b  refused",
        "next: dshlog validate b",
    ]
    verbose = run("validate", "-v", "a", "b", "c").out
    assert "a: clean; v4 raw" in verbose
    assert "b:3: error S304 some-name" in verbose
    assert "c:3: note S304 some-name" in verbose


def test_notes_that_fail_the_run_have_a_line(run, world):
    world.logs |= {"a": "clean", "c": "open"}
    assert "c:3: open, note S304" in run("validate", "--fail-on", "note", "a", "c").out
    assert run("validate", "a", "c").out.splitlines()[0] == "2 logs: 1 clean, 1 open"


def test_torn_logs_have_a_list_of_their_own(run, world):
    world.logs |= {"a": "clean", "b": "torn"}
    told = run("validate", "a", "b")
    assert told.status == 0
    assert told.out.splitlines()[0] == "b:3: torn, warning S304 some-name: it is so"
    assert told.out.splitlines()[-3:] == [
        "torn, and cut by dsh on its next write:", "  b", "next: dshlog validate b",
    ]  # fmt: skip
    assert "torn, and cut" not in run("validate", "--fail-on", "warning", "a", "b").out


def test_a_path_that_is_named_twice_is_judged_once(run, world):
    world.logs |= {"a": "clean", "b": "clean"}
    assert run("validate", "a", "b", "a").out == "2 logs: 2 clean\n"


@pytest.mark.parametrize("fail_on, status", [("error", 0), ("warning", 1), ("note", 1)])
def test_the_exit_status_follows_fail_on(run, world, fail_on, status):
    world.logs["a"] = "torn"
    assert run("validate", "--fail-on", fail_on, "a").status == status


def test_the_reader_is_handed_on(run, world):
    world.logs["a"] = "clean"
    told = run("validate", "--reader", "0.1.5", "--format", "json", "a")
    assert world.readers == ["0.1.5"]
    assert json.loads(told.out)["reader"] == "0.1.5"
    run("validate", "a")
    assert world.readers[-1] == "latest"


def test_json_is_one_document_and_ndjson_one_line_a_log(run, world):
    world.logs |= {"a": "clean", "b": "refused"}
    told = run("validate", "--format", "json", "a", "b")
    assert told.status == 1
    document = json.loads(told.out)
    assert [log["path"] for log in document["logs"]] == ["a", "b"]
    assert document["summary"]["states"]["refused"] == 1
    lines = run("validate", "--format", "ndjson", "a", "b").out.splitlines()
    assert [json.loads(line) for line in lines] == document["logs"]


def test_without_a_path_the_root_of_this_user_is_judged(run, world):
    world.found["root"] = [Found(path="root/p/s/session.jsonl")]
    world.logs["root/p/s/session.jsonl"] = "clean"
    assert run("validate").status == 0
    assert run("validate", "--all-generations").status == 0
    assert world.asked == [("root", False), ("root", True)]


def test_a_missing_path_is_told_and_the_others_are_judged(run, world):
    world.logs["b"] = "refused"
    told = run("validate", "a\nx", "b")
    assert told.status == 2
    assert told.err.splitlines() == [
        "dshlog: error: cannot read a\\nx: no such file or directory",
        "dshlog: hint: look again",
    ]
    assert "b: refused" in told.out
    assert json.loads(run("validate", "--format", "json", "a", "b").out)["summary"]["logs"] == 1


def test_an_unreadable_entry_of_a_root_is_a_finding_and_not_the_end(run, world):
    world.logs["r/ok"] = "clean"
    world.found["r"] = [
        Found(path="r/dir", kind="directory", note="it is a directory"),
        Found(path="r/gone"),
        Found(path="r/link", kind="unreadable", note="no such file or directory"),
        Found(path="r/ok"),
    ]
    told = run("validate", "r")
    assert told.status == 1
    assert told.err == ""
    assert told.out.splitlines()[:4] == [
        "r/dir: not-a-log, error F100 unreadable-entry: it is a directory",
        "r/gone: not-a-log, error F100 unreadable-entry: permission denied",
        "r/link: not-a-log, error F100 unreadable-entry: no such file or directory",
        "4 logs: 1 clean, 3 not-a-log",
    ]


def test_a_named_path_that_cannot_be_opened_is_2_also_when_it_was_found(run, world):
    world.found["a"] = [Found(path="a")]
    told = run("validate", "a")
    assert (told.status, told.out) == (2, "")
    assert told.err.startswith("dshlog: error: cannot read a: permission denied\ndshlog: hint: be its owner")


def test_a_named_directory_that_is_called_like_a_log_is_judged(run, world):
    world.found["x.jsonl"] = [Found(path="x.jsonl", kind="directory", note="it is a directory")]
    told = run("validate", "x.jsonl")
    assert told.status == 1
    assert told.out.splitlines()[0] == "x.jsonl: error F100 unreadable-entry: it is a directory"


def test_standard_input_has_no_command_to_run_next(run):
    told = run("validate", "-")
    assert told.status == 0
    assert told.out.startswith("-: clean")


def test_an_empty_root_is_told(run, world):
    world.found["r"] = []
    told = run("validate", "r")
    assert (told.status, told.out, told.err) == (0, "", "dshlog: note: no session log in r\n")
    assert json.loads(run("validate", "--format", "json", "r").out)["logs"] == []


def test_older_generations_and_notes_are_named(run, world):
    world.logs["s/session.v4.jsonl"] = "clean"
    world.found["s"] = [Found(path="s/session.v4.jsonl", older=("s/session.jsonl",), note="mixed")]
    told = run("validate", "s")
    assert told.out.splitlines()[-1] == "older generations, not judged: s/session.jsonl; see --all-generations"
    assert told.err == "dshlog: note: s/session.v4.jsonl: mixed\n"


def test_f100_is_what_the_register_says():
    from dshlog.cli.entry import unreadable_report
    from dshlog.rules.register import RULES

    (finding,) = unreadable_report("x", "why").findings
    assert finding.name in [rule.name for rule in RULES if rule.code == finding.code]


def test_a_missing_root_of_this_user_says_what_it_would_be(run):
    told = run("validate")
    assert told.status == 2
    assert told.err.splitlines()[-1] == (
        "dshlog: hint: this is where dsh keeps its sessions; name a PATH, or set DSH_HOME"
    )


def test_a_line_that_is_not_read_cannot_be_judged(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("dshlog.storage.unread.MAX_VALUES", 100)
    monkeypatch.setattr("dshlog.files.read.WINDOW", 50)
    path = tmp_path / "log.jsonl"
    rows = [
        {"type": "session", "version": 4, "id": "k", "createdAt": 1, "isSeeded": False, "delegationDepth": 0},
        {"type": "todo/write", "seq": 0, "time": 1, "data": {"todos": [], "a": [0] * 101}},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["validate", str(path)]) == 2
    out = capsys.readouterr().out
    assert "error L106 line-too-long" in out
    assert "dsh 0.2.1 not judged" in out
    assert "prints all" not in out
    assert main(["cat", "--raw", str(path)]) == 1
    assert capsys.readouterr().out == ""

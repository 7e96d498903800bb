from __future__ import annotations

import json

import pytest

from dshlog.cli.main import main
from dshlog.files.find import Found


def test_without_a_view_there_is_a_card(run, world):
    world.logs["a"] = "clean"
    told = run("show", "a")
    assert (told.status, told.err) == (0, "")
    lines = told.out.splitlines()
    assert lines[0] == "a"
    assert "  state     clean" in lines
    assert lines[-1] == "next: dshlog show --surface a"
    card = json.loads(run("show", "--json", "a").out)
    assert (card["schema"], card["path"], card["state"]) == (1, "a", "clean")


def test_the_surface_as_a_table_and_as_json(run, world):
    world.logs["a"] = "clean"
    assert run("show", "--surface", "a").out.splitlines() == [
        "a: v4, at the end, 1 node, 0 replacements",
        "pos  seq  role  turn  chars  source  preview",
        "  0    2  user  1/1       2  user    hi there",
    ]
    told = json.loads(run("show", "--surface", "--json", "a").out)
    assert (told["nodes"], told["at"]) == ([2], None)


def test_at_and_full_imply_the_surface(run, world):
    world.logs["a"] = "clean"
    assert run("show", "--at", "3", "a").out.startswith("a: v4, after seq 3, 1 node")
    assert run("show", "--full", "a").out.endswith("     hi\n     there\n")
    assert json.loads(run("show", "--at", "3", "--json", "a").out)["at"] == 3


def test_a_seq_beyond_the_end_is_told_with_the_last_one(run, world):
    world.logs["a"] = "clean"
    told = run("show", "--at", "4", "a")
    assert (told.status, told.out, told.err) == (2, "", "dshlog: error: no event 4: the last seq is 3\n")


def test_what_can_be_read_of_a_refused_log_is_printed(run, world):
    world.logs["a"] = "refused"
    told = run("show", "--surface", "a")
    assert told.status == 1
    assert "hi there" in told.out
    assert told.err == ("dshlog: note: a is refused at line 3, S304 some-name: it is so; what can be read is printed\n")
    world.logs["a"] = "torn"
    assert run("show", "a").status == 0


def test_a_session_directory_stands_for_its_log(run, world):
    world.found["s"] = [Found(path="s/session.jsonl")]
    world.logs["s/session.jsonl"] = "clean"
    assert run("show", "s").out.startswith("s/session.jsonl\n")


def test_one_of_several_logs_must_be_named(run, world):
    world.found["r"] = [Found(path=f"r/{name}") for name in "abcd"]
    told = run("show", "r")
    assert told.status == 2
    assert told.err.splitlines() == [
        "dshlog: error: r holds 4 logs, name one",
        "dshlog: hint: dshlog show r/a",
        "dshlog: hint: dshlog show r/b",
        "dshlog: hint: dshlog show r/c",
    ]


def test_nothing_to_show_is_2(run, world):
    assert run("show", "gone").err.startswith("dshlog: error: cannot read gone: no such file or directory\n")
    world.found["r"] = []
    told = run("show", "r")
    assert (told.status, told.err) == (2, "dshlog: error: no session log in r\n")
    world.found["d.jsonl"] = [Found(path="d.jsonl", kind="directory", note="it is a directory")]
    assert run("show", "d.jsonl").status == 2


def test_standard_input_can_be_shown(run):
    assert run("show", "-").out.startswith("-\n")


@pytest.mark.parametrize("name", ["v0/clean", "v4/clean"])
def test_a_stream_is_told(name, repository, capfdbinary):
    log = repository / "fixtures" / name
    assert main(["cat", "--chunks", str(log)]) == 0
    seq = json.loads(capfdbinary.readouterr().out.splitlines()[0])["seq"]
    assert main(["show", "--stream", str(seq), str(log)]) == 0
    assert b"attempt 1" in capfdbinary.readouterr().out
    assert main(["show", "--stream", str(seq), "--json", str(log)]) == 0
    assert json.loads(capfdbinary.readouterr().out)["seq"] == seq
    assert main(["show", "--stream", "0", str(log)]) == 2
    assert b"has no stream" in capfdbinary.readouterr().err
    assert main(["show", "--stream", "0", "--surface", str(log)]) == 2  # they exclude each other

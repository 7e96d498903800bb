"""A narrow terminal: every command folds what it says, on standard output and on standard error."""

from __future__ import annotations

import pytest

import rows
from logbuilder import Log

WIDTH = 60


@pytest.fixture
def narrow(monkeypatch, tmp_path):
    monkeypatch.setattr("dshlog.cli.output.is_terminal", lambda _: True)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def damaged():
    """Give the lines of a log with a bad row before the end of a turn."""
    log = Log(4)
    for words in ("one", "two"):
        log.turn()
        log.step()
        log.user(words)
        log.end_step()
        log.end_turn()
    lines = rows.raw(log.batches()).splitlines(keepends=True)
    return b"".join([*lines[:4], b"{}\n", *lines[4:]])


def crashed():
    log = Log(4)
    log.turn()
    log.step()
    log.user("list the files")
    log.request()
    log.assistant("", ("call_1", "bash", "{}"))
    log.call("call_1")
    return log


def short(text):
    """Give the lines that are no command to be copied."""
    return [line for line in text.splitlines() if not line.lstrip().startswith(("next: ", "or: ", "dshlog: hint: dsh"))]


@pytest.mark.parametrize("words", [("repair",), ("repair", "-o", "new.jsonl"), ("migrate", "--check"), ("validate",)])
def test_plans_and_verdicts_fit(words, narrow, say):
    (narrow / "log.jsonl").write_bytes(rows.raw(crashed().batches()))
    status, out, err = say(*words, "log.jsonl")
    assert status in (0, 1)
    assert max(map(len, short(out + err))) <= WIDTH


def test_a_plan_keeps_its_commands_in_one_piece(narrow, say):
    (narrow / "log.jsonl").write_bytes(rows.raw(crashed().batches()))
    out = say("repair", "log.jsonl")[1].splitlines()
    assert out[-4:] == [
        "next: dshlog repair --in-place log.jsonl",
        "    (the old file is kept as a backup)",
        "  or: dshlog repair -o NEW log.jsonl",
        "    (a new file; the old one is not touched)",
    ]


@pytest.mark.parametrize("view", ["--surface", "--events", "--turns"])
def test_notes_on_standard_error_fit(view, narrow, say):
    (narrow / "log.jsonl").write_bytes(damaged())
    status, _, err = say("show", view, "log.jsonl")
    assert status == 1
    assert len(err.splitlines()) > 1
    assert max(map(len, short(err))) <= WIDTH


def test_a_lost_record_without_a_type_is_named_so(narrow, say):
    (narrow / "log.jsonl").write_bytes(damaged())
    assert "    line 5: a record without a type" in say("repair", "log.jsonl")[1].splitlines()


def test_a_pipe_gets_one_line(tmp_path, say):
    path = tmp_path / "log.jsonl"
    path.write_bytes(damaged())
    assert len(say("show", "--surface", path)[2].splitlines()) == 1

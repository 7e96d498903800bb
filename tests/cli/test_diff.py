"""`diff` compares two logs, or two generations of one session, and tells by its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import build
from rootbuilder import small_log, store

FIXTURES = Path(build.__file__).parent
CLEAN, SAME = FIXTURES / "v4/clean/session.v4.jsonl.zstd", FIXTURES / "v4/clean-raw/session.v4.jsonl"
OTHER = FIXTURES / "v4/compaction"


def test_the_same_and_different(say):
    status, out, err = say("diff", CLEAN, SAME)
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "the same: 19 events"
    status, out, _ = say("diff", CLEAN, OTHER)
    assert status == 1
    assert "$.data.content[0].text" in out


@pytest.mark.parametrize("other, status", [(SAME, 0), (OTHER, 1)])
def test_quiet_prints_nothing(say, other, status):
    assert say("diff", "-q", CLEAN, other) == (status, "", "")


@pytest.mark.parametrize(
    "words",
    [
        [CLEAN],
        ["gone", CLEAN],
        [CLEAN, "gone"],
        ["-", "-"],
        [CLEAN, SAME, "--messages", "--surface"],
        [CLEAN, SAME, "-q", "--json"],
        [CLEAN, SAME, "--at", "99"],
        [FIXTURES / "v4/clean"],
    ],
)
def test_usage(say, words):
    assert say("diff", *words)[0] == 2


def test_generations_of_a_session(say, tmp_path):
    old = store(tmp_path, small_log(0, id="session-1"))
    assert say("migrate", old, "-o", old.parent)[0] == 0
    status, out, err = say("diff", old.parent)
    assert (status, err) == (0, "")
    assert ": v0, compared as v4, " in out
    assert say("diff", "--root", tmp_path, "session-1")[0] == 0
    assert say("migrate", old, "--to", "3", "-o", old.parent)[0] == 0
    status, _, err = say("diff", old.parent)
    assert (status, "3 generations" in err) == (0, True)


def test_children_are_those_of_the_root(say, tmp_path):
    parent = store(tmp_path, small_log(3, id="parent"))
    child = small_log(3, id="child", origin="subagent", parentSession="parent", createdAt=5)
    child.event("subagent/descriptor", {"mode": "one-shot", "version": 3, "provider": "spawn", "label": "side"})
    store(tmp_path, child)
    assert say("migrate", parent, "-o", parent.parent)[0] == 0
    assert say("diff", parent.parent)[0] == 0


def test_what_was_not_compared_is_named(say):
    status, out, _ = say("diff", FIXTURES / "v4/torn-frame", CLEAN)
    assert status == 1
    assert out.splitlines()[-1].startswith("not compared: ")
    assert out.splitlines()[-1].endswith(", which dsh does not read")


def test_one_side_can_be_standard_input(say, monkeypatch):
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SAME.read_bytes())))
    assert say("diff", "-", CLEAN)[0] == 0


def test_a_long_tail_is_cut_unless_all_is_asked_for(say, tmp_path):
    one, other = (store(tmp_path / name, small_log(4, turns=turns)) for name, turns in (("a", 1), ("b", 9)))
    status, out, _ = say("diff", one, other)
    assert status == 1
    assert "     … 28 more events: 6 " in out
    assert out.splitlines()[-1].startswith("only in b: 40 events, nothing corresponds from seq 5 on: 8 turn/start")
    _, out, _ = say("diff", "--full", one, other)
    assert sum(line.startswith("+") for line in out.splitlines()) == 40


def test_a_value_is_cut_around_its_first_difference(say, tmp_path):
    paths = []
    for word in ("slow", "fast"):
        log = small_log(4)
        log.turn()
        log.user("x" * 500 + word + "y" * 500)
        paths.append(store(tmp_path / word, log))
    change = json.loads(say("diff", "--json", *paths)[1])["differences"][0]["changes"][0]
    assert (change["path"], change["kind"]) == ("$.data.content[0].text", "changed")
    assert "xslowy" in change["a"]
    assert "xfasty" in change["b"]
    assert len(change["a"]) < 130
    whole = json.loads(say("diff", "--json", "--full", *paths)[1])["differences"][0]
    assert whole["changes"][0]["a"] == "x" * 500 + "slow" + "y" * 500
    assert whole["a"]["event"]["data"]["content"][0]["text"].endswith("y")


def test_why_messages_are_compared_is_told(say):
    status, out, _ = say("diff", FIXTURES / "v0/unknown-ignorable-raw", CLEAN)
    assert status == 1
    assert "  dsh does not upgrade it, E112 opaque-blocks-upgrade: messages are compared as each log has them\n" in out


def test_headers_that_differ_are_shown(say, tmp_path):
    one, other = (store(tmp_path, small_log(4, id=name)) for name in ("one", "other"))
    status, out, _ = say("diff", one, other)
    assert status == 1
    assert out.splitlines()[2:6] == ["header", "     $.id", '       - "one"', '       + "other"']

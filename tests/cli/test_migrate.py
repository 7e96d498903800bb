"""`migrate` writes the next generation of a log, or nothing, and tells every reason."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

import build
from dshlog.cli.world import World
from dshlog.files.lock import session_lock
from dshlog.rules.sample import Frame, content, event, head, step, step_end, turn, turn_end, user
from dshlog.storage import zstd
from dshlog.storage.lines import Lines
from rootbuilder import PROJECT, small_log, store

FIXTURES = Path(build.__file__).parent
V0 = FIXTURES / "v0/clean-raw/session.jsonl"
FRAMED = FIXTURES / "v0/clean/session.jsonl.zstd"
V4 = FIXTURES / "v4/clean-raw/session.v4.jsonl"
REFUSED = FIXTURES / "v0/unknown-ignorable-raw/session.jsonl"


def test_a_file_or_a_directory_takes_the_result(say, tmp_path):
    out = tmp_path / "out.jsonl"
    status, said, err = say("migrate", V0, "-o", out)
    assert (status, said.partition(": ")[2], err) == (0, f"v0 becomes v4, 20 events\nwritten: {out}\n", "")
    assert say("migrate", FRAMED, "-o", tmp_path)[0] == 0
    framed = tmp_path / "session.v4.jsonl.zstd"
    assert len(json.loads(say("show", "--frames", "--json", framed)[1])["rows"]) == 2
    for path in (out, framed):
        status, said, _ = say("validate", "--deep", path)
        assert (status, said.partition("; ")[0]) == (0, f"{path}: clean")


def test_check_writes_nothing_and_gives_the_fingerprint(say, tmp_path):
    out = tmp_path / "out.jsonl"
    told = json.loads(say("migrate", "--check", "--json", V0)[1])
    assert list(told) == [
        "schema", "path", "from", "to", "ok", "events", "plain_sha256", "left_out", "written", "cure", "refusals",
        "child_facts",
    ]  # fmt: skip
    assert (told["from"], told["to"], told["ok"]) == (0, 4, True)
    say("migrate", V0, "-o", out)
    assert hashlib.sha256(out.read_bytes()).hexdigest() == told["plain_sha256"]
    again = json.loads(say("migrate", "--check", "--json", FRAMED)[1])
    assert again["plain_sha256"] == told["plain_sha256"]


def test_one_generation_at_a_time_gives_the_same(say, tmp_path):
    at = V0
    for to in (1, 2, 3, 4):
        assert say("migrate", at, "--to", to, "-o", tmp_path)[0] == 0
        at = tmp_path / f"session.v{to}.jsonl"
    whole = tmp_path / "whole.jsonl"
    say("migrate", V0, "-o", whole)
    assert at.read_bytes() == whole.read_bytes()


def test_a_refusal_writes_nothing_and_says_where(say, tmp_path):
    out = tmp_path / "out.jsonl"
    status, said, err = say("migrate", REFUSED, "-o", out)
    assert status == 1
    assert "error E112 opaque-blocks-upgrade: " in said
    assert ": dsh refuses to upgrade it, 1 reason\n" in said
    assert said.endswith(f"cure: dshlog repair --fix drop-record=demo/note {REFUSED}   (it loses 1 record)\n")
    assert "nothing was written" in err
    assert list(tmp_path.iterdir()) == []


def test_rows_behind_a_bad_one_are_left_out_and_told(say, tmp_path):
    log, out = tmp_path / "session.jsonl", tmp_path / "out.jsonl"
    log.write_bytes(content((head(0), turn(), turn_end(), b"[1]", event("plan/mode", {"active": True}))))
    status, said, _ = say("migrate", log, "-o", out)
    assert status == 3
    assert said == (
        f"{log}: v0 becomes v4, 2 events, 2 rows at the end left out as dsh leaves them out\nwritten: {out}\n"
    )
    assert say("migrate", "--check", log)[0] == 0


def test_nothing_is_overwritten_and_no_wrong_name_is_given(say, tmp_path):
    there = tmp_path / "there.jsonl"
    there.write_bytes(b"x")
    assert say("migrate", V0, "-o", there)[0] == 2
    assert there.read_bytes() == b"x"
    status, _, err = say("migrate", V0, "-o", tmp_path / "new.jsonl.zstd")
    assert (status, "is the name of a zstd log" in err) == (2, True)
    assert say("migrate", V4, "-o", tmp_path / "new.jsonl")[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["there.jsonl"]
    assert "--encoding" not in err
    assert (
        say("migrate", V0, "-o", "-")[2]
        .splitlines()[0]
        .endswith("the result is a file, which is proved before it gets its name; cat prints events")
    )


@pytest.mark.parametrize("words", [[V0], [V0, "--check", "-o", "x"], [V0, "--check", "--to", "5"], ["gone", "--check"]])
def test_usage(say, words):
    assert say("migrate", *words)[0] == 2


def test_a_log_of_today_has_nothing_to_upgrade(say):
    assert say("migrate", "--check", V4) == (0, f"{V4}: v4 already, nothing to upgrade\n", "")


def test_children_are_those_of_the_root_or_those_stated(say, tmp_path):
    parent = store(tmp_path, small_log(3, id="parent"))
    child = small_log(3, id="child", origin="subagent", parentSession="parent", createdAt=5)
    child.event("subagent/descriptor", {"mode": "one-shot", "version": 3, "provider": "spawn", "label": "side"})
    store(tmp_path, child)
    store(tmp_path, small_log(3, id="stranger", origin="subagent", parentSession="other"))
    told = json.loads(say("migrate", "--check", "--json", parent)[1])
    (fact,) = told["child_facts"]
    assert (fact["childId"], fact["childCreatedAt"], fact["descriptorCount"]) == ("child", 5, 1)
    assert fact["descriptor"]["label"] == "side"
    assert json.loads(say("migrate", "--check", "--json", "--children", "none", parent)[1])["child_facts"] == []
    stated = tmp_path / "children.json"
    stated.write_text(json.dumps(told["child_facts"]))
    free = tmp_path / "free.jsonl.zstd"
    free.write_bytes(parent.read_bytes())
    again = json.loads(say("migrate", "--check", "--json", "--children", stated, free)[1])
    assert again["plain_sha256"] == told["plain_sha256"]
    assert say("migrate", "--check", "--children", V0, free)[0] == 2


def test_a_root_is_summed_up(say, tmp_path):
    store(tmp_path, small_log(0, id="good"))
    store(tmp_path, small_log(4, id="new"))
    bad = small_log(0, id="bad")
    bad.event("demo/note", {})
    path = store(tmp_path, bad)
    status, said, _ = say("migrate", "--check", tmp_path)
    assert status == 1
    assert said.splitlines() == [
        "3 logs: 1 upgrade, 1 refused, 1 current",
        "by cause",
        "       1  E109 unknown-type",
        "by edge",
        "       1  0->1",
        "by event type",
        "       1  demo/note",
        "by cure",
        "       1  lossy",
        "refused",
        f"  {path}: E109  (lossy cure)",
    ]
    document = json.loads(say("migrate", "--check", "--json", tmp_path)[1])
    assert document["totals"]["causes"] == {"E109": 1}
    assert document["totals"]["reasons"] == {"E109": 1}
    assert [log["ok"] for log in document["logs"]] == [False, True, True]
    assert PROJECT in document["logs"][0]["path"]


def test_every_refused_session_and_every_reason_is_counted(say, tmp_path):
    paths = []
    for number in range(15):
        bad = small_log(0, id=f"bad-{number:02}")
        for _ in range(300):
            bad.event("demo/note", {})
        paths.append(store(tmp_path, bad))
    out = say("migrate", "--check", tmp_path)[1].splitlines()
    assert out[2] == "      15  E109 unknown-type, 4500 reasons"
    assert out[-15:] == [f"  {path}: E109  (lossy cure)" for path in paths]


def test_a_root_is_a_root_however_few_logs_it_holds(say, tmp_path):
    path = store(tmp_path, small_log(3, id="a"))
    assert list(json.loads(say("migrate", "--check", "--json", tmp_path)[1])) == [
        "schema", "path", "to", "ok", "totals", "logs", "failed", "store",
    ]  # fmt: skip
    assert json.loads(say("migrate", "--check", "--json", path.parent)[1])["path"] == str(path)


def test_standard_input(say, monkeypatch):
    import io
    import sys

    log = content((head(0), turn(), step(), user(), step_end(), turn_end()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log)))
    assert say("migrate", "--check", "-") == (0, "-: v0 becomes v4, 6 events\n", "")


def test_a_line_too_large_to_be_held_leaves_the_answer_open(say, tmp_path, monkeypatch):
    monkeypatch.setattr(Lines.__init__, "__defaults__", (300,))
    monkeypatch.setattr(zstd, "WINDOW", 75)
    log, out = tmp_path / "session.jsonl.zstd", tmp_path / "out.jsonl.zstd"
    log.write_bytes(content((Frame((head(0),)), Frame((turn(), step(), user("x" * 400), step_end(), turn_end())))))
    for words in (["-o", out], ["--check"]):
        status, _, err = say("migrate", log, *words)
        assert (status, "too large to be held" in err) == (2, True)
    assert say("migrate", "--check", tmp_path)[0] == 2
    assert not out.exists()
    report = json.loads(say("validate", "--format", "json", log)[1])["logs"][0]
    assert report["readers"]["latest"]["opens"] is None


def test_the_upgrade_is_judged_with_the_children_that_the_root_holds(say, tmp_path):
    parent = small_log(3, id="parent")
    parent.event("subagent/catalog", {"version": 1, "childId": "child", "childCreatedAt": 3, "mode": "unknown"})
    placed = store(tmp_path, parent)
    assert say("validate", placed)[0] == 0
    store(tmp_path, small_log(3, id="child", origin="subagent", parentSession="parent", createdAt=5))
    free = tmp_path / "free" / "free.jsonl.zstd"
    free.parent.mkdir()
    free.write_bytes(placed.read_bytes())
    codes = {}
    for path in (placed, tmp_path / PROJECT, free):
        _, said, _ = say("validate", "--format", "json", "--jobs", "2", path)
        (log,) = (log for log in json.loads(said)["logs"] if log["id"] == "parent")
        codes[path] = [finding["code"] for finding in log["findings"]], log["readers"]["latest"]["opens"]
    assert codes[placed] == codes[tmp_path / PROJECT] == (["G244"], False)
    assert codes[free] == ([], True)
    views = ("--surface", "--transcript", "--events", "--turns", "--frames", "--why=0")
    for words in (("show",), *(("show", view) for view in views), ("cat",), ("cat", "--messages"), ("stats",)):
        assert [say(*words, path)[0] for path in (placed, free)] == [1, 0], words
    assert json.loads(say("show", "--json", placed)[1])["state"] == "refused"
    (row,) = json.loads(say("ls", "--deep", "--json", placed)[1])["rows"]
    assert row["deep"]["state"] == "refused"


def test_a_fix_is_named_where_one_may_help_only(say, tmp_path):
    (tmp_path / "empty.jsonl").write_bytes(b"")
    said = say("migrate", "--check", tmp_path / "empty.jsonl")[1]
    assert "--fix" not in said
    assert said.endswith("empty.jsonl: dsh does not open it, 1 reason\n")
    said = say("migrate", "--check", FIXTURES / "v4/header-frame-with-rows")[1]
    assert "  hint dshlog repair FILE says what cures it\n" in said


def test_a_root_that_dsh_cannot_list_upgrades_nothing(say, tmp_path):
    store(tmp_path, small_log(3, id="good"))
    strange = store(tmp_path, small_log(3, id="strange"), segment="elsewhere")
    status, said, _ = say("migrate", "--check", tmp_path)
    lines = said.splitlines()
    assert (status, lines[0], lines[-1]) == (1, "store:", "2 logs: 2 upgrade, 0 refused, 0 current")
    assert f"    see {strange}" in lines
    document = json.loads(say("migrate", "--check", "--json", tmp_path)[1])
    assert (document["ok"], document["failed"]) == (False, [])
    assert [found["code"] for found in document["store"]] == ["D115"]
    store(tmp_path / "other", small_log(4, id="new"))
    store(tmp_path / "other", small_log(4, id="strange"), segment="elsewhere")
    assert say("migrate", "--check", tmp_path / "other")[0] == 0  # nothing is to be upgraded


def test_what_could_not_be_done_is_counted(say, tmp_path):
    store(tmp_path, small_log(3, id="good"))
    held = store(tmp_path, small_log(3, id="held"))
    with session_lock(str(held.parent)):
        status, said, err = say("migrate", "--in-store", "--check", tmp_path)
        assert (status, said) == (2, "2 logs: 1 upgrade, 0 refused, 0 current, 1 could not be done\n")
        document = json.loads(say("migrate", "--in-store", "--json", tmp_path)[1])
    (one,) = document["failed"]
    assert (document["ok"], one["path"], "is held" in one["why"], "is held" in err) == (False, str(held), True, True)


@pytest.mark.parametrize("command", [("migrate", "--check"), ("repair",)])
def test_a_fault_of_the_program_at_one_log_stops_no_other(say, tmp_path, monkeypatch, command):
    store(tmp_path, small_log(3, id="a"))
    store(tmp_path, small_log(3, id="b"))
    reading = World.source

    def faulty(world, path):
        if f"{os.sep}a{os.sep}" in path:
            raise KeyError("x")
        return reading(world, path)

    monkeypatch.setattr(World, "source", faulty)
    status, _, err = say(*command, tmp_path)
    assert (status, err.count("internal error: KeyError: 'x'; please report")) == (2, 1)

"""`ls`: sessions from their headers, as a list and as a tree."""

from __future__ import annotations

import json
import os

import pytest
from jsonschema import Draft202012Validator

import rows
from logbuilder import Log
from rootbuilder import small_log, store


@pytest.fixture
def root(tmp_path):
    top = tmp_path / "sessions"
    store(top, small_log(4, id="parent", createdAt=1_700_000_000_000, turns=2))
    store(top, small_log(4, id="child", createdAt=1_700_000_002_000, parentSession="parent", origin="subagent"))
    fork = Log(4)
    fork.turn()
    fork.user("x")
    fork.end_turn()
    fork.seed()
    fork.header = {**fork.header, "id": "fork", "createdAt": 1_700_000_001_000, "parentSession": "gone"}
    store(top, fork)
    store(top, small_log(0, id="grandchild", createdAt=1_700_000_003_000, parentSession="child", turns=3), zstd=False)
    return top


def lines_of(out):
    return [line.split("  ")[0] if not line.startswith(" ") else line for line in out.splitlines()[1:]]


@pytest.mark.parametrize("zstd", [True, False])
@pytest.mark.parametrize("version", range(5))
def test_a_line_is_the_header(version, zstd, tmp_path, say):
    log = small_log(version, id="one", createdAt=1_700_000_000_000)
    path = store(tmp_path, log, zstd=zstd)
    status, out, err = say("ls", tmp_path)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "id   created (UTC)        v  bytes  project       parent",
        f"one  2023-11-14 22:13:20  {version}  {path.stat().st_size:>5}  /home/u/demo",
    ]
    told = json.loads(say("ls", "--json", tmp_path)[1])
    assert (told["schema"], told["root"]) == (1, str(tmp_path))
    assert told["rows"] == [
        {
            "path": str(path),
            "id": "one",
            "cwd": "/home/u/demo",
            "created": 1_700_000_000_000,
            "version": version,
            "bytes": path.stat().st_size,
            "kind": "session",
            "seeded": False,
            "preset": None,
            "parent": None,
            "parentFound": None,
            "depth": None,
            "older": [],
            "problem": None,
            "linked": False,
            "deep": None,
        }
    ]


def test_the_oldest_session_comes_first_unless_asked_otherwise(root, say):
    def ids(*words):
        return [row["id"] for row in json.loads(say("ls", "--json", *words, root)[1])["rows"]]

    assert ids() == ["parent", "fork", "child", "grandchild"]
    assert ids("--reverse") == ["grandchild", "child", "fork", "parent"]
    assert ids("--sort", "id") == ["child", "fork", "grandchild", "parent"]
    assert ids("--sort", "version")[0] == "grandchild"
    sizes = [row["bytes"] for row in json.loads(say("ls", "--json", "--sort", "size", root)[1])["rows"]]
    assert sizes == sorted(sizes)
    paths = [row["path"] for row in json.loads(say("ls", "--json", "--sort", "path", root)[1])["rows"]]
    assert paths == sorted(paths)


def test_a_tree_has_children_below_their_parents_and_marks_missing_ones(root, say):
    status, out, _ = say("ls", "--tree", root)
    assert status == 0
    lines = out.splitlines()[1:]
    assert [line[: line.index("2023")].rstrip() for line in lines] == ["parent", "  child", "    grandchild", "fork"]
    assert lines[3].endswith("fork of gone (missing)")
    assert lines[1].endswith("subagent")
    rows_ = json.loads(say("ls", "--tree", "--json", root)[1])["rows"]
    assert [(row["id"], row["depth"], row["parentFound"]) for row in rows_] == [
        ("parent", 0, None),
        ("child", 1, True),
        ("grandchild", 2, True),
        ("fork", 0, False),
    ]


def test_ancestors_that_lead_in_a_circle_end(tmp_path, say):
    store(tmp_path, small_log(4, id="a", parentSession="b"))
    store(tmp_path, small_log(4, id="b", parentSession="a"))
    store(tmp_path, small_log(4, id="self", parentSession="self"))
    status, out, _ = say("ls", "--tree", tmp_path)
    assert status == 0
    assert out.count("lead back to it") == 1
    assert len(out.splitlines()) == 4


def test_deep_reads_whole_logs(root, say):
    status, out, _ = say("ls", "--deep", root)
    assert status == 0
    assert out.splitlines()[1].split()[-3:] == ["clean", "2", "completed"]
    deep = {row["id"]: row["deep"] for row in json.loads(say("ls", "--deep", "--json", root)[1])["rows"]}
    assert (deep["grandchild"]["turns"], deep["grandchild"]["events"], deep["grandchild"]["reason"]) == (
        3,
        15,
        "completed",
    )
    assert deep["parent"]["title"] is None


def test_the_state_is_that_of_validate(root, say):
    """What a log breaks by its place counts too, and so does what only the upgrade refuses."""
    store(root, small_log(4, id="moved", cwd="/elsewhere"))
    late = small_log(3, id="late")
    late.event("goal/change", {"version": 1})
    store(root, late)
    (root / "--home-u-demo--" / "empty").mkdir()
    (root / "--home-u-demo--" / "empty" / "session.v4.jsonl.zstd").touch()
    judged = json.loads(say("validate", "--format", "json", root)[1])["logs"]
    listed = json.loads(say("ls", "--deep", "--json", root)[1])["rows"]
    assert {row["path"]: row["deep"]["state"] for row in listed} == {log["path"]: log["state"] for log in judged}
    assert {"refused", "not-a-log"} < {log["state"] for log in judged}
    for log in judged:
        (row,) = json.loads(say("ls", "--deep", "--json", log["path"])[1])["rows"]
        assert row["deep"]["state"] == log["state"]


def test_sessions_of_one_id_are_told_apart_by_their_paths(root, say):
    first = store(root, small_log(4, id="twin", createdAt=1))
    second = store(root, small_log(4, id="twin", createdAt=1, cwd="/b"), project="--b--")
    store(root, small_log(3, id="twin", createdAt=1), name="session.v3.jsonl.zstd")
    for words in ((), ("--deep",), ("--tree",), ("--all-generations",)):
        lines = say("ls", *words, root)[1].splitlines()
        assert [line for line in lines if line.startswith("     at ")] == [f"     at {second}", f"     at {first}"], (
            words
        )


def test_title_goal_and_an_open_end(tmp_path, say):
    log = small_log(4, id="one")
    log.event("session/title", {"title": "修理 🚀\nthe pump", "messageSeqs": [], "source": {"kind": "user"}})
    log.event("goal/change", {"kind": "goal/change", "version": 1, "operation": "create", "goal": {"objective": "win"}})
    last = log.turn()
    store(tmp_path, log)
    (row,) = json.loads(say("ls", "--deep", "--json", tmp_path)[1])["rows"]
    assert row["deep"] == {
        "state": "open",
        "events": last + 1,
        "turns": 2,
        "title": "修理 🚀\nthe pump",
        "goal": "win",
        "reason": None,
        "last": log.events[-1]["time"],
    }
    assert say("ls", "--deep", tmp_path)[1].splitlines()[1].endswith("open       2  -    修理 🚀 the pump")


def test_the_live_generation_hides_the_older_ones(tmp_path, say):
    old = store(tmp_path, small_log(0, id="one"))
    new = store(tmp_path, small_log(4, id="one"))
    (row,) = json.loads(say("ls", "--json", tmp_path)[1])["rows"]
    assert (row["path"], row["older"]) == (str(new), [str(old)])
    paths = [row["path"] for row in json.loads(say("ls", "--json", "--all-generations", tmp_path)[1])["rows"]]
    assert sorted(paths) == sorted([str(old), str(new)])


@pytest.mark.parametrize(
    "data, problem",
    [
        (b"", "the file is empty"),
        (b"no line", "no header line"),
        (b"xx\n", "the first line is not JSON"),
        (b"[]\n", "the first record is no session header"),
        (b"\x28\xb5\x2f\xfd\x00\x00", "no header line"),
    ],
)
def test_what_has_no_header_has_a_line_that_says_so(data, problem, tmp_path, say):
    store(tmp_path, small_log(4, id="one"))
    bad = tmp_path / "--home-u-demo--" / "two" / "session.v4.jsonl"
    bad.parent.mkdir()
    bad.write_bytes(data)
    status, out, err = say("ls", tmp_path)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    (at,) = (place for place, line in enumerate(lines) if line.startswith("two ") and line.endswith(problem))
    assert lines[at + 1] == f"     at {bad}"
    assert "one  " in out
    free = tmp_path / "free.jsonl"
    free.write_bytes(data)
    lines = say("ls", free)[1].splitlines()
    assert (lines[1].split()[0], lines[2]) == ("free.jsonl", f"     at {free}")


def test_directories_pipes_and_links_where_logs_should_be(tmp_path, say):
    base = tmp_path / "--home-u-demo--"
    (base / "dir" / "session.v4.jsonl").mkdir(parents=True)
    (base / "link").mkdir()
    (base / "link" / "session.v4.jsonl").symlink_to("nowhere")
    (base / "pipe").mkdir()
    os.mkfifo(base / "pipe" / "session.v4.jsonl")
    status, out, _ = say("ls", "--json", tmp_path)
    assert status == 1
    assert [row["problem"] for row in json.loads(out)["rows"]] == [
        "it is a directory",
        "no such file or directory",
        "it is a pipe",
    ]


def test_sessions_behind_links_are_marked_and_dead_links_named(tmp_path, say):
    top, elsewhere = tmp_path / "sessions", tmp_path / "elsewhere"
    store(top, small_log(4, id="here", createdAt=1_700_000_000_000))
    real = store(elsewhere, small_log(4, id="there", createdAt=1_700_000_001_000)).parent
    project = top / "--home-u-demo--"
    (project / "there").symlink_to(real)
    (project / "free").symlink_to(tmp_path)
    (project / "loop").symlink_to(".")
    (project / "file").symlink_to(real / "session.v4.jsonl.zstd")
    status, out, _ = say("ls", top)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["here", "there"]
    assert out.splitlines()[2].endswith("  not in dsh's list (link)")
    rows = json.loads(say("ls", "--json", top)[1])["rows"]
    assert [row["linked"] for row in rows] == [False, True]
    (project / "gone").symlink_to("nowhere")
    (top / "--other--").symlink_to(elsewhere)
    (top / "other").symlink_to("nowhere")
    status, out, _ = say("ls", "--json", top)
    assert status == 1
    told = {row["path"].removeprefix(f"{top}/"): row["problem"] for row in json.loads(out)["rows"] if row["problem"]}
    assert told == {
        "--home-u-demo--/gone": "the link leads nowhere",
        "--other--": "a link: dsh sees nothing",
    }


def test_a_long_header_and_a_wrong_member_are_read(tmp_path, say):
    log = small_log(4, id="long", agentPreset="p" * 50_000, createdAt="never", parentSession=7)
    store(tmp_path, log, zstd=False, segment="a")
    store(tmp_path, log, segment="b")
    for row in json.loads(say("ls", "--json", tmp_path)[1])["rows"]:
        assert (row["id"], len(row["preset"]), row["created"], row["parent"]) == ("long", 50_000, None, None)


def test_a_session_a_project_and_a_log_can_be_listed(root, say):
    session = root / "--home-u-demo--" / "child"
    for path in (root / "--home-u-demo--", session, session / "session.v4.jsonl.zstd"):
        assert "child" in say("ls", path)[1]


def test_an_empty_root_and_none(tmp_path, say, monkeypatch):
    status, out, err = say("ls", tmp_path)
    assert (status, out, err) == (0, "", f"dshlog: note: no session log in {tmp_path}\n")
    status, out, err = say("ls", "--json", tmp_path)
    assert json.loads(out)["rows"] == []
    status, _, err = say("ls", tmp_path / "gone")
    assert (status, err.splitlines()[0]) == (
        2,
        f"dshlog: error: cannot read {tmp_path / 'gone'}: no such file or directory",
    )
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "home"))
    status, _, err = say("ls")
    assert status == 2
    assert "set DSH_HOME" in err
    store(tmp_path / "home" / "sessions", small_log(4, id="mine"))
    assert say("ls")[1].splitlines()[1].startswith("mine ")


def test_names_are_made_safe_to_print(tmp_path, say):
    log = small_log(4, id="a\x1b[31mb", cwd="/home/\u202eu")
    path = tmp_path / "x.jsonl"
    path.write_bytes(rows.raw(log.batches()))
    out = say("ls", tmp_path)[1]
    assert "a\\x1b[31mb" in out
    assert "/home/\\u202eu" in out


def test_documents_are_what_the_schema_says(root, say):
    schema = json.loads(say("explain", "--schema", "ls")[1])
    for words in ((), ("--deep",), ("--tree",)):
        assert not list(Draft202012Validator(schema).iter_errors(json.loads(say("ls", "--json", *words, root)[1])))


def test_sessions_of_released_builds_are_those_that_dsh_wrote(shared, say):
    for folder in sorted((shared / "corpus").glob("*-0.2.1-rc.2"))[::4]:
        _, out, _ = say("ls", "--json", folder / "sessions")
        found = json.loads(out)["rows"]
        expected = {path.parent.name for path in (folder / "sessions").glob("*/*/session*.jsonl*")}
        assert {row["id"] for row in found} == expected
        assert {row["problem"] for row in found} == {None}
        assert {row["cwd"] for row in found} == {"/workspace/demo"}


@pytest.mark.parametrize("folder", ["mutants", "traps", "traps-migration"])
def test_states_of_damaged_logs_are_those_of_validate(folder, shared, say):
    top = shared / "corpus" / folder
    judged = json.loads(say("validate", "--format", "json", top)[1])["logs"]
    listed = json.loads(say("ls", "--deep", "--json", top)[1])["rows"]
    states = {row["path"]: row["deep"]["state"] for row in listed if row["deep"] is not None}
    assert len(states) > len(judged) - 3
    assert states == {log["path"]: log["state"] for log in judged if log["path"] in states}

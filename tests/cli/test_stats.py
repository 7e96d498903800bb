"""`stats` prints figures as words, tables and JSON."""

from __future__ import annotations

import json

import pytest


def test_one_log(say, repository):
    log = repository / "fixtures/v0/compaction-raw/session.jsonl"
    status, out, err = say("stats", log)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == str(log)
    assert lines[1].startswith("  activity  2 turns, ")
    assert any(line.startswith("  tokens    answered: input ") for line in lines)
    assert any(line.startswith("  size      ") for line in lines)


def test_several_logs_are_summed_up(say, repository):
    paths = [repository / f"fixtures/v{version}/clean" for version in range(5)]
    status, out, _ = say("stats", *paths)
    assert (status, out.splitlines()[0]) == (0, "5 logs")
    document = json.loads(say("stats", "--json", *paths)[1])
    assert [len(document["logs"]), document["total"]["logs"]] == [5, 5]
    whole = document["total"]["activity"]["turns"]
    assert whole == sum(log["activity"]["turns"] for log in document["logs"])
    assert [log["path"] for log in document["logs"]][0].startswith(str(paths[0]))  # noqa: RUF015


@pytest.mark.parametrize(
    "by, head",
    [
        ("type", ["type", "records", "events", "bytes", "share"]),
        ("tool", ["tool", "calls", "failed", "median", "95", "%", "longest", "in", "sum", "share"]),
        ("turn", ["turn", "steps", "calls", "failed", "input", "output", "lasted", "share"]),
    ],
)
def test_tables(say, repository, by, head):
    _, out, _ = say("stats", "--by", by, repository / "fixtures/v4/clean")
    lines = out.splitlines()
    assert lines[0].split() == head
    assert len(lines) > 1
    assert "█" in out


def test_a_damaged_log_counts_as_far_as_it_can_be_read(say, repository):
    log = repository / "fixtures/v0/not-json-in-the-middle-raw"
    status, out, err = say("stats", log)
    assert status == 1
    assert "turn" in out
    assert "L102" in err
    status, out, err = say("stats", repository / "fixtures/v0")
    assert status == 1
    assert "logs have errors, of these only what can be read counts" in err
    status, out, err = say("stats", log, repository / "fixtures/v0/clean")
    assert status == 1
    assert err.splitlines() == [
        "dshlog: note: 1 log has errors, of it only what can be read counts",
        f"dshlog: note: {log}/session.jsonl: refused, L102 not-json at line 28; counted up to line 28",
    ]


def test_bad_logs_are_named_with_how_much_of_them_counts(say, tmp_path, repository):
    for name in ("not-json-in-the-middle-raw", "replace-omits-shadowed-raw", "clean-raw"):
        (tmp_path / f"{name}.jsonl").write_bytes((repository / "fixtures/v0" / name / "session.jsonl").read_bytes())
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    status, _, err = say("stats", tmp_path)
    assert status == 2
    named = [line.removeprefix(f"dshlog: note: {tmp_path}/") for line in err.splitlines() if "note: /" in line]
    assert [line.partition(":")[0] for line in named] == [
        "empty.jsonl", "not-json-in-the-middle-raw.jsonl", "replace-omits-shadowed-raw.jsonl",
    ]  # fmt: skip
    assert named[0].endswith("; nothing counted")
    told = json.loads(say("stats", "--json", tmp_path)[1])
    assert [(log["state"], log["stop"] is None, log["error"] is None) for log in told["logs"]] == [
        ("clean", True, True), ("not-a-log", True, False), ("refused", False, False), ("refused", True, False),
    ]  # fmt: skip
    assert told["unread"] == [{"path": f"{tmp_path}/gone.jsonl", "why": "no such file or directory"}]


def test_of_many_bad_logs_the_first_are_named(say, tmp_path):
    for number in range(14):
        (tmp_path / f"{number:02}.jsonl").write_bytes(b"")
    lines = say("stats", tmp_path)[2].splitlines()
    assert len(lines) == 14
    assert lines[-1] == "dshlog: note: and 2 more, which --json lists"


def test_what_cannot_be_read_is_told(say, tmp_path):
    assert say("stats", tmp_path / "none")[0] == 2
    status, out, err = say("stats", tmp_path)
    assert (status, out) == (2, "")
    assert "no session log" in err


def test_the_default_is_the_root_of_this_user(say, tmp_path, monkeypatch, repository):
    monkeypatch.setenv("DSH_HOME", str(tmp_path))
    place = tmp_path / "sessions/--home-u-demo--/demo"
    place.mkdir(parents=True)
    (place / "session.v4.jsonl.zstd").write_bytes((repository / "fixtures/v4/clean/session.v4.jsonl.zstd").read_bytes())
    status, out, _ = say("stats", "--json")
    assert status == 0
    assert json.loads(out)["total"]["logs"] == 1
    (place / "session.v5.jsonl.zstd").mkdir()
    assert say("stats")[0] == 2

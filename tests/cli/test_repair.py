"""`repair` says what it would do, does it when told, and proves it; the disk may fail at any point."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import build
import dshlog
import rows
from dshlog.cli.main import main
from dshlog.render.repaired import together

FIXTURES = Path(build.__file__).parent
SCHEMA = json.loads((Path(dshlog.__file__).parent / "schemas/repair.schema.json").read_text(encoding="utf-8"))
OPEN = FIXTURES / "v4/open/session.v4.jsonl.zstd"
TORN = FIXTURES / "v4/torn-frame/session.v4.jsonl.zstd"
LOSSY = FIXTURES / "v4/replace-start-shadowed-raw/session.v4.jsonl"
CLEAN = FIXTURES / "v4/clean/session.v4.jsonl.zstd"


@pytest.fixture
def say(capfdbinary):
    def go(*words):
        status = main(["repair", *(str(word) for word in words)])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return go


@pytest.fixture
def store(tmp_path):
    """Give a function that lays a log into its place below a root of its own."""

    def lay(path, name="demo"):
        place = tmp_path / "sessions/--home-u-demo--" / name / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        return place

    return lay


def state(path):
    return dshlog.validate(path).state


# -- the plan


def test_a_plan_tells_and_writes_nothing(say, store):
    log = store(OPEN)
    before = log.read_bytes(), log.stat().st_mtime_ns
    status, out, err = say(log)
    assert (status, err) == (0, "")
    for words in (
        "what happened",
        "what stays",
        "what is added",
        "turn/end at seq",
        "nothing is lost",
        "next: dshlog repair --in-place",
    ):
        assert words in out
    assert (log.read_bytes(), log.stat().st_mtime_ns) == before
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_a_whole_log_has_nothing_to_do(say):
    status, out, _ = say(CLEAN)
    assert status == 0
    assert "nothing to do" in out
    assert "next" not in out


@pytest.mark.parametrize("log", [OPEN, TORN, LOSSY, CLEAN, FIXTURES / "v0/torn-frame/session.jsonl.zstd"])
def test_the_json_is_what_its_schema_says(say, log):
    status, out, _ = say("--json", log)
    plan = json.loads(out)
    assert list(Draft202012Validator(SCHEMA).iter_errors(plan)) == []
    assert (plan["end_seed"] is None) == (not plan["closers"])
    assert status == (1 if log == LOSSY else 0)
    assert plan["writable"] == (log != LOSSY)
    assert plan["loss"] == ("some" if log == LOSSY else "none")


def test_the_diff_shows_each_record_that_differs(say):
    _, out, _ = say("--diff", LOSSY)
    assert f"@@ {LOSSY}:" in out
    assert "\n-" in out
    assert '\n+{"type":"turn/end"' in say("--diff", OPEN)[1]


def test_what_cannot_be_repaired_says_why(say, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    status, out, _ = say(empty)
    assert status == 1
    assert "not repaired: nothing in it can be read as the header of a log" in out
    assert "next: dshlog explain F101" in out


# -- new files


def test_a_new_file_holds_the_result_and_the_log_stays(say, store, tmp_path):
    log, out = store(TORN), tmp_path / "out.jsonl.zstd"
    before = log.read_bytes()
    status, text, _ = say(log, "-o", out)
    assert status == 0
    assert f"written: {out}" in text
    assert state(out) == "clean"
    assert log.read_bytes() == before


def test_a_whole_log_is_copied_as_it_is(say, tmp_path):
    out = tmp_path / "out.jsonl.zstd"
    assert say(CLEAN, "-o", out)[0] == 0
    assert out.read_bytes() == CLEAN.read_bytes()


def test_a_lossy_result_needs_consent_and_names_what_is_lost(say, tmp_path):
    out, lost = tmp_path / "out.jsonl", tmp_path / "lost"
    status, text, _ = say(LOSSY, "-o", out)
    assert status == 1
    assert "--allow-loss agrees to that" in text
    assert not out.exists()
    assert say(LOSSY, "--allow-loss", "--lost-found", lost, "-o", out)[0] == 3
    assert state(out) == "clean"


@pytest.mark.parametrize("words", [["-o", "out.jsonl"], ["--in-place"]])
def test_a_result_that_is_not_written_is_no_success(say, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "log.jsonl"
    lines = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes().splitlines(keepends=True)
    step = next(index for index, line in enumerate(lines) if b'"step/start"' in line)
    bad = {"type": "demo/note", "seq": 2, "time": 1, "ignorable": True}  # a record without its payload
    data = b"".join([*lines[: step + 1], json.dumps(bad).encode() + b"\n"])
    log.write_bytes(data)
    assert say(log)[0] == 0  # a plan for a log that dsh opens
    status, out, _ = say(log, *words)
    assert status == 1
    assert "not written: it loses" in out
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]
    assert log.read_bytes() == data


def test_lost_records_are_kept_with_their_origin(say, tmp_path):
    path, lost = tmp_path / "log.jsonl", tmp_path / "lost"
    shutil.copyfile(FIXTURES / "v4/replace-start-shadowed-raw/session.v4.jsonl", path)
    status, _, _ = say(path, "--allow-loss", "--lost-found", lost, "-o", tmp_path / "out.jsonl")
    assert status == 3
    (kept,) = lost.iterdir()
    records = [json.loads(line) for line in kept.read_bytes().splitlines()]
    assert all(record["place"]["line"] and record["event"]["type"] and record["id"] for record in records)
    assert records


@pytest.mark.parametrize(
    ("text", "kept_as"),
    [(b'{"type":"demo/note","n":NaN}', "line"), (b"\xff\xfe no text", "base64"), (b"[1]", "line")],
)
def test_a_line_that_is_no_record_is_kept_too(say, tmp_path, text, kept_as):
    path, lost = tmp_path / "log.jsonl", tmp_path / "lost"
    lines = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], text + b"\n", *lines[5:]]))
    plan = json.loads(say("--json", path)[1])
    assert list(Draft202012Validator(SCHEMA).iter_errors(plan)) == []
    shown = say(path)[1]
    assert f"line 5: {len(text) + 1} bytes that are no record" in shown
    assert "it loses 1 line that cannot be read" in shown
    assert say(path, "--allow-loss", "--lost-found", lost, "-o", tmp_path / "out.jsonl")[0] == 3
    (kept,) = lost.iterdir()
    (one,) = (json.loads(line) for line in kept.read_bytes().splitlines())
    assert {key: held for key, held in one.items() if key != "id"} == plan["lost"][0]
    assert (one["place"]["line"], one["event"]) == (5, None)
    assert (b64decode(one["base64"]) if kept_as == "base64" else one["line"].encode()) == text


def test_nothing_is_overwritten(say, store, tmp_path):
    out = tmp_path / "out.jsonl.zstd"
    out.write_bytes(b"mine")
    status, _, err = say(store(OPEN), "-o", out)
    assert status == 2
    assert "it is there already" in err
    assert out.read_bytes() == b"mine"


def test_standard_input_is_repaired_into_a_file(tmp_path):
    out = tmp_path / "out.jsonl.zstd"
    command = [sys.executable, "-m", "dshlog", "repair", "-", "-o", str(out)]
    done = subprocess.run(command, input=OPEN.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert state(out) == "clean"


# -- in place


def test_a_log_is_replaced_and_the_old_one_kept_outside_the_root(say, store, tmp_path):
    log = store(OPEN)
    before = log.read_bytes()
    status, out, _ = say("--in-place", log)
    assert status == 0
    assert state(log) == "clean"
    (backup,) = (path for path in (tmp_path / "dshlog-backups").rglob("*") if path.is_file())
    assert backup.read_bytes() == before
    assert str(backup) in out
    assert sorted(path.name for path in log.parent.iterdir()) == ["session.lock", log.name]


def test_a_second_time_there_is_nothing_to_do(say, store, tmp_path):
    log = store(TORN)
    assert say("--in-place", log)[0] == 0
    once = log.read_bytes(), log.stat().st_mtime_ns
    assert say("--in-place", log)[0] == 0
    assert (log.read_bytes(), log.stat().st_mtime_ns) == once
    assert sum(path.is_file() for path in (tmp_path / "dshlog-backups").rglob("*")) == 1


def test_a_whole_log_is_never_written(say, store):
    log = store(CLEAN)
    once = log.read_bytes(), log.stat().st_mtime_ns
    assert say("--in-place", log)[0] == 0
    assert (log.read_bytes(), log.stat().st_mtime_ns) == once
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_a_session_that_a_dsh_has_open_is_refused(say, store):
    log = store(OPEN)
    before = log.read_bytes()
    with (log.parent / "session.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, _, err = say("--in-place", log)
    assert status == 2
    assert "is held: a dsh has this session open" in err
    assert log.read_bytes() == before


def test_a_link_is_not_written_through(say, store, tmp_path):
    link = tmp_path / "link.jsonl.zstd"
    link.symlink_to(store(OPEN))
    status, _, err = say("--in-place", link)
    assert status == 2
    assert "symbolic link" in err


def test_a_backup_inside_the_root_is_refused(say, store, tmp_path):
    log = store(OPEN)
    before = log.read_bytes()
    status, _, err = say("--in-place", "--backup-dir", tmp_path / "sessions/kept", log)
    assert status == 2
    assert "inside the sessions root" in err
    assert log.read_bytes() == before


def test_a_root_is_repaired_log_by_log(say, store, tmp_path):
    for name, path in (("s1", OPEN), ("s2", CLEAN), ("s3", TORN)):
        store(path, name)
    lossy = store(FIXTURES / "v4/replace-start-shadowed/session.v4.jsonl.zstd", "s4")
    status, out, _ = say(tmp_path / "sessions")
    assert status == 1
    assert "4 logs: 1 nothing to do, 2 can be repaired, 1 can be repaired with a loss" in out
    status, out, _ = say("--in-place", tmp_path / "sessions")
    assert status == 1
    assert "4 logs: 1 nothing to do, 2 repaired, 1 can be repaired with a loss" in out
    assert state(lossy) == "refused"
    document = json.loads(say("--json", tmp_path / "sessions")[1])
    assert [plan["state"] for plan in document["logs"]] == ["clean", "clean", "clean", "refused"]


def test_what_a_fix_by_name_cures_is_counted_apart(say, store, forked, tmp_path):
    named = store(FIXTURES / "v0/unknown-ignorable-raw/session.jsonl", "s1")
    store(FIXTURES / "v4/clean-raw/session.v4.jsonl", "s2")
    root = tmp_path / "sessions"
    status, out, _ = say(root)
    assert status == 1
    assert "2 logs: 1 nothing to do, 1 with a cure by name" in out
    assert f"next: dshlog repair --fix drop-record=demo/note {root}   (plans what has a cure by name)" in out
    status, out, _ = say("--fix", "drop-record=demo/note", root)
    assert "2 logs: 1 nothing to do, 1 can be repaired with a loss" in out
    assert "(plans what" not in out
    named.unlink()
    shutil.copyfile(forked, named.with_name("session.v4.jsonl"))
    out = say(root)[1]
    assert "2 logs: 1 nothing to do, 1 waiting for a choice" in out
    assert f"next: dshlog repair --keep first {root}   (plans what waits for a choice; or --keep second)" in out


def test_many_fixes_of_many_logs_are_named_by_one_word():
    words = ["mark-ignorable=a", "recite", "wrap-replay", "drop-member", "list-once", "drop-record=b"]
    assert together([words]) == ["upgrade", "mark-ignorable=a"]
    assert together([words[:2], words[1:3]]) == ["mark-ignorable=a", "recite", "wrap-replay"]


def test_the_receipt_proves_what_was_done(say, store, tmp_path):
    from hashlib import sha256

    log, paper = store(OPEN), tmp_path / "receipt.json"
    before = sha256(log.read_bytes()).hexdigest()
    assert say("--in-place", "--receipt", paper, log)[0] == 0
    plan = json.loads(paper.read_bytes())
    assert list(Draft202012Validator(SCHEMA).iter_errors(plan)) == []
    assert plan["receipt"]["before"]["sha256"] == before
    assert plan["receipt"]["after"]["sha256"] == sha256(log.read_bytes()).hexdigest()
    assert plan["receipt"]["backup"] == plan["backup"]


# -- two writers


@pytest.fixture
def forked(tmp_path):
    """Give a log that two writers continued from the same seq."""
    head, *lines = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes().splitlines(keepends=True)
    cut = next(index for index, line in enumerate(lines) if b'"turn/start"' in line)
    other = [line.replace(b'"time":17', b'"time":18') for line in lines[cut:]]
    path = tmp_path / "forked.jsonl"
    path.write_bytes(b"".join([head, *lines[:cut], *lines[cut:], *other]))
    return path


def test_somebody_has_to_choose_between_two_writers(say, forked, tmp_path):
    status, out, _ = say(forked)
    assert status == 1
    assert "--keep first or --keep second" in out
    assert "--split DIR" in out
    for side in ("first", "second"):
        out = tmp_path / f"{side}.jsonl"
        assert say(forked, "--keep", side, "--allow-loss", "-o", out)[0] == 3
        assert state(out) == "clean"
        assert (b'"time":18' in out.read_bytes()) == (side == "second")


def test_a_split_loses_nothing(say, forked, tmp_path):
    folder, paper = tmp_path / "both", tmp_path / "receipt.json"
    status, out, _ = say(forked, "--split", folder, "--receipt", paper)
    assert status == 0
    assert out.count("nothing is lost") == out.count("; the other result has it") == 2
    assert "lost or made up" not in out
    assert "records lost" not in out
    plans = json.loads(paper.read_bytes())["logs"]
    assert [(plan["loss"], plan["lost"], plan["why_not"]) for plan in plans] == [("none", [], None)] * 2
    assert {action["loss"] for plan in plans for action in plan["actions"]} == {"none"}
    first, second = (folder / side / forked.name for side in ("first", "second"))
    assert (state(first), state(second)) == ("clean", "clean")
    held = set(first.read_bytes().splitlines()) | set(second.read_bytes().splitlines())
    assert set(forked.read_bytes().splitlines()) <= held


def test_a_split_writes_both_or_neither(say, forked, tmp_path):
    other = tmp_path / "both/second" / forked.name
    other.parent.mkdir(parents=True)
    other.write_bytes(b"mine")
    status, _, err = say(forked, "--split", tmp_path / "both")
    assert status == 2
    assert "it is there already" in err
    assert [path for path in (tmp_path / "both").rglob("*") if path.is_file()] == [other]


@pytest.fixture
def forked_tail(tmp_path):
    """Give a log whose last turn two writers continued, and neither finished."""
    lines = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes().splitlines(keepends=True)
    cut = next(index for index, line in enumerate(lines) if b'"system/message"' in line)
    branch = lines[cut : cut + 4]
    other = [line.replace(b'"time":17', b'"time":18') for line in branch]
    path = tmp_path / "tail.jsonl"
    path.write_bytes(b"".join([*lines[:cut], *(line for pair in zip(branch, other, strict=True) for line in pair)]))
    return path


def test_of_two_writers_in_a_tail_one_can_stay(say, forked_tail, tmp_path):
    status, out, _ = say(forked_tail)
    assert status == 0
    assert "two writers" in out
    assert f"next: dshlog repair --keep first {forked_tail}" in out
    assert f"  or: dshlog repair --split DIR {forked_tail}" in out
    assert "--in-place" not in out
    assert "--in-place" in say(forked_tail, "--keep", "second")[1]
    folder = tmp_path / "both"
    assert say(forked_tail, "--split", folder)[0] == 0
    held = b"".join((folder / side / forked_tail.name).read_bytes() for side in ("first", "second"))
    assert set(forked_tail.read_bytes().splitlines()) <= set(held.splitlines())


def test_a_split_that_loses_a_record_of_both_needs_consent(say, forked_tail, tmp_path):
    folder, lost = tmp_path / "both", tmp_path / "lost"
    lines = forked_tail.read_bytes().splitlines(keepends=True)
    forked_tail.write_bytes(b"".join([*lines[:2], b"{what?\n", *lines[3:]]))
    status, out, _ = say(forked_tail, "--split", folder)
    assert status == 1
    assert "not written: it loses 1 line that cannot be read; --allow-loss agrees to that" in out
    assert not folder.exists()
    status, out, _ = say(forked_tail, "--split", folder, "--allow-loss", "--lost-found", lost, "--json")
    assert status == 3
    assert [plan["loss"] for plan in json.loads(out)["logs"]] == ["some", "some"]
    (kept,) = lost.iterdir()
    assert len(kept.read_bytes().splitlines()) == 1


def test_one_writer_cannot_be_split(say, tmp_path):
    status, _, err = say(OPEN, "--split", tmp_path / "both")
    assert status == 2
    assert "nothing to split" in err


# -- asked for by name


def test_what_dsh_refuses_to_upgrade_is_told_as_validate_tells_it(say, tmp_path):
    log, out = FIXTURES / "v0/unknown-ignorable-raw/session.jsonl", tmp_path / "out.jsonl"
    assert main(["validate", str(log)]) == 1
    for words in ([], ["-o", out]):
        status, text, _ = say(log, *words)
        assert status == 1
        assert "refused" in text
        assert "--fix drop-record=demo/note" in text
        assert not out.exists()
    status, text, _ = say("--json", log)
    plan = json.loads(text)
    assert (status, plan["state"], plan["writable"]) == (1, "refused", False)
    assert list(Draft202012Validator(SCHEMA).iter_errors(plan)) == []
    assert say(log, "--fix", "E112", "--allow-loss", "-o", out)[0] == 3
    assert main(["validate", str(out)]) == 0


def test_a_finding_is_cured_when_it_is_named(say, tmp_path):
    log, out = FIXTURES / "v4/unknown-required-raw/session.v4.jsonl", tmp_path / "out.jsonl"
    assert "not repaired" in say(log)[1]
    assert say(log, "--fix", "E109", "-o", out)[0] == 0
    assert state(out) == "clean"


@pytest.mark.parametrize("words", [[], ["--fix", "torn-line"]])
def test_a_last_record_that_lacks_its_line_feed_alone_is_kept(say, tmp_path, words):
    log, out = tmp_path / "log.jsonl", tmp_path / "out.jsonl"
    text = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes()
    log.write_bytes(text.removesuffix(b"\n"))
    status, told, _ = say(*words, log, "-o", out)
    assert status == 0
    assert "the last record gets the line feed that it lacks" in told
    assert out.read_bytes() == text
    plan = json.loads(say("--json", *words, log)[1])
    start = text.rindex(b"\n", 0, -1) + 1
    assert (plan["loss"], plan["closers"], plan["rewritten"]) == ("none", [], [])
    assert plan["truncate_to"] == start  # where dsh would cut


@pytest.mark.parametrize(
    "tail", [b'{"type":"turn/end"', b'{"a":1}', b'{"type":"acme/note","seq":99,"time":1,"data":{}}', b"[1]"]
)
def test_what_cannot_stay_at_the_end_goes_as_dsh_cuts_it(say, tmp_path, tail):
    log, out = tmp_path / "log.jsonl", tmp_path / "out.jsonl"
    text = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes()
    log.write_bytes(text + tail)
    assert say(log, "-o", out)[0] == 0
    assert out.read_bytes() == text


def test_a_last_record_without_its_line_feed_survives_damage_before_it(say, tmp_path):
    log, out = tmp_path / "log.jsonl", tmp_path / "out.jsonl"
    text = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes()
    lines = text.splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:4], lines[3], *lines[4:]]).removesuffix(b"\n"))
    assert say(log, "-o", out)[0] == 0
    assert out.read_bytes() == text


@pytest.mark.parametrize(
    "words",
    [
        ("-o", "x", "--in-place", OPEN),
        ("--in-place", "-"),
        ("--backup-dir", "x", OPEN),
        ("--receipt", "x", OPEN),
        ("--split", "x", "--keep", "first", OPEN),
        ("--fix", "X999", OPEN),
        ("-o", "x", FIXTURES / "v4"),
        ("-o", "x.jsonl", OPEN),
        ("-o", "-", OPEN),
        (FIXTURES / "nowhere",),
    ],
)
def test_what_makes_no_sense_is_refused(say, words):
    status, _, err = say(*words)
    assert status == 2
    assert err.startswith("dshlog: error: ")


# -- a lost header


@pytest.fixture
def headless(store):
    log = store(FIXTURES / "v4/clean-raw/session.v4.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[1:]))
    return log, lines


def test_a_lost_header_is_not_made_up_unless_asked(say, headless):
    log, _ = headless
    status, out, _ = say(log)
    assert status == 1
    assert "next: dshlog repair --fix H103 --id ID --cwd DIR" in out


def test_a_lost_header_is_written_anew_from_the_place_and_the_command_line(say, headless, tmp_path):
    log, lines = headless
    assert say("--fix", "H103", log)[2].count("--cwd DIR") == 1
    assert "--cwd" in say("--fix", "H103", "--cwd", "/elsewhere", log)[2]
    assert "no absolute path" in say("--fix", "H103", "--cwd", "elsewhere", log)[2]
    words = ["--fix", "H103", "--cwd", "/home/u/demo"]
    status, out, _ = say(*words, log)
    assert status == 1
    assert "what the header said, of which createdAt and delegationDepth is made up" in out
    assert "next: dshlog repair --fix header-not-session --id demo --cwd /home/u/demo --allow-loss" in out
    assert say(*words, "--allow-loss", "--in-place", log)[0] == 3
    made = log.read_bytes().splitlines(keepends=True)
    assert made[1:] == lines[1:]
    head, was = json.loads(made[0]), json.loads(lines[0])
    first = json.loads(lines[1])["time"]
    assert head == was | {"createdAt": first}
    assert list(head) == list(was)
    assert main(["validate", "--quick", str(log)]) == 0


def test_another_generation_has_what_the_lost_header_said(say, headless):
    log, lines = headless
    older = log.with_name("session.v3.jsonl")
    shutil.copyfile(FIXTURES / "v3/clean-raw/session.v3.jsonl", older)
    assert say("--fix", "H103", "--allow-loss", "--in-place", log)[0] == 3
    assert json.loads(log.read_bytes().splitlines()[0]) == json.loads(lines[0])


def test_a_header_that_was_lost_with_its_frame_gets_a_frame_of_its_own(say, tmp_path):
    log, out = tmp_path / "session.v4.jsonl.zstd", tmp_path / "out.jsonl.zstd"
    data = CLEAN.read_bytes()
    log.write_bytes(data[data.index(b"\x28\xb5\x2f\xfd", 4) :])
    assert say("--fix", "H103", "--id", "mine", "--allow-loss", log, "-o", out)[0] == 3
    assert state(out) == "clean"
    assert out.read_bytes().endswith(log.read_bytes())


def test_a_free_file_needs_the_id(say, headless, tmp_path):
    free, out = tmp_path / "free.jsonl", tmp_path / "out.jsonl"
    shutil.copyfile(headless[0], free)
    assert say("--fix", "H103", free)[0] == 1
    assert say("--fix", "H103", "--id", "mine", "--allow-loss", free, "-o", out)[0] == 3
    assert json.loads(out.read_bytes().splitlines()[0])["id"] == "mine"
    assert state(out) == "clean"
    assert say("--id", "mine", free)[0] == 2


def test_a_result_that_is_not_what_was_planned_is_not_written(say, store, monkeypatch):
    log = store(OPEN)
    before = log.read_bytes()
    monkeypatch.setattr("dshlog.repair.script._frame", lambda _: rows.frame(b"{}\n"))
    status, _, err = say("--in-place", log)
    assert status == 2
    assert "nothing was written" in err
    assert log.read_bytes() == before


# -- names and places


def test_logs_get_the_places_that_their_headers_name(say, store, tmp_path):
    root = tmp_path / "sessions"
    log = store(CLEAN, "wrong")
    misnamed = log.with_name("session.v3.jsonl.zstd")
    log.rename(misnamed)
    status, out, _ = say("--relocate", root)
    assert status == 1
    assert f"move {misnamed}\n  to {log}" in out
    assert "--relocate --in-place" in out
    assert misnamed.exists()
    status, out, _ = say("--relocate", "--in-place", root)
    assert status == 0
    moved = root / "--home-u-demo--" / "demo" / log.name
    assert moved.read_bytes() == CLEAN.read_bytes()
    assert not log.parent.exists()
    assert say("--relocate", root)[:2] == (0, f"{root}: every log lies where its header says\n")
    assert dshlog.validate(moved).state == "clean"


def test_a_root_says_what_no_plan_mends(say, store, tmp_path):
    root = tmp_path / "sessions"
    store(CLEAN, "demo")
    raw = FIXTURES / "v4/clean-raw/session.v4.jsonl"
    store(raw, "other")
    told = {finding.code for log in root.rglob("session*") for finding in dshlog.validate(log).findings}
    assert told == set()  # of the content there is nothing to say
    for words in ([root], ["--in-place", root]):
        status, out, _ = say(*words)
        assert status == 1
        assert "D105 mixed-encodings" in out
        assert "D102 directory-differs-from-id" in out
        assert f"next: dshlog repair --relocate {root}" in out
    document = json.loads(say("--json", root)[1])
    codes = [{found["code"] for found in plan["store"]} for plan in document["logs"]]
    assert "D102" in codes[1] | codes[0]
    one = json.loads(say("--json", root / "--home-u-demo--/other")[1])
    assert list(Draft202012Validator(SCHEMA).iter_errors(one)) == []
    assert "D102" in {found["code"] for found in one["store"]}
    assert say(raw, "-o", tmp_path / "out.jsonl")[0] == 0  # a free file has no place


def test_nothing_is_moved_over_what_is_there(say, store, tmp_path):
    kept, other = store(CLEAN, "demo"), store(OPEN, "wrong")
    before = kept.read_bytes(), other.read_bytes()
    status, out, err = say("--relocate", tmp_path / "sessions")
    assert (status, err) == (1, "")
    assert "it is there already" in out
    assert "next:" not in out
    status, out, err = say("--relocate", "--in-place", tmp_path / "sessions")
    assert (status, err) == (1, "")
    assert "not moved:" in out
    assert "it is there already" in out
    assert (kept.read_bytes(), other.read_bytes()) == before


def test_of_two_logs_with_one_place_the_first_moves(say, store, tmp_path):
    first, second = store(CLEAN, "a"), store(OPEN, "b")
    status, out, _ = say("--relocate", tmp_path / "sessions")
    assert status == 1
    assert out.count("another log that moves has that place too") == 1
    assert "next: dshlog repair --relocate --in-place" in out
    assert say("--relocate", "--in-place", tmp_path / "sessions")[0] == 1
    assert (first.exists(), second.exists()) == (False, True)


def test_moves_are_one_document_with_the_paths_as_given(say, store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store(CLEAN, "wrong")
    status, out, _ = say("--relocate", "--json", "sessions")
    document = json.loads(out)
    schema = (Path(dshlog.__file__).parent / "schemas/relocate.schema.json").read_text(encoding="utf-8")
    assert list(Draft202012Validator(json.loads(schema)).iter_errors(document)) == []
    move = {"kind": "directory", "from": "sessions/--home-u-demo--/wrong", "to": "sessions/--home-u-demo--/demo"}
    assert (status, document["moves"]) == (1, [move | {"moved": False, "why_not": None}])
    status, out, _ = say("--relocate", "--json", "--in-place", "sessions")
    assert (status, json.loads(out)["moves"]) == (0, [move | {"moved": True, "why_not": None}])
    assert json.loads(say("--relocate", "--json", "sessions")[1])["moves"] == []


def test_a_move_that_a_running_dsh_prevents_is_told(say, store, tmp_path):
    log = store(CLEAN, "wrong")
    with (log.parent / "session.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, out, err = say("--relocate", "--json", "--in-place", tmp_path / "sessions")
    assert status == 2
    assert "is held" in err
    assert "is held" in json.loads(out)["moves"][0]["why_not"]
    assert log.exists()


def test_a_relocation_has_no_result_of_its_own(say):
    assert say("--relocate", "-o", "x", OPEN)[0] == 2


UNKNOWN = FIXTURES / "v0/unknown-ignorable-raw/session.jsonl"
FIX = "drop-record=demo/note"


def test_the_fixes_are_listed(say):
    status, out, _ = say("--fix", "list")
    assert status == 0
    assert "\nmark-ignorable=TYPE\n" in out
    assert "\ndrop-record[=TYPE]\n" in out
    entries = {entry.split("\n")[0]: entry for entry in re.split(r"\n(?! )", out)}
    for name, needed in {"recite": False, "close-open": True, "open-lost": True, "start-call": True}.items():
        assert ("needs --allow-loss" in " ".join(entries[name].split())) == needed
    told = json.loads(say("--fix", "list", "--json")[1])
    assert {fix["name"] for fix in told["known"]} >= {"recite", "map-source", "drop-member"}
    assert all(fix.keys() == {"name", "value", "needs_value", "what", "loss", "proof"} for fix in told["known"])


@pytest.mark.parametrize("words", [["--fix", "nonsense", UNKNOWN], ["--fix", "mark-ignorable", UNKNOWN], []])
def test_what_is_no_fix_or_no_log_is_a_wrong_use(say, words):
    status, _, err = say(*words)
    assert status == 2
    assert "--fix" in err


def test_a_fix_is_written_when_it_is_named_and_its_loss_agreed_to(say, tmp_path):
    out = tmp_path / "session.jsonl"
    told = json.loads(say("--json", UNKNOWN)[1])
    assert told["advice"] == {"fixes": [FIX], "loss": "1 record"}
    status, text, _ = say("--fix", FIX, "-o", out, UNKNOWN)
    assert (status, out.exists()) == (1, False)
    assert "--allow-loss agrees" in text
    status, text, _ = say("--fix", FIX, "--allow-loss", "--json", "-o", out, UNKNOWN)
    told = json.loads(text)
    assert status == 3
    assert (told["fixes"], told["advice"], told["remains"], told["unwritten"]) == ([FIX], None, None, None)
    assert dshlog.validate(out).state == "clean"
    assert main(["migrate", "--check", str(out)]) == 0
    status, text, _ = say(out)
    assert status == 0
    assert text.endswith("  nothing to do: the log is whole and closed\n")

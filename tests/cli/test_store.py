"""Small roots on disk, judged as a person does it; with dsh's own answer beside where it is at hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dshlog.cli.main import main
from rootbuilder import PROJECT, small_log, store

POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX files")
V4 = "session.v4.jsonl.zstd"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Stand above an empty root."""
    monkeypatch.chdir(tmp_path)
    folder = Path("sessions")
    folder.mkdir()
    return folder


@pytest.fixture
def judge(capfdbinary):
    """Validate paths; give the document, and the exit status in it."""

    def go(*words):
        status = main(["validate", "--format", "json", *map(str, words)])
        out, err = capfdbinary.readouterr()
        assert err == b""
        return json.loads(out) | {"status": status}

    return go


@pytest.fixture
def say(capfdbinary):
    """Validate paths; give the lines of text."""

    def go(*words):
        main(["validate", *map(str, words)])
        out, err = capfdbinary.readouterr()
        assert err == b""
        return out.decode().splitlines()

    return go


def codes(document):
    """Give each log's state and codes by its path below the root, and the codes about the root."""
    logs = {
        "/".join(log["path"].split("/")[-3:]): [log["state"], *(found["code"] for found in log["findings"])]
        for log in document["logs"]
    }
    return logs, [(found["code"], found["place"]["file"]) for found in document["store"]]


def test_a_sound_root_is_clean(root, judge):
    store(root, small_log(id="a"))
    store(root, small_log(3, id="b", parentSession="a"))
    document = judge(root)
    assert (document["status"], document["store"]) == (0, [])
    assert document["summary"]["findings"] == {"error": 0, "warning": 0, "note": 0}


@POSIX
@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
def test_bytes_of_names_are_spelled_in_one_way(root, say):
    store(root, small_log(id="a"), segment="bad\udcff")
    (line, *_) = say(root)
    assert line == (
        f"sessions/{PROJECT}/bad\\xff/{V4}:1: error D102 directory-differs-from-id: "
        "the session directory is 'bad\\xff', the id 'a' belongs into 'a'"
    )


@POSIX
def test_what_is_no_file_is_that_first(root, judge):
    store(root, small_log(id="a"))
    (root / PROJECT / "b").mkdir()
    os.mkfifo(root / PROJECT / "b" / "session.v4.jsonl")
    logs, _ = codes(document := judge(root))
    assert logs[f"{PROJECT}/b/session.v4.jsonl"] == ["not-a-log", "F100", "D105"]
    assert [log["readers"]["latest"]["first"] for log in document["logs"]] == [None, "F100"]


def test_one_bad_log_is_named_and_the_others_are_judged(root, judge):
    store(root, small_log(id="a"))
    store(root, small_log(0, id="b"), name="session.v3.jsonl.zstd")
    store(root, small_log(id="c", cwd="/repo/renamed"))
    store(root, small_log(id="d"), segment="d copy")
    logs, about = codes(document := judge(root))
    assert logs == {
        f"{PROJECT}/a/{V4}": ["clean"],
        f"{PROJECT}/b/session.v3.jsonl.zstd": ["refused", "D101"],
        f"{PROJECT}/c/{V4}": ["refused", "D103"],
        f"{PROJECT}/d copy/{V4}": ["refused", "D102"],
    }
    assert about == [("D115", "sessions")]
    assert document["status"] == 1
    assert [place["file"] for place in document["store"][0]["related"]] == [
        f"sessions/{PROJECT}/b/session.v3.jsonl.zstd",
        f"sessions/{PROJECT}/c/{V4}",
        f"sessions/{PROJECT}/d copy/{V4}",
    ]
    assert document["summary"]["findings"] == {"error": 3, "warning": 1, "note": 0}


def test_the_same_session_in_two_projects(root, judge):
    store(root, small_log(id="a"))
    store(root, small_log(id="a", cwd="/x"), project="--x--")
    logs, about = codes(judge(root))
    assert list(logs.values()) == [["refused", "D104"], ["refused", "D104"]]
    assert about == [("D115", "sessions")]


def test_a_copied_project_directory_counts_although_its_name_is_no_key(root, judge):
    store(root, small_log(id="a"))
    store(root, small_log(id="a"), project=f"{PROJECT} copy")
    logs, _ = codes(judge(root))
    assert logs == {
        f"{PROJECT}/a/{V4}": ["refused", "D104"],
        f"{PROJECT} copy/a/{V4}": ["refused", "D103", "D104"],
    }


def test_one_raw_log_among_zstd_logs_is_charged(root, judge):
    for name in "ab":
        store(root, small_log(id=name))
    store(root, small_log(id="c"), zstd=False)
    logs, about = codes(judge(root))
    assert list(logs.values()) == [["clean"], ["clean"], ["refused", "D105"]]
    assert about == [("D115", "sessions")]


def test_both_encodings_in_one_session(root, judge):
    store(root, small_log(id="a"))
    store(root, small_log(3, id="a"), zstd=False)
    logs, _ = codes(judge(root))
    assert logs == {f"{PROJECT}/a/session.v3.jsonl": ["refused", "D105"], f"{PROJECT}/a/{V4}": ["clean"]}


def test_a_flat_file_is_an_error_of_the_root_and_judged_by_content(root, judge, say):
    path = store(root, small_log(id="a"))
    shutil.copy(path, root / PROJECT / "flat.jsonl.zstd")
    document = judge(root)
    logs, about = codes(document)
    assert list(logs.values()) == [["clean"], ["clean"]]
    assert about == [("D106", f"sessions/{PROJECT}/flat.jsonl.zstd"), ("D115", "sessions")]
    assert document["status"] == 1
    lines = say(root)
    assert lines[0] == "store:"
    assert lines[1].startswith(f"  sessions/{PROJECT}/flat.jsonl.zstd: error D106 flat-file: ")
    assert lines[-4:] == [
        "2 logs: 2 clean",
        "1 error, 1 warning; by cause:",
        "  D106 flat-file: 1",
        "  D115 listing-fails: 1",
    ]


def test_no_verdict_says_that_dsh_opens_a_file_that_it_never_looks_at(root, judge, say):
    path = store(root, small_log(id="a"))
    flat = shutil.copy(path, root / PROJECT / "flat.jsonl.zstd")
    (root / PROJECT / "b").mkdir()
    shutil.copy(path, root / PROJECT / "b/session.v04.jsonl.zstd")
    logs = {log["path"].split("/")[-1]: log for log in judge("--all-generations", root)["logs"]}
    for name, code in (("flat.jsonl.zstd", "D106"), ("session.v04.jsonl.zstd", "D116")):
        assert logs[name]["state"] == "clean"
        assert [logs[name]["readers"][which]["opens"] for which in ("native", "latest")] == [False, False]
        assert logs[name]["readers"]["latest"]["first"] == code
    assert logs[V4]["readers"]["latest"]["opens"]
    words = "dsh 0.2.1 does not look for a log of this name here (D106)"
    assert say(flat)[0].endswith(f"; {words}")
    assert any(line.endswith(f"; {words}") for line in say("-v", "--all-generations", root))


def test_an_empty_session_directory_is_nothing_to_tell(root, judge):
    store(root, small_log(id="a"))
    (root / PROJECT / "b").mkdir()
    assert codes(judge(root))[1] == []


def test_a_root_without_any_log(root, capfdbinary):
    (root / "_no-cwd").mkdir()
    (root / "_no-cwd/flat.jsonl").write_bytes(b"")
    assert main(["validate", str(root)]) == 1
    assert b"D106 flat-file" in capfdbinary.readouterr().out


def test_a_branch_that_an_old_dsh_continued(root, judge):
    old = store(root, small_log(0, id="a", turns=3))
    live = store(root, small_log(id="a", turns=1))
    os.utime(live, (1, 1))
    logs, _ = codes(judge(root))
    assert logs == {f"{PROJECT}/a/{V4}": ["clean", "D107"]}
    # With another time of the file it takes both logs to see it, and a usual upgrade trail is no finding.
    os.utime(old, (0, 0))
    assert codes(judge(root))[0] == {f"{PROJECT}/a/{V4}": ["clean"]}
    assert codes(judge("--all-generations", root))[0] == {
        f"{PROJECT}/a/session.jsonl.zstd": ["clean", "D118"],
        f"{PROJECT}/a/{V4}": ["clean", "D107"],
    }
    store(root, small_log(0, id="a", turns=1))
    assert codes(judge(root))[0] == {f"{PROJECT}/a/{V4}": ["clean"]}


@POSIX
def test_an_older_generation_that_cannot_be_read_is_no_branch(root, judge):
    live = store(root, small_log(id="a", turns=1))
    os.utime(live, (1, 1))
    live.with_name("session.jsonl.zstd").write_bytes(b"no log")
    assert codes(judge(root))[0] == {f"{PROJECT}/a/{V4}": ["clean"]}


def test_what_a_crash_and_a_careful_person_leave_behind(root, judge):
    path = store(root, small_log(id="a"))
    path.with_name(f"{V4}.0123456789ab.tmp").write_bytes(b"")
    path.with_name(f"{V4}.orig").write_bytes(b"")
    (root / PROJECT / "b").mkdir()
    (root / PROJECT / "b/session.v4.jsonl.gz").write_bytes(b"")
    document = judge(root)
    assert document["status"] == 0
    assert codes(document)[1] == [
        ("D116", f"sessions/{PROJECT}/b"),
        ("D108", f"sessions/{PROJECT}/a/{V4}.0123456789ab.tmp"),
        ("D109", f"sessions/{PROJECT}/a/{V4}.orig"),
    ]


@POSIX
def test_what_dsh_does_not_see_behind_a_link(root, judge):
    store(Path("elsewhere"), small_log(id="a"))
    store(root, small_log(id="b"), project="--x--")
    (root / PROJECT).symlink_to(Path("../elsewhere") / PROJECT)
    (root / "--x--/a").symlink_to(Path("../../elsewhere") / PROJECT / "a")
    _, about = codes(judge(root))
    assert about == [("D115", "sessions"), ("D110", f"sessions/{PROJECT}"), ("D110", "sessions/--x--/a")]
    logs, about = codes(judge(root / PROJECT))
    assert logs[f"{PROJECT}/a/{V4}"] == ["refused", "D104", "D110"]


@POSIX
def test_links_that_lead_nowhere_are_named(root, judge):
    store(root, small_log(id="a"))
    (root / PROJECT / "gone").symlink_to("nowhere")
    (root / "--gone--").symlink_to("nowhere")
    (root / "notes").symlink_to("nowhere")
    logs, about = codes(judge(root))
    assert logs == {f"{PROJECT}/a/{V4}": ["clean"]}
    assert about == [("D110", "sessions/--gone--"), ("D110", f"sessions/{PROJECT}/gone")]
    assert [found["message"] for found in judge(root)["store"]] == [
        "a symbolic link that leads nowhere: dsh knows no session there"
    ] * 2


@POSIX
def test_a_directory_in_place_of_a_log_makes_the_list_fail_and_a_dead_link_vanishes(root, judge):
    (root / PROJECT / "a" / V4).mkdir(parents=True)
    (root / PROJECT / "b").mkdir()
    (root / PROJECT / "b" / V4).symlink_to("nowhere")
    (root / PROJECT / "c").mkdir()
    (root / PROJECT / "c" / V4).write_bytes(b"")
    document = judge(root)
    assert [(found["code"], len(found["related"])) for found in document["store"]] == [("D115", 1), ("D116", 2)]


def test_a_single_file_is_judged_by_its_place_and_nothing_is_said_about_the_root(root, judge, monkeypatch):
    store(root, small_log(id="a"))
    twin = store(root, small_log(id="a"), project="--x--")
    store(root, small_log(id="b"), segment="c")
    logs, about = codes(judge(twin))
    assert (logs, about) == ({f"--x--/a/{V4}": ["refused", "D103", "D104"]}, [])
    logs, about = codes(judge(twin.parent))
    assert about == [("D115", "sessions")]
    monkeypatch.chdir(twin.parent)
    document = judge(V4)
    assert [found["code"] for found in document["logs"][0]["findings"]] == ["D103", "D104"]
    other = document["logs"][0]["findings"][1]["related"][0]["file"]
    assert Path(other) == Path.cwd().parents[1] / PROJECT / "a" / V4


def test_a_free_file_is_judged_by_its_content_alone(root, judge):
    path = store(root, small_log(0, id="a"), name="session.v3.jsonl.zstd")
    free = shutil.copy(path, "session.v3.jsonl.zstd")
    assert codes(judge(free))[0] == {str(free): ["clean"]}
    Path("deep/er").mkdir(parents=True)
    free = shutil.copy(path, "deep/er/session.v3.jsonl.zstd")
    assert codes(judge("deep"))[0] == {str(free): ["clean"]}


def test_several_roots_below_one_path_are_kept_apart(judge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for home, name in (("one", "a"), ("two", "b")):
        store(Path(home, "sessions"), small_log(id=name))
    store(Path("two/sessions"), small_log(id="c"), zstd=False)
    logs, about = codes(judge("."))
    assert list(logs.values()) == [["clean"], ["clean"], ["refused", "D105"]]
    assert about == [("D115", "./two/sessions")]


def test_ndjson_prints_logs_only_and_says_so(root, capfdbinary):
    store(root, small_log(id="a"))
    (root / PROJECT / "flat.jsonl").write_bytes(b"")
    assert main(["validate", "--format", "ndjson", str(root)]) == 1
    out, err = capfdbinary.readouterr()
    assert len(out.splitlines()) == 2
    assert err.decode() == (
        "dshlog: note: 2 findings about the root itself (D106, D115); --format json or text has them\n"
    )


def test_one_finding_about_the_root_is_one(root, capfdbinary):
    store(root, small_log(id="a"))
    (root / PROJECT / "b").mkdir()
    (root / PROJECT / "b/session.v4.jsonl.gz").write_bytes(b"")
    assert main(["validate", "--format", "ndjson", str(root)]) == 0
    _, err = capfdbinary.readouterr()
    assert err.decode() == "dshlog: note: 1 finding about the root itself (D116); --format json or text has it\n"


def test_many_findings_of_one_code_are_cut_in_text(root, say, judge):
    path = store(root, small_log(id="a"))
    for number in range(25):
        path.with_name(f"{V4}.{number}.bak").write_bytes(b"")
    lines = say(root)
    assert sum("D109" in line and "note" in line for line in lines) == 20
    assert "  and 5 more D109; --format json lists all" in lines
    assert len(judge(root)["store"]) == 25


def test_a_held_lock_and_a_cache_that_knows_more(root, say):
    fcntl = pytest.importorskip("fcntl")
    log = small_log(id="a")
    log.turn()
    path = store(root, log)
    cache = Path("storages/session_projcache/sessions")
    cache.mkdir(parents=True)
    identity = {"formatVersion": 4, "cwd": log.header["cwd"]}
    record = {"identity": identity, "rows": {"title": {"ver": 1, "seq": 8, "val": ""}}}
    (cache / "a.json").write_text(json.dumps({"version": 7, "record": record}))
    (line,) = [line for line in say(root) if "warning D112" in line]
    assert line.startswith(f"sessions/{PROJECT}/a/{V4}: warning D112 cache-knows-more: ")
    assert line.endswith("knows event 8, the log holds 6 events: 3 at the end are gone")
    with path.with_name("session.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines = say(root)
    assert lines[:4] == [
        f"sessions/{PROJECT}/a/{V4}: note T101 open-turn: ends inside turn 2",
        "  hint in progress: a writer is at work",
        "  why dshlog explain T101",
        f"sessions/{PROJECT}/a/{V4}: note D113 lock-held: another process holds session.lock: the log is judged as it was",
    ]


def test_nothing_is_written(root, judge):
    store(root, small_log(id="a"))
    store(root, small_log(3, id="a"))
    (root / PROJECT / "a/session.lock").write_bytes(b"")
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(root.rglob("*"))}
    judge("--all-generations", root)
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(root.rglob("*"))} == before


@pytest.mark.parametrize(
    "case, told",
    [
        ("B044-filename-says-v3-header-says-v0.jsonl", ("session.v3.jsonl", "D101", "rename it to session.jsonl")),
        ("B054-header-cwd-names-another-directory-v4.jsonl", ("session.v4.jsonl", "D103", "--repo-renamed--")),
    ],
)
def test_cases_that_people_met(shared, root, judge, case, told):
    name, code, hint = told
    place = root / "--repo-demo--" / f"session-{case[:4].lower()}" / name
    place.parent.mkdir(parents=True)
    shutil.copy(shared / "cases" / case, place)
    (log,) = judge(root)["logs"]
    assert (log["state"], log["readers"]["latest"]["first"]) == ("refused", code)
    assert hint in log["findings"][0]["hint"]
    # Alone and under another name the content is sound.
    assert judge(shared / "cases" / case)["logs"][0]["state"] == "clean"


# -- beside dsh itself


def wrong_name(root):
    store(root, small_log(3, id="a"), name=V4)


def newer_name(root):
    store(root, small_log(id="a"), name="session.v5.jsonl.zstd")


def wrong_project(root):
    store(root, small_log(id="a"), project="--other--")


def wrong_segment(root):
    store(root, small_log(id="a"), segment="b")


def twins(root):
    store(root, small_log(id="a"))
    store(root, small_log(id="a", cwd="/x"), project="--x--")


def old_twins(root):
    store(root, small_log(3, id="a"))
    store(root, small_log(3, id="a", cwd="/x"), project="--x--")


def sound(root):
    store(root, small_log(id="a"))
    store(root, small_log(id="b", cwd=None), project="_no-cwd")
    store(root, small_log(id="c/d"), segment="c~002Fd")


@pytest.mark.parametrize("lay", [wrong_name, newer_name, wrong_project, wrong_segment, twins, old_twins, sound])
def test_dsh_opens_what_we_say(oracle, shared, root, judge, lay):
    lay(root)
    logs = judge(root)["logs"]
    for log in logs:
        ask = [
            sys.executable,
            str(shared / "oracle/dsh_oracle.py"),
            "ask",
            str(oracle),
            "--root",
            str(root),
            log["path"],
        ]
        answer = json.loads(subprocess.run(ask, check=True, capture_output=True, text=True).stdout)
        assert log["readers"]["latest"]["opens"] is answer["open"]["ok"], log["path"]
        if answer.get("native"):
            assert log["readers"]["native"]["opens"] is answer["native"]["ok"], log["path"]

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from dshlog.files.find import home
from dshlog.files.store import MAX_CACHE, Watch, cached_seq, lock_held, looks_like_root, scan_root
from dshlog.model.report import ReaderVerdict, Report
from dshlog.model.store import SessionEntry
from rootbuilder import CWD, PROJECT, small_log, store

POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX files")
V4, V3, V0 = "session.v4.jsonl.zstd", "session.v3.jsonl.zstd", "session.jsonl.zstd"

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def report_of(path, **facts):
    verdict = ReaderVerdict(build="0.2.1", opens=True)
    values = {"id": "s1", "cwd": CWD, "version": 4, "state": "clean", "findings": ()} | facts
    return Report(path=str(path), native=verdict, latest=verdict, **values)


def watch(path):
    return Watch(str(path), home(str(path)))


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "sessions"
    folder.mkdir()
    return folder


def touch(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


# -- a root


def test_a_root_is_told_by_the_name_of_a_project(root):
    assert not looks_like_root(str(root))
    assert not looks_like_root(str(root / "missing"))
    (root / "_no-cwd").mkdir()
    assert looks_like_root(str(root))


def test_sessions_are_listed_with_their_logs_oldest_first(root):
    touch(root, f"{PROJECT}/s1/{V4}", f"{PROJECT}/s1/{V0}", f"{PROJECT}/s1/session.lock", f"odd/s2/{V3}", "--x--/s3/")
    facts = scan_root(str(root), "shown")
    assert facts.root == "shown"
    assert facts.sessions == (
        SessionEntry(project=PROJECT, segment="s1", names=(V0, V4)),
        SessionEntry(project="odd", segment="s2", names=(V3,)),
    )
    assert dict(facts.encodings) == {"raw": 0, "zstd": 3}
    assert (facts.flat, facts.without_log, facts.temporaries, facts.copies) == ((), (), (), ())


def test_stray_entries_are_told_apart(root):
    touch(
        root,
        "flat-in-the-root.jsonl",
        "--x--/flat.jsonl",
        "odd/flat.jsonl.zstd",
        "--x--/notes.txt",
        f"--x--/s1/{V4}",
        f"--x--/s1/{V4}.bak",
        "--x--/s1/Session.v4.JSONL",
        "--x--/s1/notes.txt",
        f"--x--/s1/{V4}.0123456789ab.tmp",
        "--x--/s2/session.migration.0123456789abcdef.jsonl.zstd.tmp",
        "--x--/s3/session.v4.jsonl.zst",
        "--x--/s4/session.lock",
        "odd/s5/anything",
    )
    facts = scan_root(str(root), "")
    assert facts.flat == ("--x--/flat.jsonl", "odd/flat.jsonl.zstd")
    assert facts.copies == ("--x--/s1/Session.v4.JSONL", f"--x--/s1/{V4}.bak")
    assert facts.temporaries == (
        f"--x--/s1/{V4}.0123456789ab.tmp",
        "--x--/s2/session.migration.0123456789abcdef.jsonl.zstd.tmp",
    )
    assert facts.without_log == ("--x--/s2", "--x--/s3")


@POSIX
def test_links_are_told_and_their_logs_do_not_count(root, tmp_path):
    store(tmp_path / "elsewhere", small_log(id="s1"), zstd=False)
    touch(root, f"--x--/s0/{V4}")
    (root / PROJECT).symlink_to(tmp_path / "elsewhere" / PROJECT)
    (root / "odd").symlink_to(tmp_path / "elsewhere")
    (root / "--x--/s1").symlink_to(tmp_path / "elsewhere" / PROJECT / "s1")
    (root / "--x--/gone").symlink_to("nowhere")
    (root / "--x--/flat.jsonl").symlink_to("/dev/null")
    facts = scan_root(str(root), "")
    assert facts.linked_projects == (PROJECT,)
    assert facts.dead_links == ("--x--/gone",)
    assert facts.sessions[1] == SessionEntry(project="--x--", segment="s1", names=("session.v4.jsonl",), linked=True)
    assert dict(facts.encodings) == {"raw": 0, "zstd": 1}
    assert facts.flat == ()


def test_a_root_that_cannot_be_listed_is_empty(root):
    assert scan_root(str(root / "missing"), "").sessions == ()


# -- a log in its place


def test_a_log_that_nobody_touched(root):
    path = store(root, small_log(id="s1"))
    facts = watch(path).facts(report_of(path))
    assert (facts.project, facts.segment, facts.name, facts.siblings) == (PROJECT, "s1", V4, (V4,))
    assert (facts.entry, facts.held, facts.grown, facts.cached) == ("log", False, None, None)
    assert not facts.resolves
    assert not facts.project_linked


def test_growth_between_two_looks(root):
    path = store(root, small_log(id="s1"))
    seen = watch(path)
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"more")
    facts = seen.facts(report_of(path))
    assert (facts.size, facts.grown) == (size, size + 4)


def test_a_log_that_is_replaced_by_one_of_the_same_size(root):
    path = store(root, small_log(id="s1"))
    seen = watch(path)
    os.utime(path, ns=(1, 1))
    facts = seen.facts(report_of(path))
    assert facts.grown == facts.size


def test_a_log_that_goes_away(root):
    path = store(root, small_log(id="s1"))
    seen = watch(path)
    path.unlink()
    assert seen.facts(report_of(path)).grown is None


@POSIX
def test_what_stands_in_the_place_of_a_log(root):
    for segment in ("a", "b", "c", "d"):
        (root / PROJECT / segment).mkdir(parents=True)
    (root / PROJECT / "a" / V4).mkdir()
    (root / PROJECT / "b" / V4).symlink_to("nowhere")
    os.mkfifo(root / PROJECT / "c" / V4)
    kinds = [watch(root / PROJECT / name / V4)._entry() for name in "abcd"]
    assert kinds == ["directory", "broken-link", "unreadable", "unreadable"]


@POSIX
def test_a_header_may_lead_to_the_file_by_another_name(root):
    path = store(root, small_log(id="s1"), segment="real")
    assert not watch(path).facts(report_of(path)).resolves
    (root / PROJECT / "s1").symlink_to("real")
    assert watch(path).facts(report_of(path)).resolves
    for odd in ({"id": ""}, {"id": None}, {"cwd": ""}, {"id": "\0"}, {"cwd": "/elsewhere"}):
        assert not watch(path).facts(report_of(path, **odd)).resolves


@POSIX
def test_a_linked_project_directory_is_told(root, tmp_path):
    path = store(tmp_path / "elsewhere", small_log(id="s1"))
    (root / PROJECT).symlink_to(path.parent.parent)
    assert watch(root / PROJECT / "s1" / V4).facts(report_of(path)).project_linked


def test_older_generations_count_when_they_were_written_to_later(root):
    old, middle, live = (store(root, small_log(version, id="s1")) for version in (0, 3, 4))
    raw = store(root, small_log(0, id="s1"), zstd=False)
    for time, path in enumerate((middle, live, old, raw), 1):
        os.utime(path, (time, time))
    assert watch(live).older() == (str(old),)
    assert watch(live).older(every=True) == (str(old), str(middle))
    assert watch(old).older(every=True) == ()
    assert watch(raw).older(every=True) == ()


def test_an_older_generation_that_is_no_file_is_left_out(root):
    live = store(root, small_log(id="s1"))
    live.with_name(V0).mkdir()
    assert watch(live).older(every=True) == ()
    gone = watch(live.with_name(V3))
    assert gone.older(every=True) == ()


# -- the lock


@pytest.fixture
def held(root):
    """Let another process hold a lock; give the directory."""
    pytest.importorskip("fcntl")
    lock = root / "session.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        holder.stdout.readline()
        yield root
        holder.stdin.close()


def test_a_lock_of_another_process_is_seen_and_left_alone(held):
    before = (held / "session.lock").stat()
    assert lock_held(str(held)) is True
    assert lock_held(str(held)) is True
    after = (held / "session.lock").stat()
    assert (after.st_mtime_ns, after.st_size, after.st_ino) == (before.st_mtime_ns, before.st_size, before.st_ino)


def test_a_free_lock_is_given_back_and_none_is_made(root):
    fcntl = pytest.importorskip("fcntl")
    assert lock_held(str(root)) is False
    assert list(root.iterdir()) == []
    (root / "session.lock").write_bytes(b"")
    assert lock_held(str(root)) is False
    with (root / "session.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_two_readers_do_not_see_each_other(root):
    fcntl = pytest.importorskip("fcntl")
    with (root / "session.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        assert lock_held(str(root)) is False


@POSIX
def test_a_lock_that_is_no_file_is_not_asked(root):
    os.mkfifo(root / "session.lock")
    assert lock_held(str(root)) is None
    (root / "session.lock").unlink()
    (root / "session.lock").symlink_to("session.lock")
    assert lock_held(str(root)) is None


def test_a_file_system_without_locks(root, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    (root / "session.lock").write_bytes(b"")

    def refuse(*_):
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert lock_held(str(root)) is None


def test_a_platform_without_flock(root, monkeypatch):
    (root / "session.lock").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert lock_held(str(root)) is None


# -- the projection cache


@pytest.fixture
def cache(root):
    """Write the cache of session s1."""
    folder = root.parent / "storages/session_projcache/sessions"
    folder.mkdir(parents=True)

    def write(value, name="s1"):
        text = value if isinstance(value, bytes) else json.dumps(value).encode()
        (folder / f"{name}.json").write_bytes(text)
        return str(root)

    return write


def known(*seqs, **identity):
    rows = {f"row-{number}": {"ver": 1, "seq": seq, "val": {}} for number, seq in enumerate(seqs)}
    return {"version": 7, "record": {"identity": {"formatVersion": 4, "cwd": CWD} | identity, "rows": rows}}


def test_the_cache_knows_the_last_event_of_its_rows(cache):
    assert cached_seq(cache(known(3, 25, 7)), report_of("x")) == 25


@pytest.mark.parametrize(
    "value",
    [
        known(),
        known(None, "3", -1, 1.5),
        known(9, formatVersion=3),
        known(9, cwd="/elsewhere"),
        {"record": {"rows": []}},
        {"record": None},
        [],
        b"{",
        b"",
        b" " * (MAX_CACHE + 1),
    ],
)
def test_a_cache_of_another_session_or_form_is_not_believed(cache, value):
    assert cached_seq(cache(value), report_of("x")) is None


def test_a_row_of_another_form_is_passed_over(cache):
    value = known(9)
    value["record"]["rows"]["odd"] = []
    assert cached_seq(cache(value), report_of("x")) == 9


def test_there_is_no_cache_for_most_logs(cache, tmp_path):
    root = cache(known(9))
    assert cached_seq(root, report_of("x", id="s2")) is None
    assert cached_seq(root, report_of("x", id=None)) is None
    assert cached_seq(root, report_of("x", id="../s1")) is None
    assert cached_seq(str(tmp_path / "other"), report_of("x")) is None


@POSIX
def test_a_cache_that_is_no_file(cache, root):
    folder = root.parent / "storages/session_projcache/sessions"
    (folder / "s1.json").mkdir()
    (folder / "s2.json").symlink_to("s2.json")
    assert cached_seq(str(root), report_of("x")) is None
    assert cached_seq(str(root), report_of("x", id="s2")) is None

"""`migrate --in-store` publishes a generation as dsh does: whole or not at all, beside a log that stays as it is."""

from __future__ import annotations

import errno
import json
import os
import stat

import pytest

from dshlog.cli.main import main
from dshlog.files.lock import session_lock
from rootbuilder import small_log, store

FUNCTIONS = ("open", "fsync", "link", "unlink", "close")


@pytest.fixture
def log(tmp_path):
    return store(tmp_path / "sessions", small_log(0, id="s1"))


@pytest.fixture
def text(say, log, tmp_path):
    """Give what is to be published."""
    out = tmp_path / "wanted.jsonl.zstd"
    say("migrate", log, "-o", out)
    return out.read_bytes()


def names(log):
    return sorted(path.name for path in log.parent.iterdir())


def test_the_successor_stands_beside_the_log(say, log, text):
    before = log.read_bytes()
    status, out, err = say("migrate", "--in-store", log.parent)
    successor = log.parent / "session.v4.jsonl.zstd"
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == f"written: {successor}"
    assert names(log) == ["session.jsonl.zstd", "session.lock", "session.v4.jsonl.zstd"]
    assert (successor.read_bytes(), log.read_bytes()) == (text, before)
    assert stat.S_IMODE(successor.stat().st_mode) == 0o600
    assert (log.parent / "session.lock").read_bytes() == b""
    assert say("diff", log.parent)[0] == 0
    status, out, _ = say("migrate", "--in-store", log.parent)
    assert (status, out) == (0, f"{successor}: v4 already, nothing to upgrade\n")


def test_a_plan_writes_nothing(say, log):
    status, out, _ = say("migrate", "--in-store", "--check", log)
    assert (status, out) == (0, f"{log}: v0 becomes v4, 6 events\n")
    assert names(log) == [log.name]


def test_json_says_what_was_written(say, log):
    assert json.loads(say("migrate", "--check", "--json", log)[1])["written"] is None
    told = json.loads(say("migrate", "--in-store", "--json", log)[1])
    assert told["written"] == str(log.parent / "session.v4.jsonl.zstd")


def test_a_raw_store_stays_raw(say, tmp_path):
    log = store(tmp_path, small_log(3, id="s1"), zstd=False)
    assert say("migrate", "--in-store", log)[0] == 0
    assert names(log) == ["session.lock", "session.v3.jsonl", "session.v4.jsonl"]


@pytest.mark.parametrize("other", ["session.v4.jsonl.zstd", "session.v4.jsonl", "session.v5.jsonl.zstd"])
def test_nothing_is_published_beside_a_newer_generation(say, log, other):
    (log.parent / other).write_bytes(b"x")
    for more in ((), ("--check",)):
        status, _, err = say("migrate", "--in-store", log, *more)
        assert (status, "newer generation" in err) == (2, True)
    assert names(log) == [log.name, other]


def test_nothing_is_published_while_dsh_has_the_session(say, log):
    with session_lock(str(log.parent)):
        for more in ((), ("--check",)):
            status, _, err = say("migrate", "--in-store", log, *more)
            assert (status, "is held" in err) == (2, True)
    assert names(log) == [log.name, "session.lock"]


def test_what_dsh_would_not_upgrade_gets_no_successor(say, tmp_path):
    bad = small_log(0, id="s1")
    bad.event("demo/note", {})
    log = store(tmp_path, bad)
    status, out, err = say("migrate", "--in-store", log)
    assert (status, "E109" in out, "nothing was written" in err) == (1, True, True)
    assert names(log) == [log.name, "session.lock"]


def test_a_log_that_dsh_does_not_find_there_gets_none(say, tmp_path):
    free = tmp_path / "free.jsonl.zstd"
    log = store(tmp_path / "s", small_log(0, id="s1"), segment="other")
    free.write_bytes(log.read_bytes())
    for path, words in ((free, "does not lie at the place"), (log, "dsh does not open")):
        status, _, err = say("migrate", "--in-store", path)
        assert (status, words in err) == (2, True), err
    assert names(log) == [log.name]


def test_nothing_is_published_through_a_link(say, log):
    root = log.parents[2]
    linked = root / log.parent.parent.name / "linked"
    linked.symlink_to(log.parent)
    moved = root.parent / "kept.jsonl.zstd"
    status, _, err = say("migrate", "--in-store", linked / log.name)
    assert (status, "symbolic link" in err) == (2, True)
    log.rename(moved)
    log.symlink_to(moved)
    status, _, err = say("migrate", "--in-store", log)
    assert (status, "symbolic link" in err) == (2, True)
    assert names(log) == [log.name]


@pytest.mark.parametrize("words", [["-"], ["LOG", "--to", "3"], ["LOG", "-o", "x"], ["LOG", "--children", "none"]])
def test_usage(say, log, words):
    assert say("migrate", "--in-store", *(log if word == "LOG" else word for word in words))[0] == 2
    assert names(log) == [log.name]


# -- something happens meanwhile


def meanwhile(monkeypatch, happening):
    """Let something happen when the result has been written and was not published yet."""
    from dshlog.cli import instore

    judge = instore._judge

    def judged(*words):
        judge(*words)
        happening()

    monkeypatch.setattr(instore, "_judge", judged)


def test_a_log_that_grows_meanwhile_gets_no_successor(say, log, monkeypatch):
    def grow():
        with log.open("ab") as file:
            file.write(b"more")

    meanwhile(monkeypatch, grow)
    status, _, err = say("migrate", "--in-store", log)
    assert (status, "grew by 4 bytes meanwhile" in err) == (2, True)
    assert names(log) == [log.name, "session.lock"]


def test_a_successor_that_comes_meanwhile_stays(say, log, monkeypatch):
    other = log.parent / "session.v4.jsonl.zstd"
    meanwhile(monkeypatch, lambda: other.write_bytes(b"x"))
    assert say("migrate", "--in-store", log)[0] == 2
    assert other.read_bytes() == b"x"
    assert names(log) == [log.name, "session.lock", other.name]


def test_a_child_that_changes_meanwhile_stops_its_parent(say, log, monkeypatch):
    child = small_log(0, id="c1", origin="subagent", parentSession="s1")
    path = store(log.parents[2], child)
    meanwhile(monkeypatch, lambda: path.write_bytes(path.read_bytes() + b"x"))
    status, _, err = say("migrate", "--in-store", log)
    assert (status, f"{path} grew" in err) == (2, True)
    assert names(log) == [log.name, "session.lock"]


def test_a_child_that_comes_meanwhile_stops_its_parent(say, log, monkeypatch):
    child = small_log(0, id="c1", origin="subagent", parentSession="s1")
    path = store(log.parents[2], child)
    data = path.read_bytes()
    from dshlog.cli import instore

    children = instore._children

    def gone(*words):
        found = children(*words)
        path.unlink()
        return found

    monkeypatch.setattr(instore, "_children", gone)
    meanwhile(monkeypatch, lambda: path.write_bytes(data))
    status, _, err = say("migrate", "--in-store", log)
    assert (status, "has come meanwhile" in err) == (2, True)
    assert names(log) == [log.name, "session.lock"]


def test_what_does_not_read_as_it_should_is_not_published(say, log, monkeypatch):
    from dataclasses import replace

    import dshlog.report.examine as module

    examine = module.examine
    monkeypatch.setattr(module, "examine", lambda *words, **named: replace(examine(*words, **named), events=1))
    status, _, err = say("migrate", "--in-store", log)
    assert (status, "nothing was published" in err) == (2, True)
    assert names(log) == [log.name, "session.lock"]


# -- the disk fails, or the process ends


def counted(monkeypatch, at, happening):
    """Let something happen in place of the call number `at` of what brings the successor to the disk."""
    seen = [0]

    def wrapped(function):
        def call(*words, **named):
            if words and str(words[0]).endswith("session.lock"):
                return function(*words, **named)
            seen[0] += 1
            if seen[0] == at:
                happening()
            return function(*words, **named)

        return call

    for name in FUNCTIONS:
        monkeypatch.setattr(os, name, wrapped(getattr(os, name)))
    return seen


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_wherever_the_disk_fails_the_log_stays_and_the_successor_is_whole(say, tmp_path, number):
    def fail():
        raise OSError(number, os.strerror(number))

    wanted = None
    for at in range(1, 100):
        log = store(tmp_path / str(at), small_log(0, id="s1"))
        before = log.read_bytes()
        with pytest.MonkeyPatch.context() as patch:
            seen = counted(patch, at, fail)
            status = main(["migrate", "--in-store", str(log)])
        successor = log.parent / "session.v4.jsonl.zstd"
        assert log.read_bytes() == before
        if seen[0] < at:
            assert status == 0
            break
        if successor.exists():
            wanted = wanted or successor.read_bytes()
            assert successor.read_bytes() == wanted
        else:
            assert status == 2
            assert say("migrate", "--in-store", log)[0] == 0
    assert at > 5


def test_a_full_disk_is_told_and_leaves_nothing(say, log, monkeypatch):
    from dshlog.files.create import Temporary
    from dshlog.files.unreadable import Unreadable

    def full(self, _):
        raise Unreadable(f"cannot write {self.path}: no space left on device")

    monkeypatch.setattr(Temporary, "write", full)
    assert say("migrate", "--in-store", log)[0] == 2
    assert names(log) == [log.name, "session.lock"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_wherever_the_process_is_killed_there_is_the_old_log_or_a_whole_successor(say, tmp_path):
    wanted = None
    left = 0
    for at in range(1, 100):
        log = store(tmp_path / str(at), small_log(0, id="s1"))
        before = log.read_bytes()
        child = os.fork()
        if not child:
            with pytest.MonkeyPatch.context() as patch:
                seen = counted(patch, at, lambda: os._exit(9))
                main(["migrate", "--in-store", str(log)])
            os._exit(0 if seen[0] < at else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        successor = log.parent / "session.v4.jsonl.zstd"
        assert log.read_bytes() == before
        if code == 0:
            wanted = successor.read_bytes()
            break
        assert code == 9
        rest = [name for name in names(log) if name.endswith(".tmp")]
        if rest:
            left += 1
            assert all(name.startswith("session.migration.") for name in rest)
            assert rest[0] in say("validate", tmp_path / str(at))[1]
        if successor.exists():
            assert say("migrate", "--in-store", successor.parent)[0] == 0
        else:
            assert say("migrate", "--in-store", log)[0] == 0
    assert left
    assert {path.read_bytes() for path in tmp_path.glob("*/*/*/session.v4.jsonl.zstd")} == {wanted}


def test_no_hard_links_no_successor(say, log, monkeypatch):
    monkeypatch.delattr(os, "link")
    status, _, err = say("migrate", "--in-store", log)
    assert (status, "no hard links" in err) == (2, True)
    assert names(log) == [log.name, "session.lock"]


# -- a root


def test_a_root_session_by_session(say, tmp_path):
    good, new = store(tmp_path, small_log(0, id="good")), store(tmp_path, small_log(4, id="new"))
    bad = small_log(3, id="bad")
    bad.event("demo/note", {})
    refused = store(tmp_path, bad)
    held = store(tmp_path, small_log(3, id="held"))
    with session_lock(str(held.parent)):
        status, out, err = say("migrate", "--in-store", tmp_path)
    assert status == 2
    assert "is held" in err
    assert out.splitlines()[:3] == [
        f"{refused}: refused, 3->4, E109 unknown-type: demo/note is no event type of v3, and the event is not ignorable",
        f"{good}: v0 becomes v4, 6 events, written: {good.parent / 'session.v4.jsonl.zstd'}",
        "4 logs: 1 upgrade, 1 refused, 1 current, 1 could not be done",
    ]
    assert say("migrate", "--in-store", tmp_path)[0] == 1
    assert (held.parent / "session.v4.jsonl.zstd").exists()
    assert names(new) == [new.name]
    assert say("validate", tmp_path)[0] == 1
    document = json.loads(say("migrate", "--in-store", "--json", tmp_path)[1])
    assert document["totals"]["current"] == 3


def test_a_log_that_spoils_the_list_is_named_once(say, tmp_path):
    store(tmp_path, small_log(3, id="good"))
    strange = store(tmp_path, small_log(3, id="strange"), segment="elsewhere")
    status, out, _ = say("migrate", "--in-store", tmp_path)
    assert status == 2
    assert out.count(f"see {strange}") == 1
    assert out.splitlines()[-1] == "2 logs: 1 upgrade, 0 refused, 0 current, 1 could not be done"

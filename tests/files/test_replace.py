"""A log takes the place of another, and the old one is kept."""

from __future__ import annotations

import os
import stat

import pytest

from dshlog.files.lock import session_lock
from dshlog.files.read import FileSource
from dshlog.files.replace import Replacement, backup_path, look_at, lost_path, refuse_inside_root
from dshlog.files.unreadable import Unreadable


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "sessions/--p--/s1/session.v4.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"old\n")
    path.chmod(0o640)
    return path


def replaced(log, backup, between=lambda: None):
    with Replacement(str(log), look_at(str(log))) as new, FileSource(str(log)) as source:
        new.write(b"new\n")
        new.seal()
        between()
        new.publish(source, str(backup))


def test_the_new_log_has_the_place_and_the_old_one_is_kept(log, tmp_path):
    os.utime(log, ns=(5, 7))
    backup = tmp_path / "kept/deep/old.bak"
    replaced(log, backup)
    assert log.read_bytes() == b"new\n"
    assert backup.read_bytes() == b"old\n"
    assert stat.S_IMODE(log.stat().st_mode) == 0o640
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert backup.stat().st_mtime_ns == 7
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_a_log_that_grows_meanwhile_stays(log, tmp_path):
    def grow():
        with log.open("ab") as file:
            file.write(b"more\n")

    with pytest.raises(Unreadable, match="grew by 5 bytes meanwhile"):
        replaced(log, tmp_path / "old.bak", grow)
    assert log.read_bytes() == b"old\nmore\n"
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_a_log_that_another_took_the_place_of_stays(log, tmp_path):
    def swap():
        other = log.with_name("other")
        other.write_bytes(b"oth\n")
        other.replace(log)

    with pytest.raises(Unreadable, match="changed meanwhile"):
        replaced(log, tmp_path / "old.bak", swap)
    assert log.read_bytes() == b"oth\n"


def test_what_was_written_to_before_is_not_begun(log):
    seen = look_at(str(log))
    log.write_bytes(b"other\n")
    with pytest.raises(Unreadable, match="something writes to it"):
        Replacement(str(log), seen)
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_a_backup_is_never_overwritten(log, tmp_path):
    backup = tmp_path / "old.bak"
    backup.write_bytes(b"older\n")
    with pytest.raises(Unreadable, match="it is there already"):
        replaced(log, backup)
    assert (log.read_bytes(), backup.read_bytes()) == (b"old\n", b"older\n")


def test_nothing_is_written_through_a_link(log, tmp_path):
    link = tmp_path / "link.jsonl"
    link.symlink_to(log)
    with pytest.raises(Unreadable, match="symbolic link"):
        look_at(str(link))
    with pytest.raises(Unreadable, match="directory"):
        look_at(str(tmp_path))
    with pytest.raises(Unreadable, match="no such file"):
        look_at(str(tmp_path / "none"))


def test_backups_lie_beside_the_root_and_say_where_from(log, tmp_path):
    path = backup_path(str(log))
    assert path.startswith(f"{tmp_path}/dshlog-backups/--p--/s1/session.v4.jsonl.")
    assert backup_path(str(log), "there").startswith("there/--p--/s1/")
    assert backup_path(str(tmp_path / "free.jsonl")).startswith(f"{tmp_path}/free.jsonl.")
    assert lost_path(str(log), str(tmp_path / "lost")).startswith(f"{tmp_path}/lost/s1.session.v4.jsonl.")


def test_a_backup_inside_the_root_is_refused(log, tmp_path):
    with pytest.raises(Unreadable, match="inside the sessions root"):
        refuse_inside_root(str(log), str(tmp_path / "sessions/kept"))
    refuse_inside_root(str(log), str(tmp_path / "kept"))
    refuse_inside_root(str(tmp_path / "free.jsonl"), str(tmp_path))


def test_the_lock_excludes_and_stays_empty(log):
    directory = str(log.parent)
    with session_lock(directory), pytest.raises(Unreadable, match="is held"), session_lock(directory):
        pass
    with session_lock(directory):
        pass
    assert (log.parent / "session.lock").read_bytes() == b""


def test_a_lock_that_is_a_link_or_cannot_be_made_is_told(log, tmp_path):
    (log.parent / "session.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unreadable, match="cannot take"), session_lock(str(log.parent)):
        pass
    assert not (tmp_path / "elsewhere").exists()
    with pytest.raises(Unreadable, match="cannot take"), session_lock(str(tmp_path / "none")):
        pass


def test_a_lock_file_that_is_replaced_again_and_again_is_given_up(log, monkeypatch):
    monkeypatch.setattr("dshlog.files.lock._same", lambda *_: False)
    with pytest.raises(Unreadable, match="replaced again and again"), session_lock(str(log.parent)):
        pass

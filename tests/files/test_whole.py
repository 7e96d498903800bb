from __future__ import annotations

import os

import pytest

from dshlog.files import whole
from dshlog.files.unreadable import Unreadable
from dshlog.files.whole import read_whole, write_whole


def test_what_is_written_is_read(tmp_path):
    path = str(tmp_path / "a")
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert read_whole(path) == b"two"
    assert os.listdir(tmp_path) == ["a"]  # noqa: PTH208 - names alone


def test_a_link_stays_a_link_and_a_mode_a_mode(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(str(link), b"new")
    assert link.is_symlink()
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", 0o640)


def test_a_device_is_written_to_and_not_replaced():
    write_whole("/dev/null", b"x")
    assert not os.path.isfile("/dev/null")  # noqa: PTH113 - a device


def test_nothing_is_left_behind_by_a_write_that_fails(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(Unreadable, match="no space left"):
        write_whole(str(tmp_path / "a"), b"x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["none", "none/a", "."])
def test_what_cannot_be_read_or_written_is_told(tmp_path, name):
    path = str(tmp_path / name)
    with pytest.raises(Unreadable, match="cannot read"):
        read_whole(path)
    if name != "none":
        with pytest.raises(Unreadable, match="cannot write"):
            write_whole(path, b"")


def test_a_log_is_not_taken_for_a_small_file(tmp_path, monkeypatch):
    monkeypatch.setattr(whole, "LIMIT", 3)
    path = tmp_path / "a"
    path.write_bytes(b"1234")
    with pytest.raises(Unreadable, match="more than"):
        read_whole(str(path))

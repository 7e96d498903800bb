"""A new file appears whole or not at all, and never in the place of another."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dshlog.files.create import NewFile
from dshlog.files.unreadable import Unreadable


def test_nothing_has_the_name_before_it_is_published(tmp_path):
    path = tmp_path / "out"
    with NewFile(str(path)) as new:
        new.write(b"ab")
        new.restart()
        new.write(b"c")
        new.seal()
        assert not path.exists()
        assert Path(new.temporary).read_bytes() == b"c"
        new.publish()
    assert path.read_bytes() == b"c"
    assert list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def failing(path):
    with NewFile(path) as new:
        new.write(b"ab")
        raise ValueError("no")


def test_nothing_is_left_of_what_failed(tmp_path):
    with pytest.raises(ValueError, match="no"):
        failing(str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "directory", "dangling link"])
def test_what_is_there_is_never_overwritten(tmp_path, kind):
    path = tmp_path / "out"
    if kind == "file":
        path.write_bytes(b"old")
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(Unreadable, match="it is there already"):
        NewFile(str(path))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("links", [True, False])
def test_what_comes_in_between_is_not_overwritten(tmp_path, links, monkeypatch):
    if not links:
        monkeypatch.setattr(os, "link", without_links)
    path = tmp_path / "out"
    with NewFile(str(path)) as new:
        new.write(b"mine")
        new.seal()
        path.write_bytes(b"other")
        with pytest.raises(Unreadable, match="it is there already"):
            new.publish()
    assert path.read_bytes() == b"other"
    assert list(tmp_path.iterdir()) == [path]


def without_links(*_):
    raise OSError(1, "Operation not permitted")


def test_a_file_system_without_links_will_do(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", without_links)
    path = tmp_path / "out"
    with NewFile(str(path)) as new:
        new.write(b"mine")
        new.seal()
        new.publish()
    assert path.read_bytes() == b"mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["none/out", "a\0b"])
def test_a_place_that_takes_no_file_is_named(tmp_path, name):
    with pytest.raises((Unreadable, ValueError)):
        NewFile(str(tmp_path / name))


def test_a_relative_name_and_a_long_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "n" * 255
    with NewFile(name) as new:
        new.seal()
        new.publish()
    assert (tmp_path / name).read_bytes() == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110
def test_a_full_disk_is_told(tmp_path):
    with NewFile(str(tmp_path / "out")) as new:
        new._file.close()
        new._file = open("/dev/full", "wb")  # noqa: PTH123, SIM115 - closed by the block
        new.write(b"a")
        with pytest.raises(Unreadable, match="no space left"):
            new.seal()
        with pytest.raises(Unreadable, match="no space left"):
            new.restart()
        with pytest.raises(Unreadable, match="no space left"):
            new.write(b"a" * (2 << 20))
        with pytest.raises(Unreadable):
            new.publish()
    assert list(tmp_path.iterdir()) == []

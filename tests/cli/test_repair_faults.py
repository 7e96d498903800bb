"""Whatever fails while a repair is written, and whenever the machine stops, no record is in neither file."""

from __future__ import annotations

import errno
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import build
import dshlog
from dshlog.cli.main import main

FIXTURES = Path(build.__file__).parent
OPEN = FIXTURES / "v4/open/session.v4.jsonl.zstd"
LOSSY = FIXTURES / "v4/replace-start-shadowed/session.v4.jsonl.zstd"
RAW = FIXTURES / "v4/clean-raw/session.v4.jsonl"
CHANGING = ("open", "fsync", "link", "replace", "unlink", "fchmod", "fchown", "mkdir", "utime", "close")
STOP = "the machine stops"


class StoppedError(BaseException):
    """Nothing that comes later has an effect."""


class Disk:
    """Counts the calls that change something on the disk, and lets one of them fail."""

    def __init__(self, monkeypatch, at=0, how=None):
        self.at, self.how, self.calls, self.on = at, how, [], True
        for name in CHANGING:
            monkeypatch.setattr(os, name, self.watched(name, getattr(os, name)))
        monkeypatch.setattr(os, "fdopen", self.fdopen)

    def watched(self, name, real):
        def call(*words, **options):
            if name == "open" and len(words) > 1 and not words[1] & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
                return real(*words, **options)
            if name == "close" and self.stopped:
                real(*words, **options)  # a descriptor is no part of the disk
            self.meet(name)
            return real(*words, **options)

        return call

    @property
    def stopped(self):
        return self.how == STOP and 0 < self.at <= len(self.calls)

    def meet(self, name):
        if not self.on:
            return
        self.calls.append(name)
        if self.stopped:
            raise StoppedError
        if len(self.calls) == self.at:
            raise OSError(self.how, os.strerror(self.how))

    def fdopen(self, handle, mode, buffering=-1):
        if mode != "wb":
            return io.open(handle, mode, buffering)  # noqa: UP020 - as os.fdopen does
        return io.BufferedWriter(Written(self, handle), buffering)


class Written(io.FileIO):
    """A file of which half is written when a call fails."""

    def __init__(self, disk, handle):
        super().__init__(handle, "wb")
        self._disk = disk

    def write(self, data):
        try:
            self._disk.meet("write")
        except OSError:
            super().write(memoryview(data)[: len(data) // 2])
            raise
        return super().write(data)


class Scene:
    """A repair: the log, the words of the command, the files that it makes and what they hold in the end."""

    def __init__(self, top, name):
        self.top, self.name = top, name
        source = {"lost": LOSSY, "split": RAW}.get(name, OPEN)
        self.log = top / "sessions/--home-u-demo--/demo" / source.name
        self.log.parent.mkdir(parents=True)
        shutil.copyfile(source, self.log)
        if name == "split":
            self.log.write_bytes(two_writers(source))
        self.before = self.log.read_bytes()
        self.words = {
            "in place": ["--in-place"],
            "new file": ["-o", top / source.name],
            "split": ["--split", top / "both"],
            "lost": ["--in-place", "--allow-loss", "--lost-found", top / "lost"],
            "receipt": ["--in-place", "--receipt", top / "receipt.json"],
        }[name]

    def run(self):
        return main(["repair", *map(str, self.words), str(self.log)])

    def made(self):
        """Give the files that a repair makes, but for temporary ones."""
        files = [path for path in self.top.rglob("*") if path.is_file() and path.suffix != ".tmp"]
        return [path for path in files if path != self.log and path.name != "session.lock"]

    def check(self):
        """Check what holds at any moment."""
        now = self.log.read_bytes()
        assert now == self.before or (self.words[0] == "--in-place" and dshlog.validate(self.log).state == "clean")
        made = {path: path.read_bytes() for path in self.made()}
        if now != self.before:
            assert [path for path, data in made.items() if path.suffix == ".bak" and data == self.before]
            if self.name == "lost":
                assert [path for path in made if path.name.endswith(".lost.ndjson")]
        for path in made:
            if path.suffix in {".zstd", ".jsonl"}:
                assert dshlog.validate(path).state == "clean"

    def temporary(self):
        return list(self.top.rglob("*.tmp"))


def two_writers(path):
    lines = path.read_bytes().splitlines(keepends=True)
    cut = next(index for index, line in enumerate(lines) if b'"system/message"' in line)
    other = [line.replace(b'"time":17', b'"time":18') for line in lines[cut:]]
    return b"".join([*lines, *other])


SCENES = ("in place", "new file", "split", "lost", "receipt")
LEAST = {"write", "fsync", "link", "unlink", "open"}


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """The calls of each scene when nothing fails."""
    seen = {}
    for name in SCENES:
        with pytest.MonkeyPatch.context() as patch:
            scene = Scene(tmp_path_factory.mktemp("calls"), name)
            disk = Disk(patch)
            assert scene.run() == (3 if name == "lost" else 0)
        scene.check()
        assert scene.temporary() == []
        seen[name] = disk.calls
    return seen


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("how", [errno.ENOSPC, errno.EIO, STOP], ids=["ENOSPC", "EIO", "stop"])
def test_at_every_call_the_old_log_or_the_new_one_is_there(tmp_path, calls, name, how, capfdbinary):
    assert set(calls[name]) >= LEAST | ({"replace", "fchmod"} if name in {"in place", "lost", "receipt"} else set())
    for at, call in enumerate(calls[name], 1):
        scene = Scene(tmp_path / str(at), name)
        with pytest.MonkeyPatch.context() as patch:
            disk = Disk(patch, at, how)
            if how == STOP:
                with pytest.raises(StoppedError):
                    scene.run()
            else:
                status = scene.run()
            disk.on = False
        assert disk.calls[at - 1] == call
        scene.check()
        if how != STOP:
            told = capfdbinary.readouterr().err
            assert (status, b"dshlog: error: " in told) in {(2, True), (0, False), (3, False)}, (at, call)
            assert len(scene.temporary()) <= (call == "unlink"), (at, call)
        for left in scene.temporary():
            if left.parent == scene.log.parent:
                main(["validate", str(scene.top / "sessions")])
                assert left.name.encode() in capfdbinary.readouterr().out


@pytest.mark.parametrize("how", [errno.ENOSPC, errno.EIO])
def test_of_a_split_both_are_there_or_neither(tmp_path, calls, how):
    for at in range(1, len(calls["split"]) + 1):
        scene = Scene(tmp_path / str(at), "split")
        with pytest.MonkeyPatch.context() as patch:
            Disk(patch, at, how)
            scene.run()
        assert len(scene.made()) in {0, 2}


KILLED = """
import os, signal, sys
from dshlog.cli.main import main
left = int(sys.argv[1])
def wrapped(real):
    def call(*words, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*words, **options)
    return call
for name in ("fsync", "link", "replace", "unlink", "fchmod"):
    setattr(os, name, wrapped(getattr(os, name)))
os._exit(main(["repair", "--in-place", sys.argv[2]]))
"""


def test_a_process_that_is_killed_leaves_the_old_log_or_the_new_one(tmp_path):
    reached = set()
    for at in range(1, 12):
        scene = Scene(tmp_path / str(at), "in place")
        words = [sys.executable, "-c", KILLED, str(at), str(scene.log)]
        done = subprocess.run(words, capture_output=True, check=False)
        scene.check()
        reached.add((done.returncode, scene.log.read_bytes() == scene.before))
    assert {(-9, True), (-9, False), (0, False)} <= reached

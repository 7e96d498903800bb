"""Many logs in several processes; each test has a process of its own, which forks or spawns as it likes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from dshlog.cli import walk as walking
from dshlog.cli.walk import Task, Walk
from dshlog.cli.workers import LostWorkerError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and /proc as on POSIX")

# A world whose logs do what their name says, in a module that a spawned process can import.
WORLD = """
import os, signal, time
from dshlog.cli.world import World

class Odd(World):
    def examine(self, source, path, **how):
        if path.endswith("killed.jsonl"):
            os.kill(os.getpid(), signal.SIGKILL)
        if path.endswith("stuck.jsonl"):
            open(path + ".began", "w").close()
            time.sleep(60)
        if path.endswith("deep.jsonl"):
            from dataclasses import replace
            from dshlog.model.report import Tail
            value = []
            for _ in range(200_000):
                value = [value]
            return replace(super().examine(source, path, **how), tail=Tail(turn=value))
        if path.endswith("bug.jsonl"):
            raise KeyError(path)
        if path.endswith("slow.jsonl"):
            time.sleep(0.3)
        return super().examine(source, path, **how)
"""
RUN = """
import multiprocessing, signal, sys
from oddworld import Odd
from dshlog.cli.main import main

if __name__ == "__main__":
    # A process that was started with nohup or in the background ignores Ctrl-C, and hands that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    multiprocessing.set_start_method(sys.argv[1])
    sys.exit(main(["validate", *sys.argv[2:]], world=Odd()))
"""


@pytest.fixture
def folder(tmp_path, repository):
    (tmp_path / "oddworld.py").write_text(WORLD)
    (tmp_path / "run.py").write_text(RUN)
    (tmp_path / "logs").mkdir()
    data = (repository / "fixtures/v4/clean-raw/session.v4.jsonl").read_bytes()

    def make(*names):
        for name in names:
            (tmp_path / "logs" / f"{name}.jsonl").write_bytes(data)
        return tmp_path

    return make


@pytest.fixture(params=["fork", "spawn"])
def method(request):
    return request.param


def run(folder, method, *words, jobs="2"):
    words = [sys.executable, "run.py", method, "--no-config", "--jobs", jobs, *words, "logs"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_the_order_is_that_of_one_process(folder, method):
    place = folder("a-slow", "b", "c", "d-slow", "e", "f")
    one, two = (run(place, method, "-v", jobs=jobs) for jobs in ("1", "2"))
    assert (two.returncode, two.stderr) == (0, "")
    assert two.stdout == one.stdout
    assert two.stdout.splitlines()[0].startswith("logs/a-slow.jsonl: clean")


def test_a_worker_that_dies_loses_one_log_and_no_other(folder, method):
    told = run(folder("a", "b-killed", "c", "d", "e-killed", "f"), method, "-v")
    assert told.returncode == 2
    assert [line.split(":")[0] for line in told.stdout.splitlines()[:-1]] == [
        "logs/a.jsonl", "logs/c.jsonl", "logs/d.jsonl", "logs/f.jsonl",
    ]  # fmt: skip
    errors = [line for line in told.stderr.splitlines() if "error" in line]
    assert errors == [
        f"dshlog: error: cannot judge logs/{name}.jsonl: the process that read it ended with signal 9"
        for name in ("b-killed", "e-killed")
    ]


def test_a_value_too_deep_to_travel_is_judged_here(folder, method):
    told = run(folder("a", "b-deep", "c"), method, "--format", "ndjson")
    assert (told.returncode, told.stderr, len(told.stdout.splitlines())) == (0, "", 3)


def test_a_bug_is_told_as_ever(folder, method):
    told = run(folder("a", "b-bug", "c"), method)
    assert told.returncode == 2
    assert "internal error: KeyError" in told.stderr
    assert "Traceback" not in told.stderr


def gone(group):
    """Tell whether every process of a group is gone, given some time: a spawned run has a helper that goes last."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_ctrl_c_ends_everything_at_once(folder, method):
    place = folder("a-stuck", "b-stuck", "c-stuck")
    words = [sys.executable, "run.py", method, "--no-config", "--jobs", "2", "logs"]
    with subprocess.Popen(
        words, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as child:
        end = time.monotonic() + 30
        while len(list((place / "logs").glob("*.began"))) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        os.killpg(child.pid, signal.SIGINT)  # as a terminal does
        out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (130, b"", b"")
    assert gone(child.pid)


def test_workers_do_not_outlive_a_killed_parent(folder, method):
    place = folder("a-slow", "b-slow", *(f"c{number:03}-slow" for number in range(100)))
    words = [sys.executable, "run.py", method, "--no-config", "--jobs", "2", "-v", "--format", "ndjson", "logs"]
    with subprocess.Popen(
        words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as child:
        time.sleep(1.5)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert gone(child.pid)


class Counted(walking.Places):
    """Places without a disk."""

    def enter(self, path):
        pass

    def watch(self, path):
        pass


@pytest.mark.parametrize(
    "sizes, jobs, wanted",
    [
        ([1 << 30], None, 1),
        ([1 << 30], 4, 1),
        ([1, 1], None, 1),
        ([1, 1], 4, 4),
        ([1 << 30, 1], None, 3),
        ([30 << 20, 30 << 20, 1], None, 3),
        ([1] * 1000, None, 3),
        ([1, 1], 1, 1),
    ],
)
def test_the_number_of_processes_follows_the_work(world, monkeypatch, sizes, jobs, wanted):
    paths = [str(number) for number in range(len(sizes))]
    world.logs |= dict.fromkeys(paths, "clean")
    world.file_size = lambda path: sizes[int(path)]
    monkeypatch.setattr("dshlog.cli.workers.cores", lambda: 3)
    monkeypatch.setattr(walking, "Places", Counted)
    walk = Walk(Task(world=world, reader="latest"), all_generations=False, jobs=jobs)
    steps, chosen = walk._spread(walk._steps(paths, ()))
    assert chosen == wanted
    assert [step.path for step in steps] == paths


def test_a_lost_worker_is_told_like_an_unreadable_path():
    error = LostWorkerError("cannot judge a: x", ("h",))
    assert (error.message, error.hints, error.why) == ("cannot judge a: x", ("h",), "cannot judge a: x")

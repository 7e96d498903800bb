from __future__ import annotations

import subprocess
import sys

import pytest

from dshlog import __version__
from dshlog.cli.output import ClosedPipe, Output, look


def test_the_version_is_one_line(run):
    told = run("--version")
    assert (told.status, told.out, told.err) == (0, f"dshlog {__version__}\n", "")


def test_without_a_command_the_help_goes_to_standard_error(run):
    told = run()
    assert told.status == 2
    assert told.out == ""
    assert "validate" in told.err


@pytest.mark.parametrize("words", [("-h",), ("validate", "-h"), ("show", "--help"), ("cat", "-h")])
def test_every_help_ends_with_the_exit_statuses(run, words):
    told = run(*words)
    assert told.status == 0
    assert "\x1b" not in told.out
    lines = told.out.rstrip().splitlines()
    assert any(line.strip().startswith("Exit status") for line in lines)
    assert lines[-1].split() == ["130", "interrupted"]


@pytest.mark.parametrize(
    "words, message",
    [
        (("nope",), "no such command 'nope'"),
        (("validate", "--format", "xml"), "'xml' is not one of"),
        (("validate", "--nope"), "no such option: --nope"),
        (("show",), "missing argument 'PATH'"),
        (("show", "a", "--at", "-1"), "invalid value for '--at'"),
        (("cat", "a", "--seq", "x"), "is no range of seqs"),
        (("cat", "a", "--seq", "5..3"), "5 is greater than 3"),
        (("cat", "a", "--raw", "--messages"), "exclude each other"),
    ],
)
def test_wrong_use_is_2_in_the_voice_of_the_program(run, words, message):
    told = run(*words)
    assert told.status == 2
    assert told.out == ""
    first, hint = told.err.splitlines()
    assert first.startswith("dshlog: error: ")
    assert message in first
    assert not first.endswith(".")
    assert hint.startswith("dshlog: hint: dshlog")


def test_a_surprise_is_one_line_and_a_traceback_only_when_asked_for(run, world, monkeypatch):
    world.logs["a"] = "clean"
    world.broken = KeyError("x\n")
    told = run("validate", "a")
    assert told.status == 2
    assert told.err.splitlines()[0] == "dshlog: internal error: KeyError: 'x\\n'; please report"
    assert "Traceback" not in told.err
    monkeypatch.setenv("DSHLOG_DEBUG", "1")
    assert "Traceback" in run("validate", "a").err


@pytest.mark.parametrize(
    "surprise, status, said",
    [
        (KeyboardInterrupt(), 130, ""),
        (ClosedPipe(), 0, ""),
        (OSError(28, "No space left on device"), 2, "dshlog: error: cannot write standard output"),
        (RecursionError("deep"), 2, "dshlog: internal error: RecursionError"),
    ],
)
def test_every_end_has_its_status(run, world, surprise, status, said):
    world.logs["a"] = "clean"
    world.broken = surprise
    told = run("validate", "a")
    assert told.status == status
    assert said in told.err
    assert "Traceback" not in told.err


FLOOD = """
import sys
from contextlib import nullcontext
from dshlog.cli.main import main
from dshlog.cli.world import World
class Flood(World):
    def find(self, path, **_):
        from dshlog.files.find import Found
        yield Found(path=path)
    def source(self, path):
        return nullcontext(None)
    def read_log(self, source, path):
        return self
    def records(self):
        for _ in range(200_000):
            yield b'{"type":"x"}'
sys.exit(main(["cat", "--raw", "a"], world=Flood()))
"""


def test_a_closed_pipe_ends_quietly():
    with subprocess.Popen([sys.executable, "-c", FLOOD], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout.readline() == b'{"type":"x"}\n'
        child.stdout.close()
        err = child.stderr.read()
    assert (child.returncode, err) == (0, b"")


def test_a_full_disk_is_told():
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        ran = subprocess.run([sys.executable, "-c", FLOOD], stdout=full, stderr=subprocess.PIPE, check=False)
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[0] == b"dshlog: error: cannot write standard output: No space left on device"


def test_start_up_leaves_the_heavy_modules_alone():
    told = subprocess.run(
        [sys.executable, "-c", "import sys, dshlog.cli.main; dshlog.cli.main.application(); print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert not {"rich", "orjson", "zstandard", "multiprocessing", "dshlog.report.examine", "pydantic"} & set(told)


@pytest.mark.parametrize(
    "colour, terminal, environment, wanted",
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_colour_follows_the_terminal_unless_told_otherwise(monkeypatch, colour, terminal, environment, wanted):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "77")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    output = Output()
    output.is_terminal = terminal
    looks = look(output, colour)
    assert looks.colour is wanted
    assert looks.width == (77 if terminal else None)


@pytest.mark.parametrize("command, usage", [("show", "[OPTIONS] PATH"), ("cat", "[OPTIONS] PATH...")])
def test_a_usage_line_has_arguments_without_braces(run, command, usage):
    assert run(command, "--help").out.splitlines()[0] == f"Usage: dshlog {command} {usage}"


@pytest.mark.parametrize(
    "words, message",
    [
        (("explain", "--schema"), "option '--schema' requires an argument: validate, log, card, "),
        (("stats", "--by"), "option '--by' requires an argument: type, tool, turn"),
        (("show", "--request"), "option '--request' requires an argument"),
        (("cat", "--call"), "option '--call' requires an argument"),
    ],
)
def test_an_option_without_its_value_points_to_the_help_of_its_command(words, message, run):
    ran = run(*words)
    assert ran.status == 2
    first, hint = ran.err.splitlines()
    assert first.startswith(f"dshlog: error: {message}")
    assert hint == f"dshlog: hint: dshlog {words[0]} --help lists what is possible"

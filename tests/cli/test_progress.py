"""The bar on a terminal: after a second of work, gone at its end, never in the way of what is printed."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from dshlog.cli.main import main
from dshlog.cli.output import PASSING, say
from dshlog.cli.progress import Progress, Watched, on_terminal
from dshlog.storage.source import BytesSource
from rootbuilder import small_log, store


class Terminal(io.StringIO):
    """Standard error of somebody who looks."""

    def isatty(self):
        return True

    @property
    def last(self):
        return self.getvalue().rpartition("\r")[2].removesuffix("\x1b[K")


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    monkeypatch.setattr("dshlog.cli.progress.sys", SimpleNamespace(stderr=stream))
    return stream


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_the_first_second_shows_nothing(terminal, clock):
    with Progress(clock) as progress:
        progress.begin(4, 400)
        clock.now = 0.9
        progress.done(100)
        assert terminal.getvalue() == ""
        clock.now = 1.0
        progress.done(100)
        assert terminal.last == "[############------------]  50%, 2 of 4 logs"
        clock.now = 1.05
        progress.done(100)
        assert terminal.last.endswith("2 of 4 logs")
        clock.now = 1.2
        progress.within(100)
        assert terminal.last == "[########################] 100%, 3 of 4 logs"
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert not PASSING


def test_what_is_told_takes_the_line_away_first(terminal, clock, monkeypatch):
    monkeypatch.setattr("dshlog.cli.output.sys", SimpleNamespace(stderr=terminal))
    with Progress(clock) as progress:
        progress.begin(1, 10)
        clock.now = 2.0
        progress.within(5)
        assert terminal.last.endswith("50%, 0 of 1 log")
        say("note", "something")
        assert terminal.getvalue().endswith("\r\x1b[Kdshlog: note: something\n")


def test_without_bytes_there_is_no_share(terminal, clock):
    progress = Progress(clock)
    clock.now = 2.0
    progress.done(0)
    assert terminal.getvalue() == ""  # nobody has said how much there is
    progress.begin(2, 0)
    progress.done(0)
    assert "  0%, 2 of 2 logs" in terminal.getvalue()


def test_a_second_reading_takes_nothing_back(terminal, clock):
    progress = Progress(clock)
    progress.begin(1, 100)
    progress.within(90)  # before anything is shown: the walk over the frames
    clock.now = 2.0
    progress.within(50)
    assert "50%" in terminal.last
    clock.now = 3.0
    progress.within(10)
    assert "50%" in terminal.last


def test_a_source_tells_how_far_it_was_read():
    told = []
    source = Watched(BytesSource(b"x" * 300_000), told.append)
    assert (source.size, b"".join(source.chunks(10)), source.read(5, 3)) == (300_000, b"x" * 299_990, b"xxx")
    assert told == [262_154, 300_000, 8]


def test_only_a_terminal_has_a_bar(terminal, monkeypatch):
    assert on_terminal() is not None
    monkeypatch.setenv("TERM", "dumb")
    assert on_terminal() is None
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("dshlog.cli.progress.sys", SimpleNamespace(stderr=io.StringIO()))
    assert on_terminal() is None


@pytest.mark.parametrize("words", [("validate", "--jobs", "1"), ("validate", "--jobs", "2"), ("ls", "--deep")])
def test_a_root_is_counted(words, tmp_path, terminal, monkeypatch, capfdbinary):
    monkeypatch.setattr("dshlog.cli.progress.DELAY", 0)
    monkeypatch.setattr("dshlog.cli.progress._EVERY", 0)
    for number in range(3):
        store(tmp_path, small_log(id=f"session-{number}"))
    assert main([*words, str(tmp_path)]) == 0
    assert "100%, 3 of 3 logs" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert b"#" not in capfdbinary.readouterr().out

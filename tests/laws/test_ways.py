"""The report does not depend on the way in which a log is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import build
from dshlog.fold.surface import SurfaceFolder, fold_surface
from dshlog.model.surface import SurfaceError
from dshlog.report.decode import read_log
from dshlog.report.examine import Examination, examine
from dshlog.report.surface import surface_view
from dshlog.rules.judge import Judge
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
LOGS = sorted(FIXTURES.glob("*/*/session*"))
RAW = [path for path in LOGS if path.suffix == ".jsonl"]
SOUND = [path for path in LOGS if examine(BytesSource(path.read_bytes()), str(path)).state in {"clean", "open", "torn"}]


def name_of(path):
    return path.parent.relative_to(FIXTURES).as_posix()


class Pieces(BytesSource):
    """Bytes that come in pieces of the lengths given, the last of them over and over."""

    def __init__(self, data, lengths):
        super().__init__(data)
        self._bytes = data
        self._lengths = lengths

    def chunks(self, start=0, end=None):
        stop = len(self._bytes) if end is None else min(end, len(self._bytes))
        lengths = iter(self._lengths)
        length = 1
        while start < stop:
            length = next(lengths, length)
            yield self._bytes[start : min(start + length, stop)]
            start += length


class Once(Pieces):
    """The same as a pipe gives them: of unknown size."""

    @property
    def size(self):
        return None


def by_lines(data, path):
    """Judge a log line by line."""
    exam = Examination(BytesSource(data), path)
    for lines, at, _ in exam.reading.batches() if exam.judge else ():
        offset = at
        for line in lines:
            behind = offset + len(line)
            exam.feed([line], offset, behind)
            offset = behind
    return exam.report()


@pytest.mark.parametrize("path", RAW, ids=name_of)
@pytest.mark.parametrize("length", [1, 7, 64, 1000])
def test_pieces_of_one_length(path, length):
    data = path.read_bytes()
    assert examine(Pieces(data, [length]), str(path)) == examine(BytesSource(data), str(path))


@settings(max_examples=300, deadline=None)
@given(path=st.sampled_from(RAW), lengths=st.lists(st.integers(1, 500), min_size=1, max_size=50))
def test_pieces_of_any_length(path, lengths):
    data = path.read_bytes()
    assert examine(Pieces(data, lengths), str(path)) == examine(BytesSource(data), str(path))


@pytest.mark.parametrize("path", RAW, ids=name_of)
def test_pipe_gives_the_same_as_a_file(path):
    data = path.read_bytes()
    report = examine(BytesSource(data), str(path))
    if report.version not in range(5):
        report = replace(report, bytes=ANY, text=ANY)  # the rest of the pipe is left unread
    piped = examine(Once(data, [100]), str(path))
    if any(finding.name == "seq-gap" for finding in piped.findings):
        assert piped.native.opens == report.native.opens
        # What broke the sequence is told after a second reading, which a pipe does not give.
        report = replace(report, native=ANY, latest=ANY, findings=ANY)
    assert piped == report


@pytest.mark.parametrize("path", LOGS, ids=name_of)
def test_line_by_line(path):
    data = path.read_bytes()
    assert by_lines(data, str(path)) == examine(BytesSource(data), str(path))


@pytest.mark.parametrize("path", LOGS, ids=name_of)
def test_without_the_quick_path(path, monkeypatch):
    data = path.read_bytes()
    report = examine(BytesSource(data), str(path))
    view = surface_view(BytesSource(data), str(path))
    monkeypatch.setattr(Judge, "_quickly", lambda _judge, _lines, start, *_rest: start)
    assert examine(BytesSource(data), str(path)) == report
    assert surface_view(BytesSource(data), str(path)) == view


@pytest.mark.parametrize("path", SOUND, ids=name_of)
def test_fold_in_steps_is_the_fold_at_once(path):
    decoded = read_log(BytesSource(path.read_bytes()), str(path))
    events = [event for event, _ in decoded.events()]
    version = decoded.header.version
    folder = SurfaceFolder(version, keep=True)
    for count, event in enumerate(events, 1):
        assert not folder.push(event)
        view, _ = surface_view(BytesSource(path.read_bytes()), str(path), at=count - 1)
        # A packed run that holds the event asked for is folded whole; no surface event is in one.
        assert (folder.surface().nodes, folder.surface().replacements) == (view.nodes, view.replacements)
    at_once = fold_surface(events, version=version)
    assert folder.surface() == at_once
    assert fold_surface(iter(events), version=version) == at_once


@pytest.mark.parametrize("path", [path for path in LOGS if path.parent.parent.name in {"v0", "v3", "v4"}], ids=name_of)
def test_fold_in_steps_fails_where_the_fold_at_once_fails(path):
    decoded = read_log(BytesSource(path.read_bytes()), str(path))
    if decoded.header is None:
        return
    events = [event for event, _ in decoded.events()]
    folder = SurfaceFolder(decoded.header.version, keep=True)
    breach = next((event["seq"] for event in events if folder.push(event)), None)
    at_once = None
    try:
        fold_surface(events, version=decoded.header.version)
    except SurfaceError as error:
        at_once = error.seq
    assert at_once == breach

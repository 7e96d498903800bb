"""A large log gets a note: what opening it costs dsh, and what makes it large."""

from __future__ import annotations

import pytest

import rows
from dshlog.report import size
from dshlog.report.examine import examine
from dshlog.storage.source import BytesSource
from logbuilder import Log

MIB = 1 << 20


@pytest.fixture
def log():
    log = Log(4)
    log.turn()
    for words in (10_000, 200_000, 3_000_000):
        log.user("x" * words)
    log.end_turn()
    return log.batches()


@pytest.mark.parametrize("write, name", [(rows.raw, "session.v4.jsonl"), (rows.zstd, "session.v4.jsonl.zstd")])
def test_the_largest_records_and_types_are_named(log, write, name, monkeypatch):
    monkeypatch.setattr(size, "LARGE", 3 * MIB)
    source = BytesSource(write(log))
    report = examine(source, name)
    (note,) = report.findings
    assert (note.code, note.severity, note.place.file, note.place.line) == ("D117", "note", name, None)
    assert note.message == (
        "3 MiB of text, for which dsh needs about 9 MiB of memory; mostly user/message (100%), turn/end (0%), "
        "turn/start (0%); the largest records are line 5 (3 MiB), line 4 (195 KiB), line 3 (10 KiB)"
    )
    assert [place.line for place in note.related] == [5, 4, 3]
    text = rows.raw(log)
    assert [text[place.offset :].startswith(b'{"type":"user/message"') for place in note.related] == [True] * 3


def test_memory_is_about_three_times_the_text(log, monkeypatch):
    monkeypatch.setattr(size, "LARGE", 1)
    source = BytesSource(rows.raw(log))
    assert "about 9 MiB" in examine(source, "x.jsonl").findings[0].message


def test_other_logs_get_no_note(log):
    report = examine(BytesSource(rows.zstd(log)), "x.jsonl.zstd")
    assert report.text == len(rows.raw(log))
    assert report.findings == ()


def test_a_pipe_is_measured_too(log, monkeypatch):
    monkeypatch.setattr(size, "LARGE", 1)

    class Pipe(BytesSource):
        @property
        def size(self):
            return None

    assert "about 9 MiB" in examine(Pipe(rows.raw(log)), "-").findings[0].message


def test_shares_of_many_small_records_are_a_sample_and_the_largest_exact(monkeypatch):
    monkeypatch.setattr(size, "LARGE", 1)
    log = Log(4)
    log.turn()
    for number in range(20_000):
        log.user("x" * (300 if number % 2 else 100 + number % 7))
    log.user("y" * 4000)
    log.end_turn()
    (note,) = examine(BytesSource(rows.raw(log.batches())), "x.jsonl").findings
    assert "; mostly user/message (100%), turn" in note.message
    assert note.related[0].line == 20_003
    assert [place.line for place in note.related[1:]] == [10_002, 10_004]  # of equal ones the first


def test_a_record_without_a_type_and_a_short_one(monkeypatch):
    monkeypatch.setattr(size, "LARGE", 1)
    source = BytesSource(rows.raw([[Log(4).header], [b"[]", b'{"seq":0}']]))
    message = examine(source, "x.jsonl").findings[-1].message
    assert "other records" in message
    assert "line 3 (10 bytes), line 2 (3 bytes)" in message


def test_a_header_alone(monkeypatch):
    monkeypatch.setattr(size, "LARGE", 1)
    source = BytesSource(rows.raw([[Log(4).header]]))
    report = examine(source, "x.jsonl")
    assert report.findings[0].message == "0 MiB of text, for which dsh needs about 0 MiB of memory"

"""The quick look at rows lets no log through in which the judge finds a row that stops a rewriting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import build
import rows
from dshlog.report.examine import examine, named_encoding
from dshlog.report.reading import Reading
from dshlog.report.rewrite import _first, _sound
from dshlog.report.rowcheck import RowCheck
from dshlog.storage.container import Container
from dshlog.storage.lines import Lines
from dshlog.storage.source import BytesSource
from logbuilder import Log

FIXTURES = Path(build.__file__).parent
LOGS = sorted(FIXTURES.glob("v[01]/*/session*"))


def looked_at(data, name):
    """Give the check that has seen all rows of a log, and whether it and the reading find it sound."""
    head = Reading(BytesSource(data), named_encoding(name))
    if head.header is None or head.header.version > 1:
        return None, False
    check, lines = RowCheck(head.header.version), Lines()
    first = True
    container = Container(BytesSource(data), head.container.encoding)
    for piece in container.text():
        whole = lines.feed(piece)
        check.read(whole[first:])
        first = first and not whole
    # A rewriting stops at a frame that does not decompress.
    read = container.bad_frame is None and not lines.rest_length
    return check, not head.drafts and read and _sound(check, head.header)


def agrees(data, name):
    check, sound = looked_at(data, name)
    report = examine(BytesSource(data), name)
    if sound:
        assert _first(report) is None
        assert check.position == report.events
    return sound


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.relative_to(FIXTURES).as_posix())
def test_fixtures(path):
    agrees(path.read_bytes(), path.name)


def test_logs_that_were_changed(shared):
    sound = [
        agrees(path.read_bytes(), path.name)
        for folder in ("corpus/mutants", "corpus/traps", "cases")
        for path in sorted((shared / folder).rglob("*.jsonl*"))
        if path.is_file()
    ]
    assert sum(sound) > 10
    assert sound.count(False) > 100


def sound_log(version=0):
    log = Log(version)
    log.turn()
    log.user("hi")
    log.step()
    log.assistant("one two three four", ("c1", "bash", '{"command":"ls -l /tmp"}'))
    log.call("c1")
    log.result("c1", "done")
    log.end_step()
    log.end_turn()
    return log


@pytest.mark.parametrize("version", [0, 1])
def test_a_sound_log_is_sound(version):
    assert agrees(rows.raw(sound_log(version).batches()), f"session.v{version}.jsonl")


SPELLINGS = (
    (b'"seq":1,', b'"seq":1.0,'),
    (b'"seq":0,', b'"seq":-0,'),
    (b'"time":', b'"time":-'),
    (b'"type":"user/message"', b'"type":"user\\/message"'),
    (b'"text":"hi"', b'"text":"h\xff"'),
    (b'"text":"hi"', b'"text":"\\ud800"'),
    (b'{"type":"step/start"', b'{ "type":"step/start"'),
    (b'"index":0,"dt"', b'"index":-0,"dt"'),
    (b'"texts":["one', b'"texts":["\xff'),
)


@pytest.mark.parametrize(("old", "new"), SPELLINGS)
def test_odd_spellings_are_looked_at_exactly(old, new):
    data = rows.raw(sound_log().batches())
    assert old in data
    assert agrees(data.replace(old, new, 1), "session.jsonl") == (new != b'"seq":-0,')


CHANGES = (
    lambda event: event.pop("seq", None) or event.pop("seq0", None),
    lambda event: event.update(seq=event.get("seq", 0) + 1),
    lambda event: event.update(seq="1"),
    lambda event: event.update(time=0.5),
    lambda event: event.pop("time", None),
    lambda event: event.update(extra=1),
    lambda event: event.update(ignorable=False),
    lambda event: event.update(ignorable=True),
    lambda event: event.update(type=1),
    lambda event: event.update(type=["x"]),
    lambda event: event.pop("type"),
    lambda event: event.update(data=None),
    lambda event: event.pop("data"),
    lambda event: event.update(sourceEventSeqs=[0, 0]),
    lambda event: event.update(sourceEventSeqs=[1, 0, [2, 3]]),
    lambda event: event.update(sourceEventSeqs=None),
    lambda event: event.update(surfaceOp=7),
    lambda event: event.update(seq0=3),
    lambda event: event.update(time0=[]),
)


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("change", CHANGES)
def test_every_row_changed_in_every_way(version, change):
    lines = rows.raw(sound_log(version).batches()).splitlines(keepends=True)
    for at in range(1, len(lines)):
        event = json.loads(lines[at])
        change(event)
        agrees(b"".join([*lines[:at], rows.line(event), *lines[at + 1 :]]), f"session.v{version}.jsonl")


@pytest.mark.parametrize("line", [b"\n", b"{]\n", b"[]\n", b"7\n", b"null\n", b'"type"\n', b"{}\n", b"\x00\x00\n"])
def test_lines_that_are_no_rows(line):
    lines = rows.raw(sound_log().batches()).splitlines(keepends=True)
    for at in range(1, len(lines) + 1):
        assert not agrees(b"".join([*lines[:at], line, *lines[at:]]), "session.jsonl")


def test_a_header_that_promises_more_rows():
    data = rows.raw(sound_log().batches())
    assert not agrees(data.replace(b'"version":0', b'"version":0,"seedLength":99', 1), "session.jsonl")

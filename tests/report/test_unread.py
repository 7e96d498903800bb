"""A line that dshlog does not read leaves the verdict open, and one that dsh cannot read is no JSON."""

from __future__ import annotations

import json

import pytest

import rows
from dshlog.report.decode import read_log
from dshlog.report.examine import examine
from dshlog.storage import unread
from dshlog.storage.lines import Lines
from dshlog.storage.source import BytesSource

LIMIT = 300
MOST = 1000
HEADER = b'{"type":"session","version":%d,"id":"k","createdAt":1,"isSeeded":false,"delegationDepth":0}\n'


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(Lines.__init__, "__defaults__", (LIMIT,))
    monkeypatch.setattr("dshlog.storage.source.WINDOW", 50)
    monkeypatch.setattr("dshlog.storage.zstd.WINDOW", 50)
    monkeypatch.setattr("dshlog.report.reading.LONGEST_STRING", MOST)
    monkeypatch.setattr(unread, "LONGEST_STRING", MOST)
    monkeypatch.setattr("dshlog.rules.unread.LONGEST_STRING", MOST)


def event(kind, seq, data):
    return json.dumps({"type": kind, "seq": seq, "time": 5, "data": data}, separators=(",", ":")).encode() + b"\n"


def log(size, *, version=4, behind=()):
    return [
        (HEADER if version else HEADER.replace(b'"isSeeded":false,', b"")) % version,
        event("turn/start", 0, {"turn": 1}),
        event("todo/write", 1, {"todos": [], "a": "x" * size}),
        event("turn/end", 2, {"turn": 1, "reason": {"kind": "completed"}}),
        *behind,
    ]


def framed(lines):
    return b"".join(map(rows.frame, lines))


class Piped(BytesSource):
    """A source that can be read once."""

    size = None


def judged(source, version=4, name="log.jsonl"):
    report = examine(source, name)
    return report, [finding.name for finding in report.findings], report.latest if version == 4 else report.native


def test_a_raw_file_is_read_up_to_its_own_length():
    report, names, verdict = judged(BytesSource(b"".join(log(MOST - 80))))
    assert (report.state, names, verdict.opens, report.events) == ("clean", [], True, 3)


@pytest.mark.parametrize("version", [0, 3, 4])
@pytest.mark.parametrize("behind", [(), (b"x\n",), (event("turn/start", 3, {"turn": 2}),)])
@pytest.mark.parametrize("form", ["pipe", "zstd"])
def test_what_is_not_read_leaves_the_verdict_open(form, behind, version):
    lines = log(400, version=version, behind=behind)
    source = Piped(b"".join(lines)) if form == "pipe" else BytesSource(framed(lines))
    report, names, verdict = judged(source, version, "log.jsonl" if form == "pipe" else "log.jsonl.zstd")
    assert (report.state, verdict.opens, verdict.first, report.torn) == ("refused", None, None, None)
    assert names[0] == "line-too-long"
    assert "seq-gap" not in names
    first = report.findings[0]
    assert (first.severity, first.remedy, first.place.line) == ("error", "none", 3)
    assert "dshlog" in first.message
    assert "drops" not in (first.hint or "")


def test_a_bad_record_before_it_may_have_been_committed_by_it():
    lines = log(400)
    lines.insert(2, b"x\n")
    report, names, verdict = judged(Piped(b"".join(lines[:-1])))
    assert (report.state, names, verdict.opens) == ("refused", ["not-json", "line-too-long"], None)
    report, names, verdict = judged(Piped(b"".join(lines)))
    assert (report.state, names, verdict.opens) == ("refused", ["not-json", "line-too-long"], False)


def test_what_is_refused_anyway_is_refused():
    lines = log(400, behind=(event("tool/result", 3, {}),))
    report, names, verdict = judged(Piped(b"".join(lines)))
    assert (report.state, names[0], verdict.opens) == ("refused", "line-too-long", False)


@pytest.mark.parametrize("version", [0, 3, 4])
def test_what_dsh_cannot_read_is_no_json_to_it(version):
    lines = log(MOST, version=version)
    for source in (BytesSource(b"".join(lines)), Piped(b"".join(lines))):
        report, names, verdict = judged(source, version)
        assert (names, verdict.opens, report.state) == (["not-json"], False, "refused")
        report, names, verdict = judged(type(source)(b"".join(lines[:-1])), version)
        assert (names[0], verdict.opens, report.state) == ("not-json", True, "torn")


def test_a_header_that_is_not_read():
    line = HEADER[:-2] % 4 + b',"cwd":"/' + b"x" * 400 + b'"}\n'
    report, names, verdict = judged(BytesSource(line))
    assert (report.state, names, verdict.opens) == ("not-a-log", ["line-too-long"], None)
    report, names, verdict = judged(BytesSource(line.replace(b"x" * 400, b"x" * MOST)))
    assert (report.state, names, verdict.opens) == ("not-a-log", ["header-not-json"], False)
    assert "JavaScript" in report.findings[0].message


def test_too_many_values_are_not_held(monkeypatch):
    monkeypatch.setattr(unread, "MAX_VALUES", 100)
    lines = log(10)
    lines[2] = event("todo/write", 1, {"todos": [], "a": [0] * 101})
    for source in (BytesSource(b"".join(lines)), Piped(b"".join(lines))):
        report, names, verdict = judged(source)
        assert (report.state, names, verdict.opens) == ("refused", ["line-too-long"], None)
        assert "values" in report.findings[0].message


def test_a_torn_line_that_is_too_long_is_not_called_zero_bytes():
    report, names, _ = judged(Piped(b"".join(log(10)) + b"x" * 400))
    assert names == ["torn-line"]
    assert "zero" not in report.findings[0].message
    assert report.torn is not None
    assert report.torn.bytes == 400


def test_records_leave_out_what_was_not_read():
    lines = log(400)
    assert list(read_log(Piped(b"".join(lines)), "log").records()) == [line[:-1] for line in (lines[1], lines[3])]

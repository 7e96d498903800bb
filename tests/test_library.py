"""The library: one door for a path, bytes or a file object, and the worked examples of the specification through it."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

import dshlog
import rows
from dshlog.files.unreadable import Unreadable
from logbuilder import Log, log_name

EVERY = [0, 1, 2, 3, 4]


def worked(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user("one")
    log.assistant("two three four five")
    log.end_step()
    log.end_turn()
    return log


# -- the door


@pytest.mark.parametrize("version", EVERY)
def test_a_log_opens_from_bytes_a_path_or_a_file(version, tmp_path):
    log = worked(version)
    for zstd in (False, True):
        data = (rows.zstd if zstd else rows.raw)(log.batches())
        path = tmp_path / log_name(version, zstd=zstd)
        path.write_bytes(data)
        with path.open("rb") as file:
            for given, name in ((data, "<bytes>"), (path, str(path)), (str(path), str(path)), (file, str(path))):
                with dshlog.open_log(given) as opened:
                    assert opened.path == name
                    assert (opened.version, opened.header.id) == (version, "demo")
                    assert list(opened) == list(opened.events()) == log.events
                    assert len(list(opened.records())) == opened.validate().records
                    assert list(opened.surface().nodes) == log.nodes
                    assert len(list(opened.messages())) == len(log.nodes)
                    assert opened.validate().state == "clean"


def test_a_file_object_without_a_name_is_called_so():
    data = rows.raw(worked(4).batches())
    with dshlog.open_log(io.BytesIO(data)) as opened:
        assert opened.path == "<file>"
        assert opened.validate().state == "clean"


def test_methods_may_be_called_in_any_order():
    log = worked(4)
    opened = dshlog.open_log(rows.zstd(log.batches()))
    halfway = opened.events()
    next(halfway)
    assert opened.validate() == opened.validate()
    assert list(opened.events()) == log.events
    assert [*halfway] == log.events[1:]


def test_the_file_is_closed_behind_the_block(tmp_path):
    path = tmp_path / "session.v4.jsonl"
    path.write_bytes(rows.raw(worked(4).batches()))
    with dshlog.open_log(path) as opened:
        assert opened.validate().state == "clean"
    with pytest.raises((OSError, ValueError)):
        opened.validate()


def test_an_encoding_may_be_given():
    data = rows.zstd(worked(4).batches())
    assert dshlog.validate(data).encoding == "zstd"
    report = dshlog.validate(data, encoding="raw")
    assert (report.encoding, report.state) == ("raw", "not-a-log")
    assert dshlog.validate(rows.raw(worked(4).batches()), encoding="zstd").state == "not-a-log"


@pytest.mark.parametrize("data", [b"", b"xx\n", b"\0" * 50, rows.line({"type": "session", "version": 9, "id": "k"})])
def test_what_is_no_known_log_opens_and_is_empty(data):
    opened = dshlog.open_log(data)
    assert (opened.version, opened.header) == (None, None)
    assert list(opened) == list(opened.records()) == list(opened.messages()) == []
    assert opened.surface() == dshlog.Surface(nodes=())
    assert opened.validate().state in {"not-a-log", "newer"}


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_what_cannot_be_read_is_an_error_of_the_world(name, tmp_path):
    with pytest.raises(Unreadable):
        dshlog.open_log(tmp_path / name)
    with pytest.raises(Unreadable):
        dshlog.validate(str(tmp_path / name))


def test_every_public_name_is_there_and_no_other():
    for name in dshlog.__all__:
        assert getattr(dshlog, name) is not None
    assert set(dshlog._HOMES) == set(dshlog.__all__) - {"__version__"}
    with pytest.raises(AttributeError, match="utils"):
        _ = dshlog.utils


def test_importing_the_package_loads_nothing_of_it():
    script = "import sys, dshlog; print(*[name for name in sys.modules if name.startswith('dshlog')])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["dshlog"]


# -- the worked examples of storage.md §9

E1_HEADER = b'{"type":"session","version":4,"id":"s1","createdAt":1,"isSeeded":false,"delegationDepth":0}\n'
E1_TURN = b'{"type":"turn/start","seq":0,"time":5,"data":{"turn":1}}\n'
E2_END = b'{"type":"turn/end","seq":1,"time":6,"data":{"turn":1,"reason":{"kind":"completed"}}}\n'
E2 = bytes.fromhex(
    """
28b52ffd0458 8502007205121880b76dd8c2560b5119891819572b2f45bb6b2d670e6a5442c4a1
380f561d4129d7087e8eb6eb3181331eff44d356ce7be0d77c016c2eea33a6cdb87582cd28a5ead5
e7abc2da1001002a9426e5 98a670
28b52ffd0458 c90100 7b2274797065223a227475726e2f7374617274222c22736571223a302c22
74696d65223a352c2264617461223a7b227475726e223a317d7d0a 3a63ef51
28b52ffd0458 650200b2441018a0b51903e4035ef6fe5eb96df1c2f63f0283c199feb83502426b6d
cc4d403ac8f84635c7ec56b44a2a76972d3829ee3c6627c41dc8351935075582fdce34d859 02003d05f05caa0c3f ce67b1
"""
)


def judged(data):
    """Give (state, events, where the next writer cuts, events that it writes again)."""
    report = dshlog.validate(data)
    torn = report.torn
    return report.state, report.events, torn and torn.at, torn and torn.events


def test_worked_example_e1_is_cut_behind_its_last_line():
    data = E1_HEADER + E1_TURN + b'{"type":"turn/end","seq":1,"ti'
    assert (len(E1_HEADER), len(E1_HEADER + E1_TURN), len(data)) == (92, 149, 179)
    assert judged(data) == ("torn", 1, 149, 0)
    assert dshlog.validate(data).torn.bytes == 30


def test_worked_example_e2_is_e1_in_frames():
    assert len(E2) == 252
    with dshlog.open_log(E2) as opened:
        assert [*opened.records()] == [E1_TURN[:-1], E2_END[:-1]]
    assert judged(E2) == ("clean", 2, None, None)


@pytest.mark.parametrize(
    "cut, events, saved, at",
    [
        *((cut, 2, 1, 163) for cut in (251, 250, 249, 248)),
        (247, 1, 0, 163),
        (166, 1, 0, 163),
        (159, 1, 1, 93),
        (158, 0, 0, 93),
    ],
)
def test_worked_example_e2_cut_short_is_torn(cut, events, saved, at):
    assert judged(E2[:cut]) == ("torn", events, at, saved)


@pytest.mark.parametrize("cut", [92, 50, 3, 1, 0])
def test_worked_example_e2_without_its_header_frame_is_no_log(cut):
    assert dshlog.validate(E2[:cut], encoding="zstd").state == "not-a-log"


def test_worked_example_e3_is_sound_after_its_repair():
    event = b'{"type":"session/end-seed","seq":2,"time":6,"data":{}}\n'
    assert judged(E2 + rows.frame(event)) == ("clean", 3, None, None)


def test_worked_example_e4_tells_torn_from_damaged():
    assert judged(E2 + b"abc") == ("torn", 2, 252, 0)
    assert names_of(E2 + b"abcd") == ["foreign-bytes"]
    assert names_of(E2 + bytes(64)) == ["zero-padding"]
    assert names_of(E2[:-1] + bytes([E2[-1] ^ 1])) == ["frame-undecodable"]
    for tail in (b"abcd", bytes(64)):
        assert dshlog.validate(E2 + tail).state == "refused"
    assert judged(E1_HEADER + E1_TURN + E2_END + bytes(64)) == ("torn", 2, 234, 0)


def names_of(data):
    return [finding.name for finding in dshlog.validate(data).findings]


def test_worked_example_e5_is_four_events():
    log = Log(0)
    row = b'{"type":"text-chunks","seq0":0,"time0":1000,"data":{"turn":1,"step":1,"index":0,"dt":[12,0,28],'
    data = rows.line(log.header) + row + b'"texts":["He","llo"," wor","ld"]}}\n'
    assert [event["time"] for event in dshlog.open_log(data)] == [1000, 1012, 1012, 1040]


def finished_turn():
    """Give a raw log of three rows that are a finished turn, as E7 has it."""
    log = Log(4)
    log.turn()
    log.event("todo/write", {"todos": []})
    log.end_turn()
    return rows.raw(log.batches())


def turn_start(seq):
    return rows.line({"type": "turn/start", "seq": seq, "time": 1, "data": {"turn": 2}})


@pytest.mark.parametrize(
    "lines",
    [b"xx\n", b"xx\n" + turn_start(3), turn_start(5), b"null\n", b"\n"],
    ids=["not-json", "good-row-behind", "gap", "null", "empty"],
)
def test_worked_example_e7_drops_everything_from_the_first_bad_row_on(lines):
    whole = finished_turn()
    assert judged(whole + lines) == ("torn", 3, len(whole), 0)


@pytest.mark.parametrize(
    "lines",
    [
        b"xx\n" + b'{"type":"turn/end"}\n',
        rows.line({"type": "turn/end", "seq": 2, "time": 1, "data": {"turn": 1, "reason": {"kind": "completed"}}}),
        rows.line({"type": "foo/bar", "seq": 3, "time": 1, "data": {}}),
    ],
    ids=["turn-end-behind", "turn-end-repeated", "unknown-type"],
)
def test_worked_example_e7_refuses_what_a_turn_end_or_a_required_type_makes_whole(lines):
    state, events, *_ = judged(finished_turn() + lines)
    assert state in {"refused", "newer"}
    assert events >= 3


def test_worked_example_e7_keeps_an_unknown_type_that_is_ignorable():
    row = rows.line({"type": "foo/bar", "seq": 3, "time": 1, "data": {}, "ignorable": True})
    assert judged(finished_turn() + row) == ("clean", 4, None, None)


def test_worked_example_e7_refuses_a_malformed_tool_result_although_it_is_last():
    assert judged(finished_turn() + b'{"type":"tool/result","data":{}}\n')[0] == "refused"


# -- storage.md §2.2, what the JSON reader admits

ROW = b'{"type":"todo/write","seq":0,"time":1,"data":{"title":"x","n":1}}\n'


def with_row(line, version=4):
    """Judge a log whose only row this is; give (state, events)."""
    return judged(rows.line(Log(version).header) + line)[:2]


@pytest.mark.parametrize(
    "line",
    [
        ROW[:-1] + b"\r\n",
        b"\t " + ROW,
        ROW.replace(b":", b" : ").replace(b",", b" ,\t"),
        ROW.replace(b'"x"', b'"\xff\xfe"'),
        ROW.replace(b'"x"', b'"\\ud800"'),
        ROW.replace(b'"seq":0', b'"seq":9,"seq":0'),
        ROW.replace(b'"seq":0', b'"seq":0.0'),
        ROW.replace(b'"time":1', b'"time":1e0'),
        ROW.replace(b'"time":1', b'"time":-1'),
        ROW.replace(b'"n":1', b'"n":-0'),
        ROW.replace(b'"n":1', b'"n":1e999'),
        ROW.replace(b'"n":1', b'"n":123456789012345678901234567890'),
        ROW.replace(b'"n":1', b'"n":' + b"9" * 5000),
        ROW.replace(b'"n":1', b'"__proto__":1'),
        ROW.replace(b'"n":1', b'"n":' + b"[" * 100_000 + b"]" * 100_000),
        ROW.replace(b'"x"', '"\u2028\u2029\x85"'.encode()),
    ],
    ids=[
        "crlf",
        "spaces-around",
        "spaces-inside",
        "invalid-utf8",
        "lone-surrogate",
        "repeated-name",
        "seq-double",
        "time-double",
        "time-negative",
        "negative-zero",
        "infinity",
        "beyond-doubles",
        "5000-digits",
        "proto",
        "depth",
        "line-separators",
    ],
)
def test_the_json_reader_admits(line):
    assert with_row(line) == ("clean", 1)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"   \n",
        b"\xef\xbb\xbf" + ROW,
        ROW.replace(b'"n":1', b'"n":NaN'),
        ROW.replace(b'"n":1', b'"n":Infinity'),
        ROW.replace(b'"n":1', b'"n":1,'),
        ROW.replace(b'"n":1', b'"n":1/**/'),
        ROW.replace(b'"n":1', b"'n':1"),
        ROW.replace(b'"n":1', b'"n":01'),
        ROW.replace(b'"seq":0', b'"seq":0,"__proto__":1'),
        ROW.replace(b'"time":1', b'"time":-0'),
        ROW.replace(b'"time":1', b'"time":9007199254740992'),
        b"\0" * 20 + b"\n",
        b"null\n",
        b"[]\n",
        b'"x"\n',
        b"7\n",
        b"\xc2\xa0" + ROW,
    ],
    ids=[
        "empty",
        "blank",
        "byte-order-mark",
        "nan",
        "infinity",
        "trailing-comma",
        "comment",
        "single-quotes",
        "leading-zero",
        "proto-of-the-envelope",
        "time-negative-zero",
        "time-unsafe",
        "zero-bytes",
        "null",
        "array",
        "text",
        "number",
        "no-break-space",
    ],
)
@pytest.mark.parametrize("version", [3, 4])
def test_the_json_reader_takes_for_malformed(line, version):
    assert with_row(line, version) == ("torn", 0)


def test_zero_bytes_behind_the_last_line_feed_are_a_torn_tail():
    assert judged(rows.line(Log(4).header) + ROW + bytes(512))[:2] == ("torn", 1)


# -- upgrades


def test_a_log_is_upgraded_or_the_reasons_are_given():
    older = rows.raw(worked(0).batches())
    done = dshlog.open_log(older).migrate()
    assert (done.opens, done.findings) == (True, ())
    assert dshlog.validate(done.text).version == 4
    assert dshlog.validate(done.text).state == "clean"
    child = {"childId": "c", "childCreatedAt": 1, "descriptorCount": 0, "descriptor": None}
    assert b'"childId":"c"' in dshlog.open_log(older).migrate(children=[child]).text
    with pytest.raises(ValueError, match="childId"):
        dshlog.open_log(older).migrate(children=[{}])
    broken = older.replace(b'"type":"step/end"', b'"type":"demo/note"')
    refused = dshlog.open_log(broken).migrate()
    assert (refused.text, refused.opens) == (None, False)
    assert refused.findings[0].code == "E109"
    assert dshlog.validate(broken).latest.opens is False
    assert dshlog.open_log(rows.raw(worked(4).batches())).migrate() == (None, True, ())

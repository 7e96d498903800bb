"""A rewritten log says the same, in the rows and frames that were asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import build
import rows
from dshlog.codec.packing import pack_chunk_runs
from dshlog.report.examine import examine
from dshlog.report.framing import LARGE
from dshlog.report.lossless import difference, same_bytes
from dshlog.report.repack import Pack
from dshlog.report.rewrite import Rewriting, rewrite, text_pieces
from dshlog.report.rowcheck import RowCheck
from dshlog.storage.frames import walk
from dshlog.storage.jsontext import parse, same
from dshlog.storage.lines import Lines
from dshlog.storage.source import BytesSource
from logbuilder import Log

UNPACK, PACK = Rewriting(unpack=True), Rewriting(unpack=False)
FIXTURES = Path(build.__file__).parent
LOGS = sorted(FIXTURES.glob("v[0-4]/*/session*"))


def conversation(version):
    log = Log(version)
    for words in ("one two three four", "five six seven eight nine"):
        log.turn()
        log.user("hi")
        log.step()
        call = ("c1" + words[:1], "bash", '{"command":"ls -l /tmp"}')
        log.assistant(words, call)
        log.call(call[0])
        log.result(call[0], "done")
        log.end_step()
        log.end_turn()
    return log


def named(version, encoding):
    return f"session.v{version}.jsonl" + (".zstd" if encoding == "zstd" else "")


def run(data, asked, version=0, encoding="raw"):
    """Give the bytes of the result, or those of the source where nothing was to be done."""
    parts = []
    done = rewrite(BytesSource(data), named(version, encoding), asked, parts.append)
    if done.same_bytes:
        return data, done
    return (b"".join(parts) if done.refusal is None else None), done


def text(data, encoding="raw"):
    return b"".join(text_pieces(BytesSource(data), encoding))


def frame_texts(data):
    source = BytesSource(data)
    frames = walk(source)
    spans = [frames.span(at) for at in range(len(frames))]
    return [zstandard.ZstdDecompressor().decompressobj().decompress(data[start:end]) for start, end in spans]


def plain(log):
    return b"".join(map(rows.line, [log.header, *map(rows.stored, log.events)]))


@pytest.mark.parametrize("version", [0, 1])
def test_rows_become_events_and_events_rows(version):
    log = conversation(version)
    packed = rows.raw(log.batches())
    unpacked, done = run(packed, UNPACK, version)
    assert unpacked == plain(log)
    assert done.taken < done.made
    assert run(unpacked, PACK, version)[0] == packed
    assert run(unpacked, UNPACK, version)[1].same_bytes
    assert run(packed, PACK, version)[1].same_bytes


@pytest.mark.parametrize("version", [0, 1])
def test_frames_keep_their_bounds_and_unchanged_ones_their_bytes(version):
    log = conversation(version)
    packed = rows.zstd(log.batches())
    unpacked, _ = run(packed, UNPACK, version, "zstd")
    assert b"".join(frame_texts(unpacked)) == plain(log)
    assert len(frame_texts(unpacked)) == len(frame_texts(packed))
    again, _ = run(unpacked, PACK, version, "zstd")
    assert frame_texts(again) == frame_texts(packed)
    assert unpacked.startswith(rows.frame(rows.line(log.header)))


def test_a_run_is_packed_within_its_frame():
    log = conversation(0)
    events = [*map(rows.stored, log.events)]
    first = next(at for at, event in enumerate(events) if event["type"] == "assistant/chunk") + 3
    frames = [[log.header], events[:first], events[first:]]
    packed, _ = run(rows.zstd(frames), PACK, 0, "zstd")
    expected = [rows.raw([[log.header]]), *(rows.raw([rows.packed(part)]) for part in frames[1:])]
    assert frame_texts(packed) == expected


def test_a_record_that_crosses_frames_moves_into_the_frame_of_its_end():
    log = conversation(0)
    whole = rows.raw(log.batches()[1:])
    cut = whole.index(b'"texts"') + 3
    data = rows.frame(rows.line(log.header)) + rows.frame(whole[:cut]) + rows.frame(whole[cut:])
    unpacked, _ = run(data, UNPACK, 0, "zstd")
    parts = frame_texts(unpacked)
    assert b"".join(parts) == plain(log)
    assert len(parts) == 3
    assert all(part.endswith(b"\n") for part in parts)


def test_a_frame_too_large_to_be_held_is_written_piece_by_piece():
    log = Log(0)
    log.turn()
    log.user("x" * LARGE)
    log.step()
    log.assistant("one two three four")
    log.end_step()
    log.end_turn()
    packed = rows.zstd(log.batches())
    unpacked, _ = run(packed, UNPACK, 0, "zstd")
    assert b"".join(frame_texts(unpacked)) == plain(log)
    assert frame_texts(run(unpacked, PACK, 0, "zstd")[0]) == frame_texts(packed)


def asked(encoding, **more):
    return Rewriting(unpack=False, encoding=encoding, **more)


@pytest.mark.parametrize("version", range(5))
def test_text_to_frames_and_back(version):
    log = conversation(version)
    raw = rows.raw(log.batches())
    for more in ({}, {"one_frame": True}, {"frame_rows": 3}):
        framed, _ = run(raw, asked("zstd", **more), version)
        parts = frame_texts(framed)
        assert parts[0] == rows.line(log.header)
        assert b"".join(parts) == raw
        lines = [part.count(b"\n") for part in parts[1:]]
        if more.get("frame_rows"):
            assert set(lines[:-1]) == {3}
        else:
            assert len(lines) == 1
        assert examine(BytesSource(framed), named(version, "zstd")).native.opens in {True, None}
        assert run(framed, asked("raw"), version, "zstd")[0] == raw


def test_new_frames_are_as_dsh_writes_them():
    framed, _ = run(rows.raw(conversation(4).batches()), asked("zstd", one_frame=True), 4)
    source = BytesSource(framed)
    frames = walk(source)
    # Magic, a descriptor with the checksum flag alone, a window of 2 MiB.
    assert {framed[start : start + 6].hex() for start in frames.starts} == {"28b52ffd0458"}


def test_frames_can_be_cut_anew():
    log = conversation(4)
    data = rows.zstd(log.batches())
    again, _ = run(data, asked("zstd", one_frame=True), 4, "zstd")
    assert len(frame_texts(again)) == 2
    assert text(again, "zstd") == text(data, "zstd")


def test_large_text_is_cut_into_frames():
    log = Log(4)
    log.turn()
    for _ in range(4):
        log.user("y" * 600_000)
    framed, _ = run(rows.raw(log.batches()), asked("zstd"), 4)
    assert len(frame_texts(framed)) >= 3


# -- embedded streams


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("encoding", ["raw", "zstd"])
def test_streams_become_timed_chunks_and_compact_again(version, encoding):
    log = conversation(version)
    data = getattr(rows, encoding)(log.batches())
    assert run(data, UNPACK, version, encoding)[1].same_bytes
    unpacked, done = run(data, Rewriting(unpack=True, streams=True), version, encoding)
    assert done.taken == 2
    streams = [
        event["data"]["stream"]
        for event in map(json.loads, text(unpacked, encoding).splitlines())
        if event["type"] == "assistant/message"
    ]
    assert {record["type"] for stream in streams for record in stream} == {"chunk"}
    assert difference((BytesSource(data), encoding), (BytesSource(unpacked), encoding), version) is None
    assert not examine(BytesSource(unpacked), named(version, encoding), deep=True).findings
    packed, _ = run(unpacked, Rewriting(unpack=False, streams=True), version, encoding)
    assert text(packed, encoding) == text(data, encoding)


def streamed(line):
    """Give the result of packing a log of one message, which is spelled as given."""
    head = b'{"type":"session","version":4,"id":"a","createdAt":1,"isSeeded":false,"delegationDepth":0}\n'
    data = head + line + b"\n"
    parts = []
    done = rewrite(BytesSource(data), "session.v4.jsonl", Rewriting(unpack=True, streams=True), parts.append)
    return None if done.same_bytes else b"".join(parts)[len(head) : -1]


def test_the_rest_of_a_message_keeps_its_spelling():
    run_ = b'[{"type":"text-chunks","time0":1,"index":0,"dt":[],"texts":["a"]}]'
    chunk = b'[{"type":"chunk","time":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}]'
    line = b'{ "type":"assistant/attempt","seq":0,"time":1,"data":{"turn":1.0,"stream":%b}}'
    assert streamed(line % run_) == line % chunk
    # Another spelling of the stream: the whole event is written anew.
    assert streamed(line % run_.replace(b":1,", b": 1,")) == (line % chunk).replace(b"{ ", b"{").replace(b"1.0", b"1")
    # What a second writing would change stays as it is.
    assert streamed(line.replace(b"1.0", b"-0") % run_.replace(b":1,", b": 1,")) is None
    assert streamed(line % b'[{"type":"nothing"}]') is None
    assert streamed(line % b"7") is None
    assert streamed(b'{"stream"}') is None
    assert streamed((line % run_).replace(b"attempt", b"xttempt")) is None
    assert streamed((line % run_).replace(b'"a"', b'"\xff"')) is None


# -- damage


def test_rows_that_dsh_refuses_are_not_rewritten():
    log = conversation(0)
    packed = rows.raw(log.batches())
    lines = packed.splitlines(keepends=True)
    for at in (3, 12):
        broken = b"".join([*lines[:at], b"{]\n", *lines[at:]])
        _, done = run(broken, UNPACK)
        assert done.refusal is not None
        assert done.refusal.code == "L102"
        assert done.refusal.place.line == at + 1
        assert run(broken, asked("zstd"))[1].refusal is None, "no row is touched"
        data, done = run(broken, PACK)
        assert (data, done.same_bytes) == (broken, True)


def test_what_breaks_another_rule_is_still_a_row():
    log = conversation(0)
    log.event("plugin/thing", {})
    unpacked, done = run(rows.raw(log.batches()), UNPACK)
    assert done.refusal is None
    assert examine(BytesSource(rows.raw(log.batches())), named(0, "raw")).state == "newer"
    assert unpacked == plain(log)


def test_a_malformed_row_at_the_end_is_left_as_it_is():
    log = conversation(0)
    log.turn()
    bad = b'{"type":"text-chunks","seq0":1,"time0":1,"data":{}}\n'
    packed = rows.raw(log.batches()) + bad
    unpacked, _ = run(packed, UNPACK)
    before = examine(BytesSource(packed), named(0, "raw"))
    assert before.state == "torn"
    assert unpacked == plain(log) + bad
    framed, _ = run(packed, asked("zstd"))
    assert examine(BytesSource(framed), "session.jsonl.zstd").native == before.native
    assert text(framed, "zstd") == packed


@pytest.mark.parametrize("data", [b"", b"{}\n", b"words", b'{"type":"session","version":9}\n'])
def test_what_is_no_log_of_a_known_generation_is_refused(data):
    for encoding in (None, "zstd"):
        assert run(data, Rewriting(unpack=True, encoding=encoding))[1].refusal is not None, encoding


@pytest.mark.parametrize("cut", [3, 40])
def test_a_torn_line_stays_torn(cut):
    log = conversation(0)
    data = rows.raw(log.batches())[:-cut]
    whole = plain(log)[:-cut]
    assert run(data, UNPACK)[0] == whole
    framed, _ = run(data, asked("zstd"))
    assert text(framed, "zstd") == data
    assert examine(BytesSource(framed), "session.jsonl.zstd").state == "torn"
    assert run(framed, asked("raw"), 0, "zstd")[0] == data


def test_a_torn_frame_is_copied():
    data = rows.zstd(conversation(0).batches())
    torn = data + rows.frame(b'{"type":"turn/start"')[:-2]
    unpacked, _ = run(torn, UNPACK, 0, "zstd")
    assert unpacked.endswith(torn[len(data) :])
    assert frame_texts(run(unpacked, PACK, 0, "zstd")[0]) == frame_texts(data)


def test_a_frame_that_does_not_decompress_is_no_text():
    data = bytearray(rows.zstd(conversation(0).batches()))
    data[-1] ^= 1
    for wanted in (UNPACK, asked("raw"), asked("zstd")):
        assert run(bytes(data), wanted, 0, "zstd")[1].refusal.code == "F108"
    data = rows.zstd(conversation(4).batches()) + bytes(8)
    assert run(data, UNPACK, 4, "zstd")[1].same_bytes
    assert run(data, asked("raw"), 4, "zstd")[1].refusal.code == "F105"


def test_bytes_that_are_no_utf8_and_negative_zeros_stay_where_they_are():
    log = conversation(0)
    packed = rows.raw(log.batches())
    for old, new in ((b'"texts":["one', b'"texts":["\xffne'), (b'"index":0,"dt"', b'"index":-0,"dt"')):
        odd = packed.replace(old, new, 1)
        assert odd != packed
        kept = next(line for line in odd.splitlines() if new in line)
        unpacked, _ = run(odd, UNPACK)
        assert kept in unpacked.splitlines()
        assert run(unpacked, PACK)[0] == odd


def chunk_line(seq, *, time=None, text='"a"', index="0", more=""):
    time = 100 + seq if time is None else time
    chunk = f'{{"type":"text-delta","index":{index},"text":{text}}}'
    line = f'{{"type":"assistant/chunk","seq":{seq},"time":{time},"data":{{"turn":1,"step":1,"chunk":{chunk}}}{more}}}'
    return line.encode() + b"\n"


HEAD = b'{"type":"session","version":0,"id":"a","createdAt":1,"delegationDepth":0}\n'
ODD = (
    # what is odd about the fourth of seven chunks, and how many of them a run before and behind it holds
    ({}, [7]),
    ({"index": "-0"}, [3, 3]),
    ({"index": "0.0"}, [7]),
    ({"index": "false"}, [3, 3]),
    ({"text": "5"}, [3, 3]),
    ({"text": "null"}, [3, 3]),
    ({"text": '["a"]'}, [3, 3]),
    ({"text": '"\\u0061"'}, [7]),
    ({"text": '"\\ud800"'}, [7]),
    ({"text": '"a" '}, [7]),
    ({"more": ',"ignorable":true'}, [3, 3]),
    ({"more": ',"seq":9'}, [3, 3]),
    ({"time": "103.0"}, [7]),
    ({"time": "103.5"}, [3, 3]),
    ({"time": "true"}, [3, 3]),
    ({"time": '"103"'}, [3, 3]),
    ({"time": "-9007199254740991"}, [3, 3]),
    ({"time": "9007199254740992"}, [3, 3]),
)


@pytest.mark.parametrize(("odd", "runs"), ODD)
@pytest.mark.parametrize("encoding", ["raw", "zstd"])
def test_chunks_that_are_spelled_in_another_way(odd, runs, encoding):
    """Compared with packing by the values alone."""
    lines = [chunk_line(seq, **(odd if seq == 3 else {})) for seq in range(7)]
    expected = pack_chunk_runs(map(parse, lines))
    assert [len(row["data"]["texts"]) for row in expected if row["type"] == "text-chunks"] == runs
    change, out = packed_lines(lines, 2, None if encoding == "zstd" else 1 << 20)
    assert same([*map(parse, out)], expected, zero_sign=True)
    assert (change.taken, change.made) == (sum(runs), len(runs))
    assert {line for line in out if b'-chunks"' not in line} <= {*lines}


def packed_lines(lines, at_once, limit=None):
    out: list[bytes] = []
    change, check = Pack(limit), RowCheck(0)
    for at in range(0, len(lines), at_once):
        change.feed(check.read(lines[at : at + at_once]), out)
    change.end(out)
    return change, out


SPELLED = st.sampled_from([{}] * 12 + [odd for odd, _ in ODD] + [{"index": "1"}, {"index": "9007199254740993"}])


@given(st.lists(st.tuples(SPELLED, st.sampled_from([1] * 9 + [0, 2])), max_size=14), st.integers(1, 5))
def test_lines_are_packed_as_their_events_are(spelled, at_once):
    seq, lines = 5, []
    for odd, step in spelled:
        lines.append(chunk_line(seq, **odd))
        seq += step
    _, out = packed_lines(lines, at_once)
    assert same([*map(parse, out)], pack_chunk_runs(map(parse, lines)), zero_sign=True)
    assert {line for line in out if b'-chunks"' not in line} <= {*lines}


def test_a_run_of_a_raw_log_is_cut_when_much_is_held():
    text = "x" * 200_000
    for odd in ("", "\\u0061"):
        data = HEAD + b"".join(chunk_line(seq, text=f'"{odd}{text}"') for seq in range(20))
        packed, _ = run(data, PACK)
        assert difference((BytesSource(data), "raw"), (BytesSource(packed), "raw"), 0) is None
        assert packed.count(b"text-chunks") > 2


@pytest.mark.parametrize("asks", [UNPACK, PACK, asked("zstd"), Rewriting(unpack=True, prove=False)])
def test_a_line_too_large_to_be_held_gives_no_result(monkeypatch, asks):
    monkeypatch.setattr("dshlog.report.rewrite.Lines", lambda: Lines(1000))
    log = conversation(0)
    log.turn()
    log.user("x" * 600_000)
    _, done = run(rows.raw(log.batches()), asks)
    assert (done.unread, done.refusal, done.same_bytes) in {(True, None, False), (False, None, True)}
    assert done.unread or asks is PACK


# -- all fixtures


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.relative_to(FIXTURES).as_posix())
def test_every_fixture_comes_back(path):
    data = path.read_bytes()
    encoding = "zstd" if path.name.endswith(".zstd") else "raw"
    report = examine(BytesSource(data), path.name)
    for first in (UNPACK, PACK):
        parts = []
        done = rewrite(BytesSource(data), path.name, first, parts.append)
        if done.refusal is not None:
            assert report.state in {"refused", "newer", "not-a-log"}
        elif not done.same_bytes:
            made = BytesSource(b"".join(parts))
            assert difference((BytesSource(data), encoding), (made, encoding), report.version) is None
            after = examine(made, path.name)
            assert (after.state, after.native, after.events) == (report.state, report.native, report.events)
    parts = []
    other = {"raw": "zstd", "zstd": "raw"}[encoding]
    done = rewrite(BytesSource(data), path.name, Rewriting(unpack=False, encoding=other, frame_rows=None), parts.append)
    if done.refusal is None and not done.taken:
        assert text(b"".join(parts), other) == text(data, encoding)


# -- the proof


def test_a_difference_is_found_and_counted():
    log = conversation(0)
    packed, unpacked = rows.raw(log.batches()), plain(log)

    def differs(first, second, version=0):
        return difference((BytesSource(first), "raw"), (BytesSource(second), "raw"), version)

    assert differs(packed, unpacked) is None
    assert differs(packed, packed + b"{") == len(log.events) + 1
    for old, new in ((b'"one "', b'"One "'), (b'"time":', b'"time":1'), (b'"step":1', b'"step":2')):
        assert differs(packed, unpacked.replace(old, new, 1)) is not None
    lines = unpacked.splitlines(keepends=True)
    assert differs(packed, b"".join([*lines[:9], *lines[10:]])) == 9
    assert differs(packed, b"".join([*lines[:2], lines[2].replace(b":", b": ", 1), *lines[3:]])) == 2


def test_numbers_that_javascript_cannot_tell_apart_are_no_difference():
    log = conversation(0)
    packed = rows.raw(log.batches()).replace(b'"index":0,"dt"', b'"index":9007199254740993,"dt"')
    unpacked, _ = run(packed, UNPACK)
    assert b'"index":9007199254740992' in unpacked
    assert difference((BytesSource(packed), "raw"), (BytesSource(unpacked), "raw"), 0) is None


def test_streams_are_compared_chunk_by_chunk():
    log = conversation(4)
    data = rows.raw(log.batches())
    unpacked, _ = run(data, Rewriting(unpack=True, streams=True), 4)

    def differs(second):
        return difference((BytesSource(data), "raw"), (BytesSource(second), "raw"), 4)

    assert differs(unpacked) is None
    assert differs(unpacked.replace(b'"text":"one "', b'"text":"One "', 1)) is not None
    assert differs(unpacked.replace(b'"usage":{"inputTokens":100', b'"usage":{"inputTokens":101', 1)) is not None
    assert differs(unpacked.replace(b'"type":"chunk","time"', b'"type":"chunk","tim"', 1)) is not None
    assert differs(unpacked[: unpacked.rindex(b"{")]) is not None
    assert differs(unpacked.replace(b"turn/end", b"turn/End", 1)) is not None


def test_same_bytes():
    assert same_bytes(BytesSource(b"a" * 300_000), BytesSource(b"a" * 300_000))
    assert not same_bytes(BytesSource(b"a" * 300_000), BytesSource(b"a" * 299_999 + b"b"))
    assert not same_bytes(BytesSource(b"a"), BytesSource(b"aa"))


@settings(deadline=None)
@given(st.data())
def test_any_split_into_frames_says_the_same(data):
    log = conversation(0)
    events = [*map(rows.stored, log.events)]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(events) - 1), max_size=4)))
    parts = [events[a:b] for a, b in zip([0, *cuts], [*cuts, len(events)], strict=True)]
    made = rows.zstd([[log.header], *parts])
    packed, _ = run(made, PACK, 0, "zstd")
    assert frame_texts(packed)[1:] == [rows.raw([rows.packed(part)]) for part in parts]
    assert b"".join(frame_texts(run(packed, UNPACK, 0, "zstd")[0])) == plain(log)

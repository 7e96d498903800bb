"""One row of a database as the line of a v0 log, or why it is none."""

from __future__ import annotations

import json

import pytest
import zstandard

from dshlog.codec import dbrows
from dshlog.codec.dbrows import Cells, Malformed, Text, event_line, header_line, lost_line

SOUND = Cells(Text(b"turn/start"), 7, 5, Text(b'{"turn":1}'), None, None, None)
PIECES = {"turn": 1, "step": 1, "index": 0}


def frame(data, **options):
    return zstandard.ZstdCompressor(level=3, **options).compress(data)


def packed(members, **changed):
    data = {**PIECES, "dt": [1] * (members - 1), "texts": ["x"] * members}
    text = json.dumps(data, separators=(",", ":")).encode()
    return Cells(Text(b"text-chunks"), 3, 5, Text(text), None, None, 0)._replace(**changed)


def fault_of(row, schema=17):
    with pytest.raises(Malformed) as raised:
        event_line(row, schema)
    return raised.value.fault


# -- events


@pytest.mark.parametrize("schema", [15, 17])
def test_a_row_becomes_a_line_in_the_order_of_the_writer(schema):
    sources = Text(b"[3,4]") if schema == 15 else b"\x03\x02"
    row = SOUND._replace(source_event_seqs=sources, surface_op=Text(b'"append"'), ignorable=1)
    assert event_line(row, schema) == (
        b'{"type":"turn/start","seq":7,"time":5,"data":{"turn":1},"sourceEventSeqs":[3,4],'
        b'"surfaceOp":"append","ignorable":true}\n'
    )


def test_json_is_not_written_anew():
    text = b'{ "b" : 1.50e3,\n\t"a":"\xc3\xa9 \\u0041" , "1":-0 }'
    assert event_line(SOUND._replace(data=Text(text)), 17) == (
        b'{"type":"turn/start","seq":7,"time":5,"data":' + text.replace(b"\n", b" ") + b"}\n"
    )


@pytest.mark.parametrize("options", [{}, {"write_checksum": True}, {"write_content_size": False}])
def test_a_payload_may_be_a_frame(options):
    text = b'{"text":"%s"}' % (b"a" * 9000)
    assert event_line(SOUND._replace(data=frame(text, **options)), 17).endswith(b'"data":' + text + b"}\n")


@pytest.mark.parametrize(
    ("changed", "schema", "name", "column"),
    [
        ({"data": None}, 17, "row-cell-type", "data"),
        ({"data": 5}, 17, "row-cell-type", "data"),
        ({"data": 1.5}, 15, "row-cell-type", "data"),
        ({"data": frame(b"{}")}, 15, "row-cell-type", "data"),
        ({"data": b""}, 17, "row-data-undecodable", "data"),
        ({"data": b"{}"}, 17, "row-data-undecodable", "data"),
        ({"data": frame(b"{}")[:-1]}, 17, "row-data-undecodable", "data"),
        ({"data": frame(b"{}") + b"\0"}, 17, "row-data-undecodable", "data"),
        ({"data": frame(b"1") + frame(b"2")}, 17, "row-data-undecodable", "data"),
        ({"data": frame(b'"\xff"')}, 17, "row-data-undecodable", "data"),
        ({"data": Text(b"")}, 17, "row-not-json", "data"),
        ({"data": Text(b"{}{}")}, 17, "row-not-json", "data"),
        ({"data": Text(b'{"a":1},"seq":9')}, 17, "row-not-json", "data"),
        ({"data": Text(b"NaN")}, 17, "row-not-json", "data"),
        ({"data": frame(b"{")}, 17, "row-not-json", "data"),
        ({"source_event_seqs": Text(b"[1]")}, 17, "row-cell-type", "source_event_seqs"),
        ({"source_event_seqs": 1}, 17, "row-cell-type", "source_event_seqs"),
        ({"source_event_seqs": b"\x80"}, 17, "row-sources-malformed", "source_event_seqs"),
        ({"source_event_seqs": b"\x01"}, 15, "row-cell-type", "source_event_seqs"),
        ({"source_event_seqs": Text(b"[1")}, 15, "row-not-json", "source_event_seqs"),
        ({"source_event_seqs": Text(b"[[1,3]]")}, 15, "row-sources-malformed", "source_event_seqs"),
        ({"surface_op": 1}, 17, "row-cell-type", "surface_op"),
        ({"surface_op": b'"append"'}, 17, "row-cell-type", "surface_op"),
        ({"surface_op": Text(b"append")}, 17, "row-not-json", "surface_op"),
        ({"ignorable": 2}, 17, "row-cell-type", "ignorable"),
        ({"ignorable": Text(b"1")}, 17, "row-cell-type", "ignorable"),
        ({"ignorable": b"\x01"}, 17, "row-cell-type", "ignorable"),
        ({"ignorable": 0}, 15, "row-cell-type", "ignorable"),
        ({"ignorable": 0}, 17, "row-packed-malformed", "type"),
        ({"type": None, "ignorable": 0}, 17, "row-packed-malformed", "type"),
    ],
)
def test_each_cell_has_its_types(changed, schema, name, column):
    fault = fault_of(SOUND._replace(**changed), schema)
    assert (fault.name, fault.path) == (name, f"events.{column}")


@pytest.mark.parametrize(
    ("changed", "member"),
    [
        ({"type": None}, b'"type":null'),
        ({"type": b"x"}, b'"type":{}'),
        ({"type": Text(b"\xff")}, '"type":"\ufffd"'.encode()),
        ({"seq": None}, b'"seq":null'),
        ({"seq": 7.5}, b'"seq":7.5'),
        ({"seq": -1}, b'"seq":-1'),
        ({"seq": Text(b"7")}, b'"seq":"7"'),
        ({"time": Text(b"x")}, b'"time":"x"'),
        ({"time": b""}, b'"time":{}'),
    ],
)
def test_what_the_judge_judges_is_handed_on(changed, member):
    line = event_line(SOUND._replace(**changed), 17)
    json.loads(line)
    assert member in line


# -- packed rows


@pytest.mark.parametrize("members", [3, 4, 1024])
def test_a_packed_row_becomes_one(members):
    line = json.loads(event_line(packed(members), 17))
    assert (line["type"], line["seq0"], line["time0"], len(line["data"]["texts"])) == ("text-chunks", 3, 5, members)


@pytest.mark.parametrize("members", [1, 2, 1025])
def test_a_packed_row_has_3_to_1024_members(members):
    fault = fault_of(packed(members))
    assert fault.name == "row-packed-malformed"
    assert str(members) in fault.message


@pytest.mark.parametrize(
    "changed",
    [
        {"source_event_seqs": b"\x01"},
        {"surface_op": Text(b'"append"')},
        {"data": Text(b'{"turn":1,"step":1,"index":0,"dt":[1,2,3],"texts":["a","b","c"]}')},
        {"data": Text(b"[]")},
        {"data": Text(b'{"turn":1,"step":1,"index":0,"dt":[1,2],"texts":["a","b","%s"]}' % (b"c" * (1 << 20)))},
        {"data": frame(b'{"turn":1,"step":1,"index":0,"dt":[1,2],"texts":["a","b","%s"]}' % (b"c" * (1 << 20)))},
        {"seq": -1},
        {"seq": Text(b"3")},
        {"time": None},
    ],
)
def test_a_packed_row_is_as_dsh_packs_it(changed):
    assert fault_of(packed(3, **changed)).name == "row-packed-malformed"


@pytest.mark.parametrize("ignorable", [None, 1])
@pytest.mark.parametrize("schema", [15, 17])
def test_a_packed_tag_without_the_mark_is_an_event_that_nobody_knows(ignorable, schema):
    fault = fault_of(packed(3, ignorable=ignorable), schema)
    assert fault.name == "row-packed-malformed"
    assert "one event of type text-chunks" in fault.message


# -- limits


def test_a_payload_that_unfolds_without_end_is_left(monkeypatch):
    monkeypatch.setattr(dbrows, "MAX_LINE", 1 << 16)
    fault = fault_of(SOUND._replace(data=frame(bytes(1 << 20))))
    assert fault.name == "line-too-long"


def test_a_lost_line_is_short_one_line_and_never_json():
    row = SOUND._replace(type=Text(b"a\nb"), data=Text(b"x" * 5000), source_event_seqs=b"\n" * 5000)
    line = lost_line(row, "why\nnot")
    assert line.count(b"\n") == 1
    assert len(line) < 3000
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(line)


# -- headers


def test_a_header_leaves_null_out():
    cells = (0, Text(b"k"), 7, Text(b"/home"), None, None, None, 0, None)
    line, fault = header_line(cells)
    assert line == b'{"type":"session","version":0,"id":"k","createdAt":7,"cwd":"/home","delegationDepth":0}\n'
    assert fault is None


@pytest.mark.parametrize("version", [1, -1, None, 0.5, Text(b"0"), b"0"])
def test_a_session_of_another_version_is_told(version):
    _, fault = header_line((version, Text(b"k"), 7, None, None, None, None, 0, None))
    assert fault.name == "database-session-version"

"""One reading gives container, header and lines; what is wrong with them is noted where it stands."""

from __future__ import annotations

import pytest

import rows
from dshlog.report.reading import Reading
from dshlog.storage.lines import MAX_LINE
from dshlog.storage.source import WINDOW, BytesSource
from logbuilder import Log, header

EVERY = [0, 1, 2, 3, 4]
HEADER = rows.line(header(4))
FIRST, SECOND = b'{"type":"turn/start"}\n', b'{"type":"turn/end"}\n'


class Repeated:
    """A source that stands for one line of any length, without holding it."""

    def __init__(self, head, unit, count):
        self.head, self.unit, self.count = head, unit, count
        self.size = len(head) + len(unit) * count + 1

    def chunks(self, start=0, end=None):
        assert (start, end) == (0, None)
        yield self.head
        for _ in range(self.count):
            yield self.unit
        yield b"\n"

    def read(self, start, count):
        return (self.head + self.unit)[start : start + count]


def broken(frame):
    """Give a frame with a wrong checksum."""
    return frame[:-1] + bytes([frame[-1] ^ 1])


def read(data, **options):
    """Read bytes; give the reading and its batches, which stand behind a known header only."""
    reading = Reading(BytesSource(data), **options)
    if reading.header is None:
        return reading, []
    return reading, [(lines, at, end, reading.in_torn) for lines, at, end in reading.batches()]


def names(reading):
    return [draft.fault.name for draft in reading.drafts]


def noted(data, **options):
    return names(read(data, **options)[0])


def lines_of(batches):
    return [line for lines, *_ in batches for line in lines]


@pytest.mark.parametrize("version", EVERY)
def test_a_sound_log_is_read_without_a_fault(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user("hi")
    for data in (rows.raw(log.batches()), rows.zstd(log.batches())):
        reading, batches = read(data)
        assert reading.drafts == []
        assert (reading.version, reading.header.version, reading.header.id) == (version, version, "demo")
        assert reading.value == log.header
        assert reading.header_line == rows.line(log.header)[:-1]
        text = rows.raw(log.batches())
        assert reading.header_end == len(rows.line(log.header))
        assert b"".join(lines_of(batches)) == text[reading.header_end :]
        assert reading.consumed == len(text)


@pytest.mark.parametrize("frame_of", [lambda line: line, rows.frame], ids=["raw", "zstd"])
def test_batches_say_where_they_stand_in_the_text(frame_of):
    data = b"".join(map(frame_of, [HEADER, FIRST, SECOND + FIRST]))
    _, batches = read(data)
    at = len(HEADER)
    for lines, start, end, _ in batches:
        assert start == at or not lines
        assert end - start == sum(map(len, lines)) or not lines
        at = end
    assert at == len(HEADER + FIRST + SECOND + FIRST)


def test_a_log_of_a_header_alone_is_sound():
    for data in (HEADER, rows.frame(HEADER)):
        reading, batches = read(data)
        assert (reading.drafts, lines_of(batches)) == ([], [])


# -- the first line


def test_r5_a_raw_file_without_a_byte_is_empty():
    assert noted(b"") == ["empty-file"]
    assert noted(b"", encoding="zstd") == ["empty-file"]


@pytest.mark.parametrize("data", [HEADER[:-1], b"{", b"\0\0", b" "])
def test_r5_a_raw_file_without_a_line_feed_has_no_header(data):
    reading, _ = read(data)
    assert names(reading) == ["header-missing"]
    assert (reading.value, reading.header, reading.header_line) == (None, None, None)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"  \n",
        b"{\n",
        b"\xef\xbb\xbf" + HEADER,
        b"not json\n",
        b"{'type':'session'}\n",
        HEADER[:-2] + b",}\n",
        HEADER[:-2] + b',"x":NaN}\n',
    ],
)
def test_r8_a_header_that_is_not_json_is_refused(line):
    reading, _ = read(line + FIRST)
    assert names(reading) == ["header-not-json"]
    assert (reading.value, reading.header) == (None, None)
    assert reading.header_line == line[:-1]


@pytest.mark.parametrize("line", [b"null\n", b"[]\n", b"1\n", b'"session"\n', b"{}\n", b'{"type":"turn/start"}\n'])
def test_r8_a_header_is_an_object_of_type_session(line):
    reading, _ = read(line + FIRST)
    assert names(reading) == ["header-not-session"]
    assert reading.value is None


@pytest.mark.parametrize(
    "line",
    [
        HEADER[:-1] + b"\r\n",
        b" \t" + HEADER,
        HEADER.replace(b'"id":"demo"', b'"id":"other","id":"demo"'),
        HEADER.replace(b'"version":4', b'"version":4.0'),
        HEADER.replace(b'"cwd":"/home/u/demo"', b'"cwd":"/home/\xff"'),
        HEADER.replace(b'"cwd":"/home/u/demo"', b'"cwd":"/home/\\ud800"'),
    ],
    ids=["crlf", "spaces", "repeated", "double", "invalid-utf8", "surrogate"],
)
def test_what_javascript_reads_is_a_header(line):
    reading, _ = read(line + FIRST)
    assert reading.drafts == []
    assert reading.header.id == "demo"


def test_a_member_that_javascript_never_hides_is_unknown():
    assert noted(HEADER[:-2] + b',"__proto__":1}\n') == ["header-member-unknown"]


@pytest.mark.parametrize("version", [5, 6, 99, 2**53 - 1])
def test_r9_a_version_above_the_known_ones_is_newer_and_nothing_else_is_looked_at(version):
    reading, _ = read(rows.line({"type": "session", "version": version, "id": 7, "new": True}))
    assert names(reading) == ["header-version-newer"]
    assert (reading.version, reading.header) == (version, None)
    assert reading.value["version"] == version


@pytest.mark.parametrize("version", ["4", -1, 0.5, None, True, []])
def test_a_version_that_is_no_count_is_invalid(version):
    reading, _ = read(rows.line({**header(4), "version": version}))
    assert names(reading) == ["header-version-invalid"]
    assert (reading.version, reading.header) == (None, None)


def test_a_faulty_header_of_a_known_generation_is_salvaged():
    reading, batches = read(rows.line(header(4, createdAt=-1, extra=1)) + FIRST)
    assert sorted(names(reading)) == ["header-member-malformed", "header-member-unknown"]
    assert reading.header.id == "demo"
    assert lines_of(batches) == [FIRST]


def test_faults_of_the_header_stand_in_line_1():
    reading, _ = read(rows.line(header(4, createdAt=-1)))
    (draft,) = reading.drafts
    assert (draft.line, draft.offset, draft.fault.path) == (1, 0, "$.createdAt")


def test_unknown_members_of_a_v0_header_do_not_refuse_the_log():
    for version in EVERY:
        (draft,) = read(rows.line(header(version, extra=1)))[0].drafts
        assert draft.fatal is (version > 0)


def test_a_header_line_above_the_window_is_read():
    line = rows.line(header(4, agentPreset="x" * (2 * WINDOW)))
    for data in (line + FIRST, rows.frame(line) + rows.frame(FIRST)):
        reading, batches = read(data)
        assert reading.drafts == []
        assert reading.header_end == len(line)
        assert lines_of(batches) == [FIRST]


def test_a_first_line_above_the_limit_is_not_held():
    unit = b"x" * WINDOW
    reading = Reading(Repeated(HEADER[:-2], unit, MAX_LINE // WINDOW + 1))
    assert names(reading) == ["line-too-long"]
    assert len(reading.header_line or b"") < WINDOW
    assert reading.header_end == len(HEADER) - 2 + len(unit) * (MAX_LINE // WINDOW + 1) + 1


# -- the end of a raw log


def test_bytes_behind_the_last_line_feed_are_a_torn_line_even_when_they_are_json():
    for tail in (b"{", SECOND[:-1], b"\0" * 64, b" "):
        reading, batches = read(HEADER + FIRST + tail)
        assert lines_of(batches) == [FIRST]
        (draft,) = reading.drafts
        assert (draft.fault.name, draft.offset, draft.fatal) == ("torn-line", len(HEADER + FIRST), False)
        assert reading.consumed == len(HEADER + FIRST + tail)


# -- frames


def test_r6_a_zstd_log_without_a_complete_frame_is_refused():
    frame = rows.frame(HEADER)
    for cut in range(4, len(frame)):
        reading, _ = read(frame[:cut])
        assert (names(reading), reading.header) == (["no-complete-frame"], None)
    for cut in range(1, 4):
        assert noted(frame[:cut], encoding="zstd") == ["no-complete-frame"]


@pytest.mark.parametrize("first", [HEADER + FIRST, HEADER + b"\n", HEADER + b"x", HEADER[:-1], b""])
def test_r7_the_first_frame_is_exactly_the_header_line(first):
    assert noted(rows.frame(first) + rows.frame(b"\n" + FIRST))[0] == "header-frame-shared"


def test_a_header_frame_with_more_lines_is_read_all_the_same():
    reading, batches = read(rows.frame(HEADER + FIRST) + rows.frame(SECOND))
    assert reading.header.id == "demo"
    assert lines_of(batches) == [FIRST, SECOND]
    (draft,) = reading.drafts
    assert (draft.line, draft.frame, draft.frame_at, draft.fatal) == (1, 0, 0, True)


@pytest.mark.parametrize(
    "tail, name",
    [
        (b"junk", "foreign-bytes"),
        (bytes(64), "zero-padding"),
        (b"\x50\x2a\x4d\x18\0\0\0\0", "skippable-frame"),
        (b"\x28\xb5\x2f\xfd\x08\x58", "reserved-bits"),
        (b"\x28\xb5\x2f\xfd\x04\x58\x06\0\0", "reserved-bits"),
    ],
)
def test_r18_damage_of_the_structure_is_noted_with_its_place(tail, name):
    head = rows.frame(HEADER) + rows.frame(FIRST)
    reading, batches = read(head + tail)
    (draft,) = reading.drafts
    assert (draft.fault.name, draft.frame, draft.fatal) == (name, 2, True)
    assert len(head) <= draft.frame_at < len(head + tail)
    assert lines_of(batches) == [FIRST]
    alone, _ = read(tail, encoding="zstd")
    assert (names(alone), alone.header) == ([name], None)


def test_r19_a_frame_that_fails_is_noted_with_its_place():
    parts = [rows.frame(HEADER), rows.frame(FIRST), broken(rows.frame(SECOND)), rows.frame(FIRST)]
    reading, batches = read(b"".join(parts))
    (draft,) = reading.drafts
    assert (draft.fault.name, draft.frame, draft.fatal) == ("frame-undecodable", 2, True)
    assert draft.frame_at == len(parts[0] + parts[1])
    assert lines_of(batches) == [FIRST]


def test_r19_a_header_frame_that_fails_is_told_so():
    reading, _ = read(broken(rows.frame(HEADER)) + rows.frame(FIRST))
    assert names(reading) == ["frame-undecodable"]


def test_r19_a_header_frame_that_fails_gives_no_header():
    reading, _ = read(broken(rows.frame(HEADER)) + rows.frame(FIRST))
    assert reading.value is None
    assert any(draft.fatal for draft in reading.drafts)


def test_r20_complete_frames_that_end_inside_a_record_are_damage():
    reading, batches = read(rows.frame(HEADER) + rows.frame(FIRST + SECOND[:5]))
    (draft,) = reading.drafts
    assert (draft.fault.name, draft.offset, draft.fatal) == ("record-without-end", len(HEADER + FIRST), True)
    assert lines_of(batches) == [FIRST]
    assert reading.rest_length == 5


def test_a_record_may_cross_complete_frames():
    reading, batches = read(rows.frame(HEADER) + rows.frame(FIRST[:5]) + rows.frame(FIRST[5:] + SECOND))
    assert reading.drafts == []
    assert lines_of(batches) == [FIRST, SECOND]


def test_lines_of_a_torn_frame_stand_apart():
    frame = rows.frame(SECOND + FIRST)
    reading, batches = read(rows.frame(HEADER) + rows.frame(FIRST) + frame[:-2])
    (draft,) = reading.drafts
    assert (draft.fault.name, draft.frame, draft.fatal) == ("torn-frame", 2, False)
    assert [(line, torn) for lines, _, _, torn in batches for line in lines] == [
        (FIRST, False),
        (SECOND, True),
        (FIRST, True),
    ]
    assert reading.in_torn


def test_half_a_line_of_a_torn_frame_is_dropped():
    stored = b"\x28\xb5\x2f\xfd\x00\x58" + (len(FIRST + SECOND) << 3 | 1).to_bytes(3, "little") + FIRST + SECOND
    reading, batches = read(rows.frame(HEADER) + stored[:-3])
    assert lines_of(batches) == [FIRST]
    assert names(reading) == ["torn-frame"]


def test_a_torn_frame_behind_half_a_record_gives_no_lines():
    reading, batches = read(rows.frame(HEADER) + rows.frame(FIRST[:5]) + rows.frame(FIRST[5:] + SECOND)[:-1])
    assert sorted(names(reading)) == ["record-without-end", "torn-frame"]
    assert lines_of(batches) == []


def test_a_torn_frame_behind_a_bad_one_gives_no_lines():
    _, batches = read(rows.frame(HEADER) + broken(rows.frame(FIRST)) + rows.frame(SECOND)[:-1])
    assert lines_of(batches) == []


def test_a_file_that_is_not_zstd_may_be_said_to_be():
    assert noted(HEADER + FIRST, encoding="zstd") == ["foreign-bytes"]
    assert noted(rows.frame(HEADER) + b"\n", encoding="raw") == ["header-not-json"]

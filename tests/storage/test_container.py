"""A log is one text, whether it is stored raw or in frames; every piece of it can be traced to its frame."""

from __future__ import annotations

from hashlib import shake_256

import pytest

import rows
from dshlog.storage.container import Container, sniff
from dshlog.storage.source import WINDOW, BytesSource

NOISE = shake_256(b"noise").digest(700_000)


def broken(frame):
    """Give a frame with a wrong checksum."""
    return frame[:-1] + bytes([frame[-1] ^ 1])


def contained(data, **options):
    return Container(BytesSource(data), **options)


def text_of(container):
    return b"".join(container.text())


@pytest.mark.parametrize(
    "head, encoding",
    [
        (b"", "raw"),
        (b'{"type":"session"}\n', "raw"),
        (rows.frame(b""), "zstd"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\x28\xb5\x2f", "raw"),
        *((bytes([low]) + b"\x2a\x4d\x18", "zstd") for low in range(0x50, 0x60)),
        (b"\x4f\x2a\x4d\x18", "raw"),
        (b"\x60\x2a\x4d\x18", "raw"),
        (b"\x50\x2a\x4d", "raw"),
    ],
)
def test_the_first_four_bytes_tell_the_encoding(head, encoding):
    assert sniff(BytesSource(head)) == encoding
    assert contained(head).encoding == encoding


def test_an_encoding_that_is_given_is_not_doubted():
    frame = rows.frame(b"one\n")
    assert text_of(contained(frame, encoding="raw")) == frame
    container = contained(b"plain\n", encoding="zstd")
    assert text_of(container) == b""
    assert container.frames.fault.kind == "foreign-bytes"


def test_a_raw_log_is_its_own_text_and_has_no_frames():
    data = bytes(range(256)) * 3000
    container = contained(data, encoding="raw")
    assert text_of(container) == data
    assert list(container.torn_text()) == []
    assert container.frames is None
    with pytest.raises(ValueError, match="no frames"):
        container.header_frame()
    with pytest.raises(ValueError, match="no frames"):
        container.locate([0])


def test_frames_are_one_text_and_records_may_cross_them():
    assert text_of(contained(rows.frame(b"on") + rows.frame(b"") + rows.frame(b"e\ntwo\n"))) == b"one\ntwo\n"


def test_a_file_without_a_complete_frame_has_no_text():
    container = contained(rows.frame(b"one\n")[:-2])
    assert text_of(container) == b""
    assert b"".join(container.torn_text()) == b"one\n"
    assert text_of(contained(b"", encoding="zstd")) == b""


def test_the_text_of_a_torn_frame_stands_apart():
    container = contained(rows.frame(b"one\n") + rows.frame(b"two\n")[:-1])
    assert text_of(container) == b"one\n"
    assert b"".join(container.torn_text()) == b"two\n"
    assert list(contained(rows.frame(b"one\n")).torn_text()) == []


def test_frames_before_a_damaged_place_keep_their_text():
    container = contained(rows.frame(b"one\n") + b"junk" + rows.frame(b"two\n"))
    assert text_of(container) == b"one\n"
    assert container.bad_frame is None
    assert list(container.torn_text()) == []


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8])
def test_the_first_frame_that_fails_is_found_and_what_stands_before_it_is_whole(count):
    frames = [rows.frame(b"line %d\n" % index) for index in range(count)]
    for bad in range(count):
        for also in range(bad, count):
            data = [broken(frame) if index in {bad, also} else frame for index, frame in enumerate(frames)]
            container = contained(b"".join(data))
            assert text_of(container) == b"".join(b"line %d\n" % index for index in range(bad))
            assert container.bad_frame == bad


def test_sound_frames_leave_no_bad_one():
    container = contained(rows.frame(b"one\n") * 3)
    assert container.bad_frame is None
    text_of(container)
    assert container.bad_frame is None


def test_a_long_text_before_a_bad_frame_is_given_once():
    container = contained(rows.frame(NOISE) + rows.frame(b"end\n") + broken(rows.frame(b"bad\n")))
    assert text_of(container) == NOISE + b"end\n"
    assert container.bad_frame == 2


def test_text_of_a_long_bad_frame_is_an_overrun_and_left_out_by_the_second_reading():
    data = rows.frame(b"one\n") + broken(rows.frame(NOISE))
    container = contained(data)
    assert text_of(container).startswith(b"one\n")
    assert (container.bad_frame, container.overrun) == (1, True)
    again = Container(BytesSource(data), "zstd", stop_frame=1)
    assert text_of(again) == b"one\n"
    assert (again.bad_frame, again.overrun) == (1, False)


def test_the_header_frame_tells_how_it_ends_its_lines():
    assert contained(rows.frame(b"header\n") + rows.frame(b"a\nb\n")).header_frame() == (1, True)
    assert contained(rows.frame(b"header\nmore\n")).header_frame() == (2, True)
    assert contained(rows.frame(b"header\nmore")).header_frame() == (1, False)
    assert contained(rows.frame(b"header") + rows.frame(b"\n")).header_frame() == (0, False)
    assert contained(rows.frame(b"")).header_frame() == (0, False)
    assert contained(broken(rows.frame(b"header\n"))).header_frame() is None


def test_a_log_that_is_one_huge_frame_is_not_read_whole_for_its_header():
    container = contained(rows.frame(b"\n" * 3_000_000))
    feeds, ends = container.header_frame()
    assert 1 < feeds <= WINDOW
    assert ends


def test_a_header_line_above_the_window_is_followed_to_its_end():
    line = b"x" * (WINDOW + 10) + b"\n"
    assert contained(rows.frame(line)).header_frame() == (1, True)


def test_every_text_offset_is_traced_to_its_frame():
    words = [b"one\n", b"", b"three\n", b"4\n"]
    container = contained(b"".join(map(rows.frame, words)))
    owners = [index for index, word in enumerate(words) for _ in word]
    assert container.locate(range(len(owners))) == dict(enumerate(owners))
    assert container.locate([5, 0, 5, 11]) == {0: 0, 5: 2, 11: 3}
    assert container.locate([]) == {}


def test_an_offset_behind_the_text_belongs_to_no_frame():
    container = contained(rows.frame(b"one\n") * 2)
    assert container.locate([7, 8, 1000]) == {7: 1}


def test_an_offset_in_a_torn_frame_has_the_number_after_the_complete_ones():
    container = contained(rows.frame(b"one\n") + rows.frame(b"two\n")[:-1])
    assert container.locate([3, 4, 7, 8]) == {3: 0, 4: 1, 7: 1}


def test_offsets_are_traced_up_to_the_frame_that_fails():
    container = contained(rows.frame(b"one\n") + broken(rows.frame(b"two\n")) + rows.frame(b"three\n"))
    assert container.locate([0, 5, 9]) == {0: 0}


def test_offsets_of_a_long_frame_are_traced_without_holding_its_text():
    container = contained(rows.frame(b"one\n") + rows.frame(NOISE) + rows.frame(b"end\n"))
    wanted = [4, WINDOW, 2 * WINDOW, len(NOISE) + 3, len(NOISE) + 4]
    assert container.locate(wanted) == dict(zip(wanted, [1, 1, 1, 1, 2], strict=True))


def test_bytes_in_memory_are_read_in_windows():
    data = bytes(2 * WINDOW + 3)
    source = BytesSource(data)
    assert source.size == len(data)
    assert [len(chunk) for chunk in source.chunks()] == [WINDOW, WINDOW, 3]
    assert [len(chunk) for chunk in source.chunks(WINDOW + 1, 2 * WINDOW)] == [WINDOW - 1]
    assert [len(chunk) for chunk in source.chunks(2 * WINDOW, 5 * WINDOW)] == [3]
    assert source.read(len(data) - 2, 10) == b"\0\0"

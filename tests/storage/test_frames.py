"""Frames are found by their structure alone: which are complete, where a file is torn, where it is damaged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rows
from dshlog.storage.frames import MAGIC, walk
from dshlog.storage.source import WINDOW, BytesSource
from logbuilder import Log

RAW, RLE, COMPRESSED, RESERVED = range(4)  # block types
CHECKSUM = 0x04  # descriptor bit
SINGLE = 0x20  # descriptor bit


def block(content, *, kind=RAW, last=True, size=None):
    """Give one block: a header of three bytes, and its content."""
    head = (len(content) if size is None else size) << 3 | kind << 1 | last
    return head.to_bytes(3, "little") + content


def frame(*blocks, descriptor=CHECKSUM, header=b"\x58", checksum=b"sum!"):
    """Give a frame; nothing in it needs to decompress."""
    body = b"".join(blocks or [block(b"content")])
    return MAGIC + bytes([descriptor]) + header + body + (checksum if descriptor & CHECKSUM else b"")


def header_length(descriptor):
    """Count the bytes between the descriptor and the first block."""
    single, dictionary, size = descriptor & SINGLE, (0, 1, 2, 4)[descriptor & 3], descriptor >> 6
    return (0 if single else 1) + dictionary + ((1 if single else 0) if size == 0 else 1 << size)


def frames_of(data):
    return walk(BytesSource(data))


def scan(data):
    """Walk as the specification writes it: (starts, where torn, where damaged)."""
    at, starts = 0, []
    while at < len(data):
        start = at
        if len(data) - at < 4:
            return starts, start, None
        if data[at : at + 4] != MAGIC:
            return starts, None, start
        at += 4
        if at == len(data):
            return starts, start, None
        descriptor = data[at]
        if descriptor & 0x18:
            return starts, None, start
        at += 1 + header_length(descriptor)
        last = 0
        while not last:
            if at + 3 > len(data):
                return starts, start, None
            head = int.from_bytes(data[at : at + 3], "little")
            if head >> 1 & 3 == RESERVED:
                return starts, None, at
            at += 3 + (1 if head >> 1 & 3 == RLE else head >> 3)
            if at > len(data):
                return starts, start, None
            last = head & 1
        at += 4 if descriptor & CHECKSUM else 0
        if at > len(data):
            return starts, start, None
        starts.append(start)
    return starts, None, None


def told(data):
    """Give the walk in the same words."""
    frames = frames_of(data)
    return list(frames.starts), frames.torn, None if frames.fault is None else frames.fault.at


def two_turns():
    """Give the frames of a small log as dsh writes them."""
    log = Log(4)
    for _ in range(2):
        log.turn()
        log.step()
        log.user("hello")
        log.assistant("hi")
        log.end_step()
        log.end_turn()
    return rows.frames(log.batches())


def test_an_empty_file_has_no_frame_and_no_fault():
    frames = frames_of(b"")
    assert (len(frames), frames.torn, frames.fault, frames.end, frames.size) == (0, None, None, 0, 0)


def test_frames_touch_and_each_has_its_place():
    parts = two_turns()
    data = b"".join(parts)
    frames = frames_of(data)
    ends = [sum(map(len, parts[: i + 1])) for i in range(len(parts))]
    assert [frames.span(i) for i in range(len(frames))] == list(zip([0, *ends[:-1]], ends, strict=True))
    assert (frames.end, frames.size, frames.torn, frames.fault) == (len(data), len(data), None, None)


def test_every_byte_belongs_to_the_frame_around_it():
    parts = two_turns()
    frames = frames_of(b"".join(parts))
    held = [frames.holding(at) for at in range(frames.size)]
    assert held == [index for index, part in enumerate(parts) for _ in part]


@pytest.mark.parametrize("descriptor", [d for d in range(256) if not d & 0x18])
def test_the_descriptor_tells_how_long_the_frame_header_is(descriptor):
    one = frame(descriptor=descriptor, header=b"\x00" * header_length(descriptor))
    frames = frames_of(one + frame())
    assert list(frames.starts) == [0, len(one)]
    assert frames.end == len(one + frame())


def test_the_longest_frame_header_has_thirteen_bytes_behind_the_descriptor():
    # Window, dictionary id of four bytes, content size of eight.
    assert header_length(0xC3) == 13
    data = frame(descriptor=0xC3 | CHECKSUM, header=b"\x00" * 13)
    assert [told(data[:cut]) for cut in (17, 18, 20, 21)] == [([], 0, None)] * 4
    assert told(data) == ([0], None, None)


@pytest.mark.parametrize("bits", [0x08, 0x10, 0x18])
def test_reserved_descriptor_bits_are_damage(bits):
    frames = frames_of(frame() + frame(descriptor=CHECKSUM | bits))
    assert len(frames) == 1
    assert (frames.fault.kind, frames.fault.at) == ("reserved-bits", len(frame()))


def test_reserved_bits_are_seen_before_a_frame_header_that_is_cut_off():
    frames = frames_of(MAGIC + b"\x08")
    assert (frames.torn, frames.fault.kind) == (None, "reserved-bits")


def test_a_reserved_block_type_is_damage_even_when_its_content_is_cut_off():
    sound = block(b"abc", last=False)
    data = frame(sound, block(b"", kind=RESERVED, size=1000))
    frames = frames_of(data[:-4])
    assert (frames.torn, frames.fault.kind) == (None, "reserved-block")
    assert frames.fault.at == 6 + len(sound)


@pytest.mark.parametrize(
    "data",
    [
        frame(),
        frame(descriptor=0),
        frame(descriptor=SINGLE | CHECKSUM, header=b"\x07"),
        frame(descriptor=0xC4, header=b"\x58" + bytes(8)),
        frame(
            block(b"abc", last=False), block(b"x", kind=RLE, size=1 << 16, last=False), block(b"de", kind=COMPRESSED)
        ),
        frame(block(b"")),
        rows.frame(b"one line\n" * 40),
    ],
    ids=["as-written", "no-checksum", "single-segment", "content-size", "three-blocks", "empty", "real"],
)
def test_a_frame_cut_at_any_byte_is_torn_at_its_start(data):
    first = frame()
    for cut in range(1, len(data)):
        frames = frames_of(first + data[:cut])
        assert (len(frames), frames.torn, frames.fault, frames.end) == (1, len(first), None, len(first)), cut
        alone = frames_of(data[:cut])
        assert (len(alone), alone.torn, alone.fault, alone.end) == (0, 0, None, 0), cut
    assert frames_of(first + data).torn is None


def test_a_repeat_block_stores_one_byte_whatever_it_stands_for():
    data = frame(block(b"a", kind=RLE, size=(1 << 21) - 1))
    assert told(data + frame()) == ([0, len(data)], None, None)


@pytest.mark.parametrize("tail", [b"\0", b"ab", b"abc", MAGIC[:1], MAGIC[:3], b"\x50\x2a\x4d"])
def test_one_to_three_trailing_bytes_of_anything_are_torn(tail):
    frames = frames_of(frame() + tail)
    assert (len(frames), frames.torn, frames.fault) == (1, len(frame()), None)
    assert frames.size - frames.torn == len(tail)


def test_a_magic_without_a_descriptor_is_torn():
    assert told(frame() + MAGIC) == ([0], len(frame()), None)


@pytest.mark.parametrize(
    "tail, kind",
    [
        (b"abcd", "foreign-bytes"),
        (b'{"type":"turn/end"}\n', "foreign-bytes"),
        (MAGIC[::-1], "foreign-bytes"),
        (b"\0" * 4, "zero-padding"),
        (b"\0" * 64, "zero-padding"),
        (b"\0" * (WINDOW + 5), "zero-padding"),
        (b"\0" * 4 + frame(), "foreign-bytes"),
        (b"\0" * WINDOW + b"\1", "foreign-bytes"),
        *((bytes([low, 0x2A, 0x4D, 0x18]), "skippable-frame") for low in range(0x50, 0x60)),
        (b"\x4f\x2a\x4d\x18", "foreign-bytes"),
        (b"\x60\x2a\x4d\x18", "foreign-bytes"),
        (b"\x50\x2a\x4d\x18\x02\0\0\0hi" + frame(), "skippable-frame"),
    ],
)
def test_four_bytes_that_begin_no_frame_are_damage_and_told_apart(tail, kind):
    for first in (frame(), b""):
        frames = frames_of(first + tail)
        assert (frames.fault.kind, frames.fault.at, frames.torn) == (kind, len(first), None)
        assert (len(frames), frames.end) == (bool(first), len(first))


def test_a_torn_frame_that_others_follow_swallows_them_and_is_damage():
    first, second, third = two_turns()
    for cut in range(1, len(second)):
        data = first + second[:cut] + third * 4
        assert told(data) == scan(data), cut
        if cut >= 9:  # its first block is known, and ends inside the frames behind it
            assert frames_of(data).fault is not None, cut


def test_the_walk_stops_at_the_first_damage():
    frames = frames_of(frame() + b"junk" + frame() + b"\0" * 8)
    assert (len(frames), frames.fault.at) == (1, len(frame()))


def test_frames_above_the_window_are_walked_block_by_block():
    blocks = [block(bytes(100_000), last=False) for _ in range(7)]
    big = frame(*blocks, block(b"end"))
    assert len(big) > 2 * WINDOW
    data = frame() + big + frame()
    assert told(data) == ([0, len(frame()), len(frame() + big)], None, None)
    for cut in (WINDOW, WINDOW + 1, 2 * WINDOW, len(big) - 1):
        assert told(frame() + big[:cut]) == ([0], len(frame()), None)


def test_one_block_above_the_window_is_stepped_over():
    big = frame(block(bytes(WINDOW + 1000)))
    assert told(big + frame()) == ([0, len(big)], None, None)


@pytest.mark.parametrize("before", range(24))
def test_headers_are_whole_wherever_the_window_ends(before):
    """A frame header, then a block header, ends up on every byte of the edge of the window."""
    padding = frame(block(bytes(WINDOW - before - len(frame(block(b""))))))
    assert len(padding) == WINDOW - before
    tail = frame(block(b"a", last=False), block(b"", last=False), block(b"x", kind=RLE, size=9))
    assert told(padding + tail + frame()) == ([0, len(padding), len(padding + tail)], None, None)
    assert told(padding + tail + b"junk") == ([0, len(padding)], None, len(padding + tail))
    spread = frame(block(bytes(WINDOW - before), last=False), block(b"b", last=False), block(b"c"))
    assert told(spread + frame()) == ([0, len(spread)], None, None)


PIECES = st.lists(
    st.sampled_from(
        [
            frame(),
            frame(block(b"")),
            frame(descriptor=0),
            frame(descriptor=SINGLE, header=b"\x07"),
            frame(block(b"a", kind=RLE, size=70), descriptor=0x44, header=b"\x58\0\0"),
            rows.frame(b"{}\n"),
            b"\0",
            b"abcd",
            MAGIC,
        ]
    ),
    max_size=5,
)


@settings(max_examples=150, deadline=None)
@given(PIECES, st.integers(0, 200), st.one_of(st.none(), st.tuples(st.integers(0, 200), st.integers(0, 255))))
def test_the_walk_agrees_with_the_specification(pieces, cut, change):
    data = bytearray(b"".join(pieces))
    if change is not None and change[0] < len(data):
        data[change[0]] = change[1]
    data = bytes(data[: len(data) - cut] if cut < len(data) // 2 else data)
    assert told(data) == scan(data)


class Claims:
    """A source that claims a size, as a file does that shrinks after its size was seen."""

    def __init__(self, data, size):
        self._source, self.size = BytesSource(data), size
        self.read = self._source.read
        self.chunks = self._source.chunks


def test_a_pipe_cannot_be_walked():
    with pytest.raises(ValueError, match="known size"):
        walk(Claims(frame(), None))


def test_bytes_that_a_file_gains_after_its_size_was_seen_are_not_walked():
    frames = walk(Claims(frame() + frame(), len(frame()) + 10))
    assert (len(frames), frames.torn, frames.size) == (1, len(frame()), len(frame()) + 10)


def test_a_file_that_shrinks_in_front_of_the_walk_ends_where_its_bytes_end():
    frames = walk(Claims(frame() + frame()[:7], 10_000))
    assert (len(frames), frames.torn, frames.size) == (1, len(frame()), len(frame()) + 7)
    frames = walk(Claims(frame() * 2, 10_000))
    assert (len(frames), frames.torn, frames.fault) == (2, None, None)
    for kept in (WINDOW + 2, WINDOW + 10):
        frames = walk(Claims(frame(*[block(bytes(1000), last=False)] * 400, block(b""))[:kept], 1 << 20))
        assert (len(frames), frames.torn, frames.fault) == (0, 0, None)


def test_a_file_that_shrinks_to_the_end_of_a_frame_is_not_torn():
    data = frame(block(bytes(WINDOW - len(frame(block(b""))))))
    frames = walk(Claims(data, WINDOW + 1000))
    assert (len(frames), frames.torn, frames.size) == (1, None, WINDOW)


def test_worked_example_e2_has_three_frames():
    """The bytes of storage.md §9, E2."""
    log = bytes.fromhex(E2)
    frames = frames_of(log)
    assert list(frames.starts) == [0, 93, 163]
    assert (frames.end, frames.torn, frames.fault) == (252, None, None)
    for cut in (251, 248, 247, 166):
        assert told(log[:cut]) == ([0, 93], 163, None)
    for cut in (159, 158):
        assert told(log[:cut]) == ([0], 93, None)
    assert told(log[:92]) == ([], 0, None)


def test_worked_example_e3_has_the_new_frame_behind_the_recovered_one():
    log = bytes.fromhex(E2)
    event = b'{"type":"session/end-seed","seq":2,"time":6,"data":{}}\n'
    frames = frames_of(log + rows.frame(event))
    assert list(frames.starts) == [0, 93, 163, 252]


def test_worked_example_e4_tells_torn_from_damaged():
    log = bytes.fromhex(E2)
    assert told(log + b"abc") == ([0, 93, 163], 252, None)
    assert told(log + b"abcd") == ([0, 93, 163], None, 252)
    assert frames_of(log + bytes(64)).fault.kind == "zero-padding"


E2 = """
28b52ffd0458 8502007205121880b76dd8c2560b5119891819572b2f45bb6b2d670e6a5442c4a1
380f561d4129d7087e8eb6eb3181331eff44d356ce7be0d77c016c2eea33a6cdb87582cd28a5ead5
e7abc2da1001002a9426e5 98a670
28b52ffd0458 c90100 7b2274797065223a227475726e2f7374617274222c22736571223a302c22
74696d65223a352c2264617461223a7b227475726e223a317d7d0a 3a63ef51
28b52ffd0458 650200b2441018a0b51903e4035ef6fe5eb96df1c2f63f0283c199feb83502426b6d
cc4d403ac8f84635c7ec56b44a2a76972d3829ee3c6627c41dc8351935075582fdce34d859 02003d05f05caa0c3f ce67b1
"""

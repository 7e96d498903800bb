"""The text of frames comes out in bounded pieces; a frame that fails is told from one that ran out of bytes."""

from __future__ import annotations

from hashlib import shake_256
from itertools import accumulate, pairwise

import pytest
import zstandard

import rows
from dshlog.storage.frames import blocks
from dshlog.storage.source import WINDOW, BytesSource
from dshlog.storage.zstd import Undecodable, decodes, text, torn_text

BLOCK = 128 * 1024  # bytes of text; the largest block
NOISE = shake_256(b"noise").digest(3 * BLOCK)  # does not compress, so a block of it is as long as its text


def pressed(content, **options):
    return zstandard.ZstdCompressor(**options).compress(content)


def all_text(data):
    return b"".join(text(BytesSource(data), 0, len(data)))


def saved(data):
    return b"".join(torn_text(BytesSource(data), 0, len(data)))


@pytest.mark.parametrize(
    "frame",
    [
        rows.frame(b"one\ntwo\n"),
        pressed(b"one\ntwo\n", write_checksum=False),
        pressed(b"one\ntwo\n", write_checksum=True, write_content_size=True),
        pressed(b"one\ntwo\n", write_checksum=True, write_content_size=False),
        pressed(b"one\ntwo\n", level=19),
        rows.frame(b"one\n") + rows.frame(b"") + rows.frame(b"two\n"),
        rows.frame(b"") + rows.frame(b"") + rows.frame(b"one\ntwo\n") + rows.frame(b""),
        rows.frame(b"one\nt") + rows.frame(b"wo\n"),
    ],
    ids=[
        "as-written",
        "no-checksum",
        "content-size",
        "checksum-only",
        "other-level",
        "empty-between",
        "empty",
        "split",
    ],
)
def test_frames_of_every_form_are_read_as_one_text(frame):
    assert all_text(frame) == b"one\ntwo\n"
    assert decodes(BytesSource(frame), 0, len(frame))


def test_no_frame_has_no_text():
    assert all_text(b"") == b""
    assert all_text(rows.frame(b"")) == b""


def test_a_range_of_frames_is_read_alone():
    parts = [rows.frame(word) for word in (b"one\n", b"two\n", b"three\n")]
    source = BytesSource(b"".join(parts))
    start = len(parts[0])
    assert b"".join(text(source, start, start + len(parts[1]))) == b"two\n"


def test_pieces_are_bounded_however_far_a_frame_expands():
    frame = rows.frame(bytes(5_000_000))
    assert len(frame) < 2000
    sizes = [len(piece) for piece in text(BytesSource(frame), 0, len(frame))]
    assert sum(sizes) == 5_000_000
    assert max(sizes) <= WINDOW


def test_a_frame_above_the_window_is_read_whole():
    assert all_text(rows.frame(NOISE)) == NOISE


@pytest.mark.parametrize("at", [-1, -2, -3, -4])
def test_a_wrong_checksum_fails(at):
    data = bytearray(rows.frame(b"one\ntwo\n"))
    data[at] ^= 1
    with pytest.raises(Undecodable):
        all_text(bytes(data))
    assert not decodes(BytesSource(bytes(data)), 0, len(data))


def test_a_changed_text_fails_its_checksum():
    data = rows.frame(b"one\ntwo\n").replace(b"two", b"too")
    with pytest.raises(Undecodable):
        all_text(data)


def test_a_frame_without_checksum_cannot_tell():
    data = pressed(b"one\ntwo\n", write_checksum=False).replace(b"two", b"too")
    assert all_text(data) == b"one\ntoo\n"


def test_a_frame_that_needs_a_dictionary_fails():
    words = zstandard.ZstdCompressionDict(b"some words that are often used " * 20)
    data = zstandard.ZstdCompressor(dict_data=words).compress(b"some words that are often used")
    with pytest.raises(Undecodable):
        all_text(data)


def test_foreign_bytes_fail():
    assert not decodes(BytesSource(b"plain text"), 0, 10)


def test_running_out_of_bytes_is_no_failure():
    frame = rows.frame(b"one\ntwo\n")
    assert all(decodes(BytesSource(frame[:cut]), 0, cut) for cut in range(len(frame)))


def test_a_frame_that_lacks_only_checksum_bytes_loses_nothing():
    words = b"compresses well, " * 40
    frame = rows.frame(words)
    assert [saved(frame[: len(frame) - cut]) for cut in range(5)] == [words] * 5
    assert saved(frame[:-5]) == b""


def test_a_compressed_block_of_a_torn_frame_is_saved_whole_or_not_at_all():
    words = b"".join(b"line %d\n" % number for number in range(40_000))
    frame = rows.frame(words)
    assert len(words) > 3 * BLOCK
    lengths = {len(saved(frame[:cut])) for cut in range(0, len(frame) - 4, 997)} | {len(saved(frame[:-5]))}
    assert lengths == {0, BLOCK, 2 * BLOCK, len(words) // BLOCK * BLOCK}
    assert saved(frame[:-5]) == words[: len(words) // BLOCK * BLOCK]


def test_a_stored_block_of_a_torn_frame_is_saved_as_far_as_it_goes():
    """The specification speaks of whole blocks; dsh 0.2.1 takes the bytes of a block that is not compressed."""
    frame = rows.frame(NOISE)
    body = 6 + 3  # frame header and first block header
    for kept in (1, 1000, BLOCK):
        assert saved(frame[: body + kept]) == NOISE[:kept]
    for kept in (0, 1, BLOCK):
        assert saved(frame[: body + BLOCK + 3 + kept]) == NOISE[: BLOCK + kept]
    assert saved(frame[:-4]) == NOISE


@pytest.mark.parametrize("size", [1, 1 << 17, 1 << 18, (1 << 20) + 1, 5_000_003])
@pytest.mark.parametrize("made_of", [b"a", b"abcdefgh 12345678 "])
def test_a_frame_without_its_checksum_is_saved_whole(size, made_of):
    """As by dsh 0.2.1, which was asked about a log whose last frame had a text of 1 MB."""
    whole = made_of * (size // len(made_of) + 1)
    data = rows.frame(whole)
    for cut in range(1, 5):
        assert saved(data[:-cut]) == whole, cut


def test_nothing_is_saved_from_a_torn_frame_whose_decoder_fails_behind_good_blocks():
    data = bytearray(rows.frame(NOISE))
    second = 6 + 3 + BLOCK
    data[second] |= 0x06  # the reserved block type
    assert saved(bytes(data[:-1])) == b""


def test_a_few_bytes_of_a_frame_hold_no_text():
    frame = rows.frame(b"one\n")
    assert [saved(frame[:cut]) for cut in range(8)] == [b""] * 8


def cut_frames():
    """Yield frames of one to five blocks of each kind, and where their blocks end."""
    lines = b"".join(b"line %d\n" % number for number in range(70_000))
    for count in (1, 2, 3, 5):
        for options in ({}, {"write_content_size": False}, {"write_checksum": False}):
            for words in (lines[: count * BLOCK], (NOISE * 2)[: count * BLOCK], bytes(count * BLOCK - 1)):
                frame = pressed(words, **{"write_checksum": True, **options})
                yield frame, words


def test_no_block_before_a_cut_is_lost():
    for frame, words in cut_frames():
        pieces = list(blocks(BytesSource(frame), 0, len(frame)))
        assert b"".join(pieces) == frame
        ends = list(accumulate(map(len, pieces)))
        if frame[4] & 0x04:
            assert len(pieces.pop()) == 4  # the checksum
        lengths = [len(saved(frame[:end])) for end in ends[: len(pieces)]]
        assert lengths[0] == 0
        assert lengths[-1] == len(words)
        assert all(before < after <= before + BLOCK for before, after in pairwise(lengths))
        assert all(len(saved(frame[: end + 2])) == length for end, length in zip(ends, lengths[:-1], strict=False))


def test_a_block_that_repeats_one_byte_is_saved_without_the_checksum():
    def block(kind, length, held, *, last):
        return (length << 3 | kind << 1 | last).to_bytes(3, "little") + held

    stored = [block(0, BLOCK, NOISE[at : at + BLOCK], last=0) for at in range(0, len(NOISE), BLOCK)]
    frame = rows.frame(NOISE)[:6] + b"".join(stored) + block(1, BLOCK, b"\n", last=1)
    assert saved(frame) == NOISE + b"\n" * BLOCK
    assert saved(frame + b"\0\0\0") == NOISE + b"\n" * BLOCK
    assert saved(frame[:-1]) == NOISE

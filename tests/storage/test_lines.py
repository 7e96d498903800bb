"""Lines end at the byte 0x0A and nowhere else, however the text arrives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog.storage.lines import MAX_LINE, Lines
from dshlog.storage.unread import Overlong


def fed(pieces, **options):
    """Feed pieces; give all lines with their offsets, and the cutter."""
    lines, out = Lines(**options), []
    for piece in pieces:
        at = None
        for line in lines.feed(piece):
            at = lines.at if at is None else at
            out.append((at, line))
            at += len(line)
    return out, lines


def test_text_without_a_line_feed_is_no_line():
    out, lines = fed([b"abc", b"", b"de"])
    assert out == []
    assert (lines.rest, lines.rest_length, lines.end) == (b"abcde", 5, 0)


def test_a_line_keeps_its_line_feed_and_all_before_it():
    assert fed([b"ab\n\ncd\r\n"])[0] == [(0, b"ab\n"), (3, b"\n"), (4, b"cd\r\n")]


@pytest.mark.parametrize("mark", ["\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029", "\0"])
def test_nothing_else_ends_a_line(mark):
    text = f"a{mark}b\n".encode()
    assert fed([text])[0] == [(0, text)]


@given(st.lists(st.sampled_from([b"", b"a", b"\n", b"bc\n", b"\n\n", b"d\ne", b"\r\n"])))
def test_any_cut_gives_the_same_lines(pieces):
    text = b"".join(pieces)
    out, lines = fed(pieces)
    *whole, rest = text.split(b"\n")
    assert [line for _, line in out] == [line + b"\n" for line in whole]
    assert all(text[at : at + len(line)] == line for at, line in out)
    assert (lines.rest, lines.rest_length, lines.end) == (rest, len(rest), len(text) - len(rest))


def test_a_line_at_the_limit_is_kept_and_one_above_it_is_only_counted():
    out, _ = fed([b"abc", b"de\nx\n"], limit=6)
    assert out == [(0, b"abcde\n"), (6, b"x\n")]
    assert not isinstance(out[0][1], Overlong)
    out, _ = fed([b"abc", b"def\nx\n"], limit=6)
    assert isinstance(out[0][1], Overlong)
    assert len(out[0][1]) == 7
    assert out[1] == (7, b"x\n")


def test_an_overlong_line_holds_no_bytes_while_it_grows():
    lines = Lines(limit=10)
    for _ in range(1000):
        assert lines.feed(b"abcdefgh") == []
        assert sum(map(len, lines._rest)) <= 10
    assert isinstance(lines.rest, Overlong)
    assert (len(lines.rest), lines.rest_length, lines.end) == (8000, 8000, 0)
    (line,) = lines.feed(b"\nnext")
    assert (len(line), lines.at, lines.rest, lines.end) == (8001, 0, b"next", 8001)


def test_the_limit_is_dshlogs_own_and_far_above_any_real_line():
    assert MAX_LINE == 128 * 1024 * 1024

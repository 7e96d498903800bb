"""What is too much to be read: counted without being held, and told from what only looks like it."""

from __future__ import annotations

import json

import pytest

from dshlog.storage import unread
from dshlog.storage.lines import Lines
from dshlog.storage.unread import MAX_VALUES, Overlong, Units, bounded


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(unread, "MAX_VALUES", 10)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 11 + b"]" * 11,
        b"[" + b"0," * 10 + b"0]",
        b"[" + b"{}," * 10 + b"{}]",
        b'["a\\"' + b",,,,,,,,," + b'",' + b'"b",' * 10 + b"0]",
        b"[" + b"0," * 40,
        b'"' + b"," * 5 + b'"' + b"," * 11,
    ],
)
def test_too_many_values_are_not_held(few, text):
    line = bounded(text)
    assert isinstance(line, Overlong)
    assert (len(line), bytes(line), line.limit, line.beyond_dsh) == (len(text), b"", None, False)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 10 + b"]" * 10,
        b"[" + b"0," * 9 + b"0]",
        json.dumps({"a": json.dumps([{"b": '"' * 9}] * 30), "c": ["\\", "\\\\", ","]}).encode(),
        b'"' + b"," * 40,
        b'"' + b"\\" * 7 + b"," * 40 + b'"',
        b"no json at all, but long",
    ],
)
def test_what_strings_hold_is_no_value(few, text):
    assert bounded(text) is text


def test_lines_are_bounded_however_they_arrive():
    crowded = b"[" + b"0," * MAX_VALUES + b"0]"
    lines = Lines()
    assert lines.feed(crowded[:1000]) == []
    first, second = lines.feed(crowded[1000:] + b"\nx\n")
    assert isinstance(first, Overlong)
    assert (len(first), second) == (len(crowded) + 1, b"x\n")


@pytest.mark.parametrize(
    "text",
    ["plain", "h\u00e9", "\u20ac", "\U0001f680\U0001f680x", "a\0b"],
)
def test_units_are_those_of_javascript(text):
    data = text.encode()
    for cut in range(len(data) + 1):
        assert Units([data[:cut], data[cut:]]).count == len(text.encode("utf-16-le")) // 2


def test_bad_bytes_count_as_the_signs_that_they_are_read_as():
    assert Units([b"\xf0\x9f", b"\x98", b"\n"]).count == 2
    assert Units([b"\xff", b"\xff\n"]).count == 3


def test_a_line_longer_than_a_string_of_javascript_is_beyond_dsh(monkeypatch):
    monkeypatch.setattr(unread, "LONGEST_STRING", 20)

    def line_of(text):
        lines = Lines(limit=10)
        lines.feed(text[:4])
        return lines.feed(text[4:])[0]

    assert not line_of(b"x" * 20 + b"\n").beyond_dsh
    assert line_of(b"x" * 21 + b"\n").beyond_dsh
    assert not line_of("\u20ac".encode() * 20 + b"\n").beyond_dsh
    assert line_of("\U0001f680".encode() * 11 + b"\n").beyond_dsh

"""One byte of a record that is another one, too many or missing costs nothing but what is really gone."""

from __future__ import annotations

import json

import pytest
from test_remedies import MIDDLE, USER, V0, V4, broken, dumped, repaired, with_line

END = next(index for index, line in enumerate(V4) if b'"stream":[' in line)
PACKED = next(index for index, line in enumerate(V0) if b"-chunks" in line)


ONE_BYTE = {
    "a comma between members": broken(V4, MIDDLE, b',"data"', b'\0"data"'),
    "a comma between pieces of a stream": broken(V4, END, b'},{"', b'}\0{"'),
    "a colon": broken(V4, MIDDLE, b'"data":', b'"data"\x1f'),
    "a quote that opens": broken(V4, MIDDLE, b'"time"', b'\0time"'),
    "a quote that closes": broken(V4, MIDDLE, b'"time"', b'"time\0'),
    "a quote that closes a text": broken(V4, USER, b'","', b'\0,"'),
    "a brace that opens": broken(V4, MIDDLE, b'"data":{', b'"data":y'),
    "a brace that closes": broken(V4, END, b"},{", b"\0,{"),
    "the last brace": broken(V4, MIDDLE, b"}\n", b"|\n", last=True),
    "the first brace": broken(V4, MIDDLE, b"{", b"\0"),
    "a bracket that opens": broken(V4, END, b'"stream":[', b'"stream":\0'),
    "a bracket that closes": broken(V4, USER, b"]", b"\0", last=True),
    "a quote at the end": broken(V4, USER, b'"}\n', b"~}\n"),
    "a missing quote behind a text in brackets": broken(V4, USER, b'"}]', b"}]"),
    "a missing quote at the end": broken(V4, USER, b'"}\n', b"}\n"),
    "a quote that opens a name in a stream": broken(V4, END, b'0,"dt"', b'0,\0dt"'),
    "a byte in a name": broken(V4, MIDDLE, b'"time"', b'"ti\0e"'),
    "a byte in the name of the number": broken(V4, MIDDLE, b'"seq"', b'"s\x01q"'),
    "a byte in a name of the header": broken(V4, 0, b'"createdAt"', b'"\0reatedAt"'),
    "a missing quote": broken(V4, MIDDLE, b'"time"', b'time"'),
    "a digit of its number": broken(V4, MIDDLE, b'"seq":%d' % (MIDDLE - 1), b'"seq":\0'),
    "a comma in the last record": broken(V4, len(V4) - 1, b',"data"', b'\0"data"'),
    "the header": broken(V4, 0, b',"id"', b'\0"id"'),
}


@pytest.mark.parametrize("name", ONE_BYTE)
def test_one_byte_that_only_one_other_can_be_costs_nothing(name):
    plan, made = repaired(ONE_BYTE[name])
    assert made == V4
    assert not plan.lossy


def test_one_byte_of_a_packed_row_costs_nothing():
    plan, made = repaired(broken(V0, PACKED, b'","', b'"\0"'), name="session.jsonl")
    assert made == V0
    assert not plan.lossy


@pytest.mark.parametrize("size", [1 << 12, 1 << 21])
def test_a_long_record_is_mended_like_a_short_one(size):
    row = json.loads(V4[USER])
    row["data"]["content"] = [{"type": "text", "text": "x" * size}, {"type": "text", "text": "y"}]
    lines = with_line(V4, USER, dumped(row))
    plan, made = repaired(broken(lines, USER, b'},{"', b'}\0{"'))
    assert made == lines
    assert not plan.lossy


def test_a_byte_that_no_string_can_hold_becomes_a_sign_for_what_is_lost():
    text = json.loads(V4[USER])["data"]["content"][0]["text"]
    for gone in (b"\0", b"\x1f", b"\t", b"\\q"):
        damaged = broken(V4, USER, text[:2].encode(), text[:1].encode() + gone)
        plan, made = repaired(damaged)
        assert json.loads(made[USER])["data"]["content"][0]["text"] == text[:1] + "\ufffd" + text[2:]
        assert [*made[:USER], *made[USER + 1 :]] == [*V4[:USER], *V4[USER + 1 :]]
        assert plan.lossy
        assert not plan.lost


def test_the_sign_before_a_quote_in_a_text_comes_back():
    row = json.loads(V4[USER])
    row["data"]["content"] = [{"type": "text", "text": 'say "yes" or "no"'}]
    lines = with_line(V4, USER, dumped(row))
    plan, made = repaired(broken(lines, USER, b'\\"', b'\0"'))
    assert made == lines
    assert not plan.lossy


def test_a_bit_that_makes_a_quote_a_part_of_its_text_is_told():
    damaged = broken(V4, USER, b'folder?"', b'folder?"'.replace(b'"', b"#"))
    plan, made = repaired(damaged)
    assert json.loads(made[USER])["data"]["content"][0]["text"].endswith("folder?#")
    assert [action.loss for action in plan.actions][1:] == ['whether # belongs to it or was this "']
    plan, made = repaired(broken(V4, USER, b'"role":"', b'"role":#'))
    assert made == V4
    assert not plan.lossy
    plan, made = repaired(broken(V4, USER, b'"role":"', b'"role":'))
    assert made == V4
    assert not plan.lossy


def test_a_digit_that_nothing_proves_is_not_guessed():
    damaged = broken(V4, MIDDLE, b'"time":1', b'"time":1x')
    at = damaged[MIDDLE].index(b"x")
    damaged[MIDDLE] = damaged[MIDDLE][: at + 1] + damaged[MIDDLE][at + 2 :]
    plan, _ = repaired(damaged)
    assert plan.lossy

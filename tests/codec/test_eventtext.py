"""The quick text of the events of a packed row is what JavaScript writes for each of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog.codec import eventtext
from dshlog.codec.chunkruns import expand_row, row_faults
from dshlog.codec.eventtext import EventText, event_texts
from dshlog.codec.packing import lossless, packed, row_text
from dshlog.storage.jsontext import dumps, parse, same

MAX_SAFE = 2**53 - 1
PIECES = st.text(st.characters(), max_size=4) | st.sampled_from(
    ["", ",", '","', '"', "\\", '\\","', "\n", ",\n  ", "],[", "\x7f", "\u2028", "\ud800", "\ud83d", "\U0001f600", "-0"]
)
NUMBERS = st.integers(0, 3) | st.sampled_from([-1, 1.5, 2.0, 2**53 + 1, 1e300, MAX_SAFE])
GAPS = st.integers(-3, 2000) | st.sampled_from([0.0, 5.0])


@st.composite
def packed_rows(draw):
    kind = draw(st.sampled_from(["text-chunks", "reasoning-chunks", "tool-call-chunks"]))
    pieces = draw(st.lists(PIECES, min_size=1, max_size=12))
    gaps = draw(st.lists(GAPS, min_size=len(pieces) - 1, max_size=len(pieces) - 1))
    head = [kind, draw(NUMBERS), draw(NUMBERS), draw(NUMBERS), None, None]
    if kind == "tool-call-chunks":
        head[4:] = draw(PIECES), draw(st.none() | PIECES)
    seq = draw(st.integers(0, 3) | st.sampled_from([990, 999, 1000, 1995, 123_456, MAX_SAFE - 20, 12.0]))
    return packed(tuple(head), seq, draw(st.sampled_from([0, -5, 7.0, 1_700_000_000_000])), gaps, pieces)


def lines_of(row):
    return b"".join(dumps(event) + b"\n" for event in expand_row(row))


@given(packed_rows())
def test_text_of_any_row(row):
    assert not row_faults(row)
    assert lossless(row)
    made = EventText(row)
    assert made.count == len(made.text.splitlines()) or b"\r" in made.text
    whole = {**row, "seq0": int(row["seq0"]), "time0": int(row["time0"])}
    whole["data"] = {**row["data"], "dt": [*map(int, row["data"]["dt"])]}
    assert made.text == lines_of(whole)
    assert same([parse(line) for line in made.text.split(b"\n")[:-1]], [*map(parse, lines_of(row).split(b"\n")[:-1])])
    assert made.proved(dumps(row) + b"\n")
    assert made.proved(b"another spelling")


@given(packed_rows())
def test_a_row_that_was_made_is_written_as_javascript_writes_it(row):
    row["seq0"], row["time0"] = int(row["seq0"]), int(row["time0"])
    row["data"]["dt"] = [*map(int, row["data"]["dt"])]
    assert row_text(row) == dumps(row) + b"\n"


def row(**members):
    data = {"turn": 1, "step": 2, "index": 0, "dt": [1, 2], "texts": ["a", "b", "c"]} | members
    return {"type": "text-chunks", "seq0": 1500, "time0": 7, "data": data}


@pytest.mark.parametrize(
    "damage",
    [
        lambda made: setattr(made, "text", made.text[:-1]),
        lambda made: setattr(made, "text", made.text.replace(b'"seq":1500', b'"seq":1501')),
        lambda made: setattr(made, "_times", [b"7", b"8", b"9"]),
        lambda made: setattr(made, "_pieces", [b'"a"', b'"b"', b'"d"']),
        lambda made: made._pieces.pop(),
        lambda made: setattr(made, "_shared", made._shared + b" "),
    ],
)
def test_what_does_not_say_the_same_is_not_proved(damage):
    one = row()
    made = EventText(one)
    assert made.proved(dumps(one) + b"\n")
    damage(made)
    assert not made.proved(dumps(one) + b"\n")


def test_a_text_of_other_words_is_never_used(monkeypatch):
    monkeypatch.setattr(eventtext, "_TIME", b',"tim":')
    eventtext._shared.cache_clear()
    with pytest.raises(AssertionError):
        EventText(row(turn=77))


def test_a_long_row_is_made_in_parts():
    count = 2 * eventtext._MEMBERS + 5
    long = row(texts=["é"] * count, dt=[*range(count - 1)])
    parts = [*event_texts(long)]
    assert [part.count for part in parts] == [eventtext._MEMBERS] * 2 + [5]
    assert b"".join(part.text for part in parts) == lines_of(long)
    assert all(part.proved(b"") for part in parts)

"""One model call is found by its event and told with its timing."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import rows
from dshlog.model.percentile import percentile
from dshlog.report.stream import stream_view
from dshlog.storage.source import BytesSource
from logbuilder import Log

WORDS = ("one two three", "four five six seven")


def log_of(version):
    log = Log(version)
    for words in WORDS:
        log.turn()
        log.user("hi")
        log.step()
        log.assistant(words)
        log.end_step()
        log.end_turn()
    return log


def look(log, seq):
    name = "session.jsonl" if log.version == 0 else f"session.v{log.version}.jsonl"
    return stream_view(BytesSource(rows.raw(log.batches())), name, seq)


def seqs(log, kind):
    return [event["seq"] for event in log.events if event["type"] == kind]


@pytest.mark.parametrize("version", range(5))
def test_a_message_has_its_call(version):
    log = log_of(version)
    for turn, (seq, words) in enumerate(zip(seqs(log, "assistant/message"), WORDS, strict=True), 1):
        view, report = look(log, seq)
        assert report.state == "clean"
        assert (view.seq, view.type, view.version) == (seq, "assistant/message", version)
        assert (view.turn, view.step, view.attempt) == (turn, 1, 1)
        (part,) = view.parts
        assert (part.kind, part.fragments, part.chars) == ("text", len(words.split()), len(words))
        assert [chars for _, chars in view.tokens] == [len(piece) for piece in re.findall(r"\S+\s*", words)]
        assert view.chunks == part.fragments + 4
        assert view.began < view.first <= view.token <= view.last
        assert view.finish == {"kind": "stop"}
        assert view.usage == rows.USAGE


@pytest.mark.parametrize("version", [0, 1])
def test_a_chunk_belongs_to_a_call(version):
    log = log_of(version)
    chunks = seqs(log, "assistant/chunk")
    first, second = (look(log, seq)[0] for seq in (chunks[2], chunks[-1]))
    assert (first.turn, second.turn) == (1, 2)
    assert first.type == "assistant/chunk"
    whole = look(log, seqs(log, "assistant/message")[0])[0]
    assert (first.chunks, first.parts, first.tokens) == (whole.chunks, whole.parts, whole.tokens)


def timed(*times):
    log = Log(4)
    log.turn()
    log.step()
    texts = ["ab"] * len(times)
    run = {
        "type": "text-chunks",
        "time0": times[0],
        "index": 0,
        "dt": [later - earlier for earlier, later in pairwise(times)],
        "texts": texts,
    }
    log.event(
        "assistant/attempt", {**log.here, "stream": [{"type": "chunk", "time": 0, "chunk": {"type": "finish"}}, run]}
    )
    return look(log, 2)[0]


def test_gaps_and_rates():
    view = timed(1000, 1010, 1020, 1500, 1510)
    gaps = view.gaps
    assert (gaps.count, gaps.median, gaps.p95, gaps.longest, gaps.after) == (4, 10, 480, 480, 1020)
    assert view.chars_per_second == round(10 * 1000 / 510, 1)
    assert view.fragments_per_second == round(5 * 1000 / 510, 1)
    assert view.token == 1000
    assert view.first == 0


def test_one_delta_has_neither():
    view = timed(5)
    assert (view.gaps, view.chars_per_second) == (None, None)
    assert timed(5, 5).chars_per_second is None
    assert timed(9, 5).chars_per_second is None


@pytest.mark.parametrize("seq, why", [(0, "turn/start and has no stream"), (99, "no event 99")])
def test_what_has_no_call_says_so(seq, why):
    assert why in look(log_of(4), seq)[0]
    assert why in look(log_of(0), seq)[0]


def test_a_message_that_cites_nothing_has_no_call():
    log = log_of(0)
    log.turn()
    log.step()
    log.event("assistant/message", {**log.here, "content": []}, sourceEventSeqs=[])
    assert "no stream" in look(log, len(log.events) - 1)[0]


def test_no_log_has_no_call():
    view, report = stream_view(BytesSource(b"words\n"), "a.jsonl", 0)
    assert view == "no event 0 can be read"
    assert report.state == "not-a-log"


@pytest.mark.parametrize("percent, value", [(1, 1), (25, 1), (26, 2), (50, 2), (75, 3), (95, 4), (100, 4)])
def test_percentiles_are_values_that_occurred(percent, value):
    assert percentile([1, 2, 3, 4], percent) == value
    assert percentile([], percent) is None

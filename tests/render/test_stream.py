from __future__ import annotations

import pytest

from dshlog.model.stream import Gaps, Part, StreamView
from dshlog.render.look import Look
from dshlog.render.stream import duration, stream_dict, stream_lines


def view(**more):
    members = {
        "path": "a.jsonl", "version": 4, "seq": 7, "type": "assistant/message", "turn": 1, "step": 2, "attempt": 1,
        "began": 900, "first": 1000, "token": 1100, "last": 3000, "chunks": 9,
        "parts": (Part(kind="text", fragments=3, chars=30),),
        "gaps": Gaps(count=2, median=10, p95=20, longest=20, after=5),
        "chars_per_second": 15.0, "fragments_per_second": 1.5,
        "usage": {"inputTokens": 5}, "finish": {"kind": "stop"}, "tokens": ((100, 10), (1000, 0), (2000, 20)),
    }  # fmt: skip
    return StreamView(**(members | more))


def test_words():
    lines = list(stream_lines(view()))
    assert lines[:8] == [
        "a.jsonl: assistant/message 7, turn 1, step 2, attempt 1",
        "  chunks    9: 3 text (30 characters)",
        "  first     200 ms after its step or retry began, 100 ms after the first chunk",
        "  lasted    2.0 s",
        "  rate      15 characters and 1.5 fragments a second",
        "  gaps      median 10 ms, 95 % up to 20 ms, longest 20 ms from 5 ms on",
        "  usage     inputTokens 5",
        "  finish    stop",
    ]
    bars, scale = lines[8:]
    assert (bars[2], bars[-1], set(bars[3:-1])) == ("▄", "█", {" "})
    assert scale.startswith("  100 ms")
    assert scale.endswith("2.0 s; a column is 32 ms")


def test_no_line_is_wider_than_the_terminal():
    for width in (60, 80):
        wide = view(usage={"inputTokens": 12345, "outputTokens": 12345, "totalTokens": 12345, "reasoningTokens": 1})
        assert max(map(len, stream_lines(wide, Look(width=width)))) <= width


def test_a_failure_is_told():
    failed = {"kind": "error", "failure": {"code": "SERVER", "message": "no room"}}
    assert "  finish    error: SERVER, no room" in list(stream_lines(view(finish=failed)))


def test_what_is_unknown_is_left_out():
    bare = view(
        began=None, token=None, parts=(), gaps=None, chars_per_second=None, fragments_per_second=None, usage=None,
        finish=None, tokens=(),
    )  # fmt: skip
    assert [line.split()[0] for line in stream_lines(bare)] == ["a.jsonl:", "chunks", "lasted"]


@pytest.mark.parametrize("tokens", [((0, 5),), ((0, 5), (0, 5)), ((0, 0), (9, 0))])
def test_no_plot_of_what_has_no_course(tokens):
    assert not any("column" in line for line in stream_lines(view(tokens=tokens)))


def test_the_plot_is_as_wide_as_the_terminal():
    lines = list(stream_lines(view(), Look(width=24)))
    (bars,) = (line for line in lines if "█" in line)
    assert len(bars) == 22
    assert lines[-2:] == ["  100 ms         2.0 s", "  a column is 95 ms"]


@pytest.mark.parametrize(
    "ms, words",
    [(0, "0 ms"), (-5, "-5 ms"), (999, "999 ms"), (1500, "1.5 s"), (99_949, "99.9 s"), (120_000, "2.0 min")],
)
def test_durations(ms, words):
    assert duration(ms) == words


def test_json_has_every_key():
    document = stream_dict(view())
    assert document["schema"] == 1
    assert document["parts"] == [{"kind": "text", "fragments": 3, "chars": 30}]
    assert document["gaps"] == {"count": 2, "median": 10, "p95": 20, "longest": 20, "after": 5}
    assert document["tokens"] == [[100, 10], [1000, 0], [2000, 20]]
    assert stream_dict(view(gaps=None))["gaps"] is None


@pytest.mark.parametrize("width", [30, 60, 70, 80, None])
def test_the_axis_stands_under_the_bars_in_one_piece(width):
    lines = list(stream_lines(view(), Look(width=width)))
    bars = next(number for number, line in enumerate(lines) if line.endswith("█"))
    axis, *more = lines[bars + 1 :]
    assert axis.startswith("  100 ms")
    assert axis[: len(lines[bars])].endswith("2.0 s")
    if "; a column is " in axis:
        assert more == []
    else:
        assert (len(more), more[0][:14]) == (1, "  a column is ")

"""The figures of logs in words and tables that fit the terminal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from dshlog.fold.usage import MEMBERS
from dshlog.render.look import Look
from dshlog.render.stats import log_stats_dict, stats_lines, tool_lines, turn_lines, type_lines
from dshlog.report.stats import Kind, Stats, Turn


def figures(*, told=(2, 2, 2)):
    stats = Stats("/home/u/a rather long path/sessions/--home-u-demo--/session-一二三/session.v4.jsonl.zstd")
    stats.bytes, stats.text, stats.records, stats.events = 24097, 67544, 60, 60
    done = stats.activity
    done.model_calls["answered"] = 2
    for name, count in zip(MEMBERS, told, strict=False):
        if count:
            done.tokens["answered"][name], done.reported["answered"][name] = 100 * count, count
    for number in range(1, 4):
        turn = Turn(number, 0)
        turn.lasted, turn.steps, turn.tokens = 1000 * number, 1, {"inputTokens": 100, "outputTokens": 20}
        done.turns.append(turn)
    for name in ("bash", "一个名字很长很长很长的工具", "a_tool_with_a_name_that_never_seems_to_end"):
        done.tool(name).calls, done.tool(name).durations = 3, [10, 200, 61_000]
    done.step_durations = [10, 20, 3000]
    stats.kinds["session-log-deepseek/delivery-accepted"] = kind = Kind()
    kind.records = kind.events = kind.bytes = 12345
    return stats


def tokens(stats):
    return next(line for line in stats_lines(stats) if line.startswith("  tokens"))[12:]


def test_a_sum_says_of_how_many_calls_it_is():
    assert tokens(figures()) == "answered: input 200, output 200, total 200"
    assert tokens(figures(told=(1, 1, 1))) == "answered: input 100, output 100, total 100, told by 1 of 2 calls"
    assert tokens(figures(told=(2, 2, 1))) == "answered: input 200, output 200, total 100 (of 1 call)"


def test_turns_of_several_logs_name_their_session():
    one, other = figures(), figures()
    one.logs = other.logs = 1
    for stats, name in ((one, "session-a"), (other, None)):
        for turn in stats.activity.turns:
            turn.session = name
    assert next(turn_lines(one)).split()[0] == "turn"
    total = Stats("2 logs")
    total.add(one)
    total.add(other)
    head, first, *_, last = turn_lines(total)
    assert head.split()[:2] == ["session", "turn"]
    assert (first.split()[:2], last.split()[:2]) == (["session-a", "1"], ["-", "3"])


def test_json_has_how_many_calls_told_each_figure():
    bucket = log_stats_dict(figures(told=(2, 1)))["tokens"]["answered"]
    assert (bucket["inputTokens"], bucket["outputTokens"], bucket["totalTokens"]) == (200, 100, 0)
    assert bucket["reported"] == dict(zip(MEMBERS, (2, 1, 0, 0, 0, 0), strict=True))


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("lines", [stats_lines, type_lines, tool_lines, turn_lines])
def test_no_line_is_wider_than_the_terminal(lines, width):
    found = [line for line in lines(figures(), Look(width=width)) if not line.startswith("/")]
    assert max(map(cell_len, found)) <= width
    if lines is not stats_lines:
        assert "█" in "".join(found)


@pytest.mark.parametrize("lines", [type_lines, tool_lines, turn_lines])
def test_columns_stand_under_their_headings(lines):
    head, *found = lines(figures(), Look(width=120))
    at = cell_len(head[: head.index("share")])
    for line in found:
        before = line[: line.index(" %")]
        assert cell_len(before) == at + 5, line

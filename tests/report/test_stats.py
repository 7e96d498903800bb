"""The figures of a log, checked by hand."""

from __future__ import annotations

import pytest

import rows
from dshlog.report.stats import Stats, log_stats
from dshlog.storage.source import BytesSource
from logbuilder import Log


def conversation(version):
    log = Log(version)
    for words in ("one two three four", "five six"):
        log.turn()
        log.user("hi")
        log.step()
        log.assistant(words, ("c" + words[0], "bash", '{"command":"ls -l"}'))
        log.call("c" + words[0])
        log.result("c" + words[0], "done")
        log.end_step()
        log.end_turn()
    return log


def figures(log, encoding="raw", name=None):
    data = getattr(rows, encoding)(log.batches())
    path = name or f"session.v{log.version}.jsonl" + (".zstd" if encoding == "zstd" else "")
    return log_stats(BytesSource(data), path)


@pytest.mark.parametrize("version", range(5))
def test_what_happened(version):
    log = conversation(version)
    stats, report = figures(log)
    done = stats.activity
    assert (len(done.turns), done.steps, done.calls, done.failures) == (2, 2, 2, 0)
    assert done.model_calls == {"answered": 2, "interrupted": 0, "failed": 0, "compaction": 0}
    assert done.tokens["answered"] == {name: 2 * count for name, count in rows.USAGE.items()}
    tool = done.tools["bash"]
    assert tool.durations == [10, 10], "the builder's clock ticks 10 ms an event"
    assert [turn.tokens for turn in done.turns] == [rows.USAGE] * 2
    assert all(turn.lasted > 0 for turn in done.turns)
    assert {turn.session for turn in done.turns} == {"demo"}
    assert (stats.records, stats.events) == (report.records, report.events)
    assert sum(kind.events for kind in stats.kinds.values()) == report.events
    assert sum(kind.records for kind in stats.kinds.values()) == report.records
    header = len(rows.line(log.header))
    assert sum(kind.bytes for kind in stats.kinds.values()) == report.text - header


def test_packing_of_old_generations():
    log = conversation(0)
    stats, _ = figures(log)
    loose = b"".join(map(rows.line, [log.header, *map(rows.stored, log.events)]))
    packed = rows.raw(log.batches())
    assert stats.loose_bytes - stats.packed_bytes == len(loose) - len(packed)
    assert stats.saving == 0
    other, _ = log_stats(BytesSource(loose), "session.jsonl")
    assert (other.packed, other.saving) == (0, len(loose) - len(packed))
    assert figures(conversation(4))[0].packed == 0


def test_compression():
    stats, report = figures(conversation(4), "zstd")
    assert stats.text > stats.bytes == report.bytes


def test_failures_by_every_spelling():
    for version in range(5):
        log = conversation(version)
        log.turn()
        log.step()
        log.assistant("x", ("cx", "bash", "{}"))
        log.call("cx")
        at = log.result("cx", "no")
        if version == 0:
            log.events[at]["data"]["error"] = {"name": "E"}
        else:
            message = log.events[at]["data"]["message"]
            (message if version == 4 else message["content"][0])["isError"] = True
        stats, _ = figures(log)
        assert (stats.activity.calls, stats.activity.failures) == (3, 1), version
        assert stats.activity.turns[-1].failures == 1
        assert stats.activity.turns[-1].lasted is None


@pytest.mark.parametrize("version", range(5))
def test_what_a_fork_inherited_is_left_out(version):
    log = conversation(version)
    log.seed()
    log.turn()
    log.step()
    log.assistant("seven eight nine ten")
    log.end_step()
    log.end_turn()
    stats, report = figures(log)
    assert report.state == "clean"
    assert stats.inherited == report.inherited > 0
    assert (len(stats.activity.turns), stats.activity.steps, stats.activity.calls) == (1, 1, 0)
    assert stats.activity.model_calls["answered"] == 1
    assert stats.records == report.records


def test_a_result_that_replaces_another_is_no_second_answer():
    log = conversation(4)
    result = next(event["seq"] for event in log.events if event["type"] == "tool/result")
    log.turn()
    log.rewrite(result, "shorter")
    log.end_turn()
    assert len(figures(log)[0].activity.tools["bash"].durations) == 2


@pytest.mark.parametrize("version", range(5))
def test_a_clock_that_goes_back_gives_no_duration(version):
    log = conversation(version)
    for event in log.events:
        if event["type"] in ("tool/result", "step/end", "turn/end") and event["seq"] > len(log.events) // 2:
            event["time"] = 1
    done = figures(log)[0].activity
    assert [turn.lasted is None for turn in done.turns] == [False, True]
    assert (len(done.step_durations), len(done.tool("bash").durations)) == (1, 1)


def test_sums():
    total = Stats("")
    for version in (0, 4):
        total.add(figures(conversation(version))[0])
    assert (total.logs, len(total.activity.turns), total.activity.calls) == (2, 4, 4)
    assert total.activity.tokens["answered"]["inputTokens"] == 400
    assert total.kinds["turn/start"].records == 4
    assert len(total.activity.tools["bash"].durations) == 4


def test_how_many_calls_told_a_figure_is_counted():
    log = conversation(4)
    answers = [event for event in log.events if event["type"] == "assistant/message"]
    answers[0]["data"]["usage"] = {"inputTokens": 100, "outputTokens": 20}
    told = figures(log)[0].activity.reported["answered"]
    assert told == {"inputTokens": 2, "outputTokens": 2, "totalTokens": 1}
    total = Stats("")
    for _ in range(2):
        total.add(figures(log)[0])
    assert total.activity.reported["answered"] == {"inputTokens": 4, "outputTokens": 4, "totalTokens": 2}
    del answers[0]["data"]["usage"]
    assert set(figures(log)[0].activity.reported["answered"].values()) == {1}


def test_no_log_has_no_figures():
    stats, report = log_stats(BytesSource(b"words\n"), "a.jsonl")
    assert report.state == "not-a-log"
    assert (stats.records, stats.activity.steps, stats.kinds) == (0, 0, {})


# Turns, steps, calls with failures, model calls and tokens of logs that dsh wrote, counted in their events:
# each answered call of the scripted model has 100 tokens of input and 20 of output unless told otherwise.
BY_HAND = {
    # Step 1: three attempts fail and are retried, the fourth answers. Step 2: one fails, the second answers.
    "retry-0.1.2-rc.1": [(1, 2, 1, 0, {"answered": 2, "failed": 3 + 1}, 2 * 100, 2 * 20)],
    "retry-0.2.1-rc.2": [(1, 2, 1, 0, {"answered": 2, "failed": 3 + 1}, 2 * 100, 2 * 20)],
    # The child (events 0..25 are the parent's) has one turn of two steps; the parent one of one and one of two.
    "fork-0.1.2-rc.1": [
        (1, 2, 1, 0, {"answered": 2}, 2 * 100, 2 * 20),
        (2, 1 + 2, 1, 0, {"answered": 1 + 2}, 3 * 100, 3 * 20),
    ],
    # The child (up to its end-seed, event 17) has one turn of one step; the parent one of one and one of four.
    "fork-0.2.1-rc.2": [
        (1, 1, 0, 0, {"answered": 1}, 100, 20),
        (2, 1 + 4, 2, 0, {"answered": 1 + 4}, 5 * 100, 5 * 20),
    ],
    # Four turns of one step, and a summary that took 100 and 20, which stands in a bucket of its own.
    "compaction-pressure-0.2.1-rc.2": [
        (4, 4, 0, 0, {"answered": 4, "compaction": 1}, 9000 + 16000 + 9500 + 9500, 900 + 900 + 100 + 100)
    ],
}


@pytest.mark.parametrize("folder", BY_HAND)
def test_logs_that_were_counted_by_hand(folder, shared):
    logs = sorted((shared / "corpus" / folder).glob("sessions/*/*/session*.zstd"))
    assert len(logs) == len(BY_HAND[folder])
    for path, expected in zip(logs, BY_HAND[folder], strict=True):
        turns, steps, calls, failures, model, given, taken = expected
        done = log_stats(BytesSource(path.read_bytes()), str(path))[0].activity
        assert (len(done.turns), done.steps, done.calls, done.failures) == (turns, steps, calls, failures)
        assert {bucket: number for bucket, number in done.model_calls.items() if number} == model
        answered = done.tokens["answered"]
        assert (answered["inputTokens"], answered["outputTokens"]) == (given, taken)


@pytest.mark.parametrize("kind", [{}, [], 7, None, True])
def test_a_type_that_is_no_text_is_counted_too(kind):
    """0.1.2 opens a v0 log with such an event."""
    log = conversation(0)
    log.event("plugin/thing", {})
    log.events[-1]["type"] = kind
    stats, _ = figures(log)
    assert len(stats.activity.turns) == 2

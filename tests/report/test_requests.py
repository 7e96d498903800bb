"""Requests, what differs between two of them, and why an event is or is not on the surface."""

from __future__ import annotations

import json

import pytest

import rows
from dshlog.fold.request import request_at
from dshlog.model.report import ReaderVerdict, Report
from dshlog.model.why import Heir
from dshlog.render.look import Look
from dshlog.render.request import difference_dict, difference_lines
from dshlog.render.why import why_dict, why_lines
from dshlog.report.decode import read_log
from dshlog.report.difference import difference
from dshlog.report.events import event_rows
from dshlog.report.facts import facts
from dshlog.report.request import requests
from dshlog.report.turns import turns
from dshlog.report.why import why
from dshlog.storage.source import BytesSource
from logbuilder import Log, image, text, worked

EVERY = [0, 1, 2, 3, 4]
OPENS = ReaderVerdict(build="0.2.1", opens=True)
REPORT = Report(path="log", state="clean", native=OPENS, latest=OPENS, findings=(), version=4)
ALL = {(number, call) for number in range(1, 6) for call in range(1, 12)}


def called(version):
    """Give a log of four calls under two headers; between them a pruned result and a compaction."""
    log = worked(version)
    log.end_turn()
    log.turn()
    results = [event["seq"] for event in log.events if event["type"] == "tool/result"]
    log.rewrite(results[0], "(pruned)")
    log.step()
    log.user("two")
    log.assistant("yes")
    log.end_step()
    log.end_turn()
    log.turn()
    users = [seq for seq in log.nodes if log.events[seq]["type"] == "user/message"]
    log.compact(users[0], log.nodes[-1], "so far")
    log.step()
    log.user("three")
    log.request("series", tools=["bash", "read"])
    log.assistant("well")
    log.end_step()
    log.end_turn()
    return log


def found_in(log, wanted=ALL, at=None, form=rows.zstd):
    return requests(BytesSource(form(log.batches())), "log", wanted, at=at)[0]


@pytest.mark.parametrize("form", [rows.raw, rows.zstd])
@pytest.mark.parametrize("version", EVERY)
def test_every_request_is_what_the_library_reconstructs(version, form):
    log = called(version)
    found = found_in(log, form=form)
    assert [view.name for view in found.found.values()] == ["1", "1.2", "1.3", "2"]
    assert found.calls == [3, 1]
    answers = [event["seq"] for event in log.events if event["type"] == "assistant/message"]
    assert [view.answer for view in found.found.values()] == answers
    for view in found.found.values():
        same = request_at(log.events, view.first, version=version)
        assert list(view.messages) == list(same.messages)
        assert (view.header, view.tool_history) == (same.header, same.tool_history)
        assert len(view.rows) == len(view.messages)
        assert [row.position for row in view.rows] == list(range(len(view.rows)))
        assert list(view.tools) == view.header["tools"]


@pytest.mark.parametrize("version", EVERY)
def test_a_request_that_nothing_answers_has_the_state_at_its_end(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user("one")
    log.request()
    view = found_in(log).found[1, 1]
    assert (view.answer, view.first, view.turn, view.step) == (None, None, 1, 1)
    assert [message["content"] for message in view.messages] == [[text("one")]]
    log.end_step()
    log.end_turn("interrupted")
    log.turn()
    log.step()
    log.user("two")
    log.request()
    log.assistant("yes")
    found = found_in(log)
    assert [len(view.messages) for view in found.found.values()] == [1, 2]
    assert [view.answer is None for view in found.found.values()] == [True, False]


@pytest.mark.parametrize("version", EVERY)
def test_attempts_are_calls_too(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user("one")
    log.request()
    chunk = {"type": "finish", "reason": {"kind": "error", "failure": {"message": "m", "code": "E"}}}
    if version < 2:
        failed = log.event("assistant/chunk", {**log.here, "chunk": chunk})
    else:
        failed = log.event("assistant/attempt", {**log.here, "stream": [{"type": "chunk", "time": 1, "chunk": chunk}]})
    log.event("llm/retry", {**log.here, "retryId": "r", "retry": 1})
    log.assistant("yes")
    first, second = found_in(log).found.values()
    assert (first.name, first.first, first.answer) == ("1", failed, None if version < 2 else failed)
    assert first.answered_by == ("assistant/chunk" if version < 2 else "assistant/attempt")
    assert (second.name, second.answered_by) == ("1.2", "assistant/message")
    assert first.messages == second.messages


@pytest.mark.parametrize("version", EVERY)
def test_events_and_turns_name_the_requests_that_there_are(version):
    log = called(version)
    source = BytesSource(rows.zstd(log.batches()))
    found = found_in(log).found.values()
    named: dict = {}
    for row in event_rows(read_log(source, "log")):
        if row.request is not None:
            named.setdefault(row.request, []).append(row.seq)
    for view in found:
        expected = {view.first, view.answer} | ({view.seq} if view.call == 1 else set())
        assert named[view.name] == sorted(expected)
    assert len(named) == len(found)
    spans = turns(read_log(source, "log"))
    assert [name for turn in spans for name in turn.requests] == list(named)
    assert [name for turn in spans for step in turn.steps for name in step.requests] == list(named)


def test_the_log_may_be_taken_to_end_earlier():
    log = called(4)
    whole = found_in(log)
    cut = found_in(log, at=whole.found[1, 2].answer - 1)
    assert list(cut.found) == [(1, 1)]
    assert cut.found[1, 1] == whole.found[1, 1]


def differs(log, one, other):
    found = found_in(log)
    return difference(found, found.found[one], found.found[other])


@pytest.mark.parametrize("version", EVERY)
def test_a_later_request_that_only_adds_breaks_nothing(version):
    log = called(version)
    told = differs(log, (1, 2), (1, 1))
    assert (told.earlier.name, told.later.name) == ("1", "1.2")
    assert told.messages == len(told.earlier.messages)
    assert told.chars == told.earlier_chars < told.later_chars
    assert (told.causes, told.breaks, told.config, told.system) == ((), None, (), False)


@pytest.mark.parametrize("version", EVERY)
def test_pruning_ends_the_common_part_at_the_pruned_result(version):
    log = called(version)
    told = differs(log, (1, 2), (1, 3))
    rewritten = [event["seq"] for event in log.events if event["type"] == "tool/result"]
    assert (told.breaks.kind, told.breaks.seq, told.breaks.nodes) == ("pruning", rewritten[1], (rewritten[0],))
    assert told.earlier.rows[told.messages].seq == rewritten[0]
    assert told.later.rows[told.messages].seq == rewritten[1]
    equal = sum(len(plain(message)) for message in told.earlier.messages[: told.messages])
    assert equal < told.chars < equal + len(plain(told.earlier.messages[told.messages]))


def plain(message):
    return json.dumps({name: message[name] for name in ("role", "content")}, separators=(",", ":"))


@pytest.mark.parametrize("version", EVERY)
def test_compaction_and_tools_are_both_named(version):
    log = called(version)
    told = differs(log, (1, 1), (2, 1))
    checkpoint = next(e["seq"] for e in log.events if e["type"] == "user/message" and "sourceEventSeqs" in e)
    summary = next(e["seq"] for e in log.events if e["type"] == "compaction/summary")
    compaction = next(cause for cause in told.causes if cause.kind == "compaction")
    assert (compaction.seq, compaction.told_by) == (checkpoint, summary)
    assert compaction.nodes == tuple(row.seq for row in told.earlier.rows if row.role != "system")
    assert (told.tools_added, told.tools_removed, told.tools_changed, told.tools_moved) == (("read",), (), (), False)
    assert (told.breaks.kind, told.breaks.seq) == ("tools", told.later.seq)
    assert not told.system


@pytest.mark.parametrize("version", EVERY)
def test_a_pruned_result_that_is_compacted_is_followed_to_the_end(version):
    log = called(version)
    told = differs(log, (1, 2), (2, 1))
    pruned, compacted = (cause for cause in told.causes if cause.kind in {"pruning", "compaction"})
    assert pruned.nodes[0] in compacted.nodes


def cause_words(told):
    return " ".join(" ".join(line.split()) for line in difference_lines(REPORT, told))


@pytest.mark.parametrize("version", EVERY)
def test_a_cause_counts_all_that_it_replaced_and_what_of_it_the_earlier_request_had(version):
    log = called(version)
    replaced = {made.seq: made.shadowed for made in found_in(log).replacements}
    first, later = differs(log, (1, 1), (2, 1)), differs(log, (1, 2), (2, 1))
    for told in (first, later):
        for cause in told.causes:
            assert cause.replaced == replaced.get(cause.seq, ())
    compaction = next(cause for cause in first.causes if cause.kind == "compaction")
    assert len(compaction.replaced) > len(compaction.nodes)
    many, some = len(compaction.replaced), len(compaction.nodes)
    assert f"replaced {many} messages, {some} of them in the earlier request: {compaction.nodes[0]}" in cause_words(
        first
    )
    pruning, compaction = (cause for cause in later.causes if cause.kind in {"pruning", "compaction"})
    assert f"replaced 1 message: {pruning.nodes[0]}" in cause_words(later)
    words = (
        f"replaced {len(compaction.replaced)} messages, which stand for {len(compaction.nodes)} of the earlier request"
    )
    assert words in cause_words(later)
    held = difference_dict("log", version, later)["causes"]
    assert [one["replaced"] for one in held] == [list(cause.replaced) for cause in later.causes]


@pytest.mark.parametrize("version", EVERY)
def test_a_new_system_prompt_is_a_cause(version):
    log = Log(version)
    log.turn()
    log.step()
    head = log.system("be brief")
    log.user("one")
    log.request()
    log.assistant("yes")
    log.end_step()
    log.step()
    if version < 3:
        log.system("be long")
    else:
        head = log.system("be long", sourceEventSeqs=[head], surfaceOp=log.span(head, head))
    seq = log.request("change")
    log.assistant("well")
    told = differs(log, (1, 1), (2, 1))
    assert told.system
    assert (told.breaks.kind, told.breaks.seq) == ("system", seq if version < 3 else head)


def test_an_image_offload_is_a_cause():
    log = Log(4)
    log.turn()
    log.step()
    seen = log.user("look", image("a"))
    log.request()
    log.assistant("yes")
    log.end_step()
    changed = log.event("image/offload", {"targets": [{"seq": seen, "imageIndexes": [0]}]})
    log.step()
    log.assistant("well")
    told = differs(log, (1, 1), (1, 2))
    assert (told.breaks.kind, told.breaks.seq, told.breaks.nodes, told.messages) == ("offload", changed, (seen,), 0)
    answer, _ = why(BytesSource(rows.raw(log.batches())), "log", seen)
    assert (answer.state, answer.changed_by) == ("surface", (changed,))


def asked(log, seq, at=None):
    return why(BytesSource(rows.zstd(log.batches())), "log", seq, at=at)[0]


@pytest.mark.parametrize("version", EVERY)
def test_every_event_has_an_answer_that_fits_the_surface(version):
    log = called(version)
    for at in (None, 12, len(log.events) - 2):
        end = len(log.events) if at is None else at + 1
        nodes = Log(version)
        nodes.events = log.events[:end]
        for event in log.events[:end]:
            seq = event["seq"]
            if version < 2 and at == 12:
                continue  # a packed run is never cut
            answer = asked(log, seq, at)
            assert (answer.position is not None) == (seq in nodes.nodes)
            if answer.position is not None:
                assert (answer.state, nodes.nodes[answer.position]) == ("surface", seq)
            elif "surfaceOp" in event:
                assert answer.state == "replaced"
                assert answer.replaced_by[-1].seq in nodes.nodes
            else:
                assert answer.state == "log-only"
            assert (answer.type, answer.time) == (event["type"], event["time"])
            assert answer.facts == facts(event["type"], event["data"], event.get("surfaceOp"))
            assert answer.op == event.get("surfaceOp")
            assert list(answer.cites) == event.get("sourceEventSeqs", [])


@pytest.mark.parametrize("version", EVERY)
def test_what_replaced_a_message_is_named_with_its_compaction_or_pruning(version):
    log = worked(version)
    log.end_turn()
    log.turn()
    result = next(event["seq"] for event in log.events if event["type"] == "tool/result")
    pruned = log.prune(result, "(pruned)")
    made = []
    for words in ("so far", "all of it"):
        users = [seq for seq in log.nodes if log.events[seq]["type"] == "user/message"]
        made.append(log.compact(users[0], log.nodes[-1], words))
        log.user("go on")
    answer = asked(log, result)
    tied = [log.events[seq - 1]["data"]["compactionId"] for seq in made]
    by = "compact-checkpoint" if version == 4 else "compact"
    assert answer.replaced_by == (
        Heir(pruned, "tool/result", None, "pruning", pruned - 1, "compaction/prune"),
        *(
            Heir(seq, "user/message", by, "compaction", seq - 1, "compaction/summary", tie)
            for seq, tie in zip(made, tied, strict=True)
        ),
    )
    told = [one["toldBy"] for one in why_dict(answer)["replacedBy"]]
    assert told == [pruned - 1, made[0] - 1, made[1] - 1]
    text = " ".join(" ".join(line.split()) for line in why_lines(answer, REPORT))
    assert f"replaced by {pruned} tool/result, pruning, told by compaction/prune {pruned - 1} " in text
    for seq, tie in zip(made, tied, strict=True):
        words = f"and that by {seq} user/message by {by}, compaction {tie}, told by compaction/summary {seq - 1} "
        assert words in text


def test_a_replacement_without_a_space_is_cut_to_the_terminal():
    log = worked(4)
    result = next(event["seq"] for event in log.events if event["type"] == "tool/result")
    log.prune(result, "x" * 500)
    assert max(map(len, why_lines(asked(log, result), REPORT, Look(width=60)))) == 60


@pytest.mark.parametrize("version", EVERY)
def test_a_pruned_and_compacted_result_tells_its_whole_way(version):
    log = called(version)
    first, second = (event["seq"] for event in log.events if event["type"] == "tool/result")
    summary = next(e["seq"] for e in log.events if e["type"] == "compaction/summary")
    answer = asked(log, first)
    assert [(link.seq, link.type) for link in answer.replaced_by] == [
        (second, "tool/result"),
        (summary + 1, "user/message"),
    ]
    assert answer.replaced_by[1].by == ("compact-checkpoint" if version == 4 else "compact")
    assert [(link.seq, link.via) for link in answer.cited_by] == [(second, "sourceEventSeqs")]
    assert asked(log, second).hides == (first,)
    assert {link.via for link in asked(log, second).cited_by} == {"data.shadowedSeqs", "sourceEventSeqs"}


def test_empty_opaque_and_refused_events_say_so():
    log = Log(4)
    log.turn()
    log.step()
    log.user("one")
    log.request()
    empty = log.assistant("")
    opaque = log.event("plugin:x", {"a": 1}, ignorable=True)
    omitted = log.user("two", sourceEventSeqs=[0], surfaceOp=log.span(2, 2))
    assert asked(log, empty).state == "empty"
    assert asked(log, opaque).state == "opaque"
    answer = asked(log, omitted)
    assert (answer.state, answer.replaced_by, answer.position) == ("refused", (), None)
    assert answer.findings[0].startswith("S304 ")
    assert asked(log, 99) is None
    assert asked(log, 5, at=4) is None


@pytest.mark.parametrize("data", [b"", b"xx\n", rows.line({"type": "session", "version": 9, "id": "k"})])
def test_what_is_no_known_log_has_no_request_and_no_event(data):
    assert requests(BytesSource(data), "log", ALL)[0].found == {}
    assert why(BytesSource(data), "log", 0)[0] is None


def test_requests_of_released_builds_are_what_the_library_reconstructs(shared):
    for path in sorted((shared / "corpus").glob("*/sessions/*/*/session*.zstd"))[::5]:
        source = BytesSource(path.read_bytes())
        log = read_log(source, str(path))
        events = [event for event, _ in log.events()]
        version = log.header.version
        found, _ = requests(source, str(path), ALL)
        assert found.headers == [event["seq"] for event in events if event["type"] == "request/header"], path
        settled = [event["seq"] for event in events if event["type"] == "assistant/message"]
        assert [view.answer for view in found.found.values() if view.answered_by == "assistant/message"] == settled
        for view in found.found.values():
            at = view.first if view.first is not None else _given_up(events, view.seq)
            same = request_at(events, at, version=version)
            assert (view.header, view.tool_history) == (same.header, same.tool_history), path
            assert list(view.messages) == list(same.messages), path


def _given_up(events, header):
    ends = {"step/start", "step/end", "turn/start", "turn/end", "request/header", "session/end-seed"}
    return next((event["seq"] for event in events[header + 1 :] if event["type"] in ends), len(events))


def test_a_changed_setting_shows_what_it_was_and_is():
    log = called(4)
    first, second = (event for event in log.events if event["type"] == "request/header")
    first["data"]["header"]["config"] = {**first["data"]["header"]["config"], "temperature": 0.5, "stop": ["a"]}
    second["data"]["header"] |= {"adapterDefaults": {"maxTokens": True}}
    second["data"]["header"]["config"] = {**second["data"]["header"]["config"], "temperature": 1, "maxTokens": 9}
    found, report = requests(BytesSource(rows.zstd(log.batches())), "log", [(1, 1), (2, 1)])
    lines = list(difference_lines(report, difference(found, *found.found.values())))
    (line,) = (line for line in lines if line.startswith("  config "))
    assert line[12:] == (
        'temperature 0.5 -> 1; stop ["a"] -> none; maxTokens none -> 9; adapterDefaults none -> {"maxTokens":true}'
    )

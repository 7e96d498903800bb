"""Two logs side by side: numbering, packing and generations make no difference, everything else does."""

from __future__ import annotations

import copy

import pytest

import dshlog
import rows
from dshlog.report.compare import Given, Wanted, compare
from dshlog.storage.source import BytesSource
from logbuilder import Log, worked


def story(version=4, *, words="hi", more=False):
    log = Log(version)
    log.turn()
    log.step()
    log.system("You are careful.")
    log.user(words)
    log.request(tools=["bash"])
    log.assistant("Let me look.", ("call_1", "bash", "{}"))
    log.call("call_1")
    log.result("call_1", "a.txt")
    log.end_step()
    log.end_turn()
    if more:
        log.turn()
        log.step()
        log.user("more")
        log.end_step()
        log.end_turn()
    return log


def raw(log):
    return rows.raw(log.batches())


def told(a, b, **wanted):
    found = dshlog.diff(a, b, **wanted)
    changed = [
        (one.a.seq, one.b.seq, [change.path for change in one.changes]) for one in found.differences if one.changes
    ]
    alone = {side: [getattr(one, side).seq for one in found.differences if one.kind == f"only-{side}"] for side in "ab"}
    return found, changed, alone


@pytest.mark.parametrize("version", range(5))
def test_containers_and_packing_are_no_difference(version):
    log = story(version)
    plain = dshlog.open_log(raw(log))
    found, changed, alone = told(raw(log), rows.zstd(log.batches()))
    assert (found.same, changed, alone) == (True, [], {"a": [], "b": []})
    assert found.common.count == found.a.events == found.b.events == len(list(plain.events()))
    assert found.tally.same == found.common.count


def unpacked(log):
    lines = raw(log).splitlines(keepends=True)
    import json

    events = dshlog.unpack_chunk_runs([json.loads(line) for line in lines[1:]])
    return lines[0] + b"".join(json.dumps(event).encode() + b"\n" for event in events)


def test_packed_and_unpacked_rows_say_the_same():
    log = story(0)
    assert told(raw(log), unpacked(log))[0].same
    other = story(0, more=True)
    found, _, alone = told(unpacked(log), raw(other))
    assert (found.common.count, alone["b"][0]) == (found.a.events, found.a.events)


def test_an_event_that_was_put_in_moves_all_later_ones_and_changes_none():
    one, other = story(more=True), Log(4)
    other.__dict__.update(copy.deepcopy(one.__dict__))
    at = 3  # behind the system message
    for event in other.events[at:]:
        event["seq"] += 1
        if "sourceEventSeqs" in event:
            event["sourceEventSeqs"] = [seq + 1 for seq in event["sourceEventSeqs"]]
    other.events.insert(at, {"type": "plan/mode", "seq": at, "time": 5, "data": {"active": True}})
    other.commits = []
    found, changed, alone = told(raw(one), lines(other))
    assert (changed, alone) == ([], {"a": [], "b": [3]})
    assert found.tally.renumbered == len(one.events) - at
    assert found.tally.tail_b is None
    found, changed, alone = told(lines(other), raw(one))
    assert (changed, alone) == ([], {"a": [3], "b": []})


def lines(log):
    import json

    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in (log.header, *log.events))


def test_a_citation_that_names_another_event_is_a_change():
    one = story()
    other = copy.deepcopy(one)
    result = next(event for event in other.events if event["type"] == "tool/result")
    (cited,) = result["sourceEventSeqs"]
    result["sourceEventSeqs"] = [cited - 1]
    found, changed, _ = told(lines(one), lines(other))
    assert changed == [(result["seq"], result["seq"], ["$.sourceEventSeqs"])]
    (difference,) = found.differences
    assert tuple(difference.changes[0])[2:] == ([cited], [cited - 1])


def test_what_comes_after_is_a_tail():
    found, changed, alone = told(lines(story()), lines(story(more=True)))
    count = len(story().events)
    assert (changed, alone["a"]) == ([], [])
    assert alone["b"] == list(range(count, count + 5))
    assert (found.tally.tail_a, found.tally.tail_b) == (None, count)
    assert (found.common.turn, found.common.last.type) == (1, "tool/result")


def test_a_changed_text_is_one_change():
    found, changed, alone = told(lines(story()), lines(story(words="ho")))
    assert changed == [(3, 3, ["$.data.content[0].text"])]
    assert alone == {"a": [], "b": []}
    assert found.tally.changed == {"user/message": 1}


@pytest.mark.parametrize("version", range(4))
def test_an_older_generation_is_compared_as_dsh_upgrades_it(version):
    old = lines(worked(version))
    with dshlog.open_log(old) as log:
        new = log.migrate().text
    assert new is not None
    found = dshlog.diff(old, new)
    assert (found.same, found.a.version, found.a.compared, found.b.version) == (True, version, 4, 4)
    assert found.a.events == found.b.events
    again = dshlog.diff(new + b'{"type":"plan/mode","seq":%d,"time":5,"data":{"active":true}}\n' % found.b.events, old)
    assert [one.kind for one in again.differences] == ["only-a"]


def test_where_dsh_would_not_upgrade_messages_are_compared():
    old = worked(0)
    with dshlog.open_log(lines(old)) as log:
        new = log.migrate().text
    old.event("demo/note", {})
    old.turn()
    old.step()
    asked = old.user("more")
    found, changed, alone = told(lines(old), new)
    assert found.view == "messages"
    assert found.a.refusals[0].code == "E109"
    assert (found.a.compared, found.b.compared) == (0, 4)
    assert (changed, alone) == ([], {"a": [asked], "b": []})
    found, changed, alone = told(lines(old), new, surface=True)
    assert (changed, alone) == ([], {"a": [asked], "b": []})


@pytest.mark.parametrize("view", ["messages", "surface"])
def test_messages_are_compared_without_their_seqs(view):
    one, other = worked(4), Log(4)
    other.event("plan/mode", {"active": True})
    assert dshlog.diff(lines(one), lines(one), **{view: True}).same
    found = dshlog.diff(lines(other), lines(one), **{view: True})
    assert found.view == view
    assert found.tally.only_b
    assert not found.tally.only_a


def test_the_surface_is_what_the_model_sees():
    one = story()
    other = copy.deepcopy(one)
    users = [seq for seq in other.nodes if other.events[seq]["type"] == "user/message"]
    other.turn()
    other.compact(users[0], other.nodes[-1], "They looked.")
    found, _, alone = told(lines(one), lines(other), surface=True)
    assert found.common.count == 1
    assert alone == {"a": [3, 5, 7], "b": [other.nodes[-1]]}
    assert dshlog.diff(lines(one), lines(other), surface=True, at=len(one.events) - 1).same


def test_both_can_end_at_an_event():
    one, other = lines(story()), lines(story(more=True))
    assert dshlog.diff(one, other, at=9).same
    assert not dshlog.diff(one, other, at=10).same
    assert dshlog.diff(raw(story(0)), unpacked(story(0)), at=7).same


def test_what_cannot_be_read_is_no_sameness():
    whole = lines(story())
    cut = whole[: whole.rindex(b'{"type":"turn/end"')]
    found = dshlog.diff(cut, cut + b'{"type":')
    assert (found.same, found.unread, list(found.differences)) == (False, True, [])
    assert dshlog.diff(cut + b'{"type":', cut + b'{"type":').same
    torn = rows.zstd(story().batches())[:-3]
    assert dshlog.diff(torn, torn).same
    found = dshlog.diff(torn, rows.zstd(story().batches()))
    assert (found.same, found.unread) == (False, True)
    assert dshlog.diff(b"", b"").same
    assert not dshlog.diff(b"", whole).same


def test_a_damaged_log_is_compared_as_far_as_it_can_be_read():
    whole = lines(story(more=True)).splitlines(keepends=True)
    whole[5] = b"{\n"
    found, _, alone = told(b"".join(whole), lines(story(more=True)))
    assert (found.common.count, found.a.events, found.a.stop, found.a.state) == (4, 4, 6, "refused")
    assert alone["b"][0] == 4


def test_headers_are_compared_too():
    one, other = story(), story()
    other.header["id"] = "another"
    found = dshlog.diff(lines(one), lines(other))
    assert (found.same, [change.path for change in found.header]) == (False, ["$.id"])


def test_brief_reads_no_further_than_the_first_difference():
    one, other = (
        Given(BytesSource(lines(log)), "log") for log in (story(words="a", more=True), story(words="b", more=True))
    )
    found = compare(one, other, Wanted(brief=True))
    assert (found.same, found.common.count, list(found.differences)) == (False, 3, [])


def test_streams_that_are_packed_otherwise_say_the_same():
    log = worked(4)
    other = copy.deepcopy(log)
    for event in other.events:
        if event["type"] == "assistant/message":
            from dshlog.fold.stream import expand_stream

            event["data"]["stream"] = [
                {"type": "chunk", "time": time, "chunk": chunk}
                for time, chunk in expand_stream(event["data"]["stream"])
            ]
    assert lines(log) != lines(other)
    assert dshlog.diff(lines(log), lines(other)).same


def test_a_citation_of_an_event_that_is_gone_is_a_change():
    logs = []
    for more in (True, False):
        log = Log(4)
        log.turn()
        log.step()
        log.system("You are careful.")
        cited = log.event("plan/mode", {"active": True}) if more else 2
        log.user("hi", sourceEventSeqs=[cited])
        logs.append(log)
    logs[1].events[3] |= {"time": logs[0].events[4]["time"], "data": logs[0].events[4]["data"]}
    _, changed, alone = told(*map(lines, logs))
    assert alone == {"a": [3], "b": []}
    assert changed == [(4, 3, ["$.sourceEventSeqs"])]


def test_a_packed_row_can_be_cut_by_the_end_that_is_asked_for():
    one = raw(story(0))
    found = dshlog.diff(one, one, at=6)
    assert (found.same, found.common.count, found.a.events) == (True, 7, 7)


def test_runs_of_chunks_are_those_of_one_step():
    one, other = worked(0), story(0)
    found = dshlog.diff(lines(other), lines(one))
    sizes = [one.b.size for one in found.differences if one.b is not None and one.b.type == "assistant/chunk"]
    assert len(sizes) > 1
    alone = sum(one.b.size for one in found.differences if one.b is not None)
    assert found.b.events == found.tally.same + alone


def test_a_stream_that_is_none_is_compared_as_it_is():
    one, other = worked(4), worked(4)
    for log, word in ((one, "x"), (other, "y")):
        message = next(event for event in log.events if event["type"] == "assistant/message")
        message["data"]["stream"] = [word]
    found, changed, _ = told(lines(one), lines(other))
    assert not found.same
    assert [paths for _, _, paths in changed] == [["$.data.stream"]]

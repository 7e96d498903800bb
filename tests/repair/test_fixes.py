"""Each fix that is made only when it is named, on a small log: the plan names it, and the upgrade takes the result."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from dshlog.library import apply, plan_repair
from dshlog.repair.asked import UnknownFixError, asked
from dshlog.repair.fixes import members
from dshlog.repair.fixes.table import ROW_FIXES
from dshlog.report.examine import examine
from dshlog.report.upgrade import upgrade
from dshlog.rules.fixes import FIXES, cures
from dshlog.rules.register import BY_NAME
from dshlog.storage.source import BytesSource
from logbuilder import Log, text


def small(version):
    """Give the header and the events of a log with one turn: a question, a call, its result and an answer."""
    log = Log(version)
    log.turn()
    log.step()
    log.system("Be brief.")
    log.user("Hi")
    log.request(tools=("bash",))
    log.assistant("Look.", ("call-1", "bash", '{"command":"ls"}'))
    log.call("call-1")
    log.result("call-1", "README.md")
    log.end_step()
    log.step()
    log.assistant("Done.")
    log.end_step()
    log.end_turn()
    return json.loads(json.dumps([log.header, log.events]))  # parts of it are shared


def moved(events):
    """Number events anew, and what they cite."""
    olds = [event["seq"] for event in events]
    new = {old: index for index, old in enumerate(olds)}
    for event in events:
        event["seq"] = new[event["seq"]]
        if "sourceEventSeqs" in event:
            event["sourceEventSeqs"] = [new[seq] for seq in event["sourceEventSeqs"]]
    return events


def dumped(head, events):
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in (head, *events))


def one(events, kind, number=0):
    return [event for event in events if event["type"] == kind][number]


def put(events, at, *more):
    """Put events in and number everything anew, references too."""
    for event in events[at:]:
        event["seq"] += len(more)
    for event in events:
        if "sourceEventSeqs" in event:
            event["sourceEventSeqs"] = [seq + len(more) * (seq >= at) for seq in event["sourceEventSeqs"]]
    events[at:at] = [{**event, "seq": at + index} for index, event in enumerate(more)]


def row(kind, data, **members):
    return {"type": kind, "seq": 0, "time": 1_700_000_000_000, "data": data, **members}


def user(words, source=None, **members):
    message = {"id": f"u-{words}", "role": "user", "content": [text(words)], "source": source or {"kind": "user"}}
    return row("user/message", message, surfaceOp="append", **members)


BROKEN = {}


def broken(version, *fixes, lossy=True):
    """Keep a function that breaks a log of a generation, with the fixes that the plan should name."""

    def keep(change):
        BROKEN[change.__name__] = (version, change, fixes, lossy)
        return change

    return keep


@broken(0, "drop-member")
def a_member_of_a_preset(_head, events):
    put(events, 0, row("permission/preset", {"preset": "ask", "origin": "user"}))


@broken(0, "drop-member")
def members_at_many_places(_head, events):
    put(events, 0, row("plan/mode", {"active": True, "note": 1}), row("todo/write", {"todos": [], "a.b": [{}]}))
    one(events, "request/header")["data"]["header"]["tools"][0]["strict"] = True
    one(events, "user/message")["data"]["content"][0]["lang"] = "en"
    one(events, "assistant/message")["data"]["usage"]["cost"] = 1


@broken(0, "drop-member")
def usage_that_is_no_count(_head, events):
    answer = one(events, "assistant/message", 1)
    cited = answer.pop("sourceEventSeqs")
    events[:] = [event for event in events if event["seq"] not in cited]
    moved(events)
    answer["data"]["usage"] = {"inputTokens": 1.5, "outputTokens": 1}


@broken(2, "drop-member")
def a_member_of_an_envelope(_head, events):
    one(events, "turn/end")["ignorable"] = True
    put(events, 0, row("plan/mode", {"active": True}))
    one(events, "turn/start")["data"]["by"] = "x"


@broken(0, "source-notice")
def a_summary_of_another_form(_head, events):
    put(events, 5, user("note", {"kind": "plugin", "plugin": "memo", "form": "recall", "summary": "3"}))


@broken(0, "map-source", lossy=False)
def an_unknown_kind_of_source(_head, events):
    put(events, 5, user("note", {"kind": "team-bot"}))


@broken(1, "map-source")
def an_unknown_kind_of_source_with_members(_head, events):
    put(events, 5, user("note", {"kind": "team-bot", "form": "recall", "summary": "3", "team": "x"}))


@broken(0, "drop-record=demo/note")
def an_ignorable_event_of_a_plugin(_head, events):
    put(events, 5, row("demo/note", {}, ignorable=True))


@broken(0, "descriptor-version", "drop-member")
def a_descriptor_of_version_2(_head, events):
    put(events, 0, row("subagent/descriptor", {"mode": "one-shot", "version": 2, "provider": "p", "spawn": 1}))


@broken(0, "behind-step")
def messages_before_the_first_step(_head, events):
    put(events, 0, user("imported"), user("too"))


@broken(0, "into-step")
def a_prompt_between_steps(_head, events):
    end = one(events, "step/end")["seq"]
    header = json.loads(json.dumps(one(events, "request/header")))
    header["data"]["header"]["system"] = "Another."
    header["data"]["reason"] = "change"
    put(events, end + 1, header)


@broken(0, "keep-prompt")
def a_prompt_behind_the_last_step(_head, events):
    end = one(events, "turn/end")["seq"]
    put(events, end, row("request/header", {"header": {"config": {"provider": "p", "model": "m"}}, "reason": "change"}))


@broken(0, "recite", lossy=False)
def a_message_that_cites_across_a_retry(_head, events):
    answer = one(events, "assistant/message", 1)
    first = answer["sourceEventSeqs"][0]
    here = {"turn": 1, "step": 2}
    failure = {"message": "slow", "code": "RATE"}
    retry = {"retryId": "r", **here, "provider": "demo", "mode": "always", "policyKey": "k", "retry": 1, "delayMs": 1}
    put(
        events,
        first,
        row("assistant/chunk", {**here, "chunk": {"type": "text-delta", "index": 0, "text": "D"}}),
        row("llm/retry", {**retry, "failure": failure}),
        row("llm/retry-started", {"retryId": "r", **here, "retry": 1}),
    )
    answer["sourceEventSeqs"] = [first, *answer["sourceEventSeqs"]]


@broken(1, "recite", lossy=False)
def a_message_that_cites_nothing(_head, events):
    del one(events, "assistant/message")["sourceEventSeqs"]


@broken(0, "drop-reference")
def a_replacement_that_cites_a_chunk(_head, events):
    asked_ = one(events, "user/message")["seq"]
    chunk = one(events, "assistant/chunk")["seq"]
    end = one(events, "step/end", 1)["seq"]
    op = {"op": "replace", "start": asked_, "end": asked_}
    put(events, end, {**user("again"), "surfaceOp": op})
    events[end]["sourceEventSeqs"] = [asked_, chunk]


@broken(0, "move-cut")
def a_cut_inside_an_attempt(head, events):
    head |= {"parentSession": "parent", "seedLength": one(events, "assistant/chunk", 3)["seq"]}


@broken(0, "flag-error")
def an_error_that_is_no_failure(_head, events):
    one(events, "tool/result")["data"]["error"] = {"name": "E", "code": "C"}


@broken(0, "second-copy", lossy=False)
def a_call_that_is_advertised_twice(_head, events):
    content = one(events, "assistant/message")["data"]["message"]["content"]
    content.append(dict(content[1]))


@broken(0, "rename-call", "close-open")
def two_calls_of_one_id(_head, events):
    content = one(events, "assistant/message")["data"]["message"]["content"]
    content.append({**content[1], "arguments": "{}"})


@broken(0, "advertised-arguments")
def arguments_that_differ(_head, events):
    one(events, "tool/call")["data"]["arguments"] = '{"command":"l\ufffd"}'


@broken(3, "start-call")
def a_result_without_a_start(_head, events):
    at = one(events, "tool/call")["seq"]
    del events[at], one(events, "tool/result")["sourceEventSeqs"]
    moved(events)


@broken(3, "system-to-head")
def a_system_message_that_came_late(_head, events):
    head = one(events, "system/message")
    events.remove(head)
    moved(events)
    head["data"]["step"] = 2
    put(events, one(events, "step/start", 1)["seq"] + 1, head)


@broken(3, "system-source")
def a_system_message_of_another_plugin(_head, events):
    one(events, "system/message")["data"]["message"]["source"]["plugin"] = "other"


@broken(3, "tool-wrapper", lossy=False)
def a_wrapper_inside_a_wrapper(_head, events):
    block = one(events, "tool/result")["data"]["message"]["content"][0]
    block["content"] = [{"type": "tool-result", "toolCallId": "x", "content": block["content"]}]


@broken(3, "drop-member")
def a_tool_that_is_loaded_later(_head, events):
    one(events, "request/header")["data"]["header"]["tools"][0]["deferLoading"] = False


@broken(3, "drop-record=subagent/catalog")
def a_child_that_is_catalogued_twice(_head, events):
    fact = {"version": 1, "childId": "c", "childCreatedAt": 1, "mode": "unknown"}
    put(events, 0, row("subagent/catalog", fact), row("subagent/catalog", fact))


@broken(0, "drop-record=session-log-deepseek/delivery-accepted")
def a_marker_of_another_session(_head, events):
    put(events, 2, row("session-log-deepseek/delivery-accepted", {"sessionId": "other", "throughSeq": 1}))


@broken(0, "restart-turn")
def an_event_between_the_inbox_and_its_turn(_head, events):
    last = one(events, "turn/end")["seq"]
    message = {"id": "i", "role": "user", "content": [], "source": {"kind": "user"}}
    del events[last]
    put(
        events,
        last,
        row("agent/inbox/spliced", {"target": "next-turn", "start": 0, "inserted": [message]}),
        row("plan/mode", {"active": True}),
        row("turn/start", {"turn": 2}),
        row("turn/end", {"turn": 2, "reason": {"kind": "completed"}}),
    )


@broken(0, "goal-change", lossy=False)
def a_goal_message_of_another_text(_head, events):
    goal = {"id": "g", "revision": 1, "objective": "o", "phase": "active", "maxGoalRounds": 1}
    change = {"kind": "goal/change", "version": 1, "operation": "create", "goal": goal}
    change |= {"roundsStarted": 0, "createdAt": 1, "updatedAt": 1}
    put(events, 5, user("a goal", {"kind": "goal", "goalId": "g", "revision": 1, "round": 0, "change": change}))


@broken(1, "add-member", lossy=False)
def a_retry_without_its_id(_head, events):
    here = {"turn": 1, "step": 1}
    failure = {"message": "slow", "code": "RATE"}
    retry = {"retryId": "r", **here, "provider": "demo", "mode": "always", "policyKey": "k", "retry": 1, "delayMs": 1}
    put(
        events,
        one(events, "assistant/chunk")["seq"],
        row("llm/retry", {**retry, "failure": failure}),
        row("llm/retry-started", {**here, "retry": 1}),
    )


@broken(2, "content-text")
def a_block_of_an_unknown_kind(_head, events):
    one(events, "user/message")["data"]["content"].append({"type": "audio", "data": "x"})


@broken(2, "list-once", lossy=False)
def a_title_that_cites_twice(_head, events):
    put(events, 5, row("session/title", {"title": "t", "messageSeqs": [2, 2], "source": {"kind": "fallback"}}))


@broken(2, "rename-message")
def a_message_with_the_id_that_the_upgrade_gives_away(head, events):
    anchor = one(events, "step/start")["seq"]
    name = json.dumps(["session-format-v2-to-v3", head["id"], anchor, "step/start"], separators=(",", ":"))
    one(events, "user/message")["data"]["id"] = f"v2-to-v3-system-{sha256(name.encode()).hexdigest()}"


@broken(0, "drop-record=demo/note", "drop-member", "map-source", "recite")
def many_of_many_kinds(head, events):
    an_unknown_kind_of_source(head, events)
    del one(events, "assistant/message")["sourceEventSeqs"]
    for _ in range(3):
        put(events, 5, row("demo/note", {}, ignorable=True))
        put(events, 5, row("plan/mode", {"active": True, "by": "x"}))


def log_of(name):
    version, change, _, _ = BROKEN[name]
    head, events = small(version)
    change(head, events)
    return dumped(head, events)


def file_of(version):
    return "session.jsonl" if version == 0 else f"session.v{version}.jsonl"


@pytest.mark.parametrize("version", range(4))
def test_the_log_is_sound_before_it_is_broken(version):
    assert upgrade(BytesSource(dumped(*small(version))), "raw").refusals == ()


@pytest.mark.parametrize("name", BROKEN)
def test_the_plan_names_the_fix_and_the_upgrade_takes_the_result(name, tmp_path):
    version, _, fixes, lossy = BROKEN[name]
    data = log_of(name)
    path = tmp_path / file_of(version)
    path.write_bytes(data)
    plan = plan_repair(path, now=1)
    assert plan.advice is not None, plan.why_not or plan.remains
    assert set(plan.advice.fixes) == set(fixes)
    assert (plan.advice.loss != "none") == lossy
    made = apply(plan_repair(path, now=1, fix=fixes, allow_loss=lossy), path)
    assert upgrade(BytesSource(made), "raw").opens
    assert examine(BytesSource(made), path.name, reader="native").state == "clean"
    assert json.loads(made.splitlines()[0])["version"] == version
    path.write_bytes(made)
    again = plan_repair(path, now=1, fix=fixes)
    assert again.healthy
    assert again.why_not is None


@pytest.mark.parametrize("name", BROKEN)
def test_a_record_that_is_made_up_has_to_be_agreed_to(name, tmp_path):
    version, _, fixes, _ = BROKEN[name]
    path = tmp_path / file_of(version)
    path.write_bytes(log_of(name))
    plan = plan_repair(path, now=1, fix=fixes)
    made_up = [action for action in plan.actions if action.kind == "insert" and "goal message" not in action.message]
    assert all(action.loss.startswith("nothing, but ") for action in made_up)
    assert not made_up or plan.why_not.endswith("; --allow-loss agrees to that")


@pytest.mark.parametrize("name", ["a_member_of_a_preset", "an_unknown_kind_of_source", "a_message_that_cites_nothing"])
def test_records_that_nobody_had_to_touch_stay_byte_for_byte(name, tmp_path):
    version, _, fixes, _ = BROKEN[name]
    path = tmp_path / file_of(version)
    path.write_bytes(log_of(name))
    made = apply(plan_repair(path, now=1, fix=fixes, allow_loss=True), path)
    before, after = path.read_bytes().splitlines(), made.splitlines()
    assert len(before) == len(after)
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize(
    "name", ["a_summary_of_another_form", "a_system_message_that_came_late", "arguments_that_differ"]
)
@pytest.mark.parametrize("fix", ["drop-member", "drop-record", "system-to-user", "called-arguments", "upgrade"])
def test_another_fix_is_another_way(name, fix, tmp_path):
    version, _, fixes, _ = BROKEN[name]
    path = tmp_path / file_of(version)
    path.write_bytes(log_of(name))
    plan = plan_repair(path, now=1, fix=[fix], allow_loss=True)
    if not plan.fixes:
        assert "--fix" in plan.why_not
        return
    assert upgrade(BytesSource(apply(plan, path)), "raw").opens
    assert fix in {"upgrade", *(word.partition("=")[0] for word in plan.fixes)}
    assert (fix == "upgrade") == (set(plan.fixes) == set(fixes))


@pytest.mark.parametrize(
    ("kind", "data", "loss"),
    [
        ("request/header", {"reason": "fallback"}, 'the reason "fallback"'),
        ("turn/end", {"reason": {"kind": "error", "step": -1, "message": "m"}}, "none"),
    ],
)
def test_what_its_own_build_refuses_too_needs_no_name(kind, data, loss, tmp_path):
    head, events = small(0)
    one(events, kind)["data"] |= data
    path = tmp_path / "session.jsonl"
    path.write_bytes(dumped(head, events))
    plan = plan_repair(path, now=1, allow_loss=True)
    assert [action.loss for action in plan.actions if action.kind == "edit"] == [loss]
    assert not plan.lost
    assert upgrade(BytesSource(apply(plan, path)), "raw").refusals == ()


def test_only_what_is_named_is_done(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_bytes(log_of("many_of_many_kinds"))
    plan = plan_repair(path, now=1, fix=["map-source=other", "drop-record=demo/other"], allow_loss=True)
    assert not plan.fixes
    some = plan_repair(path, now=1, fix=["map-source=team-bot"], allow_loss=True)
    assert some.fixes == ("map-source",)
    assert some.remains is not None
    assert set(some.advice.fixes) == {"drop-record=demo/note", "drop-member", "recite", "map-source"}


@pytest.mark.parametrize("version", range(4))
def test_a_flat_replay_state_with_blocks_that_do_not_fit(version, tmp_path):
    head, events = small(version)
    answer = one(events, "assistant/message")
    state = {"items": ["r-1"], "blocks": ["a", "b", "c"]}
    streams = [event["data"].get("chunk", {}) for event in events]
    streams += [record.get("chunk", {}) for record in answer["data"].get("stream", ())]
    finish = next(chunk for chunk in streams if chunk.get("type") == "finish")
    finish["replayState"] = answer["data"]["message"]["source"]["replayState"] = state
    path = tmp_path / file_of(version)
    path.write_bytes(dumped(head, events))
    assert [refusal.name for refusal in upgrade(BytesSource(path.read_bytes()), "raw").refusals] == ["replay-mismatch"]
    plan = plan_repair(path, now=1, fix=["wrap-replay"])
    assert (plan.fixes, plan.lossy) == (("wrap-replay",), False)
    made = apply(plan, path)
    assert upgrade(BytesSource(made), "raw").refusals == ()
    assert examine(BytesSource(made), path.name, reader="native").state == "clean"
    assert made.count(b'"replayState":{"response":{"items":["r-1"],"blocks":["a","b","c"]}}') == 2


@pytest.mark.parametrize(
    ("version", "fix"), [(0, "cite-nothing"), (1, "cite-nothing"), (2, "drop-stream"), (3, "drop-stream")]
)
def test_what_keeps_dsh_from_going_on_is_told_with_its_cure(version, fix, tmp_path):
    head, events = small(version)
    one(events, "assistant/message", 1)["data"]["usage"]["inputTokens"] += 1
    one(events, "tool/result")["data"]["error"] = {"name": "E", "code": "C"}
    if version == 3:
        one(events, "system/message")["data"]["message"]["source"]["plugin"] = "other"
        del one(events, "tool/result")["data"]["error"]
    path = tmp_path / file_of(version)
    path.write_bytes(dumped(head, events))
    plan = plan_repair(path, now=1, fix=["upgrade"], allow_loss=True)
    assert plan.unwritten.endswith(f"; --fix {fix} cures that")
    made = apply(plan_repair(path, now=1, fix=["upgrade", fix], allow_loss=True), path)
    assert upgrade(BytesSource(made), "raw").refusals == ()


def empty_ids(version, *, starts=(0, 1, 2), results=(0, 1, 2), chunks=False):
    """Give a log with three calls of one step that lost their ids, started and answered in an order; `chunks` keep theirs."""
    log = Log(version)
    log.turn()
    log.step()
    log.system("Be brief.")
    log.user("Hi")
    log.request(tools=("bash",))
    calls = [(f"call-{number}", "bash", f'{{"command":"{number}"}}') for number in range(3)]
    log.assistant("Look.", *calls)
    for number in starts:
        log.call(calls[number][0])
    for number in results:
        log.result(calls[number][0], f"result {number}")
    log.end_step()
    log.end_turn()
    head, events = json.loads(json.dumps([log.header, log.events]))
    for event in events:
        if not (chunks and event["type"] == "assistant/chunk"):
            stream = event["data"].pop("stream", None)
            event["data"] = emptied(event["data"])
            if stream is not None:
                event["data"]["stream"] = stream if chunks else emptied(stream)
    return head, events


def emptied(value):
    if isinstance(value, dict):
        return {name: emptied(held) for name, held in value.items()}
    if isinstance(value, list):
        return list(map(emptied, value))
    return "" if isinstance(value, str) and value.startswith("call-") else value


def filled(version, tmp_path, **how):
    path = tmp_path / file_of(version)
    path.write_bytes(dumped(*empty_ids(version, **how)))
    made = apply(plan_repair(path, now=1, fix=["fill-call-id"]), path)
    assert upgrade(BytesSource(made), "raw").refusals == ()
    rows = [json.loads(line) for line in made.splitlines()[1:]]
    ids = {row["data"]["arguments"][-3]: row["data"]["callId"] for row in rows if row["type"] == "tool/call"}
    for row in rows:
        if row["type"] == "tool/result":
            block = row["data"]["message"]["content"][0]
            number = block["content"][0]["text"].removeprefix("result ")
            assert row["data"]["message"]["source"]["callId"] == block["toolCallId"] == ids[number]
    assert len(set(ids.values())) == len(ids)
    return ids


@pytest.mark.parametrize("version", range(4))
def test_several_calls_without_an_id_are_told_apart_by_their_order(version, tmp_path):
    ids = filled(version, tmp_path)
    assert sorted(name.rpartition("-")[2] for name in ids.values()) == ["1", "2", "3"]


@pytest.mark.parametrize("version", range(4))
def test_ids_that_the_chunks_still_have_come_back(version, tmp_path):
    assert filled(version, tmp_path, chunks=True) == {"0": "call-0", "1": "call-1", "2": "call-2"}


@pytest.mark.parametrize("chunks", [False, True])
@pytest.mark.parametrize("version", [0, 3])
@pytest.mark.parametrize(
    ("starts", "results"), [((0, 1, 2), (2, 0, 1)), ((2, 0, 1), (0, 1, 2)), ((1, 0, 2), (2, 1, 0))]
)
def test_calls_in_another_order_are_known_by_what_they_say_and_cite(version, starts, results, chunks, tmp_path):
    filled(version, tmp_path, starts=starts, results=results, chunks=chunks)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "no finding and no fix"),
        (["mark-ignorable"], "needs a TYPE"),
        (["recite=1"], "takes nothing"),
        (["drop-record="], "names nothing"),
        (["E999"], "no finding and no fix"),
    ],
)
def test_words_that_mean_nothing(words, said):
    with pytest.raises(UnknownFixError, match=said):
        asked(words)


def test_words_are_findings_and_fixes():
    told = asked(["T307", "sources-empty", "drop-record=a", "drop-record=b", "map-source=x", "map-source", "upgrade"])
    assert told.findings == {"call-unanswered", "sources-empty"}
    assert told.fixes == {"drop-record": {"a", "b"}, "map-source": frozenset(), "upgrade": frozenset()}
    assert told.every


def test_every_cure_is_a_fix():
    for name in BY_NAME:
        for how in (None, "extra", "missing"):
            for path in ("$.data", "$.data.message.id", "$.data.version", "$.data.message.content[0].x", "$.data.step"):
                assert set(cures(name, path, how)) <= FIXES.keys()


def spoiling(spot):
    """Do what drop-member does, and leave a marker that v0 builds refuse and the upgrade does not mind."""
    for said in members.drop_member(spot):
        yield said._replace(row={**said.row, "surfaceOp": "append"})


@pytest.mark.parametrize("fixes", [["drop-member"], ["drop-member", "map-source"]])
def test_a_fix_that_leaves_what_its_own_build_refuses_is_left_out(fixes, monkeypatch, tmp_path):
    monkeypatch.setitem(ROW_FIXES, "drop-member", spoiling)
    head, events = small(0)
    put(events, 0, row("plan/mode", {"active": True, "note": 1}))
    put(events, 6, user("x", {"kind": "team-bot"}))
    path = tmp_path / "session.jsonl"
    path.write_bytes(dumped(head, events))
    plan = plan_repair(path, now=1, fix=fixes, allow_loss=True)
    assert plan.left_out.startswith("--fix drop-member is left out: dsh 0.1.2 would refuse what it leaves at S203 ")
    assert plan.left_out.endswith("--fix drop-record may do instead")
    assert plan.fixes == tuple(fixes[1:])
    assert (plan.why_not is None) == (len(fixes) > 1)
    assert "G213" in (plan.remains or plan.why_not)


def test_a_fix_that_another_one_completes_is_taken(monkeypatch, tmp_path):
    monkeypatch.setitem(ROW_FIXES, "drop-member", spoiling)
    head, events = small(0)
    put(events, 0, row("plan/mode", {"active": True, "note": 1}))
    path = tmp_path / "session.jsonl"
    path.write_bytes(dumped(head, events))
    plan = plan_repair(path, now=1, fix=["upgrade"], allow_loss=True)
    assert plan.left_out is None
    assert plan.fixes == ("drop-member", "surface-marker")

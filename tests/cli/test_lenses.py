"""`show` with its views, on real logs."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

import rows
from dshlog.render.jsonout import SCHEMA
from logbuilder import Log

VIEWS = ("surface", "transcript", "events", "turns", "frames")
FIXTURES = [f"v{version}/{name}" for version in range(5) for name in ("clean", "compaction", "open", "torn-frame")]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("log", FIXTURES)
def test_every_view_says_the_same_in_words_and_in_json(view, log, repository, say):
    path = repository / "fixtures" / log
    status, words, err = say("show", f"--{view}", path)
    assert (status, err) == (0, "")
    told = json.loads(say("show", f"--{view}", "--json", path)[1])
    assert (told["schema"], told["version"], told["at"]) == (SCHEMA, int(log[1]), None)
    numbers = [str(row.get("seq", row.get("turn", row.get("index")))) for row in told["rows"]]
    if view == "turns":
        numbers = [str(row["turn"]) for row in told["rows"]]
    column = 1 if view == "surface" else 0
    starts = [line.split()[column : column + 1] for line in words.splitlines() if line.strip()]
    assert all([number] in starts for number in numbers)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("json_", [(), ("--json",)])
def test_a_view_after_an_event_ends_there_and_a_seq_beyond_is_refused(view, json_, repository, say):
    path = repository / "fixtures/v4/compaction"
    status, out, err = say("show", f"--{view}", "--at", 8, *json_, path)
    assert (status, err) == (0, "")
    if json_:
        told = json.loads(out)
        assert told["at"] == 8
        assert all(row.get("seq", 0) <= 8 for row in told["rows"])
    else:
        assert ": v4, after seq 8" in out
    assert say("show", f"--{view}", "--at", 99, *json_, path) == (
        2,
        "",
        "dshlog: error: no event 99: the last seq is 18\n",
    )


def test_full_gives_the_whole_of_each_row(repository, say):
    path = repository / "fixtures/v4/open"
    assert '     {"turn":1,"step":1,"callId":"call_1"' in say("show", "--events", "--full", path)[1]
    assert "          ls" in say("show", "--transcript", "--full", path)[1].replace('{"command":"', "")
    assert "\n 1/1  " in say("show", "--turns", "--full", path)[1]
    assert "     session\n" in say("show", "--frames", "--full", path)[1]
    rows = json.loads(say("show", "--events", "--full", "--json", path)[1])["rows"]
    assert rows[0]["data"] == {"turn": 1}
    rows = json.loads(say("show", "--transcript", "--full", "--json", path)[1])["rows"]
    assert all(isinstance(row["text"], str) for row in rows)
    rows = json.loads(say("show", "--frames", "--full", "--json", path)[1])["rows"]
    assert rows[0]["types"] == {"session": 1}


def test_views_exclude_each_other(repository, say):
    status, out, err = say("show", "--events", "--turns", repository / "fixtures/v4/open")
    assert (status, out) == (2, "")
    assert "--events and --turns exclude each other" in err


def test_a_raw_log_has_no_frames(repository, say):
    status, out, err = say("show", "--frames", repository / "fixtures/v0/compaction-raw")
    assert (status, out) == (2, "")
    assert err.endswith("is raw text and has no frames\n")


@pytest.mark.parametrize("view", VIEWS)
def test_of_a_refused_log_what_can_be_read_is_printed(view, repository, say):
    status, out, err = say("show", f"--{view}", repository / "fixtures/v4/replace-omits-shadowed")
    assert status == 1
    assert out
    assert "what can be read is printed" in err


@pytest.mark.parametrize("view", VIEWS)
def test_what_is_no_log_has_no_row(view, tmp_path, say):
    path = tmp_path / "x.jsonl.zstd"
    path.write_bytes(b"")
    status, out, _ = say("show", f"--{view}", path)
    assert status == 1
    assert out


def test_a_deep_payload_can_be_shown(tmp_path, say):
    deep = b"[" * 50_000 + b"]" * 50_000
    path = tmp_path / "deep.jsonl"
    path.write_bytes(
        b'{"type":"session","version":4,"id":"k","createdAt":1,"isSeeded":false,"delegationDepth":0}\n'
        b'{"type":"plugin:x","seq":0,"time":1,"data":' + deep + b',"ignorable":true}\n'
    )
    assert say("show", "--events", "--full", "--json", path)[0] == 0
    assert deep.decode() in say("show", "--events", "--full", path)[1]


def test_a_request_is_config_tools_and_messages(repository, say):
    path = str(repository / "fixtures/v4/compaction")
    status, out, err = say("show", "--request", 1, path)
    assert (status, err) == (0, "")
    assert "  config    provider demo, model demo-1\n" in out
    told = json.loads(say("show", "--request", 1, "--json", path)[1])
    assert {"schema", "path", "request", "seq", "header", "tools", "messages"} <= told.keys()
    assert (told["schema"], told["request"], told["call"]) == (SCHEMA, 1, 1)
    assert told["header"]["config"] == {"provider": "demo", "model": "demo-1"}
    assert [message["role"] for message in told["messages"]] == ["system", "user", "user", "user"]


def test_two_requests_are_compared_and_the_cause_is_named(repository, say):
    path = repository / "fixtures/v4/compaction"
    status, out, _ = say("show", "--request", "1", "--diff", "1.2", path)
    assert status == 0
    assert "  because   compaction: user/message 13 replaced 3 messages: 3, 4, 5 (told by 12)\n" in out
    told = json.loads(say("show", "--request", "1.2", "--diff", "1", "--json", path)[1])
    assert (told["breaks"]["kind"], told["breaks"]["seq"], told["common"]["messages"]) == ("compaction", 13, 1)


@pytest.mark.parametrize(
    "words, message",
    [
        (("--request", "3"), "no request 3: the log has 1 request header, at seq 6"),
        (("--request", "1.9"), "no request 1.9: header 1 has 2 calls"),
        (("--request", "0"), "'0' is no request; write N or N.K, both counted from 1"),
        (("--request", "1", "--diff", "x"), "'x' is no request; write N or N.K, both counted from 1"),
        (("--request", "1", "--diff", "9"), "no request 9: the log has 1 request header, at seq 6"),
        (("--diff", "1"), "--diff needs --request"),
        (("--request", "1", "--why", "1"), "--request and --why exclude each other"),
        (("--why", "99"), "no event 99: the last seq is 18"),
        (("--why", "9", "--at", "8"), "event 9 comes after seq 8"),
        (("--request", "1", "--at", "99"), "no event 99: the last seq is 18"),
    ],
)
def test_what_there_is_not_is_told(words, message, repository, say):
    status, out, err = say("show", *words, repository / "fixtures/v4/compaction")
    assert (status, out) == (2, "")
    assert message in err


def test_a_request_is_compared_with_the_one_before_unless_another_is_named(repository, say, monkeypatch):
    path = repository / "fixtures/v4/compaction"
    named = say("show", "--request", "1.2", "--diff", "1", path)
    assert named[0] == 0
    assert say("show", path, "--request", "1.2", "--diff") == named
    assert say("show", "--request", "1.2", "--diff", path) == named
    assert say("show", "--diff", "--request", "1.2", "--", path) == named
    assert say("show", "--request", "1.2", "--diff", "previous", path) == named
    assert say("show", "--request", "1.2", "--diff", path, "--color", "never") == named
    monkeypatch.chdir(path)
    here = say("show", "--request", "1.2", "--diff", "1", ".")
    assert say("show", "--request", "1.2", "--diff", ".") == here
    assert here[0] == 0
    root = path.parent
    status, _, err = say("show", "--request", "1.2", "--diff", "49761b4b", "--root", root)
    assert (status, err.splitlines()[0]) == (2, f"dshlog: error: no session 49761b4b in {root}")
    status, out, err = say("show", "--request", "1", "--diff", path)
    assert (status, out) == (2, "")
    assert err == (
        "dshlog: error: request 1 is the first one, there is none before it\n"
        f"dshlog: hint: dshlog show --request 1.2 --diff {path}/session.v4.jsonl.zstd\n"
    )


def test_the_request_before_the_first_of_a_header_is_the_last_of_the_one_before(tmp_path, say):
    log = Log(4)
    log.turn()
    log.step()
    log.user("one")
    log.request()
    log.assistant("yes")
    log.assistant("still yes")
    log.end_step()
    log.end_turn()
    for words in ("two", "three"):
        log.turn()
        log.step()
        log.user(words)
        log.request("change")
        log.end_step()
        log.end_turn("aborted")
    path = tmp_path / "log.jsonl"
    path.write_bytes(rows.raw(log.batches()))
    earlier = [
        (told["earlier"]["request"], told["earlier"]["call"])
        for name in ("2", "3")
        for told in [json.loads(say("show", "--request", name, "--diff", "--json", path)[1])]
    ]
    assert earlier == [(1, 2), (2, 1)]


def test_no_command_is_hinted_for_standard_input(repository, say, monkeypatch):
    data = (repository / "fixtures/v4/compaction/session.v4.jsonl.zstd").read_bytes()
    for words, hints in ((("--request", "9"), ["its requests are 1 to 1.2"]), (("--request", "1", "--diff"), [])):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        status, _, err = say("show", *words, "-")
        assert (status, err.splitlines()[1:]) == (2, [f"dshlog: hint: {hint}" for hint in hints])


def test_a_request_compared_with_itself_is_said_to_be_the_same(repository, say):
    status, out, _ = say("show", "--request", "1.2", "--diff", "1.2", repository / "fixtures/v4/compaction")
    assert status == 0
    assert out.splitlines()[1:] == [
        "  request   1.2 with header 6, turn 2 step 1, answered by assistant/message 16",
        "  so        both are the same request",
    ]


def test_the_requests_that_there_are_are_listed(repository, say):
    path = repository / "fixtures/v4/compaction"
    err = say("show", "--request", "3", path)[2]
    assert "hint: its requests are 1 to 1.2\n" in err
    assert f"hint: dshlog show --turns --full {path}/session.v4.jsonl.zstd\n" in err
    turns = json.loads(say("show", "--turns", "--json", path)[1])["rows"]
    assert [[step["requests"] for step in turn["steps"]] for turn in turns] == [[["1"]], [["1.2"]]]
    assert [turn["requests"] for turn in turns] == [["1"], ["1.2"]]
    events = json.loads(say("show", "--events", "--json", path)[1])["rows"]
    assert [(row["seq"], row["request"]) for row in events if row["request"]] == [(6, "1"), (7, "1"), (16, "1.2")]
    out = say("show", "--events", path)[1].splitlines()
    assert [line.split()[0] for line in out if "request 1" in line] == ["6", "7", "16"]


def test_the_call_that_a_plain_number_may_mean_is_named(repository, say):
    path = repository / "fixtures/v4/compaction"
    assert "hint: call 2 of the model, counted from 1, is request 1.2\n" in say("show", "--request", "2", path)[2]
    assert "hint: call" not in say("show", "--request", "3", path)[2]
    assert "hint: call" not in say("show", "--request", "1.9", path)[2]


def told_by(seq):
    return f"compaction compaction-{seq - 2}, told by compaction/summary {seq - 1}"


def test_a_long_chain_of_replacements_shows_its_ends(tmp_path, say):
    log = Log(4)
    log.turn()
    log.step()
    log.system("be brief")
    first = log.user("the beginning")
    log.end_step()
    log.end_turn()
    heirs, node = [], first
    for number in range(9):
        log.turn()
        node = log.compact(node, node, f"digest {number}")
        heirs.append(node)
        log.end_turn()
    path = tmp_path / "log.jsonl"
    path.write_bytes(rows.raw(log.batches()))
    out = say("show", "--why", first, path)[1].splitlines()
    start = next(index for index, line in enumerate(out) if line.startswith("  replaced by"))
    assert out[start : start + 6] == [
        f"  replaced by {heirs[0]} user/message by compact-checkpoint, {told_by(heirs[0])}",
        "  with        digest 0",
        f"  and that by {heirs[1]} user/message by compact-checkpoint, {told_by(heirs[1])}",
        f"  and that by {heirs[2]} user/message by compact-checkpoint, {told_by(heirs[2])}",
        "              and 5 replacements more, each of the one before; --json lists all",
        f"  and that by {heirs[8]} user/message by compact-checkpoint, {told_by(heirs[8])}",
    ]
    told = json.loads(say("show", "--why", first, "--json", path)[1])
    assert ([link["seq"] for link in told["replacedBy"]], told["replacement"]) == (heirs, "digest 0")


def test_why_tells_the_way_of_an_event(repository, say):
    path = repository / "fixtures/v4/compaction"
    status, out, err = say("show", "--why", 3, path)
    assert (status, err) == (0, "")
    assert "  so          the model does not see it any more\n" in out
    assert "  replaced by 13 user/message by compact-checkpoint, compaction " in out
    told = json.loads(say("show", "--why", 3, "--json", path)[1])
    assert (told["state"], told["replacedBy"]) == (
        "replaced",
        [
            {
                "seq": 13,
                "type": "user/message",
                "by": "compact-checkpoint",
                "kind": "compaction",
                "toldBy": 12,
                "toldType": "compaction/summary",
                "compactionId": "compaction-11",
            }
        ],
    )
    assert json.loads(say("show", "--why", 3, "--at", 8, "--json", path)[1])["state"] == "surface"

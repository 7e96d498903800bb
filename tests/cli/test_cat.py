from __future__ import annotations

import json

import pytest

from dshlog.cli.main import main
from dshlog.cli.select import SeqRange, seq_range
from dshlog.files.find import Found
from rootbuilder import small_log, store


def event(seq, kind, **data):
    return {"type": kind, "seq": seq, "time": 0, "data": data}


def stored(value):
    return value, json.dumps(value, separators=(", ", ":")).encode()


EVENTS = [
    stored(event(0, "permission/preset")),
    stored(event(1, "turn/start", turn=1)),
    stored(event(2, "user/message", content=[])),
    stored(event(3, "assistant/message", turn=1, message={"content": [{"type": "tool-call", "id": "c1"}]})),
    stored(event(4, "tool/call", turn=1, callId="c1")),
    (event(5, "assistant/chunk", turn=1, chunk={"type": "tool-call-delta", "id": "c1"}), None),
    stored(event(6, "tool/result", turn=1, message={"toolCallId": "c1", "id": "c2"})),
    stored(event(7, "turn/end", turn=1)),
    stored(event(8, "session/title", title="c1")),
    stored(event(9, "turn/start", turn=2)),
    stored(event(10.0, "user/message", content=[])),
]


@pytest.fixture
def cat(run, world):
    world.logs["a"] = "clean"
    world.events = EVENTS

    def go(*words):
        told = run("cat", "a", *words)
        assert told.status == 0, told.err
        return [json.loads(line)["seq"] for line in told.out.splitlines()]

    return go


def test_every_event_is_one_line_and_stored_text_is_kept(run, world):
    world.logs["a"] = "clean"
    world.events = EVENTS
    lines = run("cat", "a").out.splitlines()
    assert len(lines) == len(EVENTS)
    assert lines[0] == EVENTS[0][1].decode()
    assert (
        lines[5]
        == '{"type":"assistant/chunk","seq":5,"time":0,"data":{"turn":1,"chunk":{"type":"tool-call-delta","id":"c1"}}}'
    )


def test_types_are_globs_and_any_of_them_will_do(cat):
    assert cat("--type", "tool/*") == [4, 6]
    assert cat("--type", "tool/*", "--type", "turn/end") == [4, 6, 7]
    assert cat("--type", "TOOL/*") == []


@pytest.mark.parametrize(
    "text, seqs", [("3..5", [3, 4, 5]), ("9..", [9, 10.0]), ("..1", [0, 1]), ("10", [10.0]), ("99", [])]
)
def test_seq_ranges_hold_both_ends(cat, text, seqs):
    assert cat("--seq", text) == seqs


@pytest.mark.parametrize("text", ["", "..", "a", "1...2", "-1", "1..b", "2..1", "1..2..3", "٣"])
def test_what_is_no_range_is_refused(text):
    with pytest.raises(ValueError, match=r"no range of seqs|is greater than"):
        seq_range(text)


def test_only_numbers_are_seqs():
    everything = SeqRange(first=0, last=None)
    assert [everything.holds(seq) for seq in (0, 2.0, True, "1", None)] == [True, True, False, False, False]


def test_a_turn_is_its_own_or_the_open_one(cat):
    assert cat("--turn", "1") == [1, 2, 3, 4, 5, 6, 7]
    assert cat("--turn", "2") == [9, 10.0]


def test_a_call_is_found_wherever_it_is_named(cat):
    assert cat("--call", "c1") == [3, 4, 5, 6]
    assert cat("--call", "c2") == []


def test_options_that_select_work_together(cat):
    assert cat("--call", "c1", "--type", "tool/*", "--seq", "5..") == [6]


def test_a_call_is_looked_for_without_recursion(run, world):
    deep = {"callId": "c1"}
    for _ in range(50_000):
        deep = [deep]
    world.logs["a"] = "clean"
    world.events = [(event(0, "x", deep=deep), b"{}")]
    assert run("cat", "a", "--call", "c1").out == "{}\n"


def test_header_raw_and_messages(run, world):
    world.logs["a"] = "clean"
    world.events = EVENTS[:1]
    assert run("cat", "a", "--header", "--raw").out == '{"type":"session"}\n' + EVENTS[0][1].decode() + "\n"
    assert run("cat", "a", "--messages").out == '{"role":"user","content":"hi"}\n'


def test_a_refused_log_is_printed_as_far_as_it_goes(run, world):
    world.logs["a"] = "refused"
    world.events = EVENTS
    told = run("cat", "a")
    assert told.status == 1
    assert len(told.out.splitlines()) == len(EVENTS)
    assert told.err.startswith("dshlog: note: a is refused at line 3, S304")


def test_what_cannot_be_read_does_not_stop_the_rest(run, world):
    world.logs |= {"a": "refused", "b": "clean"}
    world.events = EVENTS[:1]
    told = run("cat", "gone", "a", "b", "-")
    assert told.status == 2
    assert len(told.out.splitlines()) == 3
    assert "cannot read gone" in told.err


def test_of_several_logs_each_line_names_its_own(run, world):
    world.logs |= {"a": "clean", "b": "clean"}
    world.events = [EVENTS[0], EVENTS[5]]
    lines = [json.loads(line) for line in run("cat", "a", "b").out.splitlines()]
    assert [(line["log"], line["seq"]) for line in lines] == [("a", 0), ("a", 5), ("b", 0), ("b", 5)]
    assert next(iter(lines[0])) == "log"
    assert [json.loads(line)["log"] for line in run("cat", "--messages", "a", "b").out.splitlines()] == ["a", "b"]
    assert "log" not in json.loads(run("cat", "a").out.splitlines()[0])
    assert all("log" not in json.loads(line) for line in run("cat", "--raw", "a", "b").out.splitlines())


def test_standard_input_is_read_once(run):
    told = run("cat", "-", "-")
    assert (told.status, told.out) == (2, "")
    assert "standard input, -, can be read once only" in told.err


def test_a_log_that_cannot_be_opened_does_not_stop_the_rest(run, world):
    world.logs["b"] = "clean"
    world.found["r"] = [Found(path="gone"), Found(path="b")]
    world.events = EVENTS[:1]
    told = run("cat", "r")
    assert (told.status, len(told.out.splitlines())) == (2, 1)


def test_half_a_surrogate_pair_becomes_the_replacement_character_when_asked(run, world):
    world.logs["a"] = "clean"
    halves = rb'{"type":"x","data":"\ud83d\ude00 \ud800 \\ud800 \uDC00\uD800"}'
    world.events = [({"type": "x"}, halves)]
    assert run("cat", "a").out.encode() == halves + b"\n"
    mended = rb'{"type":"x","data":"\ud83d\ude00 \ufffd \\ud800 \ufffd\ufffd"}'
    assert run("cat", "--well-formed", "a").out.encode() == mended + b"\n"


def test_a_directory_stands_for_its_logs(run, world):
    world.logs |= {"r/a": "clean", "r/b": "clean"}
    world.found |= {"r": [Found(path="r/a"), Found(path="r/d", kind="directory"), Found(path="r/b")], "e": []}
    world.events = EVENTS[:1]
    told = run("cat", "r")
    assert (told.status, len(told.out.splitlines())) == (2, 2)
    assert told.err == "dshlog: error: cannot read r/d: it is a directory\n"
    assert run("cat", "e").err == "dshlog: error: no session log in e\n"


def test_a_log_that_cannot_be_opened_is_2(run, world):
    world.found["a"] = [Found(path="a")]
    told = run("cat", "a")
    assert (told.status, told.out) == (2, "")
    assert told.err.startswith("dshlog: error: cannot read a: permission denied\n")


def test_chunks_are_printed_with_their_place(run, world):
    world.logs["a"] = "clean"
    told = run("cat", "a", "--chunks")
    assert told.out.splitlines()[0] == ('{"seq":3,"turn":1,"step":1,"attempt":1,"time":5,"chunk":{"type":"usage"}}')
    assert len(told.out.splitlines()) == 2
    assert [json.loads(line)["seq"] for line in run("cat", "a", "--chunks", "--seq", "4..").out.splitlines()] == [7]
    assert [json.loads(line)["seq"] for line in run("cat", "a", "--chunks", "--turn", "1").out.splitlines()] == [3]


@pytest.mark.parametrize("words", [["--raw"], ["--messages"], ["--type", "a"], ["--call", "c"]])
def test_chunks_exclude_the_other_views(run, world, words):
    world.logs["a"] = "clean"
    assert run("cat", "a", "--chunks", *words).status == 2


@pytest.mark.parametrize("command", ["cat", "stats", "show"])
def test_the_verdict_is_that_of_validate(command, tmp_path, capfdbinary):
    """What a log breaks by its place counts, and so does what only the upgrade refuses."""
    moved = store(tmp_path, small_log(id="moved"), project="--elsewhere--")
    late = small_log(3, id="late")
    late.event("session-log-deepseek/delivery-accepted", {"sessionId": "s", "throughSeq": 0, "sessionFormatVersion": 4})
    old = store(tmp_path, late)
    for path, code in ((moved, "D103"), (old, "G")):
        assert main(["validate", str(path)]) == 1
        capfdbinary.readouterr()
        status = main([command, str(path)])
        out, err = capfdbinary.readouterr()
        assert (status, bool(out)) == (1, True), path
        assert code in err.decode()
    copy = tmp_path / "copy.jsonl.zstd"
    copy.write_bytes(moved.read_bytes())
    assert main([command, str(copy)]) == 0, "a free file is judged by its content alone"
    assert main([command, str(tmp_path)] if command != "show" else [command, str(moved)]) == 1


def test_a_stream_that_ends_early_is_told(tmp_path, capfdbinary):
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"type":"session","version":4,"id":"a","createdAt":1,"isSeeded":false,"delegationDepth":0}\n'
        b'{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}\n'
        b'{"type":"step/start","seq":1,"time":1,"data":{"turn":1,"step":1}}\n'
        b'{"type":"assistant/attempt","seq":2,"time":1,"data":{"turn":1,"step":1,"stream":[{"type":"odd"}]}}\n'
    )
    status = main(["cat", "--chunks", str(path)])
    assert status == 1
    assert b"the stream of event 2" in capfdbinary.readouterr().err


@pytest.mark.parametrize(
    "words, hint",
    [
        (("--call", "nope"), "dshlog cat --type tool/call"),
        (("--turn", "9"), "dshlog show --turns"),
        (("--seq", "100"), "dshlog show --events"),
        (("--seq", "100.."), "dshlog show --events"),
        (("--type", "x/*"), "dshlog stats --by type"),
        (("--type", "x", "--turn", "1"), None),
    ],
)
def test_a_selection_that_nothing_matches_is_told(words, hint, repository, say):
    log = repository / "fixtures/v4/clean/session.v4.jsonl.zstd"
    status, out, err = say("cat", *words, log)
    assert (status, out) == (0, "")
    lines = [f"dshlog: note: no event of the log matches {' '.join(words)}"]
    assert err.splitlines() == (lines if hint is None else [*lines, f"dshlog: hint: {hint} {log}"])


def test_a_selection_that_one_of_several_logs_matches_is_not(repository, say):
    clean, compacted = (repository / "fixtures/v4" / name for name in ("clean", "compaction"))
    assert say("cat", "--type", "tool/call", compacted, clean)[2] == ""
    _, out, err = say("cat", "--call", "nope", compacted, clean)
    assert (out, err) == ("", "dshlog: note: no event of the 2 logs matches --call nope\n")
    _, out, err = say("cat", "--chunks", "--turn", "9", clean)
    assert err.startswith("dshlog: note: no chunk of the log matches --turn 9\n")

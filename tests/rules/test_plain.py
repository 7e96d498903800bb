"""Whatever the quick readers take for plain is sound to the exact checks, and both read the same facts.

Source: the law in rules/plain.py; events.md §3.
"""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rows
from dshlog.codec.sources import decode_sources
from dshlog.fold.content import tool_print
from dshlog.fold.identity import ABSENT
from dshlog.fold.marker import source_faults
from dshlog.fold.surface import KINDS, LAST_KIND
from dshlog.report.examine import examine
from dshlog.rules.admission import admission_faults
from dshlog.rules.judge import Judge
from dshlog.rules.marks import plainly_cited
from dshlog.rules.payload import ROLES, log_only_payload_faults, row_faults_v3, surface_payload_faults
from dshlog.rules.plain import EXACT, FACTS, PLAIN
from dshlog.rules.sample import (
    asks,
    but,
    event,
    message,
    result,
    says,
    says_early,
    step,
    stream,
    text,
    turn,
    turn_end,
    user,
    wrapped,
)
from dshlog.storage.jsontext import parse
from dshlog.storage.source import BytesSource
from logbuilder import Log

BUILT = (0, 3, 4)
NO = (KeyError, TypeError, ValueError, AttributeError)  # what a quick reader may raise for a no
WRAPPER = {"type": "tool-result", "toolCallId": "c1", "content": []}
ODD = [
    *(None, True, False, 0, -0.0, 1, 1.0, 1.5, -1, 2**53, "", "x", "user", "plugin", "developer", [], [None], {}, [[]]),
    *({"type": "text"}, {"type": ["x"]}, {"kind": "plugin"}, WRAPPER, {"type": "tool-addition"}, {"type": "image"}),
    *("c1", "tool", "model", "tool-call", [text("x")], [asks()], [7], [WRAPPER]),
]


def spliced(*messages):
    return event("agent/inbox/spliced", {"target": "next-turn", "start": 0, "inserted": list(messages)})


def bases(version):
    """Give sound rows of every type that is read quickly."""
    said = says if version >= 3 else says_early
    out = [user(), said(), but(said(), "data.message.content", [asks(), text("x")]), turn(), step(), turn_end()]
    out += [result(), but(result(), "data.message.isError", value=True)] if version == 4 else [wrapped()]
    out += [
        event("turn/end", {"turn": 1, "reason": {"kind": "aborted"}}),
        event("turn/start", {"turn": 1, "trigger": 1}),
    ]
    streamed = stream(
        {"type": "block-start", "index": 0, "blockType": "text"},
        {"type": "block-end", "index": 0, "block": text("x")},
    )
    if version >= 3:
        out += [event("assistant/attempt", {"turn": 1, "step": 1, "stream": streamed}), says(stream=streamed)]
    if version == 4:
        out += [
            spliced(user()["data"]),
            spliced(),
            event("compaction/prune", {"shadowedRange": {"start": 2, "end": 2}, "shadowedSeqs": [2]}),
        ]
    return out


def paths(value, at=()):
    """Yield the path of every place in a JSON value."""
    yield at
    inside = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for name, held in inside:
        yield from paths(held, (*at, name))


def put(value, path, new):
    """Change one place of a copy; `new` is a value, or ABSENT to take the member away."""
    if not path:
        return None if new is ABSENT else new
    out = copy.deepcopy(value)
    here = out
    for name in path[:-1]:
        here = here[name]
    if new is ABSENT:
        del here[path[-1]]
    else:
        here[path[-1]] = new
    return out


def added(value, path, name, new):
    """Add a member at one place of a copy, when an object stands there."""
    out = copy.deepcopy(value)
    here = out
    for part in path:
        here = here[part]
    if type(here) is dict:
        here[name] = new
    return out


def quickly(reader, data):
    try:
        return reader(data)
    except NO:
        return None


def exact_faults(kind, data, version):
    """Give what the exact checks find in a payload by itself."""
    row = {"type": kind, "seq": 3, "time": 1, "data": data}
    faults = admission_faults(row, version)
    if version == 3:
        faults = faults + row_faults_v3(kind, data)
    if kind in FACTS[version]:
        return faults + surface_payload_faults(kind, data, version)
    return faults + log_only_payload_faults(kind, data, version)


def facts_hold(kind, data, version, facts):
    """Compare the facts with what stands in the payload."""
    what, number, place, about, name, empty, said = facts
    told = data if kind == "user/message" else data["message"]
    assert said is told
    assert name == told["id"]
    assert told["role"] == ROLES.get(kind, "tool" if version == 4 else "user")
    if kind == "tool/result":
        assert what > LAST_KIND
        assert what == tool_print(data, version)
        assert about == told["source"]["callId"]
        assert empty is False
    else:
        assert what == KINDS[kind]
    if kind == "user/message":
        assert (number, place, about) == (ABSENT, ABSENT, told["source"]["kind"])
        assert empty is False
    else:
        assert (number, place) == (data["turn"], data["step"])
    if kind == "assistant/message":
        assert about == [block for block in told["content"] if block["type"] == "tool-call"]
        assert empty is (told["content"] == [])


def law(kind, data, version):
    reader = FACTS[version].get(kind)
    if reader is not None:
        facts = quickly(reader, data)
        if facts is not None:
            assert exact_faults(kind, data, version) == []
            facts_hold(kind, data, version, facts)
    elif kind in PLAIN[version] and quickly(PLAIN[version][kind], data):
        assert exact_faults(kind, data, version) == []


@pytest.mark.parametrize("version", BUILT)
def test_one_change_anywhere(version):
    for row in bases(version):
        law(row["type"], row["data"], version)
        for path in paths(row["data"]):
            for odd in (*ODD, ABSENT):
                law(row["type"], put(row["data"], path, odd), version)
            for name in ("isError", "error", "more", "trigger"):
                law(row["type"], added(row["data"], path, name, None), version)


@settings(max_examples=250, deadline=None)
@given(data=st.data(), version=st.sampled_from(BUILT))
def test_many_changes(data, version):
    row = data.draw(st.sampled_from(bases(version)))
    value = row["data"]
    for _ in range(data.draw(st.integers(1, 4))):
        path = data.draw(st.sampled_from(list(paths(value))))
        if data.draw(st.booleans()):
            value = put(value, path, data.draw(st.sampled_from([*ODD, ABSENT])))
        else:
            value = added(
                value, path, data.draw(st.sampled_from(["isError", "error", "x"])), data.draw(st.sampled_from(ODD))
            )
    law(row["type"], value, version)


@pytest.mark.parametrize("version", BUILT)
def test_the_usual_payload_is_plain(version):
    for row in bases(version)[:5]:
        kind = row["type"]
        if kind in FACTS[version]:
            assert quickly(FACTS[version][kind], row["data"]) is not None
        elif kind in PLAIN[version]:
            assert quickly(PLAIN[version][kind], row["data"])


def test_generations_without_a_build_take_the_exact_path():
    for version in (1, 2):
        assert FACTS[version] == {}
        assert PLAIN[version] == {}


def test_nothing_is_both_plain_and_exact():
    for version in range(5):
        assert not EXACT[version] & PLAIN[version].keys()
        assert not EXACT[version] & FACTS[version].keys()


ENTRIES = st.one_of(st.integers(-1, 9), st.sampled_from([1.0, "1", None, True, [], [1], [1, 2, 3], [1, "2"], [2, 1]]))
RANGES = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(list)
CITED = st.one_of(
    st.none(),
    st.just({}),
    st.lists(ENTRIES, max_size=4),
    st.lists(st.one_of(st.integers(0, 9), RANGES), max_size=4),
    st.builds(lambda top, length: list(range(top, top + length)), st.integers(0, 5), st.integers(1, 6)),
)


@settings(max_examples=300, deadline=None)
@given(
    cited=CITED,
    kind=st.sampled_from(["user/message", "assistant/message", "tool/result"]),
    version=st.sampled_from(BUILT),
    appends=st.booleans(),
)
def test_plain_citations_are_sound(cited, kind, version, appends):
    seq = 8
    if not plainly_cited(kind, cited, seq, version, ranges=appends):
        return
    sources = decode_sources(cited, seq, distinct=version >= 2)
    assert isinstance(sources, list)
    assert source_faults(kind, sources, seq, version) == []


STRANGE = st.sampled_from([1.0, 300.0, 2**64, -1, True, False, None, "300", [300], 556, 300 + 256, 0, 1])


@settings(max_examples=400, deadline=None)
@given(
    first=st.integers(1, 700),
    length=st.integers(2, 900),
    changes=st.lists(st.tuples(st.integers(0, 899), st.one_of(st.integers(0, 2000), STRANGE)), max_size=3),
    swap=st.none() | st.tuples(st.integers(0, 899), st.integers(0, 899)),
)
def test_long_plain_citations_are_sound(first, length, changes, swap):
    cited = list(range(first, first + length))
    for index, entry in changes:
        cited[index % length] = entry
    if swap is not None:
        one, other = (index % length for index in swap)
        cited[one], cited[other] = cited[other], cited[one]
    seq = 5000
    if not plainly_cited("user/message", cited, seq, 0, ranges=True):
        return
    sources = decode_sources(cited, seq, distinct=False)
    assert isinstance(sources, list)
    assert source_faults("user/message", sources, seq, 0) == []
    assert all(type(entry) is int for entry in cited)


@pytest.mark.parametrize("first, length", [(2, 2), (2, 300), (200, 65_000), (65_500, 100), (2**33, 1000), (1, 400)])
def test_a_run_of_any_length_is_plain(first, length):
    cited = list(range(first, first + length))
    assert plainly_cited("user/message", cited, first + length, 0, ranges=True)
    assert not plainly_cited("user/message", cited, first + length - 1, 0, ranges=True)
    cited[-2] += 256
    assert not plainly_cited("user/message", cited, first + length, 0, ranges=True)


@pytest.mark.parametrize("cited", [[1], [1, 2, 3], [3, 1], [1, [2, 4]], [[1, 2], [4, 6], 7]])
def test_the_usual_citation_is_plain(cited):
    assert plainly_cited("user/message", cited, 8, 3, ranges=True)


# -- whole logs: the quick loop and the exact path write the same report


def talk(version):
    log = Log(version)
    log.turn()
    log.step()
    log.system("Be brief.")
    seen = log.user("List the files.")
    log.request()
    log.assistant("", ("c1", "bash", "{}"))
    log.call("c1")
    answer = log.result("c1", "a.txt")
    log.rewrite(answer, "(cut)")
    log.compact(seen, log.nodes[-1], "Files were listed.")
    log.assistant("One file is there.")
    log.end_step()
    log.end_turn()
    return [row for batch in log.batches() for row in batch]


@settings(max_examples=150, deadline=None)
@given(data=st.data(), version=st.sampled_from((0, 1, 2, 3, 4)))
def test_both_paths_write_the_same_report(data, version):
    log = talk(version)
    for _ in range(data.draw(st.integers(1, 2))):
        index = data.draw(st.integers(1, len(log) - 1))
        if isinstance(log[index], dict):
            path = data.draw(st.sampled_from(list(paths(log[index]))))
            odd = data.draw(st.sampled_from([*ODD, ABSENT]))
            changed = put(log[index], path, odd)
            log[index] = changed if type(changed) is dict else json.dumps(changed).encode()
    text_ = rows.raw([log])
    quick = examine(BytesSource(text_), "session.jsonl")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Judge, "_quickly", lambda _self, _lines, start: start)
        slow = examine(BytesSource(text_), "session.jsonl")
    assert quick == slow


@pytest.mark.parametrize(
    "spelling", ["-0", "-0.0", "0.0", "0e5", "-0e1", "1.0", "1e0", "10e-1", "9007199254740993", "1e400", "-1"]
)
@pytest.mark.parametrize(
    "place", ['"seq":3', '"time":300', '"turn":1', '"step":1', '"sourceEventSeqs":[2]', '"start":2']
)
def test_both_paths_read_numbers_alike(spelling, place, slowly, judged):
    name, _, value = place.partition(":")
    lines = [
        b'{"type":"session","version":4,"id":"s1","createdAt":1,"cwd":"/p","isSeeded":false,"delegationDepth":0}',
        b'{"type":"turn/start","seq":0,"time":100,"data":{"turn":1}}',
        b'{"type":"step/start","seq":1,"time":200,"data":{"turn":1,"step":1}}',
        b'{"type":"user/message","seq":2,"time":201,"data":{"id":"a","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":"append"}',
        (
            b'{"type":"user/message","seq":3,"time":300,"data":{"id":"b","role":"user","content":[],"source":{"kind":"user"}},'
            b'"surfaceOp":"append","sourceEventSeqs":[2]}'
        ),
        b'{"type":"compaction/prune","seq":4,"time":301,"data":{"shadowedRange":{"start":2,"end":3},"shadowedSeqs":[2,3]}}',
        b'{"type":"step/end","seq":5,"time":302,"data":{"turn":1,"step":1}}',
        b'{"type":"turn/end","seq":6,"time":303,"data":{"turn":1}}',
    ]
    new = f"{name}:[{spelling}]" if value.startswith("[") else f"{name}:{spelling}"
    data = b"".join(line + b"\n" for line in lines)
    assert place.encode() in data
    data = data.replace(place.encode(), new.encode(), 1)
    assert slowly(data) == judged(data)
    assert parse(spelling.encode()) is not None


def test_a_message_without_content_is_found_by_both(judged, slowly):
    said = message("m2", "assistant", {"kind": "model", "provider": "p", "model": "m"})
    log = (turn(), step(), user(), but(says(), "data.message", said))
    assert judged(log) == slowly(log)
    assert judged(log).surface.messages == 1

"""Which record behind a bad one turns a torn tail into corruption. Source: storage.md §5.2, §5.4; events.md E-030."""

from __future__ import annotations

from itertools import product

import pytest

import rows
from dshlog.report.examine import examine
from dshlog.rules.sample import event, head, packed, turn, turn_end, user
from dshlog.rules.sample import step as step_start
from dshlog.rules.tails import GAP, MALFORMED, NOT_JSON, SOUND, tail_policy
from dshlog.storage.source import BytesSource

VERSIONS = (0, 1, 2, 3, 4)
BEFORE = (turn(), step_start(), user())  # events 0 to 2

PLAIN = {**event("plan/mode", {"active": True}), "time": 200}
END = {**turn_end(), "time": 200}

# Every record that stands first or later, with how the row decoder of each generation reads it.
ANY = dict.fromkeys(VERSIONS)
DENSE = {0: GAP, 1: GAP, 2: MALFORMED, 3: MALFORMED, 4: MALFORMED}  # the old decoders look at little else than seq
# Who converts a log looks at no form of seq: whatever is not the position is a gap (migration.md 1.4).
NUMBER = {0: MALFORMED, 1: GAP, 2: GAP, 3: MALFORMED, 4: MALFORMED}
OTHER = {0: GAP, 1: GAP, 2: GAP, 3: MALFORMED, 4: MALFORMED}


def same(how):
    return dict.fromkeys(VERSIONS, how)


RECORDS = {
    "not JSON": (b'{"type":"turn/end"', same(NOT_JSON)),
    "no object": (b'["turn/end"]', same(MALFORMED)),
    "null": (b"null", same(MALFORMED)),
    "fraction": ({**PLAIN, "seq": 1.5}, NUMBER),
    "gap": ({**PLAIN, "seq": 40}, same(GAP)),
    "gap before": ({**PLAIN, "seq": 0}, same(GAP)),
    "end, fraction": ({**END, "seq": 1.5}, NUMBER),
    "end, negative": ({**END, "seq": -1}, NUMBER),
    "end, range": ({**END, "seq": 3, "sourceEventSeqs": [[2, 1]]}, same(MALFORMED)),
    "end, gap": ({**END, "seq": 40}, same(GAP)),
    "end, bare": ({"type": "turn/end"}, DENSE),
    "end, text": ({**END, "seq": "x"}, OTHER),
    "end, null": ({**END, "seq": None}, OTHER),
    "end, only seq": ({"type": "turn/end", "seq": 40}, DENSE),
    "type in a list": ({**END, "type": ["turn/end"], "seq": 40}, DENSE),
}
LATER = RECORDS | {
    "nothing": (None, ANY),
    "sound": ({**PLAIN, "seq": 4}, same(SOUND)),
    "end": ({**END, "seq": 4}, same(SOUND)),
    "step/end": ({**event("step/end", {"turn": 1, "step": 1}), "seq": 4, "time": 200}, same(SOUND)),
}


def ends(name):
    return name == "end" or name.startswith("end,")


def corrupt(version, first, later):
    """Answer as storage.md §5.2 says it: (a) for v3 and v4, (b) for v1 and v2, (c) for v0."""
    cause, how = RECORDS[first][1][version], LATER[later][1][version]
    if version >= 3:
        return (ends(first) and cause != NOT_JSON) or ends(later)
    decoded = ends(later) and how in {GAP, SOUND}
    at_once = ends(first) and cause == GAP
    if version == 0:
        return at_once or decoded
    return at_once or decoded or (cause == NOT_JSON and ends(later))


def log(version, first, later):
    row = LATER[later][0]
    return (head(version), *BEFORE, RECORDS[first][0], *([] if row is None else [row]))


CASES = list(product(VERSIONS, RECORDS, LATER))


def agrees(case, judged):
    version = case[0]
    report, bad = judged(log(*case), version), corrupt(*case)
    return (
        report.state == ("refused" if bad else "torn")
        and report.native.opens is (None if version in {1, 2} else not bad)
        and report.events == 3
        and report.findings[0].severity == ("error" if bad else "warning")
        and (report.torn is None) is bad
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_raw_logs(version, judged):
    cases = [case for case in CASES if case[0] == version]
    assert [case for case in cases if not agrees(case, judged)] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_what_committed_it_is_named(version, judged):
    report = judged((*log(version, "not JSON", "sound"), {**END, "seq": 5}), version)
    first = report.findings[0]
    assert [place.line for place in first.related] == [7]
    assert first.hint == "the turn/end at line 7 shows that this was committed, so dsh refuses the log"
    alone = judged(log(version, "end, gap", "nothing"), version).findings[0]
    assert [place.line for place in alone.related] == []


@pytest.mark.parametrize("version", [0, 1])
def test_packed_rows_end_no_turn(version, judged):
    run = packed("text-chunks", {"turn": 1, "step": 1, "index": 0, "dt": [1], "texts": ["a", "b"]})
    report = judged((*log(version, "not JSON", "nothing"), {**run, "seq0": 4, "time0": 200}), version)
    assert report.state == "torn"


FRAMES = list(product(VERSIONS, ("not JSON", "no object", "gap"), ("nothing", "sound", "end")))


def framed(version, first, later, *, torn):
    whole = log(version, first, later)
    stamped = [whole[0], *({**row, "seq": seq, "time": 100} for seq, row in enumerate(BEFORE))]
    frames = rows.frames([stamped[:1], stamped[1:], list(whole[4:])])
    data = b"".join(frames)
    return data[:-2] if torn else data


@pytest.mark.parametrize("version, first, later", FRAMES)
@pytest.mark.parametrize("torn", [False, True])
def test_zstd_logs(version, first, later, torn):
    report = examine(BytesSource(framed(version, first, later, torn=torn)), "session.jsonl.zstd")
    strict = version not in {1, 2}  # the readers of v0, v3 and v4 forgive nothing in a complete frame
    bad = corrupt(version, first, later) or (strict and not torn)
    assert report.state == ("refused" if bad else "torn")
    assert report.events == 3


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("how", [NOT_JSON, MALFORMED, GAP, SOUND])
@pytest.mark.parametrize("cause", [NOT_JSON, MALFORMED, GAP])
def test_only_a_turn_end_commits(version, cause, how):
    assert not tail_policy(version)(cause, how, ends_turn=False)


def test_dsh_answers_alike(dsh):
    for version in (0, 3, 4):
        logs = {f"{first}, then {later}": log(v, first, later) for v, first, later in CASES if v == version}
        assert dsh(logs, version) == []


def test_dsh_answers_alike_on_frames(dsh):
    for version in (0, 3, 4):
        logs = {
            f"{first}, then {later}, torn {torn}": framed(v, first, later, torn=torn)
            for v, first, later in FRAMES
            if v == version
            for torn in (False, True)
        }
        assert dsh(logs, version, ".jsonl.zstd") == []


def test_dsh_converts_what_is_only_torn(upgrades, written):
    logs = {
        f"{version} {first}, then {later}": (written(log(version, first, later)), corrupt(version, first, later))
        for version, first, later in CASES
        if version in {1, 2}
    }
    opens = upgrades({name: data for name, (data, _) in logs.items()})
    assert [name for name, (_, bad) in logs.items() if opens[name] is bad] == []

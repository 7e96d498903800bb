"""Damage of the sequence has one name each, with both extents, the other places, and what only follows.

Source: events.md E-005; storage.md §5.2; cases that people met.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rows
from dshlog.report.examine import examine
from dshlog.rules.sequence import Positions, tell
from dshlog.storage.source import BytesSource
from logbuilder import Log

VERSIONS = (0, 1, 3, 4)
UNBUILT = (1, 2)
STORIES = {"E105", *(f"E{number}" for number in range(121, 130))}

# -- logs, as lists of rows; row 0 is the header, so that row n stands in line n + 1


def begun(version):
    """Give a log of one whole turn."""
    log = Log(version)
    log.turn()
    log.step()
    log.system("Be brief.")
    log.user("One.")
    log.request()
    log.assistant("A first answer.")
    log.end_step()
    log.end_turn()
    return log


def went_on(log, words, later=0, answer="Well."):
    """Add a whole turn, `later` milliseconds later than it would be."""
    log._time += later
    log.turn()
    log.step()
    log.user(words)
    log.assistant(answer)
    log.end_step()
    log.end_turn()
    return log


def stored(log):
    return [row for batch in log.batches() for row in batch]


def interrupted(version):
    """Give a log whose writer was stopped in a tool call."""
    log = begun(version)
    log.turn()
    log.step()
    log.assistant("", ("c1", "bash", "{}"))
    log.call("c1")
    return log


def crashed(version, more=0):
    """Give such a log, what its writer added after all in so many more steps, and what a recovery added."""
    before = stored(interrupted(version))
    log = interrupted(version)
    log.result("c1", "a.txt")
    log.end_step()
    for _ in range(more):
        log.step()
        log.assistant("There is one file.")
        log.end_step()
    log.end_turn()
    recovery = interrupted(version)
    answer = recovery.result("c1", "Unknown.")
    recovery.events[answer]["data"]["message"]["id"] = f"interrupted-tool-result-c1-{answer}"
    recovery.end_step()
    recovery.end_turn("interrupted")
    return before, stored(log)[len(before) :], stored(recovery)[len(before) :]


def start(row):
    return row.get("seq", row.get("seq0", -1))


def branches(version, first=3, second=5):
    """Give a common beginning and two ways in which it went on; equal delays make equal first records."""
    base = stored(begun(version))
    one = stored(went_on(begun(version), "From one.", first))[len(base) :]
    two = stored(went_on(begun(version), "From two.", second))[len(base) :]
    return base, one, two


def interleaved(*parts):
    return [row for together in zip(*parts, strict=True) for row in together]


def extents(first, second):
    """Say where two branches stand, each given as its first and last (row, index)."""
    words = []
    for which, ((top, top_at), (last, last_at)) in (("first", first), ("second", second)):
        members = len(next((last["data"][name] for name in ("texts", "args") if name in last["data"]), [0]))
        words.append(f"{which} seq {start(top)}..{start(last) + members - 1} at lines {top_at + 1}..{last_at + 1}")
    return "; ".join(words)


def found(log):
    report = examine(BytesSource(rows.raw([log])), "session.jsonl")
    return report, [finding for finding in report.findings if finding.code in STORIES]


def lines(places):
    return [place.line for place in places]


def refused(version):
    return None if version in UNBUILT else False


# -- two writers


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("delays", [(3, 5), (3, 3)], ids=["told apart at once", "begin alike"])
def test_two_writers_one_behind_the_other(version, delays):
    base, one, two = branches(version, *delays)
    log = base + one + two
    report, stories = found(log)
    middle = len(base) + len(one)
    assert [story.code for story in stories] == ["E121"]
    (story,) = stories
    assert (story.place.line, story.place.seq) == (middle + 1, start(two[0]))
    assert story.message == f"two writers continued the log from seq {start(two[0])} on: " + extents(
        ((one[0], len(base)), (one[-1], middle - 1)), ((two[0], middle), (two[-1], len(log) - 1))
    )
    assert lines(story.related) == [len(base) + 1, len(log)]  # where the other began, and the turn/end that commits
    assert story.follows >= len(two) - 1
    assert (report.native.opens, report.state, report.records) == (refused(version), "refused", len(log) - 1)
    assert report.native.first == (None if version in UNBUILT else "E121")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("delays", [(3, 5), (3, 3)], ids=["told apart at once", "begin alike"])
def test_two_writers_interleaved(version, delays):
    base, one, two = branches(version, *delays)
    log = base + interleaved(one, two)
    report, stories = found(log)
    assert [story.code for story in stories] == ["E121"]
    (story,) = stories
    assert (story.place.line, story.place.seq) == (len(base) + 2, start(two[0]))
    assert story.message.endswith(
        extents(((one[0], len(base)), (one[-1], len(log) - 2)), ((two[0], len(base) + 1), (two[-1], len(log) - 1)))
    )
    assert lines(story.related) == [len(base) + 1, len(log) - 1]
    assert story.follows >= len(two) - 1
    assert report.native.opens is refused(version)
    assert report.events == start(two[0]) + 1


@pytest.mark.parametrize("version", VERSIONS)
def test_three_writers(version):
    base, one, two = branches(version)
    three = stored(went_on(begun(version), "From three.", 7))[len(base) :]
    report, stories = found(base + one + two + three)
    second, third = len(base) + len(one), len(base) + len(one) + len(two)
    assert [(story.code, story.place.line) for story in stories] == [("E121", second + 1), ("E121", third + 1)]
    first = ((one[0], len(base)), (one[-1], second - 1))
    assert stories[0].message.endswith(extents(first, ((two[0], second), (two[-1], third - 1))))
    assert stories[1].message.endswith(extents(first, ((three[0], third), (three[-1], third + len(three) - 1))))
    assert report.native.opens is refused(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_second_writer_that_committed_nothing_is_a_torn_tail(version):
    base, one, two = branches(version)
    report, (story,) = found(base + one + two[:2])
    assert (story.code, story.severity, report.state) == ("E121", "warning", "torn")
    assert report.native.opens is (None if version in UNBUILT else True)
    assert lines(story.related) == [len(base) + 1]
    assert story.hint is not None
    assert "cuts the file here" in story.hint


# -- a recovery and the writer that it took for dead


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "recovery_first, more",
    [(True, 0), (True, 1), (False, 0), (False, 1)],
)
def test_recovery_against_live(version, recovery_first, more):
    before, live, recovery = crashed(version, more)
    one, two = (recovery, live) if recovery_first else (live, recovery)
    log = before + one + two
    report, stories = found(log)
    middle = len(before) + len(one)
    assert [story.code for story in stories] == ["E122"]
    (story,) = stories
    assert story.place.line == middle + 1
    assert f"(the {'first' if recovery_first else 'second'} is the recovery)" in story.message
    assert story.message.endswith(
        extents(((one[0], len(before)), (one[-1], middle - 1)), ((two[0], middle), (two[-1], len(log) - 1)))
    )
    assert lines(story.related) == [len(before) + 1, len(log)]
    assert story.follows >= len(two) - 1
    assert report.native.opens is refused(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_second_writer_that_went_on_longer(version):
    base, one, two = branches(version)
    more = stored(went_on(went_on(begun(version), "From two.", 5), "And on."))[len(base) + len(two) :]
    log = base + one + two + more
    _, (story,) = found(log)
    middle = len(base) + len(one)
    assert story.message.endswith(
        extents(((one[0], len(base)), (one[-1], middle - 1)), ((two[0], middle), (more[-1], len(log) - 1)))
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_two_recoveries_are_two_writers(version):
    before, _, recovery = crashed(version)
    again = [{**row, "time": row["time"] + 1} for row in recovery]
    _, stories = found(before + recovery + again)
    assert [story.code for story in stories] == ["E121"]


def test_the_cases_that_people_met(shared):
    expected = {"B002": ("E122", 15), "B004": ("E127", 9), "B006": ("E121", 13)}
    told = {case["id"]: case for case in json.loads((shared / "cases/cases.json").read_text())["cases"]}
    for name, (code, line) in expected.items():
        case = told[name]
        report = examine(BytesSource((shared / "cases" / case["file"]).read_bytes()), case["file"])
        stories = [finding for finding in report.findings if finding.code in STORIES]
        assert [(story.code, story.place.line) for story in stories] == [(code, line)]
        assert report.native.opens is case["verdict"].get("native", case["verdict"]["open"])["ok"] is False


# -- one writer, other damage


@pytest.mark.parametrize("version", VERSIONS)
def test_numbering_begins_again(version):
    log, other = stored(went_on(begun(version), "Go on.")), stored(went_on(Log(version), "Another.", 9))[1:]
    report, stories = found(log + other)
    assert [(story.code, story.place.line, story.place.seq) for story in stories] == [("E123", len(log) + 1, 0)]
    (story,) = stories
    both = extents(((log[1], 1), (log[-1], len(log) - 1)), ((other[0], len(log)), (other[-1], len(log + other) - 1)))
    assert story.message == f"the numbering begins again at 0: {both}"
    assert lines(story.related) == [2, len(log) + len(other)]
    assert story.follows >= len(other) - 1
    assert report.native.opens is refused(version)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("lost", [1, 4])
def test_lost_prefix(version, lost):
    whole = stored(went_on(begun(version), "Go on."))
    report, stories = found([whole[0], *whole[1 + lost :]])
    assert [(story.code, story.place.line) for story in stories] == [("E124", 2)]
    assert stories[0].message == f"the log begins at seq {lost}; events 0..{lost - 1} are missing"
    assert (report.native.opens, report.events) == (refused(version), 0)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("lost", [1, 4])
def test_hole(version, lost):
    base, one, _ = branches(version)
    log = base + one[lost:]
    report, stories = found(log)
    here, there = start(one[0]), start(one[lost])
    missing = f"event {here} is" if lost == 1 else f"events {here}..{there - 1} are"
    assert [(story.code, story.place.line, story.place.seq) for story in stories] == [("E125", len(base) + 1, there)]
    assert stories[0].message == f"expected seq {here}, found {there}: {missing} missing"
    assert lines(stories[0].related) == [len(log)]
    assert (report.native.opens, report.events) == (refused(version), here)


@pytest.mark.parametrize("version", VERSIONS)
def test_two_holes_are_two_findings(version):
    base, one, _ = branches(version)
    report, stories = found(base + one[1:3] + one[4:])
    assert [(story.code, story.place.line) for story in stories] == [("E125", len(base) + 1), ("E125", len(base) + 3)]
    assert report.native.opens is refused(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_hole_that_no_turn_end_follows_is_a_torn_tail(version):
    base, one, _ = branches(version)
    report, (story,) = found(base + one[1:3])
    assert (story.code, story.severity, report.state) == ("E125", "warning", "torn")
    assert report.native.opens is (None if version in UNBUILT else True)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("length", [1, 4])
def test_repeated_records(version, length):
    base, one, _ = branches(version)
    log = base + one[:length] + one
    report, stories = found(log)
    first = len(base) + length
    assert [(story.code, story.place.line) for story in stories] == [("E126", first + 1)]
    (story,) = stories
    seqs = [start(row) for row in one[:length]]
    named = f"record {seqs[0]} stands" if length == 1 else f"records {seqs[0]}..{seqs[-1]} stand"
    assert story.message == f"{named} a second time, byte for byte"
    assert lines(story.related) == [len(base) + 1, len(log)]
    assert story.follows >= length - 1
    assert (report.native.opens, report.events) == (refused(version), start(one[length]))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_whole_log_twice(version):
    whole = stored(went_on(begun(version), "Go on."))
    report, stories = found(whole + whole[1:])
    assert [(story.code, story.place.line, story.place.seq) for story in stories] == [("E126", len(whole) + 1, 0)]
    assert stories[0].message == f"records 0..{start(whole[-1])} stand a second time, byte for byte"
    assert stories[0].follows >= len(whole) - 2
    assert stories[0].related[0].line == 2
    assert report.native.opens is refused(version)


def packed_log(version, overlap):
    """Give a log with a packed row of four members, and where it stands; it covers `overlap` seqs once more."""
    log = Log(version)
    log.turn()
    log.step()
    log.user("Hi.")
    log.assistant("One two three four")
    log.end_step()
    log.end_turn()
    told = stored(log)
    at = next(index for index, row in enumerate(told) if "seq0" in row)
    single = [event for event in log.events if event["seq"] in range(told[at]["seq0"], told[at]["seq0"] + overlap)]
    return told[:at] + single + told[at:], at + overlap


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_packed_row_overlaps(version, overlap):
    log, at = packed_log(version, overlap)
    report, stories = found(log)
    first = log[at]["seq0"]
    assert [(story.code, story.place.line, story.place.seq) for story in stories] == [("E127", at + 1, first)]
    stand = f"{first} stands" if overlap == 1 else f"{first}..{first + overlap - 1} stand"
    assert stories[0].message == f"a packed row covers seq {first}..{first + 3}, but {stand} before it"
    assert report.native.opens is refused(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_swapped_records(version):
    base, one, _ = branches(version)
    log = [*base, one[0], one[2], one[1], *one[3:]]
    report, stories = found(log)
    at = len(base) + 1
    assert [(story.code, story.place.line, story.place.seq) for story in stories] == [("E129", at + 1, start(one[2]))]
    assert f"behind {start(one[2])}, from line {at + 2} on" in stories[0].message
    assert stories[0].related[0].line == at + 2
    assert stories[0].follows >= 1
    assert report.native.opens is refused(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_swapped_frames(version):
    base, one, _ = branches(version)
    later = stored(went_on(went_on(begun(version), "From one.", 3), "Go on."))[len(base) + len(one) :]
    frames = rows.frames([base[:1], base[1:], later, one])
    report = examine(BytesSource(b"".join(frames)), "session.jsonl.zstd")
    stories = [finding for finding in report.findings if finding.code in STORIES]
    assert [(story.code, story.place.frame, story.place.line) for story in stories] == [("E129", 2, len(base) + 1)]
    (story,) = stories
    assert story.message == (
        f"events {start(one[0])}..{start(one[-1])} stand behind {start(later[0])}, "
        f"from line {len(base) + len(later) + 1} on"
    )
    assert story.related[0].frame == 3
    assert story.follows >= len(one)
    assert report.native.opens is refused(version)


# -- lines that cannot be read


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("swallowed", [0, 1, 4])
def test_an_unreadable_line_explains_what_is_missing_behind_it(version, swallowed):
    base, one, _ = branches(version)
    report, stories = found([*base, one[0], b'{"type":', *one[1 + swallowed :]])
    assert not stories
    assert next(finding.code for finding in report.findings) == "L102"
    assert report.native.opens is refused(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_hole_further_behind_is_told(version):
    base, one, _ = branches(version)
    report, stories = found([*base, b'{"type":', *one[1:3], *one[4:]])
    assert [(story.code, story.place.line) for story in stories] == [("E125", len(base) + 4)]
    assert [finding.code for finding in report.findings][:2] == ["L102", "E125"]
    assert report.findings[0].follows >= 0


@pytest.mark.parametrize("version", (3, 4))
@pytest.mark.parametrize("line", [b"[1]", b'{"type":"plan/mode","seq":-1,"time":5,"data":{}}'])
def test_a_line_without_a_usable_seq_explains_too(version, line):
    base, one, _ = branches(version)
    _, stories = found([*base, line, *one[2:]])
    assert not stories


# -- what cannot be told


class Pipe(BytesSource):
    """Bytes that come once."""

    @property
    def size(self):
        return None


def test_a_pipe_keeps_its_gaps():
    base, one, two = branches(4)
    report = examine(Pipe(rows.raw([base + one + two])), "session.jsonl")
    assert {finding.code for finding in report.findings} & STORIES == {"E105"}
    assert report.native.first == "E105"


def test_gaps_stay_where_the_story_begins_elsewhere():
    log = stored(went_on(begun(0), "Go on."))
    del log[3]["seq"]  # v0 lets such a row pass, so that it is a gap by itself
    report, stories = found(log)
    assert [(story.code, story.place.line) for story in stories] == [("E105", 4)]
    assert report.native.first == "E105"


# -- dsh


def damaged(version):
    base, one, two = branches(version)
    before, live, recovery = crashed(version)
    whole = base + one
    return {
        "behind": whole + two,
        "interleaved": base + interleaved(one, two),
        "tail": whole + two[:2],
        "closed first": before + recovery + live,
        "closed last": before + live + recovery,
        "restart": whole + stored(went_on(Log(version), "Another.", 9))[1:],
        "prefix": [whole[0], *whole[3:]],
        "hole": base + one[2:],
        "hole at the tail": base + one[1:3],
        "repeated": base + one[:3] + one,
        "twice": whole + whole[1:],
        "swapped": [*base, one[1], one[0], *one[2:]],
        "unreadable": [*base, one[0], b'{"type":', *one[2:]],
        "unreadable and missing": [*base, one[0], b'{"type":', *one[4:]],
    } | ({f"overlap {n}": packed_log(version, n)[0] for n in (1, 2, 3)} if version == 0 else {})


@pytest.mark.parametrize("version", (0, 3, 4))
def test_dsh_answers_alike(version, dsh):
    assert dsh({name: rows.raw([log]) for name, log in damaged(version).items()}, version) == []


# -- any splice


class Counted(list):
    """A list that counts how often one of its members is read."""

    reads = 0

    def __getitem__(self, index):
        self.reads += 1
        return super().__getitem__(index)


def positions(records):
    """Give positions of (seq, digest) whose reading is counted."""
    out = Positions()
    for index, (seq, digest) in enumerate(records):
        out.add(index + 2, index * 10, seq, 1, digest, closer=False)
    out.seqs = Counted(out.seqs)
    return out


LENGTHS = st.integers(1, 60)
PIECES = st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(1, 20)), min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(pieces=PIECES, times=st.integers(1, 12))
def test_any_splice_of_two_logs_has_stories_and_costs_no_more_than_its_length(pieces, times):
    records = [
        (seq, seq * 2 + which) for which, top, length in pieces for seq in range(top * times, (top + length) * times)
    ]
    told = positions(records)
    stories = tell(told)
    assert len(stories) <= len(pieces) ** 2 + 1  # a piece may pass the bounds of all others
    assert all(story.fault.name and story.fault.message for story in stories)
    assert [story.line for story in stories] == sorted(story.line for story in stories)
    # Each piece may be read once more for the branch that it forks; a search adds a logarithm.
    assert told.seqs.reads <= len(records) * (len(pieces) + 16)


@settings(max_examples=100, deadline=None)
@given(before=LENGTHS, order=st.lists(st.booleans(), min_size=1, max_size=40))
def test_two_interleaved_branches_are_one_fork(before, order):
    ends = [before, before]
    records = [(seq, 0) for seq in range(before)]
    for which in order:
        records.append((ends[which], 1 + which))
        ends[which] += 1
    told = tell(positions(records))
    if min(ends) == before:
        assert told == []
        return
    (story,) = told
    assert story.fault.name == "two-writers"
    assert story.seq == before
    assert story.related[0][2] == before
    assert story.related[0][0] < story.line


@settings(max_examples=60, deadline=None)
@given(data=st.data(), version=st.sampled_from(VERSIONS))
def test_any_splice_of_two_logs_is_judged(data, version):
    base, one, two = branches(version)
    log = base[:1]
    for _ in range(data.draw(st.integers(1, 4))):
        whole = base[1:] + data.draw(st.sampled_from([one, two]))
        top = data.draw(st.integers(0, len(whole)))
        log = log + whole[top : top + data.draw(st.integers(0, len(whole)))]
    report, stories = found(log)
    dense, position = True, 0
    for row in log[1:]:
        dense = dense and start(row) == position
        members = next((row["data"][name] for name in ("texts", "args") if name in row["data"]), [0])
        position += len(members) if "seq0" in row else 1
    assert bool(stories) is not dense
    assert "E105" not in {story.code for story in stories}
    assert report.records == len(log) - 1


@pytest.mark.parametrize("shape", ["all at 0", "falling"])
def test_many_forks_cost_no_more_than_their_length(shape):
    def reads(length):
        seqs = [0] * length if shape == "all at 0" else range(length, 0, -1)
        told = positions([(seq, index) for index, seq in enumerate(seqs)])
        tell(told)
        return told.seqs.reads

    assert reads(400) < 3 * reads(200)


@pytest.mark.parametrize("length", [201, 3000, 100_000])
def test_many_holes_are_counted_and_take_no_longer_each(length):
    stories = tell(positions([(2 * seq, seq) for seq in range(length)]))
    assert {story.fault.name for story in stories} == {"records-missing"}
    assert len(stories) == min(200, length - 1)
    assert sum(1 + story.follows for story in stories) == length - 1
    (*_, last) = tell(positions([(2 * seq, seq) for seq in range(length)] + [(2 * 150 + 1, -1)]))[:151]
    assert last.fault.name == "records-misplaced"


def test_records_that_stand_twice_are_counted_too():
    records = [(seq, seq) for seq in range(2000)]
    again = [record for record in records[::2] for _ in (0, 1)]
    stories = tell(positions(records + again))
    assert len(stories) == 200
    assert sum(1 + story.follows for story in stories) == len(again)

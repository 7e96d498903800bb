"""A log decoded: stored records as they are, logical events expanded, messages as the model gets them."""

from __future__ import annotations

import pytest

import rows
from dshlog.report.decode import read_log
from dshlog.storage.lines import MAX_LINE
from dshlog.storage.source import WINDOW, BytesSource
from logbuilder import Log, header, text

EVERY = [0, 1, 2, 3, 4]
FORMS = {"raw": rows.raw, "zstd": rows.zstd}


def worked(version):
    """Give a log with two turns, a tool call and a compaction."""
    log = Log(version)
    for words in ("one", "two"):
        log.turn()
        log.step()
        if words == "one":
            log.system("be brief")
        log.user(words)
        log.request("initial", ["bash"])
        log.assistant("let me see what there is", (f"c{words}", "bash", '{"command":"ls -la"}'))
        log.call(f"c{words}")
        log.result(f"c{words}", "done")
        log.assistant("that was it")
        log.end_step()
        log.end_turn()
    return log


def opened(data, **options):
    return read_log(BytesSource(data), "log", **options)


def events_of(data):
    return [event for event, _ in opened(data).events()]


@pytest.mark.parametrize("form", sorted(FORMS))
@pytest.mark.parametrize("version", EVERY)
def test_events_are_the_logical_ones_whatever_was_packed(version, form):
    log = worked(version)
    data = FORMS[form](log.batches())
    decoded = opened(data)
    assert decoded.header.version == version
    assert decoded.header_line == rows.line(log.header)[:-1]
    assert [event for event, _ in decoded.events()] == log.events
    assert decoded.report.events == len(log.events)


@pytest.mark.parametrize("version", EVERY)
def test_an_event_comes_with_its_stored_text_unless_it_was_expanded(version):
    log = worked(version)
    stored = rows.raw(log.batches()).splitlines()
    for event, line in opened(rows.raw(log.batches())).events():
        expanded = any(isinstance(entry, list) for entry in rows.stored(event).get("sourceEventSeqs", ()))
        packed = rows.line(event)[:-1] not in stored
        assert (line is None) is (expanded or packed)
        if line is not None:
            assert line in stored
    assert version > 1 or any(line is None for _, line in opened(rows.raw(log.batches())).events())


@pytest.mark.parametrize("form", sorted(FORMS))
@pytest.mark.parametrize("version", EVERY)
def test_records_are_the_stored_lines(version, form):
    log = worked(version)
    decoded = opened(FORMS[form](log.batches()))
    assert list(decoded.records()) == rows.raw(log.batches()).splitlines()[1:]
    assert decoded.report.records == len(rows.raw(log.batches()).splitlines()) - 1


@pytest.mark.parametrize("version", EVERY)
def test_messages_are_what_the_model_gets(version):
    log = worked(version)
    decoded = opened(rows.raw(log.batches()))
    found = list(decoded.messages())
    expected = [log.events[seq]["data"] for seq in log.nodes]
    assert found == [data.get("message", data) for data in expected]
    assert decoded.report.surface.messages == len(found)


def test_ranges_of_sources_are_expanded_and_plain_lists_stay():
    log = Log(4)
    log.turn()
    log.step()
    log.user("a", surfaceOp="append", sourceEventSeqs=[0, 1])
    log.event("session/title", {"title": "x"})
    log.user("b", surfaceOp="append", sourceEventSeqs=[0, 1, 2])
    data = rows.raw(log.batches())
    assert b'"sourceEventSeqs":[[0,2]]' in data
    found = list(opened(data).events())
    assert found[2][0]["sourceEventSeqs"] == [0, 1]
    assert found[2][1] is not None
    assert found[4][0] == log.events[4]
    assert found[4][1] is None


def head(version=4, **members):
    return rows.line(header(version, **members))


def turn(seq, **members):
    return rows.line({"type": "turn/start", "seq": seq, "time": 1, "data": {"turn": 1}, **members})


@pytest.mark.parametrize(
    "line",
    [b"  " + turn(0)[:-1] + b"\t\r\n", turn(0).replace(b'"time":1', b'"time":1e0')],
    ids=["spaces", "number"],
)
def test_the_stored_text_is_the_record_without_white_space(line):
    ((event, stored),) = opened(head() + line).events()
    assert event["seq"] == 0
    assert stored == line.strip()


def test_a_line_that_is_not_utf8_has_no_text_to_hand_on():
    line = turn(0, data={"turn": 1, "x": "é"}).replace("é".encode(), b"\xff")
    ((event, stored),) = opened(head() + line).events()
    assert event["data"]["x"] == "\ufffd"
    assert stored is None
    ((event, stored),) = opened(head() + turn(0, data={"turn": 1, "x": "é"})).events()
    assert (event["data"]["x"], stored is not None) == ("é", True)


@pytest.mark.parametrize(
    "bad",
    [b"xx\n", b"\n", b"[]\n", b"null\n", turn(5), turn(0), b'{"type":"turn/start","seq":1}\n', turn(1, more=1)],
    ids=["not-json", "empty", "array", "null", "gap", "repeat", "incomplete", "member"],
)
def test_events_end_at_the_first_bad_record_and_records_go_on(bad):
    data = head() + turn(0) + bad + turn(1)
    assert [event["seq"] for event in events_of(data)] == [0]
    assert list(opened(data).records()) == [turn(0)[:-1], bad[:-1], turn(1)[:-1]]
    framed = rows.frame(head()) + rows.frame(turn(0)) + rows.frame(bad + turn(1))
    assert [event["seq"] for event in events_of(framed)] == [0]


def test_the_first_record_may_be_bad():
    assert events_of(head() + b"xx\n" + turn(0)) == []


def test_lines_of_a_torn_frame_are_read_too():
    data = rows.frame(head()) + rows.frame(turn(0)) + rows.frame(turn(1) + turn(2))[:-1]
    assert [event["seq"] for event in events_of(data)] == [0, 1, 2]
    assert len(list(opened(data).records())) == 3


def test_a_torn_line_is_no_record():
    data = head() + turn(0) + turn(1)[:-1]
    assert len(list(opened(data).records())) == len(events_of(data)) == 1


def test_a_packed_row_is_all_or_nothing():
    row = {"type": "text-chunks", "seq0": 1, "time0": 5}
    row["data"] = {"turn": 1, "step": 1, "index": 0, "dt": [1, 2], "texts": ["a", "b", "c"]}
    assert [event["seq"] for event in events_of(head(0) + turn(0) + rows.line(row))] == [0, 1, 2, 3]
    assert [event["seq"] for event in events_of(head(0) + turn(0) + rows.line({**row, "seq0": 2}))] == [0]
    row["data"]["texts"][2] = 7
    assert [event["seq"] for event in events_of(head(0) + turn(0) + rows.line(row))] == [0]


def test_a_packed_tag_is_no_row_from_v2_on():
    row = {"type": "text-chunks", "seq0": 1, "time0": 5}
    row["data"] = {"turn": 1, "step": 1, "index": 0, "dt": [], "texts": ["a"]}
    for version in (2, 3, 4):
        assert [event["seq"] for event in events_of(head(version) + turn(0) + rows.line(row))] == [0]


def test_old_spellings_of_v0_stay_as_they_are_stored_and_messages_show_the_new_ones():
    log = Log(0)
    log.turn()
    log.step()
    old = {"content": [text("hi")], "source": {"kind": "user"}}
    log.event("user/message", old, surfaceOp="append")
    data = rows.raw(log.batches())
    assert events_of(data)[2]["data"] == old
    assert list(opened(data).messages()) == [{**old, "id": "legacy-message:demo:2", "role": "user"}]


@pytest.mark.parametrize("data", [b"", b"xx\n", rows.line({"type": "session", "version": 9}), bytes(10)])
def test_a_file_whose_header_names_no_known_generation_has_no_events(data):
    decoded = opened(data)
    assert decoded.header is None
    assert list(decoded.events()) == []
    assert list(decoded.messages()) == []
    assert decoded.report.events == 0


def test_a_long_log_is_decoded_across_windows():
    log = Log(4)
    log.turn()
    log.step()
    for number in range(120):
        log.user("words " * 1000 + str(number))
    data = rows.raw(log.batches())
    assert len(data) > 2 * WINDOW
    assert events_of(data) == log.events
    assert events_of(rows.zstd(log.batches())) == log.events


class Long:
    """A source whose second line is longer than dshlog reads."""

    def __init__(self):
        self.lines = (head() + turn(0), b'"' + b"x" * (WINDOW - 1), turn(1))
        self.count = MAX_LINE // WINDOW + 1
        self.size = None

    def chunks(self, start=0, end=None):
        assert (start, end) == (0, None)
        before, unit, behind = self.lines
        yield before
        for _ in range(self.count):
            yield unit
        yield b"\n" + behind

    def read(self, start, count):
        return self.lines[0][start : start + count]


def test_a_line_that_is_too_long_ends_the_events():
    decoded = read_log(Long(), "log")
    assert [event["seq"] for event, _ in decoded.events()] == [0]
    assert decoded.report.records == 3

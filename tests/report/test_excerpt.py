from __future__ import annotations

import pytest

from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.model.report import ReaderVerdict, Report
from dshlog.report.examine import examine
from dshlog.report.excerpt import SHOWN, Excerpt, excerpts, line_lengths, offsets
from dshlog.storage.source import BytesSource

HEADER = b'{"type":"session","version":4,"id":"x","timestamp":"2023-11-14T22:13:20.000Z","cwd":"/w","isSeeded":false}\n'


def told(*lines, name="a.jsonl"):
    data = b"".join((HEADER, *lines))
    report = examine(BytesSource(data), name)
    return report, excerpts(BytesSource(data), report)


def test_a_broken_record_is_shown_with_the_place_of_its_fault():
    report, shown = told(b'{"type": nope}\n')
    (finding,) = [found for found in report.findings if found.name == "not-json"]
    assert shown[finding.place.offset] == Excerpt('{"type": nope}', mark=9)


def test_a_fault_far_behind_is_in_the_middle_of_what_is_shown():
    _, shown = told(b'{"a":"' + "é".encode() * 400 + b'"} x' + b"y" * 300 + b"\n")
    excerpt = shown[len(HEADER)]
    assert (excerpt.head, excerpt.rest, len(excerpt.text)) == (True, True, SHOWN)
    assert excerpt.text[excerpt.mark] == "x"


def test_a_fault_beyond_what_is_parsed_again_has_no_mark():
    _, shown = told(b'{"a":"' + b"e" * (1 << 17) + b'"} x\n')
    assert shown[len(HEADER)] == Excerpt(('{"a":"' + "e" * SHOWN)[:SHOWN], rest=True)


def test_of_a_sound_record_the_beginning_is_shown():
    _, shown = told(b'{"type":"x","seq":9,"time":1,"data":"' + b"d" * 500 + b'"}\n')
    assert shown[len(HEADER)].text.startswith('{"type":"x","seq":9')
    assert (len(shown[len(HEADER)].text), shown[len(HEADER)].mark) == (SHOWN, None)


def test_a_header_that_is_not_json_is_shown_too():
    data = b"{nope\n"
    report = examine(BytesSource(data), "a.jsonl")
    assert excerpts(BytesSource(data), report)[0] == Excerpt("{nope", mark=1)


def test_a_clean_report_asks_for_nothing_and_a_pipe_gives_nothing():
    class Pipe(BytesSource):
        size = None

    verdict = ReaderVerdict(build=None, opens=True)
    place = Place(file="a", line=1, offset=0)
    finding = Finding(code="L102", name="not-json", severity="error", place=place, message="m")
    clean = Report(path="a", state="clean", native=verdict, latest=verdict, findings=())
    broken = Report(path="a", state="refused", native=verdict, latest=verdict, findings=(finding,))
    assert excerpts(BytesSource(b"x\n"), clean) == {}
    assert excerpts(Pipe(b"x\n"), broken) == {}
    assert line_lengths(Pipe(b"x\n"), [0]) == {}


@pytest.mark.parametrize("start, length", [(0, 1), (2, 2), (5, 0), (6, 3), (9, 0)])
def test_the_length_of_a_line_ends_before_its_line_feed(start, length):
    assert line_lengths(BytesSource(b"a\nbc\n\nxyz"), [start]) == {start: length}


def test_related_places_have_offsets_too():
    place = Place(file="a", offset=5)
    finding = Finding(
        code="L102", name="n", severity="error", place=place, message="m", related=(Place(file="a"), place)
    )
    assert offsets([finding]) == {5}

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


@pytest.mark.parametrize("letters", ["e", "é", "😀"])
@pytest.mark.parametrize("number", [0, 150, 192, 193, 194, 195, 300, 5000])
def test_a_fault_is_found_wherever_it_stands(letters, number):
    _, shown = told(b'{"a":"' + letters.encode() * number + b'"} x\n')
    excerpt = shown[len(HEADER)]
    assert excerpt.text[excerpt.mark :] == "x"
    assert len(excerpt.text) <= SHOWN
    assert "\ufffd" not in excerpt.text
    assert excerpt.head is (len(excerpt.text) < number + 9)


def test_a_line_whose_bytes_were_not_kept_is_not_shown(monkeypatch):
    monkeypatch.setattr("dshlog.storage.lines.Lines.__init__.__defaults__", (300,))
    monkeypatch.setattr("dshlog.report.reading.LONGEST_STRING", 300)

    class Slow(BytesSource):
        def chunks(self, start=0, end=None):
            data = self.read(start, len(self._data) if end is None else end - start)
            yield from (data[at : at + 50] for at in range(0, len(data), 50))

    source = Slow(HEADER + b"{" + b"x" * 400 + b"\n")
    report = examine(source, "a.jsonl")
    assert report.findings[-1].name == "line-too-long"
    assert excerpts(source, report).keys() == {0}


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

"""Every code has a log that shows it and a sound twin that does not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

import dbbuilder
from dshlog.cli.main import main
from dshlog.cli.world import World
from dshlog.fold.surface import fold_surface
from dshlog.model.surface import SurfaceError
from dshlog.report import reading, size
from dshlog.report.decode import read_log
from dshlog.report.examine import examine
from dshlog.rules import judge
from dshlog.rules.examples import EXAMPLES
from dshlog.rules.register import BY_CODE
from dshlog.rules.sample import Folder, Held, Link, Stored, content
from dshlog.storage import source
from dshlog.storage.jsontext import depth
from dshlog.storage.lines import Lines
from dshlog.storage.source import BytesSource

LOGS = sorted(code for code, example in EXAMPLES.items() if example.bad_tree is None and not example.folded)
STORES = sorted(code for code, example in EXAMPLES.items() if example.bad_tree is not None)
ALWAYS = {"T101"}  # most examples are too short to close their turn

# What cannot be shown alone: the code is not the first, or another one always stands beside it.
LATER = {"T102", "T103"}  # of the end of the log, where the payload itself is at fault too
BESIDE = {
    "L107": {"D117"},  # large for the small limit of the fixture
    "F100": {"D115"},
    "B207": {"B105", "B111"},  # a page that is gone is missing from the whole as well
    "E105": {"E101"},  # a bare gap is left where a v0 record has no seq
    "T102": {"P129"},
    "T103": {"P131"},
    "D102": {"D115"},
    "D103": {"D115"},
    "D104": {"D115"},
    "D105": {"D115"},
    "L106": {"D117"},  # what is too long here is large here too
    "D106": {"D115"},
    "D115": {"D102"},
    "D101": {"D115"},
}
DATABASE = {"B111"}  # said of every database of dsh
SMALL = 300  # bytes; the limit that stands for the real one
FLAT = 6  # levels; the same


def test_every_code_has_an_example_or_a_reason():
    assert EXAMPLES.keys() == BY_CODE.keys()


@pytest.fixture
def scaled(monkeypatch):
    """Make the limits small that an example could not reach."""
    monkeypatch.setattr(Lines.__init__, "__defaults__", (SMALL,))
    monkeypatch.setattr(source, "WINDOW", SMALL // 4)
    monkeypatch.setattr(reading, "LONGEST_STRING", SMALL)
    monkeypatch.setattr(size, "LARGE", SMALL)
    monkeypatch.setattr(judge, "LEVELS", FLAT)
    monkeypatch.setattr(judge, "loads", flat)


def flat(line):
    """Parse a line as the fast parser does, which takes a few levels only."""
    value = orjson.loads(line)
    if depth(value) > FLAT:
        raise ValueError
    return value


def judged(code, which):
    example = EXAMPLES[code]
    return examine(
        BytesSource(example.data(which)),
        example.name,
        deep=example.deep,
        reader=example.readers[which == "good"],
        upgrade="always" if example.upgrade else "never",
    )


@pytest.mark.parametrize("code", LOGS)
def test_bad_log_shows_the_code_and_good_log_does_not(code, request):
    if EXAMPLES[code].scaled:
        request.getfixturevalue("scaled")
    bad, good = judged(code, "bad"), judged(code, "good")
    found = [finding.code for finding in bad.findings]
    assert code in found
    assert set(found) <= {code} | ALWAYS | BESIDE.get(code, set())
    if code not in LATER:
        assert found[0] == code
    assert {finding.code for finding in good.findings} <= (ALWAYS | BESIDE.get(code, set())) - {code}
    assert good.state in {"clean", "open"}


@pytest.mark.parametrize("code", LOGS)
def test_a_fatal_stage_refuses_the_log_and_is_where_the_reader_stops(code, request):
    example, rule = EXAMPLES[code], BY_CODE[code]
    if example.scaled:
        request.getfixturevalue("scaled")
    bad = judged(code, "bad")
    stage = rule.stages[example.version]
    if stage == "e":
        assert bad.native.opens
        assert (bad.state, bad.latest.opens, bad.latest.first) == ("refused", False, code)
    elif example.readers[0] != example.readers[1]:
        assert bad.native.opens  # only the reader that was asked for refuses it
    elif stage in "wn.":
        assert bad.native.opens
    elif stage == "u":
        assert (bad.native.opens, bad.native.first, bad.state) == (None, None, "refused")
    elif stage != "r" and code not in LATER:
        assert bad.native.opens is False
        assert bad.native.first == code


def test_what_only_the_fold_without_projections_refuses():
    example = EXAMPLES["S313"]
    assert [code for code, other in EXAMPLES.items() if other.folded] == ["S313"]

    def folded(which):
        log = read_log(BytesSource(example.data(which)), example.name)
        return fold_surface([event for event, _ in log.events()], projections=False)

    with pytest.raises(SurfaceError) as refused:
        folded("bad")
    assert refused.value.kind == "projection-missing"
    assert folded("good").nodes


# -- names and directories


def laid_out(top, tree):
    """Write a tree, each entry a second later than the one before."""
    for index, (path, entry) in enumerate(tree.items()):
        place = top / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(entry, Folder):
            place.mkdir()
        elif isinstance(entry, Stored):
            if entry.text is not None:
                place.write_bytes(entry.text)
            else:
                rows = entry.lines().splitlines()
                dbbuilder.lay(place, rows, sql=entry.sql, beside=entry.beside, zero=entry.zero)
        elif isinstance(entry, Link):
            place.symlink_to(entry.target)
        else:
            place.write_bytes(b"" if isinstance(entry, Held) else content(entry))
            os.utime(place, (index, index))


class Growing(World):
    """A world in which somebody writes to a log while it is read."""

    def examine(self, source, path, **options):
        report = super().examine(source, path, **options)
        with Path(path).open("ab") as file:
            file.write(b'{"type"')
        return report


def codes_of(top, tree, example, capfdbinary):
    laid_out(top, tree)
    words = ["validate", "--format", "json", str(top / example.asked)]
    status = main(words, world=Growing() if example.grows else World())
    assert status in {0, 1}
    document = json.loads(capfdbinary.readouterr().out)
    found = [finding for log in document["logs"] for finding in log["findings"]] + document["store"]
    return {finding["code"] for finding in found}


@pytest.mark.skipif(os.name != "posix", reason="POSIX files")
@pytest.mark.parametrize("code", STORES)
def test_bad_store_shows_the_code_and_good_store_does_not(code, tmp_path, capfdbinary, request):
    example = EXAMPLES[code]
    if example.scaled:
        request.getfixturevalue("scaled")
    bad, good = tmp_path / "bad", tmp_path / "good"
    laid_out(bad, example.bad_tree)
    held = [path for path, entry in example.bad_tree.items() if isinstance(entry, Held)]
    if held:
        import fcntl

        with (bad / held[0]).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            found = codes_of(tmp_path / "bad-held", {}, example._replace(asked=str(bad / example.asked)), capfdbinary)
    else:
        found = codes_of(tmp_path / "again", example.bad_tree, example, capfdbinary)
    assert code in found
    assert found <= {code} | BESIDE.get(code, DATABASE | ALWAYS if code[0] == "B" else set())
    sound = codes_of(good, example.good_tree, example._replace(grows=False), capfdbinary)
    assert not sound - (DATABASE - {code})


# -- what the module is and is not


def test_examples_differ_in_few_lines():
    for code, example in EXAMPLES.items():
        if example.bad_tree is None:
            assert max(len(example.bad), len(example.good)) <= 3, code


def test_lines_are_what_stands_in_the_file():
    example = EXAMPLES["S304"]
    written = example.data("bad").decode().splitlines()
    assert [line for _, line in example.lines("bad")] == written
    assert [line for marked, line in example.lines("bad") if marked] == [written[5]]
    assert '"sourceEventSeqs":[2]' in written[5]


@pytest.mark.parametrize("words", [["validate", "-"], ["show", "-"], ["cat", "-"], ["--version"]])
def test_other_commands_do_not_load_the_examples(words):
    code = (
        "import sys; from dshlog.cli.main import main; main(sys.argv[1:]);"
        "print([name for name in sys.modules if re.search('examples|explanations|sample', name)"
        " and name.startswith('dshlog')])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", "import re\n" + code, *words],
        input=EXAMPLES["S304"].data("good"),
        capture_output=True,
        check=True,
    )
    assert re.search(rb"^\[\]$", ran.stdout, re.MULTILINE)

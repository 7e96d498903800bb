"""Every code of the register is produced by some log or tree of the tests, but for a closed list."""

from __future__ import annotations

from pathlib import Path

import pytest

import build
from dshlog.report.examine import examine
from dshlog.rules.examples import EXAMPLES
from dshlog.rules.register import BY_CODE, BY_NAME, OPENS_BUT, ORDER
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent

# Codes that no single log of these produces, and why.
TREES = {
    code: "of a file's name and place; its tree is judged in test_examples.py"
    for code, example in EXAMPLES.items()
    if example.bad_tree is not None
}
WITHOUT = {
    "L106": "needs a line longer than dshlog reads; judged with a smaller limit in test_examples.py",
    "L107": "needs a record of more than 1024 levels; judged with a smaller limit in test_examples.py",
    "S313": "only the library can fold without projections; judged in test_examples.py",
}


@pytest.fixture(scope="module")
def produced():
    logs = [(path.read_bytes(), str(path), False, "latest", False) for path in sorted(FIXTURES.glob("*/*/session*"))]
    logs += [
        (example.data("bad"), example.name, example.deep, example.readers[0], example.upgrade)
        for code, example in EXAMPLES.items()
        if code not in TREES and not example.scaled
    ]
    return {
        finding.code
        for data, name, deep, reader, upgrade in logs
        for finding in examine(
            BytesSource(data), name, deep=deep, reader=reader, upgrade="always" if upgrade else "never"
        ).findings
    }


def test_every_code_is_produced(produced):
    assert produced | TREES.keys() | WITHOUT.keys() == BY_CODE.keys()


def test_the_exceptions_are_no_wider_than_they_must_be(produced):
    assert not produced & WITHOUT.keys()
    assert not produced & TREES.keys()


def test_codes_and_names_are_one_to_one():
    assert len(BY_CODE) == len(BY_NAME)
    assert {rule.name for rule in BY_CODE.values()} == BY_NAME.keys()


def test_every_stage_of_a_reader_has_its_place_in_the_order():
    for rule in BY_CODE.values():
        for version, stage in enumerate(rule.stages):
            assert stage in {*ORDER[version], *"wn.du"}, rule.code


def test_what_opens_but_fails_later_does_open():
    for code in OPENS_BUT:
        assert "w" in BY_CODE[code].stages

"""Every view of many fixtures, sound or broken, ends with a status and never with a failure of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import build
from dshlog.cli.main import main

FIXTURES = Path(build.__file__).parent
LOGS = sorted(FIXTURES.glob("v[0-4]/*/session*"))
VIEWS = (
    ("--events", "--full"),
    ("--turns", "--full", "--json"),
    ("--transcript", "--full"),
    ("--frames", "--full", "--json"),
    ("--request", "1", "--json"),
    ("--request", "1", "--diff", "1.2"),
    ("--why", "5"),
)


@pytest.mark.parametrize("view", VIEWS, ids=" ".join)
def test_view_of_fixtures_ends_well(view, capfdbinary):
    for log in LOGS[::4]:
        status = main(["show", *view, str(log)])
        _, err = capfdbinary.readouterr()
        assert status in {0, 1, 2}, log
        assert b"internal error" not in err, log


def test_mutants_too(shared, capfdbinary):
    logs = [path for path in sorted((shared / "corpus/mutants").iterdir()) if ".jsonl" in path.name and path.is_file()]
    for log in logs[::30]:
        for view in VIEWS:
            assert main(["show", *view, str(log)]) in {0, 1, 2}
            assert b"internal error" not in capfdbinary.readouterr().err, (log, view)

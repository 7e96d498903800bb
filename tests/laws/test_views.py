"""Every view of many fixtures, sound or broken, ends with a status and never with a failure of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import build
from dshlog.cli.main import main

FIXTURES = Path(build.__file__).parent
LOGS = sorted(FIXTURES.glob("v[0-4]/*/session*"))
VIEWS = (
    (),
    ("--surface",),
    ("--at", "1"),
    ("--events", "--full"),
    ("--turns", "--full", "--json"),
    ("--transcript", "--full"),
    ("--frames", "--full", "--json"),
    ("--request", "1", "--json"),
    ("--request", "1", "--diff", "1.2"),
    ("--why", "5"),
    ("--stream", "5"),
)


@pytest.mark.parametrize("view", VIEWS, ids=" ".join)
def test_view_of_fixtures_ends_well(view, capfdbinary):
    for log in LOGS[::4]:
        status = main(["show", *view, str(log)])
        _, err = capfdbinary.readouterr()
        assert status in {0, 1, 2}, log
        assert b"internal error" not in err, log


def verdict(log, capfdbinary):
    """Give state and worst finding, as `validate` tells them."""
    main(["validate", "--format", "ndjson", str(log)])
    judged = json.loads(capfdbinary.readouterr().out)
    errors = [finding["code"] for finding in judged["findings"] if finding["severity"] == "error"]
    stops = [judged["readers"][name]["first"] for name in ("latest", "native")]
    return judged["state"], next((code for code in errors if code in stops), errors[0] if errors else None)


def test_every_view_gives_the_verdict_of_validate(capfdbinary):
    for log in LOGS:
        state, code = verdict(log, capfdbinary)
        for view in VIEWS:
            if "--full" in view and log.parent.name.endswith("-raw"):
                continue
            status = main(["show", *view, str(log)])
            out, err = capfdbinary.readouterr()
            if status != 2:
                assert status == (code is not None), (log, view)
                assert code is None or f" is {state}".encode() in err, (log, view)
                assert code is None or f" {code} ".encode() in err, (log, view)
                told = state in {"clean", "open"} or "--json" in view or state.encode() in out
                assert told, (log, view)


def test_mutants_too(shared, capfdbinary):
    logs = [path for path in sorted((shared / "corpus/mutants").iterdir()) if ".jsonl" in path.name and path.is_file()]
    for log in logs[::30]:
        for view in VIEWS:
            assert main(["show", *view, str(log)]) in {0, 1, 2}
            assert b"internal error" not in capfdbinary.readouterr().err, (log, view)

"""Every fixture gets the verdict that its case tells."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import build
from dshlog.report.examine import examine
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
CASES = sorted(FIXTURES.rglob("case.toml"))
WITHOUT_BUILD = {"v1", "v2"}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.relative_to(FIXTURES).as_posix())
def test_fixture_is_judged_as_told(path):
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    (log,) = (file for file in path.parent.iterdir() if file != path)
    report = examine(BytesSource(log.read_bytes()), str(log))
    assert report.state == case["state"]
    if "opens" in case:
        assert report.native.opens is case["opens"]
    elif path.parent.parent.name in WITHOUT_BUILD and report.version is not None:
        assert report.native.opens is None
    if "events" in case:
        assert report.events == case["events"]
    if "nodes" in case:
        assert report.surface is not None
        assert report.surface.nodes == len(case["nodes"])

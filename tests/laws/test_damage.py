"""Whatever happens to the bytes of a log, it is judged, and in one way only."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import build
import mutate
from bases import bases
from dshlog.model.report import STATES
from dshlog.report.decode import read_log
from dshlog.report.examine import examine
from dshlog.report.surface import surface_view
from dshlog.rules.judge import Judge
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
RAW = sorted(FIXTURES.glob("v[0-4]/*/session*.jsonl"))
LOGS = sorted(FIXTURES.glob("v[0-4]/*/session*"))
BASES = bases(FIXTURES / "absent")  # the fixtures alone
LAWS = settings(max_examples=int(os.environ.get("DSHLOG_EXAMPLES", "300")), deadline=None)  # thousands in a long run


def judged(data, name):
    """Judge bytes; the report must be one, whatever they are, and every view must be readable."""
    report = examine(BytesSource(data), name)
    assert report.state in STATES
    assert [finding.severity for finding in report.findings].count("error") or report.state not in {"refused", "newer"}
    view, beside = surface_view(BytesSource(data), name)
    assert beside == report
    assert len(view.nodes) == (report.surface.nodes if report.surface else 0)
    decoded = read_log(BytesSource(data), name)
    assert sum(1 for _ in decoded.events()) == report.events
    assert sum(1 for _ in decoded.messages()) == (report.surface.messages if report.surface else 0)
    if decoded.header is not None:
        assert sum(1 for _ in read_log(BytesSource(data), name).records()) == report.records
    return report


@LAWS
@given(
    path=st.sampled_from(LOGS), flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=4)
)
def test_changed_bytes(path, flips):
    data = bytearray(path.read_bytes())
    for where, change in flips:
        data[min(int(where * len(data)), len(data) - 1)] ^= change
    judged(bytes(data), str(path))


@LAWS
@given(path=st.sampled_from(RAW), order=st.data())
def test_shuffled_lost_and_doubled_lines(path, order):
    lines = path.read_bytes().splitlines(keepends=True)
    places = st.lists(st.integers(0, len(lines) - 1), max_size=2 * len(lines))
    head = lines[:1] if order.draw(st.booleans(), "with header") else []
    judged(b"".join(head + [lines[at] for at in order.draw(places, "lines")]), str(path))


@LAWS
@given(path=st.sampled_from(RAW), first=st.integers(0, 40), span=st.integers(0, 40), cut=st.integers(0, 60))
def test_missing_span_and_end(path, first, span, cut):
    lines = path.read_bytes().splitlines(keepends=True)
    data = b"".join(lines[:first] + lines[first + span :])
    judged(data[: len(data) - cut], str(path))


@LAWS
@given(data=st.binary(max_size=200), name=st.sampled_from(["session.jsonl", "session.v4.jsonl.zstd", "x"]))
def test_any_bytes(data, name):
    judged(data, name)


@LAWS
@given(
    version=st.integers(0, 5),
    lines=st.lists(st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
        | st.sampled_from(["turn/start", "user/message", "append", "tool/result", "text-chunks"]),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "seq", "seq0", "time", "data", "surfaceOp", "sourceEventSeqs", "turn"]), inner),
        max_leaves=12,
    ), max_size=6),
)  # fmt: skip
@example(version=0, lines=[{"seq": 0, "type": []}])
def test_any_json_behind_a_header(version, lines):
    values = [{"type": "session", "version": version, "id": "k", "createdAt": 1, "delegationDepth": 0}, *lines]
    judged("".join(json_line(value) for value in values).encode(), "session.jsonl")


def json_line(value):
    return json.dumps(value, ensure_ascii=True) + "\n"


@pytest.mark.parametrize("seed", range(12))
def test_structured_changes_are_judged_alike_on_both_paths(seed, monkeypatch):
    cases = list(mutate.cases(BASES, 60, seed))
    quick = [judged(case.data, f"session{case.suffix}") for case in cases]
    monkeypatch.setattr(Judge, "_quickly", lambda _judge, _lines, start, *_rest: start)
    for case, report in zip(cases, quick, strict=True):
        exact = examine(BytesSource(case.data), f"session{case.suffix}")
        assert exact == report, f"{case.name}: {case.about}"

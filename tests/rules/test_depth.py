"""Records of any depth: judged without a crash in bounded time, with a warning where dsh may run out of stack."""

from __future__ import annotations

import pytest

from dshlog.report.surface import surface_view
from dshlog.rules.sample import (
    asks,
    but,
    call,
    event,
    says,
    says_early,
    step,
    step_end,
    turn,
    turn_end,
    user,
    wrapped,
)
from dshlog.rules.sample import result as result_v4
from dshlog.storage.jsontext import LEVELS, depth
from dshlog.storage.source import BytesSource

MARK = "(deep)"
TURN, STEP, HI = turn(), step(), user()


def nested(levels, kind):
    opening, closing = (b'{"a":', b"}") if kind == "object" else (b"[", b"]")
    return opening * levels + b"1" + closing * levels


def dispatched(version, path):
    ids = {"rootCallId": "c1", "parentCallId": "c1", "subCallId": "d1", "name": "ls", "arguments": {}}
    rows = [event(kind, ids) for kind in ("tool/ptc-dispatch-start", "tool/ptc-dispatch")]
    return (TURN, *(but(row, path, MARK) for row in rows))


def rewritten(version, path):
    row = but(wrapped() if version < 4 else result_v4(), path, MARK)
    first, last = ("start", "end") if version < 3 else ("startSeq", "endSeq")
    return (HI, row, {**row, "surfaceOp": {"op": "replace", first: 1, last: 1}, "sourceEventSeqs": [1]})


def said(version, path):
    row = says(asks()) if version >= 3 else but(says_early(), "data.message.content", [asks()])
    return (TURN, STEP, but(row, path, MARK), call(), step_end(), turn_end())


def written_to(version, path):
    return (TURN, but(HI, path, MARK), turn_end())


PLACES = [
    (dispatched, (4,), ("data.arguments", "data.name")),
    (rewritten, (0, 3, 4), ("data.meta", "data.turn", "data.message.content", "data.message.isError")),
    (
        said,
        (0, 1, 3, 4),
        (
            "data.turn",
            "data.message.content",
            *(f"data.message.content.0.{name}" for name in ("type", "id", "name", "arguments")),
        ),
    ),
    (
        written_to,
        (0, 1, 2, 3, 4),
        ("type", "seq", "time", "data", "data.id", "data.source.kind", "surfaceOp", "sourceEventSeqs", "ignorable"),
    ),
]
CASES = [
    pytest.param(make, version, path, id=f"v{version} {make.__name__} {path}")
    for make, versions, paths in PLACES
    for version in versions
    for path in paths
]


def deep(parts, levels, kind, written, version):
    return written(parts, version).replace(f'"{MARK}"'.encode(), nested(levels, kind))


@pytest.mark.parametrize("kind", ["object", "array"])
@pytest.mark.parametrize("make, version, path", CASES)
def test_any_place_may_be_deep(make, version, path, kind, judged, written):  # noqa: PLR0917
    data = deep(make(version, path), 3000, kind, written, version)
    for options in ({}, {"deep": True}):
        report = judged(data, version, **options)
        assert "L107" in [finding.code for finding in report.findings]
        assert {finding.severity for finding in report.findings if finding.code == "L107"} == {"warning"}
    if report.native.opens:
        assert surface_view(BytesSource(data), "session.jsonl")


@pytest.mark.parametrize("kind", ["object", "array"])
def test_a_million_levels(kind, judged, written):
    report = judged(deep(written_to(4, "data.more"), 1_000_000, kind, written, 4))
    assert [finding.code for finding in report.findings] == ["L107"]


def test_what_the_fast_parser_takes_is_not_deep(judged, written):
    codes = {}
    for levels in (LEVELS - 3, LEVELS - 2):  # the record and its data are two more
        data = deep(dispatched(4, "data.arguments"), levels + 1, "array", written, 4)
        codes[levels] = [finding.code for finding in judged(data).findings]
    assert codes == {LEVELS - 3: ["T101"], LEVELS - 2: ["L107", "L107", "T101"]}


def test_a_log_with_a_deep_record_opens_but(judged, written):
    report = judged(deep(dispatched(4, "data.arguments"), 3000, "array", written, 4))
    assert (report.native.opens, report.native.but) == (True, ("L107",))


@pytest.mark.parametrize(
    "value, levels", [(1, 0), ("x", 0), ([], 1), ({}, 1), ([1, [2], {"a": [[]]}], 4), ({"a": 1, "b": {}}, 2)]
)
def test_depth(value, levels):
    assert depth(value) == levels


def test_the_header_may_be_deep(judged):
    line = b'{"type":"session","version":4,"id":"s1","createdAt":1,"isSeeded":false,"delegationDepth":0,"x":%s}\n'
    assert judged(line % nested(3000, "array")).native.opens is False

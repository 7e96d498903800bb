"""The members in which two values differ, each by its path."""

from __future__ import annotations

import pytest

from dshlog.report.changes import changes


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 0.0}, {"a": -0.0}, [("$.a", "changed", 0.0, -0.0)]),
        ({"a": 1}, {"a": True}, [("$.a", "changed", 1, True)]),
        ({"a": None}, {}, [("$.a", "removed", None, None)]),
        ({}, {"b c": [1]}, [('$["b c"]', "added", None, [1])]),
        (
            {"a": [1, {"b": "x"}]},
            {"a": [1, {"b": "y"}, 3]},
            [("$.a[1].b", "changed", "x", "y"), ("$.a[2]", "added", None, 3)],
        ),
        ({"a": {}}, {"a": []}, [("$.a", "changed", {}, [])]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
    ],
)
def test_changes(a, b, expected):
    assert [tuple(change) for change in changes(a, b)] == expected


def test_a_stream_is_one_change():
    (change,) = changes({"data": {"stream": [1, 2]}}, {"data": {"stream": [1, 3]}})
    assert change.path == "$.data.stream"


def test_depth_is_no_matter():
    deep = old = {}
    other = new = {}
    for _ in range(5000):
        old["a"], new["a"] = {}, {}
        old, new = old["a"], new["a"]
    new["b"] = 1
    (change,) = changes(deep, other)
    assert change.path.endswith(".a.b")

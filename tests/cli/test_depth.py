"""Every view of a log with a deep value, or with one where a text belongs, ends without an internal error."""

from __future__ import annotations

import pytest

from dshlog.cli.main import main
from dshlog.rules.sample import (
    asks,
    but,
    call,
    content,
    head,
    request,
    result,
    says,
    step,
    step_end,
    turn,
    turn_end,
    user,
)

VIEWS = [
    ("validate", "--deep", "--format", "json", "--show-content"),
    *(
        ("show", *options)
        for options in ((), ("--surface", "--full"), ("--transcript", "--full"), ("--events", "--full"))
    ),
    *(("show", *options) for options in (("--turns",), ("--request", "1"), ("--why", "3"), ("--events", "--json"))),
    ("cat",),
    ("cat", "--messages"),
]
LOG = (turn(), step(), user(), request(), says(asks()), call(), result(), step_end(), turn_end())
PLACES = [
    (0, "data.turn"),
    (1, "type"),
    (2, "time"),
    (2, "data.content.0.text"),
    (4, "data.turn"),
    (4, "data.message.content.0.type"),
    (4, "data.message.content.0.name"),
    (4, "data.message.content.0.arguments"),
    (6, "data.message.id"),
    (7, "type"),
    (7, "data.step"),
]


@pytest.mark.parametrize("levels", [1, 2500])
@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("index, path", PLACES)
def test_no_view_stumbles(index, path, version, levels, tmp_path, capsys):  # noqa: PLR0917
    rows = [*LOG]
    rows[index] = but(rows[index], path, "(deep)")
    file = tmp_path / f"session.v{version}.jsonl"
    file.write_bytes(content((head(version), *rows)).replace(b'"(deep)"', b"[" * levels + b"]" * levels))
    for view in VIEWS:
        main([*view, str(file)])
        assert "internal error" not in capsys.readouterr().err, view


MENDING = [("migrate", "--check"), ("repair",), ("repair", "--fix", "upgrade", "--fix", "drop-record=demo/note")]


@pytest.mark.parametrize("value", [b"[" * 2500 + b"]" * 2500, b'{"a":' * 2500 + b"1" + b"}" * 2500])
@pytest.mark.parametrize("version", [0, 4])
@pytest.mark.parametrize("index, path", [(0, "type"), (0, "data.turn"), (1, "data.turn"), (6, "data.message.id")])
def test_no_plan_stumbles(index, path, version, value, tmp_path, capsys):  # noqa: PLR0917
    rows = [*LOG]
    rows[index] = but(rows[index], path, "(deep)")
    file = tmp_path / ("session.jsonl" if version == 0 else f"session.v{version}.jsonl")
    file.write_bytes(content((head(version), *rows)).replace(b'"(deep)"', value))
    for command in MENDING:
        assert main([*command, str(file)]) < 2
        assert "internal error" not in capsys.readouterr().err, command

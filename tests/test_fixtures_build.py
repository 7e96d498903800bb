"""The fixtures are what their builder makes, and each case says only what is known to be true."""

from __future__ import annotations

import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

import build
import dbbuilder
import rows
from dshlog.model.report import STATES
from logbuilder import Log, header
from rows import raw, seq_ranges, zstd

FIXTURES = Path(build.__file__).parent
CASES = sorted(FIXTURES.rglob("case.toml"))
REQUIRED = {"about": str, "origin": str, "state": str}
OPTIONAL = {"opens": bool, "events": int, "nodes": list}


def test_tree_is_as_built():
    assert not list(build.differences(FIXTURES))


def test_writing_is_deterministic(tmp_path):
    build.write(tmp_path)
    first = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    build.write(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == first


def test_check_names_what_differs(tmp_path):
    build.write(tmp_path)
    log = tmp_path / "v4/clean/session.v4.jsonl.zstd"
    log.write_bytes(log.read_bytes() + rows.frame(b"{}\n"))
    (tmp_path / "v4/open/case.toml").unlink()
    (tmp_path / "v4/stray").write_text("")
    assert list(build.differences(tmp_path)) == [
        "different: v4/clean/session.v4.jsonl.zstd",
        "missing: v4/open/case.toml",
        "not built: v4/stray",
    ]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.relative_to(FIXTURES).as_posix())
def test_case_has_only_known_keys_and_words(path):
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    assert case.keys() >= REQUIRED.keys()
    assert case.keys() <= REQUIRED.keys() | OPTIONAL.keys()
    assert {key: type(value) for key, value in case.items()} == {key: (REQUIRED | OPTIONAL)[key] for key in case}
    assert case["state"] in STATES
    assert case["origin"] == "builder"
    assert len([file for file in path.parent.iterdir() if file != path]) == 1


def test_every_state_is_told():
    told = {tomllib.loads(path.read_text(encoding="utf-8"))["state"] for path in CASES}
    assert told == set(STATES)


@pytest.mark.parametrize("version", range(5))
@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zstd"])
def test_every_generation_has_every_outcome_in_both_encodings(version, suffix):
    told = {
        tomllib.loads(path.read_text(encoding="utf-8"))["state"]
        for path in CASES
        if path.parent.parent.name == f"v{version}"
        and any(file.name.endswith(suffix) for file in path.parent.iterdir())
    }
    assert told >= {"clean", "open", "torn", "refused", "newer"}


@pytest.mark.parametrize(
    ("seqs", "stored"),
    [
        ([0, 1], [0, 1]),
        ([0, 1, 2], [[0, 2]]),
        ([3, 4, 5, 9, 10, 12, 13, 14, 15], [[3, 5], 9, 10, [12, 15]]),
        ([5, 4], [5, 4]),
        ([7], [7]),
    ],
)
def test_builder_stores_runs_of_three_as_ranges(seqs, stored):
    assert seq_ranges(seqs) == stored


def test_builder_writes_the_header_of_each_generation():
    assert header(0, id="k", seedLength=3)["seedLength"] == 3
    assert "isSeeded" not in header(1)
    assert header(2)["isSeeded"] is False


def test_builder_writes_one_frame_for_each_commit():
    log = Log(4)
    log.turn()
    log.end_turn()
    log.turn()
    log.end_turn()
    parts = build.decoded("session.v4.jsonl.zstd", zstd(log.batches()))
    assert [part.count(b"\n") for part in parts] == [1, 2, 2]
    assert b"".join(parts) == raw(log.batches())


def test_databases_are_compared_by_what_they_say(tmp_path):
    build.write(tmp_path)
    database = tmp_path / "databases/schema-17.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM")
    assert not list(build.differences(tmp_path))
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("UPDATE events SET time = time + 1 WHERE seq = 3")
    (tmp_path / "databases/schema-15.db").unlink()
    assert list(build.differences(tmp_path)) == [
        "missing: databases/schema-15.db",
        "different: databases/schema-17.db",
    ]


@pytest.mark.parametrize(
    ("members", "stored"), [(1024, [1024]), (1025, [1024, 1]), (1026, [1024, 1, 1]), (1027, [1024, 3])]
)
def test_database_builder_packs_no_run_that_is_too_short(members, stored):
    data = {"turn": 1, "step": 1, "index": 0, "dt": [1] * (members - 1), "texts": [str(at) for at in range(members)]}
    parts = dbbuilder.parts({"type": "text-chunks", "seq0": 5, "time0": 100, "data": data})
    assert [len(part["data"]["texts"]) if "seq0" in part else 1 for part in parts] == stored
    last = parts[-1]
    if "seq" in last:
        assert (last["seq"], last["time"]) == (5 + members - 1, 100 + members - 1)
        assert last["data"]["chunk"] == {"type": "text-delta", "index": 0, "text": str(members - 1)}

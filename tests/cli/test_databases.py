"""Databases of the SQLite store give back the logs that were put into them, and are never written to."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import dbbuilder
from dshlog.cli.main import main
from dshlog.files.read import FileSource
from dshlog.report.decode import read_log
from dshlog.rules.examples import EXAMPLES
from dshlog.rules.sample import Stored
from dshlog.storage.jsontext import dumps

CORPUS = Path(os.environ.get("DSHLOG_SHARED", "/nowhere")) / "corpus"
LOGS = sorted(CORPUS.glob("*/sessions/*/*/session.jsonl*"))


def decoded(path, *, packed):
    """Give the lines of a log with one event a line, or as they are stored."""
    with FileSource(str(path)) as source:
        log = read_log(source, str(path))
        if packed:
            return [log.header_line, *log.records()]
        lines = [line or dumps(event) for event, line in log.events()]
        return [log.header_line, *lines]


def said(words, capfdbinary):
    status = main(words)
    return status, capfdbinary.readouterr().out


@pytest.mark.skipif(not LOGS, reason="no corpus")
@pytest.mark.parametrize(
    ("schema", "packed", "compressed"), [(15, False, False), (17, False, True), (17, True, False), (17, True, True)]
)
def test_every_log_comes_back(schema, packed, compressed, tmp_path, capfdbinary):
    for log in LOGS:
        database = tmp_path / f"{log.parents[3].name}-{log.parents[0].name}.db"
        (id_,) = dbbuilder.build(database, [decoded(log, packed=packed)], schema=schema, compressed=compressed)
        seen = database.read_bytes(), database.stat().st_mtime_ns
        _, before = said(["cat", str(log)], capfdbinary)
        _, after = said(["cat", str(database), "--session", id_], capfdbinary)
        assert [json.loads(line) for line in after.splitlines()] == [json.loads(line) for line in before.splitlines()]
        out = tmp_path / f"{database.stem}.jsonl"
        assert main(["unpack", str(database), "--session", id_, "-o", str(out)]) == 0
        capfdbinary.readouterr()
        codes = []
        free = tmp_path / log.name
        free.write_bytes(log.read_bytes())
        for path in (free, out, database):
            _, printed = said(["validate", "--format", "json", str(path)], capfdbinary)
            (judged,) = json.loads(printed)["logs"]
            codes.append((judged["state"], judged["events"], [found["code"] for found in judged["findings"]]))
        assert codes[0][:2] == codes[1][:2] == codes[2][:2]
        assert codes[1] == codes[2]
        assert (database.read_bytes(), database.stat().st_mtime_ns) == seen


@pytest.mark.parametrize("code", sorted(code for code in EXAMPLES if code[0] == "B"))
@pytest.mark.parametrize("command", ["validate", "show", "cat", "ls", "stats"])
def test_no_damage_is_a_crash_or_a_write(code, command, tmp_path, capfd):
    entry = EXAMPLES[code].bad_tree["sessions.db"]
    assert isinstance(entry, Stored)
    database = tmp_path / "sessions.db"
    if entry.text is None:
        dbbuilder.lay(database, entry.lines().splitlines(), sql=entry.sql, beside=entry.beside, zero=entry.zero)
    else:
        database.write_bytes(entry.text)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    status = main([command, str(database)])
    assert status in {0, 1, 2}
    assert "internal error" not in capfd.readouterr().err
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()} == before

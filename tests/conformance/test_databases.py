"""Databases that hold every v0 log of the corpus give back its events, and logs that dsh opens as it opens those."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import dbbuilder
from dshlog.cli.main import main
from dshlog.files.read import FileSource
from dshlog.report.decode import read_log
from dshlog.storage.jsontext import dumps

FORMS = {  # schema, packed rows, compressed payloads
    "schema-15": (15, False, False),
    "single": (17, False, False),
    "single-compressed": (17, False, True),
    "packed": (17, True, False),
    "packed-compressed": (17, True, True),
}
TOLD = ("ok", "events", "inherited", "surface_nodes", "replacements", "messages", "messages_sha256", "closers")


def lines_of(log, *, packed):
    """Give the lines of the readable part of a log, with one event on each or as they are stored."""
    with FileSource(str(log)) as source:
        read = read_log(source, str(log))
        if packed:
            return [read.header_line, *read.records()]
        return [read.header_line, *(line or dumps(event) for event, line in read.events())]


@pytest.fixture(params=FORMS)
def stored(request, shared, tmp_path):
    """Every v0 log of the corpus with the path of its session in a database; no id stands twice in one."""
    schema, packed, compressed = FORMS[request.param]
    rounds = []
    for log in sorted(shared.glob("corpus/*/sessions/*/*/session.jsonl*")):
        lines = lines_of(log, packed=packed)
        id_ = json.loads(lines[0])["id"]
        room = next((held for held in rounds if id_ not in held), None)
        if room is None:
            rounds.append(room := {})
        room[id_] = log, lines
    out = []
    for number, held in enumerate(rounds):
        database = tmp_path / f"{number}.db"
        dbbuilder.build(database, [lines for _, lines in held.values()], schema=schema, compressed=compressed)
        out += [(log, f"{database}#{id_}") for id_, (log, _) in held.items()]
    assert len(out) > 100
    return out


def said(capfdbinary, *words):
    main([*map(str, words)])
    return capfdbinary.readouterr().out


def unpacked(sessions, folder):
    """Export every session; the exports by their number."""
    out = []
    for number, (_, session) in enumerate(sessions):
        (folder / str(number)).mkdir()
        out.append(folder / str(number) / "session.jsonl")
        assert main(["unpack", session, "-o", str(out[-1])]) == 0
    return out


def told(path, capfdbinary):
    """Give the events of a log or a session, and what is said of it."""
    events = [json.loads(line) for line in said(capfdbinary, "cat", path).splitlines()]
    (judged,) = json.loads(said(capfdbinary, "validate", "--format", "json", path))["logs"]
    return events, judged


@pytest.fixture(scope="module")
def known():
    """What was said of a log of the corpus, which is asked once."""
    return {}


def test_every_log_comes_back_and_is_judged_as_before(stored, known, tmp_path, capfdbinary):
    seen = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    for (log, session), export in zip(stored, unpacked(stored, tmp_path), strict=True):
        capfdbinary.readouterr()
        if log not in known:
            free = tmp_path / log.name
            free.write_bytes(log.read_bytes())
            known[log] = told(free, capfdbinary)
        events, judged = known[log]
        for path in (export, session):
            found, again = told(path, capfdbinary)
            assert found == events
            for key in ("id", "cwd", "version", "events", "inherited", "surface", "tail"):
                assert again[key] == judged[key], (log, key)
            torn = judged["state"] == "torn"  # what was read of a torn tail is whole in the database
            assert torn or again["state"] == judged["state"]
            codes = {found["code"] for found in judged["findings"]} - {"F102", "F103", "L105"}
            assert {found["code"] for found in again["findings"]} >= codes - ({"T101"} if torn else set())
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in seen} == seen
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(("-wal", "-shm", "-journal"))]


def test_dsh_opens_the_exports_as_it_opens_the_logs(oracle, shared, stored, tmp_path):
    exports = unpacked(stored, tmp_path)
    ask = [sys.executable, str(shared / "oracle/dsh_oracle.py"), "ask", str(oracle)]

    def answers(logs):
        done = subprocess.run([*ask, *map(str, logs)], check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    for (log, _), before, after in zip(stored, answers(log for log, _ in stored), answers(exports), strict=True):
        assert {key: after["native"].get(key) for key in TOLD} == {key: before["native"].get(key) for key in TOLD}, log
        assert after["open"]["ok"] == before["open"]["ok"], log
        assert {key: after.get(key) for key in TOLD[1:]} == {key: before.get(key) for key in TOLD[1:]}, log
        published = [answer.get("published") or {} for answer in (before, after)]
        assert published[0].get("plain_sha256") == published[1].get("plain_sha256"), log

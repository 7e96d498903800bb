"""Every log of an older generation is upgraded to the text that dsh publishes, or refused where dsh refuses it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dshlog.cli.world import World
from dshlog.files.unreadable import Unreadable
from dshlog.migrate.children import child_of
from dshlog.report.examine import examine, named_encoding
from dshlog.report.family import children_of
from dshlog.report.rewrite import text_pieces
from dshlog.report.upgrade import upgrade
from dshlog.storage.naming import parse_log_name
from dshlog.storage.source import BytesSource

INDEXES = (
    ("corpus/mutants/mutants.json", "mutants", "expected"),
    ("corpus/traps/traps.json", "mutants", "expected"),
    ("corpus/traps-migration/traps.json", "mutants", "expected"),
    ("cases/cases.json", "cases", "verdict"),
)

# Logs on which dshlog does not agree, with what is missing. A log that agrees must go from here.
KNOWN = {
    "corpus/mutants/125-v0-header-id-of-another-session.jsonl": "storage/R13: only its place tells whose log it should be",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Older:
    """One log of an older generation, and dsh's verdict on it."""

    name: str
    path: Path
    verdict: dict[str, Any]


def told(shared):
    """Yield every log that was judged before, of any generation, with dsh's verdict."""
    found = [
        (index.parent, entry)
        for index in sorted(shared.glob("corpus/*/expected.json"))
        for entry in json.loads(index.read_text(encoding="utf-8"))["logs"]
    ]
    for name, entries, verdict in INDEXES:
        index = shared / name
        found += [
            (index.parent, {**entry[verdict], "file": entry["file"]})
            for entry in json.loads(index.read_text(encoding="utf-8"))[entries]
        ]
    for folder, verdict in found:
        path = folder / verdict["file"]
        if not path.is_dir():
            yield Older(name=path.relative_to(shared).as_posix(), path=path, verdict=verdict)


def collected(shared):
    """Yield those that the latest reader upgrades."""
    return [log for log in told(shared) if log.verdict.get("version") in {0, 1, 2, 3}]


def ours(log):
    digest, text = hashlib.sha256(), []

    def write(piece):
        digest.update(piece)
        text.append(piece.count(b"\n"))

    children = [child_of(fact) for fact in log.verdict.get("child_facts") or ()]
    source = BytesSource(log.path.read_bytes())
    done = upgrade(source, named_encoding(str(log.path)), children=children, write=write)
    written = None if done.refusals else (sum(text), digest.hexdigest())
    return done.opens, written


def theirs(log):
    published = log.verdict["published"]
    written = (published["rows"] + 1, published["plain_sha256"]) if published["ok"] else None
    return log.verdict["open"]["ok"], written


def test_child_facts_are_those_that_dsh_gathers(shared):
    told = found = 0
    for index in sorted(shared.glob("corpus/*/expected.json")):
        rows = World().sessions(str(index.parent / "sessions"))
        for verdict in json.loads(index.read_text(encoding="utf-8"))["logs"]:
            if verdict["version"] < 4:
                facts = [child_of(fact) for fact in verdict.get("child_facts") or ()]
                children = children_of(verdict["open"]["header"]["id"], rows, World().source, Unreadable)
                assert sorted(children) == sorted(facts), verdict["file"]
                told, found = told + 1, found + len(facts)
    assert (told, found) == (180, 12)


def test_older_logs(shared):
    logs = collected(shared)
    assert len(logs) == 341
    assert {log.name for log in logs} >= KNOWN.keys()
    disagreeing = {log.name for log in logs if ours(log) != theirs(log)}
    assert disagreeing == KNOWN.keys()


def test_the_latest_reader_opens_what_dsh_opens(shared):
    logs = list(told(shared))
    assert len(logs) == 573
    disagreeing = {log.name for log in logs if opens(log) != log.verdict["open"]["ok"]}
    assert disagreeing == KNOWN.keys()


def opens(log):
    """Tell what validate says of the latest reader; state and errors must agree with it."""
    report = examine(BytesSource(log.path.read_bytes()), str(log.path), upgrade="always")
    errors = [finding for finding in report.findings if finding.severity == "error"]
    assert bool(errors) is not report.latest.opens, log.name
    assert (report.state in {"clean", "open", "torn"}) is report.latest.opens, log.name
    if errors:
        assert report.latest.first in {finding.code for finding in errors}, log.name
    return report.latest.opens


def test_what_both_builds_published_begins_as_ours(shared):
    compared = 0
    for home in sorted(shared.glob("corpus/migrate-*/sessions/*/*")):
        names = sorted(path.name for path in home.glob("session*.jsonl*"))
        for to in (3, 4):
            made = [name for name in names if f".v{to}." in name]
            older = [name for name in names if parse_log_name(name).generation < to]
            if not made or not older:
                continue
            text = []
            source = BytesSource((home / older[-1]).read_bytes())
            done = upgrade(source, named_encoding(older[-1]), to=to, write=text.append)
            theirs = b"".join(text_pieces(BytesSource((home / made[0]).read_bytes()), named_encoding(made[0])))
            assert done.opens
            assert theirs.startswith(b"".join(text)), home
            compared += 1
    assert compared == 40


def test_the_build_between_opens_what_it_upgraded(shared):
    compared = 0
    for home in sorted(shared.glob("corpus/migrate-*-0.1.5-rc.1*/sessions/*/*")):
        for path in home.glob("session.jsonl*"):
            if (home / f"session.v3{path.name.removeprefix('session')}").exists():
                report = examine(BytesSource(path.read_bytes()), str(path), reader="0.1.5", upgrade="always")
                assert [finding for finding in report.findings if finding.severity == "error"] == []
                compared += 1
    assert compared > 5

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
from dshlog.report.examine import named_encoding
from dshlog.report.family import children_of
from dshlog.report.upgrade import upgrade
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


def collected(shared):
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
        if verdict.get("version") in {0, 1, 2, 3} and not path.is_dir():
            yield Older(name=path.relative_to(shared).as_posix(), path=path, verdict=verdict)


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
    logs = list(collected(shared))
    assert len(logs) == 341
    assert {log.name for log in logs} >= KNOWN.keys()
    disagreeing = {log.name for log in logs if ours(log) != theirs(log)}
    assert disagreeing == KNOWN.keys()

"""Every migration vector gives the events that dsh gives, member order included, or a refusal of the same kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dshlog.codec.header import to_header
from dshlog.codec.sources import expand
from dshlog.migrate.chain import chain
from dshlog.migrate.children import child_of
from dshlog.migrate.refusal import Refusals
from dshlog.migrate.written import header_line

FOLDER = Path(__file__).resolve().parents[2] / "fixtures/vectors/migration"
VECTORS = sorted(FOLDER.glob("*.json"))

# What dsh's kinds of refusal are called here.
NAMES = {
    "catalog-conflict": {"upgrade-catalog"},
    "chunk-sources": {"upgrade-citation"},
    "content-kind": {"upgrade-content-kind"},
    "cut-splits-attempt": {"upgrade-cut-splits"},
    "defer-loading": {"upgrade-defer-loading"},
    "delivery-marker": {"upgrade-delivery"},
    "members": {"upgrade-payload"},
    "prompt-outside-step": {"upgrade-prompt-outside-step"},
    "reference-to-chunk": {"upgrade-reference"},
    "replacement-identity": {"message-id-missing"},
    "source-kind": {"upgrade-source-kind"},
    "surface-before-step": {"upgrade-surface-before-step"},
    "tool-error-flag": {"upgrade-error-unflagged"},
    "tool-wrapper": {"upgrade-tool-wrapper"},
    "retired-event": {"retired-type", "header-reason-fallback"},
    "unknown-event": {"unknown-type", "opaque-blocks-upgrade"},
}


class Collected:
    """Keeps the events of a result."""

    def __init__(self):
        self.events = []

    def take(self, event, origin):
        assert origin >= 0
        if "sourceEventSeqs" in event:
            event["sourceEventSeqs"] = list(expand(event["sourceEventSeqs"]))
        self.events.append(event)

    def packed(self, row, origin):
        raise AssertionError(row, origin)

    def hole(self, origin):
        self.events.append((None, origin))

    def end(self):
        pass


def migrated(asked):
    header = to_header(asked["header"], asked["from"])
    last, refusals = Collected(), Refusals()
    children = [child_of(each) for each in asked.get("children", [])]
    way = chain(header, asked["to"], last, refusals, children)
    way.rows.feed([json.dumps(row).encode() for row in asked["rows"]])
    way.end()
    return header, last.events, refusals


@pytest.mark.parametrize("path", VECTORS, ids=[path.stem for path in VECTORS])
def test_vector(path):
    vector = json.loads(path.read_text(encoding="utf-8"))
    asked, wanted = vector["input"], vector["expect"]
    _, events, refusals = migrated(asked)
    if "error" in wanted:
        (found,) = refusals.kept
        assert found.name in NAMES[wanted["kind"]]
        return
    assert refusals.kept == []
    assert json.dumps(events, ensure_ascii=False) == json.dumps(wanted["events"], ensure_ascii=False)


def test_every_vector_is_read():
    assert len(VECTORS) == 52
    assert header_line

"""The surface vectors: folds of whole logs and of windows, requests, and the kind of every error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dshlog.fold.request import request_at
from dshlog.fold.surface import derive_messages, fold_surface
from dshlog.model.surface import SurfaceError

FOLDER = Path(__file__).resolve().parents[2] / "fixtures/vectors/surface"
VECTORS = sorted(FOLDER.glob("*.json"))


def replaced(change):
    return {"seq": change.seq, "start": change.start, "end": change.end, "shadowedSeqs": list(change.shadowed)}


def folded(given, version):
    """Give everything that a fold vector may expect."""
    where = {"version": version, "base_seq": given.get("baseSeq", 0)}
    surface = fold_surface(iter(given["events"]), projections=given.get("projections", True), **where)
    return {
        "nodes": list(surface.nodes),
        "replacements": [replaced(change) for change in surface.replacements],
        "messages": derive_messages(iter(given["events"]), **where),
        "replaceGeneration": surface.replace_generation,
        "contentGeneration": surface.content_generation,
        "appendOrigin": list(surface.append_origin),
        "projectedMessages": [list(pair) for pair in surface.projected.items()],
    }


def requested(given, version):
    """Give everything that a request vector may expect."""
    request = request_at(iter(given["events"]), given["settlementSeq"], version=version)
    return {"header": request.header, "messages": list(request.messages), "toolHistory": request.tool_history}


ANSWERS = {"fold": folded, "fold-window": folded, "request-at": requested}


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_vector(path):
    vector = json.loads(path.read_text(encoding="utf-8"))
    assert vector.keys() == {"name", "about", "version", "input", "expect"}
    given, expected = vector["input"], vector["expect"]
    assert given.keys() <= {"operation", "events", "baseSeq", "projections", "settlementSeq"}
    answer = ANSWERS[given["operation"]]
    if "error" in expected:
        assert expected.keys() == {"error", "kind"}
        with pytest.raises(SurfaceError) as raised:
            answer(given, vector["version"])
        assert raised.value.kind == expected["kind"]
    else:
        found = answer(given, vector["version"])
        assert {key: found[key] for key in expected} == expected


def test_there_are_vectors_of_every_kind():
    operations = {json.loads(path.read_text(encoding="utf-8"))["input"]["operation"] for path in VECTORS}
    assert operations == ANSWERS.keys()


def test_copies_are_those_of_the_specification(shared):
    originals = {path.name: path.read_bytes() for path in (shared / "vectors/surface").glob("*.json")}
    assert {path.name: path.read_bytes() for path in VECTORS} == originals

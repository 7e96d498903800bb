"""What the commands print is what the shipped JSON Schemas say, over all fixtures and the shared logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import dshlog
from dshlog.cli.main import main

SCHEMAS = Path(dshlog.__file__).parent / "schemas"
NAMES = sorted(path.name.partition(".")[0] for path in SCHEMAS.iterdir())


def schema_of(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))


def closed(value):
    """Give a schema that refuses keys it does not name, so that a new key is not forgotten."""
    if isinstance(value, list):
        return [closed(member) for member in value]
    if not isinstance(value, dict):
        return value
    out = {key: closed(member) for key, member in value.items()}
    return out | {"additionalProperties": False} if isinstance(out.get("properties"), dict) else out


@pytest.fixture
def say(capfdbinary):
    def go(*words):
        status = main([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        return status, out, err

    return go


def faults(name, document):
    found = Draft202012Validator(closed(schema_of(name))).iter_errors(document)
    return [f"{error.json_path}: {error.message}" for error in found][:5]


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_one_and_is_printed_as_it_is_shipped(name, say):
    Draft202012Validator.check_schema(schema_of(name))
    assert say("explain", "--schema", name) == (0, (SCHEMAS / f"{name}.schema.json").read_bytes(), b"")


def test_every_schema_can_be_asked_for(say):
    assert (
        sorted(
            [
                "events",
                "explain",
                "frames",
                "log",
                "card",
                "surface",
                "transcript",
                "turns",
                "validate",
                "request",
                "difference",
                "why",
                "ls",
                "migrate",
                "migrations",
                "stats",
                "repair",
                "relocate",
                "fixes",
                "stream",
                "diff",
            ]
        )
        == NAMES
    )
    status, out, err = say("explain", "--schema", "nothing")
    assert (status, out) == (2, b"")
    assert all(name.encode() in err for name in NAMES)


def test_every_key_is_required():
    def optional(value):
        if isinstance(value, dict):
            if set(value.get("properties", ())) != set(value.get("required", ())):
                yield value
            for member in value.values():
                yield from optional(member)

    assert [name for name in NAMES for _ in optional(schema_of(name))] == []


def test_what_two_schemas_define_is_the_same():
    seen = {}
    for name in NAMES:
        for part, definition in schema_of(name).get("$defs", {}).items():
            assert seen.setdefault(part, definition) == definition
    log = schema_of("log")
    assert {key: log[key] for key in ("description", "type", "required", "properties")} == seen["log"]


@pytest.mark.parametrize(
    "path, key, value",
    [
        ("v4/clean", "state", "fine"),
        ("v4/clean", "bytes", None),
        ("v4/torn-frame", "torn", {"at": 0}),
        ("v4/clean", "events", -1),
        ("v4/clean", "readers", {}),
    ],
)
def test_schema_refuses_what_no_output_is(path, key, value, repository, say):
    log = json.loads(say("validate", "--format", "ndjson", repository / "fixtures" / path)[1])
    if not (key == "bytes" and value is None):
        assert faults("log", log | {key: value})
    else:
        assert not faults("log", log | {key: value})
    without = {name: member for name, member in log.items() if name != key}
    assert faults("log", without)


def test_all_fixtures_as_one_document_and_as_lines(repository, say):
    _, out, _ = say("validate", "--format", "json", repository / "fixtures")
    document = json.loads(out)
    assert len(document["logs"]) > 200
    assert faults("validate", document) == []
    _, out, _ = say("validate", "--format", "ndjson", repository / "fixtures")
    logs = [json.loads(line) for line in out.splitlines()]
    assert logs == document["logs"]
    assert faults("log", logs[0]) == []


@pytest.mark.parametrize("version", range(5))
def test_surfaces_and_cards_of_fixtures(version, repository, say):
    for name in ("clean", "compaction", "open", "torn-frame"):
        log = repository / f"fixtures/v{version}/{name}"
        assert faults("surface", json.loads(say("show", "--surface", "--json", log)[1])) == []
        assert faults("surface", json.loads(say("show", "--at", "3", "--json", log)[1])) == []
        card = json.loads(say("show", "--json", log)[1])
        assert faults("card", card) == []
        for key in ("schema", "title", "goal", "stop"):
            del card[key]
        assert faults("log", card) == []


VIEWS = ("transcript", "events", "turns", "frames")


@pytest.mark.parametrize("version", range(5))
@pytest.mark.parametrize("view", VIEWS)
def test_views_of_fixtures(version, view, repository, say):
    for name in ("clean", "compaction", "open", "torn-frame"):
        log = repository / f"fixtures/v{version}/{name}"
        for more in ((), ("--full",), ("--at", "3")):
            assert faults(view, json.loads(say("show", f"--{view}", "--json", *more, log)[1])) == []


@pytest.mark.parametrize("version", range(5))
def test_requests_and_answers_of_fixtures(version, repository, say):
    log = repository / f"fixtures/v{version}/compaction"
    for more in ((), ("--full",), ("--at", "14")):
        assert faults("request", json.loads(say("show", "--request", "1", "--json", *more, log)[1])) == []
    assert faults("difference", json.loads(say("show", "--request", "1", "--diff", "1.2", "--json", log)[1])) == []
    for seq in range(15):
        assert faults("why", json.loads(say("show", "--why", seq, "--json", log)[1])) == []


@pytest.mark.parametrize("version", range(5))
def test_streams_and_figures_of_fixtures(version, repository, say):
    log = repository / f"fixtures/v{version}/clean"
    seq = json.loads(say("cat", "--chunks", log)[1].splitlines()[0])["seq"]
    assert faults("stream", json.loads(say("show", "--stream", seq, "--json", log)[1])) == []
    assert faults("stats", json.loads(say("stats", "--json", repository / f"fixtures/v{version}")[1])) == []


def test_explanations(say):
    assert faults("explain", json.loads(say("explain", "--json")[1])) == []


def test_logs_of_released_builds(shared, say):
    _, out, _ = say("validate", "--format", "json", shared / "corpus", shared / "cases")
    assert faults("validate", json.loads(out)) == []


def test_surfaces_of_released_builds(shared, say):
    logs = sorted((shared / "corpus").glob("*/sessions/*/*/session*"))
    for log in [path for path in logs if path.is_file() and path.name != "session.lock"][::20]:
        for view in ("surface", *VIEWS):
            if view != "frames" or log.name.endswith(".zstd"):
                assert faults(view, json.loads(say("show", f"--{view}", "--json", log)[1])) == [], log
        for name, words in (("request", ["1"]), ("difference", ["1", "--diff", "1"])):
            assert faults(name, json.loads(say("show", "--request", *words, "--json", log)[1])) == [], log


def test_the_list_of_fixes(say):
    document = json.loads(say("repair", "--fix", "list", "--json")[1])
    assert (list(document), faults("fixes", document)) == (["schema", "known"], [])


def test_upgrades_of_one_log_and_of_all_fixtures(repository, say):
    _, out, _ = say("migrate", "--check", "--json", repository / "fixtures")
    document = json.loads(out)
    assert document["totals"]["refused"] > 50
    assert faults("migrations", document) == []
    for log in document["logs"][::7]:
        assert faults("migrate", json.loads(say("migrate", "--check", "--json", log["path"])[1])) == []


@pytest.mark.parametrize("words", [(), ("--messages",), ("--surface",), ("--full",), ("--at", "5")])
@pytest.mark.parametrize(
    "other", ["v4/clean-raw", "v4/compaction", "v0/clean", "v3/open", "v4/torn-frame", "v0/unknown-ignorable-raw"]
)
def test_comparisons_of_fixtures(words, other, repository, say):
    status, out, _ = say("diff", "--json", *words, repository / "fixtures" / other, repository / "fixtures/v4/clean")
    document = json.loads(out)
    assert faults("diff", document) == []
    assert document["same"] == (status == 0)
    assert document["same"] or document["differences"] or document["header"] or document["unread"]

from __future__ import annotations

import json

from dshlog.model.place import Place
from dshlog.model.report import Tail
from dshlog.render.jsonout import card_dict, document, finding_dict, line, log_dict, surface_dict, validate_dict

LOG_KEYS = [
    "path", "id", "cwd", "version", "encoding", "state", "readers", "bytes", "frames", "records", "events",
    "inherited", "torn", "surface", "tail", "findings",
]  # fmt: skip
FINDING_KEYS = [
    "code", "name", "severity", "rule", "message", "hint", "remedy", "place", "related", "follows",
]  # fmt: skip
PLACE_KEYS = ["file", "line", "offset", "frame", "frame_at", "seq", "json_path", "row"]


def test_a_document_has_every_key_in_its_order(build):
    told = json.loads(document(validate_dict([log_dict(build.refused())], reader="latest", version="0.1.0")))
    assert list(told) == ["schema", "tool", "reader", "summary", "logs", "store"]
    assert told["schema"] == 1
    assert told["tool"] == {"name": "dshlog", "version": "0.1.0"}
    (log,) = told["logs"]
    assert list(log) == LOG_KEYS
    assert log["readers"] == {
        "native": {"build": "0.2.1", "opens": False, "first": "S304", "but": []},
        "latest": {"build": "0.2.1", "opens": False, "first": "S304", "but": []},
    }
    assert log["torn"] == {"at": 12001, "bytes": 885, "events": 2}
    assert log["surface"] == {"nodes": 7, "replacements": 1, "messages": 7}
    assert log["tail"] == {"turn": 1, "step": 1, "calls": ["call_7"]}
    (finding,) = log["findings"]
    assert list(finding) == FINDING_KEYS
    assert list(finding["place"]) == PLACE_KEYS
    assert [list(place) for place in finding["related"]] == [PLACE_KEYS]
    assert finding["follows"] == 4


def test_what_is_unknown_is_null_and_never_missing(build):
    log = log_dict(build.clean(id=None, cwd=None, version=None, encoding=None, bytes=None, frames=None, surface=None))
    assert list(log) == LOG_KEYS
    assert [log[key] for key in ("id", "cwd", "version", "encoding", "bytes", "frames", "torn", "surface")] == [
        None
    ] * 8
    assert log["tail"] == {"turn": None, "step": None, "calls": []}
    assert finding_dict(build.finding(rule=None, hint=None, related=(), place=Place(file="x")))["place"] == {
        "file": "x", "line": None, "offset": None, "frame": None, "frame_at": None, "seq": None, "json_path": None, "row": None,
    }  # fmt: skip


def test_the_summary_counts_logs_by_state_and_findings_by_severity(build):
    logs = [log_dict(build.refused()), log_dict(build.clean()), log_dict(build.clean(state="open"))]
    about = build.finding(code="D101", severity="warning")
    told = validate_dict(logs, reader="native", version="0.1.0", store=[about])
    assert told["summary"] == {
        "logs": 3,
        "states": {"clean": 1, "open": 1, "torn": 0, "refused": 1, "newer": 0, "not-a-log": 0},
        "findings": {"error": 1, "warning": 1, "note": 0},
    }
    assert [finding["code"] for finding in told["store"]] == ["D101"]


def test_ndjson_is_one_line_without_spaces(build):
    text = line(log_dict(build.clean(cwd="/a\nb")))
    assert text.count(b"\n") == 1
    assert text.startswith(b'{"path":"s/session.v4.jsonl.zstd","id":"session-1"')


def test_half_surrogates_and_stray_bytes_of_a_path_come_out_as_escapes(build):
    report = build.refused(path="a\udcff", findings=(build.finding(message="half \ud83d"),))
    for told in (json.loads(line(log_dict(report))), json.loads(document(log_dict(report)))):
        assert told["path"] == "a\udcff"
        assert told["findings"][0]["message"] == "half \ud83d"
    assert b"\\udcff" in line(log_dict(report))


def test_odd_turns_and_call_ids_never_break_the_document(build):
    tail = Tail(turn=2**70, step=float("inf"), calls=([["deep"]], 1.5, None, {"a": 1}, True))
    told = json.loads(line(log_dict(build.clean(tail=tail))))["tail"]
    assert told == {"turn": 2**70, "step": None, "calls": ['[["deep"]]', 1.5, None, '{"a":1}', True]}


def test_the_surface_has_every_key_in_its_order(build):
    told = json.loads(
        document(surface_dict(build.view(build.row(0), build.row(1, replaced=(4, 6), text="a\nb"), at=9)))
    )
    assert list(told) == ["schema", "path", "version", "at", "nodes", "replacements", "rows"]
    assert told["nodes"] == [0, 4]
    assert told["replacements"] == [{"seq": 4, "start": 4, "end": 6, "shadowedSeqs": [4, 6]}]
    assert told["rows"][1] == {
        "position": 1, "seq": 4, "type": "user/message", "role": "user", "turn": 1, "step": 1, "chars": 5,
        "source": "user", "preview": "a b", "replaced": [4, 6],
    }  # fmt: skip


def test_a_card_is_the_log_with_a_schema_number(build):
    names = {"title": None, "goal": None, "stop": None}
    assert card_dict(build.clean()) == {"schema": 1, **log_dict(build.clean()), **names}
    told = card_dict(build.refused(stop=5), build.view(title="a", goal="b"))
    assert (told["title"], told["goal"], told["stop"]) == ("a", "b", 5)

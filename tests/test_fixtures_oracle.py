"""What the cases tell about generations with a released build is what dsh itself answers."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import build

FIXTURES = Path(build.__file__).parent
LATEST = "v4"
NATIVE = ("v0", "v3")
SOUND = {"clean", "open", "torn"}


@pytest.fixture(scope="module")
def answers(oracle, shared):
    logs = sorted(path for path in FIXTURES.rglob("session*") if path.parent.parent.name != "not-a-log")
    ask = [sys.executable, str(shared / "oracle/dsh_oracle.py"), "ask", str(oracle), *map(str, logs)]
    lines = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.splitlines()
    return [(log, json.loads(line)) for log, line in zip(logs, lines, strict=True)]


def case_of(log: Path) -> dict[str, object]:
    return tomllib.loads((log.parent / "case.toml").read_text(encoding="utf-8"))


def facts_of(told: dict[str, object], answer: dict[str, object], whole: dict[str, object]) -> dict[str, object]:
    """Give what dsh answers in the words of a case; the verdict on v4 stands in the outer answer."""
    facts: dict[str, object] = {"opens": answer["ok"]}
    if answer["ok"]:
        view = answer if "events" in answer else whole
        facts |= {"events": view["events"], "nodes": view["surface_nodes"]}
        torn = answer["torn_truncate_to"] is not None
        facts["state"] = "torn" if torn else "open" if view["closers"] else "clean"
    return {key: value for key, value in facts.items() if key in told}


def test_cases_tell_what_the_native_reader_answers(answers):
    wrong = []
    for log, whole in answers:
        generation, told = log.parent.parent.name, case_of(log)
        if generation not in (*NATIVE, LATEST) or "opens" not in told:
            continue
        answer = whole["open" if generation == LATEST else "native"]
        facts = facts_of(told, answer, whole)
        expected = {key: told[key] for key in facts}
        if facts != expected:
            wrong.append((str(log.relative_to(FIXTURES)), expected, facts))
    assert not wrong


def test_sound_logs_of_v1_and_v2_upgrade_unless_a_plugin_wrote_in_them(answers):
    wrong = [
        str(log.relative_to(FIXTURES))
        for log, whole in answers
        if log.parent.parent.name in {"v1", "v2"}
        and not log.parent.name.startswith("unknown-ignorable")
        and whole["open"]["ok"] != (case_of(log)["state"] in SOUND)
    ]
    assert not wrong


def test_sound_v4_logs_embed_the_streams_of_their_messages(answers):
    wrong = [
        str(log.relative_to(FIXTURES))
        for log, whole in answers
        if log.parent.parent.name == LATEST and case_of(log)["state"] in {"clean", "open"} and not whole["verify"]["ok"]
    ]
    assert not wrong

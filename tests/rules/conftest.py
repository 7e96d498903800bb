"""Logs made of rows: judged here, on each path alone, and by dsh itself."""

from __future__ import annotations

import pytest

from bases import Case
from compare import ask, disagreements
from dshlog.report.examine import examine
from dshlog.rules.judge import Judge
from dshlog.rules.sample import content, head
from dshlog.storage.source import BytesSource


def written(parts, version=4):
    """Give the bytes of a log; one that does not begin with a header gets that of the generation."""
    headed = bool(parts) and isinstance(parts[0], dict) and parts[0].get("type") == "session"
    return content(parts if headed else (head(version), *parts))


def judged(parts, version=4, **options):
    """Judge rows, or bytes as they are."""
    data = parts if isinstance(parts, bytes) else written(parts, version)
    return examine(BytesSource(data), "session.jsonl", **options)


def codes(parts, version=4):
    """Give the codes of all findings in file order, without the note that a turn is open."""
    return [finding.code for finding in judged(parts, version).findings if finding.code != "T101"]


@pytest.fixture(scope="session", name="judged")
def _judged():
    return judged


@pytest.fixture(scope="session", name="codes")
def _codes():
    return codes


@pytest.fixture
def slowly(monkeypatch):
    """Judge again with every record on the exact path."""

    def judge(parts, version=4, **options):
        with monkeypatch.context() as patch:
            patch.setattr(Judge, "_quickly", lambda _self, _lines, start: start)
            return judged(parts, version, **options)

    return judge


@pytest.fixture
def dsh(oracle, shared):
    """Ask dsh about logs by name; gives where dshlog does not answer alike."""

    def ask(logs, version=4, suffix=".jsonl"):
        cases = [
            Case(
                name=f"log-{index}",
                about=str(name),
                suffix=suffix,
                data=parts if isinstance(parts, bytes) else written(parts, version),
            )
            for index, (name, parts) in enumerate(logs.items())
        ]
        return [
            (case.about, found.ours, found.theirs, found.words)
            for case, _, found in disagreements(cases, oracle, shared)
            if found is not None
        ]

    return ask


@pytest.fixture
def upgrades(oracle, shared):
    """Ask 0.2.1 whether it opens logs by name, which it upgrades first when they are older."""

    def ask_all(logs):
        cases = [
            Case(name=f"log-{index}", about=name, suffix=".jsonl", data=data)
            for index, (name, data) in enumerate(logs.items())
        ]
        verdicts = ask(cases, oracle, shared)
        return {case.about: verdict["open"]["ok"] for case, verdict in zip(cases, verdicts, strict=True)}

    return ask_all


@pytest.fixture(scope="session", name="written")
def _written():
    return written

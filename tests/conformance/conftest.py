"""The logs that were judged before, each with the answer that dsh gave."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("DSHLOG_SHARED") or Path(__file__).resolve().parents[3] / "shared")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One log, and what the build of its own generation answers.

    `answer` says whether the log opens and where it would be cut; `facts` are the facts of that
    build's own view, empty when there is none.
    """

    name: str
    path: Path
    answer: dict[str, Any]
    facts: dict[str, Any]


def told(path: Path, verdict: dict[str, Any]) -> Told:
    """Take the native answer out of a verdict; a log of the latest generation has no other than `open`."""
    native = verdict.get("native")
    answer, facts = (verdict["open"], verdict) if native is None else (native, native)
    return Told(name=path.relative_to(SHARED).as_posix(), path=path, answer=answer, facts=facts)


def corpus() -> Iterator[Told]:
    """Yield the logs that dsh wrote."""
    for index in sorted(SHARED.glob("corpus/*/expected.json")):
        for verdict in json.loads(index.read_text(encoding="utf-8"))["logs"]:
            yield told(index.parent / verdict["file"], verdict)


def changed() -> Iterator[Told]:
    """Yield the logs that were made or changed by hand."""
    for name, entries, verdict in (
        ("corpus/mutants/mutants.json", "mutants", "expected"),
        ("corpus/traps/traps.json", "mutants", "expected"),
        ("cases/cases.json", "cases", "verdict"),
    ):
        index = SHARED / name
        for entry in json.loads(index.read_text(encoding="utf-8"))[entries]:
            yield told(index.parent / entry["file"], entry[verdict])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test its logs, or one empty case, which the `shared` fixture skips or fails."""
    for name, collection in (("written", corpus), ("changed", changed)):
        if name in metafunc.fixturenames:
            logs = list(collection()) if (SHARED / "corpus").is_dir() else []
            metafunc.parametrize(name, logs or [None], ids=[log.name for log in logs] or ["absent"])


@pytest.fixture
def corpus_size() -> int:
    """Count the logs that dsh wrote."""
    return sum(1 for _ in corpus())


@pytest.fixture
def changed_names() -> frozenset[str]:
    """Give the names of the logs that were made or changed by hand."""
    return frozenset(log.name for log in changed())


@pytest.fixture
def every_changed() -> list[Told]:
    """Give all logs that were made or changed by hand."""
    return list(changed())


@pytest.fixture(scope="session")
def stored_names() -> dict[str, str]:
    """Give the names under which the logs were stored, where an index tells one."""
    names: dict[str, str] = {}
    for folder in ("mutants", "traps"):
        index = SHARED / "corpus" / folder / f"{folder}.json"
        for entry in json.loads(index.read_text(encoding="utf-8"))["mutants"] if index.is_file() else ():
            names[f"corpus/{folder}/{entry['file']}"] = entry["stored_as"]
    return names

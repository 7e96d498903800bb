"""Logs to start from, and what a generator makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zstandard import ZstdDecompressor, ZstdError

from dshlog.report.examine import named_encoding
from dshlog.report.upgrade import upgrade
from dshlog.storage.source import BytesSource
from inventory import inventory

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BUILT = (0, 3, 4)  # generations that a released build writes
LAST = BUILT[-1]
LARGEST = 64_000  # bytes of text; what is larger only costs time


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A log to start from; most are such that the build of their generation opens them."""

    name: str
    version: int
    suffix: str  # ".jsonl" or ".jsonl.zstd"
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A log to be judged twice. `name` makes it again with the generator that it names; `about` says what was done."""

    name: str
    about: str
    suffix: str
    data: bytes


def bases(shared: Path) -> list[Base]:
    """Give the fixtures and the logs of the shared folder that open, and its vectors as logs; each text once.

    Where the shared folder is not there, the fixtures are all.
    """
    seen: set[bytes] = set()
    out: list[Base] = []
    for path, version in _sound(shared):
        suffix = ".jsonl.zstd" if path.name.endswith(".zstd") else ".jsonl"
        data = path.read_bytes()
        text = b"".join(frames(data)) if suffix == ".jsonl.zstd" else data
        key = suffix.encode() + text.partition(b"\n")[2]
        if version in BUILT and key not in seen and len(text) <= LARGEST:
            seen.add(key)
            name = path.relative_to(FIXTURES.parent if FIXTURES in path.parents else shared)
            out.append(Base(name=name.as_posix(), version=version, suffix=suffix, data=data))
    return [*out, *_vectors(shared)]


def older(shared: Path) -> list[Base]:
    """Give logs that dsh upgrades: those of `bases`, their results in v1 and v2, fixtures, vectors and traps."""
    found = [log for log in bases(shared) if log.version < LAST]
    for case in sorted(FIXTURES.glob("v[12]/*/case.toml")):
        (log,) = (path for path in case.parent.iterdir() if path != case)
        suffix = ".jsonl.zstd" if log.name.endswith(".zstd") else ".jsonl"
        name = log.relative_to(FIXTURES.parent).as_posix()
        found.append(Base(name=name, version=int(case.parent.parent.name[1:]), suffix=suffix, data=log.read_bytes()))
    found += [
        Base(name=f"inventory{version}", version=version, suffix=".jsonl", data=inventory(version))
        for version in range(3)
    ]
    index = shared / "corpus/traps-migration/traps.json"
    for entry in json.loads(index.read_text(encoding="utf-8"))["mutants"] if index.is_file() else ():
        data = (index.parent / entry["file"]).read_bytes()
        found.append(Base(name=entry["file"], version=entry["expected"]["version"], suffix=".jsonl", data=data))
    for path in sorted(shared.glob("vectors/migration/*.json")):
        given = json.loads(path.read_text(encoding="utf-8"))["input"]
        data = "".join(
            json.dumps(row, separators=(",", ":")) + "\n" for row in (given["header"], *given["rows"])
        ).encode()
        found.append(Base(name=path.stem, version=given["from"], suffix=".jsonl", data=data))
    return found + [result for log in found for result in _between(log)]


def _between(log: Base) -> Iterator[Base]:
    """Yield the results of a log in v1 and v2."""
    for to in range(log.version + 1, 3):
        text: list[bytes] = []
        done = upgrade(BytesSource(log.data), named_encoding(log.suffix), to=to, write=text.append)
        if not done.refusals and done.version is not None:
            yield Base(name=f"{log.name} as v{to}", version=to, suffix=".jsonl", data=b"".join(text))


def members(shared: Path) -> dict[int, dict[str, list[str]]]:
    """Give the members that the payload of each event type may have, by generation; nothing without the shared folder."""
    table = shared / "spec/vocabulary.json"
    if not table.is_file():
        return {}
    versions = json.loads(table.read_text(encoding="utf-8"))["versions"]
    return {
        version: {
            name: [*told["data"].get("required", ()), *told["data"].get("optional", ())]
            for name, told in versions[str(version)]["event_types"].items()
        }
        for version in map(int, versions)
    }


def frames(data: bytes) -> list[bytes]:
    """Give the text of each zstd frame, of a torn last one what can be read; bytes that are none end the list."""
    out = []
    while data:
        frame = ZstdDecompressor().decompressobj()
        try:
            out.append(frame.decompress(data))
        except ZstdError:
            break
        data = frame.unused_data
    return out


def _sound(shared: Path) -> Iterator[tuple[Path, int | None]]:
    """Yield path and version of the logs that their own build opens."""
    for case in sorted(FIXTURES.glob("v[034]/*/case.toml")):
        if "opens = true" in case.read_text(encoding="utf-8"):
            (log,) = (path for path in case.parent.iterdir() if path != case)
            yield log, int(case.parent.parent.name[1:])
    for index in sorted(shared.glob("corpus/*/expected.json")):
        for verdict in json.loads(index.read_text(encoding="utf-8"))["logs"]:
            yield index.parent / verdict["file"], verdict["version"]
    for name, entries, told in (("corpus/traps/traps", "mutants", "expected"), ("cases/cases", "cases", "verdict")):
        index = shared / f"{name}.json"
        for entry in json.loads(index.read_text(encoding="utf-8"))[entries] if index.is_file() else ():
            if entry[told].get("native", entry[told].get("open"))["ok"]:
                yield index.parent / entry["file"], entry[told]["version"]


def _vectors(shared: Path) -> Iterator[Base]:
    """Yield the vectors that hold events from position 0 on; they show types that no log has."""
    for path in sorted(shared.glob("vectors/*/*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        given, version = vector["input"], vector["version"]
        rows = given.get("rows", given.get("events"))
        if (
            version in BUILT
            and isinstance(rows, list)
            and rows
            and isinstance(rows[0], dict)
            and rows[0].get("seq") == 0
        ):
            head = given.get("header") or header_of(version, rows)
            data = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in (head, *rows)).encode()
            yield Base(name=path.relative_to(shared).as_posix(), version=version, suffix=".jsonl", data=data)


def header_of(version: int, rows: list[Any]) -> dict[str, Any]:
    """Make a header for events without one."""
    header: dict[str, Any] = {"type": "session", "version": version, "id": "vector", "createdAt": 1, "cwd": "/v"}
    if version >= BUILT[1]:
        marks = (row.get("data") for row in rows if isinstance(row, dict) and row.get("type") == "session/end-seed")
        header["isSeeded"] = any(isinstance(data, dict) and data.get("inherited") for data in marks)
    return {**header, "delegationDepth": 0}

"""Logs to start from, and what a generator makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from zstandard import ZstdDecompressor, ZstdError

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BUILT = (0, 3, 4)  # generations that a released build writes
LARGEST = 64_000  # bytes of text; what is larger only costs time


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A log that the build of its generation opens."""

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
    """Give the fixtures, and of the corpus, the traps and the cases what opens; each text once.

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
    return out


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

"""What the logs to start from hold: their records by generation, and what members of each name look like."""

from __future__ import annotations

import json
import os
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bases import Base, frames, members

KEPT = 40  # values of one member


class Stock:
    """The logs of each generation, and values of their members."""

    def __init__(self, logs: list[Base]) -> None:
        shared = Path(os.environ.get("DSHLOG_SHARED") or Path(__file__).resolve().parents[3] / "shared")
        self.logs: dict[int, list[Base]] = defaultdict(list)
        self._members = members(shared)
        self._values: dict[int, dict[str, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
        for log in logs:
            self.logs[log.version].append(log)
            text = log.data if log.suffix == ".jsonl" else b"".join(frames(log.data))
            for line in text.split(b"\n"):
                self._note(log.version, line)

    def members(self, version: int, kind: object) -> list[str]:
        """Give the members that the payload of a type may have; none when nothing is known of it."""
        return self._members.get(version, {}).get(kind, []) if isinstance(kind, str) else []

    def names(self, version: int) -> list[str]:
        """Give the names that members have, in one order."""
        return sorted(self._values[version])

    def value(self, version: int, name: str, rng: random.Random, other: Any) -> Any:
        """Give a value that some member of this name has, else the other one."""
        texts = list(self._values[version].get(name, ()))
        return json.loads(rng.choice(texts)) if texts and rng.random() < 0.9 else other

    def _note(self, version: int, line: bytes) -> None:
        try:
            value = json.loads(line)
        except ValueError:
            return
        for holder, key, _ in spots(value):
            if isinstance(key, str) and len(held := self._values[version][key]) < KEPT:
                held.setdefault(json.dumps(holder[key]), None)


def spots(value: Any, path: str = "$") -> Iterator[tuple[Any, Any, str]]:
    """Yield (container, key, path) of everything inside a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in list(pairs):
        here = f"{path}.{key}" if isinstance(key, str) else f"{path}[{key}]"
        yield value, key, here
        yield from spots(held, here)

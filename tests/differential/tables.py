"""Every member of every event type with every odd value in its place, one change a log."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from bases import Base, Case
from dshlog.model.vocabulary import SURFACE_TYPES, format_types
from mutate import Draft, Row, drafted
from stock import Stock, spots

GONE = object()  # the member is taken away
VALUES = (GONE, None, True, 0, 1, 7, -1, "@-0@", "@1.0@", "@1.5@", "@9007199254740992@", "@1e400@", "", "x", " x", "toString",
          [], [None], ["x"], {}, {"x": 1}, {"kind": "x"})  # fmt: skip


def cases(logs: list[Base], count: int, seed: int) -> Iterator[Case]:
    """Yield `count` of all such logs; all of them when there are fewer."""
    stock = Stock(logs)
    plans = [
        (base, line, path, value, last)
        for version in sorted(stock.logs)
        for base, line, path in places(version, stock)
        for value in VALUES
        for last in (False, True)
    ]
    rng = random.Random(seed)  # noqa: S311 - the same logs every time
    chosen = plans if count >= len(plans) else rng.sample(plans, count)
    for number, (base, line, path, value, last) in enumerate(chosen):
        draft = drafted(base, rng, stock)
        row = draft.fresh(draft.rows[line])
        change(row.value, path, value)
        if last:
            del draft.rows[line + 1 :]
        shown = "gone" if value is GONE else repr(value)
        about = f"{base.name} line {line + 1} {row.value.get('type')} {path} {shown}{', the last' if last else ''}"
        yield Case(name=f"tables-{seed}-{number}", about=about, suffix=".jsonl", data=draft.bytes())


def places(version: int, stock: Stock) -> Iterator[tuple[Base, int, str]]:
    """Yield (log, index of a row, path) once for each member of each type, in small logs."""
    seen: set[tuple[str, str]] = set()
    for base in [*sorted(stock.logs[version], key=lambda log: len(log.data)), *invented(version, stock)]:
        if base.suffix != ".jsonl":
            continue
        for line, row in enumerate(drafted(base, random.Random(0), stock).rows[1:], 1):  # noqa: S311 - nothing is drawn
            value = row.value
            for _, _, path in spots(value) if isinstance(value, dict) else ():
                key = (str(value.get("type")), re.sub(r"\[\d+\]", "[]", path))
                if key not in seen:
                    seen.add(key)
                    yield base, line, path


def invented(version: int, stock: Stock) -> Iterator[Base]:
    """Yield a log for each type that no log holds, with every member that its payload may have."""
    host = min(
        (log for log in stock.logs[version] if log.name.endswith(f"session{suffix(version)}")),
        key=lambda log: len(log.data),
    )
    for kind in sorted(format_types(version)):
        rng = random.Random(kind)  # noqa: S311 - the same logs every time
        data = {name: stock.value(version, name, rng, "x") for name in stock.members(version, kind)}
        draft: Draft = drafted(host, rng, stock)
        value: dict[str, Any] = {"type": kind, "seq": 1, "time": 1700000000000, "data": data}
        if kind in SURFACE_TYPES[version]:
            value["surfaceOp"] = "append"
        start = {"type": "turn/start", "seq": 0, "time": 1700000000000, "data": {"turn": 1}}
        draft.rows[1:] = [
            Row(value=start, text=json.dumps(start).encode()),
            Row(value=value, text=json.dumps(value).encode()),
        ]
        draft.tail = b""
        yield Base(name=f"invented {kind}", version=version, suffix=".jsonl", data=draft.bytes())


def suffix(version: int) -> str:
    """Give the ending of a raw log's name."""
    return f".v{version}.jsonl" if version else ".jsonl"


def change(value: Any, path: str, new: Any) -> None:
    """Put a value at a path, or take away what is there."""
    for holder, key, here in spots(value):
        if here == path:
            if new is GONE:
                del holder[key]
            else:
                holder[key] = json.loads(json.dumps(new))
            return

"""Logs of every generation, raw and framed, as crashes, disks and tools leave them; one to three kinds of damage each."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bases import Base, Case, older
from mutate import Draft, Row, compressed, drafted, flipped, renumber
from stock import Stock

UNBUILT = frozenset({1, 2})  # generations of which no released build writes logs


def cases(logs: list[Base], count: int, seed: int) -> Iterator[Case]:
    """Yield `count` logs; each generation in both containers comes as often as any other."""
    shared = Path(os.environ.get("DSHLOG_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    every = [*logs, *(log for log in older(shared) if log.version in UNBUILT)]
    stock = Stock(every)
    for number in range(count):
        rng = random.Random(f"damage/{seed}/{number}")  # noqa: S311 - the same logs every time
        base = rng.choice(stock.logs[number % 5])
        draft = drafted(base, rng, stock)
        if len(draft.rows) < 4:
            draft = drafted(max(stock.logs[number % 5], key=lambda log: len(log.data)), rng, stock)
        draft.suffix = rng.choice((".jsonl", ".jsonl.zstd"))
        for at, row in enumerate(draft.rows):
            row.frame = 0 if at == 0 else 1 + (at - 1) // rng.choice((1, 2, 5, 5, 5))
        for at in range(2, len(draft.rows)):
            draft.rows[at].frame = max(draft.rows[at].frame, draft.rows[at - 1].frame)
        wanted = rng.choices((1, 2, 3), (6, 3, 1))[0]
        chosen = rng.sample(DAMAGE, wanted)
        for change in sorted(chosen, key=IN_TEXT.__contains__):
            if note := change(draft):
                draft.notes.append(f"{change.__name__.replace('_', ' ')}: {note}")
        about = f"{base.name} as {draft.suffix}; {'; '.join(draft.notes)}"
        yield Case(name=f"damage-{seed}-{number}", about=about, suffix=draft.suffix, data=draft.bytes())


def middle(draft: Draft) -> int:
    """Give the index of some record that has one behind it."""
    return draft.rng.randint(1, max(1, len(draft.rows) - 2))


def after(draft: Draft, change: Callable[[bytes], bytes]) -> None:
    """Let a change be made to the bytes of the file, behind those that are wanted already."""
    before = draft.file
    draft.file = change if before is None else lambda data: change(before(data))


# -- the file


def torn(draft: Draft) -> str:
    """Cut the file anywhere, near its end more often."""
    where = draft.rng.choice((draft.rng.random(), 1 - draft.rng.random() / 10))
    after(draft, lambda data: data[: int(where * len(data))])
    return f"at {where:.3f}"


def bit(draft: Draft) -> str:
    """Change one bit anywhere."""
    where, which = draft.rng.random(), 1 << draft.rng.randrange(8)
    after(draft, lambda data: flipped(data, int(where * len(data)), which))
    return f"{which} at {where:.3f}"


def zeros(draft: Draft) -> str:
    """Write zero bytes over a block, or put them behind the end."""
    where, size, behind = draft.rng.random(), draft.rng.choice((1, 8, 64, 300)), draft.rng.random() < 0.4
    if behind:
        after(draft, lambda data: data + b"\0" * size)
    else:
        after(draft, lambda data: _over(data, int(where * len(data)), b"\0" * size))
    return f"{size} {'behind the end' if behind else f'at {where:.3f}'}"


def foreign(draft: Draft) -> str:
    """Put bytes behind the end that are none of the log."""
    what = draft.rng.choice((b"abc", b"\x50\x2a\x4d\x18\x02\0\0\0ab", b"{}\n", b'{"type":"x"', compressed(b'{"a"')))
    after(draft, lambda data: data + what)
    return repr(what[:12])


def lost_block(draft: Draft) -> str:
    """Take some bytes out of the middle."""
    where, size = draft.rng.random(), draft.rng.choice((1, 2, 30, 400))
    after(draft, lambda data: data[: int(where * len(data))] + data[int(where * len(data)) + size :])
    return f"{size} at {where:.3f}"


def doubled_end(draft: Draft) -> str:
    """Say the last bytes a second time, as a write that was tried again."""
    size = draft.rng.randint(1, 600)
    after(draft, lambda data: data + data[-size:])
    return f"{size} bytes"


def _over(data: bytes, at: int, block: bytes) -> bytes:
    return data[:at] + block[: len(data) - at] + data[at + len(block) :]


# -- frames


def recompressed(draft: Draft) -> str:
    """Put all records, the header too, into one frame."""
    for row in draft.rows:
        row.frame = 0
    return "one frame"


def header_joined(draft: Draft) -> str:
    """Put the first records into the frame of the header."""
    for row in draft.rows[: draft.rng.randint(2, 4)]:
        row.frame = 0
    return "more than the header in the first frame"


def split_row(draft: Draft) -> str | None:
    """Let one record stand in two frames."""
    if draft.suffix == ".jsonl":
        return None
    cut = draft.rng.random()

    def cut_up(data: bytes) -> bytes:
        from bases import frames

        texts = frames(data)
        if not texts:  # a cut before this one left no whole frame
            return data
        at = min(1, len(texts) - 1)
        text = texts[at]
        place = max(1, int(cut * (len(text) - 1)))
        return b"".join(map(compressed, [*texts[:at], text[:place], text[place:], *texts[at + 1 :]]))

    after(draft, cut_up)
    return f"at {cut:.3f}"


# -- records


def dropped(draft: Draft) -> str:
    """Take one or more records away, and number nothing anew."""
    at, number = middle(draft), draft.rng.choice((1, 1, 1, 2, 4))
    del draft.rows[at : at + number]
    return f"{number} from line {at + 1}"


def doubled(draft: Draft) -> str:
    """Say one or more records twice."""
    at, number = middle(draft), draft.rng.choice((1, 1, 2, 5))
    again = [Row(value=row.value, text=row.stored(), frame=row.frame) for row in draft.rows[at : at + number]]
    place = draft.rng.choice((at + number, len(draft.rows)))
    for row in again:
        row.frame = draft.rows[min(place, len(draft.rows)) - 1].frame or 1
    draft.rows[place:place] = again
    return f"{number} from line {at + 1}"


def swapped(draft: Draft) -> str:
    """Let two neighbours change places."""
    at = middle(draft)
    if at + 1 < len(draft.rows):
        one, two = draft.rows[at : at + 2]
        one.frame, two.frame = two.frame, one.frame
        draft.rows[at : at + 2] = [two, one]
    return f"line {at + 1}"


def member(draft: Draft) -> str | None:
    """Take a member of an envelope away, add one, or spoil one."""
    row = draft.pick()
    if row is None:
        return None
    name = draft.rng.choice(("time", "seq", "data", "extra", "ignorable", "surfaceOp", "sourceEventSeqs"))
    note = f"{draft.at(row)} {name}"
    if name in row.value and draft.rng.random() < 0.5:
        del row.value[name]
    else:
        row.value[name] = draft.rng.choice((None, "x", 0, False, -1, []))
    return note


def message_member(draft: Draft) -> str | None:
    """Take the id, the role, the source or the content off a message."""
    rows = [row for row in draft.rows[1:] if isinstance(message_of(row.value), dict)]
    if not rows:
        return None
    row = draft.fresh(draft.rng.choice(rows))
    message = message_of(row.value) or {}
    name = draft.rng.choice(("id", "role", "source", "content", "toolCallId"))
    message.pop(name, None)
    return f"{draft.at(row)} {name}"


def message_of(value: Any) -> Any:
    """Give the message that a record carries."""
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, dict):
        return None
    return data if value.get("type") == "user/message" else data.get("message")


def stale(draft: Draft) -> str | None:
    """Take a record away and number what follows anew, but not what the others name."""
    at = middle(draft)
    if not isinstance(draft.rows[at].value, dict):
        return None
    note = draft.at(draft.rows[at])
    del draft.rows[at]
    for row in draft.rows[at:]:
        if isinstance(row.value, dict) and type(row.value.get("seq")) is int:
            draft.fresh(row).value["seq"] -= 1
    return note


def orphan(draft: Draft) -> str | None:
    """Take the result of a call away, or its start, and number all anew."""
    kinds = {"tool/result", "tool/call", "step/end", "step/start", "turn/end", "turn/start"}
    rows = [row for row in draft.rows[1:-1] if isinstance(row.value, dict) and row.value.get("type") in kinds]
    if not rows:
        return None
    row = draft.rng.choice(rows)
    note = draft.at(row)
    draft.rows.remove(row)
    renumber(draft)
    return note


def two_writers(draft: Draft) -> str:
    """Let a second writer continue the log from an earlier place, one behind the other or in turns."""
    at, number = middle(draft), draft.rng.randint(1, 4)
    other = [Row(value=row.value, text=row.stored(), frame=row.frame) for row in draft.rows[at : at + number]]
    for row in other:
        value = draft.fresh(row).value
        if isinstance(value, dict) and type(value.get("time")) is int:
            value["time"] += 7
    if draft.rng.random() < 0.5:
        for row in other:
            row.frame = draft.rows[-1].frame
        draft.rows += other
    else:
        for step, row in enumerate(other):
            place = min(at + 1 + 2 * step, len(draft.rows))
            row.frame = draft.rows[place - 1].frame or 1
            draft.rows.insert(place, row)
    return f"{number} records from line {at + 1}"


def spoiled(draft: Draft) -> str:
    """Spoil the text of a record in the middle."""
    row = draft.rows[middle(draft)]
    text = row.stored()
    half = len(text) // 2
    row.text = draft.rng.choice(
        (
            text[:-1],
            text + b",",
            text[:half],
            b"",
            text[:half] + b"\0" * 20 + text[half:],
            b"\0" * len(text),
            text[:-1] + b",}",
        )
    )
    row.value = None
    return repr(row.text[-30:])


DAMAGE = [
    torn, bit, zeros, foreign, lost_block, doubled_end, recompressed, header_joined, split_row, dropped, doubled, swapped,
    member, message_member, stale, orphan, two_writers, spoiled,
]  # fmt: skip
IN_TEXT = frozenset({spoiled})

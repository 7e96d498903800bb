"""Logs with one to three changes that know where things stand in a log, but not what they should be."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from zstandard import ZstdCompressionParameters, ZstdCompressor

from bases import Base, Case, frames
from dshlog.model.vocabulary import RETIRED, SURFACE_TYPES, format_types
from stock import Stock, spots

LITERAL = re.compile(rb'"@([^"@]*)@"')  # a text that stands for a number as it is to be spelled
SEQ_NAME = re.compile(r"^seq0?$|Seqs?$|^(start|end)$")  # members that hold seqs
NUMBERS = (
    "-0",
    "0.0",
    "1.0",
    "1e0",
    "0.5",
    "-1",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "1e21",
    "1e400",
)
TEXTS = (
    "",
    "x",
    " ",
    "__proto__",
    "constructor",
    "0",
    "null",
    "\ud800",
    "\ud83d\ude00",
    "é",
    "\u0000",
    "user",
    "tool",
    "model",
)
TAILS = (b"{", b"{}\n", b"[]\n", b"null\n", b"\n", b"\0" * 64, b'{"type":"turn/end"}\n', b'"turn/end"\n', b"\xff\n")
UNKNOWN = ("demo/note", "", "turn/End", "x" * 200, "toString", "plugin:thing", "tool/code-dispatch", *RETIRED)


@dataclass(slots=True)
class Row:
    """A record: its value, and its text while that is unchanged. A value that is no JSON is None."""

    value: Any
    text: bytes | None
    frame: int = 0

    def stored(self) -> bytes:
        """Give the text of the record."""
        if self.text is None:
            text = json.dumps(self.value, ensure_ascii=False, separators=(",", ":"))
            return LITERAL.sub(rb"\1", text.encode("utf-8", "backslashreplace"))
        return self.text


@dataclass(slots=True)
class Draft:
    """A log that is being changed. `rows` begins with the header; `tail` is what stands behind the last line feed."""

    rng: random.Random
    version: int
    suffix: str
    rows: list[Row]
    stock: Stock
    tail: bytes = b""
    notes: list[str] = field(default_factory=list)
    moved: bool = False  # whether rows were added, taken away or moved
    file: Callable[[bytes], bytes] | None = None  # a last change to the bytes of the file

    def pick(self) -> Row | None:
        """Give some record behind the header that is an object and will be written anew."""
        rows = [row for row in self.rows[1:] if isinstance(row.value, dict)]
        return self.fresh(self.rng.choice(rows)) if rows else None

    def fresh(self, row: Row) -> Row:
        """Let a record be written from its value, which no other record shares; what is no JSON stays as it is."""
        if row.text is not None:
            with suppress(ValueError):
                row.value, row.text = json.loads(row.text), None
        return row

    def at(self, row: Row) -> str:
        """Name a record."""
        kind = row.value.get("type") if isinstance(row.value, dict) else "?"
        return f"line {next(i for i, other in enumerate(self.rows, 1) if other is row)} {kind}"

    def bytes(self) -> bytes:
        """Give the file."""
        if self.suffix == ".jsonl":
            data = b"".join(row.stored() + b"\n" for row in self.rows) + self.tail
        else:
            data, numbers = b"", sorted({row.frame for row in self.rows})
            for number in numbers:
                text = b"".join(row.stored() + b"\n" for row in self.rows if row.frame == number)
                data += compressed(text + (self.tail if number == numbers[-1] and number else b""))
        return self.file(data) if self.file is not None else data


def compressed(text: bytes, *, checksum: bool = True, size: bool = True) -> bytes:
    """Give one frame."""
    parameters = ZstdCompressionParameters.from_level(3, write_checksum=checksum, write_content_size=size)
    return ZstdCompressor(compression_params=parameters).compress(text)


def cases(logs: list[Base], count: int, seed: int) -> Iterator[Case]:
    """Yield `count` logs; each depends on the seed and its number alone."""
    stock = Stock(logs)
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")  # noqa: S311 - the same logs every time
        base = rng.choice(logs)
        draft = drafted(base, rng, stock)
        wanted = rng.choices((1, 2, 3), (6, 3, 1))[0]
        # Records are numbered again before their texts are spoiled, and with luck not at all.
        again = rng.random() < 0.93
        while not draft.notes:
            for change in sorted(
                rng.choices(list(CHANGES), list(CHANGES.values()), k=wanted), key=TEXTUAL.__contains__
            ):
                if change in TEXTUAL and draft.moved and again:
                    renumber(draft)
                if note := change(draft):
                    draft.notes.append(f"{change.__name__.replace('_', ' ')}: {note}")
        if draft.moved and again:
            renumber(draft)
        about = f"{base.name}; {'; '.join(draft.notes)}"
        yield Case(name=f"mutate-{seed}-{number}", about=about, suffix=base.suffix, data=draft.bytes())


def drafted(base: Base, rng: random.Random, stock: Stock) -> Draft:
    """Take a log apart."""
    rows, tail = [], b""
    for number, text in enumerate([base.data] if base.suffix == ".jsonl" else frames(base.data)):
        *lines, tail = text.split(b"\n")
        tail = tail if base.suffix == ".jsonl" else b""  # of a torn frame; a whole one must not end so
        rows += [Row(value=value_of(line), text=line, frame=number) for line in lines]
    return Draft(rng=rng, version=base.version, suffix=base.suffix, rows=rows, stock=stock, tail=tail)


def value_of(line: bytes) -> Any:
    """Parse a line; None when it is no JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def spot(draft: Draft, row: Row, wanted: type | tuple[type, ...] = object) -> tuple[Any, Any, str] | None:
    """Give one place in a record that holds a value of the type wanted; in the envelope one time in five."""
    found = [place for place in spots(row.value) if isinstance(place[0][place[1]], wanted)]
    envelope = draft.rng.random() < 0.2
    chosen = [place for place in found if (place[0] is row.value and place[1] != "data") == envelope]
    return draft.rng.choice(chosen or found) if found else None


def seqs(value: Any, change: Callable[[int], int]) -> Any:
    """Change every seq in a member's value."""
    if isinstance(value, list):
        return [seqs(entry, change) for entry in value]
    return change(value) if type(value) is int else value


def renumber(draft: Draft) -> None:
    """Number the records from 0 and let every reference follow; what names a lost record keeps its number."""
    new: dict[int, int] = {}
    objects = [draft.fresh(row).value for row in draft.rows[1:] if isinstance(row.value, dict)]
    position, starts = 0, []
    for value in objects:
        own = "seq0" if "seq0" in value else "seq"
        data = value.get("data")
        packed = (data.get("texts") or data.get("args")) if own == "seq0" and isinstance(data, dict) else None
        count = len(packed) if isinstance(packed, list) else 1
        if type(value.get(own)) is int:
            for step in range(count):
                new.setdefault(value[own] + step, position + step)
        starts.append((value, own, position))
        position += count
    draft.moved = False
    draft.notes.append("renumbered")
    for value, own, start in starts:
        for holder, key, path in spots(value):
            if isinstance(key, str) and SEQ_NAME.search(key) and path != f"$.{own}":
                holder[key] = seqs(holder[key], lambda seq: new.get(seq, seq))
        if own in value:
            value[own] = start


# -- changes to the order of records


def drop(draft: Draft) -> str | None:
    """Take a record away."""
    if len(draft.rows) < 2:
        return None
    row = draft.rng.choice(draft.rows[1:])
    note = draft.at(row)
    draft.rows.remove(row)
    draft.moved = True
    return note


def unbalance(draft: Draft) -> str | None:
    """Take away or double one record of those that open and close something."""
    pairs = r"turn/|step/|tool/(call|result)|-start|/start|/end|job/|queued|delivered|asked|decided|summary|prune|request/|assistant/"
    rows = [
        row for row in draft.rows[1:] if isinstance(row.value, dict) and re.search(pairs, str(row.value.get("type")))
    ]
    if not rows:
        return None
    row = draft.rng.choice(rows)
    note, at = draft.at(row), draft.rows.index(row)
    draft.moved = True
    if draft.rng.random() < 0.6:
        draft.rows.remove(row)
        return f"without {note}"
    draft.rows.insert(at + draft.rng.randint(0, 3), draft.fresh(Row(value=None, text=row.stored(), frame=row.frame)))
    return f"again {note}"


def duplicate(draft: Draft) -> str | None:
    """Say a record twice, at its place or anywhere."""
    if len(draft.rows) < 2:
        return None
    row = draft.rng.choice(draft.rows[1:])
    at = draft.rows.index(row) + 1 if draft.rng.random() < 0.5 else draft.rng.randint(1, len(draft.rows))
    draft.rows.insert(
        at, Row(value=value_of(row.stored()), text=row.stored(), frame=draft.rows[at - 1].frame or row.frame)
    )
    draft.moved = True
    return f"{draft.at(row)} before line {at + 1}"


def swap(draft: Draft) -> str | None:
    """Let two records change places, neighbours more often."""
    if len(draft.rows) < 3:
        return None
    one = draft.rng.randint(1, len(draft.rows) - 2)
    two = one + 1 if draft.rng.random() < 0.7 else draft.rng.randint(1, len(draft.rows) - 1)
    first, second = draft.rows[one], draft.rows[two]
    draft.rows[one], draft.rows[two] = second, first
    first.frame, second.frame = second.frame, first.frame
    draft.moved = True
    return f"{draft.at(first)} and {draft.at(second)}"


def graft(draft: Draft) -> str | None:
    """Put in some records of another log of the same generation."""
    rng = draft.rng
    other = rng.choice(draft.stock.logs[draft.version])
    rows = drafted(other, rng, draft.stock).rows[1:]
    if not rows:
        return None
    start = rng.randrange(len(rows))
    taken = [
        draft.fresh(row) for row in rows[start : start + rng.choice((1, 1, 1, 2, 3, 6))] if isinstance(row.value, dict)
    ]
    return f"{insert(draft, taken)} of {other.name}"


def invent(draft: Draft) -> str | None:
    """Put in a record of any known type, whose members have values that members of that name have elsewhere."""
    rng = draft.rng
    kind = rng.choice(sorted(format_types(draft.version)))
    names = draft.stock.members(draft.version, kind)
    data = {name: draft.stock.value(draft.version, name, rng, anything(draft)) for name in names if rng.random() < 0.85}
    value = {"type": kind, "seq": 0, "time": 1700000000000, "data": data}
    if kind in SURFACE_TYPES[draft.version]:
        value["surfaceOp"] = "append"
    return f"{insert(draft, [Row(value=value, text=None)])} {str(data)[:200]}"


def insert(draft: Draft, rows: list[Row]) -> str:
    """Put records somewhere, numbered on from the one before."""
    at = draft.rng.randint(1, len(draft.rows))
    for row in rows:
        row.frame = draft.rows[at - 1].frame or 1
    draft.rows[at:at] = rows
    draft.moved = True
    return ", ".join(map(draft.at, rows))


# -- changes to members


def delete_member(draft: Draft) -> str | None:
    """Take a member or an entry away."""
    row = draft.pick()
    place = spot(draft, row) if row else None
    if row is None or place is None:
        return None
    del place[0][place[1]]
    return f"{draft.at(row)} {place[2]}"


def rename_member(draft: Draft) -> str | None:
    """Give a member another name."""
    row = draft.pick()
    place = spot(draft, row) if row else None
    if row is None or place is None or not isinstance(place[1], str):
        return None
    name = draft.rng.choice((place[1] + "x", place[1].upper(), "__proto__", "0", ""))
    held = {name if key == place[1] else key: value for key, value in place[0].items()}
    place[0].clear()
    place[0].update(held)
    return f"{draft.at(row)} {place[2]} to {name!r}"


def add_member(draft: Draft) -> str | None:
    """Put a member or an entry where none was."""
    row = draft.pick()
    places = [place for place in spots({"": row.value}) if isinstance(place[0][place[1]], (dict, list))] if row else []
    if row is None or not places:
        return None
    holder, key, path = draft.rng.choice(places)
    value = anything(draft)
    if isinstance(holder[key], list):
        holder[key].insert(draft.rng.randint(0, len(holder[key])), value)
        return f"{draft.at(row)} {path[2:]}[] {value!r}"
    names = draft.stock.members(draft.version, row.value.get("type")) if path == "$.." else []
    name = draft.rng.choice(("extra", *names, *draft.stock.names(draft.version)))
    holder[key][name] = value = draft.stock.value(draft.version, name, draft.rng, value)
    return f"{draft.at(row)} {path[2:]}.{name} {str(value)[:60]!r}"


def anything(draft: Draft) -> Any:
    """Give some value."""
    rng = draft.rng
    literal = f"@{rng.choice(NUMBERS)}@"
    return rng.choice((None, True, False, 0, 1, -1, rng.choice(TEXTS), [], {}, [None], {"x": 1}, literal, literal))


def retype(draft: Draft) -> str | None:
    """Put something of another type in the place of a value."""
    row = draft.pick()
    place = spot(draft, row) if row else None
    if row is None or place is None:
        return None
    old, new = place[0][place[1]], anything(draft)
    place[0][place[1]] = new
    return f"{draft.at(row)} {place[2]} {str(old)[:60]!r} to {new!r}"


def nudge(draft: Draft) -> str | None:
    """Change a number a little, or how it is spelled."""
    row = draft.pick()
    place = spot(draft, row, (int, float)) if row else None
    if row is None or place is None or isinstance(place[0][place[1]], bool):
        return None
    old = place[0][place[1]]
    new = draft.rng.choice(
        (old + 1, old - 1, old + 1, old - 1, 0, -old, f"@{old}.0@", f"@{old}e0@", f"@{draft.rng.choice(NUMBERS)}@")
    )
    place[0][place[1]] = new
    return f"{draft.at(row)} {place[2]} {old} to {new}"


def reword(draft: Draft) -> str | None:
    """Change a text."""
    row = draft.pick()
    place = spot(draft, row, str) if row else None
    if row is None or place is None:
        return None
    old = place[0][place[1]]
    new = draft.rng.choice((old + "x", old[:-1], old.upper(), draft.rng.choice(TEXTS)))
    place[0][place[1]] = new
    return f"{draft.at(row)} {place[2]} {old[:60]!r} to {new[:60]!r}"


def relist(draft: Draft) -> str | None:
    """Empty, reverse, double or shorten a list."""
    row = draft.pick()
    place = spot(draft, row, list) if row else None
    if row is None or place is None:
        return None
    old = place[0][place[1]]
    new = draft.rng.choice(([], old[::-1], old + old, old[1:], old[:-1], [*old, None], [old]))
    place[0][place[1]] = new
    return f"{draft.at(row)} {place[2]} of {len(old)} to {str(new)[:60]}"


def borrow(draft: Draft) -> str | None:
    """Give a member the value that the same member has elsewhere."""
    row = draft.pick()
    place = spot(draft, row) if row else None
    if row is None or place is None or not isinstance(place[1], str):
        return None
    own = [
        holder[key]
        for other in draft.rows
        for holder, key, _ in spots(other.value)
        if key == place[1] and holder[key] != place[0][place[1]]
    ]
    old = place[0][place[1]]
    new = (
        draft.rng.choice(own)
        if own and draft.rng.random() < 0.7
        else draft.stock.value(draft.version, place[1], draft.rng, old)
    )
    if new == old:
        return None
    place[0][place[1]] = json.loads(json.dumps(new))
    return f"{draft.at(row)} {place[2]} {str(old)[:60]!r} to {str(new)[:60]!r}"


def ignorable(draft: Draft) -> str | None:
    """Mark a record, rightly or not."""
    row = draft.pick()
    if row is None:
        return None
    row.value["ignorable"] = draft.rng.choice((True, True, True, False, None, 1))
    return f"{draft.at(row)} {row.value['ignorable']}"


def other_type(draft: Draft) -> str | None:
    """Give a record another type, known or not."""
    row = draft.pick()
    if row is None:
        return None
    note = draft.at(row)
    known = sorted(format_types(draft.version))
    row.value["type"] = draft.rng.choice(
        (draft.rng.choice(known), draft.rng.choice(UNKNOWN), draft.rng.choice(UNKNOWN))
    )
    if draft.rng.random() < 0.4:
        row.value["ignorable"] = True
    return f"{note} to {row.value['type'][:60]!r}, ignorable {row.value.get('ignorable')}"


# -- changes to the surface


def surface_row(draft: Draft) -> Row | None:
    """Give some record of a surface type."""
    kinds = sorted(SURFACE_TYPES[draft.version])  # a list, for a type may be anything
    rows = [row for row in draft.rows[1:] if isinstance(row.value, dict) and row.value.get("type") in kinds]
    return draft.fresh(draft.rng.choice(rows)) if rows else None


def marker(draft: Draft) -> str | None:
    """Change surfaceOp, mostly to a replacement of something."""
    row = surface_row(draft) if draft.rng.random() < 0.9 else draft.pick()
    if row is None:
        return None
    rng, own = draft.rng, row.value.get("seq")
    top = own + 1 if type(own) is int and own > 0 else 3
    nodes = [other.value["seq"] for other in draft.rows[1:] if isinstance(other.value, dict) and other.value.get("surfaceOp")
             and type(other.value.get("seq")) is int and other.value["seq"] <= top] or [0]  # fmt: skip
    start, end = rng.choice((sorted((rng.choice(nodes), rng.choice(nodes))), [rng.randrange(top), rng.randrange(top)]))
    spelled = ({"op": "replace", "start": start, "end": end}, {"op": "replace", "startSeq": start, "endSeq": end})
    native = spelled[draft.version >= 3]
    odd = (
        None,
        "Append",
        {"op": "append"},
        {**native, "x": 1},
        {"op": "replace"},
        spelled[draft.version < 3],
        [],
        ["append"],
    )
    new = rng.choice((native, native, native, native, "append", rng.choice(odd)))
    if rng.random() < 0.1:
        row.value.pop("surfaceOp", None)
        return f"{draft.at(row)} without surfaceOp"
    row.value["surfaceOp"] = new
    if new is native and rng.random() < 0.8:
        row.value["sourceEventSeqs"] = [node for node in sorted(set(nodes)) if node < top - 1] or [0]
    return f"{draft.at(row)} {new} citing {row.value.get('sourceEventSeqs')}"


def sources(draft: Draft) -> str | None:
    """Change sourceEventSeqs, with ranges."""
    row = surface_row(draft) if draft.rng.random() < 0.9 else draft.pick()
    if row is None:
        return None
    rng, own = draft.rng, row.value.get("seq")
    top = own if type(own) is int and own > 1 else 2
    one, two = sorted((rng.randrange(top), rng.randrange(top)))
    old = row.value.get("sourceEventSeqs")
    cited = old if isinstance(old, list) else [one]
    new = rng.choice((
        [], [one], [one, one], [top], [top + 1], [[one, two]], [[two, one]], [[one, two], two], [one, [one, two]], [[one, top]],
        [[one]], [[one, two, two]], [f"@{one}.0@"], ["@-0@"], [None], [str(one)], None, "0", {}, [*cited, one], cited[::-1],
        cited[1:], cited[:-1], [[0, 9007199254740991]], list(range(top)), [[0, top - 1]], [two, one],
    ))  # fmt: skip
    row.value["sourceEventSeqs"] = new
    return f"{draft.at(row)} {str(old)[:60]} to {str(new)[:60]}"


# -- changes to text, tail, header and frames


def bad_row(draft: Draft) -> str | None:
    """Spoil the text of a record."""
    if len(draft.rows) < 2:
        return None
    at = len(draft.rows) - 1 if draft.rng.random() < 0.5 else draft.rng.randint(1, len(draft.rows) - 1)
    row = draft.rows[at]
    text = row.stored()
    row.text = draft.rng.choice((text[:-1], text + b",", text[: len(text) // 2], b"", b"null", b"[1]", b"{}", text.replace(b"{", b"[", 1),
                                 b"\xef\xbb\xbf" + text, text + b"\0", text.replace(b":", b":\xff", 1)))  # fmt: skip
    row.value = None
    return f"line {at + 1}: {row.text[-40:]!r}"


def behind(draft: Draft) -> str | None:
    """Put a bad record before the end, and some form of turn/end behind it."""
    rng = draft.rng
    at = rng.randint(max(1, len(draft.rows) - 6), len(draft.rows))
    frame = draft.rows[at - 1].frame or 1
    seq = at - 1
    gap = {"type": "session/title", "seq": seq + 7, "time": 1700000000000, "data": {"title": "x"}}
    bad = rng.choice((b"{", b"{}", b'{"type":"x"}', b"[]", json.dumps(gap).encode()))
    end: dict[str, Any] = {
        "type": "turn/end",
        "seq": seq,
        "time": 1700000000000,
        "data": {"turn": 1, "reason": {"kind": "completed"}},
    }
    member = rng.choice(("seq", "time", "data", "ignorable", "extra", "surfaceOp", "sourceEventSeqs"))
    if rng.random() < 0.7:
        if rng.random() < 0.4:
            end.pop(member, None)
        else:
            end[member] = anything(draft)
    draft.rows.insert(at, Row(value=None, text=bad, frame=frame))
    place = rng.choice((at + 1, len(draft.rows)))
    draft.rows.insert(place, Row(value=end, text=None, frame=draft.rows[place - 1].frame))
    return f"line {at + 1} {bad[:30]!r}, line {place + 1} {end}"


def respell(draft: Draft) -> str | None:
    """Spell the text of a record in another way that means the same or nearly so."""
    row = draft.pick()
    if row is None:
        return None
    text = row.stored()
    ways = (
        b" " + text + b"\t\r",
        text.replace(b'":', b'" : ', 3),
        text[:-1] + b',"time":5}',
        text[:-1] + b',"seq":0}',
        text[:-1] + b',"__proto__":{"seq":1}}',
        b'{"type":"turn/end",' + text[1:],
        text.replace(b'"type"', b'"ty\\u0070e"', 1),
        text.replace(b'":"', b'":"\xff', 1),
        text.replace(b'":"', b'":"\\ud800', 1),
        re.sub(rb'("seq0?":\d+)', rb"\1.0", text, count=1),
        re.sub(rb'("time0?":\d+)', rb"\1e0", text, count=1),
    )
    way = draft.rng.randrange(len(ways))
    row.text = ways[way]
    return f"{draft.at(row)} in way {way}"


def torn(draft: Draft) -> str:
    """Let the log end in something."""
    draft.tail = draft.rng.choice((*TAILS, draft.rows[-1].stored(), draft.rows[-1].stored()[:-9]))
    return repr(draft.tail[:40])


def header(draft: Draft) -> str:
    """Change a member of the header."""
    row, rng = draft.fresh(draft.rows[0]), draft.rng
    names = ("type", "version", "id", "createdAt", "cwd", "parentSession", "isSeeded", "seedLength", "delegationDepth",
             "sandboxMode", "approvalPolicy", "extra", "agentPreset")  # fmt: skip
    name = rng.choice(names)
    if isinstance(row.value, dict):
        if rng.random() < 0.25:
            row.value.pop(name, None)
            return f"without {name}"
        row.value[name] = rng.choice(
            (anything(draft), anything(draft), rng.randrange(12), "/x", "rel", "/x/../y", not row.value.get(name))
        )
        return f"{name} {row.value[name]!r}"
    return "as it is"


def reframe(draft: Draft) -> str | None:
    """Change how records lie in frames, or the bytes of the file."""
    rng = draft.rng
    if draft.suffix == ".jsonl":
        return None
    way = rng.choice(
        ("one", "each", "header", "flip", "cut", "zeros", "foreign", "skippable", "empty", "bare", "no checksum")
    )
    if way == "one":
        for row in draft.rows[1:]:
            row.frame = 1
    elif way == "each":
        for number, row in enumerate(draft.rows):
            row.frame = number
    elif way == "header":
        for row in draft.rows[: rng.choice((2, len(draft.rows)))]:
            row.frame = 0
    else:
        where, bit = rng.random(), 1 << rng.randrange(8)
        draft.file = {
            "flip": lambda data: flipped(data, int(where * len(data)), bit),
            "cut": lambda data: data[: int(where * len(data))],
            "zeros": lambda data: data + b"\0" * int(where * 80),
            "foreign": lambda data: data + b"abcdefgh"[: 1 + int(where * 8)],
            "skippable": lambda data: data + b"\x50\x2a\x4d\x18\x04\0\0\0abcd"[: 4 + int(where * 9)],
            "empty": lambda data: data + compressed(b""),
            "bare": lambda data: data + compressed(b'{"type":"x"}', checksum=False, size=False),
            "no checksum": lambda data: b"".join(compressed(text, checksum=False) for text in frames(data)),
        }[way]
    return way


def flipped(data: bytes, at: int, bit: int) -> bytes:
    """Change one bit."""
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :] if at < len(data) else data


CHANGES: dict[Callable[[Draft], str | None], int] = {
    drop: 4,
    unbalance: 12,
    duplicate: 4,
    swap: 5,
    graft: 9,
    invent: 9,
    delete_member: 12,
    rename_member: 3,
    add_member: 6,
    retype: 14,
    nudge: 8,
    reword: 5,
    relist: 4,
    borrow: 16,
    ignorable: 3,
    other_type: 4,
    marker: 9,
    sources: 5,
    bad_row: 4,
    behind: 4,
    respell: 3,
    torn: 2,
    header: 2,
    reframe: 4,
}
TEXTUAL = frozenset({bad_row, behind, respell, torn})

"""Tiny logs in a compact form: rows, frames and files that differ in one thing, turned into bytes and into lines.

Only `explain` and the tests load this; judging a log never does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from orjson import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row = dict[str, Any]

_AUTO = "(auto)"  # stands for the seq and the time that follow from the position
GONE = object()  # the value of a member that is to be taken away

_EPOCH = 100  # ms; the time of event 0
_FIRST_BYTES = b"\x28\xb5\x2f\xfd"  # magic of a zstd frame
_WINDOW = b"\x58"  # the window of every frame that dsh writes
_CHECKSUM = 0x04  # the bit of a frame descriptor that promises a checksum
_HEX_SHOWN = 16  # bytes of a stretch that is no text


class Raw(bytes):
    """Bytes that stand in the file as they are."""

    __slots__ = ()


class Frame(NamedTuple):
    """One zstd frame of a single uncompressed block, so that no compressor is needed.

    `cut` bytes are missing at its end, `descriptor` is its third field, `checksum` its last one; `text_cut`
    bytes are missing at the end of the text before it is framed.
    """

    rows: tuple[Row | bytes, ...]
    cut: int = 0
    text_cut: int = 0
    descriptor: int = 0
    checksum: bytes = b""
    note: str = "frame"

    def framed(self, text: bytes) -> bytes:
        """Give the frame of a text."""
        inside = text[: len(text) - self.text_cut]
        block = (len(inside) << 3 | 1).to_bytes(3, "little") + inside
        whole = _FIRST_BYTES + bytes([self.descriptor]) + _WINDOW + block + self.checksum
        return whole[: len(whole) - self.cut]


Part = Row | bytes | Frame


class Link(NamedTuple):
    """A symbolic link; the target is relative to the folder that holds it."""

    target: str


class Folder(NamedTuple):
    """An empty directory."""


class Held(NamedTuple):
    """A `session.lock` that another process holds."""


class Stored(NamedTuple):
    """A SQLite database with one session, made of the rows of a v0 log.

    `sql` is run once it is built, in tables that take any value. `beside` is the ending of a file that lies
    beside it, `zero` the table whose page is zero (sqlite_schema: the first page behind the header of the file),
    `text` what stands in the file in place of a database. `note` says all this in words.
    """

    rows: tuple[Part, ...]
    note: str = "sound"
    sql: tuple[str, ...] = ()
    beside: str = ""
    zero: str = ""
    text: bytes | None = None

    def lines(self) -> bytes:
        """Give the log out of which the rows are made."""
        return content(self.rows)


Entry = tuple[Part, ...] | Link | Folder | Held | Stored
Tree = dict[str, Entry]  # path below the home of dsh -> what stands there; written in this order


class Example(NamedTuple):
    """A broken log and a sound one, which share `before` and `after`; or two small trees of files.

    `deep` says that streams must be replayed to see it. `scaled` says that the defect is one of size and
    needs smaller limits than the real ones here. `grows` says that the log is written to while it is read.
    `asked` is the path of a tree that is judged.
    """

    bad: tuple[Part, ...] = ()
    good: tuple[Part, ...] = ()
    before: tuple[Part, ...] = ()
    after: tuple[Part, ...] = ()
    version: int = 4
    deep: bool = False
    scaled: bool = False
    grows: bool = False
    folded: bool = False  # seen only by the library's fold without projections
    bad_tree: Tree | None = None
    good_tree: Tree | None = None
    asked: str = "sessions"
    upgrade: bool = False  # the upgrade of the log must be judged to see it
    readers: tuple[str, str] = ("latest", "latest")  # the reader asked for: of the bad log, of the good one

    @property
    def name(self) -> str:
        """Give the canonical file name of the log."""
        stem = "session" if self.version == 0 else f"session.v{self.version}"
        framed = any(type(part) is Frame for part in (*self.before, *self.bad, *self.good, *self.after))
        return f"{stem}.jsonl" + (".zstd" if framed else "")

    def data(self, which: str) -> bytes:
        """Give the bytes of the log, `which` is "bad" or "good"."""
        return b"".join(data for data, _ in _written(self._parts(which)))

    def lines(self, which: str) -> list[tuple[bool, str]]:
        """Give the log as lines that can be read; True marks those in which bad and good differ."""
        own = len(self.bad if which == "bad" else self.good)
        shared = next((n for n, (a, b) in enumerate(zip(self.bad, self.good, strict=False)) if a != b), None)
        same = min(len(self.bad), len(self.good)) if shared is None else shared
        first, own = len(self.before) + same, own - same
        return [
            (first <= index < first + own, line)
            for index, (_, lines) in enumerate(_written(self._parts(which)))
            for line in lines
        ]

    def _parts(self, which: str) -> tuple[Part, ...]:
        return (*self.before, *(self.bad if which == "bad" else self.good), *self.after)


def tree_lines(tree: Tree, other: Tree) -> list[tuple[bool, str]]:
    """Give a tree as lines, a path each; True marks the entries that the other tree does not have."""
    out = []
    for path, entry in tree.items():
        if isinstance(entry, Link):
            shown = f"{path} -> {entry.target}"
        elif isinstance(entry, Folder):
            shown = f"{path}/"
        elif isinstance(entry, Held):
            shown = f"{path}  (held by a running dsh)"
        elif isinstance(entry, Stored):
            shown = f"{path}  (a database of dsh 0.1.1: {entry.note})"
        else:
            first = next((line for _, lines in _written(entry) for line in lines), "(empty)")
            rest = sum(len(lines) for _, lines in _written(entry)) - 1
            shown = f"{path}  {first}" + (f"  (+ {rest} more)" if rest > 0 else "")
        out.append((other.get(path) != entry, shown))
    return out


def content(entry: Iterable[Part]) -> bytes:
    """Give the bytes of a log that stands in a tree."""
    return b"".join(data for data, _ in _written(entry))


def _written(parts: Iterable[Part]) -> list[tuple[bytes, list[str]]]:
    """Give each part as bytes and as lines; positions run on from part to part."""
    writer = _Writer()
    return [writer.part(part) for part in parts]


class _Writer:
    """Knows the position of the next event and how many rows there were."""

    def __init__(self) -> None:
        self._seq = 0
        self._clock = _EPOCH

    def part(self, part: Part) -> tuple[bytes, list[str]]:
        if isinstance(part, Frame):
            lines = [self._line(row) for row in part.rows]
            shown = [f"[{part.note}] {_shown(line)}" for line in lines] or [f"[{part.note}]"]
            return part.framed(b"".join(line + b"\n" for line in lines)), shown
        if isinstance(part, Raw):
            return bytes(part), [_shown_bytes(part)]
        line = self._line(part)
        return line + b"\n", [_shown(line)]

    def _line(self, row: Row | bytes) -> bytes:
        self._clock += 1
        if isinstance(row, bytes):
            # A line that is no record stands where a record should stand.
            self._seq += 1
            return row
        if row.get("type") == "session":
            self._clock = _EPOCH - 1
            return dumps(row)
        out = dict(row)
        packed = "seq0" in out
        place, clock = ("seq0", "time0") if packed else ("seq", "time")
        if out.get(place) == _AUTO:
            out[place] = self._seq
        if out.get(clock) == _AUTO:
            out[clock] = self._clock
        seq = out.get(place, self._seq)
        members = len(next(out["data"][name] for name in ("texts", "args") if name in out["data"])) if packed else 1
        self._seq = (seq if type(seq) is int and seq >= 0 else self._seq) + members
        return dumps(out)


def _shown(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace")


def _shown_bytes(data: bytes) -> str:
    """Show bytes: text as it is, anything else as hexadecimal digits."""
    if not data:
        return "(nothing)"
    if all(32 <= byte < 127 for byte in data):  # noqa: PLR2004 - printable ASCII
        return f"{_shown(data)}  (no line feed)"
    more = f" ... ({len(data)} bytes)" if len(data) > _HEX_SHOWN else ""
    return f"[bytes] {data[:_HEX_SHOWN].hex(' ')}{more}"


# -- rows


def event(kind: str, data: object = None, **members: object) -> Row:
    """Give an event; its seq and its time follow from its position."""
    return {"type": kind, "seq": _AUTO, "time": _AUTO, "data": {} if data is None else data, **members}


def packed(kind: str, data: Row) -> Row:
    """Give a packed chunk row of v0 or v1."""
    return {"type": kind, "seq0": _AUTO, "time0": _AUTO, "data": data}


def but(row: Row, path: str, value: object) -> Row:
    """Give a copy of a row with another value at a dotted path; GONE takes the member away."""
    copy: Row = loads(dumps(row))
    here: Any = copy
    *parents, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in parents:
        here = here[step]
    if value is GONE:
        del here[last]
    else:
        here[last] = value
    return copy


def at(row: Row, seq: int, time: int | None = None) -> Row:
    """Give a copy of an event that claims a position, and a time if asked for."""
    return {**row, "seq": seq, **({} if time is None else {"time": time})}


def head(version: int = 4, /, **members: object) -> Row:
    """Give a header; members replace or add, GONE takes one away."""
    seeded: Row = {} if version < 2 else {"isSeeded": False}  # noqa: PLR2004 - the generation
    whole = {"type": "session", "version": version, "id": "s1", "createdAt": 1, "cwd": "/home/u/p", **seeded}
    merged = {**whole, "delegationDepth": 0, **members}
    return {name: value for name, value in merged.items() if value is not GONE}


def turn(number: int = 1) -> Row:
    """Give a turn/start."""
    return event("turn/start", {"turn": number})


def turn_end(number: int = 1, kind: str = "completed") -> Row:
    """Give a turn/end."""
    return event("turn/end", {"turn": number, "reason": {"kind": kind}})


def step(number: int = 1, of: int = 1) -> Row:
    """Give a step/start."""
    return event("step/start", {"turn": of, "step": number})


def step_end(number: int = 1, of: int = 1) -> Row:
    """Give a step/end."""
    return event("step/end", {"turn": of, "step": number})


def text(words: str) -> Row:
    """Give a text block."""
    return {"type": "text", "text": words}


def message(name: str, role: str, source: Row, *content: object) -> Row:
    """Give a message."""
    return {"id": name, "role": role, "content": list(content), "source": source}


def user(words: str = "Hi", name: str = "m1", **members: object) -> Row:
    """Give a user/message that is appended, or placed as the members say."""
    data = message(name, "user", {"kind": "user"}, text(words))
    return event("user/message", data, **(members or {"surfaceOp": "append"}))


def asks(call_id: str = "c1", name: str = "ls", arguments: str = "{}") -> Row:
    """Give a tool-call block."""
    return {"type": "tool-call", "id": call_id, "name": name, "arguments": arguments}


def says(*content: object, name: str = "m2", **data: object) -> Row:
    """Give an assistant/message with an embedded stream that is empty; `data` adds or replaces members."""
    model = {"kind": "model", "provider": "p", "model": "m"}
    told = message(name, "assistant", model, *(content or (text("Hello"),)))
    return event("assistant/message", {"turn": 1, "step": 1, "message": told, "stream": [], **data}, surfaceOp="append")


def says_early(sources: Sequence[object] | None = None) -> Row:
    """Give an assistant/message of v0 and v1, which cites its chunks."""
    row = says()
    del row["data"]["stream"]
    return row if sources is None else {**row, "sourceEventSeqs": list(sources)}


def system(words: str = "Be brief.", name: str = "m0", **members: object) -> Row:
    """Give a system/message of v4."""
    told = message(name, "system", {"kind": "system-prompt"}, text(words))
    data = {"turn": 1, "step": 1, "message": told}
    return event("system/message", data, **(members or {"surfaceOp": "append"}))


def call(call_id: str = "c1") -> Row:
    """Give a tool/call."""
    return event("tool/call", {"turn": 1, "step": 1, "callId": call_id, "name": "ls", "arguments": "{}"})


def result(words: str = "a.txt", call_id: str = "c1", **members: object) -> Row:
    """Give a tool/result of v4."""
    told = {
        **message("m3", "tool", {"kind": "tool", "callId": call_id}, text(words)),
        "toolCallId": call_id,
        "isError": False,
    }
    return event("tool/result", {"turn": 1, "step": 1, "message": told}, **(members or {"surfaceOp": "append"}))


def wrapped(words: str = "a.txt", call_id: str = "c1") -> Row:
    """Give a tool/result of v0 to v3, whose content is one wrapper block."""
    block = {"type": "tool-result", "toolCallId": call_id, "content": [text(words)]}
    told = message("m3", "user", {"kind": "tool", "callId": call_id}, block)
    return event("tool/result", {"turn": 1, "step": 1, "message": told}, surfaceOp="append")


def span(start: int, end: int) -> Row:
    """Give a replacing surfaceOp of v3 and v4; both ends are included."""
    return {"op": "replace", "startSeq": start, "endSeq": end}


def request(reason: str = "initial", **header: object) -> Row:
    """Give a request/header."""
    return event("request/header", {"header": {"config": {"provider": "p", "model": "m"}, **header}, "reason": reason})


def chunk(said: Row, number: int = 1) -> Row:
    """Give an assistant/chunk event of v0 and v1 in a step of turn 1."""
    return event("assistant/chunk", {"turn": 1, "step": number, "chunk": said})


def delta(words: str) -> Row:
    """Give a text-delta chunk."""
    return {"type": "text-delta", "index": 0, "text": words}


def stream(*chunks: Row) -> list[Row]:
    """Give an embedded stream."""
    return [{"type": "chunk", "time": _EPOCH, "chunk": said} for said in chunks]

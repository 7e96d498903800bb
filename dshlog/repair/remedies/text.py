"""Texts that are none: bytes that are not UTF-8, and halves of surrogate pairs. A replacement sign stands for each, as JavaScript puts it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dshlog.codec.chunkruns import PAYLOAD
from dshlog.repair.remedies.case import retell
from dshlog.repair.words import bytes_word
from dshlog.storage.jsontext import NotJSON, dumps, loads, well_formed
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

_FIRST, _SECOND = re.compile("[\ud800-\udbff]$"), re.compile("^[\udc00-\udfff]")
_DELTAS = {kind: member for _, kind, member in PAYLOAD.values()}


def utf8(case: Case) -> Action | None:
    """Write what every reader makes of bytes that are not UTF-8."""
    text = case.line.text
    if isinstance(text, Overlong):
        return None
    made = text.decode("utf-8", "replace").encode()
    if made == text:
        return None
    gone = len(text) - len(text.decode("utf-8", "ignore").encode())
    done = case.done(
        "edit", f"{bytes_word(gone)} that are not UTF-8 become U+FFFD, as dsh reads them", loss="these bytes"
    )
    retell(case.sheet, case.index, made)
    return done


def surrogates(case: Case) -> Action | None:
    """Write U+FFFD for each half of a pair that stands alone.

    A pair that was cut between two pieces of a stream is put together in the first one: its message has both halves.
    """
    if isinstance(case.line.text, Overlong):
        return None
    text, joined = _joined(case.line.text)
    made = well_formed(text)
    if made == case.line.text:
        return None
    said = ["a pair that was cut between two pieces is put together"] if joined else []
    said += ["each half of a surrogate pair becomes U+FFFD"] if made != text else []
    done = case.done("edit", "; ".join(said), loss="none" if made == text else "these halves")
    retell(case.sheet, case.index, made)
    return done


def _joined(text: bytes) -> tuple[bytes, bool]:
    """Give a line in which no pair is cut between two pieces, and whether one was."""
    try:
        row: Any = loads(text)
    except NotJSON:
        return text, False
    data = row.get("data") if type(row) is dict else None
    if type(data) is not dict:
        return text, False
    stream = data.get("stream")
    records = [{**data, "type": row.get("type")}] if "seq0" in row else stream if type(stream) is list else []
    last: dict[tuple[object, ...], tuple[Any, Any]] = {}
    joined = False
    for kind, holder, name in _pieces(records):
        before = last.get(kind)
        last[kind] = holder, name
        if before is None or not _FIRST.search(before[0][before[1]]) or not _SECOND.search(holder[name]):
            continue
        whole = before[0][before[1]] + holder[name][0]
        before[0][before[1]] = whole.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        holder[name] = holder[name][1:]
        joined = True
    return (dumps(row) + b"\n", True) if joined else (text, False)


def _pieces(records: list[Any]) -> Iterator[tuple[tuple[object, ...], Any, Any]]:
    """Yield the pieces of a stream in order: of which block, and where each text is held."""
    for record in records:
        if type(record) is not dict:
            continue
        kind, chunk = record.get("type"), record.get("chunk")
        if type(kind) is str and kind in PAYLOAD:
            member, delta, _ = PAYLOAD[kind]
            held = record.get(member)
            for at, piece in enumerate(held if type(held) is list else ()):
                if type(piece) is str:
                    yield (delta, repr(record.get("index"))), held, at
        elif type(chunk) is dict and type(chunk.get("type")) is str:
            name = _DELTAS.get(chunk["type"])
            if name is not None and type(chunk.get(name)) is str:
                yield (chunk["type"], repr(chunk.get("index"))), chunk, name

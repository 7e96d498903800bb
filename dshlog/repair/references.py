"""Every place in an event that names the position of another: moved when events are dropped or put in.

Source: events.md E-013, E-015, P-067, P-091..P-103, P-222, P-234, P-235, R-033a; storage.md §3 for `seedLength`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dshlog.codec.sources import encode_sources, expand
from dshlog.model.number import MAX_SAFE, as_count
from dshlog.storage.jsontext import NotJSON, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable

    Event = dict[str, Any]
    Move = Callable[[int], int | None]

_MOST = 1 << 22  # citations of one event that are moved
_ENDS = ("start", "end", "startSeq", "endSeq")
_LAST = frozenset({"end", "endSeq"})
_LISTS = ("shadowedSeqs", "messageSeqs")
_SINGLE = {"command/done": "sourceEventSeq", "developer/message": "headerSeq"}
_HEAD = re.compile(rb'\{"type":"[^"\\]*","seq":(0|[1-9]\d{0,14}),"time":')
_PACKED = re.compile(rb'\{"type":"(?:text|reasoning|tool-call)-chunks","seq0":(0|[1-9]\d{0,14}),"time0":')
_TAIL = re.compile(rb',"sourceEventSeqs":(\[[\d,\[\]]*\])(?:,"surfaceOp":"append")?\}\n?\Z')
_NUMBER = re.compile(rb"\d+")
_NAMING = (b'"start"', b'"end"', b'"targets"', b"interrupted-tool", b"forked-tool", b"\\u00")  # what else may name one
_OWN_NUMBER = 3  # the first generation in which the number in the id of a result need not be its own seq


class Shift:
    """Moves positions: those from `start` on by `by`; of a negative shift the ones just below `start` are gone.

    `own_only` says that only the positions of events move, and what they name is right already.
    """

    def __init__(self, start: int, by: int, *, own_only: bool = False) -> None:
        self.start, self.by, self.own_only = start, by, own_only

    def __call__(self, seq: int) -> int | None:
        """Give the new position; None for an event that is gone."""
        if seq >= self.start:
            return seq + self.by
        return None if self.by < 0 and seq >= self.start + self.by else seq

    def all(self, seqs: list[int]) -> list[int]:
        """Give the new positions of those that are not gone."""
        start, by = self.start, self.by
        first_gone = start + min(by, 0)
        return [seq + by if seq >= start else seq for seq in seqs if seq >= start or seq < first_gone]


class Moves:
    """Shifts one after the other, in a log of one generation, for lines that they move at once."""

    own_only = False

    def __init__(self, version: int, *shifts: Shift) -> None:
        self.version, self.shifts = version, shifts

    def __call__(self, seq: int) -> int | None:
        """Give the new position; None for an event that is gone."""
        at: int | None = seq
        for shift in self.shifts:
            if at is None:
                return None
            at = shift(at)
        return at

    def all(self, seqs: list[int]) -> list[int]:
        """Give the new positions of those that are not gone."""
        for shift in self.shifts:
            seqs = shift.all(seqs)
        return seqs


def moved_text(text: bytes, move: Shift | Moves, version: int) -> bytes | None:
    """Give the line of an event as `moved_row` moves it; None when nothing in it moves.

    In a line that is spelled as dsh spells most of them only the numbers are written anew.
    """
    plain = _plain(text)
    if plain is None:
        row = _object(text)
        made = None if row is None else moved_row(row, move, version, own_only=move.own_only)
        return None if made is None else dumps(made) + b"\n"
    first, last, cited = plain
    own = str(position(int(text[first:last]), move)).encode()
    behind = text[last:]
    if cited is not None and not move.own_only:
        start, end = cited
        held: Event = {"sourceEventSeqs": loads(text[start:end])}
        _cite(held, held["sourceEventSeqs"], move)
        if not held:
            return dumps(moved_row(_object(text) or {}, move, version)) + b"\n"
        behind = text[last:start] + dumps(held["sourceEventSeqs"]) + text[end:]
    made_text = text[:first] + own + behind
    return None if made_text == text else made_text


def _object(text: bytes) -> Event | None:
    try:
        value = loads(text)
    except NotJSON:
        return None
    return value if type(value) is dict else None


def _plain(text: bytes) -> tuple[int, int, tuple[int, int] | None] | None:
    """Give where the seq and the list of citations stand in a line that names no other position; None for other lines."""
    head = _HEAD.match(text)
    own = b'"seq":'
    if head is None:
        head, own = _PACKED.match(text), b'"seq0":'
    if head is None or not text.count(b'"seq') == text.count(own) == 1 or any(word in text for word in _NAMING):
        return None
    named = text.count(b"Seq")
    if not named:
        return (*head.span(1), None)
    tail = _TAIL.match(text, text.rfind(b',"sourceEventSeqs":['))
    return (*head.span(1), tail.span(1)) if tail is not None and named == 1 else None


def moved_row(row: Event, move: Move, version: int, *, own_only: bool = False) -> Event | None:
    """Give an event with its own position and every position that it names moved; None when none does.

    With `own_only` what it names stays: it is right already.

    A citation of an event that is gone is left out; an end of a span that is gone moves into the span.
    """
    out = dict(row)
    own = "seq0" if "seq0" in row and "seq" not in row else "seq"
    seq = as_count(row.get(own))
    if seq is not None:
        out[own] = position(seq, move)
    if own_only:
        return out if out.get(own) != row.get(own) else None
    if "sourceEventSeqs" in row:
        _cite(out, row["sourceEventSeqs"], move)
    op = row.get("surfaceOp")
    if type(op) is dict:
        out["surfaceOp"] = _span(op, move)
    data = row.get("data")
    if type(data) is dict:
        out["data"] = _data(row, data, move, version)
    return None if out == row else out


def _data(row: Event, data: Event, move: Move, version: int) -> Event:
    out = dict(data)
    kind = row.get("type")
    for name in _LISTS:
        if type(data.get(name)) is list:
            out[name] = [seq for entry in data[name] if (seq := _one(entry, move)) is not None]
    if type(data.get("shadowedRange")) is dict:
        out["shadowedRange"] = _span(data["shadowedRange"], move)
    single = _SINGLE.get(kind) if type(kind) is str else None
    if single is not None and as_count(data.get(single)) is not None:
        kept = _one(data[single], move)
        if kept is None:
            del out[single]
        else:
            out[single] = kept
    if kind == "image/offload" and type(data.get("targets")) is list:
        out["targets"] = [target for entry in data["targets"] if (target := _target(entry, move)) is not None]
    if _is_marker(kind, data, version):
        out["throughSeq"] = position(data["throughSeq"], move, back=True)
    if kind == "tool/result":
        _result_id(row, out, move, version)
    return out


def _is_marker(kind: object, data: Event, version: int) -> bool:
    """Tell whether an event is a delivery marker of the generation of the log; others are opaque."""
    if kind != "session-log-deepseek/delivery-accepted" or as_count(data.get("throughSeq")) is None:
        return False
    return (as_count(data.get("sessionFormatVersion")) or 0) == version


def _result_id(row: Event, data: Event, move: Move, version: int) -> None:
    """Move the number in the id of a synthetic result, where a reader compares it with a position."""
    message = data.get("message")
    name = message.get("id") if type(message) is dict else None
    if type(message) is not dict or type(name) is not str:
        return
    forked = name.startswith("forked-tool-result-")
    if not (forked or (version < _OWN_NUMBER and name.startswith("interrupted-tool-result-"))):
        return
    head, _, number = name.rpartition("-")
    if not (number.isascii() and number.isdecimal()):
        return
    if not forked and as_count(row.get("seq")) != int(number):
        return
    data["message"] = {**message, "id": f"{head}-{position(int(number), move)}"}


def _cite(out: Event, cited: object, move: Move) -> None:
    if type(cited) is not list:
        return
    if (
        isinstance(move, (Shift, Moves))
        and set(map(type, cited)) == {int}
        and min(cited) >= 0
        and max(cited) <= MAX_SAFE
    ):
        _put_cited(out, move.all(cited), cited, packed=False)
        return
    entries = _entries(cited)
    if sum(1 if isinstance(entry, int) else len(entry) for entry in entries) > _MOST:
        return  # no log has so many events; a reader refuses the list
    flat = list(expand(entries))
    kept = [seq for one in flat if (seq := move(one)) is not None]
    _put_cited(out, kept, flat, packed=any(type(entry) is list for entry in cited))


def _put_cited(out: Event, kept: list[int], flat: list[int], *, packed: bool) -> None:
    if kept == flat:
        return
    if kept or not flat:
        out["sourceEventSeqs"] = encode_sources(kept) if packed else kept
    else:
        del out["sourceEventSeqs"]


def _entries(cited: list[Any]) -> list[int | range]:
    out: list[int | range] = []
    for entry in cited:
        if type(entry) is list:
            ends = [as_count(end) for end in entry]
            if len(ends) == 2 and ends[0] is not None and ends[1] is not None:  # noqa: PLR2004 - first and last
                out.append(range(ends[0], ends[1] + 1))
        elif (seq := as_count(entry)) is not None:
            out.append(seq)
    return out


def _span(span: Event, move: Move) -> Event:
    out = dict(span)
    for name in _ENDS:
        seq = as_count(span.get(name))
        if seq is not None:
            out[name] = position(seq, move, back=name in _LAST)
    return out


def _target(entry: object, move: Move) -> object | None:
    if type(entry) is not dict or as_count(entry.get("seq")) is None:
        return entry
    seq = move(int(entry["seq"]))
    return None if seq is None else {**entry, "seq": seq}


def _one(entry: object, move: Move) -> Any:  # noqa: ANN401 - what is no position stays what it is
    seq = as_count(entry)
    return entry if seq is None else move(seq)


def position(seq: int, move: Move, *, back: bool = False) -> int:
    """Move a position that has to stay one: of an event that is gone it is that of the next one, or of the one before."""
    if isinstance(move, Moves):
        for shift in move.shifts:
            seq = position(seq, shift, back=back)
        return seq
    at = seq
    while at >= 0 and (found := move(at)) is None:
        at += -1 if back else 1
    return seq if at < 0 or found is None else found


def names_later(text: bytes, version: int) -> bool:
    """Tell whether an event names its own position or a later one, as after a renumbering that forgot what it names."""
    plain = _plain(text)
    if plain is not None:
        first, last, cited = plain
        return cited is not None and any(int(seq) >= int(text[first:last]) for seq in _NUMBER.findall(text, *cited))
    row = _object(text)
    seq = None if row is None else as_count(row.get("seq"))
    if row is None or seq is None:
        return False
    late = False

    def see(other: int) -> int:
        nonlocal late
        late = late or other >= seq
        return other

    moved_row({**row, "seq": 0}, see, version)
    return late

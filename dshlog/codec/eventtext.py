"""The lines of the events of a packed row, made many at a time and proved part by part."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import orjson

from dshlog.codec.chunkruns import PAYLOAD, expand_row
from dshlog.storage.jsontext import dumps, loads, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MEMBERS = 4096  # events whose lines are held at once
_HEADS = 64  # blocks whose fixed text is kept
_LEAD, _TIME, _END = b'{"type":"assistant/chunk","seq":', b',"time":', b"}}}\n"
_THOUSAND = 1000
_DIGITS = [b"%03d" % number for number in range(_THOUSAND)]


class EventText:
    """The lines of the events of a well-formed packed row, as JavaScript writes them: `count` lines in `text`."""

    __slots__ = ("_at", "_lead", "_pieces", "_row", "_seqs", "_shared", "_times", "count", "text")

    def __init__(self, row: dict[str, Any]) -> None:
        """Make the lines; the row must be `lossless`."""
        kind, data = row["type"], row["data"]
        pieces = data[PAYLOAD[kind][0]]
        self._row = row
        self.count = count = len(pieces)
        self._lead, self._seqs = _seqs(int(row["seq0"]), count)
        self._at = list(accumulate(data["dt"], initial=row["time0"]))
        if type(self._at[-1]) is not int:  # a whole number that was spelled as another one
            self._at = list(map(int, self._at))
        self._times = orjson.dumps(self._at)[1:-1].split(b",")
        self._pieces = _texts(pieces)
        self._shared = _shared(kind, data["turn"], data["step"], data["index"], data.get("id"), data.get("name"))
        parts = [b"", _TIME, b"", self._shared, b"", _END + self._lead] * count
        parts[0::6], parts[2::6], parts[4::6] = self._seqs, self._times, self._pieces
        parts[0] = self._lead + parts[0]
        parts[-1] = _END
        self.text = b"".join(parts)

    def proved(self, line: bytes) -> bool:
        """Tell whether the text says what the row says that stands in a line.

        Each line of an event is a fixed text with three values in it. The fixed text is decoded once for each
        block, times are decoded here, pieces are compared with the bytes of the row or decoded where it spells
        them in another way, and bytes are counted. Seqs count up from that of the row.
        """
        text, count = self.text, self.count
        times, pieces = b",".join(self._times), b",".join(self._pieces)
        fixed = count * (len(self._lead) + len(_TIME) + len(self._shared) + len(_END)) - (2 * count - 2)
        first, last = len(self._seqs[0]), len(self._seqs[-1])
        seqs = count * first if first == last else sum(map(len, self._seqs))
        return (
            count == len(self._seqs) == len(self._times) == len(self._pieces)
            and len(text) == fixed + seqs + len(times) + len(pieces)
            and text.startswith(b"%b%d," % (_LEAD, self._row["seq0"]))
            and orjson.loads(b"[%b]" % times) == self._at
            and (line.endswith(b"[%b]}}\n" % pieces) or _values(pieces) == self._row["data"][self._name])
        )

    @property
    def _name(self) -> str:
        return PAYLOAD[self._row["type"]][0]


def event_texts(row: dict[str, Any]) -> Iterable[EventText]:
    """Give the lines of the events of a well-formed packed row; those of a long row in parts, made as they are asked for."""
    pieces = row["data"][PAYLOAD[row["type"]][0]]
    return (EventText(row),) if len(pieces) <= _MEMBERS else map(EventText, _cut(row))


def _cut(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Cut a long row into shorter ones that say the same."""
    name = PAYLOAD[row["type"]][0]
    data, times = row["data"], _times(row)
    for at in range(0, len(times), _MEMBERS):
        part = {name: data[name][at : at + _MEMBERS], "dt": data["dt"][at : at + _MEMBERS - 1]}
        yield {**row, "seq0": int(row["seq0"]) + at, "time0": times[at], "data": {**data, **part}}


def _seqs(seq: int, count: int) -> tuple[bytes, list[bytes]]:
    """Give the begin of each line and what follows there, so that both together end with a seq."""
    thousands, rest = divmod(seq, _THOUSAND)
    if thousands and rest + count <= _THOUSAND:
        return b"%b%d" % (_LEAD, thousands), _DIGITS[rest : rest + count]
    return _LEAD, [b"%d" % one for one in range(seq, seq + count)]


def _texts(pieces: list[str]) -> list[bytes]:
    """Give each piece as JavaScript writes it."""
    try:
        # All at once, each on a line of its own: no text has a line feed that is not escaped.
        return orjson.dumps(pieces, option=orjson.OPT_INDENT_2)[4:-2].split(b",\n  ")
    except TypeError:  # half a surrogate pair
        return list(map(dumps, pieces))


def _times(row: dict[str, Any]) -> list[int]:
    return list(accumulate(map(int, row["data"]["dt"]), initial=int(row["time0"])))


def _values(text: bytes) -> object:
    array = b"[%b]" % text
    try:
        return orjson.loads(array)
    except ValueError:  # half a surrogate pair
        return loads(array)


@lru_cache(_HEADS, typed=True)
def _shared(  # noqa: PLR0913, PLR0917 - what is spelled alike
    kind: str, turn: float, step: float, index: float, call_id: str | None, name: str | None
) -> bytes:
    """Give the text between the time and the piece, which all events of a block share.

    Raises:
        AssertionError: the text does not say what it has to; there is no value for which that is known.
    """
    pieces_name, chunk_type, piece_name = PAYLOAD[kind]
    call = {key: value for key, value in (("id", call_id), ("name", name)) if value is not None}
    named = b"".join(b',"%b":%b' % (key.encode(), dumps(value)) for key, value in call.items())
    numbers = dumps(turn), dumps(step), chunk_type.encode(), dumps(index), named, piece_name.encode()
    text = b',"data":{"turn":%b,"step":%b,"chunk":{"type":"%b","index":%b%b,"%b":' % numbers
    data = {"turn": turn, "step": step, "index": index, "dt": [], **call, pieces_name: [""]}
    (event,) = expand_row({"type": kind, "seq0": 0, "time0": 0, "data": data})
    decoded = loads(b'%b0%b0%b""%b' % (_LEAD, _TIME, text, _END))
    if decoded != event and not same(decoded, event, zero_sign=True):
        message = "the text of an event is not what it stands for"
        raise AssertionError(message)
    return text

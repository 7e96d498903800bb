"""What an event says apart from its own place and the places that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.chunkruns import PAYLOAD
from dshlog.migrate.references import references
from dshlog.model.number import as_count
from dshlog.storage.jsontext import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable

    Event = dict[str, Any]
    Move = Callable[[int], int]

_NAMING = frozenset(
    {"compaction/summary", "compaction/prune", "compact/summary", "compact/prune", "session/title"}
    | {"session/title-llm-request", "command/done", "image/offload", "developer/message"}
)
_ENDS = ("start", "end", "startSeq", "endSeq")


def names_others(event: Event) -> bool:
    """Tell whether an event may name other events by their seqs."""
    return "sourceEventSeqs" in event or type(event.get("surfaceOp")) is dict or event.get("type") in _NAMING


def moved(event: Event, move: Move) -> Event:
    """Give an event without its own seq, and with every seq that it names moved; the event itself stays as it is."""
    out = {name: value for name, value in event.items() if name != "seq"}
    sources, op = event.get("sourceEventSeqs"), event.get("surfaceOp")
    if type(sources) is list:
        out["sourceEventSeqs"] = [_moved(seq, move) for seq in sources]
    if type(op) is dict:
        out["surfaceOp"] = {name: _moved(value, move) if name in _ENDS else value for name, value in op.items()}
    kind = event.get("type")
    if type(kind) is str and kind in _NAMING and type(event.get("data")) is dict:
        data: Any = loads(dumps(event["data"]))
        for holder, name, _ in references(kind.replace("compact/", "compaction/"), data):
            holder[name] = _moved(holder[name], move)
        if "headerSeq" in data:
            data["headerSeq"] = _moved(data["headerSeq"], move)
        out["data"] = data
    return out


def _moved(value: object, move: Move) -> object:
    seq = as_count(value)
    return value if seq is None else move(seq)


def packs(version: int) -> bool:
    """Tell whether a generation packs chunk runs into rows."""
    return version < 2  # noqa: PLR2004 - the first that does not


def events_in(line: bytes, version: int) -> int:
    """Count the events of a stored line that a reader took, without expanding it."""
    if not packs(version) or b"-chunks" not in line:
        return 1
    row: Any = loads(line)
    kind = row.get("type")
    return len(row["data"][PAYLOAD[kind][0]]) if type(kind) is str and kind in PAYLOAD else 1

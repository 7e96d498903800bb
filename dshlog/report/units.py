"""Logs cut into what is compared at once: events, runs of chunks, or messages."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.codec.legacy import to_current
from dshlog.fold.stream import StreamError, expand_stream
from dshlog.model.comparison import Unit
from dshlog.model.vocabulary import SURFACE_TYPES
from dshlog.report.facts import facts, get
from dshlog.report.lens import Open
from dshlog.report.renumber import moved
from dshlog.storage.jsontext import fingerprint, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.header import Header

    Event = dict[str, Any]

CHUNK = "assistant/chunk"
_INT = {int}
_PARTS = ("id", "role", "toolCallId", "isError", "content")


class Raw(NamedTuple):
    """A unit as it is read: the seq of the first of `size` events, and the event that stands for them.

    `at` is the turn and step that it belongs to, None where those open at it are not known yet.
    """

    seq: int
    size: int
    event: dict[str, Any]
    at: tuple[object, object] | None = None


def event_units(events: Iterable[Event], start: int) -> Iterator[Raw]:
    """Yield the events of a log from seq `start` on, those of a run of chunks of one step as one unit."""
    held: list[Event] = []
    seq = start
    for event in events:
        if event.get("type") == CHUNK:
            if held and not _same_step(held[0], event):
                yield _run(held, seq - len(held))
                held = []
            held.append(event)
        else:
            if held:
                yield _run(held, seq - len(held))
                held = []
            yield Raw(seq, 1, event)
        seq += 1
    if held:
        yield _run(held, seq - len(held))


def _same_step(one: Event, other: Event) -> bool:
    left, right = one.get("data"), other.get("data")
    if type(left) is dict and type(right) is dict:
        steps = left.get("turn"), left.get("step"), right.get("turn"), right.get("step")
        if {*map(type, steps)} == _INT:
            return steps[:2] == steps[2:]
    return all(same(get(left, name), get(right, name)) for name in ("turn", "step"))


def _run(events: list[Event], seq: int) -> Raw:
    first = events[0]
    if len(events) == 1:
        return Raw(seq, 1, first)
    for event in events:
        event.pop("seq", None)
    data = {"turn": get(first, "data", "turn"), "step": get(first, "data", "step"), "chunks": events}
    return Raw(seq, len(events), {"type": CHUNK, "seq": seq, "time": first.get("time"), "data": data})


def message_units(events: Iterable[Event], header: Header, *, alike: bool) -> Iterator[Raw]:
    """Yield the messages of a log in the order in which they came, replacements too.

    Args:
        events: all of the log.
        header: of the log.
        alike: whether both logs are of one generation, so that sources and system messages count too.
    """
    kinds = SURFACE_TYPES[header.version]
    for seq, stored in enumerate(events):
        event = to_current(stored, seq, header.id, {}) if header.version == 0 else stored
        kind, data = event.get("type"), event.get("data")
        if type(kind) is not str or kind not in kinds or not (alike or kind != "system/message"):
            continue
        message = data if kind == "user/message" else get(data, "message")
        shown: dict[str, Any] = {"type": kind, "time": event.get("time"), "data": message_of(message, alike=alike)}
        if type(event.get("surfaceOp")) is dict:
            shown["replaces"] = True
        yield Raw(seq, 1, shown)


def message_of(message: object, *, alike: bool) -> object:
    """Give what a message says in one spelling for all generations; with `alike` as it is."""
    if alike or type(message) is not dict:
        return message
    content = message.get("content")
    block = content[0] if type(content) is list and len(content) == 1 else None
    if get(block, "type") == "tool-result" and message.get("role") == "user" and type(block) is dict:
        message = {"role": "tool", **{name: block[name] for name in block if name != "type"}, "id": message.get("id")}
    return {name: message[name] for name in _PARTS if name in message}


class Keys:
    """What units are found again by: `strong` is equal for the same content, `weak` for the same thing, `kind` for the same type.

    `seqs` are those of the first events, `end` stands behind the last.
    """

    def __init__(self, units: Iterable[Raw]) -> None:
        self.strong, self.weak, self.kind = array("q"), array("q"), array("q")
        self.seqs = array("q")
        self.end = 0
        for unit in units:
            kind = unit.event.get("type")
            self.seqs.append(unit.seq)
            self.end = unit.seq + unit.size
            self.strong.append(_number(moved(unit.event, _nowhere)))
            self.weak.append(_number([kind, *_identity(unit.event)]))
            self.kind.append(_number(kind))


def _nowhere(_: int) -> int:
    return 0


def _number(value: object) -> int:
    return int.from_bytes(fingerprint(value, zero_sign=True)[:8], "big", signed=True)


def _identity(event: Event) -> tuple[object, object]:
    """Give what says which thing an event is about: an id, else the time."""
    data = event.get("data")
    for name in ("id", "callId", "compactionId", "retryId", "childId", "commandId"):
        if (found := get(data, name)) is not None:
            return name, found
    found = get(data, "message", "id")
    return ("message", found) if found is not None else ("time", event.get("time"))


def equal(a: Event, b: Event) -> bool:
    """Tell whether two events of one seq say the same, however that and their streams are spelled."""
    a, b = ({name: value for name, value in event.items() if name != "seq"} for event in (a, b))
    if same(a, b, zero_sign=True):
        return True
    left, right = bare(a, b)
    return left is not a and same(left, right, zero_sign=True)


def bare(a: Event, b: Event) -> tuple[Event, Event]:
    """Give two events without their streams when these hold the same chunks; else as they are."""
    one, other = get(a, "data", "stream"), get(b, "data", "stream")
    if type(one) is not list or type(other) is not list or one is other:
        return a, b
    try:
        chunks = [[[time, chunk] for time, chunk in expand_stream(stream)] for stream in (one, other)]
    except StreamError:
        return a, b
    if not same(chunks[0], chunks[1], zero_sign=True):
        return a, b
    left, right = ({**event, "data": {**event["data"], "stream": None}} for event in (a, b))
    return left, right


class Shown:
    """Gives units as they are shown, with the turn and step that are open at each; feed them in order."""

    def __init__(self, place: Open | None = None) -> None:
        self._place = Open() if place is None else place

    def skip(self, raw: Raw) -> None:
        """Pass a unit that is not shown."""
        kind = raw.event.get("type")
        self._place.enter(kind, raw.event.get("data"))
        self._place.leave(kind)

    def unit(self, raw: Raw) -> Unit:
        """Give one unit."""
        event, data = raw.event, raw.event.get("data")
        kind = event.get("type")
        turn, step = self._place.enter(kind, data)
        self._place.leave(kind)
        turn, step = raw.at or (turn, step)
        words = facts(str(kind), _whole(kind, data), event.get("surfaceOp"))
        if raw.size > 1:
            words = f"{raw.size} chunks"
        value = {name: member for name, member in event.items() if name != "seq"}
        return Unit(raw.seq, raw.size, str(kind), turn, step, words, value)


def _whole(kind: object, data: object) -> object:
    """Give the payload to which a bare message belongs, for the words about it."""
    bare_message = type(data) is dict and "message" not in data and "content" in data and kind != "user/message"
    return {"message": data} if bare_message else data

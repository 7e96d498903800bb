"""What the edge from v2 to v3 admits: exact envelopes and payloads of the inventory of v2. Source: migration.md §6.2."""

from __future__ import annotations

from collections.abc import Iterator

from dshlog.codec.envelope import MEMBERS
from dshlog.fold.identity import ABSENT, member
from dshlog.fold.marker import marker_faults, source_faults
from dshlog.migrate.refusal import unknown_type
from dshlog.migrate.shape_events import payloads
from dshlog.migrate.shapes import Flaw, behind
from dshlog.migrate.stage import Event
from dshlog.model.number import as_count, as_int
from dshlog.model.vocabulary import SURFACE_TYPES
from dshlog.rules.admission import canonical

_GENERATION = 2
_PLAIN = {"type", "seq", "time", "data"}


def admission(event: Event, seq: int) -> Iterator[Flaw]:
    """Yield what the edge refuses about one event of v2, with paths from the event."""
    kind = event.get("type")
    known = payloads(_GENERATION)
    if type(kind) is not str or kind not in known:
        shown = kind if type(kind) is str and kind.isprintable() else "something unnamed"
        yield Flaw("$.type", f"{shown[:80]} is no event type of v2, ignorable or not", unknown_type(event))
        return
    if event.keys() != _PLAIN or as_int(event["time"]) is None or as_count(event["seq"]) is None:
        yield from _envelope(event, kind, seq)
    flaws = known[kind](event.get("data"), seq)
    if flaws is not None:
        yield from behind("$.data", flaws)
    elif kind == "tool/result":
        yield from _not_started(event["data"])


def _envelope(event: Event, kind: str, seq: int) -> Iterator[Flaw]:
    def flaw(path: str, words: str) -> Flaw:
        return Flaw(path, words, "upgrade-envelope")

    for name in _PLAIN - event.keys():
        yield flaw(f"$.{name}", f"{name} is missing")
    if not event.keys() <= MEMBERS:
        yield flaw("$", "the event has a member that no event has")
    if "time" in event and as_int(event["time"]) is None:
        yield flaw("$.time", "time is no integer")
    if "seq" in event and as_count(event["seq"]) is None:
        yield flaw("$.seq", "seq is no count")
    if event.get("ignorable", True) is not True:
        yield flaw("$.ignorable", "ignorable is present and not true")
    faults = marker_faults(event, seq, _GENERATION, opaque=False)
    op = event.get("surfaceOp")
    if not faults and type(op) is dict:
        for name in ("start", "end"):
            end = as_count(op.get(name))
            if end is None or end >= seq:
                yield flaw(f"$.surfaceOp.{name}", f"event {seq} replaces an event that is not earlier")
    sources = event.get("sourceEventSeqs", ABSENT)
    if not faults and sources is not ABSENT and kind in SURFACE_TYPES[_GENERATION]:
        if type(sources) is list:
            faults = source_faults(kind, sources, seq, _GENERATION)
        else:
            yield flaw("$.sourceEventSeqs", "sourceEventSeqs is no list")
    for fault in faults:
        yield flaw(fault.path or "$", fault.message)


def _not_started(data: dict[str, object]) -> Iterator[Flaw]:
    """P-066."""
    if member(data.get("error"), "code") != "TOOL_NOT_STARTED":
        return
    message = data["message"]
    name, call_id = member(message, "id"), member(member(message, "source"), "callId")
    if type(name) is not str or canonical(name, f"interrupted-tool-result-{call_id}-") is None:
        yield Flaw("$.data.message.id", "is not that of the result which a recovery writes for a call not started")

"""The surface marker of one event: may it carry one, must it, and is it well formed.

Source: surface.md §2-§4, events.md E-011..E-016.
"""

from __future__ import annotations

from typing import Any

from dshlog.codec.sources import PATH as SOURCES_PATH
from dshlog.codec.sources import Sources, relation_fault
from dshlog.model.fault import Fault
from dshlog.model.number import as_count
from dshlog.model.vocabulary import SURFACE_TYPES

ENDS = (("start", "end"),) * 3 + (("startSeq", "endSeq"),) * 2  # by generation
EMBEDDED_STREAMS = 2  # the first generation whose assistant messages cite no chunks
EARLY_ENDS = 3  # the first generation that wants the ends earlier than the event itself

Span = tuple[int, int]


def marker_faults(event: dict[str, Any], seq: int, version: int, *, opaque: bool) -> list[Fault]:
    """Check `surfaceOp` and the presence of `sourceEventSeqs` against the event's type.

    Args:
        event: the event, `type` a text.
        seq: its position.
        version: the generation whose rules hold.
        opaque: the type is unknown and marked ignorable; v3 and v4 then look at neither member.
    """
    kind = event["type"]
    if kind not in SURFACE_TYPES[version]:
        if opaque and version >= EARLY_ENDS:
            return []
        return [
            Fault("marker-on-log-only", f"{_named(kind)} never joins the surface, yet carries {name}", f"$.{name}")
            for name in ("surfaceOp", "sourceEventSeqs")
            if name in event
        ]
    if "surfaceOp" not in event:
        return [Fault("marker-missing", f"{kind} carries no surfaceOp", "$.surfaceOp")]
    op = event["surfaceOp"]
    if op == "append" and type(op) is str:
        return []
    span = read_span(op, version)
    if isinstance(span, Fault):
        return [span]
    if version >= EARLY_ENDS:
        return [
            Fault("replace-not-earlier", f"event {seq} replaces {end}, which is not earlier", f"$.surfaceOp.{name}")
            for name, end in zip(ENDS[version], span, strict=True)
            if end >= seq
        ]
    return []


def read_span(op: object, version: int) -> Span | Fault:
    """Give the inclusive ends of a replacement marker, or the fault in its form."""
    first, last = ENDS[version]
    if type(op) is not dict:
        return Fault("marker-malformed", "surfaceOp is neither append nor a replacement", "$.surfaceOp")
    if op.keys() != {"op", first, last}:
        return Fault(
            "marker-malformed", f"surfaceOp is not exactly op, {first}, {last}, as v{version} writes it", "$.surfaceOp"
        )
    if op["op"] != "replace":
        return Fault("marker-malformed", "surfaceOp.op is not replace", "$.surfaceOp.op")
    start, end = as_count(op[first]), as_count(op[last])
    if start is None or end is None:
        name = first if start is None else last
        return Fault("marker-malformed", f"surfaceOp.{name} is no seq", f"$.surfaceOp.{name}")
    return start, end


def source_faults(kind: str, sources: Sources, seq: int, version: int) -> list[Fault]:
    """Check the decoded `sourceEventSeqs` of a surface event: may it have any, are they distinct and earlier."""
    if kind == "assistant/message" and version >= EMBEDDED_STREAMS:
        return [Fault("sources-on-assistant", "an assistant/message cites no events in this generation", SOURCES_PATH)]
    if not sources:
        if kind == "assistant/message":
            return []
        return [Fault("sources-empty", f"{kind} has an empty sourceEventSeqs", SOURCES_PATH)]
    fault = relation_fault(sources, seq)
    return [fault] if fault else []


def _named(kind: str) -> str:
    """Show an event type in a message: types of the format as they are, others made printable."""
    return kind if kind.isprintable() and len(kind) <= 80 else ascii(kind[:80])  # noqa: PLR2004

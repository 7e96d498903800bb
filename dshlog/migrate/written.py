"""Events and headers as dsh writes them into a new generation. Source: migration.md §1.2, §7."""

from __future__ import annotations

from typing import Any

from dshlog.codec.sources import encode_sources, expand
from dshlog.migrate.stage import Event
from dshlog.model.header import Header
from dshlog.storage.jsontext import dumps

_SEED_IN_BODY = 2


def header_line(header: Header) -> bytes:
    """Give the header line of a log."""
    seeded: tuple[str, Any] = ("isSeeded", header.is_seeded)
    if header.version < _SEED_IN_BODY:
        seeded = ("seedLength", header.seed_length)
    members = {
        "type": "session",
        "version": header.version,
        "id": header.id,
        "createdAt": header.created_at,
        "cwd": header.cwd,
        "parentSession": header.parent_session,
        seeded[0]: seeded[1],
        "origin": header.origin,
        "delegationDepth": header.delegation_depth,
        "agentPreset": header.agent_preset,
    }
    return dumps({name: value for name, value in members.items() if value is not None}) + b"\n"


def event_line(event: Event) -> bytes:
    """Give the row of an event; its sources are packed as dsh packs them."""
    sources = event.get("sourceEventSeqs")
    if sources:
        event = {**event, "sourceEventSeqs": encode_sources(list(expand(sources)))}
    return dumps(event) + b"\n"

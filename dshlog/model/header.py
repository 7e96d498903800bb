"""The header record: the first line of every log, in the words of every generation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The header of one log.

    `seed_length` is the inherited cut of v0 and v1 (a count of events; None when not seeded); from v2
    on it is always None, the cut stands in the body, and `is_seeded` says that there is one.
    """

    version: int
    id: str
    created_at: int
    delegation_depth: int
    is_seeded: bool
    seed_length: int | None = None
    cwd: str | None = None
    parent_session: str | None = None
    origin: str | None = None
    agent_preset: str | None = None

"""The edges in a row: from the generation of a log to any later one. Source: migration.md §1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dshlog.migrate.children import Child
from dshlog.migrate.edge01 import FromV0
from dshlog.migrate.edge12 import FromV1
from dshlog.migrate.edge23 import FromV2, ptc_preset
from dshlog.migrate.edge34 import FromV3
from dshlog.migrate.refusal import READING, Refusal, Refusals
from dshlog.migrate.rows import Rows
from dshlog.migrate.stage import PackedStage, Stage
from dshlog.model.header import Header

LAST = 4
_SEED_IN_BODY = 2
_PTC = 3  # the first generation that calls the preset ptc


def header_of(header: Header, to: int) -> Header:
    """Give the header of the log in a later generation."""
    preset = ptc_preset(header.agent_preset) if header.version < _PTC <= to else header.agent_preset
    seed = header.seed_length if to < _SEED_IN_BODY else None
    return replace(header, version=to, agent_preset=preset, seed_length=seed)


class Chain:
    """The way of one log: `rows` takes its lines, the last stage its events in the generation asked for."""

    def __init__(self, header: Header, first: Stage, packed: PackedStage | None, refusals: Refusals) -> None:
        self._header = header
        self._refusals = refusals
        self._first = first
        self.rows = Rows(header.version, first, packed, refusals)

    def end(self) -> None:
        """Take the end of the log: the seed rule, and what waits in the edges."""
        header, rows = self._header, self.rows
        if self._refusals.stopped:
            return
        if header.version < _SEED_IN_BODY:
            if header.seed_length is not None and header.seed_length > rows.position:
                self._seed(
                    "seed-length-exceeds", f"seedLength is {header.seed_length}, the log has {rows.position} events"
                )
        elif header.is_seeded and rows.marker < 0:
            self._seed("seed-marker-missing", "isSeeded is true, but no inherited session/end-seed is accepted")
        elif rows.marker >= 0 and not header.is_seeded:
            self._seed("seed-marker-unexpected", "isSeeded is false, yet an inherited session/end-seed follows")
        self._first.end()

    def _seed(self, name: str, words: str) -> None:
        self._refusals.add(Refusal(READING, name, words, "$"))


def chain(header: Header, to: int, last: PackedStage, refusals: Refusals, children: Iterable[Child] = ()) -> Chain:
    """Put the edges in a row.

    Args:
        header: of the log as stored.
        to: the generation of the result, above that of the log.
        last: takes the result. With a refusal among `refusals` it is worth nothing.
        refusals: takes every reason for which dsh would not upgrade the log.
        children: the child sessions of the log, which the edge to v4 asks for.
    """
    if to < LAST:
        return early(header, to, last, last, refusals)
    lift = FromV3(header_of(header, LAST - 1), last, refusals, children)
    return early(header, LAST - 1, lift, None, refusals)


def early(header: Header, to: int, last: Stage, packed: PackedStage | None, refusals: Refusals) -> Chain:
    """Put the edges up to v3 in a row; `packed` is the last stage when it may get packed rows."""
    stage = last
    if header.version <= 2 < to:  # noqa: PLR2004 - the edge from 2
        stage = FromV2(header_of(header, 2), stage, refusals)
    if header.version <= 1 < to:
        stage = packed = FromV1(header_of(header, 1), stage, refusals, audit=header.version == 1)
    if header.version == 0 and packed is not None:
        stage = packed = FromV0(header, packed, refusals)
    return Chain(header, stage, packed, refusals)

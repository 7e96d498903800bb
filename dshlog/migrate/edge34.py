"""v3 to v4: tool results get their role, sources their kinds, the log its children. Source: migration.md §5."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from dshlog.fold.identity import ABSENT, member
from dshlog.migrate.children import Child, ConflictError, added_facts
from dshlog.migrate.messages4 import FormError, convert
from dshlog.migrate.references import references
from dshlog.migrate.refusal import Refusal, Refusals
from dshlog.migrate.stage import Event, Stage
from dshlog.migrate.turns import OpenTurn
from dshlog.model.header import Header
from dshlog.model.number import as_count
from dshlog.model.vocabulary import format_types

EDGE = "3->4"
INVENTORY = format_types(3)

_DELIVERY = "session-log-deepseek/delivery-accepted"


class FromV3:
    """The edge; `children` are the child sessions of the log."""

    def __init__(self, header: Header, behind: Stage, refusals: Refusals, children: Iterable[Child]) -> None:
        self._header = header
        self._behind = behind
        self._refusals = refusals
        self._children = children
        self._source = 0
        self._target = 0
        self._inserted: list[int] = []  # source seqs before which an event was put in
        self._open = OpenTurn(ends_step=False)
        self._cut = -1  # source seq of the last inherited marker
        self._time: Any = header.created_at
        self._catalog: list[Any] = []
        self._foreign: list[tuple[int, int]] = []
        self.restarted = False  # an interrupted turn was closed

    def hole(self, origin: int) -> None:
        """Keep the place of a refused event."""
        self._source += 1
        self._target += 1
        self._behind.hole(origin)

    def take(self, event: Event, origin: int) -> None:
        """Take one event."""
        kind, data = event.get("type"), event.get("data")
        self._restart(event, kind, data, origin)
        source, own = self._source, self._target
        self._source += 1
        self._target += 1
        event["seq"] = own
        self._time = event.get("time")
        if type(kind) is not str or kind not in INVENTORY:
            self._opaque(event, kind, origin)
            return
        if kind == "session/end-seed" and member(data, "inherited") is True:
            if not self._header.is_seeded:
                self._refuse(
                    "seed-marker-unexpected", "an inherited end-seed in an unseeded log", "$.data", origin, kind
                )
            self._cut = source
            self._catalog.clear()
        elif kind == "subagent/catalog":
            self._catalog.append(data)
        elif kind == _DELIVERY:
            self._delivery(data, source, origin)
        if self._inserted:
            self._remap(event, kind, data)
        try:
            convert(kind, data)
        except FormError as error:
            if not self._refusals.holds(origin):  # else an edge before has said why
                self._refuse(error.flaw.name, error.flaw.words, error.flaw.path, origin, kind)
        if kind == "request/header":
            self._tools(data, origin)
        self._behind.take(event, origin)

    def end(self) -> None:
        """Judge what the whole log decides, and add what the children say."""
        for source, origin in self._foreign:
            if self._header.parent_session is None or source >= self._cut:
                text = "the delivery marker names another session"
                self._refuse("upgrade-delivery", text, "$.data.sessionId", origin, _DELIVERY)
        try:
            for fact in added_facts(self._catalog, self._children):
                event = {"type": "subagent/catalog", "seq": self._target, "time": self._time, "data": fact}
                self._target += 1
                self._behind.take(event, self._source)
        except ConflictError as error:
            self._refuse("upgrade-catalog", str(error), None, None, "subagent/catalog")
        self._behind.end()

    def _restart(self, event: Event, kind: object, data: Any, origin: int) -> None:  # noqa: ANN401
        """Close an interrupted turn before the next one starts."""
        if type(kind) is str and self._open.restarts(kind, data):
            self._inserted.append(self._source)
            self.restarted = True
            closing = {"turn": self._open.turn, "reason": {"kind": "interrupted"}}
            self._behind.take(
                {"type": "turn/end", "seq": self._target, "time": event.get("time"), "data": closing}, origin
            )
            self._target += 1
        self._open.see(kind, data)

    def _opaque(self, event: Event, kind: object, origin: int) -> None:
        """Carry an event that the format does not know."""
        if type(kind) is str and event.get("ignorable") is True:
            event["type"] = f"plugin:{kind}"
        else:
            shown = kind if type(kind) is str and kind.isprintable() else "something unnamed"
            text = f"{shown[:80]} is no event type of v3, and the event is not ignorable"
            self._refuse("unknown-type", text, "$.type", origin, kind)
        self._behind.take(event, origin)

    def _delivery(self, data: Any, source: int, origin: int) -> None:  # noqa: ANN401
        version = member(data, "sessionFormatVersion")
        generation = 0 if version is ABSENT else as_count(version)
        where = "$.data.sessionFormatVersion"
        if type(data) is not dict or generation is None:
            self._refuse("upgrade-delivery", "the delivery marker has another form", "$.data", origin, _DELIVERY)
        elif generation == 4:  # noqa: PLR2004 - the generation of the result
            self._refuse("upgrade-delivery", "the delivery marker claims generation 4", where, origin, _DELIVERY)
        elif generation == 3:  # noqa: PLR2004 - its own
            name, through = data.get("sessionId"), as_count(data.get("throughSeq"))
            if type(name) is not str or not name or through is None or through >= source:
                text = "the delivery marker lacks a sessionId or an earlier throughSeq"
                self._refuse("upgrade-delivery", text, "$.data", origin, _DELIVERY)
            elif name != self._header.id:
                self._foreign.append((source, origin))

    def _tools(self, data: Any, origin: int) -> None:  # noqa: ANN401
        tools = member(member(data, "header"), "tools")
        for index, tool in enumerate(tools if type(tools) is list else ()):
            if member(tool, "deferLoading") is not ABSENT:
                where = f"$.data.header.tools[{index}].deferLoading"
                text = "a tool of v3 has no deferLoading"
                self._refuse("upgrade-defer-loading", text, where, origin, "request/header")

    def _remap(self, event: Event, kind: str, data: Any) -> None:  # noqa: ANN401
        for holder, name, _ in references(kind, data):
            holder[name] = self._moved(holder[name])
        sources, op = event.get("sourceEventSeqs"), event.get("surfaceOp")
        if type(sources) is list:
            event["sourceEventSeqs"] = [self._moved(seq) for seq in sources]
        if type(op) is dict:
            for name in ("startSeq", "endSeq"):
                if name in op:
                    op[name] = self._moved(op[name])

    def _moved(self, value: object) -> Any:  # noqa: ANN401
        seq = as_count(value)
        return value if seq is None else seq + bisect_right(self._inserted, seq)

    def _refuse(self, name: str, words: str, path: str | None, seq: int | None, kind: object) -> None:
        self._refusals.add(Refusal(EDGE, name, words, path, seq, kind if type(kind) is str else None))

"""v1 to v2: chunks become streams and attempts, and every event gets a new seq. Source: migration.md §3."""

from __future__ import annotations

from typing import Any

from dshlog.codec.envelope import MEMBERS
from dshlog.codec.sources import expand
from dshlog.fold.identity import ABSENT, member
from dshlog.fold.stream import StreamError
from dshlog.migrate.attempt import PendingAttempt
from dshlog.migrate.edge01 import flawed
from dshlog.migrate.references import references
from dshlog.migrate.refusal import Refusal, Refusals, unknown_type
from dshlog.migrate.shape_events import payloads
from dshlog.migrate.stage import Event, Stage
from dshlog.migrate.targets import CHUNK, NOWHERE, Targets
from dshlog.migrate.turns import OpenTurn
from dshlog.model.header import Header
from dshlog.model.number import as_count

EDGE = "1->2"

_SETTLING = frozenset({"turn/end", "step/end", "llm/retry", "llm/retry-started"})


class FromV1:
    """The edge; `audit` says that the log was stored as v1, so that nobody has looked at its payloads."""

    def __init__(self, header: Header, behind: Stage, refusals: Refusals, *, audit: bool) -> None:
        self._header = header
        self._behind = behind
        self._refusals = refusals
        self._audit = audit
        self._known = payloads(1)
        self._targets = Targets()
        self._target = 0
        self._cut = header.seed_length or 0
        self._seeking = header.is_seeded  # the cut has not been written yet
        self._last_time: Any = header.created_at
        self._pending: PendingAttempt | None = None
        self._open = OpenTurn(ends_step=True)

    # -- what comes in

    def packed(self, row: Event, origin: int) -> None:
        """Consume a packed row."""
        data = row["data"]
        stop = origin + len(data["dt"]) + 1
        self._targets.chunks(stop - origin)
        self._open.see(None, None)
        pending = self._attempt(data["turn"], data["step"], origin, stop)
        self._last_time = pending.maker.add_packed(row)
        pending.add(origin, stop, self._last_time)

    def hole(self, origin: int) -> None:
        """Keep the place of a refused event."""
        self._targets.event()
        if self._pending is not None:
            self._pending.buffered.append((None, origin))
        else:
            self._emit_hole(origin)

    def take(self, event: Event, origin: int) -> None:
        """Take one event."""
        kind, data = event.get("type"), event.get("data")
        if kind == "assistant/chunk":
            self._targets.chunks(1)
            self._open.see(kind, None)
            self._chunk(event, data, origin)
            return
        if type(kind) is not str or kind not in self._known:
            shown = kind if type(kind) is str and kind.isprintable() else "something unnamed"
            text = f"{shown[:80]} is no event type of v1, ignorable or not"
            self._refuse(unknown_type(event), text, "$.type", origin, kind)
            self.hole(origin)
            return
        if type(data) is not dict:
            self._refuse("upgrade-payload", f"the data of {kind} is no object", "$.data", origin, kind)
            self.hole(origin)
            return
        if self._audit:
            for flaw in self._known[kind](data, origin) or ():
                self._refusals.add(flawed(EDGE, flaw, f"$.data{flaw.path}", origin, kind))
        self._targets.event()
        self._turns(event, kind, data, origin)
        if kind == "session-log-deepseek/delivery-accepted":
            self._delivery(data, origin)
        self._last_time = event.get("time")
        if kind == "user/message":
            self._goal(event, data, origin)
        elif kind == "assistant/message":
            self._message(event, data, origin)
        else:
            if kind in _SETTLING:
                self._settle()
            self._pass(event, origin)

    def end(self) -> None:
        """Settle what is pending and write a cut that has not been met."""
        self._settle()
        if self._seeking:
            self._mark_cut(self._last_time, self._targets.size)
        self._behind.end()

    # -- events that need a look

    def _turns(self, event: Event, kind: str, data: dict[str, Any], origin: int) -> None:
        if kind == "turn/start" and self._open.turn is not None:
            if self._open.restarts(kind, data):
                self._settle()
                closing = {"turn": self._open.turn, "reason": {"kind": "interrupted"}}
                self._generate("turn/end", event.get("time"), closing, origin, origin)
            else:
                text = f"turn {data.get('turn')} starts while turn {self._open.turn} is open"
                self._refuse("turn-start-inside-turn", text, "$.data.turn", origin, kind)
        self._open.see(kind, data)

    def _delivery(self, data: dict[str, Any], origin: int) -> None:
        header = self._header
        inherited = header.parent_session is not None and origin < self._cut
        if as_count(data.get("sessionFormatVersion")) == 1 and data.get("sessionId") != header.id and not inherited:
            text = "the delivery marker names another session"
            self._refuse("upgrade-delivery", text, "$.data.sessionId", origin, "session-log-deepseek/delivery-accepted")

    def _goal(self, event: Event, data: dict[str, Any], origin: int) -> None:
        source = data.get("source")
        if member(source, "kind") == "goal" and type(source) is dict and source.get("change"):
            self._generate("goal/change", event.get("time"), source["change"], origin, origin)
            data["source"] = {"kind": "plugin", "plugin": "goal"}
            self._emit(event, origin)
        else:
            self._pass(event, origin)

    # -- chunks and messages

    def _chunk(self, event: Event, data: Any, origin: int) -> None:  # noqa: ANN401
        odd = next((name for name in event if name not in MEMBERS), None)
        if odd is not None:
            self._refuse("upgrade-envelope", "the chunk has a member that no event has", "$", origin, "assistant/chunk")
        if event.get("ignorable", True) is not True:
            text = "ignorable is present and not true"
            self._refuse("upgrade-envelope", text, "$.ignorable", origin, "assistant/chunk")
        fields = data if type(data) is dict else {}
        pending = self._attempt(fields.get("turn", ABSENT), fields.get("step", ABSENT), origin, origin + 1)
        chunk, self._last_time = fields.get("chunk"), event.get("time")
        try:
            pending.maker.add(self._last_time, chunk)
        except StreamError as error:
            text = f"no stream can hold this chunk: {error.reason}"
            place = error.path.partition("]")[2].removeprefix(".chunk")
            path = "$.time" if place == ".time" else f"$.data.chunk{place}"
            self._refuse("upgrade-chunk", text, path, origin, "assistant/chunk")
        pending.terminal = type(chunk) is dict and chunk.get("type") == "finish"
        pending.add(origin, origin + 1, self._last_time)

    def _attempt(self, turn: object, step: object, start: int, stop: int) -> PendingAttempt:
        """Give the attempt that takes the chunks start..stop."""
        pending = self._pending
        if pending is not None and (pending.terminal or not pending.of(turn, step)):
            self._settle()
            pending = None
        if pending is None:
            pending = self._pending = PendingAttempt(turn, step)
        else:
            self._release(pending)
        first = pending.spans[0].start if pending.spans else start
        self._same_side(first, stop - 1, "assistant/chunk")
        return pending

    def _message(self, event: Event, data: dict[str, Any], origin: int) -> None:
        pending = self._pending
        sources = event.pop("sourceEventSeqs", None)
        stream: list[Any] = []
        if pending is not None and not pending.of(data.get("turn", ABSENT), data.get("step", ABSENT)):
            self._settle()
        elif sources is None and pending is not None:
            text = "the message cites nothing, and chunks of its step are pending"
            self._refuse("upgrade-citation", text, "$.sourceEventSeqs", origin, "assistant/message")
            stream = self._taken(pending)
        elif sources == []:
            self._settle()
        elif sources is not None:
            if pending is None or not pending.cited_by(sources):
                text = "the message does not cite exactly the chunks of its attempt, in order"
                self._refuse("upgrade-citation", text, "$.sourceEventSeqs", origin, "assistant/message")
            else:
                self._same_side(pending.spans[0].start, origin, "assistant/message")
            if pending is not None:
                stream = self._taken(pending)
        data["stream"] = stream
        self._emit(event, origin)

    def _taken(self, pending: PendingAttempt) -> list[Any]:
        """Give the stream of the attempt to a message."""
        self._release(pending)
        self._pending = None
        return pending.maker.records

    def _settle(self) -> None:
        """End the pending attempt without a message."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        data = {"turn": pending.turn, "step": pending.step, "stream": pending.maker.records}
        data = {name: value for name, value in data.items() if value is not ABSENT}
        self._generate("assistant/attempt", pending.time, data, pending.seq, pending.seq)
        self._release(pending)

    def _release(self, pending: PendingAttempt) -> None:
        """Emit the events that waited for the attempt."""
        buffered, pending.buffered = pending.buffered, []
        for event, origin in buffered:
            if event is None:
                self._emit_hole(origin)
            else:
                self._emit(event, origin)

    def _same_side(self, first: int, last: int, kind: str) -> None:
        if self._header.is_seeded and first < self._cut <= last:
            text = f"the inherited cut {self._cut} splits one attempt, events {first} to {last}"
            self._refuse("upgrade-cut-splits", text, None, last, kind)

    # -- what goes out

    def _pass(self, event: Event, origin: int) -> None:
        """Emit an event, or let it wait for the pending attempt."""
        if self._pending is not None:
            self._pending.buffered.append((event, origin))
        else:
            self._emit(event, origin)

    def _emit(self, event: Event, origin: int) -> None:
        marks = self._seeking and event["type"] == "session/end-seed" and origin == self._cut
        if marks:
            event["data"] = {"inherited": True}
            self._seeking = False
        elif self._seeking and origin >= self._cut:
            self._mark_cut(event.get("time"), origin)
        self._targets.emit(origin, self._target)
        self._remap(event, origin)
        event["seq"] = self._target
        self._target += 1
        self._behind.take(event, origin)

    def _emit_hole(self, origin: int) -> None:
        self._targets.emit(origin, self._target)
        self._target += 1
        self._behind.hole(origin)

    def _generate(self, kind: str, time: object, data: Any, cause: int, origin: int) -> None:  # noqa: ANN401
        """Emit an event that stands for none of the source."""
        if self._seeking and cause >= self._cut:
            self._mark_cut(time, origin)
        self._write(kind, time, data, origin)

    def _mark_cut(self, time: object, origin: int) -> None:
        self._seeking = False
        self._write("session/end-seed", time, {"inherited": True}, origin)

    def _write(self, kind: str, time: object, data: Any, origin: int) -> None:  # noqa: ANN401
        event = {"type": kind, "seq": self._target, "time": time, "data": data}
        self._target += 1
        self._behind.take(event, origin)

    # -- references

    def _remap(self, event: Event, origin: int) -> None:
        kind = event["type"]
        sources, op = event.pop("sourceEventSeqs", None), event.pop("surfaceOp", ABSENT)
        for holder, name, path in references(kind, event["data"]):
            holder[name] = self._moved(holder[name], path, origin, kind)
        if sources is not None:
            event["sourceEventSeqs"] = [self._moved(seq, "$.sourceEventSeqs", origin, kind) for seq in expand(sources)]
        if op is ABSENT:
            return
        if type(op) is dict:
            ends = (self._moved(op.get(name), f"$.surfaceOp.{name}", origin, kind) for name in ("start", "end"))
            event["surfaceOp"] = dict(zip(("op", "start", "end"), ("replace", *ends), strict=True))
        else:
            if op != "append":
                text = "surfaceOp is neither append nor a replacement"
                self._refuse("upgrade-envelope", text, "$.surfaceOp", origin, kind)
            event["surfaceOp"] = op

    def _moved(self, value: object, path: str, origin: int, kind: str) -> Any:  # noqa: ANN401
        """Give the new seq of an event that is referred to."""
        seq = as_count(value)
        target = NOWHERE if seq is None else self._targets.of(seq)
        if target >= 0:
            return target
        what = "a chunk, which has no place any more" if target == CHUNK else "no event that was written before"
        shown = seq if seq is not None else "something that is no seq"
        self._refuse("upgrade-reference", f"{kind} refers to {shown}, {what}", path, origin, kind)
        return value

    def _refuse(self, name: str, words: str, path: str | None, seq: int, kind: object) -> None:
        self._refusals.add(Refusal(EDGE, name, words, path, seq, kind if type(kind) is str else None))

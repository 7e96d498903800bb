"""The attempts of v0 and v1: chunks grouped as the upgrade to v2 groups them, and what the messages say of them.

Source: migration.md §3.1, §3.3, §3.4; events.md R-245 to R-247; streams.md §6.1.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from dshlog.codec.chunkruns import PAYLOAD
from dshlog.codec.sources import PATH, Sources, runs_of
from dshlog.fold.assembler import Assembler, AssemblyError
from dshlog.fold.identity import ABSENT, identical
from dshlog.fold.verify import disagreement
from dshlog.model.fault import Fault
from dshlog.model.number import as_count

_State = tuple[object, object]  # the open turn and step as spelled; None when none is open
_NOTHING: _State = (None, None)

_SUMMARIES = frozenset({"compaction/summary", "compaction/prune", "compact/summary", "compact/prune"})
_TITLES = frozenset({"session/title", "session/title-llm-request"})
_REFERRING = _SUMMARIES | _TITLES | {"command/done"}


class _Attempt:
    """The pending attempt: its chunks so far, as spans of seqs and as blocks in the making."""

    __slots__ = ("assembler", "broken", "spans", "step", "terminal", "turn")

    def __init__(self, turn: object, step: object) -> None:
        self.turn = turn
        self.step = step
        self.spans: list[range] = []
        self.assembler = Assembler()
        self.terminal = False  # a finish chunk has come
        self.broken = False  # a chunk has come that the assembler does not take

    def is_of(self, turn: object, step: object) -> bool:
        return identical(self.turn, turn) and identical(self.step, step)

    def add(self, start: int, stop: int) -> None:
        if self.spans and self.spans[-1].stop == start:
            start = self.spans.pop().start
        self.spans.append(range(start, stop))


class Attempts:
    """Follows the events of a v0 or v1 log in order and tells what breaks the tie of chunks and messages.

    Every method gives the faults that it saw, or None. The text of the pending attempt is held, and two
    numbers for each unbroken span of chunks; packed rows are never expanded.

    The rules are those of the upgrade: no released build checks them when it opens a log.
    """

    def __init__(self) -> None:
        self._pending: _Attempt | None = None
        # Where every chunk stands, for a citation may reach back to the start.
        self._starts, self._stops = array("q"), array("q")
        # The upgrade holds events back while an attempt is pending, so what is open where an attempt is
        # written lags behind what is open in the log.
        self._open = self._written = _NOTHING
        self._step_open = False
        self._spliced = False  # the event just before put something into the next turn
        self._steps: dict[str, Callable[[dict[str, Any]], list[Fault] | None]] = {
            "turn/start": self._turn_start,
            "turn/end": self._turn_end,
            "step/start": self._step_start,
            "step/end": self._step_end,
            "llm/retry": self._retry,
            "llm/retry-started": self._retry,
        }

    def chunk(self, seq: int, data: object) -> list[Fault] | None:
        """Take an `assistant/chunk` event."""
        fields = data if type(data) is dict else {}
        attempt, faults = self._attempt(fields, seq, seq + 1)
        chunk = fields.get("chunk")
        attempt.terminal = type(chunk) is dict and chunk.get("type") == "finish"
        if attempt.broken:
            return faults
        try:
            if type(chunk) is not dict:
                raise AssemblyError("the chunk is no object")  # noqa: TRY301 - told like any other odd chunk
            attempt.assembler.push(chunk)
        except AssemblyError as error:
            attempt.broken = True
            return [
                *(faults or ()),
                Fault("stream-invalid", f"no attempt can hold this chunk: {error}", "$.data.chunk"),
            ]
        return faults

    def packed(self, row: dict[str, Any]) -> list[Fault] | None:
        """Take a well-formed packed row."""
        data, seq = row["data"], int(row["seq0"])
        pieces_name, kind, _ = PAYLOAD[row["type"]]
        pieces = data[pieces_name]
        attempt, faults = self._attempt(data, seq, seq + len(pieces))
        if not attempt.broken:
            call_id, name = data.get("id", ABSENT), data.get("name", ABSENT)
            attempt.assembler.push_run(kind, data["index"], "".join(pieces), call_id, name)
        return faults

    def event(self, kind: str, data: object, seq: int, sources: Sources | None) -> list[Fault] | None:
        """Take any other event.

        Args:
            kind: its type.
            data: its payload, in old spelling or new.
            seq: its position.
            sources: its `sourceEventSeqs` as decoded; None when it has none.
        """
        spliced, self._spliced = self._spliced, False
        fields = data if type(data) is dict else {}
        if kind == "assistant/message":
            return self._message(fields, seq, sources)
        faults: list[Fault] | None = None
        if kind in self._steps:
            self._spliced = spliced
            faults = self._steps[kind](fields)
            self._spliced = False
        elif kind == "agent/inbox/spliced":
            self._spliced = fields.get("target") == "next-turn" and bool(fields.get("inserted"))
        if sources or kind in _REFERRING:
            cited = self._cited(kind, fields, seq, sources or [])
            if cited is not None:
                return [*(faults or ()), cited]
        return faults

    def end(self) -> list[Fault] | None:
        """Settle what is pending at the end of the log."""
        return self._settle()

    # -- grouping

    def _attempt(self, fields: dict[str, Any], start: int, stop: int) -> tuple[_Attempt, list[Fault] | None]:
        """Give the attempt that takes the chunks start..stop, after settling one that does not."""
        self._spliced = False
        turn, step = fields.get("turn", ABSENT), fields.get("step", ABSENT)
        faults = None
        pending = self._pending
        if pending is not None:
            if pending.terminal or not pending.is_of(turn, step):
                faults = self._settle()
                pending = None
            else:
                self._written = self._open
        if pending is None:
            pending = self._pending = _Attempt(turn, step)
        pending.add(start, stop)
        if self._stops and self._stops[-1] == start:
            self._stops[-1] = stop
        else:
            self._starts.append(start)
            self._stops.append(stop)
        return pending, faults

    def _settle(self) -> list[Fault] | None:
        """End the pending attempt without a message."""
        attempt, self._pending = self._pending, None
        where, self._written = self._written, self._open
        if attempt is None or (where[1] is not None and attempt.is_of(*where)):
            return None
        opened = "no step is open" if where[1] is None else f"turn {_shown(where[0])}, step {_shown(where[1])} is open"
        chunks = f"{_count(attempt.spans)} of turn {_shown(attempt.turn)}, step {_shown(attempt.step)}"
        message = f"no message takes {chunks}, and where the attempt ends {opened}"
        return [Fault("chunk-outside-step", message, None, (attempt.spans[0].start,))]

    def _message(self, fields: dict[str, Any], seq: int, sources: Sources | None) -> list[Fault] | None:
        """Tie a message to its attempt and compare the two."""
        pending = self._pending
        same_step = pending is not None and pending.is_of(fields.get("turn", ABSENT), fields.get("step", ABSENT))
        if pending is not None and (not same_step or sources == []):
            return self._settle()  # what the message cites is not looked at when the attempt is of another step
        if sources is None:
            if pending is None:
                return None
            self._take()
            return [
                Fault("citation-missing", f"message {seq} cites nothing, its attempt is {_count(pending.spans)}", PATH)
            ]
        if not sources:
            return None
        spans = pending.spans if pending is not None else []
        faults = self._citation(seq, runs_of(sources), spans)
        if pending is None or faults:
            self._take()
            return faults
        self._take()
        if pending.broken:
            return None
        fault = disagreement(pending.assembler, fields, _wrapped(fields), may_omit_replay=True)
        return [fault] if fault is not None else None

    def _take(self) -> None:
        self._pending = None
        self._written = self._open

    def _citation(self, seq: int, cited: list[range], spans: list[range]) -> list[Fault] | None:
        """Compare what a message cites with the pending chunks."""
        if cited == spans:
            return None
        for run in cited:
            odd = _outside(run, spans)
            if odd is None:
                continue
            what = "a chunk of another attempt" if self._chunk_in(odd, odd + 1) is not None else "no chunk"
            own = f"its attempt is {_count(spans)}" if spans else "no attempt is pending"
            return [Fault("citation-unknown", f"message {seq} cites {odd}, which is {what}; {own}", PATH, (odd,))]
        named, whole = sum(map(len, cited)), sum(map(len, spans))
        if named >= whole:
            how = f"cites the chunks of its attempt, {_words(spans)}, out of order or twice"
            return [Fault("citation-incomplete", f"message {seq} {how}", PATH)]
        how = f"cites {named} of its attempt's {whole} chunks, {_words(spans)}"
        return [Fault("citation-incomplete", f"message {seq} {how}", PATH)]

    # -- what is open

    def _turn_start(self, fields: dict[str, Any]) -> list[Fault] | None:
        faults = None
        # An open turn is ended first when the next one follows an inbox splice; else dsh refuses the log.
        if self._open[0] is not None and self._spliced and not self._step_open:
            faults = self._settle()
        self._step_open = False
        self._now((fields.get("turn"), None))
        return faults

    def _turn_end(self, _fields: dict[str, Any]) -> list[Fault] | None:
        faults = self._settle()
        self._step_open = False
        self._now(_NOTHING)
        return faults

    def _step_start(self, fields: dict[str, Any]) -> None:
        self._step_open = True
        self._now((fields.get("turn"), fields.get("step")))

    def _step_end(self, _fields: dict[str, Any]) -> list[Fault] | None:
        faults = self._settle()
        self._step_open = False
        self._now((self._open[0], None))
        return faults

    def _retry(self, _fields: dict[str, Any]) -> list[Fault] | None:
        return self._settle()

    def _now(self, state: _State) -> None:
        self._open = state
        if self._pending is None:
            self._written = state

    # -- citations of chunks

    def _chunk_in(self, start: int, stop: int) -> int | None:
        """Give the first chunk in start..stop, None when there is none."""
        place = bisect_right(self._stops, start)
        if place < len(self._starts) and self._starts[place] < stop:
            return max(self._starts[place], start)
        return None

    def _cited(self, kind: str, fields: dict[str, Any], seq: int, sources: Sources) -> Fault | None:
        """Find the first chunk that an event other than a message refers to."""
        for entry in sources:
            start, stop = (entry, entry + 1) if isinstance(entry, int) else (entry.start, entry.stop)
            chunk = self._chunk_in(start, stop)
            if chunk is not None:
                return _elsewhere(kind, seq, chunk, PATH)
        for path, value in _references(kind, fields):
            at = as_count(value)
            if at is not None and self._chunk_in(at, at + 1) is not None:
                return _elsewhere(kind, seq, at, path)
        return None


def _references(kind: str, fields: dict[str, Any]) -> list[tuple[str, object]]:
    """Give the members of a payload that name seqs, each with its path."""
    out: list[tuple[str, object]] = []
    if kind == "command/done":
        out.append(("$.data.sourceEventSeq", fields.get("sourceEventSeq")))
    if kind in _SUMMARIES and type(span := fields.get("shadowedRange")) is dict:
        out += [(f"$.data.shadowedRange.{end}", span.get(end)) for end in ("start", "end")]
    name = "shadowedSeqs" if kind in _SUMMARIES else "messageSeqs" if kind in _TITLES else ""
    listed = fields.get(name)
    if type(listed) is list:
        out += [(f"$.data.{name}[{place}]", value) for place, value in enumerate(listed)]
    return out


def _elsewhere(kind: str, seq: int, chunk: int, path: str) -> Fault:
    message = f"{kind} {seq} refers to {chunk}, a chunk, which only the message of its attempt may cite"
    return Fault("chunk-cited-elsewhere", message, path, (chunk,))


def _wrapped(fields: dict[str, Any]) -> dict[str, Any]:
    """Give the message of an event, of the old spelling without a wrapper too."""
    message = fields.get("message")
    if type(message) is dict:
        return message
    return {"content": fields.get("content"), "source": fields.get("provenance")}


def _outside(run: range, spans: list[range]) -> int | None:
    """Give the first seq of a run that stands in no span; spans are in rising order."""
    at = run.start
    for span in spans:
        if at in span:
            at = span.stop
        if at >= run.stop:
            return None
    return at


def _count(spans: list[range]) -> str:
    total = sum(map(len, spans))
    return f"{'chunk' if total == 1 else 'chunks'} {_words(spans)}"


def _words(spans: list[range]) -> str:
    """Name seqs for a sentence: `4..9`, and no more than a few spans."""
    shown = [f"{span.start}..{span.stop - 1}" if len(span) > 1 else f"{span.start}" for span in spans[:3]]
    return ", ".join(shown) + (f" and {len(spans) - 3} spans more" if len(spans) > 3 else "")  # noqa: PLR2004 - a few


def _shown(value: object) -> object:
    return value if type(value) in {int, float, str, bool, type(None)} else "unknown"

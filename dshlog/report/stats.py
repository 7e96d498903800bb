"""Count what happened in a log, how long it took, what it cost and what its bytes are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.chunklines import BadRowError, packed_row
from dshlog.codec.eventtext import event_texts
from dshlog.fold.usage import BUCKETS, Spending
from dshlog.model.number import as_count, as_int
from dshlog.model.scalar import scalar
from dshlog.report.decode import read_log
from dshlog.report.repack import PACKED_UNTIL, change_for
from dshlog.report.rowcheck import plain_batch

if TYPE_CHECKING:
    from dshlog.model.report import Encoding, Report
    from dshlog.report.examine import Children, Upgrading
    from dshlog.storage.source import Source


class Turn:
    """One turn of a session: counts, ms from start to end (None while it is open), tokens by member."""

    def __init__(self, turn: object, began: int | None, session: str | None = None) -> None:
        self.turn = turn
        self.session = session
        self.began = began
        self.lasted: int | None = None
        self.steps = self.calls = self.failures = 0
        self.tokens: dict[str, int] = {}


class Tool:
    """One tool: how often it was called, failed, and how long each answer took in ms."""

    def __init__(self) -> None:
        self.calls = self.failures = 0
        self.durations: list[int] = []


class Kind:
    """Records of one type: a packed row is one record of its own type, and several events."""

    def __init__(self) -> None:
        self.records = self.events = self.bytes = 0


class Activity:
    """What happened, the inherited prefix of a fork left out."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.steps = self.retries = self.compactions = 0
        self.step_durations: list[int] = []
        self.tools: dict[str, Tool] = {}
        self.model_calls = dict.fromkeys(BUCKETS, 0)
        self.tokens: dict[str, dict[str, int]] = {bucket: {} for bucket in BUCKETS}
        self.reported: dict[str, dict[str, int]] = {bucket: {} for bucket in BUCKETS}  # calls that told a figure

    @property
    def calls(self) -> int:
        """Count the tool calls."""
        return sum(tool.calls for tool in self.tools.values())

    @property
    def failures(self) -> int:
        """Count the tool calls that gave an error."""
        return sum(tool.failures for tool in self.tools.values())

    def tool(self, name: str) -> Tool:
        """Give a tool, a new one when it is met first."""
        return self.tools.setdefault(name, Tool())

    def add(self, other: Activity) -> None:
        """Add what happened in another log."""
        self.turns += other.turns
        self.steps += other.steps
        self.retries += other.retries
        self.compactions += other.compactions
        self.step_durations += other.step_durations
        for name, tool in other.tools.items():
            mine = self.tool(name)
            mine.calls += tool.calls
            mine.failures += tool.failures
            mine.durations += tool.durations
        for bucket in BUCKETS:
            self.model_calls[bucket] += other.model_calls[bucket]
            add_tokens(self.tokens[bucket], other.tokens[bucket])
            add_tokens(self.reported[bucket], other.reported[bucket])


class Stats:
    """The figures of one log, or the sum of several.

    `packed` counts chunk events in packed rows, `packed_bytes` the text of these rows, `loose_bytes` what the
    events would take one by one, `saving` what packing the single ones would save.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.logs = 0
        self.bytes = self.text = self.records = self.events = self.inherited = 0
        self.activity = Activity()
        self.kinds: dict[str, Kind] = {}
        self.packed = self.packed_bytes = self.loose_bytes = self.saving = 0

    def add(self, other: Stats) -> None:
        """Add the figures of another log."""
        for name in (
            "logs", "bytes", "text", "records", "events", "inherited", "packed", "packed_bytes", "loose_bytes", "saving",
        ):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.activity.add(other.activity)
        for name, kind in other.kinds.items():
            mine = self.kinds.setdefault(name, Kind())
            mine.records += kind.records
            mine.events += kind.events
            mine.bytes += kind.bytes


def log_stats(
    source: Source,
    path: str,
    *,
    encoding: Encoding | None = None,
    upgrade: Upgrading = "never",
    children: Children | None = None,
) -> tuple[Stats, Report]:
    """Give the figures of the readable prefix of a log, with the report on it; arguments as `examine`."""
    decoded = read_log(source, path, encoding=encoding, upgrade=upgrade, children=children)
    header = decoded.header
    stats = Stats(path)
    counting = _Counting() if header is None else _Counting(header.seed_length or 0, header.id)
    version = header.version if header is not None else PACKED_UNTIL
    packing = change_for(version, unpack=False, streams=False, framed=False)
    for line, events in decoded.rows():
        number, kind = 0, ""
        for event, _ in events:
            number += 1
            kind = str(scalar(event.get("type")))
            counting.take(event)
        if packing is not None:
            row = _packed(line, version)
            if row is not None:
                kind = row["type"]
                stats.packed += number
                stats.packed_bytes += len(line)
                stats.loose_bytes += sum(len(made.text) for made in event_texts(row))
            out: list[bytes] = []
            packing.feed(plain_batch([line]), out)
            stats.saving += len(line) - sum(map(len, out))
        one = stats.kinds.setdefault(kind, Kind())
        one.records += 1
        one.events += number
        one.bytes += len(line)
    counting.end()
    if packing is not None:
        out = []
        packing.end(out)
        stats.saving -= sum(map(len, out))
    report = decoded.report
    stats.logs = 1
    stats.bytes, stats.text = report.bytes or 0, report.text or 0
    stats.records, stats.events = report.records, report.events
    stats.inherited, stats.activity = report.inherited, counting.activity
    return stats, report


def _elapsed(began: int | None, at: int | None) -> int | None:
    """Give the ms between two times; None where one is unknown, or the clock went back."""
    return None if began is None or at is None or at < began else at - began


def _packed(line: bytes, version: int) -> dict[str, Any] | None:
    try:
        return packed_row(line, version)
    except BadRowError:
        return None


def add_tokens(sums: dict[str, int], more: dict[str, int]) -> None:
    """Add counts by member."""
    for name, count in more.items():
        sums[name] = sums.get(name, 0) + count


class _Counting:
    """Follows the events of one log."""

    def __init__(self, seed: int = 0, session: str | None = None) -> None:
        self._session = session
        self._seed = seed  # of v0 and v1; later generations mark the end of the prefix in the body
        self._fresh()

    def _fresh(self) -> None:
        self.activity = Activity()
        self._spending = Spending()
        self._step: int | None = None
        self._calls: dict[str, tuple[str, int | None]] = {}  # of open calls: tool, time

    def take(self, event: dict[str, Any]) -> None:
        """Take the next event."""
        seq = as_count(event.get("seq")) or 0
        if seq < self._seed:
            return
        kind, data, at = event.get("type"), event.get("data"), as_int(event.get("time"))
        for bucket, turn, spent in self._spending.take(event):
            self._spend(bucket, turn, spent)
        if type(data) is not dict:
            return
        activity = self.activity
        if kind == "session/end-seed" and data.get("inherited") is True:
            self._fresh()
        elif kind == "turn/start":
            activity.turns.append(Turn(scalar(data.get("turn")), at, self._session))
        elif kind == "turn/end":
            if activity.turns:
                activity.turns[-1].lasted = _elapsed(activity.turns[-1].began, at)
        elif kind == "step/start":
            activity.steps += 1
            self._step = at
            if activity.turns:
                activity.turns[-1].steps += 1
        elif kind == "step/end":
            lasted = _elapsed(self._step, at)
            activity.step_durations += [] if lasted is None else [lasted]
            self._step = None
        elif kind == "tool/call":
            self._call(data, at)
        elif kind == "tool/result" and type(event.get("surfaceOp")) is not dict:
            self._result(data, at)
        elif kind == "llm/retry":
            activity.retries += 1
        elif kind == "compaction/summary":
            activity.compactions += 1

    def end(self) -> None:
        """Settle what is pending at the end of the log."""
        for bucket, turn, spent in self._spending.end():
            self._spend(bucket, turn, spent)

    def _spend(self, bucket: str, turn: object, spent: dict[str, int]) -> None:
        self.activity.model_calls[bucket] += 1
        add_tokens(self.activity.tokens[bucket], spent)
        add_tokens(self.activity.reported[bucket], dict.fromkeys(spent, 1))
        turns = self.activity.turns
        if turns and turn is not None and turns[-1].turn == scalar(turn):
            add_tokens(turns[-1].tokens, spent)

    def _call(self, data: dict[str, Any], at: int | None) -> None:
        name = str(scalar(data.get("name")))
        self.activity.tool(name).calls += 1
        self._calls[str(scalar(data.get("callId")))] = (name, at)
        if self.activity.turns:
            self.activity.turns[-1].calls += 1

    def _result(self, data: dict[str, Any], at: int | None) -> None:
        called = self._calls.pop(str(scalar(_call_id(data))), None)
        if called is None:
            return  # A call that never started took no time.
        tool = self.activity.tool(called[0])
        lasted = _elapsed(called[1], at)
        tool.durations += [] if lasted is None else [lasted]
        if _failed(data):
            tool.failures += 1
            if self.activity.turns:
                self.activity.turns[-1].failures += 1


def _blocks(data: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Give the message of a result and the `tool-result` blocks that it had up to v3."""
    message = data.get("message")
    inner = message if type(message) is dict else data
    content = inner.get("content")
    blocks = content if type(content) is list else []
    return inner, [block for block in blocks if type(block) is dict and block.get("type") == "tool-result"]


def _call_id(data: dict[str, Any]) -> object:
    message, blocks = _blocks(data)
    return message.get("toolCallId", blocks[0].get("toolCallId") if blocks else data.get("callId"))


def _failed(data: dict[str, Any]) -> bool:
    message, blocks = _blocks(data)
    return (
        data.get("error") is not None
        or message.get("isError") is True
        or any(block.get("isError") is True for block in blocks)
    )

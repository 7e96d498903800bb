"""The figures of logs as tables, bars and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.usage import BUCKETS, MEMBERS
from dshlog.model.percentile import percentile
from dshlog.render.look import PLAIN, Look
from dshlog.render.stream import duration
from dshlog.render.table import Column, Table, labelled
from dshlog.render.words import count, joined, path_name, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dshlog.render.jsonout import Json
    from dshlog.report.stats import Stats, Tool, Turn

_BAR = 15  # columns, so that a share takes no more than a table leaves for its last cell
_NAME = 40  # columns of a name in a table; of a terminal no more than a third
_SHORT = {"inputTokens": "input", "outputTokens": "output", "totalTokens": "total"}
_SHORT |= {"cacheReadTokens": "cache read", "cacheWriteTokens": "cache write", "reasoningTokens": "reasoning"}


def stats_lines(stats: Stats, look: Look = PLAIN) -> Iterator[str]:
    """Yield the figures of a log, or of several in sum."""
    done = stats.activity
    yield look.paint("bold", path_name(stats.path))
    failed = f" ({done.failures} failed)" if done.failures else ""
    for label, words in (
        ("activity", joined((count(len(done.turns), "turn"), count(done.steps, "step"), count(done.calls, "call") + failed))),
        ("model", _model(stats)),
        *_tokens(stats),
        ("turn", _times([turn.lasted for turn in done.turns if turn.lasted is not None])),
        ("step", _times(done.step_durations)),
        ("size", _size(stats)),
        ("packing", _packing(stats)),
        ("inherited", f"{count(stats.inherited, 'event')} of the parent, left out above" if stats.inherited else ""),
    ):  # fmt: skip
        if words:
            yield from labelled(label, words, look)


def type_lines(stats: Stats, look: Look = PLAIN) -> Iterator[str]:
    """Yield a row for each type of record, the largest first, with bars of its share."""
    kinds = sorted(stats.kinds.items(), key=lambda item: (-item[1].bytes, item[0]))
    total = sum(kind.bytes for _, kind in kinds)
    columns = (
        Column("type", lambda item: visible(item[0]), limit=_name_width(look)),
        Column("records", lambda item: str(item[1].records), right=True),
        Column("events", lambda item: str(item[1].events), right=True, optional=1),
        Column("bytes", lambda item: str(item[1].bytes), right=True),
    )
    return _shared(columns, lambda item: item[1].bytes, total, kinds, look)


def tool_lines(stats: Stats, look: Look = PLAIN) -> Iterator[str]:
    """Yield a row for each tool, the slowest in sum first."""
    tools = sorted(stats.activity.tools.items(), key=lambda item: (-sum(item[1].durations), item[0]))
    total = sum(sum(tool.durations) for _, tool in tools)
    columns = (
        Column("tool", lambda item: visible(item[0]), limit=_name_width(look)),
        Column("calls", lambda item: str(item[1].calls), right=True),
        Column("failed", lambda item: str(item[1].failures), right=True, optional=1),
        Column("median", lambda item: _ms(_quartet(item[1].durations)[0]), right=True, optional=1),
        Column("95 %", lambda item: _ms(_quartet(item[1].durations)[1]), right=True, optional=1),
        Column("longest", lambda item: _ms(_quartet(item[1].durations)[2]), right=True, optional=1),
        Column("in sum", lambda item: _ms(_quartet(item[1].durations)[3]), right=True),
    )
    return _shared(columns, lambda item: sum(item[1].durations), total, tools, look)


def turn_lines(stats: Stats, look: Look = PLAIN) -> Iterator[str]:
    """Yield a row for each turn in log order, of several logs with its session."""
    turns = stats.activity.turns
    total = sum(turn.lasted or 0 for turn in turns)
    session = Column("session", lambda turn: value_word(turn.session), limit=_name_width(look))
    columns = (
        *((session,) if stats.logs > 1 else ()),
        Column("turn", lambda turn: value_word(turn.turn)),
        Column("steps", lambda turn: str(turn.steps), right=True, optional=1),
        Column("calls", lambda turn: str(turn.calls), right=True, optional=1),
        Column("failed", lambda turn: str(turn.failures), right=True, optional=1),
        Column("input", lambda turn: str(turn.tokens.get("inputTokens", 0)), right=True),
        Column("output", lambda turn: str(turn.tokens.get("outputTokens", 0)), right=True),
        Column("lasted", lambda turn: _ms(turn.lasted), right=True),
    )
    return _shared(columns, lambda turn: turn.lasted or 0, total, turns, look)


def _model(stats: Stats) -> str:
    calls = stats.activity.model_calls
    words = joined(f"{calls[bucket]} {bucket}" for bucket in BUCKETS if calls[bucket])
    retries = stats.activity.retries
    return joined((words, "" if not retries else f"{retries} retr{'y' if retries == 1 else 'ies'}"))


def _tokens(stats: Stats) -> Iterator[tuple[str, str]]:
    label = "tokens"
    for bucket in BUCKETS:
        sums = stats.activity.tokens[bucket]
        if sums:
            yield label, f"{bucket}: {_sums(sums, stats.activity.reported[bucket], stats.activity.model_calls[bucket])}"
            label = ""


def _sums(sums: dict[str, int], told: dict[str, int], calls: int) -> str:
    """Give the sums of one bucket, and of how many calls they are where not every call told its figures."""
    even = len({told.get(name, 0) for name in sums}) == 1
    parts = [
        f"{_SHORT[name]} {sums[name]}" + ("" if even else _of(told.get(name, 0), calls))
        for name in MEMBERS
        if name in sums
    ]
    most = max(told.values(), default=0)
    return joined((*parts, f"told by {most} of {count(calls, 'call')}" if even and most < calls else ""))


def _of(told: int, calls: int) -> str:
    return "" if told == calls else f" (of {count(told, 'call')})"


def _times(values: list[int]) -> str:
    if not values:
        return ""
    middle, most, longest, total = _quartet(values)
    return f"median {_ms(middle)}, 95 % up to {_ms(most)}, longest {_ms(longest)}, {_ms(total)} in sum"


def _quartet(values: Iterable[int]) -> tuple[int | None, int | None, int | None, int | None]:
    """Give median, 95th percentile, longest and sum; None where there is nothing."""
    rising = sorted(values)
    return (
        percentile(rising, 50),
        percentile(rising, 95),
        rising[-1] if rising else None,
        sum(rising) if rising else None,
    )


def _size(stats: Stats) -> str:
    ratio = f" ({stats.text / stats.bytes:.1f} times the file)" if 0 < stats.bytes < stats.text else ""
    return f"{count(stats.bytes, 'byte')}, {stats.text} of text{ratio}, {count(stats.records, 'record')}, {count(stats.events, 'event')}"


def _packing(stats: Stats) -> str:
    parts = []
    if stats.packed:
        ratio = stats.loose_bytes / stats.packed_bytes
        parts.append(f"{count(stats.packed, 'chunk')} in rows, {ratio:.1f} times smaller than one by one")
    if stats.saving > 0:
        parts.append(f"dshlog pack would save {count(stats.saving, 'byte')} of text")
    return joined(parts)


def _share(part: int, total: int) -> str:
    if total <= 0:
        return ""
    return f"{100 * part / total:5.1f} % {'█' * max(0, round(_BAR * part / total))}".rstrip()


def _name_width(look: Look) -> int:
    return _NAME if look.width is None else min(_NAME, look.width // 3)


def _shared(
    columns: tuple[Column, ...], part: Callable[[Any], int], total: int, rows: Sequence[Any], look: Look
) -> Iterator[str]:
    """Yield a table whose last column is the share of each row in a total; nothing but headings for no row."""
    table = Table(columns, "share", lambda row: _share(part(row), total), look, rows)
    yield table.head()
    yield from map(table.row, rows)
    yield from table.left_out()


def _ms(value: int | None) -> str:
    return "-" if value is None else duration(value)


# -- JSON


def stats_dict(logs: list[Json], unread: list[Json], total: Stats) -> Json:
    """Give the document of `stats --json`; the logs are those of `log_stats_dict` and `standing_dict`."""
    from dshlog.render.jsonout import SCHEMA

    whole = log_stats_dict(total)
    del whole["path"], whole["turns"]
    return {"schema": SCHEMA, "logs": logs, "unread": unread, "total": {"logs": total.logs, **whole}}


def log_stats_dict(stats: Stats) -> Json:
    """Give the figures of one log with every key."""
    done = stats.activity
    return {
        "path": stats.path,
        "bytes": stats.bytes,
        "text": stats.text,
        "records": stats.records,
        "events": stats.events,
        "inherited": stats.inherited,
        "activity": {
            "turns": len(done.turns),
            "steps": done.steps,
            "calls": done.calls,
            "failures": done.failures,
            "retries": done.retries,
            "compactions": done.compactions,
        },
        "tokens": {
            bucket: {
                "model_calls": done.model_calls[bucket],
                **{name: done.tokens[bucket].get(name, 0) for name in MEMBERS},
                "reported": {name: done.reported[bucket].get(name, 0) for name in MEMBERS},
            }
            for bucket in BUCKETS
        },
        "packing": {
            "chunks": stats.packed,
            "row_bytes": stats.packed_bytes,
            "event_bytes": stats.loose_bytes,
            "saving": max(0, stats.saving),
        },
        "durations": {
            "turn": _spread(turn.lasted for turn in done.turns if turn.lasted is not None),
            "step": _spread(done.step_durations),
        },
        "types": [
            {"type": name, "records": kind.records, "events": kind.events, "bytes": kind.bytes}
            for name, kind in sorted(stats.kinds.items())
        ],
        "tools": [_tool_dict(name, tool) for name, tool in sorted(done.tools.items())],
        "turns": [_turn_dict(turn) for turn in done.turns],
    }


def _tool_dict(name: str, tool: Tool) -> Json:
    return {"tool": name, "calls": tool.calls, "failures": tool.failures, "duration": _spread(tool.durations)}


def _turn_dict(turn: Turn) -> Json:
    return {
        "turn": turn.turn if isinstance(turn.turn, (str, int, float)) else None,
        "steps": turn.steps,
        "calls": turn.calls,
        "failures": turn.failures,
        "lasted": turn.lasted,
        "tokens": {name: turn.tokens.get(name, 0) for name in MEMBERS},
    }


def _spread(values: Iterable[int]) -> Json:
    known = list(values)
    median, p95, longest, total = _quartet(known)
    return {"count": len(known), "median": median, "p95": p95, "longest": longest, "sum": total}

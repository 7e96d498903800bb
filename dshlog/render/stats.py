"""The figures of logs as tables, bars and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.fold.usage import BUCKETS, MEMBERS
from dshlog.model.percentile import percentile
from dshlog.render.look import PLAIN, Look
from dshlog.render.stream import duration
from dshlog.render.words import count, cut, joined, path_name, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dshlog.render.jsonout import Json
    from dshlog.report.stats import Stats, Tool, Turn

_BAR = 20  # columns
_LABEL = 10
_NAME = 40  # code points of a name in a table
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
            yield f"  {label:<{_LABEL}}{words}"


def type_lines(stats: Stats) -> Iterator[str]:
    """Yield a row for each type of record, the largest first, with bars of its share."""
    kinds = sorted(stats.kinds.items(), key=lambda item: (-item[1].bytes, item[0]))
    total = sum(kind.bytes for _, kind in kinds)
    rows = [
        (visible(name), f"{kind.records}", f"{kind.events}", f"{kind.bytes}", _share(kind.bytes, total))
        for name, kind in kinds
    ]
    yield from _table(("type", "records", "events", "bytes", "share"), rows)


def tool_lines(stats: Stats) -> Iterator[str]:
    """Yield a row for each tool, the slowest in sum first."""
    tools = sorted(stats.activity.tools.items(), key=lambda item: (-sum(item[1].durations), item[0]))
    total = sum(sum(tool.durations) for _, tool in tools)
    rows = [
        (
            visible(name),
            f"{tool.calls}",
            f"{tool.failures}",
            *(_ms(value) for value in _quartet(tool.durations)),
            _share(sum(tool.durations), total),
        )
        for name, tool in tools
    ]
    yield from _table(("tool", "calls", "failed", "median", "95 %", "longest", "in sum", "share"), rows)


def turn_lines(stats: Stats) -> Iterator[str]:
    """Yield a row for each turn in log order."""
    turns = stats.activity.turns
    total = sum(turn.lasted or 0 for turn in turns)
    rows = [
        (
            value_word(turn.turn),
            f"{turn.steps}",
            f"{turn.calls}",
            f"{turn.failures}",
            f"{turn.tokens.get('inputTokens', 0)}",
            f"{turn.tokens.get('outputTokens', 0)}",
            _ms(turn.lasted),
            _share(turn.lasted or 0, total),
        )
        for turn in turns
    ]
    yield from _table(("turn", "steps", "calls", "failed", "input", "output", "lasted", "share"), rows)


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
            yield label, f"{bucket}: {joined(f'{_SHORT[name]} {sums[name]}' for name in MEMBERS if name in sums)}"
            label = ""


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


def _ms(value: int | None) -> str:
    return "-" if value is None else duration(value)


def _table(head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the first column to the left, the figures to the right, the shares as they are."""
    cells = [(cut(first, _NAME), *rest) for first, *rest in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        middle = (value.rjust(width) for value, width in zip(row[1:-1], widths[1:-1], strict=True))
        yield "  ".join((row[0].ljust(widths[0]), *middle, row[-1])).rstrip()


# -- JSON


def stats_dict(logs: list[Json], total: Stats) -> Json:
    """Give the document of `stats --json`; the logs are those of `log_stats_dict`."""
    from dshlog.render.jsonout import SCHEMA

    whole = log_stats_dict(total)
    del whole["path"], whole["turns"]
    return {"schema": SCHEMA, "logs": logs, "total": {"logs": total.logs, **whole}}


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

"""Members of a payload that name other events by seq. Source: migration.md §3.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_SPANS = frozenset({"compaction/summary", "compaction/prune"})
_TITLES = frozenset({"session/title", "session/title-llm-request"})


def references(kind: str, data: Any) -> Iterator[tuple[Any, Any, str]]:  # noqa: ANN401 - a JSON value
    """Yield (holder, name or index, path) of every member that holds the seq of another event."""
    if type(data) is not dict:
        return
    if kind in _SPANS:
        span = data.get("shadowedRange")
        if type(span) is dict:
            for end in ("start", "end"):
                if end in span:
                    yield span, end, f"$.data.shadowedRange.{end}"
        yield from _listed(data, "shadowedSeqs")
    elif kind in _TITLES:
        yield from _listed(data, "messageSeqs")
    elif kind == "command/done":
        if "sourceEventSeq" in data:
            yield data, "sourceEventSeq", "$.data.sourceEventSeq"
    elif kind == "image/offload" and type(data.get("targets")) is list:
        for index, target in enumerate(data["targets"]):
            if type(target) is dict and "seq" in target:
                yield target, "seq", f"$.data.targets[{index}].seq"


def _listed(data: dict[str, Any], name: str) -> Iterator[tuple[Any, Any, str]]:
    held = data.get(name)
    if type(held) is list:
        for index in range(len(held)):
            yield held, index, f"$.data.{name}[{index}]"

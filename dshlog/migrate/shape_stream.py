"""Embedded streams as the upgrade of v2 looks at them: records, and the content that they name. Source: P-052, P-037."""

from __future__ import annotations

from typing import Any

from dshlog.migrate.shape_messages import ADMITTED
from dshlog.migrate.shapes import Flaw


def stream(value: object) -> list[Flaw] | None:
    """Check a stream: records are objects, and raw chunks name admitted content alone."""
    if type(value) is not list:
        return [Flaw("", "is no list")]
    out: list[Flaw] = []
    for index, record in enumerate(value):
        if type(record) is not dict:
            out.append(Flaw(f"[{index}]", "is no object"))
        elif record.get("type") == "chunk":
            out += _chunk(record.get("chunk"), f"[{index}].chunk")
    return out or None


def _chunk(chunk: object, where: str) -> list[Flaw]:
    kind = chunk.get("type") if type(chunk) is dict else None
    if type(chunk) is not dict or kind not in {"block-start", "block-end"}:
        return []
    if kind == "block-start":
        named = chunk.get("blockType")
        return [] if _admitted(named) else [_flaw(f"{where}.blockType", named)]
    out: list[Flaw] = []
    waiting: list[tuple[str, Any]] = [(f"{where}.block", chunk.get("block"))]
    for path, block in waiting:
        held = block.get("type") if type(block) is dict else None
        if not _admitted(held):
            out.append(_flaw(path, held))
        elif held == "tool-result" and type(block.get("content")) is list:
            waiting += [(f"{path}.content[{index}]", item) for index, item in enumerate(block["content"])]
    return out


def _admitted(kind: object) -> bool:
    return type(kind) is str and kind in ADMITTED


def _flaw(path: str, kind: object) -> Flaw:
    words = (
        f"is of the kind {kind[:40]!a}, which is no content of v2" if type(kind) is str else "names no kind of content"
    )
    return Flaw(path, words, "upgrade-content-kind")

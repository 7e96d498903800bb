"""Embedded streams as the upgrade of v2 looks at them: records, and the content that they name. Source: P-052, P-037."""

from __future__ import annotations

from dshlog.migrate.shape_messages import ADMITTED, STRICT, content
from dshlog.migrate.shapes import Flaw, behind

_content = content(STRICT)


def stream(value: object) -> list[Flaw] | None:
    """Check a stream: records are objects, a block-start names admitted content, a block-end holds such a block."""
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
    if type(chunk) is not dict:
        return [Flaw(where, "is no object")]
    kind = chunk.get("type")
    if type(kind) is not str or kind not in {"block-start", "block-end"}:
        return []
    if kind == "block-end":
        flaws = _content([chunk.get("block")]) or []
        return behind(f"{where}.block", [flaw._replace(path=flaw.path.removeprefix("[0]")) for flaw in flaws])
    named = chunk.get("blockType")
    if type(named) is str and named in ADMITTED:
        return []
    words = f"is {named[:40]!a}, which is no content of v2" if type(named) is str else "names no kind of content"
    return [Flaw(f"{where}.blockType", words, "upgrade-content-kind", named if type(named) is str else None)]

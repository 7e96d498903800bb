"""The moves of a relocation, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dshlog.render.jsonout import SCHEMA
from dshlog.render.words import path_name, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A log or a session directory that gets another name; `why_not` says what keeps it where it is."""

    kind: Literal["file", "directory"]
    old: str
    new: str
    why_not: str | None = None
    moved: bool = False


def relocation_lines(path: str, moves: Sequence[Move], *, done: bool) -> Iterator[str]:
    """Yield each move, and what to run next."""
    for move in moves:
        yield f"{'moved' if move.moved else 'move' if move.why_not is None else 'not moved:'} {path_name(move.old)}"
        yield f"  to {path_name(move.new)}" + ("" if move.why_not is None else f"   ({move.why_not})")
    if not moves:
        yield f"{path_name(path)}: every log lies where its header says"
    elif not done and any(move.why_not is None for move in moves):
        yield f"next: dshlog repair --relocate --in-place {shell_word(path)}"


def relocation_dict(path: str, moves: Sequence[Move]) -> dict[str, Any]:
    """Give the moves with every key."""
    return {
        "schema": SCHEMA,
        "path": path,
        "moves": [
            {"kind": move.kind, "from": move.old, "to": move.new, "moved": move.moved, "why_not": move.why_not}
            for move in moves
        ],
    }

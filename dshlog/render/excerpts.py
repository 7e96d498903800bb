"""Two values of one member, short: of long texts the part in which they begin to differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dshlog.model.comparison import Change

SHOWN = 120  # code points of a value
_AHEAD = 24  # code points in front of the first that differs


def both(change: Change, *, full: bool, room: int = SHOWN) -> tuple[str | None, str | None]:
    """Give both values as JSON text, None for one that is not there; cut to `room` columns unless the whole is wanted."""
    old = None if change.kind == "added" else _text(change.old)
    new = None if change.kind == "removed" else _text(change.new)
    if full:
        return old, new
    start = 0
    if old is not None and new is not None and max(len(old), len(new)) > room // 2:
        alike = _alike(old, new)
        # Where signs are two columns wide the first half of the room is as much as is sure to be seen.
        start = max(0, alike - min(_AHEAD, room // 6)) if alike > room // 2 else 0
    return _cut(old, start, room), _cut(new, start, room)


def _cut(text: str | None, start: int, room: int) -> str | None:
    if text is None:
        return None
    shown = text[start : start + room]
    return ("…" if start else "") + shown + ("…" if start + room < len(text) else "")


def _text(value: object) -> str:
    from dshlog.storage.jsontext import dumps

    return dumps(value).decode("utf-8", "replace")


def _alike(old: str, new: str) -> int:
    """Count the characters that two texts begin with alike."""
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return place
    return min(len(old), len(new))

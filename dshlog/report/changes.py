"""The members in which two JSON values differ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dshlog.model.comparison import Change
from dshlog.storage.jsontext import dumps, same

if TYPE_CHECKING:
    from collections.abc import Iterator

# Lists in which a position says nothing.
_WHOLE = frozenset({"$.data.stream", "$.sourceEventSeqs", "$.data.shadowedSeqs", "$.data.messageSeqs"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def changes(a: object, b: object, path: str = "$") -> Iterator[Change]:
    """Yield what differs, in the order of the members of `a`, then those that only `b` has; any depth.

    Objects are compared by their members and lists by position, streams and lists of seqs as a whole; a value of another kind is one change.
    """
    todo: list[tuple[str, Any, Any, int]] = [(path, a, b, 3)]
    while todo:
        where, old, new, there = todo.pop()
        if there != 3:  # noqa: PLR2004 - on both sides
            yield Change(where, "removed", old, None) if there == 1 else Change(where, "added", None, new)
        elif type(old) is dict and type(new) is dict:
            below = [
                (member_path(where, name), old.get(name), new.get(name), (name in old) + 2 * (name in new))
                for name in dict.fromkeys((*old, *new))
            ]
            todo.extend(reversed(below))
        elif type(old) is list and type(new) is list and where not in _WHOLE:
            size = max(len(old), len(new))
            todo.extend(
                (
                    f"{where}[{at}]",
                    old[at] if at < len(old) else None,
                    new[at] if at < len(new) else None,
                    (at < len(old)) + 2 * (at < len(new)),
                )
                for at in reversed(range(size))
            )
        elif not same(old, new, zero_sign=True):
            yield Change(where, "changed", old, new)


def member_path(path: str, name: str) -> str:
    """Give the path of a member."""
    return f"{path}.{name}" if _NAME.match(name) else f"{path}[{dumps(name).decode('utf-8', 'replace')}]"

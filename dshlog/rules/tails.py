"""Which record behind a bad one turns a torn tail into corruption. Source: storage.md §5.2.

Every reader drops what stands behind the first bad record, unless a `turn/end` there shows that it was
committed. The readers differ in what they accept as that `turn/end`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# How a record reads.
NOT_JSON = "not-json"
MALFORMED = "malformed"  # JSON, but the row decoder refuses it
GAP = "gap"  # decodes, but stands at the wrong position
SOUND = "sound"
UNREAD = "unread"  # dshlog does not read it, so nobody knows


def _current(cause: str, how: str, ends_turn: bool) -> bool:  # noqa: FBT001 - a policy has one signature
    """0.1.5 on v3, 0.2.1 on v4: any object of that type, whatever else is wrong with it."""
    del cause
    return ends_turn and how != NOT_JSON


def _historical(cause: str, how: str, ends_turn: bool) -> bool:  # noqa: FBT001
    """Conversion of an older generation: behind a malformed record the `turn/end` itself must decode."""
    return ends_turn and (how in {GAP, SOUND} or (cause == NOT_JSON and how == MALFORMED))


def _early(cause: str, how: str, ends_turn: bool) -> bool:  # noqa: FBT001
    """0.1.2 on v0: a `turn/end` that decodes."""
    del cause
    return ends_turn and how in {GAP, SOUND}


def tail_policy(version: int) -> Callable[[str, str, bool], bool]:
    """Give the policy of a generation's own reader (v1, v2: the conversion).

    The policy is asked for every record from the first bad one on, with how the first bad record reads,
    how this one reads, and whether it is an object of type `turn/end`; True means corruption. The
    conversion does not take a malformed first record for a committed one.
    """
    return (_early, _historical, _historical, _current, _current)[version]

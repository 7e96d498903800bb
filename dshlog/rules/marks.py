"""Plain spellings of `surfaceOp` and `sourceEventSeqs`, told quickly; a no sends the row to the exact path."""

from __future__ import annotations

from array import array
from sys import byteorder
from typing import Any

from dshlog.fold.marker import EMBEDDED_STREAMS, ENDS

_WIDTH = 8  # bytes of an unsigned integer
_LAST = 0 if byteorder == "little" else _WIDTH - 1  # where its last byte stands
_LAST_BYTES = bytes(range(256)) * 65  # the last bytes of numbers that rise by one each
_LONGEST_RUN = len(_LAST_BYTES) - 256


def plain_op(op: Any, seq: int, version: int) -> bool:  # noqa: ANN401 - a JSON value
    """Tell whether a replacement marker is sound in a plain spelling."""
    first, last = ENDS[version]
    try:
        start, end = op[first], op[last]
        return (
            len(op) == 3  # noqa: PLR2004 - op and both ends
            and op["op"] == "replace"
            and type(start) is int
            and type(end) is int
            and 0 < start < seq
            and 0 < end < seq
        )
    except (KeyError, TypeError, IndexError):
        return False


def plainly_cited(kind: str, cited: Any, seq: int, version: int, ranges: bool) -> bool:  # noqa: ANN401, FBT001
    """Tell whether sourceEventSeqs is sound in a plain spelling; `ranges` says whether it may hold any."""
    if type(cited) is not list or (kind == "assistant/message" and version >= EMBEDDED_STREAMS):
        return False
    if len(cited) == 1 and type(cited[0]) is int:
        return 0 < cited[0] < seq
    if not cited:
        return kind == "assistant/message"
    if _is_run(cited):
        return bool(cited[-1] < seq)
    if list(map(type, cited)).count(int) == len(cited):
        return min(cited) > 0 and max(cited) < seq and len(set(cited)) == len(cited)
    return ranges and _rising(cited, seq)


def _is_run(cited: list[Any]) -> bool:
    """Tell whether a list holds integers above 1 that rise by one each; a long run is not told.

    Numbers that never fall and whose last bytes rise by one each rise by one or by more than a byte holds,
    and first and last leave no room for more.
    """
    first, last, count = cited[0], cited[-1], len(cited)
    if not type(first) is type(last) is int or last - first + 1 != count or first <= 1 or count > _LONGEST_RUN:
        return False
    try:
        lasts = array("Q", cited).tobytes()[_LAST::_WIDTH]  # refuses anything but integers and booleans
    except (TypeError, OverflowError):
        return False
    at = first & 255
    return lasts == _LAST_BYTES[at : at + count] and bool(sorted(cited) == cited)


def _rising(cited: list[Any], seq: int) -> bool:
    """Tell whether a list of seqs and ranges is strictly increasing, plainly spelled and earlier than `seq`."""
    last = 0
    for entry in cited:
        if type(entry) is list:
            if len(entry) != 2 or type(entry[0]) is not int or type(entry[1]) is not int:  # noqa: PLR2004
                return False
            start, end = entry
        elif type(entry) is int:
            start = end = entry
        else:
            return False
        if not last < start <= end:
            return False
        last = end
    return last < seq

"""Plain spellings of `surfaceOp` and `sourceEventSeqs`, told quickly; a no sends the row to the exact path."""

from __future__ import annotations

from typing import Any

from orjson import dumps

from dshlog.fold.marker import EMBEDDED_STREAMS, ENDS


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
    start, last = cited[0], cited[-1]
    if type(start) is type(last) is int and last - start + 1 == len(cited):
        # Written out again, a run of seqs has one spelling; so this proves types and order at once.
        run = dumps(cited) == dumps(list(range(start, last + 1)))
        if run:
            return start > 0 and last < seq
    if list(map(type, cited)).count(int) == len(cited):
        return min(cited) > 0 and max(cited) < seq and len(set(cited)) == len(cited)
    return ranges and _rising(cited, seq)


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

"""Words about a line that is not read: what dsh makes of it, or that dshlog does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.model.fault import Fault
from dshlog.storage.unread import LONGEST_STRING, MAX_VALUES

if TYPE_CHECKING:
    from dshlog.storage.unread import Overlong


def unread_fault(line: Overlong, name: str = "not-json") -> Fault:
    """Give the fault of a line that is not read.

    Args:
        line: stands for the line.
        name: of the rule that it breaks when dsh cannot read it either.
    """
    if line.beyond_dsh:
        text = f"not JSON to dsh: the line has {line.units - 1} UTF-16 code units, a JavaScript string up to {LONGEST_STRING}"
        return Fault(name, text)
    if line.limit is None:
        why = f"it holds more than {MAX_VALUES} values"
    else:
        why = f"it has {len(line) - 1} bytes, the limit here is {line.limit}"
    return Fault("line-too-long", f"dshlog does not read this line: {why}")

"""Results for calls that were not started: the exact form that a recovery writes, and what those of a fork share with it.

Source: events.md R-033, R-035.
"""

from __future__ import annotations

from dshlog.fold.identity import member
from dshlog.rules.admission import canonical
from dshlog.rules.lifecycle import NOT_STARTED_TEXT


def not_started(data: dict[str, object], call_id: object, holder: object) -> str | None:
    """Give the id of a result that says that its call was not started; None for any other.

    `holder` has `isError` and `content`: the message itself, up to v3 its wrapper block.
    """
    name, error = member(data.get("message"), "id"), data.get("error")
    said = (
        type(call_id) is str
        and member(error, "name") == "ToolNotStartedError"
        and member(error, "code") == "TOOL_NOT_STARTED"
        and member(holder, "isError") is True
    )
    return name if said and type(name) is str else None


def recovered(name: str, call_id: object, holder: object, cited: object) -> bool:
    """Tell whether such a result has the form that a recovery writes."""
    content = member(holder, "content")
    return (
        cited is None
        and canonical(name, f"interrupted-tool-result-{call_id}-") is not None
        and type(content) is list
        and len(content) == 1
        and member(content[0], "type") == "text"
        and member(content[0], "text") == NOT_STARTED_TEXT
    )

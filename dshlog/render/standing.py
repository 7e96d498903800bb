"""How much of a log counts when several are summed up: all of it, or only what stands before its damage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.render.rows import spot_words, stop_words
from dshlog.render.text import leading
from dshlog.render.words import path_name, visible

if TYPE_CHECKING:
    from dshlog.model.report import Report
    from dshlog.render.jsonout import Json


def standing_words(report: Report) -> str:
    """Name a log with errors, the first of them, and up to where it counts."""
    worst = leading(report)
    fault = "" if worst is None else f", {worst.code} {worst.name}"
    spot = "" if worst is None else spot_words(worst.place)
    if report.stop is not None:
        much = f"counted up to {stop_words(report)}"
    else:
        much = "counted whole" if report.events else "nothing counted"
    return f"{path_name(report.path)}: {report.state}{visible(fault)}{spot and f' at {spot}'}; {much}"


def standing_dict(report: Report) -> Json:
    """Give the state of a log, where what counts ends, and its leading error, with every key."""
    worst = leading(report)
    error = None if worst is None or worst.severity != "error" else worst
    return {
        "state": report.state,
        "stop": report.stop,
        "error": None if error is None else {"code": error.code, "name": error.name, "line": error.place.line},
    }

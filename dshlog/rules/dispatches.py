"""Dispatches from inside a tool call (tool/ptc-dispatch). Source: events.md §4.6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.fold.identity import member
from dshlog.model.fault import Fault
from dshlog.rules.lifecycle import show_id
from dshlog.storage.jsontext import same

if TYPE_CHECKING:
    from dshlog.rules.lifecycle import Lifecycle

_IDS = ("rootCallId", "parentCallId", "subCallId")


class Dispatches:
    """Every dispatch of the log: its root, and until it is settled what its start said."""

    def __init__(self, life: Lifecycle) -> None:
        self._life = life
        self._roots: dict[str, str] = {}
        self._open: dict[str, dict[str, object]] = {}

    def start(self, data: object, _seq: int) -> list[Fault]:
        """R-081..R-083, R-086."""
        faults, ids = self._common(data, "tool/ptc-dispatch-start")
        if ids is None or type(data) is not dict:
            return faults
        root, parent, sub = ids
        if sub in self._roots:
            name = "dispatch-repeated" if self._roots[sub] == root else "dispatch-root-changed"
            faults.append(Fault(name, f"dispatch {show_id(sub)} starts a second time", "$.data.subCallId"))
        elif parent != root and self._roots.get(parent) != root:
            text = f"the parent of dispatch {show_id(sub)} is neither its root nor an earlier dispatch of it"
            faults.append(Fault("dispatch-parent-unknown", text, "$.data.parentCallId"))
        self._roots.setdefault(sub, root)
        self._open[sub] = data
        return faults

    def settle(self, data: object, _seq: int) -> list[Fault]:
        """R-081, R-084, R-085."""
        faults, ids = self._common(data, "tool/ptc-dispatch")
        if ids is None:
            return faults
        sub = ids[2]
        start = self._open.pop(sub, None)
        if start is None:
            faults.append(
                Fault(
                    "dispatch-not-open", f"dispatch {show_id(sub)} is settled without an open start", "$.data.subCallId"
                )
            )
            return faults
        for name in ("rootCallId", "parentCallId", "name", "arguments"):
            if not same(member(data, name), member(start, name), zero_sign=True):
                text = f"{name} is not that of the start of the dispatch"
                return [*faults, Fault("dispatch-differs", text, f"$.data.{name}")]
        return faults

    def _common(self, data: object, kind: str) -> tuple[list[Fault], tuple[str, str, str] | None]:
        fault = self._life.inside_turn(kind)
        faults = [fault] if fault is not None else []
        ids = [member(data, name) for name in _IDS]
        texts = [value for value in ids if type(value) is str and value]
        if len(texts) != len(_IDS):
            faults.append(Fault("dispatch-malformed", f"{kind} lacks one of {', '.join(_IDS)}", "$.data"))
            return faults, None
        return faults, (texts[0], texts[1], texts[2])

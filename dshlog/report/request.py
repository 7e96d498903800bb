"""Requests to the model, reconstructed from the log. Source: surface.md §10."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dshlog.fold.request import ToolHistory, canonical_header
from dshlog.model.request import Name, RequestView
from dshlog.report.attempts import Calls
from dshlog.report.facts import get
from dshlog.report.follow import follow
from dshlog.report.lens import Open
from dshlog.report.surface import surface_of
from dshlog.report.telling import Tellings

if TYPE_CHECKING:
    from collections.abc import Collection

    from dshlog.model.report import Encoding, Report
    from dshlog.model.surface import Replacement
    from dshlog.report.examine import Children
    from dshlog.rules.judge import Judge
    from dshlog.storage.source import Source

_TOOL_HISTORY = 4  # the first generation whose developer messages change tools
_ENDING = frozenset({"request/header", "step/start", "step/end", "turn/start", "turn/end", "session/end-seed"})


class Requests:
    """The requests of one log that were asked for.

    `found` holds them by name; `calls` counts the calls under each header, so its length counts the
    headers. `replacements`, `tellings` and `offloads` (seq and targets) are what happened to the surface.
    """

    def __init__(self, wanted: Collection[Name]) -> None:
        self.found: dict[Name, RequestView] = {}
        self.calls: list[int] = []
        self.headers: list[int] = []  # their seqs
        self.replacements: tuple[Replacement, ...] = ()
        self.tellings = Tellings()
        self.offloads: list[tuple[int, frozenset[int]]] = []
        self._wanted = wanted
        self._history = ToolHistory()
        self._header: tuple[int, dict[str, Any]] | None = None
        self._context: Any = None
        self._following: Calls | None = None
        self._place = Open()
        self._at: tuple[object, object] = (None, None)
        self._begun: dict[int, Name] = {}  # first event of a call -> its name

    def before(self, event: dict[str, Any], seq: int, judge: Judge) -> None:  # noqa: ARG002 - as Watcher
        """Look at an event before it is taken: here a call begins to be answered, or is given up."""
        kind = event.get("type")
        if self._following is None:
            self._following = Calls(judge.version)
        if not self.calls:
            return
        if self._following.begins(event):
            name = len(self.calls), self.calls[-1] + 1
            if name in self._wanted:
                self.found[name] = self._state(name, judge)
        elif type(kind) is str and kind in _ENDING:
            self._give_up(judge)

    def after(self, event: dict[str, Any], seq: int, judge: Judge) -> None:
        """Look at an event that was taken."""
        kind, data = event.get("type"), event.get("data")
        self._at = self._place.enter(kind, data)
        self._place.leave(kind)
        self._call(event, seq)
        if kind == "request/header" and type(get(data, "header")) is dict:
            self._header = seq, data["header"]  # type: ignore[index]
            self.calls.append(0)
            self.headers.append(seq)
            self._history.header(seq, data)  # type: ignore[arg-type]
        elif kind == "request/context":
            self._context = data
        elif kind == "developer/message" and seq in (judge.folder.messages or ()):
            self._history.developer(data)  # type: ignore[arg-type]
        elif kind == "image/offload":
            targets = get(data, "targets")
            seqs = frozenset(get(target, "seq") for target in targets) if type(targets) is list else frozenset()
            self.offloads.append((seq, seqs))
        self.tellings.event(event, seq)

    def end(self, judge: Judge) -> None:
        """Look at the end: a call that nothing tells of any more is in flight."""
        self._give_up(judge)
        for call in () if self._following is None else self._following.end():
            self._settle(call.first, None, "assistant/chunk")
        self.replacements = judge.kept()[0].replacements

    def _call(self, event: dict[str, Any], seq: int) -> None:
        """Follow the calls of the model, and say of each how it was settled."""
        following = self._following
        if following is None:
            return
        if self.calls and following.begins(event):
            self.calls[-1] += 1
            self._begun[seq] = len(self.calls), self.calls[-1]
        for call in following.event(seq, event):
            kind = str(event.get("type")) if call.first == seq or call.message is not None else "assistant/chunk"
            self._settle(call.first, seq if call.message is not None or call.first == seq else None, kind)

    def _settle(self, first: int, answer: int | None, kind: str) -> None:
        name = self._begun.pop(first, None)
        view = None if name is None else self.found.get(name)
        if name is not None and view is not None:
            self.found[name] = replace(view, first=first, answer=answer, answered_by=kind)

    def _give_up(self, judge: Judge) -> None:
        """Note the state of a request that nothing has answered so far; a later answer takes its place."""
        name = len(self.calls), 1
        if self.calls and not self.calls[-1] and name in self._wanted and name not in self.found:
            self.found[name] = self._state(name, judge)

    def _state(self, name: Name, judge: Judge) -> RequestView:
        surface, messages = judge.kept()
        seq, header = self._header or (0, {})
        tools = header.get("tools")
        history = None
        if judge.version >= _TOOL_HISTORY:
            history = self._history.snapshot()
            history = {"tools": list(history["tools"]), "updates": list(history["updates"])}
        rows = [row for row in surface_of(judge, surface, messages) if row.seq in messages]
        return RequestView(
            number=name[0],
            call=name[1],
            seq=seq,
            first=None,
            answer=None,
            answered_by=None,
            turn=self._at[0],
            step=self._at[1],
            header=canonical_header(header, judge.version),
            context=self._context,
            tools=tuple(tools) if type(tools) is list else (),
            tool_history=history,
            messages=tuple(messages.values()),
            rows=tuple(replace(row, position=position) for position, row in enumerate(rows)),
        )


def before(name: Name, calls: list[int]) -> Name | None:
    """Give the request before this one, of a log with so many calls under each header; None for the first one."""
    number, call = name
    if call > 1:
        return number, call - 1
    return (number - 1, max(calls[number - 2], 1)) if number > 1 else None


def requests(  # noqa: PLR0913 - as examine
    source: Source,
    path: str,
    wanted: Collection[Name],
    *,
    at: int | None = None,
    encoding: Encoding | None = None,
    children: Children | None = None,
) -> tuple[Requests, Report]:
    """Reconstruct the requests of these names, with the report on the whole log.

    Args:
        source: the bytes, as for `examine`.
        path: how the report names the log.
        wanted: which ones; what the log does not have is not found.
        at: the log is taken to end with this event.
        encoding: as for `examine`.
        children: as for `examine`.
    """
    found, exam = follow(source, path, lambda: Requests(wanted), at=at, encoding=encoding, children=children)
    return found, exam.report()

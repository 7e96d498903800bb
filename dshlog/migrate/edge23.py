"""v2 to v3: prompts become system messages, PTC gets its name, envelopes their last form. Source: migration.md §4."""

from __future__ import annotations

from array import array
from typing import Any

from dshlog.fold.identity import member
from dshlog.fold.marker import marker_faults
from dshlog.migrate.admission import admission
from dshlog.migrate.edge01 import flawed
from dshlog.migrate.references import references
from dshlog.migrate.refusal import Refusal, Refusals
from dshlog.migrate.stage import Event, Stage
from dshlog.migrate.system import SystemHead
from dshlog.model.header import Header
from dshlog.model.number import as_count
from dshlog.model.vocabulary import SURFACE_TYPES
from dshlog.rules.payload import row_faults_v3

EDGE = "2->3"

_RENAMED = {"tool/code-dispatch-start": "tool/ptc-dispatch-start", "tool/code-dispatch": "tool/ptc-dispatch"}
_SURFACE = SURFACE_TYPES[2]


class FromV2:
    """The edge."""

    def __init__(self, header: Header, behind: Stage, refusals: Refusals) -> None:
        self._header = header
        self._behind = behind
        self._refusals = refusals
        self._map = array("q")  # target by source seq
        self._target = 0
        self._cut = -1  # source seq of the last inherited marker
        self._step: tuple[Any, Any] | None = None
        self._system = SystemHead(header.id)
        self._foreign: list[int] = []  # source seqs of markers that name another session

    def hole(self, origin: int) -> None:
        """Keep the place of a refused event."""
        self._map.append(self._target)
        self._target += 1
        self._behind.hole(origin)

    def take(self, event: Event, origin: int) -> None:
        """Take one event."""
        source = len(self._map)
        kind, data = event.get("type"), event.get("data")
        if not self._refusals.holds(origin):
            for flaw in admission(event, source):
                told = flawed(EDGE, flaw, flaw.path, origin, kind)
                self._refusals.add(told if flaw.path.startswith("$.data") else told._replace(message=flaw.words))
        if type(kind) is not str or type(data) is not dict:
            self.hole(origin)
            return
        taken = self._system.note(kind, data)
        if taken is not None:
            text = "the message has an id that the upgrade gives to a system message"
            self._refuse("upgrade-id-collision", text, taken, origin, kind)
        if kind == "request/header":
            self._prompt(event, data, source, origin)
        elif kind in _SURFACE and self._system.head is None:
            text = f"{kind} stands before the first step"
            self._refuse("upgrade-surface-before-step", text, None, origin, kind)
        elif kind == "session/end-seed" and data.get("inherited") is True:
            if not self._header.is_seeded:
                self._refuse(
                    "seed-marker-unexpected", "an inherited end-seed in an unseeded log", "$.data", origin, kind
                )
            self._cut = source
        elif kind == "session-log-deepseek/delivery-accepted":
            self._delivery(data, source, origin)
        self._map.append(self._target)
        self._write(event, kind, data, origin)
        if kind == "step/start":
            self._step = (data.get("turn"), data.get("step"))
            if self._system.head is None:
                self._message("", event, source, origin)
        elif kind in {"step/end", "turn/end"}:
            self._step = None

    def end(self) -> None:
        """Judge the markers that may lie before the cut."""
        for origin, source in self._foreign_markers():
            if self._header.parent_session is None or source >= self._cut:
                text = "the delivery marker names another session"
                self._refuse("upgrade-delivery", text, "$.data.sessionId", origin, None)
        self._behind.end()

    def _foreign_markers(self) -> list[tuple[int, int]]:
        pairs = iter(self._foreign)
        return list(zip(pairs, pairs, strict=True))

    def _delivery(self, data: dict[str, Any], source: int, origin: int) -> None:
        generation = as_count(data.get("sessionFormatVersion"))
        if generation == 3:  # noqa: PLR2004 - the generation of the result
            text = "the delivery marker claims generation 3"
            self._refuse("upgrade-delivery", text, "$.data.sessionFormatVersion", origin, None)
        elif generation == 2 and data.get("sessionId") != self._header.id:  # noqa: PLR2004 - its own
            self._foreign += [origin, source]

    def _prompt(self, event: Event, data: dict[str, Any], source: int, origin: int) -> None:
        """Take the prompt out of a request/header; a changed one becomes a system message before it."""
        header = data.get("header")
        prompt = header.pop("system", "") if type(header) is dict else ""
        prompt = prompt if type(prompt) is str else ""
        if prompt != self._system.prompt:
            self._message(prompt, event, source, origin)

    def _message(self, prompt: str, anchor: Event, source: int, origin: int) -> None:
        if self._step is None:
            text = "the system prompt changes outside an open step"
            self._refuse("upgrade-prompt-outside-step", text, "$.data.header.system", origin, anchor["type"])
            return
        made, taken = self._system.message(prompt, self._target, anchor, source, self._step)
        if taken:
            text = "an earlier message has the id that the upgrade gives to the system message"
            self._refuse("upgrade-id-collision", text, None, origin, anchor["type"])
        self._target += 1
        self._behind.take(made, origin)

    def _write(self, event: Event, kind: str, data: dict[str, Any], origin: int) -> None:
        """Renumber, rename, bring into the form of v3, and emit."""
        own = event["seq"] = self._target
        self._target += 1
        self._remap(event, kind, data)
        if kind in _RENAMED:
            kind = event["type"] = _RENAMED[kind]
        elif kind == "agent-preset/selected":
            data["agentPreset"] = ptc_preset(data.get("agentPreset"))
        else:
            _rename_sources(kind, data)
        if kind == "request/header" and type(header := data.get("header")) is dict:
            for name, empty in (("tools", []), ("adapterDefaults", {})):
                if header.get(name) == empty and name in header:
                    del header[name]
        if not self._refusals.holds(origin):
            faults = marker_faults(event, own, 3, opaque=False) + row_faults_v3(kind, data)
            for fault in faults:
                name = "upgrade-error-unflagged" if fault.name == "tool-error-unflagged" else "upgrade-envelope"
                self._refuse(name, fault.message, fault.path, origin, kind)
        self._behind.take(event, origin)

    def _remap(self, event: Event, kind: str, data: dict[str, Any]) -> None:
        for holder, name, _ in references(kind, data):
            holder[name] = self._moved(holder[name])
        sources, op = event.get("sourceEventSeqs"), event.get("surfaceOp")
        if type(sources) is list:
            event["sourceEventSeqs"] = [self._moved(seq) for seq in sources]
        if type(op) is dict:
            start, end = self._moved(op.get("start")), self._moved(op.get("end"))
            event["surfaceOp"] = {"op": op.get("op"), "startSeq": start, "endSeq": end}

    def _moved(self, value: object) -> Any:  # noqa: ANN401
        """Give the new seq of an earlier event; admission has refused what names none."""
        seq = as_count(value)
        return self._map[seq] if seq is not None and seq < len(self._map) else value

    def _refuse(self, name: str, words: str, path: str | None, seq: int, kind: object) -> None:
        self._refusals.add(Refusal(EDGE, name, words, path, seq, kind if type(kind) is str else None))


def ptc_preset(preset: Any) -> Any:  # noqa: ANN401 - a JSON value
    """Give an agent preset under its name of v3."""
    return "ptc" if preset == "code" else preset


def _rename_sources(kind: str, data: dict[str, Any]) -> None:
    messages: Any = ()
    if kind == "user/message":
        messages = (data,)
    elif kind == "agent/inbox/spliced":
        messages = data.get("inserted")
    elif kind == "session/title-llm-request":
        messages = data.get("messages")
    for message in messages if type(messages) in {list, tuple} else ():
        source = member(message, "source")
        if type(source) is dict and source.get("kind") == "plugin" and source.get("plugin") == "tools-code-mode":
            source["plugin"] = "tools-ptc"

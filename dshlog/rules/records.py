"""Commands, titles, delivery markers, the inbox and the child catalog. Source: events.md §4.5, §4.9, P-093, P-162."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.fold.identity import ABSENT, key, member
from dshlog.model.fault import Fault
from dshlog.model.number import as_count, as_int_or_zero
from dshlog.rules.lifecycle import show_id

if TYPE_CHECKING:
    from dshlog.model.header import Header

OWN = "own"  # faults that hold for own events only, taken back when a later marker makes them inherited
_TITLE_MAKER = "dsh-session-title-llm"
_MODES = frozenset({"one-shot", "continuable", "external", "unknown"})


def is_catalog_fact(data: object) -> bool:
    """Tell whether a payload is a sound fact about a child (P-162)."""
    version, mode, label = as_int_or_zero(member(data, "version")), member(data, "mode"), member(data, "label")
    return (
        version in {0, 1, 2}
        and type(member(data, "childId")) is str
        and as_count(member(data, "childCreatedAt")) is not None
        and type(mode) is str
        and mode in _MODES
        and (mode == "external") == (version == 2)  # noqa: PLR2004 - the version of external children
        and not (mode == "unknown" and version == 0)
        and (type(label) is str if mode == "continuable" else label is ABSENT or type(label) is str)
    )


class Records:
    """Small state of the log that outlives turns: command ids, user prompts, children."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._runs: set[object] = set()
        self._command_events: set[int] = set()
        self._prompts: set[int] = set()  # seqs of user messages that a person wrote
        self._children: set[str] = set()

    def prompt(self, seq: int) -> None:
        """Note a user message whose source is the user."""
        self._prompts.add(seq)

    def inherited(self) -> None:
        """Take an inherited end-seed: everything before it belongs to the parent."""
        self._children.clear()

    def command_run(self, data: object, seq: int) -> list[Fault]:
        """R-061."""
        self._command_events.add(seq)
        name = member(data, "commandId")
        if type(name) is not str or not name:
            return [Fault("command-malformed", "command/run has no commandId", "$.data.commandId")]
        known = key(name)
        if known in self._runs:
            return [Fault("command-repeated", "the commandId was used before", "$.data.commandId")]
        self._runs.add(known)
        return []

    def command_done(self, data: object, seq: int) -> list[Fault]:
        """R-060, R-062."""
        self._command_events.add(seq)
        out: list[Fault] = []
        if key(member(data, "commandId")) not in self._runs:
            out.append(Fault("command-unknown", "no command/run has this commandId", "$.data.commandId"))
        cited = member(data, "sourceEventSeq")
        if cited is not ABSENT:
            number = as_count(cited)
            if member(data, "kind") != "success" or number is None or number >= seq or number in self._command_events:
                text = "sourceEventSeq does not name an earlier event that is no command, after a success"
                out.append(Fault("command-source-wrong", text, "$.data.sourceEventSeq"))
        return out

    def title(self, data: object, seq: int) -> list[Fault]:
        """R-070, R-072, R-073."""
        cited, source = member(data, "messageSeqs"), member(data, "source")
        if type(cited) is not list or type(source) is not dict:
            return [Fault("title-malformed", "session/title lacks messageSeqs or a source", "$.data")]
        if (not cited) != (source.get("kind") == "user"):
            return [Fault("title-malformed", "messageSeqs does not go with who gave the title", "$.data.messageSeqs")]
        return self._cited(cited, seq)

    def title_request(self, data: object, seq: int) -> list[Fault]:
        """R-072, R-073, R-074."""
        cited, messages = member(data, "messageSeqs"), member(data, "messages")
        if type(cited) is not list or not cited:
            return [Fault("title-malformed", "messageSeqs is no list or empty", "$.data.messageSeqs")]
        message = messages[0] if type(messages) is list and len(messages) == 1 else None
        content, source = member(message, "content"), member(message, "source")
        if (
            member(message, "role") != "user"
            or type(content) is not list
            or len(content) != 1
            or member(content[0], "type") != "text"
            or member(source, "kind") != _TITLE_MAKER
        ):
            return [
                Fault("title-request-malformed", "messages is not one user text of the title maker", "$.data.messages")
            ]
        return self._cited(cited, seq)

    def delivery(self, data: object, seq: int) -> list[Fault]:
        """P-221, P-222, R-110."""
        version = member(data, "sessionFormatVersion")
        if version is not ABSENT and as_count(version) is None:
            return [Fault("delivery-malformed", "sessionFormatVersion is no count", "$.data.sessionFormatVersion")]
        if (0 if version is ABSENT else as_count(version)) != self._header.version:
            return []  # a marker of another generation is opaque
        session, through = member(data, "sessionId"), as_count(member(data, "throughSeq"))
        if type(session) is not str or not session or through is None or through >= seq:
            return [
                Fault("delivery-malformed", "a delivery marker lacks a sessionId or an earlier throughSeq", "$.data")
            ]
        if session != self._header.id:
            group = OWN if self._header.parent_session is not None else None
            return [
                Fault("delivery-foreign-session", "the marker names another session", "$.data.sessionId", group=group)
            ]
        return []

    def inbox(self, data: object, _seq: int) -> list[Fault]:
        """P-093; a payload that is no object passes."""
        if type(data) is not dict:
            return []
        inserted = data.get("inserted")
        if type(inserted) is not list:
            return [Fault("inbox-malformed", "inserted is no list", "$.data.inserted")]
        out: list[Fault] = []
        for index, message in enumerate(inserted):
            kind = member(member(message, "source"), "kind")
            if type(kind) is not str or not kind:
                out.append(Fault("inbox-malformed", "an inserted message names no source", f"$.data.inserted[{index}]"))
        return out

    def catalog(self, data: object, _seq: int) -> list[Fault]:
        """P-162, R-120."""
        child = member(data, "childId")
        if not is_catalog_fact(data) or type(child) is not str:
            return [Fault("catalog-malformed", "a subagent/catalog fact has another form", "$.data", group=OWN)]
        if child in self._children:
            return [
                Fault(
                    "catalog-child-repeated", f"child {show_id(child)} is catalogued twice", "$.data.childId", group=OWN
                )
            ]
        self._children.add(child)
        return []

    def _cited(self, cited: list[object], seq: int) -> list[Fault]:
        seen: set[int] = set()
        for index, entry in enumerate(cited):
            number, where = as_count(entry), f"$.data.messageSeqs[{index}]"
            if number is None or number >= seq or number not in self._prompts:
                return [Fault("title-cites-other", "a cited event is no earlier message of the user", where)]
            if number in seen:
                return [Fault("title-cites-twice", f"event {number} is cited twice", where)]
            seen.add(number)
        return []

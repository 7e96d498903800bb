"""System messages that v3 has in place of prompts in request headers. Source: migration.md §4."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from dshlog.fold.identity import member
from dshlog.migrate.stage import Event
from dshlog.storage.jsontext import dumps

_PREFIX = "v2-to-v3-system-"
_PLUGIN = "@deepseek-ai/dsh-system-prompt"
_MESSAGES = frozenset({"assistant/message", "tool/result"})
_LISTS = {"agent/inbox/spliced": "inserted", "session/title-llm-request": "messages"}


class SystemHead:
    """The head of the surface: its seq in v3 (None before the first step), and the prompt it holds."""

    def __init__(self, session_id: str) -> None:
        self.head: int | None = None
        self.prompt = ""
        self._session = session_id
        self._made: set[str] = set()  # ids given to system messages
        self._taken: set[str] = set()  # ids of messages that look like such

    def note(self, kind: str, data: dict[str, Any]) -> str | None:
        """Note the ids of the messages of an event; the path of one that was given to a system message."""
        found = None
        for path, message in _messages(kind, data):
            name = member(message, "id")
            if type(name) is str and name.startswith(_PREFIX):
                self._taken.add(name)
                if name in self._made:
                    found = f"{path}.id"
        return found

    def message(self, prompt: str, seq: int, anchor: Event, source: int, step: tuple[Any, Any]) -> tuple[Event, bool]:
        """Make the system message for a prompt, and tell whether its id is taken.

        Args:
            prompt: its text, may be empty.
            seq: that it gets.
            anchor: the event before or behind which it stands.
            source: seq of the anchor in v2.
            step: the open turn and step.
        """
        text = dumps(["session-format-v2-to-v3", self._session, source, anchor["type"]])
        name = f"{_PREFIX}{sha256(text).hexdigest()}"
        event: Event = {
            "type": "system/message",
            "seq": seq,
            "time": anchor.get("time"),
            "data": {
                "turn": step[0],
                "step": step[1],
                "message": {
                    "id": name,
                    "role": "system",
                    "source": {"kind": "plugin", "plugin": _PLUGIN},
                    "content": [{"type": "text", "text": prompt}] if prompt else [],
                },
            },
            "surfaceOp": "append",
        }
        if self.head is not None:
            event["surfaceOp"] = {"op": "replace", "startSeq": self.head, "endSeq": self.head}
            event["sourceEventSeqs"] = [self.head]
        self.head, self.prompt = seq, prompt
        taken = name in self._taken
        self._made.add(name)
        return event, taken


def _messages(kind: str, data: dict[str, Any]) -> list[tuple[str, Any]]:
    if kind == "user/message":
        return [("$.data", data)]
    if kind in _MESSAGES:
        return [("$.data.message", data.get("message"))]
    name = _LISTS.get(kind)
    held = data.get(name) if name is not None else None
    return [(f"$.data.{name}[{index}]", item) for index, item in enumerate(held)] if type(held) is list else []

"""v0 to v1: old spellings become those of the last v0 builds. Source: migration.md §2."""

from __future__ import annotations

from typing import Any

from dshlog.fold.identity import ABSENT, key, member
from dshlog.migrate.old_forms import OldFormError, message_of, reason_of, steered, trigger_dropped
from dshlog.migrate.refusal import Refusal, Refusals, unknown_type
from dshlog.migrate.shape_events import payloads
from dshlog.migrate.shapes import Flaw
from dshlog.migrate.stage import Event, PackedStage
from dshlog.model.header import Header

EDGE = "0->1"

_RENAMED = {f"compact/{name}": f"compaction/{name}" for name in ("start", "summary", "end", "prune")}
_RETIRED = frozenset({"request/header-delta", "mode/set"})
_MESSAGES = frozenset({"user/message", "assistant/message", "tool/result"})


class FromV0:
    """The edge; seqs stay as they are, packed rows pass untouched."""

    def __init__(self, header: Header, behind: PackedStage, refusals: Refusals) -> None:
        self._header = header
        self._behind = behind
        self._refusals = refusals
        self._known = payloads(0)
        self._retries: dict[object, object] = {}  # chain -> retryId
        self._compaction: object = None  # the id of the open compaction
        self._ids: dict[int, str] = {}  # of tool results, which an old replacement takes over

    def packed(self, row: Event, origin: int) -> None:
        """Let a packed row pass."""
        self._behind.packed(row, origin)

    def hole(self, origin: int) -> None:
        """Let the place of a refused event pass."""
        self._behind.hole(origin)

    def end(self) -> None:
        """Let the end pass."""
        self._behind.end()

    def take(self, event: Event, origin: int) -> None:
        """Bring one event to the spelling of v1."""
        kind: object = event.get("type")
        data = event.get("data")
        if kind == "assistant/chunk" and type(data) is dict:
            self._behind.take(event, origin)
            return
        refused = self._unreadable(event, kind, data)
        if refused is not None:
            self._refuse(*refused, origin, kind)
            self._behind.hole(origin)
            return
        try:
            self._rewrite(event, origin)
        except OldFormError as error:
            self._refuse(error.name, error.words, error.path, origin, kind)
            self._behind.hole(origin)
            return
        kind, data = event["type"], event["data"]
        for flaw in self._known[event["type"]](data, origin) or ():
            self._refusals.add(flawed(EDGE, flaw, f"$.data{flaw.path}", origin, event["type"]))
        if kind == "session-log-deepseek/delivery-accepted":
            self._delivery(data, origin)
        elif kind == "tool/result":
            name = member(data.get("message"), "id")
            if type(name) is str:
                self._ids[origin] = name
        self._behind.take(event, origin)

    def _unreadable(self, event: Event, kind: object, data: object) -> tuple[str, str, str] | None:
        if type(kind) is not str:
            return unknown_type(event), "the event has no type", "$.type"
        if kind in _RETIRED:
            return "retired-type", f"{kind} is a development form that no upgrade reads", "$.type"
        if kind not in self._known and kind not in _RENAMED and kind not in {"steering/message", "assistant/chunk"}:
            shown = kind if kind.isprintable() and len(kind) <= 80 else ascii(kind[:80])  # noqa: PLR2004
            return unknown_type(event), f"{shown} is no event type of v0, ignorable or not", "$.type"
        if type(data) is not dict:
            return "upgrade-payload", f"the data of {kind} is no object", "$.data"
        if kind == "request/header" and data.get("reason") == "fallback":
            return "header-reason-fallback", 'a request/header with the reason "fallback" is not read', "$.data.reason"
        return None

    def _rewrite(self, event: Event, seq: int) -> None:
        """Rewrite what is spelled in an old way."""
        session, data = self._header.id, event["data"]
        old: str = event["type"]
        kind = event["type"] = _RENAMED.get(old) or old
        if kind == "turn/start":
            if "trigger" in data:
                event["data"] = trigger_dropped(data)
        elif kind == "turn/end":
            data["reason"] = reason_of(data)
        elif kind == "request/header":
            _drop_prefix(data)
        elif kind == "steering/message":
            event["data"] = steered(data, f"legacy-message:{session}:{seq}")
            kind = event["type"] = "user/message"
        elif kind == "llm/retry":
            self._retry(data, seq)
        elif kind == "session/end-seed":
            self._compaction = None
        elif kind.startswith("compaction/"):
            self._compact(kind, data, seq)
        if kind in _MESSAGES:
            data = event["data"]
            if kind == "user/message":
                self._checkpoint(data)
            message_of(kind, data, event.get("surfaceOp"), f"legacy-message:{session}:{seq}", self._ids)

    def _retry(self, data: dict[str, Any], seq: int) -> None:
        chain = tuple(key(data.get(name, ABSENT)) for name in ("turn", "step", "provider", "policyKey"))
        if "retryId" in data:
            self._retries[chain] = data["retryId"]
        else:
            data["retryId"] = self._retries.setdefault(chain, f"legacy-retry:{self._header.id}:{seq}")

    def _compact(self, kind: str, data: dict[str, Any], seq: int) -> None:
        if kind == "compaction/start":
            self._compaction = data.setdefault("compactionId", f"legacy-compaction:{self._header.id}:{seq}")
        elif kind != "compaction/prune" and self._compaction is not None:
            data.setdefault("compactionId", self._compaction)
            if kind == "compaction/end":
                self._compaction = None

    def _checkpoint(self, data: dict[str, Any]) -> None:
        source = data.get("source")
        if (
            self._compaction is not None
            and type(source) is dict
            and source.get("kind") == "plugin"
            and source.get("plugin") == "compact"
        ):
            source.setdefault("compactionId", self._compaction)

    def _delivery(self, data: dict[str, Any], seq: int) -> None:
        header = self._header
        inherited = header.parent_session is not None and seq < (header.seed_length or 0)
        if not inherited and data.get("sessionId") != header.id and not self._refusals.holds(seq):
            text = "the delivery marker names another session"
            self._refuse("upgrade-delivery", text, "$.data.sessionId", seq, "session-log-deepseek/delivery-accepted")

    def _refuse(self, name: str, words: str, path: str, seq: int, kind: object) -> None:
        self._refusals.add(Refusal(EDGE, name, words, path, seq, kind if type(kind) is str else None))


def _drop_prefix(data: dict[str, Any]) -> None:
    header = data.get("header")
    if type(header) is dict and "messagePrefix" in header:
        if type(header["messagePrefix"]) is not list:
            raise OldFormError("messagePrefix is no list", "$.data.header.messagePrefix")
        del header["messagePrefix"]


def flawed(edge: str, flaw: Flaw, path: str, seq: int, kind: object) -> Refusal:
    """Give the refusal of an event for a flaw in its payload."""
    shown = kind if type(kind) is str else None
    return Refusal(edge, flaw.name, sentence(flaw), path, seq, shown, flaw.about, flaw.how)


def sentence(flaw: Flaw) -> str:
    """Say in words what is wrong with a payload."""
    return f"{flaw.path.rpartition('.')[2] or 'data'} {flaw.words}"

"""The transcript: what the person saw, in the order in which it was appended."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dshlog.model.lens import Answer, Called, Said
from dshlog.model.vocabulary import SURFACE_TYPES
from dshlog.report.facts import error_of, get, reason_words
from dshlog.report.lens import Seen, elapsed, seen
from dshlog.report.surface import block_words, message_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.report.decode import Decoded

KEPT = 400  # code points of a text that is held when the whole was not asked for


@dataclass(slots=True)
class _Folding:
    """A message in the making: its calls are answered by later events."""

    said: Said
    calls: list[Called] = field(default_factory=list)


def transcript(decoded: Decoded, *, at: int | None = None, full: bool = False) -> tuple[Said, ...]:
    """Give what was appended in the readable prefix up to `at`, tool results inside the messages that called.

    The log must be decoded with `keep`. A message that a later event replaced on the surface stays, and names that event. The ends of turns that
    did not complete stand between. With `full` whole texts are held, else their beginnings.
    """
    if decoded.header is None:
        return ()
    making = _Making(decoded.header.version, full=full)
    for one in seen(decoded, at):
        making.event(one)
    replaced = {
        hidden: made.seq for made in decoded.replacements() if at is None or made.seq <= at for hidden in made.shadowed
    }
    return tuple(making.said(replaced, decoded.report.inherited))


def replacing(kind: str, data: object) -> str:
    """Name what replaces a part of the surface: who made its message, else its type."""
    message = data if kind == "user/message" else get(data, "message")
    made = get(message, "source", "plugin") or get(message, "source", "kind")
    return kind if type(made) is not str or kind != "user/message" else made


def _length(texts: list[str]) -> int:
    return sum(map(len, texts))


class _Making:
    """Collects the transcript; messages are looked up by seq, calls by id."""

    def __init__(self, version: int, *, full: bool) -> None:
        self._types = SURFACE_TYPES[version]
        self._full = full
        self._entries: list[_Folding] = []
        self._calls: dict[object, tuple[_Folding, int]] = {}  # advertised and not answered
        self._times: dict[object, object] = {}  # when each of them began
        self._what: dict[int, str] = {}  # what each replacing event is

    def event(self, one: Seen) -> None:
        """Take an event."""
        event, seq = one.event, one.seq
        kind, data = str(event.get("type")), event.get("data")
        op = event.get("surfaceOp")
        if kind in self._types and type(op) is dict:
            self._what[seq] = replacing(kind, data)
        if kind == "tool/call":
            self._begin(get(data, "callId"), seq, event.get("time"))
        elif kind == "tool/result" and op == "append":
            self._answer(one, data)
        elif kind in self._types and op == "append":
            self._message(one, kind, data)
        elif kind == "turn/end" and get(data, "reason", "kind") != "completed":
            self._say(one, kind, None, reason_words(data) or "no reason given")

    def said(self, replaced: dict[int, int], inherited: int) -> Iterator[Said]:
        """Yield the entries, now that all is known that replaced a part of them."""
        for entry in self._entries:
            by = replaced.get(entry.said.seq)
            calls = tuple(
                call
                if call.result is None
                else replace(call, result=replace(call.result, replaced_by=replaced.get(call.result.seq)))
                for call in entry.calls
            )
            yield replace(
                entry.said,
                inherited=entry.said.seq < inherited,
                replaced_by=by,
                replacement=None if by is None else self._what.get(by),
                calls=calls,
            )

    def _message(self, one: Seen, kind: str, data: object) -> None:
        message = data if kind == "user/message" else get(data, "message")
        role, source = get(message, "role"), get(message, "source", "kind")
        content = get(message, "content")
        blocks = content if type(content) is list else []
        calls = [block for block in blocks if get(block, "type") == "tool-call"]
        others = [block for block in blocks if get(block, "type") != "tool-call"]
        texts = message_texts(message)
        text = "\n".join(texts) or block_words(others)
        entry = self._say(one, kind, role if type(role) is str else None, text, source, chars=_length(texts))
        for block in calls:
            called = Called(id=get(block, "id"), name=get(block, "name"), arguments=get(block, "arguments"))
            if type(called.id) is str:
                self._calls[called.id] = entry, len(entry.calls)
            entry.calls.append(called)

    def _say(  # noqa: PLR0913 - as Said
        self, one: Seen, kind: str, role: str | None, text: str, source: object = None, *, chars: int | None = None
    ) -> _Folding:
        entry = _Folding(
            Said(
                seq=one.seq,
                time=one.event.get("time"),
                type=kind,
                role=role,
                turn=one.turn,
                step=one.step,
                source=source if type(source) is str else None,
                interrupted=kind == "assistant/message" and get(one.event, "data", "interrupted") is True,
                chars=len(text) if chars is None else chars,
                text=self._held(text),
            )
        )
        self._entries.append(entry)
        return entry

    def _begin(self, call_id: object, seq: int, time: object) -> None:
        held = self._calls.get(call_id) if type(call_id) is str else None
        if held is not None:
            entry, index = held
            entry.calls[index] = replace(entry.calls[index], seq=seq)
            self._times[call_id] = time

    def _answer(self, one: Seen, data: object) -> None:
        message = get(data, "message")
        call_id = get(message, "source", "callId")
        texts = message_texts(message)
        text = "\n".join(texts) or block_words(get(message, "content"))
        result = Answer(seq=one.seq, error=error_of(data), chars=_length(texts), text=self._held(text))
        held = self._calls.pop(call_id, None) if type(call_id) is str else None
        if held is None:  # nobody called: it stands for itself
            role = get(message, "role")
            source = get(message, "source", "kind")
            self._say(one, "tool/result", role if type(role) is str else None, text, source, chars=_length(texts))
            return
        entry, index = held
        took = elapsed(self._times.pop(call_id, None), one.event.get("time"))
        entry.calls[index] = replace(entry.calls[index], result=result, duration=took)

    def _held(self, text: str) -> str:
        return text if self._full else text[:KEPT]

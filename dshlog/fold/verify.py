"""Compares an embedded stream of v2 and later with the event that holds it. Source: streams.md §6, events.md P-054."""

from __future__ import annotations

from typing import Any

from dshlog.fold.assembler import Assembler, AssemblyError
from dshlog.fold.identity import ABSENT
from dshlog.fold.stream import StreamError, assembled
from dshlog.model.fault import Fault
from dshlog.storage.jsontext import same

MESSAGE, ATTEMPT = "assistant/message", "assistant/attempt"


def verify(kind: str, data: object) -> Fault | None:
    """Replay the stream of an event and compare; None when they agree, else the first disagreement.

    An attempt's stream only has to replay, an empty stream is never compared. Other event types have
    no stream, and an event whose `stream` or `message` lacks its form breaks another rule: None.
    """
    if kind not in {MESSAGE, ATTEMPT} or type(data) is not dict or type(stream := data.get("stream")) is not list:
        return None
    try:
        assembler = assembled(stream)
    except StreamError as error:
        path = f"$.data.stream{error.path}"
        return Fault("stream-invalid", f"the embedded stream cannot be replayed: {error.reason}", path)
    message = data.get("message")
    if kind == ATTEMPT or not stream or type(message) is not dict:
        return None
    return disagreement(assembler, data, message)


def disagreement(
    assembler: Assembler, data: dict[str, Any], message: dict[str, Any], *, may_omit_replay: bool = False
) -> Fault | None:
    """Compare what an assembler made of an attempt with the message that settled it.

    Args:
        assembler: holds all chunks of the attempt.
        data: of the event.
        message: of the event.
        may_omit_replay: whether an interrupted message may lack the replay state, as v0 writes it.
    """
    interrupted = data.get("interrupted") is True
    try:
        blocks = assembler.interrupted_blocks() if interrupted else assembler.blocks()
        content = message.get("content")
        if not same(blocks, content, zero_sign=True):
            return _content_fault(blocks, content)
        usage = data.get("usage", ABSENT)
        if not same(assembler.usage, usage, zero_sign=True):
            return _fault("usage-mismatch", "usage", assembler.usage, usage, "$.data.usage")
        source = message.get("source")
        given = source.get("replayState", ABSENT) if type(source) is dict else ABSENT
        replay = assembler.replay_state()
        if may_omit_replay and interrupted and given is ABSENT:
            return None
        if not same(replay, given, zero_sign=True):
            return _fault("replay-mismatch", "replayState", replay, given, "$.data.message.source.replayState")
    except AssemblyError as error:
        return Fault("assemble-failed", f"the stream makes no content: {error}", "$.data.stream")
    return None


def _content_fault(blocks: list[Any], content: object) -> Fault:
    path = "$.data.message.content"
    if type(content) is not list:
        return Fault("content-mismatch", "content is no list", path)
    if len(blocks) != len(content):
        return Fault("content-mismatch", f"content has {len(content)} blocks, the stream makes {len(blocks)}", path)
    pairs = zip(blocks, content, strict=True)
    place = next(at for at, (ours, theirs) in enumerate(pairs) if not same(ours, theirs, zero_sign=True))
    return Fault("content-mismatch", f"content block {place} is not what the stream makes", f"{path}[{place}]")


def _fault(name: str, member: str, made: object, given: object, path: str) -> Fault:
    if given is ABSENT:
        return Fault(name, f"{member} is missing, the stream has one", path)
    if made is ABSENT:
        return Fault(name, f"{member} is there, the stream has none", path)
    if type(made) is dict and type(given) is dict:
        pairs = ((part, made.get(part, ABSENT), given.get(part, ABSENT)) for part in (*made, *given))
        part = next(part for part, ours, theirs in pairs if not same(ours, theirs, zero_sign=True))
        return Fault(name, f"{member} has another {part} than the stream", f"{path}.{part}")
    return Fault(name, f"{member} is not that of the stream", path)

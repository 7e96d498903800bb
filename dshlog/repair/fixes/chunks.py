"""Fixes of chunks: what a message cites, what refers to a chunk, and a cut inside an attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.sources import encode_sources
from dshlog.model.number import as_count
from dshlog.repair.finish import is_packed
from dshlog.repair.fixes.path import cut, held, put, spelled
from dshlog.repair.fixes.spot import Said, action
from dshlog.repair.remedies.case import edit, shown, without
from dshlog.repair.remedies.fields import flat
from dshlog.storage.jsontext import same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.repair.fixes.spot import Spot
    from dshlog.repair.plan import Action

    Event = dict[str, Any]

_CITED = "sourceEventSeqs"
_OF_MESSAGE = ("data", "message", "source", "replayState")
_OF_CHUNK = ("data", "chunk", "replayState")


def recite(spot: Spot) -> Iterator[Said]:
    """Let a message cite exactly the chunks of its attempt."""
    attempt = spot.attempts.taken.get(spot.index)
    if spot.kind != "assistant/message":
        return
    row, old = spot.row, shown(spot.row.get(_CITED))
    if attempt is None:
        yield Said(without(row, _CITED), f"the message cites nothing; it cited {old}, which is no attempt of its step")
        return
    packed = any(type(entry) is list for entry in row.get(_CITED) or ())
    seqs = encode_sources(attempt.seqs) if packed else attempt.seqs
    made = {**row, _CITED: seqs} if _CITED in row else _before_op(row, seqs)
    yield Said(made, f"the message cites {shown(seqs)}, the chunks of its attempt; it cited {old}")


def _before_op(row: Event, seqs: list[Any]) -> Event:
    """Put citations where dsh has them, before the surface marker."""
    behind = {name: value for name, value in row.items() if name == "surfaceOp"}
    return {**without(row, *behind), _CITED: seqs, **behind}


def cite_nothing(spot: Spot) -> Iterator[Said]:
    """Let a message cite nothing, so that its chunks become an attempt of their own."""
    if spot.kind == "assistant/message" and spot.version <= 1:
        old = shown(spot.row.get(_CITED))
        made = {**spot.row, _CITED: []} if _CITED in spot.row else _before_op(spot.row, [])
        yield Said(made, f"the message cites nothing; it cited {old}", "which chunks the message came from")


def drop_stream(spot: Spot) -> Iterator[Said]:
    """Let the stream of a message be empty."""
    stream = spot.data.get("stream")
    if spot.kind == "assistant/message" and stream:
        text = f"the stream of the message goes: {len(stream)} records"
        yield Said(put(spot.row, ("data", "stream"), []), text, "the stream of the message")


def drop_reference(spot: Spot) -> Iterator[Said]:
    """Take out what names a chunk, or an event that is not written yet."""
    row, steps = spot.row, spot.found.steps
    if steps == (_CITED,):
        cited = flat(row[_CITED])
        if cited is None:
            return
        kept = [seq for seq in cited if seq < spot.seq and not _is_chunk(spot, seq)]
        packed = any(type(entry) is list for entry in row[_CITED])
        seqs = encode_sources(kept) if packed else kept
        made = {**row, _CITED: seqs} if kept else without(row, _CITED)
        gone = [seq for seq in cited if seq not in kept]
        if gone:
            yield Said(
                made,
                f"the citations {shown(gone)} go: they name chunks, or nothing that is written",
                f"the citations {shown(gone)}",
            )
    elif steps and steps[0] == "data":
        value = held(row, steps)
        text = f"{spelled(steps)} = {shown(value)} goes: it names a chunk, or nothing that is written"
        yield Said(cut(row, steps), text, spelled(steps))


def _is_chunk(spot: Spot, seq: int) -> bool:
    row = spot.sheet.lines[spot.line_of(seq)].row or {}
    return row.get("type") == "assistant/chunk" or is_packed(row)


def move_cut(spots: list[Spot]) -> list[Action]:
    """Let the inherited part end before the attempt that it splits."""
    spot = spots[0]
    head = spot.sheet.lines[0].row or {}
    length = as_count(head.get("seedLength"))
    if length is None:
        return []
    ends = [(attempt.seqs[0], _end(spot, index, attempt.seqs[-1])) for index, attempt in _all(spot)]
    start = min((first for first, last in ends if first < length <= last), default=None)
    if start is None:
        return []
    text = f"seedLength becomes {start}, where the attempt begins that it split; it was {length}"
    edit(spot.sheet, 0, {**head, "seedLength": start})
    return [action(spot, "edit", text, loss="where the inherited part ended")]


def _all(spot: Spot) -> Iterator[tuple[int | None, Any]]:
    lines = {id(attempt): index for index, attempt in spot.attempts.taken.items()}
    for attempt in spot.attempts.all:
        yield lines.get(id(attempt)), attempt


def _end(spot: Spot, index: int | None, last: int) -> int:
    """Give the last event of an attempt, which is the message that takes it."""
    return last if index is None else spot.sheet.seq_of(spot.sheet.lines[index]) or last


# -- replay states


def wrap_replay(spots: list[Spot]) -> list[Action]:
    """Let a flat replay state be the response of one, in the message and in the chunk that it came from."""
    return [done for spot in spots if (done := _wrapped(spot)) is not None]


def _wrapped(spot: Spot) -> Action | None:
    state = _at(spot.row, _OF_MESSAGE)
    if type(state) is not dict or "response" in state:
        return None
    places = [(spot.index, _OF_MESSAGE), *_finishes(spot, state)]
    if len(places) == 1:
        return None
    text = f"the replay state {shown(state)} becomes the response of one, in the message and in its stream"
    done = action(spot, "edit", text)
    for index, steps in places:
        edit(spot.sheet, index, put(spot.sheet.lines[index].row or {}, steps, {"response": state}))
    return done


def _finishes(spot: Spot, state: Event) -> Iterator[tuple[int, tuple[str | int, ...]]]:
    """Yield where the stream of a message has its replay state: the line, and the way to it."""
    attempt = spot.attempts.taken.get(spot.index)
    for index in () if attempt is None else attempt.lines:
        if same(_at(spot.sheet.lines[index].row or {}, _OF_CHUNK), state):
            yield index, _OF_CHUNK
    stream = spot.data.get("stream")
    for number in range(len(stream) if type(stream) is list else 0):
        steps = ("data", "stream", number, "chunk", "replayState")
        if same(_at(spot.row, steps), state):
            yield spot.index, steps


def _at(row: Event, steps: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - a JSON value
    """Give the value at the end of a way, None where it leads nowhere."""
    try:
        return held(row, steps)
    except (KeyError, TypeError, IndexError):
        return None

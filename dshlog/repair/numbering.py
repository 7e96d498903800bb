"""The numbers of turns and steps that a record names: moved when whole ones are gone, or stand twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.model.number import as_count
from dshlog.model.vocabulary import ever_known
from dshlog.repair.finish import is_packed
from dshlog.storage.jsontext import NotJSON, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    Event = dict[str, Any]

_PLAIN = re.compile(
    rb'\{"type":"(?P<type>[a-z/-]*)","seq0?":\d{1,15},"time0?":\d{1,15},"data":\{"turn":(?P<turn>[1-9]\d{0,14})'
    rb'(?:,"step":(?P<step>0|[1-9]\d{0,14}))?[,}]'
)
_TURN, _STEP = b'"turn"', b'"step"'
_ESCAPED = b"\\u00"  # what may spell a name in another way


class Numbering(NamedTuple):
    """Moves the numbers of turns: those from `turn` on by `turns`; in that turn also those of the steps from `step` on by `steps`."""

    turn: int
    turns: int
    step: int = 0
    steps: int = 0

    def turn_of(self, turn: int) -> int:
        """Give the number of a turn as it is afterwards."""
        return turn + self.turns if turn >= self.turn else turn

    def step_of(self, turn: int, step: int) -> int:
        """Give the number of a step of a turn as it is afterwards."""
        return step + self.steps if turn == self.turn and step >= self.step else step


def renumbered_text(text: bytes, moves: Sequence[Numbering]) -> bytes:
    """Give the line of an event with the turn and the step that it names moved.

    In a line that is spelled as dsh spells most of them only the numbers are written anew.
    """
    if _ESCAPED not in text:
        if _TURN not in text:
            return text
        found = _PLAIN.match(text)
        if found is not None and text.count(_TURN) == 1 and text.count(_STEP) == (found["step"] is not None):
            return _in_place(text, found, moves)
    try:
        row = loads(text)
    except NotJSON:
        return text
    made = renumbered_row(row, moves) if type(row) is dict else None
    return text if made is None else dumps(made) + b"\n"


def _in_place(text: bytes, found: re.Match[bytes], moves: Sequence[Numbering]) -> bytes:
    if not _known(found["type"].decode()):
        return text
    turn, step = found["turn"], found["step"]
    at, now = _moved(int(turn), None if step is None else int(step), moves)
    out = text[: found.start("turn")] + str(at).encode()
    if now is None:
        return out + text[found.end("turn") :]
    return out + text[found.end("turn") : found.start("step")] + str(now).encode() + text[found.end("step") :]


def renumbered_row(row: Event, moves: Sequence[Numbering]) -> Event | None:
    """Give an event with the turn and the step that it names moved; None when neither does, or nobody knows what they are."""
    data = row.get("data")
    turn = as_count(data.get("turn")) if type(data) is dict else None
    if type(data) is not dict or turn is None or not _known(row.get("type")):
        return None
    step = as_count(data.get("step"))
    at, now = _moved(turn, step, moves)
    if (at, now) == (turn, step):
        return None
    return {**row, "data": {**data, "turn": at, **({} if now is None else {"step": now})}}


def _known(kind: object) -> bool:
    """Tell whether dsh says what a turn of such an event is; that of a plugin's may be anything."""
    return type(kind) is str and (ever_known(kind) or is_packed({"type": kind}))


def _moved(turn: int, step: int | None, moves: Sequence[Numbering]) -> tuple[int, int | None]:
    for move in moves:
        step = None if step is None else move.step_of(turn, step)
        turn = move.turn_of(turn)
    return turn, step

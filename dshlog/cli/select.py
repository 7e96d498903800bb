"""Which events `cat` prints."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Event = dict[str, Any]
Stored = tuple[Event, bytes | None]  # an event, and its stored text where that is the event unchanged

_CALL_KEYS = frozenset({"callId", "toolCallId", "rootCallId", "parentCallId", "subCallId"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SeqRange:
    """Seqs from `first` to `last`, both included; None is an end that is not limited."""

    first: int | None
    last: int | None

    def holds(self, seq: object) -> bool:
        """Tell whether a seq, as its log spells it, lies in the range."""
        if isinstance(seq, bool) or not isinstance(seq, (int, float)):
            return False
        return (self.first is None or seq >= self.first) and (self.last is None or seq <= self.last)


def seq_range(text: str) -> SeqRange:
    """Read `A..B`, `A..`, `..B` or `A`.

    Raises:
        ValueError: it is none of these, or A is greater than B.
    """
    head, dots, tail = text.partition("..")
    if not (head or tail) or not all(end.isascii() and end.isdigit() for end in (head, tail) if end):
        message = f"{text!r} is no range of seqs; write A..B, A.., ..B or A"
        raise ValueError(message)
    first = int(head) if head else None
    last = (int(tail) if tail else None) if dots else first
    if first is not None and last is not None and first > last:
        message = f"{text!r} is empty: {first} is greater than {last}"
        raise ValueError(message)
    return SeqRange(first=first, last=last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What an event must have; None and () ask for nothing.

    `types` are globs of which one must match. `turn` is the event's own turn, else the one open at it.
    """

    types: tuple[str, ...] = ()
    seqs: SeqRange | None = None
    turn: int | None = None
    call: str | None = None

    @property
    def everything(self) -> bool:
        """Tell whether no event is left out."""
        return not self.types and self.seqs is None and self.turn is None and self.call is None

    @property
    def words(self) -> str:
        """Give the options that ask, as they were written."""
        seqs = self.seqs
        held = [f"--type {glob}" for glob in self.types]
        if seqs is not None:
            first, last = (str(end) if end is not None else "" for end in (seqs.first, seqs.last))
            held.append(f"--seq {first}" if first == last else f"--seq {first}..{last}")
        held += [] if self.turn is None else [f"--turn {self.turn}"]
        held += [] if self.call is None else [f"--call {self.call}"]
        return " ".join(held)

    @property
    def listing(self) -> str | None:
        """Give the command that lists what can be asked for, where one option asks."""
        commands = (
            (bool(self.types), "dshlog stats --by type"),
            (self.seqs is not None, "dshlog show --events"),
            (self.turn is not None, "dshlog show --turns"),
            (self.call is not None, "dshlog cat --type tool/call"),
        )
        asked = [command for asks, command in commands if asks]
        return asked[0] if len(asked) == 1 else None

    def takes(self, chunk: dict[str, Any]) -> bool:
        """Tell whether a chunk with its place is asked for by seq and turn."""
        turn = chunk["turn"]
        return (self.seqs is None or self.seqs.holds(chunk["seq"])) and (
            self.turn is None or (not isinstance(turn, bool) and turn == self.turn)
        )

    def of(self, events: Iterator[Stored]) -> Iterator[Stored]:
        """Yield the events that are asked for, in their order."""
        open_turn: object = None
        matches: dict[str, bool] = {}
        for stored in events:
            event = stored[0]
            name = str(event.get("type"))
            data = event.get("data")
            own = data.get("turn") if isinstance(data, dict) else None
            if name == "turn/start":
                open_turn = own
            turn = open_turn if own is None else own
            if name == "turn/end":
                open_turn = None
            if name not in matches:
                matches[name] = not self.types or any(fnmatchcase(name, glob) for glob in self.types)
            if (
                matches[name]
                and (self.seqs is None or self.seqs.holds(event.get("seq")))
                and (self.turn is None or (not isinstance(turn, bool) and turn == self.turn))
                and (self.call is None or _names_call(data, self.call))
            ):
                yield stored


def _names_call(data: object, call: str) -> bool:
    """Tell whether event data names a tool call anywhere; without recursion, since data may be deep."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key, member in value.items():
                if member == call and (key in _CALL_KEYS or (key == "id" and _is_call(value))):
                    return True
                if isinstance(member, (dict, list)):
                    waiting.append(member)
        elif isinstance(value, list):
            waiting.extend(value)
    return False


def _is_call(value: dict[str, Any]) -> bool:
    # The block `tool-call` of a message and the deltas of a stream carry the call's id as `id`.
    return str(value.get("type")).startswith("tool-call")

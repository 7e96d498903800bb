"""The block assembler: chunks of one model call in, content blocks out, as every dsh does it. Source: streams.md §4."""

from __future__ import annotations

from typing import Any

from dshlog.fold.identity import ABSENT
from dshlog.model.number import MAX_SAFE, is_number
from dshlog.storage.jsontext import dumps

# What ECMAScript's `trim` removes; Python's own strip knows other characters.
_BLANK = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_VISIBLE = ("text", "reasoning")


def trimmed(text: str) -> str:
    """Take white space off both ends, as JavaScript means it."""
    return text.strip(_BLANK)


class AssemblyError(ValueError):
    """The chunks make no blocks: dsh's assembler throws here."""


class _Partial:
    """What has come of one block; `block` is None while it is open."""

    __slots__ = ("args", "block", "call_id", "index", "kind", "name", "text")

    def __init__(self, index: object, kind: object) -> None:
        self.index = index  # also keeps alive an index that is told apart by its identity
        self.kind = kind
        self.text: list[str] = []
        self.args: list[str] = []
        self.call_id: object = ABSENT
        self.name: object = ""
        self.block: Any = None


class Assembler:
    """Takes the chunks of one attempt in order; its blocks can be asked for at any time.

    `usage` is that of the last usage chunk, ABSENT when there was none.
    """

    __slots__ = ("_finish", "_partials", "_replay", "usage")

    def __init__(self) -> None:
        self._partials: dict[object, _Partial] = {}  # in order of first appearance, which is block order
        self._finish: object = None
        self._replay: object = ABSENT
        self.usage: object = ABSENT

    @property
    def finish(self) -> object:
        """Give the reason of the last finish chunk; that of a plain stop when there is none."""
        return {"kind": "stop"} if self._finish is None else self._finish

    def push(self, chunk: dict[str, Any]) -> None:
        """Take one chunk, odd members as JavaScript takes them.

        Raises:
            AssemblyError: the type is unknown, or a block-end holds no block.
        """
        kind = chunk.get("type", ABSENT)
        index = chunk.get("index", ABSENT)
        if kind == "text-delta" or kind == "reasoning-delta":  # noqa: PLR1714 - the kind may be unhashable
            self.push_run(kind, index, _text(chunk.get("text", ABSENT)))
        elif kind == "tool-call-delta":
            delta = _text(chunk.get("argumentsDelta", ABSENT))
            self.push_run(kind, index, delta, chunk.get("id", ABSENT), chunk.get("name", ABSENT))
        elif kind == "block-start":
            self._partial(index, chunk.get("blockType", ABSENT))
        elif kind == "block-end":
            block = chunk.get("block")
            if block is None:
                raise AssemblyError("block-end holds no block")
            partial = self._partial(index, _member(block, "type"))
            if not _truthy(partial.block):
                partial.block = block
        elif kind == "usage":
            self.usage = chunk.get("usage", ABSENT)
        elif kind == "finish":
            self._finish = chunk.get("reason")
            self._replay = chunk.get("replayState", ABSENT)
        else:
            raise AssemblyError(f"chunk type {_shown(kind)} is unknown")

    def push_run(self, kind: str, index: object, text: str, call_id: object = ABSENT, name: object = ABSENT) -> None:
        """Take a run of deltas as one.

        Args:
            kind: the delta type of the run's members.
            index: their block.
            text: their texts or argument fragments, joined.
            call_id: of a tool call.
            name: of a tool call.
        """
        if kind == "tool-call-delta":
            partial = self._partial(index, "tool-call")
            if not _truthy(partial.block):
                partial.args.append(text)
                partial.call_id = call_id
                if name is not ABSENT and _truthy(name):
                    partial.name = name
        else:
            partial = self._partial(index, "text" if kind == "text-delta" else "reasoning")
            if not _truthy(partial.block):
                partial.text.append(text)

    def blocks(self) -> list[Any]:
        """Give the content of a settled call; a call that ran out of tokens loses its tool calls.

        Raises:
            AssemblyError: a block of a kind without deltas is still open.
        """
        return [block for block, kept in self._settled() if kept]

    def interrupted_blocks(self) -> list[Any]:
        """Give the content of a cancelled call: text and reasoning in which something can be seen.

        Raises:
            AssemblyError: a closed text block has no text.
        """
        out: list[Any] = []
        for partial in self._partials.values():
            block = partial.block if _truthy(partial.block) else _open_block(partial)
            if _member(block, "type") not in _VISIBLE:
                continue
            text = _member(block, "text")
            if type(text) is not str:
                raise AssemblyError(f"a closed block of kind {_shown(_member(block, 'type'))} has no text")
            if trimmed(text):
                out.append(block)
        return out

    def replay_state(self) -> object:
        """Give what the provider wants back with the next request, ABSENT when there is nothing.

        A state whose `blocks` do not match the blocks is dropped; those of dropped tool calls are left out.

        Raises:
            AssemblyError: as `blocks`, or `blocks` of the state is nothing that can be counted and picked.
        """
        settled = self._settled()
        held = _member(self._replay, "blocks")
        if held is ABSENT:
            return self._replay
        if _length(held) != len(settled):
            return ABSENT
        if all(kept for _, kept in settled):
            return self._replay
        if type(held) is not list:
            raise AssemblyError("blocks of the replay state are no list")
        entries = [entry for entry, (_, kept) in zip(held, settled, strict=True) if kept]
        # A response that is not there becomes a member without value, which equals nothing that JSON can say.
        return {"response": _member(self._replay, "response"), "blocks": entries}

    def _partial(self, index: object, kind: object) -> _Partial:
        key = index if type(index) is int and -MAX_SAFE <= index <= MAX_SAFE else _key(index)
        partial = self._partials.get(key)
        if partial is None:
            partial = self._partials[key] = _Partial(index, kind)
        return partial

    def _settled(self) -> list[tuple[Any, bool]]:
        """Give every block, each with whether it stays."""
        cut = _member(self._finish, "kind") == "max-tokens"
        out: list[tuple[Any, bool]] = []
        for partial in self._partials.values():
            block = partial.block if _truthy(partial.block) else _open_block(partial)
            if block is None:
                raise AssemblyError(f"a block of kind {_shown(partial.kind)} is not closed")
            out.append((block, not (cut and _member(block, "type") == "tool-call")))
        return out


def _open_block(partial: _Partial) -> dict[str, Any] | None:
    """Give the block that deltas alone have made; None for a kind that has no deltas."""
    kind = partial.kind
    if kind == "text" or kind == "reasoning":  # noqa: PLR1714 - the kind may be unhashable
        return {"type": kind, "text": _joined(partial.text)}
    if kind == "tool-call":
        call_id = partial.call_id
        if call_id is ABSENT or call_id is None:
            call_id = f"call-{_text(partial.index)}"
        return {"type": "tool-call", "id": call_id, "name": partial.name, "arguments": _joined(partial.args)}
    return None


def _joined(pieces: list[str]) -> str:
    """Join pieces; the halves of a surrogate pair that stood in two of them become one character."""
    text = "".join(pieces)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def _member(value: object, name: str) -> object:
    return value.get(name, ABSENT) if type(value) is dict else ABSENT


def _key(index: object) -> object:
    """Give a map key that tells indices apart as JavaScript's Map does: by kind, objects by identity."""
    if type(index) is int:
        return float(index)
    if type(index) is bool:
        return ("boolean", index)
    if type(index) is dict or type(index) is list:
        return ("object", id(index))
    return index


def _truthy(value: object) -> bool:
    return type(value) is dict or type(value) is list or bool(value)


def _length(value: object) -> object:
    """Give the `length` that JavaScript finds on a value."""
    if value is None:
        raise AssemblyError("blocks of the replay state are null")
    if type(value) is list:
        return len(value)
    if type(value) is str:
        return len(value.encode("utf-16-le", "surrogatepass")) // 2
    length = _member(value, "length")
    return length if is_number(length) else ABSENT


def _text(value: object) -> str:
    """Spell a value as JavaScript does when it is added to a text."""
    if type(value) is str:
        return value
    out: list[str] = []
    todo = [value]
    while todo:
        item = todo.pop()
        if type(item) is list:
            for place in range(len(item) - 1, -1, -1):
                todo.append("" if item[place] is None else item[place])
                if place:
                    todo.append(",")
        elif type(item) is dict:
            out.append("[object Object]")
        elif item is ABSENT:
            out.append("undefined")
        else:
            out.append(item if type(item) is str else dumps(item).decode())
    return "".join(out)


def _shown(value: object) -> str:
    return "undefined" if value is ABSENT else dumps(value).decode()

"""The surface of one log as a person reads it, at its end or as of an event."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from dshlog.codec.chunkruns import PAYLOAD, expand_row
from dshlog.model.surface import inside
from dshlog.model.view import SurfaceRow, SurfaceView
from dshlog.report.examine import Examination
from dshlog.report.named import Named
from dshlog.storage.jsontext import dumps, loads
from dshlog.storage.unread import Overlong

_SHOWN = 80  # characters of a value that stands in the place of a text

if TYPE_CHECKING:
    from dshlog.model.report import Encoding, Report
    from dshlog.model.surface import Surface
    from dshlog.report.examine import Children, Upgrading
    from dshlog.rules.draft import Draft
    from dshlog.rules.judge import Judge
    from dshlog.storage.source import Source


_PACKED_UNTIL = 2  # generations below this one pack chunk runs into rows


def surface_view(  # noqa: PLR0913 - as examine
    source: Source,
    path: str,
    *,
    at: int | None = None,
    encoding: Encoding | None = None,
    upgrade: Upgrading = "never",
    children: Children | None = None,
) -> tuple[SurfaceView, Report]:
    """Fold one log and give its surface, with the report on the whole log beside it.

    Args:
        source: the bytes, as for `examine`.
        path: how the report names the log.
        encoding: as for `examine`.
        upgrade: as for `examine`.
        children: as for `examine`.
        at: seq of the event after which to look; None for the end of the readable prefix. A seq beyond
            the prefix gives the surface at its end.
    """
    return _look(Examination(source, path, encoding, keep=True, upgrade=upgrade, children=children), at)


def _look(exam: Examination, at: int | None) -> tuple[SurfaceView, Report]:
    path = exam.path
    judge = exam.judge
    view: SurfaceView | None = None
    ends = _Ends(packed=judge is not None and judge.version < _PACKED_UNTIL)
    if judge is not None:
        if at is not None and at < 0:
            view = _view(path, judge, at)
        for lines, start, end in exam.reading.batches():
            if at is None or view is not None:
                before = judge.records
                exam.feed(lines, start, end)
                ends.take(lines, before, judge.issue)
                continue
            # Line by line up to the event asked for; a packed run that holds it is folded whole.
            offset = start
            for index, line in enumerate(lines):
                behind = offset + len(line)
                exam.feed([line], offset, behind)
                offset = behind
                if judge.position > at:
                    view = _view(path, judge, at)
                    if index + 1 < len(lines):
                        exam.feed(lines[index + 1 :], offset, end)
                    break
    again = exam.again()
    if again is not None:
        return _look(again, at)
    if view is None:
        named = ends.named
        view = replace(_view(path, judge, at, ends.times()), title=named.title, goal=named.goal)
    return view, exam.report()


class _Ends:
    """The first and the last line of the readable prefix, and what names the session."""

    def __init__(self, *, packed: bool) -> None:
        self._packed = packed
        self._first: bytes | None = None
        self._last: bytes | None = None
        self.named = Named()

    def take(self, lines: list[bytes], before: int, issue: Draft | None) -> None:
        """Take a batch that the judge has taken; `before` counts the records ahead of it."""
        sound = len(lines) if issue is None or issue.line is None else issue.line - 2 - before
        if sound > 0:
            self._first = self._first or lines[0]
            self._last = lines[min(sound, len(lines)) - 1]
            self.named.lines(lines[:sound])

    def times(self) -> tuple[object, object] | None:
        """Give the times of the first and the last event."""
        if self._first is None or self._last is None:
            return None
        return self._of(self._first)[0], self._of(self._last)[1]

    def _of(self, line: bytes) -> tuple[object, object]:
        """Give the times of the first and the last event of a record."""
        if isinstance(line, Overlong):
            return None, None
        row: Any = loads(line)
        kind = row.get("type")
        if self._packed and type(kind) is str and kind in PAYLOAD:
            times = [event["time"] for event in expand_row(row)]
            return times[0], times[-1]
        return row.get("time"), row.get("time")


def message_text(message: object) -> str:
    """Give all text of a message: text and reasoning blocks, also those inside a tool-result block.

    Blocks follow each other with a line feed between; arguments of calls, images and files hold no text.
    """
    return "\n".join(message_texts(message))


def message_texts(message: object) -> list[str]:
    """Give the texts of a message one by one, as `message_text` takes them."""
    return _texts(message.get("content") if type(message) is dict else None)


def _texts(content: object) -> list[str]:
    """Collect texts in order, without recursion: a log may nest results as deep as it likes."""
    out: list[str] = []
    waiting = [content]
    while waiting:
        blocks = waiting.pop()
        if type(blocks) is dict:
            if type(blocks.get("text")) is str:
                out.append(blocks["text"])
            elif blocks.get("type") == "tool-result":
                waiting.append(blocks.get("content"))
        elif type(blocks) is list:
            waiting.extend(block for block in reversed(blocks) if type(block) is dict)
    return out


def _view(path: str, judge: Judge | None, at: int | None, times: tuple[object, object] | None = None) -> SurfaceView:
    if judge is None:
        return SurfaceView(path=path, version=None, at=at, nodes=(), replacements=(), rows=())
    surface, messages = judge.kept()
    return SurfaceView(
        path=path,
        version=judge.version,
        at=at,
        nodes=surface.nodes,
        replacements=surface.replacements,
        rows=surface_of(judge, surface, messages),
        times=times,
    )


def surface_of(judge: Judge, surface: Surface, messages: dict[int, Any]) -> tuple[SurfaceRow, ...]:
    """Give a row for each node that the judge holds; surface and messages are what it has `kept`."""
    shadowed = {change.seq: change.shadowed for change in surface.replacements}
    return tuple(_row(judge, position, seq, messages.get(seq), shadowed) for position, seq in enumerate(surface.nodes))


def _row(judge: Judge, position: int, seq: int, message: Any, shadowed: dict[int, tuple[int, ...]]) -> SurfaceRow:  # noqa: ANN401
    replaced = shadowed.get(seq, ())
    kind, turn, step = (judge.origins or {})[seq]
    fields = message if type(message) is dict else {}
    source = fields.get("source")
    texts = _texts(fields.get("content"))
    role, source_kind = fields.get("role"), source.get("kind") if type(source) is dict else None
    return SurfaceRow(
        position=position,
        seq=seq,
        type=kind,
        role=role if type(role) is str else None,
        turn=turn,
        step=step,
        chars=sum(map(len, texts)),
        source=source_kind if type(source_kind) is str else None,
        text="\n".join(texts) or block_words(fields.get("content")),
        replaced=replaced,
        inside=inside(replaced, shadowed),
    )


def block_words(content: object) -> str:
    """Stand in for a message without text: what it calls, or what kinds of block it holds, with their names."""
    words: list[str] = []
    blocks = [block for block in content if type(block) is dict] if type(content) is list else []
    for kind, group in groupby(blocks, lambda block: block.get("type")):
        if kind == "tool-call":
            words += [f"{_word(block.get('name'))}({_word(block.get('arguments'))})" for block in group]
            continue
        names = [_name(block) for block in group]
        known = [name for name in names if name is not None]
        if len(known) == len(names):
            words.append(f"[{_word(kind)} {', '.join(known)}]")
        else:
            words += [f"[{_word(kind)} {name or ''}".rstrip() + "]" for name in names]
    return " ".join(words)


def _name(block: dict[str, Any]) -> str | None:
    """Give the tool that a block adds or removes, or the file that it attaches."""
    attachment = block.get("attachment")
    name = block.get("toolName", attachment.get("name") if type(attachment) is dict else None)
    return name if type(name) is str and name else None


def _word(value: object) -> str:
    """Give a text as it is, any other value as the beginning of its JSON."""
    return value if type(value) is str else dumps(value).decode()[:_SHOWN]

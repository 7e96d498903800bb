"""The surface fold: appends, replacements and projections, one event at a time.

Source: surface.md §5-§7. Order is kept by linking each node to its neighbours, so that a replacement
costs no more than the nodes it removes.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dshlog.fold.content import image_flags, offload, tool_print
from dshlog.fold.developer import developer_fault, holds_null_tool, usable_tools
from dshlog.fold.marker import marker_faults, read_span, source_faults
from dshlog.model.fault import Fault
from dshlog.model.number import as_count
from dshlog.model.vocabulary import LATEST, SURFACE_TYPES, format_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dshlog.codec.sources import Sources
    from dshlog.model.surface import Replacement, Surface, SurfaceError

# What stands at a node: a kind, or for a tool result its print, which is always above LAST_KIND.
USER, ASSISTANT, SYSTEM, DEVELOPER = 1, 2, 3, 4
LAST_KIND = 15

KINDS = {"user/message": USER, "assistant/message": ASSISTANT, "system/message": SYSTEM, "developer/message": DEVELOPER}

_NONE = -1  # no neighbour; seqs are never negative
_HEAD_SINCE = 3  # the first generation that protects a leading system/message
_PROJECTIONS_SINCE = 4
PATIENCE = 1 << 22  # nodes that are walked for replacements that fail; beyond, only as many as each of them cites


class SurfaceFolder:
    """Folds events into the surface one by one.

    A breach is handed out as a Fault, the event is then taken as log-only and folding goes on. The
    folder does not look at whether the type is known: that is the vocabulary's affair.

    Args:
        version: generation whose rules and spelling hold.
        base_seq: seq of the first event that will be pushed (a window of a longer log).
        keep: hold messages, replacements and append origins as well; without it only what the rules
            need is held, so that memory follows the live surface.
        projections: False folds without the interpreter of image/offload.
    """

    def __init__(self, version: int, *, base_seq: int = 0, keep: bool = False, projections: bool = True) -> None:
        self.version = version
        self.base_seq = base_seq
        self.next_seq = base_seq
        self.replaced = 0  # replacements made
        self.replace_generation = 0
        self.content_generation = 0
        self.replacements: list[Replacement] | None = [] if keep else None
        self.append_origin: list[int] | None = [] if keep else None
        self.messages: dict[int, Any] | None = {} if keep else None
        self.projected: dict[int, Any] = {}
        self.empty: set[int] = set()  # live nodes that derive no message
        self._what: dict[int, int] = {}  # live node -> kind or print
        self._next: dict[int, int] = {}
        self._prev: dict[int, int] = {}
        self._first = self._last = _NONE
        self._ids: dict[int, int] = {}  # live node -> hash of its message's id
        self._images: dict[int, list[bool] | None] = {}  # image blocks of a live message: offloaded or not
        self._tools: dict[int, frozenset[str]] = {}  # request/header -> names a developer message may add
        self._null_tools: set[int] = set()  # the request/headers with null among their tools
        self._projections = projections
        self._patience = PATIENCE

    # -- what the fold holds

    def __len__(self) -> int:
        """Count the live nodes."""
        return len(self._what)

    def __iter__(self) -> Iterator[int]:
        """Yield the live nodes in surface order."""
        node = self._first
        while node != _NONE:
            yield node
            node = self._next[node]

    def message_count(self) -> int:
        """Count the messages that the model gets."""
        return len(self._what) - len(self.empty)

    def head_is_system(self) -> bool:
        """Tell whether the surface begins with a protected system message."""
        return self._first != _NONE and self._what[self._first] == SYSTEM

    def head(self) -> int | None:
        """Give the first node, None when the surface is empty."""
        return self._first if self._first != _NONE else None

    def between(self, start: int, end: int) -> list[int] | None:
        """Give the nodes from start to end in surface order; None when that is no span of the surface."""
        span = self._span(start, end)
        return None if isinstance(span, Fault) else span

    def _span(self, start: int, end: int, most: int | None = None) -> list[int] | Fault:
        """Give the nodes from start to end; a fault when there is no such span, or it has more than `most`."""
        for name, node in (("start", start), ("end", end)):
            if node not in self._what:
                return Fault("replace-start-missing", f"replaces {start}..{end}, but its {name} is not on the surface")
        span, node, following = [start], start, self._next
        while node != end:
            node = following[node]
            if node == _NONE:
                self._patience -= len(span)
                return Fault("replace-reversed", f"replaces {start}..{end}, but {start} stands after {end}")
            if len(span) == most:
                text = f"replaces {start}..{end}, where more than the {most} nodes stand that it cites"
                return Fault("replace-omits-shadowed", text, "$.sourceEventSeqs")
            span.append(node)
        return span

    def repeated_ids(self) -> list[tuple[int, int]]:
        """Give (node, earlier node) for each live node whose message has the id of one before it."""
        if len(set(self._ids.values())) == len(self._ids):
            return []
        first: dict[int, int] = {}
        return [
            (node, first[name])
            for node in self
            if (name := self._ids.get(node)) is not None and first.setdefault(name, node) != node
        ]

    def surface(self) -> Surface:
        """Give the surface as a value; replacements and origins only when the folder keeps them."""
        from dshlog.model.surface import Surface

        return Surface(
            nodes=tuple(self),
            replacements=tuple(self.replacements or ()),
            projected=dict(self.projected),
            append_origin=tuple(self.append_origin or ()),
            replace_generation=self.replace_generation,
            content_generation=self.content_generation,
        )

    def derived(self) -> Iterator[tuple[int, Any]]:
        """Yield (seq, message) of each live node that derives one; the folder must keep messages."""
        messages = self.messages
        if messages is None:
            msg = "this folder holds no messages"
            raise ValueError(msg)
        for node in self:
            if node not in self.empty:
                yield node, self.projected.get(node, messages[node])

    # -- one event, checked wholly

    def push(self, event: Mapping[str, Any]) -> list[Fault]:
        """Fold one event mapping; the faults found, an empty list when it was taken."""
        seq = as_count(event.get("seq"))
        if seq != self.next_seq:
            return [Fault("seq-gap", f"expected seq {self.next_seq}", "$.seq")]
        self.next_seq += 1
        kind = event.get("type")
        if type(kind) is not str:
            return [Fault("type-not-text", "type is no text", "$.type")]
        known = kind in format_types(self.version)
        opaque = not known and event.get("ignorable") is True
        row = dict(event)
        faults = marker_faults(row, seq, self.version, opaque=opaque)
        if faults:
            return faults
        sources: Sources | None = None
        op = row.get("surfaceOp")
        if self.version == 0 and type(op) is dict:
            # v0 looks up the range before it looks at the sources.
            ends = read_span(op, self.version)
            found = ends if isinstance(ends, Fault) else self._span(*ends)
            if isinstance(found, Fault):
                return [found]
        if "sourceEventSeqs" in row and "surfaceOp" in row and not opaque:
            listed = row["sourceEventSeqs"]
            if type(listed) is not list or any(as_count(member) is None for member in listed):
                return [Fault("sources-malformed", "sourceEventSeqs is no list of seqs", "$.sourceEventSeqs")]
            sources = [int(member) for member in listed]
            faults = source_faults(kind, sources, seq, self.version)
            if faults:
                return faults
        fault = self._fold(seq, kind, row, sources)
        return [fault] if fault else []

    def _fold(self, seq: int, kind: str, event: dict[str, Any], sources: Sources | None) -> Fault | None:
        data = event.get("data")
        if "surfaceOp" in event and kind in SURFACE_TYPES[self.version]:
            return self.take(seq, kind, data, event["surfaceOp"], sources)
        if self.version >= _PROJECTIONS_SINCE:
            if kind == "request/header":
                self.note_header(seq, data)
            elif kind == "image/offload":
                return self.offload(seq, data)
        return None

    def take(self, seq: int, kind: str, data: Any, op: Any, sources: Sources | None) -> Fault | None:  # noqa: ANN401
        """Fold a surface event whose marker and sources are sound; the fault when it does not fit.

        `op` is the marker as stored, in this generation's spelling; `data` any JSON value.
        """
        if kind == "tool/result":
            what = tool_print(data, self.version)
        else:
            what = KINDS[kind]
            if what == DEVELOPER:
                fault = developer_fault(seq, data, self._tools, self._null_tools)
                if fault:
                    return fault
        message = data if what == USER else data.get("message") if type(data) is dict else None
        fields = message if type(message) is dict else {}
        name = fields.get("id")
        empty = ASSISTANT <= what <= DEVELOPER and fields.get("content") == []
        fault = self.put(seq, what, op, sources, name if type(name) is str else None, empty, message)
        if fault is None and self.version >= _PROJECTIONS_SINCE and (what == USER or what > LAST_KIND):
            flags = image_flags(message)
            if flags or flags is None:
                self._images[seq] = flags
        return fault

    def put(  # noqa: PLR0913, PLR0917 - the facts of one node, in the order in which they are read
        self,
        seq: int,
        what: int,
        op: Any,  # noqa: ANN401
        sources: Sources | None,
        name: str | None,
        empty: bool,  # noqa: FBT001 - called for every message, so by position
        message: Any,  # noqa: ANN401
    ) -> Fault | None:
        """Fold a surface event by its facts; the fault when it does not fit.

        `what` stands at the node (a kind or a print), `name` is the id of its message, `empty` says that
        it derives none. Its content holds no image; `take` looks for those.
        """
        if op == "append":
            last = self._last
            self._what[seq] = what
            self._prev[seq] = last
            self._next[seq] = _NONE
            if last == _NONE:
                self._first = seq
            else:
                self._next[last] = seq
            self._last = seq
            if self.append_origin is not None:
                self.append_origin.append(seq)
        else:
            span = read_span(op, self.version)
            if isinstance(span, Fault):
                return span
            fault = self.replace(seq, what, *span, sources or ())
            if fault:
                return fault
        if empty:
            self.empty.add(seq)
        if name is not None:
            self._ids[seq] = hash(name)
        if self.messages is not None:
            self.messages[seq] = message
        return None

    def replace(self, seq: int, what: int, start: int, end: int, sources: Iterable[int | range]) -> Fault | None:
        """Put a node in the place of the span start..end; the fault when the span cannot be taken."""
        live = self._what
        cited = set(sources)
        shadowed = self._span(start, end, None if self._patience > 0 else _number(cited))
        if isinstance(shadowed, Fault):
            return shadowed
        omitted = [node for node in shadowed if node not in cited]
        if omitted and any(type(entry) is range for entry in cited):
            omitted = _outside(omitted, [entry for entry in cited if type(entry) is range])
        if omitted:
            self._patience -= len(shadowed)
            message = f"event {seq} shadows {_listed(shadowed)} but does not cite {_listed(omitted)}"
            return Fault("replace-omits-shadowed", message, "$.sourceEventSeqs", tuple(omitted))
        if what > LAST_KIND:
            if len(shadowed) != 1:
                return Fault("tool-rewrite-count", f"a tool/result replaces {len(shadowed)} nodes, not one")
            if live[start] <= LAST_KIND:
                return Fault("tool-rewrite-target", f"a tool/result replaces {start}, which is no tool/result")
            if live[start] != what:
                return Fault("tool-rewrite-fields", f"differs from tool/result {start} in more than its content")
        if (
            start == self._first
            and live[start] == SYSTEM
            and self.version >= _HEAD_SINCE
            and (what != SYSTEM or end != start)
        ):
            return Fault("system-head-replaced", f"replaces the protected system message {start}")
        self._splice(seq, what, start, end, shadowed)
        return None

    def _splice(self, seq: int, what: int, start: int, end: int, shadowed: list[int]) -> None:
        before, after = self._prev[start], self._next[end]
        for held in (self._what, self._next, self._prev):
            for node in shadowed:
                del held[node]
        for some in (self._ids, self._images, self.messages):
            if some:
                for node in shadowed:
                    some.pop(node, None)
        self.empty.difference_update(shadowed)
        self._what[seq], self._prev[seq], self._next[seq] = what, before, after
        if before == _NONE:
            self._first = seq
        else:
            self._next[before] = seq
        if after == _NONE:
            self._last = seq
        else:
            self._prev[after] = seq
        self.replaced += 1
        self.replace_generation += 1
        self.content_generation += 1
        if self.replacements is not None:
            from dshlog.model.surface import Replacement

            self.replacements.append(Replacement(seq=seq, start=start, end=end, shadowed=tuple(shadowed)))

    def note_header(self, seq: int, data: object) -> None:
        """Remember which tools a request/header declares, for developer messages that name it."""
        self._tools[seq] = usable_tools(data)
        if holds_null_tool(data):
            self._null_tools.add(seq)

    def offload(self, seq: int, data: object) -> Fault | None:
        """Apply an image/offload event; every target is checked before any is changed."""
        if not self._projections:
            return Fault("projection-missing", "image/offload cannot be folded without its interpreter")
        plan: list[tuple[int, list[int]]] = []
        targets = data.get("targets") if type(data) is dict and data.keys() == {"targets"} else None
        if type(targets) is not list or not targets:
            return Fault("projection-invalid", "image/offload holds no list of targets", "$.data.targets")
        for index, target in enumerate(targets):
            where = f"$.data.targets[{index}]"
            if type(target) is not dict or target.keys() != {"seq", "imageIndexes"}:
                return Fault("projection-invalid", "a target is not exactly seq and imageIndexes", where)
            node = as_count(target["seq"])
            listed = target["imageIndexes"]
            numbers = [as_count(number) for number in listed] if type(listed) is list else []
            picked = [number for number in numbers if number is not None]
            rising = all(a < b for a, b in pairwise(picked))
            if node is None or not picked or len(picked) != len(numbers) or not rising:
                return Fault("projection-invalid", "a target lacks a seq or strictly increasing image indexes", where)
            if any(node == other for other, _ in plan):
                return Fault("projection-invalid", f"event {seq} targets {node} twice", where)
            fault = self._offload_fault(node, picked, where)
            if fault:
                return fault
            plan.append((node, picked))
        for node, picked in plan:
            flags = self._images[node] or []
            for number in picked:
                flags[number] = True
            if self.messages is not None:
                self.projected[node] = offload(self.projected.get(node, self.messages[node]), picked)
        self.content_generation += 1
        return None

    def _offload_fault(self, node: int, picked: list[int], where: str) -> Fault | None:
        what = self._what.get(node)
        if what is None or not (what == USER or what > LAST_KIND):
            state = "not on the surface" if what is None else "neither user/message nor tool/result"
            return Fault("projection-invalid", f"target {node} is {state}", where, (node,))
        flags = self._images.get(node, [])
        if flags is None:
            return Fault("projection-invalid", f"the content of target {node} holds null", where, (node,))
        for number in picked:
            if number >= len(flags) or flags[number]:
                state = "already offloaded" if number < len(flags) else "not there"
                return Fault("projection-invalid", f"image {number} of target {node} is {state}", where, (node,))
        return None


def fold_surface(
    events: Iterable[Mapping[str, Any]], *, version: int = LATEST, base_seq: int = 0, projections: bool = True
) -> Surface:
    """Fold events into the surface.

    Args:
        events: event mappings in the spelling of the generation, dense from `base_seq`; any iterable,
            read once. `sourceEventSeqs` are flat lists.
        version: generation, 0 to 4.
        base_seq: seq of the first event; not 0 for a window of a longer log, whose replacements and
            targets must lie inside the window.
        projections: False folds without the interpreter of image/offload, which then fails.

    Returns:
        Nodes in surface order, replacements in log order, projected messages, append origins.

    Raises:
        SurfaceError: the first breach, with its `kind` (surface.md §12) and the `seq` at fault.

    Source: surface.md §5-§7.
    """
    return fold(events, SurfaceFolder(version, base_seq=base_seq, keep=True, projections=projections)).surface()


def derive_messages(
    events: Iterable[Mapping[str, Any]], *, version: int = LATEST, base_seq: int = 0
) -> list[dict[str, Any]]:
    """Give the messages that the model gets after these events, in surface order.

    Arguments and errors as `fold_surface`. Nodes with empty content derive none, except user messages
    and tool results. Content passes verbatim; v4 offloaded images show `offloaded: true`.
    """
    folder = fold(events, SurfaceFolder(version, base_seq=base_seq, keep=True))
    return [message for _, message in folder.derived()]


def fold(events: Iterable[Mapping[str, Any]], folder: SurfaceFolder) -> SurfaceFolder:
    """Push events into a folder and give it back; the first breach raises SurfaceError."""
    for event in events:
        for fault in folder.push(event):
            raise surface_error(fault, event)
    return folder


def surface_error(fault: Fault, event: Mapping[str, Any]) -> SurfaceError:
    """Give a breach as the error that the library raises."""
    from dshlog.model.surface import SurfaceError

    return SurfaceError(SURFACE_KINDS.get(fault.name, fault.name), event.get("seq"), fault.message)


# Rule names that the surface vectors call otherwise.
SURFACE_KINDS = {
    "replace-omits-shadowed": "sources-incomplete",
    "replace-not-earlier": "not-earlier",
    "system-head-replaced": "system-head",
}


def _number(cited: Iterable[int | range]) -> int:
    """Count the nodes that sources can name at most; one at least, since every span has one."""
    return max(1, sum(entry.stop - entry.start if type(entry) is range else 1 for entry in cited))


def _outside(nodes: list[int], ranges: list[range]) -> list[int]:
    """Give the nodes that lie in none of some ranges, in their order."""
    starts: list[int] = []
    reach: list[int] = []  # of each range and all before it
    for span in sorted(ranges, key=lambda one: one.start):
        starts.append(span.start)
        reach.append(max(span.stop, reach[-1] if reach else 0))
    return [node for node in nodes if (at := bisect_right(starts, node)) == 0 or reach[at - 1] <= node]


def _listed(seqs: list[int]) -> str:
    """Name seqs in a sentence, the first 12 when there are more."""
    shown = ", ".join(map(str, seqs[:12]))
    return shown if len(seqs) <= 12 else f"{shown} (first 12 of {len(seqs)})"  # noqa: PLR2004

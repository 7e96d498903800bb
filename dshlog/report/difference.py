"""What differs between two requests of one log, and which events made the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.model.request import Cause, Difference
from dshlog.report.facts import get
from dshlog.storage.jsontext import dumps, same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.request import RequestView
    from dshlog.report.request import Requests


def difference(found: Requests, one: RequestView, other: RequestView) -> Difference:
    """Compare two requests of one reading; the earlier one is taken for the first, however they are given."""
    earlier, later = sorted((one, other), key=lambda view: (view.number, view.call))
    before, after = [_text(message) for message in earlier.messages], [_text(message) for message in later.messages]
    common = 0
    while common < min(len(before), len(after)) and before[common] == after[common]:
        common += 1
    chars = sum(map(len, before[:common]))
    if common < min(len(before), len(after)):
        chars += _agreeing(before[common], after[common])
    causes = tuple(_causes(found, earlier, later))
    old, new = _tools(earlier), _tools(later)
    return Difference(
        earlier=earlier,
        later=later,
        messages=common,
        chars=chars,
        earlier_chars=sum(map(len, before)),
        later_chars=sum(map(len, after)),
        config=tuple(_config(earlier, later)),
        system=not same(_system(earlier), _system(later)),
        tools_added=tuple(name for name in new if name not in old),
        tools_removed=tuple(name for name in old if name not in new),
        tools_changed=tuple(name for name in new if name in old and not same(old[name], new[name])),
        tools_moved=[name for name in old if name in new] != [name for name in new if name in old],
        causes=causes,
        breaks=_breaking(earlier, common, causes),
    )


def _agreeing(left: str, right: str) -> int:
    """Count the characters that two texts begin with alike."""
    for place, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return place
    return min(len(left), len(right))


def _text(message: object) -> str:
    """Give the JSON of what a provider gets of a message: role and content, not its id and its source."""
    content = {"role": get(message, "role"), "content": get(message, "content")}
    return dumps(content).decode("utf-8", "replace")


def _system(view: RequestView) -> object:
    """Give the system prompt: a member of the header up to v2, the messages of that role later."""
    if "system" in view.header:
        return view.header["system"]
    return [get(message, "content") for message in view.messages if get(message, "role") == "system"]


def _tools(view: RequestView) -> dict[str, Any]:
    """Give the tools by name; one without a name by its place."""
    named = [(get(tool, "name"), tool) for tool in view.tools]
    return {name if type(name) is str else f"#{place}": tool for place, (name, tool) in enumerate(named)}


def _config(earlier: RequestView, later: RequestView) -> Iterator[str]:
    """Yield the names of the settings that differ, and of other members of the header."""
    old, new = earlier.header.get("config"), later.header.get("config")
    if type(old) is dict and type(new) is dict:
        yield from (name for name in dict.fromkeys((*old, *new)) if not _equal(old, new, name))
    elif not same(old, new):
        yield "config"
    if not _equal(earlier.header, later.header, "adapterDefaults"):
        yield "adapterDefaults"
    if not same(earlier.context, later.context):
        yield "context"


def _equal(old: dict[str, Any], new: dict[str, Any], name: str) -> bool:
    return (name in old) == (name in new) and same(old.get(name), new.get(name))


def _causes(found: Requests, earlier: RequestView, later: RequestView) -> Iterator[Cause]:
    """Yield what happened between the two that touched something the earlier one had, in log order."""
    out: list[Cause] = []
    nodes = [row.seq for row in earlier.rows]
    places = {node: place for place, node in enumerate(nodes)}
    start = _begin(earlier)
    stop = _begin(later)
    # A replacement may be replaced again, so what it stands for is followed back to the earlier nodes.
    stands: dict[int, set[int]] = {node: {node} for node in nodes}
    for made in found.replacements:
        if not start <= made.seq < stop:
            continue
        touched: set[int] = set().union(*(stands.get(node, set()) for node in made.shadowed))
        stands[made.seq] = touched
        if touched:
            ordered = tuple(sorted(touched, key=places.__getitem__))
            what = found.tellings.of(made)
            told = None if what.told is None else what.told.seq
            hid = tuple(made.shadowed)
            out.append(Cause(kind=what.kind, seq=made.seq, type=what.type, nodes=ordered, replaced=hid, told_by=told))
    for seq, targets in found.offloads:
        ordered = tuple(sorted(targets & places.keys(), key=places.__getitem__))
        if start <= seq < stop and ordered:
            out.append(Cause(kind="offload", seq=seq, type="image/offload", nodes=ordered))
    if earlier.seq != later.seq:
        for kind, differs in (
            ("tools", not same(list(earlier.tools), list(later.tools))),
            ("system", not same(earlier.header.get("system"), later.header.get("system"))),
            ("config", not same(earlier.header.get("config"), later.header.get("config"))),
        ):
            if differs:
                out.append(Cause(kind=kind, seq=later.seq, type="request/header"))
    yield from sorted(out, key=lambda cause: cause.seq)


def _begin(view: RequestView) -> int:
    """Give the seq at which the state of a request was taken, as far as the log tells."""
    if view.first is not None:
        return view.first
    return max((view.seq, *(row.seq for row in view.rows)))


def _breaking(earlier: RequestView, common: int, causes: tuple[Cause, ...]) -> Cause | None:
    """Give the event at which the common part ends.

    A provider gets tools and, up to v2, the system prompt before the messages, so a change of these comes
    first.
    """
    for cause in causes:
        if cause.type == "request/header" and cause.kind in {"tools", "system"}:
            return cause
    if common < len(earlier.rows):
        node = earlier.rows[common].seq
        # The last one to touch the node is what stands there now.
        for cause in reversed(causes):
            if node in cause.nodes:
                return cause
    return None

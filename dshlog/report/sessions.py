"""The sessions of a root: one row from the header of each log, the tree they form, what whole logs add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from dshlog.model.number import as_count
from dshlog.model.session import Branched, SessionDepth, SessionRow
from dshlog.report.named import Named
from dshlog.storage.firstline import first_line
from dshlog.storage.jsontext import NotJSON, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dshlog.model.report import Report
    from dshlog.report.decode import Decoded

Sort = Literal["created", "id", "project", "size", "version", "path"]

_TYPES = frozenset({"turn/start", "turn/end", "session/title", "goal/change"})


def session_row(path: str, size: int | None, head: bytes, older: tuple[str, ...] = ()) -> SessionRow:
    """Read the header out of the first bytes of a log; member by member, so that a wrong one costs only itself."""
    line = first_line(head)
    if line is None:
        return SessionRow(path, size=size, older=older, problem="the file is empty" if not head else "no header line")
    try:
        value: Any = loads(line)
    except NotJSON:
        return SessionRow(path, size=size, older=older, problem="the first line is not JSON")
    if type(value) is not dict or value.get("type") != "session":
        return SessionRow(path, size=size, older=older, problem="the first record is no session header")
    get = value.get
    id_, cwd, parent, preset = get("id"), get("cwd"), get("parentSession"), get("agentPreset")
    seeded = get("isSeeded") is True or get("seedLength") is not None
    return SessionRow(
        path,
        id_ if type(id_) is str else None,
        cwd if type(cwd) is str else None,
        as_count(get("createdAt")),
        as_count(get("version")),
        size,
        parent if type(parent) is str else None,
        "subagent" if get("origin") == "subagent" else "fork" if seeded else "session",
        seeded,
        preset if type(preset) is str else None,
        older,
        None,
    )


def in_order(rows: Iterable[SessionRow], sort: Sort = "created", *, reverse: bool = False) -> list[SessionRow]:
    """Sort sessions; those without the member come first, and the path decides between equals."""
    key: Callable[[SessionRow], tuple[object, ...]] = _KEYS[sort]
    return sorted(rows, key=key, reverse=reverse)


_KEYS: dict[Sort, Callable[[SessionRow], tuple[object, ...]]] = {
    "created": lambda row: (-1 if row.created is None else row.created, row.path),
    "id": lambda row: (row.id or "", row.path),
    "project": lambda row: (row.project or "", -1 if row.created is None else row.created, row.path),
    "size": lambda row: (-1 if row.size is None else row.size, row.path),
    "version": lambda row: (-1 if row.version is None else row.version, row.path),
    "path": lambda row: (row.path,),
}


def tree(rows: Iterable[SessionRow]) -> Iterator[Branched]:
    """Yield the sessions with each below its parent, children in the order of the rows.

    One whose parent is not among them stands at the top, marked. Of several logs with one id the first
    holds the children.
    """
    every = list(rows)
    holders: dict[str, int] = {}
    for place, row in enumerate(every):
        if row.id is not None:
            holders.setdefault(row.id, place)
    children: dict[int, list[int]] = {}
    tops: list[int] = []
    for place, row in enumerate(every):
        holder = None if row.parent is None else holders.get(row.parent)
        if holder is None or holder == place:
            tops.append(place)
        else:
            children.setdefault(holder, []).append(place)
    done: set[int] = set()

    def below(top: int, *, cycle: bool) -> Iterator[Branched]:
        waiting = [(top, 0)]
        while waiting:
            place, depth = waiting.pop()
            if place in done:
                continue
            done.add(place)
            row = every[place]
            orphan = row.parent is not None and (row.parent not in holders or holders[row.parent] == place)
            yield Branched(row, depth, orphan, cycle and depth == 0)
            waiting += [(child, depth + 1) for child in reversed(children.get(place, ()))]

    for top in tops:
        yield from below(top, cycle=False)
    for place in range(len(every)):
        if place not in done:
            yield from below(place, cycle=True)


def parents(rows: Iterable[SessionRow]) -> frozenset[str]:
    """Give the ids that are there."""
    return frozenset(row.id for row in rows if row.id is not None)


def repeated(rows: Iterable[SessionRow]) -> frozenset[str]:
    """Give the paths of logs that have id and generation in common with another."""
    held: dict[tuple[str | None, int | None], list[str]] = {}
    for row in rows:
        held.setdefault((row.id, row.version), []).append(row.path)
    return frozenset(path for (id_, _), paths in held.items() if id_ is not None and len(paths) > 1 for path in paths)


def session_depth(decoded: Decoded, settle: Callable[[Report], Report]) -> SessionDepth:
    """Read a whole log for what its header does not tell; `settle` adds to the report what its place says."""
    turns = 0
    reason = None
    named = Named()
    last: object = None
    for event, _ in decoded.events():
        last = event.get("time")
        kind = event.get("type")
        if kind not in _TYPES:
            continue
        data = event.get("data")
        fields: dict[str, Any] = data if type(data) is dict else {}
        if kind == "turn/start":
            turns, reason = turns + 1, None
        elif kind == "turn/end":
            ended = fields.get("reason")
            reason = _text(ended, "kind")
        else:
            named.event(event)
    report = settle(decoded.report)
    return SessionDepth(report.state, report.events, turns, named.title, named.goal, reason, last)


def _text(value: object, name: str) -> str | None:
    member = value.get(name) if type(value) is dict else None
    return member if type(member) is str else None

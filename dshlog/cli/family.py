"""The child sessions of logs, by the roots around these; the headers of a root are read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.cli.world import World
    from dshlog.migrate.children import Child
    from dshlog.model.session import SessionRow


class Family:
    """What the roots of the logs say of their children."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rows: dict[str, list[SessionRow]] = {}

    def of(self, path: str) -> Children:
        """Give the children of a log, which are looked for when somebody asks; none of a free file."""
        return Children(self, path)

    def look(self, path: str, parent: str) -> list[Child]:
        """Look for the children of a session at the place of its log."""
        from dshlog.files.unreadable import Unreadable
        from dshlog.report.family import children_of

        return children_of(parent, self._around(path), self._world.source, Unreadable)

    def logs(self, path: str, parent: str) -> list[str]:
        """Give the logs of the children of a session."""
        from dshlog.report.family import is_child

        return [row.path for row in self._around(path) if is_child(row, parent)]

    def _around(self, path: str) -> list[SessionRow]:
        from dshlog.files.find import home

        place = home(path) if path != "-" else None
        if place is None:
            return []
        if place.root not in self._rows:
            self._rows[place.root] = self._world.sessions(place.root)
        return self._rows[place.root]


class Children:
    """The children of one log: called with the id that its header names."""

    def __init__(self, family: Family, path: str) -> None:
        self._family = family
        self._path = path

    def __call__(self, parent: str) -> Iterator[Child]:
        """Yield them; nothing is read before the first is asked for."""
        yield from self._family.look(self._path, parent)

"""The places of the logs of one run: which root each lies in, and what that root has to say."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dshlog.cli.world import World
    from dshlog.files.store import Watch
    from dshlog.model.finding import Finding
    from dshlog.model.report import Report
    from dshlog.model.store import Branch
    from dshlog.report.store import Store


class Places:
    """Roots by their absolute path; each is listed once, when its first log is met."""

    def __init__(self, world: World, *, every: bool = False) -> None:
        """With `every`, each older generation is compared with the live one, whatever their times say."""
        self._world = world
        self._every = every
        self._stores: dict[str, Store] = {}
        self._asked: list[str] = []

    def enter(self, path: str) -> None:
        """Note a path of the command line; a directory is asked for with all that lies in it."""
        if not os.path.isdir(path):  # noqa: PTH112 - paths are texts here
            return
        from dshlog.files.find import absolute
        from dshlog.files.store import looks_like_root

        top = absolute(path)
        self._asked.append(top)
        if top not in self._stores and looks_like_root(path):
            self._add(top, path)

    def watch(self, path: str) -> Watch | None:
        """Look at a log that will be read now; None for a free file, of which only the content counts."""
        from dshlog.files.dbpath import is_session
        from dshlog.files.find import home
        from dshlog.storage.naming import is_project_dir

        place = home(path, any_project=True)
        if place is None or is_session(path) or not (place.root in self._stores or is_project_dir(place.project)):
            return None
        from dshlog.files.store import Watch

        return Watch(path, place)

    def settle(self, watch: Watch, report: Report) -> Report:
        """Give the report with what the place of the log adds to it."""
        root = watch.place.root
        if root not in self._stores:
            self._add(root, _spelled(watch.path, root))
        branches = tuple(filter(None, (self._branch(watch, older) for older in watch.older(every=self._every))))
        return self._stores[root].place(report, watch.facts(report, branches))

    def settling(self, log: str) -> Callable[[Report], Report]:
        """Give what adds to the report on a log what its place says; ask before the log is read."""
        if log == "-":
            return lambda report: report
        watch = self.watch(log)
        return partial(self.unsought, log) if watch is None else partial(self.settle, watch)

    def unsought(self, path: str, report: Report) -> Report:
        """Give the report on a free file; one that lies where dsh looks for logs under other names is opened by none."""
        from dshlog.files.dbpath import is_session
        from dshlog.files.find import absolute
        from dshlog.report.placing import unsought
        from dshlog.storage.naming import is_project_dir

        if is_session(path):
            return report
        upper, name = os.path.split(absolute(path))
        for where in ("directly in a project", "in a session"):
            root, project = os.path.split(upper)
            if root in self._stores or is_project_dir(project):
                return unsought(report, name, flat=where == "directly in a project")
            upper = root
        return report

    def findings(self) -> Iterator[Finding]:
        """Yield what the roots have to say that belongs to no single log, as far as it was asked for."""
        for root, store in self._stores.items():
            yield from store.findings(filter(None, (_relative(top, root) for top in self._asked)))

    def _add(self, root: str, shown: str) -> None:
        from dshlog.files.store import scan_root
        from dshlog.report.store import Store

        self._stores[root] = Store(scan_root(root, shown))

    def _branch(self, watch: Watch, older: str) -> Branch | None:
        from dshlog.files.unreadable import Unreadable
        from dshlog.report.branch import branch

        try:
            with self._world.source(older) as first, self._world.source(watch.path) as second:
                return branch(
                    os.path.basename(older),  # noqa: PTH119 - as above
                    (event for event, _ in self._world.read_log(first, older).events()),
                    (event for event, _ in self._world.read_log(second, watch.path).events()),
                )
        except Unreadable:
            return None


def settling(world: World, path: str, log: str) -> Callable[[Report], Report]:
    """Give what adds to the report on a log what its place says, as `validate` does; ask before the log is read."""
    places = Places(world)
    places.enter(path)
    return places.settling(log)


def _spelled(path: str, root: str) -> str:
    """Spell a root as the path of a log in it does, or else absolutely."""
    from dshlog.files.find import absolute

    top = os.path.dirname(os.path.dirname(os.path.dirname(path)))  # noqa: PTH120 - as above
    return top if absolute(top) == root else root


def _relative(top: str, root: str) -> str | None:
    """Give a directory relative to a root: "." for the root and any above it, None for one elsewhere."""
    try:
        common = os.path.commonpath((top, root))
    except ValueError:  # Two drives of Windows have nothing in common.
        return None
    if common == top:
        return "."
    return os.path.relpath(top, root) if common == root else None

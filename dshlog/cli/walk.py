"""One walk over the paths of a command line: a report for each log, whatever is wrong with another."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from dshlog.cli.output import say
from dshlog.cli.places import Places

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from dshlog.cli.progress import Progress
    from dshlog.cli.workers import Outcome
    from dshlog.cli.world import World
    from dshlog.files.find import Found
    from dshlog.files.store import Watch
    from dshlog.model.finding import Finding
    from dshlog.model.report import Report
    from dshlog.report.examine import Upgrading
    from dshlog.storage.source import Source

# Below this, starting processes costs what they save: two broke even here when measured.
PARALLEL_FROM = 60 << 20  # bytes of text, as far as sizes tell
ZSTD_FACTOR = 4  # about how many bytes of text stand behind one of a zstd log
PER_LOG = 64 << 10  # bytes of text that take as long as opening one log and looking at its place


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """How one log is judged; travels to other processes."""

    world: World
    reader: str
    deep: bool = False
    extra_types: frozenset[str] = frozenset()
    upgrade: Upgrading = "never"

    def __call__(self, path: str, progress: Progress | None = None) -> Outcome:
        """Judge one log, or say why it cannot be read."""
        from dshlog.files.unreadable import Unreadable

        try:
            with self.world.source(path) as opened:
                source: Source = opened
                if progress is not None:
                    from dshlog.cli.progress import Watched

                    source = Watched(opened, progress.within)
                return self.world.examine(
                    source,
                    path,
                    reader=self.reader,
                    deep=self.deep,
                    extra_types=self.extra_types,
                    upgrade=self.upgrade,
                )
        except Unreadable as error:
            return error


@dataclass(slots=True, kw_only=True)
class _Step:
    """One thing that was met: a log, or something to say in its turn (`told` is kind, message, hints)."""

    path: str
    found: Found | None = None
    named: bool = False  # the path of the command line itself
    told: tuple[str, str, tuple[str, ...]] | None = None
    watch: Watch | None = None
    size: int = 0  # bytes, where somebody asks for them

    @property
    def ask(self) -> str | None:
        """Give the path for a worker; standard input is ours."""
        return self.path if self.found is not None and self.found.kind == "log" else None


class Walk:
    """One walk; what cannot be read is told and does not stop it.

    `errors` collects the paths that could not be read and why, `older` the generations that were passed over.
    """

    def __init__(
        self, task: Task, *, all_generations: bool, jobs: int | None = None, progress: Progress | None = None
    ) -> None:
        """Take how to judge and how many processes may do it; None decides by the size of the logs.

        A `progress` hears of every log that is done.
        """
        self._task = task
        self._world = task.world
        self._all_generations = all_generations
        self._jobs = jobs
        self._progress = progress
        self._places = Places(self._world, every=all_generations)
        self.errors: list[tuple[str, str]] = []
        self.older: list[str] = []

    @property
    def failed(self) -> bool:
        """Tell whether a path could not be read."""
        return bool(self.errors)

    def reports(self, paths: list[str], *, hints: tuple[str, ...] = ()) -> Generator[Report]:
        """Yield a report per log, in the order of the paths."""
        steps, jobs = self._spread(self._steps(paths, hints))
        if self._progress is not None:
            steps = self._counted(steps, self._progress)
        if jobs == 1:
            for step in map(self._watched, steps):
                yield from self._reports(step, None)
                self._done(step)
            return
        from dshlog.cli.workers import Workers

        with Workers(jobs, self._task) as workers:
            for step, outcome in workers.map(map(self._watched, steps)):
                yield from self._reports(step, outcome)
                self._done(step)

    def store(self) -> list[Finding]:
        """Give what the roots have to say that belongs to no single log, once every log was judged."""
        from dshlog.report.placing import finding

        told = self._world.remarks
        about = [finding(fault.name, path, fault.message) for path, faults in told.items() for fault in faults]
        return [*self._places.findings(), *about]

    # -- what there is

    def _steps(self, paths: list[str], hints: tuple[str, ...]) -> Iterator[_Step]:
        from dshlog.cli.entry import unreadable_entry
        from dshlog.files.unreadable import Unreadable

        for path in paths:
            if path == "-":
                yield _Step(path=path, named=True)
                continue
            empty = True
            self._places.enter(path)
            try:
                for found in self._world.find(path, all_generations=self._all_generations):
                    empty = False
                    self.older += found.older
                    named = found.path == path
                    if found.kind == "unreadable" and named:
                        raise unreadable_entry(found)
                    yield _Step(path=found.path, found=found, named=named)
            except Unreadable as error:
                yield _Step(path=path, told=("error", error.message, (*error.hints, *hints)))
            else:
                if empty:
                    yield _Step(path=path, told=("note", f"no session log in {path}", ()))

    def _watched(self, step: _Step) -> _Step:
        """Look at the place of a log, which has to happen before the log is read."""
        if step.found is not None:
            step.watch = self._places.watch(step.path)
        return step

    def _spread(self, steps: Iterator[_Step]) -> tuple[Iterator[_Step], int]:
        """Decide how many processes judge; what was looked at for that comes first again."""
        from dshlog.cli.workers import cores

        jobs = cores() if self._jobs is None else self._jobs
        taken: list[_Step] = []
        logs = work = 0
        for step in steps if jobs > 1 else ():
            taken.append(step)
            if step.ask is not None:
                logs += 1
                work += self._weight(step.ask) if self._jobs is None else PARALLEL_FROM
            if logs > 1 and work >= PARALLEL_FROM:
                return chain(taken, steps), jobs
        return chain(taken, steps), 1

    def _counted(self, steps: Iterator[_Step], progress: Progress) -> Iterator[_Step]:
        """Look at all that there is before anything is judged, so that a share of it can be told."""
        every = list(steps)
        for step in every:
            step.size = 0 if step.ask is None else self._world.file_size(step.ask)
        progress.begin(sum(step.ask is not None for step in every), sum(step.size for step in every))
        return iter(every)

    def _done(self, step: _Step) -> None:
        if self._progress is not None and step.ask is not None:
            self._progress.done(step.size)

    def _weight(self, path: str) -> int:
        return PER_LOG + self._world.file_size(path) * (ZSTD_FACTOR if path.endswith((".zstd", ".zst")) else 1)

    # -- what it says

    def _reports(self, step: _Step, outcome: Outcome | None) -> Iterator[Report]:
        """Yield the report on what was met, or say why there is none."""
        from dshlog.cli.entry import unreadable_report
        from dshlog.files.unreadable import Unreadable

        found = step.found
        if step.told is not None:
            kind, message, hints = step.told
            self._say(step.path, kind, message, hints)
            return
        if found is not None and found.kind != "log":
            name = "unreadable-entry" if found.fault is None else found.fault.name
            report = unreadable_report(found.path, found.note or f"it is a {found.kind}", name)
        else:
            if found is not None and found.note and step.watch is None:
                say("note", f"{found.path}: {found.note}")
            answer = self._task(step.path, self._progress) if outcome is None else outcome
            if not isinstance(answer, Unreadable):
                report = answer
            elif step.named or _lost(answer):
                self._say(step.path, "error", answer.message, answer.hints)
                return
            else:
                # One entry among many: a finding of its own, so that the run can go on.
                report = unreadable_report(step.path, answer.why)
        if step.watch is not None:
            yield self._places.settle(step.watch, report)
        else:
            yield report if step.path == "-" else self._places.unsought(step.path, report)

    def _say(self, path: str, kind: str, message: str, hints: tuple[str, ...]) -> None:
        if kind == "error":
            self.errors.append((path, message))
        say(kind, message, hints)


def _lost(error: Exception) -> bool:
    from dshlog.cli.workers import LostWorkerError

    return isinstance(error, LostWorkerError)

"""Judging in several processes: outcomes come back in the order of what was asked."""

from __future__ import annotations

import os
import signal
from collections import deque
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from dshlog.files.unreadable import Unreadable
from dshlog.render.words import path_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from dshlog.model.report import Report

    Outcome = Report | Unreadable
    Task = Callable[[str], Outcome]

AHEAD = 256  # outcomes that may wait for an earlier one
_QUEUED = 2  # paths that one worker holds, so that it need not wait for us
_GRACE = 2.0  # seconds that a worker has to end when it is told to


class LostWorkerError(Unreadable):
    """The process that judged a log came to its end before it had a verdict."""


class Step(Protocol):
    """Something to judge; `ask` is the path for a worker, None for what this process does itself."""

    @property
    def ask(self) -> str | None:
        """Give the path."""


S = TypeVar("S", bound=Step)


class _Worker:
    """One process, our end of the pipe to it, and the numbers of the steps that it was asked."""

    def __init__(self, task: Task) -> None:
        from multiprocessing import Pipe, Process

        self.pipe, theirs = Pipe()
        self.asked: deque[int] = deque()
        self.ready = False
        self.process: BaseProcess = Process(target=work, args=(theirs, task), daemon=True)
        with _Uninterrupted():
            self.process.start()
        theirs.close()

    def why(self) -> str:
        self.process.join(_GRACE)
        code = self.process.exitcode
        return f"signal {-code}" if code is not None and code < 0 else f"exit status {code}"


class Workers:
    """Up to `count` processes that run one task; a block around them ends them in any case.

    The task must be picklable: where processes are spawned it travels through a pipe. It is run by
    `judge`, in this process, for what no worker can take.
    """

    def __init__(self, count: int, task: Task) -> None:
        self._count = count
        self._task = task
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        """Give the workers themselves; each is started when there is something for it to do."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every process, whatever it is at."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_GRACE)
            if worker.process.is_alive():
                worker.process.kill()
        self._workers.clear()

    def map(self, steps: Iterator[S]) -> Iterator[tuple[S, Outcome | None]]:
        """Yield each step with its outcome, in order; None for a step that this process has to do itself.

        At most `AHEAD` steps are taken before the first of them was given back.
        """
        waiting: dict[int, S] = {}
        todo: deque[int] = deque()
        done: dict[int, Outcome | None] = {}
        taken, given, more = 0, 0, True
        while more or given < taken:
            while more and taken - given < AHEAD and len(todo) <= self._count:
                step = next(steps, None)
                if step is None:
                    more = False
                    break
                waiting[taken] = step
                if step.ask is None:
                    done[taken] = None
                else:
                    todo.append(taken)
                taken += 1
            self._send(todo, waiting, done)
            if given in done:
                yield waiting.pop(given), done.pop(given)
                given += 1
            elif given < taken:
                self._receive(todo, waiting, done)

    def _send(self, todo: deque[int], waiting: dict[int, S], done: dict[int, Outcome | None]) -> None:
        while todo:
            worker = self._free()
            if worker is None:
                if not self._workers:  # No process can be had, so this one does the work.
                    done.update(dict.fromkeys(todo))
                    todo.clear()
                return
            index = todo.popleft()
            worker.asked.append(index)
            try:
                worker.pipe.send((index, waiting[index].ask))
            except OSError:  # It is gone; reading from it will say so.
                return

    def _free(self) -> _Worker | None:
        """Give the worker with the least to do, a new one as long as there may be more; None when all are busy."""
        least = min(self._workers, key=_load, default=None)
        if (least is None or least.asked) and len(self._workers) < self._count:
            try:
                least = _Worker(self._task)
            except OSError:
                self._count = len(self._workers)
            else:
                self._workers.append(least)
        return least if least is not None and len(least.asked) < _QUEUED else None

    def _receive(self, todo: deque[int], waiting: dict[int, S], done: dict[int, Outcome | None]) -> None:
        from multiprocessing.connection import wait

        ready = wait([worker.pipe for worker in self._workers])
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            try:
                message = worker.pipe.recv()
            except (EOFError, OSError):
                self._bury(worker, todo, waiting, done)
                continue
            if message is None:
                worker.ready = True
            else:
                index, outcome = message
                worker.asked.remove(index)
                done[index] = outcome

    def _bury(self, worker: _Worker, todo: deque[int], waiting: dict[int, S], done: dict[int, Outcome | None]) -> None:
        """Take a dead worker out; the log that it was at is lost, what it had not begun is asked again."""
        self._workers.remove(worker)
        worker.pipe.close()
        why = worker.why()
        if worker.ready and worker.asked:
            index = worker.asked.popleft()
            name = path_name(waiting[index].ask or "")
            message = f"cannot judge {name}: the process that read it ended with {why}"
            done[index] = LostWorkerError(message, (f"dshlog validate --jobs 1 {name} judges it in this process",))
        elif not worker.ready:
            self._count = len(self._workers)  # It never began, and neither would another.
        todo.extendleft(reversed(worker.asked))


def work(pipe: Connection, task: Task) -> None:
    """Answer paths with outcomes as long as the asker lives; None for what only the asker can do."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    # Ctrl-C reaches every process of the terminal; the one that started us ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pipe.send(None)
        # A forked process holds the other end of its own pipe too, so the pipe alone would never tell.
        asker = parent_process()
        while asker is not None and asker.sentinel not in wait([pipe, asker.sentinel]):
            index, path = pipe.recv()
            try:
                outcome: Outcome | None = task(path)
            except Exception:  # noqa: BLE001 - the asker meets it again, and tells
                outcome = None
            try:
                pipe.send((index, outcome))
            except OSError:
                raise
            except Exception:  # noqa: BLE001 - a value too deep to travel
                pipe.send((index, None))
    except (EOFError, OSError):
        return


def cores() -> int:
    """Count the processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


class _Uninterrupted:
    """Holds Ctrl-C back while a process starts, so that the new one never prints a traceback for it."""

    def __enter__(self) -> None:
        self._mask: set[int | signal.Signals] | None = None
        if hasattr(signal, "pthread_sigmask"):
            self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    def __exit__(self, *_: object) -> None:
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)


def _load(worker: _Worker) -> int:
    return len(worker.asked)

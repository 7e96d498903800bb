"""`migrate --in-store`: the next generation of a session in its place, as dsh would publish it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from dshlog.cli.failure import Failure
from dshlog.cli.upgrading import Writing, read_back

if TYPE_CHECKING:
    from dshlog.cli.upgrading import Run
    from dshlog.files.successor import Successor
    from dshlog.model.report import Encoding
    from dshlog.report.outlook import Outlook
    from dshlog.storage.source import Source


def publish(run: Run, log: str) -> Outlook:
    """Upgrade a session in its store; a log that is of today, or that dsh would not upgrade, stays alone.

    Raises:
        Unreadable: the world is in the way: a lock that is held, a newer generation, a link, the disk.
        Failure: dsh would not take the log where it lies, or the result does not read as it should.
    """
    from dshlog.cli.rewriting import interruptible
    from dshlog.files.lock import session_lock

    if _of_today(run, log):
        return _outlook(run, log)
    _refuse_place(run, log)
    with interruptible(), session_lock(os.path.dirname(os.path.abspath(log))):  # noqa: PTH100, PTH120
        _refuse_place(run, log)
        return _published(run, log)


def planned(run: Run, log: str) -> Outlook:
    """Say what `publish` would do, and write nothing, not even a lock."""
    from dshlog.files.store import lock_held

    if not _of_today(run, log):
        _refuse_place(run, log)
        directory = os.path.dirname(os.path.abspath(log))  # noqa: PTH100, PTH120 - paths are texts here
        if lock_held(directory):
            raise Failure(f"the lock of {log} is held: a dsh has this session open", "close the session there")
    return _outlook(run, log)


def _published(run: Run, log: str) -> Outlook:
    from dshlog.cli.rewriting import encoding_of
    from dshlog.files.successor import Successor

    with run.world.source(log) as source:
        encoding = encoding_of(source, log)
        with Successor(log, run.to, encoding, also=_children(run, source, log)) as new:
            writing = Writing(new, encoding)
            one = run.outlook(source, log, writing)
            if not one.ok:
                return one
            writing.close()
            new.seal()
            read_back(one, new, encoding)
            _judge(one, new, encoding)
            new.publish()
            return replace(one, written=new.path)


def _judge(one: Outlook, new: Successor, encoding: Encoding) -> None:
    """Hold what was written to all rules of its generation, strictly, as dsh does before it publishes."""
    from dshlog.files.read import FileSource
    from dshlog.report.examine import examine

    with FileSource(new.temporary) as again:
        report = examine(again, one.path, reader="native", encoding=encoding, deep=True)
    if report.state not in {"clean", "open"} or report.torn is not None or report.events != one.done.events:
        first = report.native.first or report.state
        message = f"what was written for {one.path} would not be opened ({first}); nothing was published"
        raise Failure(message, "please report this with the log, or with what dshlog validate says of it")


def _outlook(run: Run, log: str) -> Outlook:
    with run.world.source(log) as source:
        return run.outlook(source, log)


def _of_today(run: Run, log: str) -> bool:
    """Tell whether a log needs no upgrade."""
    from dshlog.report.examine import named_encoding
    from dshlog.report.reading import Reading

    with run.world.source(log) as source:
        header = Reading(source, named_encoding(log)).header
    return header is not None and header.version >= run.to


def _children(run: Run, source: Source, log: str) -> list[str]:
    from dshlog.report.examine import named_encoding
    from dshlog.report.reading import Reading

    header = Reading(source, named_encoding(log)).header
    return [] if header is None else run.world.family.logs(log, header.id)


def _refuse_place(run: Run, log: str) -> None:
    """Refuse a log that dsh would not open for what its place and its header say of each other."""
    from dshlog.files.successor import refuse_out_of_place, refuse_succeeded
    from dshlog.report.examine import Examination

    refuse_out_of_place(log)
    refuse_succeeded(log)
    watch = run.places.watch(log)
    with run.world.source(log) as source:
        report = Examination(source, log).report()  # of the header alone
    if watch is not None:
        report = run.places.settle(watch, report)
    faults = [found for found in report.findings if found.severity == "error" and found.code.startswith("D")]
    if faults:
        raise Failure(
            f"dsh does not open {log} where it lies, {faults[0].code}: {faults[0].message}", *_hints(faults[0].hint)
        )


def _hints(hint: str | None) -> tuple[str, ...]:
    return () if hint is None else (hint,)

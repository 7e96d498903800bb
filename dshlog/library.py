"""The library's front door: open a log from a path, bytes or a file object."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager, nullcontext
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, Self

from dshlog.report.decode import Decoded, read_log
from dshlog.report.examine import examine, named_encoding
from dshlog.storage.source import BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType

    from dshlog.model.comparison import Comparison
    from dshlog.model.finding import Finding
    from dshlog.model.header import Header
    from dshlog.model.report import Encoding, Report
    from dshlog.model.surface import Surface
    from dshlog.repair.plan import Plan
    from dshlog.report.examine import Upgrading
    from dshlog.storage.source import Source

Reader = Literal["latest", "native", "0.1.2", "0.1.5", "0.2.1"]
LogLike = str | os.PathLike[str] | bytes | IO[bytes]


class Migrated(NamedTuple):
    """What an upgrade makes of a log.

    `text` is the decoded text of the result, None when dsh would not write it or there is nothing to upgrade;
    `findings` say why not. `opens` tells whether dsh opens the log, as it does where only the writing fails.
    """

    text: bytes | None
    opens: bool
    findings: tuple[Finding, ...]


class Log:
    """An opened log; a context manager that closes what it opened.

    `version` is the generation, None when the header names none that is known; `header` the header
    record then. Every method reads the log from its start, so they can be called in any order.
    """

    def __init__(self, log: LogLike, *, encoding: Encoding | None = None) -> None:
        self._opened, self.path = _open(log)
        self._source: Source = self._opened.__enter__()
        self._encoding: Encoding | None = encoding
        first = self._decoded()
        self.header: Header | None = first.header
        self.version: int | None = first.header.version if first.header is not None else None

    def __enter__(self) -> Self:
        """Give the log itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, if the log opened one."""
        self._opened.__exit__(kind, error, trace)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the logical events, as `events` does."""
        return self.events()

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the logical events of the readable prefix, packed runs and ranges expanded."""
        for event, _ in self._decoded().events():
            yield event

    def chunks(self) -> Iterator[dict[str, Any]]:
        """Yield every provider chunk of the readable prefix with its time, in one shape for every generation."""
        return self._decoded().chunks()

    def records(self) -> Iterator[bytes]:
        """Yield the stored lines behind the header as they are, sound or not."""
        return self._decoded().records()

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield the messages that the model gets at the end of the readable prefix."""
        return self._decoded().messages()

    def surface(self) -> Surface:
        """Fold the readable prefix; events that break a surface rule are taken as log-only."""
        from dshlog.report.examine import Examination

        exam = Examination(self._source, self.path, self._encoding, keep=True)
        exam = exam.finished()
        if exam.judge is None:
            from dshlog.model.surface import Surface

            return Surface(nodes=())
        return exam.judge.kept()[0]

    def validate(self, *, reader: Reader = "latest") -> Report:
        """Judge the log; the latest dsh is asked about an older one unless that is large (some MiB).

        Args:
            reader: whose answer the state and the severities follow; a build that is named is asked whatever the size.
        """
        upgrade: Upgrading = "small" if reader in {"latest", "native"} else "always"
        return examine(self._source, self.path, encoding=self._encoding, reader=reader, upgrade=upgrade)

    def migrate(self, *, to: int = 4, children: Iterable[Mapping[str, Any]] = ()) -> Migrated:
        """Give the log as dsh 0.2.1 upgrades it, or why it would not.

        Args:
            to: the generation of the result, above that of the log.
            children: what is known of child sessions, in dsh's words: childId, childCreatedAt,
                descriptorCount, descriptor.

        Raises:
            ValueError: a child has another form.
        """
        from dshlog.migrate.children import child_of
        from dshlog.report.upgrade import findings, upgrade

        known = [child_of(dict(each)) for each in children]
        told = [child for child in known if child is not None]
        if len(told) < len(known):
            raise ValueError("a child is not childId, childCreatedAt, descriptorCount and descriptor")
        text: list[bytes] = []
        done = upgrade(
            self._source, self._encoding or named_encoding(self.path), to=to, children=told, write=text.append
        )
        found = tuple(finding for _, finding in findings(done, self.path))
        return Migrated(text=b"".join(text) if text and not found else None, opens=done.opens, findings=found)

    def _decoded(self) -> Decoded:
        return read_log(self._source, self.path, encoding=self._encoding)


def open_log(log: LogLike, *, encoding: Encoding | None = None) -> Log:
    """Open a log.

    Args:
        log: a path, the bytes of a log, or a binary file object (which is read whole).
        encoding: raw or zstd; by default the name's ending decides, else the first bytes.

    Raises:
        dshlog.files.unreadable.Unreadable: the path cannot be opened or read. A broken log is no error.
    """
    return Log(log, encoding=encoding)


def validate(log: LogLike, *, encoding: Encoding | None = None, reader: Reader = "latest") -> Report:
    """Judge a log and give the report; arguments and errors as `open_log` and `Log.validate`."""
    with open_log(log, encoding=encoding) as opened:
        return opened.validate(reader=reader)


def plan_repair(
    log: LogLike,
    *,
    allow_loss: bool = False,
    keep: Literal["first", "second"] | None = None,
    fix: Iterable[str] = (),
    now: int | None = None,
) -> Plan:
    """Plan the repair of a log; nothing is written.

    Args:
        log: as `open_log`; of a file object give the same bytes to `apply`.
        allow_loss: agree to a plan that loses something; else it says in `why_not` what that is.
        keep: the branch of a log that two writers continued.
        fix: names of findings that are cured although dsh opens the log with them.
        now: milliseconds, the time of the marker behind closers; the wall clock unless given.
    """
    from dshlog.repair.asked import asked
    from dshlog.repair.planner import Wishes
    from dshlog.repair.planner import plan_repair as plan

    moment = int(time.time() * 1000) if now is None else now
    named = asked([fix] if isinstance(fix, str) else list(fix))
    wishes = Wishes(now=moment, allow_loss=allow_loss, keep=keep, fix=named.findings, fixes=named.fixes)
    opened, path = _open(log)
    with opened as source:
        return plan(source, path, wishes)


def apply(plan: Plan, log: LogLike) -> bytes:
    """Give the bytes of the log that a plan makes of the log that it was made for.

    Raises:
        ValueError: the plan cannot be carried out; its `why_not` is the message.
    """
    from dshlog.repair.script import result

    if plan.script is None or plan.why_not is not None:
        raise ValueError(plan.why_not)
    opened, _ = _open(log)
    with opened as source:
        return b"".join(result(plan.script, source, plan.before.encoding))


def diff(a: LogLike, b: LogLike, *, messages: bool = False, surface: bool = False, at: int | None = None) -> Comparison:
    """Compare two logs; of two generations the older is compared as dsh 0.2.1 upgrades it, without child sessions.

    Args:
        a: a log, as `open_log`.
        b: another.
        messages: compare the messages in the order in which they came; else the events.
        surface: compare what the model sees.
        at: seq of the event with which both are taken to end.
    """
    from dataclasses import replace

    from dshlog.report.compare import Given, Wanted, compare

    (one, path), (other, name) = _open(a), _open(b)
    wanted = Wanted(messages=messages, surface=surface, at=at)
    with one as left, other as right:
        found = compare(Given(left, path), Given(right, name), wanted)
        return replace(found, differences=tuple(found.differences))


def _open(log: LogLike) -> tuple[AbstractContextManager[Source], str]:
    if isinstance(log, bytes):
        return nullcontext(BytesSource(log)), "<bytes>"
    if isinstance(log, (str, os.PathLike)):
        from dshlog.files.read import FileSource

        path = os.fspath(log)
        return FileSource(path), path
    return nullcontext(BytesSource(log.read())), str(getattr(log, "name", "<file>"))

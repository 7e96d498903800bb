"""The repair of one log: plan it, write the result as it was asked for, and prove it before it counts."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dshlog.cli.failure import Failure

if TYPE_CHECKING:
    from dshlog.cli.world import World
    from dshlog.files.create import Temporary
    from dshlog.model.finding import Finding
    from dshlog.repair.plan import Plan
    from dshlog.repair.planner import Wishes
    from dshlog.storage.source import Source

_LATEST = 4
_UNPACKED = "session.jsonl"  # a session of a database has no file name of its own
_REPORT = "please report this with the log, or with what dshlog validate says of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where results go: a new file, the place of the log, two files in a directory, or nowhere."""

    out: str | None = None
    in_place: bool = False
    split: str | None = None
    backups: str | None = None
    lost_found: str | None = None

    @property
    def writes(self) -> bool:
        """Tell whether anything is written."""
        return self.out is not None or self.in_place or self.split is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """What came of one log; `written` is the file that holds the result, `backup` the one that holds the old log.

    `store` is what its place says of it.
    """

    plan: Plan
    written: str | None = None
    backup: str | None = None
    receipt: dict[str, Any] | None = None
    store: tuple[Finding, ...] = ()


def mend(world: World, log: str, wishes: Wishes, target: Target) -> list[Mended]:
    """Plan the repair of one log and carry it out, as far as it was asked for and may be.

    A log that is split gives two results, any other one.

    Raises:
        Unreadable: the world is in the way; the log stands as it stood.
        Failure: the result would not be what was planned; nothing was written.
    """
    from dshlog.cli.rewriting import interruptible
    from dshlog.files.dbpath import is_session
    from dshlog.files.replace import look_at
    from dshlog.repair.planner import plan_repair

    stored = is_session(log)
    seen = look_at(log) if target.in_place and not stored else None
    wishes = replace(wishes, children=world.family.of(log))
    with world.kept_source(log) as source, interruptible():
        if target.split is not None:
            return _split(source, log, wishes, target, target.split)
        plan = plan_repair(source, log, wishes)
        if not target.writes or plan.why_not is not None or (target.in_place and plan.healthy):
            return [Mended(plan=plan)]
        if target.in_place and stored:
            return [Mended(plan=replace(plan, why_not="it stands in a database, which dshlog never writes to"))]
        if target.out is not None:
            return [_new_file(source, plan, target, wishes, target.out)]
        if seen is None:
            message = "a log is replaced only after it was looked at"
            raise ValueError(message)
        return [_in_place(source, plan, target, wishes, seen)]


def _new_file(source: Source, plan: Plan, target: Target, wishes: Wishes, out: str) -> Mended:
    from dshlog.cli.rewriting import refuse_output
    from dshlog.files.create import NewFile

    refuse_output(out)
    _refuse_name(plan, out)
    with NewFile(out) as new:
        receipt = _write(source, plan, new, out, wishes)
        _keep_lost(plan, target)
        new.publish()
    return Mended(plan=plan, written=out, receipt=receipt)


def _refuse_name(plan: Plan, out: str) -> None:
    from dshlog.cli.rewriting import refuse_name

    if plan.before.encoding is not None:
        refuse_name(out, plan.before.encoding)


def _split(source: Source, log: str, wishes: Wishes, target: Target, directory: str) -> list[Mended]:
    """Write both branches of a log that two writers continued, or neither; what one lacks the other has."""
    from dshlog.files.create import NewFile
    from dshlog.files.replace import make_directory
    from dshlog.files.unreadable import Unreadable
    from dshlog.repair.split import SIDES, plan_split

    plans = plan_split(source, log, wishes)
    if not plans:
        message = "there is nothing to split: one writer alone continued this log"
        raise Failure(message, f"dshlog repair {log}")
    stopped = [plan for plan in plans if plan.why_not is not None]
    if stopped:
        return [Mended(plan=stopped[0])]
    name = _UNPACKED if plans[0].before.stored is not None else os.path.basename(log)  # noqa: PTH119 - paths are texts here
    _refuse_name(plans[0], name)
    places = [make_directory(os.path.join(directory, side)) for side in SIDES]  # noqa: PTH118 - paths are texts here
    outs = [os.path.join(place, name) for place in places]  # noqa: PTH118 - as above
    with NewFile(outs[0]) as first, NewFile(outs[1]) as second:
        receipts = [_write(source, *made, wishes) for made in zip(plans, (first, second), outs, strict=True)]
        _keep_lost(plans[0], target)  # what neither has
        first.publish()
        try:
            second.publish()
        except Unreadable:
            first.withdraw()
            raise
    return [
        Mended(plan=plan, written=out, receipt=receipt)
        for plan, out, receipt in zip(plans, outs, receipts, strict=True)
    ]


def _in_place(source: Source, plan: Plan, target: Target, wishes: Wishes, seen: os.stat_result) -> Mended:
    from dshlog.files.replace import Replacement, backup_path, refuse_inside_root

    log = plan.before.path
    backup = backup_path(log, target.backups)
    refuse_inside_root(log, os.path.dirname(backup))  # noqa: PTH120 - paths are texts here
    with _lock(log), Replacement(log, seen) as new:
        receipt = _write(source, plan, new, log, wishes)
        _keep_lost(plan, target)
        new.publish(source, backup)
    return Mended(plan=plan, written=log, backup=backup, receipt={**receipt, "backup": backup})


def _lock(log: str) -> AbstractContextManager[None]:
    """Take the lock of the session that a log belongs to; a free file has none."""
    from dshlog.files.lock import session_lock
    from dshlog.files.store import LOCK
    from dshlog.storage.naming import parse_log_name

    directory, name = os.path.split(os.path.abspath(log))  # noqa: PTH100 - paths are texts here
    locked = os.path.lexists(os.path.join(directory, LOCK))  # noqa: PTH118 - as above
    return session_lock(directory) if locked or parse_log_name(name) is not None else nullcontext()


def _write(source: Source, plan: Plan, new: Temporary, name: str, wishes: Wishes) -> dict[str, Any]:
    """Write the result into a temporary file and read it back; give the receipt."""
    from dshlog.repair.script import result

    for piece in result(plan.script or (), source, plan.before.encoding):
        new.write(piece)
    new.seal()
    return _proved(source, plan, new.temporary, name, wishes)


def _proved(source: Source, plan: Plan, temporary: str, name: str, wishes: Wishes) -> dict[str, Any]:
    """Judge what was written; the receipt, or Failure when it is not what was planned."""
    from dshlog.files.read import FileSource
    from dshlog.report.examine import examine

    with FileSource(temporary) as again:
        report = examine(again, name, reader="native", encoding=plan.before.encoding)
        if report.state != "clean" or report.events != plan.events:
            first = report.native.first or next((found.code for found in report.findings), report.state)
            message = f"the result would not be what was planned ({first}); nothing was written"
            raise Failure(message, _REPORT)
        if plan.fixes and plan.remains is None:
            _upgraded(again, plan, name, wishes)
        after = _digest(again)
    return {"before": _digest(source), "after": after, "written": name, "backup": None, "changed": _changed(plan)}


def _upgraded(again: Source, plan: Plan, name: str, wishes: Wishes) -> None:
    """Let the upgrade take what was written, or raise Failure."""
    from dshlog.report.examine import examine

    report = examine(again, name, encoding=plan.before.encoding, upgrade="always", children=wishes.children)
    if report.version is not None and report.version < _LATEST and not report.latest.opens:
        message = f"dsh would refuse to upgrade the result, at {report.latest.first}; nothing was written"
        raise Failure(message, _REPORT)


def _digest(source: Source) -> dict[str, Any]:
    from hashlib import sha256

    digest = sha256()
    for piece in source.chunks():
        digest.update(piece)
    return {"bytes": source.size, "sha256": digest.hexdigest()}


def _changed(plan: Plan) -> list[dict[str, Any]]:
    from hashlib import sha256

    return [
        {
            "line": change.line,
            "before_sha256": sha256(change.old).hexdigest() if change.old else None,
            "after_sha256": [sha256(line).hexdigest() for line in change.new],
        }
        for change in plan.changed
    ]


def _keep_lost(plan: Plan, target: Target) -> None:
    """Write what is lost beside, before the result counts."""
    if target.lost_found is None or not plan.lost:
        return
    from dshlog.files.create import NewFile
    from dshlog.files.replace import lost_path
    from dshlog.render.repair import lost_dict
    from dshlog.storage.jsontext import dumps

    with NewFile(lost_path(plan.before.path, target.lost_found)) as new:
        for lost in plan.lost:
            new.write(dumps(lost_dict(lost, plan.before.id)) + b"\n")
        new.seal()
        new.publish()

"""What dsh says of a log of v0 to v3, and of the result of its repair, when it upgrades it first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dshlog.model.vocabulary import LATEST
from dshlog.repair.script import result
from dshlog.repair.words import remains_words, uncured_words
from dshlog.report.examine import examine
from dshlog.storage.source import BytesSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from dshlog.model.report import Encoding, Report
    from dshlog.repair.plan import Plan
    from dshlog.storage.source import Source

    Cure = Callable[[frozenset[str]], Plan | None]


def judged(source: Source, native: Report, encoding: Encoding | None) -> Report:
    """Give the verdict that counts for a log that its own build opens: that of the latest one, if it refuses the upgrade."""
    if native.version is None or native.version >= LATEST:
        return native
    return examine(source, native.path, encoding=encoding, upgrade="small")


def refused_at(source: Source, plan: Plan) -> str | None:
    """Give the code at which dsh refuses to upgrade the result of a plan; None when it does not, or is not asked."""
    version = plan.before.version
    if plan.script is None or version is None or version >= LATEST:
        return None
    made = BytesSource(b"".join(result(plan.script, source, plan.before.encoding)))
    report = examine(made, plan.before.path, encoding=plan.before.encoding, upgrade="small")
    return report.latest.first if report.latest.opens is False else None


def with_outlook(source: Source, plan: Plan, native: Report, cure: Cure) -> Plan:
    """Give the plan for a log whose upgrade dsh refuses, with what is left of that.

    Args:
        source: the log.
        plan: the plan, with that verdict.
        native: the verdict of the log's own build.
        cure: plans the repair with findings that are cured because they are named.
    """
    code = refused_at(source, plan)
    if code is None:
        return plan
    if not plan.healthy:
        return replace(plan, remains=remains_words(plan.before, code))
    own = {found.name for found in native.findings}
    wanted = [found for found in plan.before.findings if found.severity == "error" and found.name in own]
    fixes = list(dict.fromkeys(found.code for found in wanted))
    other = cure(frozenset(found.name for found in wanted)) if wanted else None
    cured = other is not None and other.script is not None and refused_at(source, other) is None
    return replace(plan, why_not=uncured_words(plan.before, code, fixes if cured else []))

"""What dsh says of a log of v0 to v3, and of the result of its repair, when it upgrades it first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dshlog.model.vocabulary import LATEST
from dshlog.repair.plan import NOTHING, Advice, Batch, Copy
from dshlog.repair.script import result
from dshlog.repair.words import advice_words, loss_words, remains_words, uncured_words
from dshlog.report.examine import examine
from dshlog.report.latest import BUDGET, ZSTD_FACTOR
from dshlog.storage.source import BytesSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from dshlog.model.report import Encoding, Report
    from dshlog.repair.plan import Plan
    from dshlog.repair.planner import Wishes
    from dshlog.report.examine import Upgrading
    from dshlog.storage.source import Source


def judged(source: Source, native: Report, encoding: Encoding | None, wishes: Wishes) -> Report:
    """Give the verdict that counts for a log that its own build opens: that of the latest one, if it refuses the upgrade.

    Args:
        source: the log.
        native: the verdict of its own build.
        encoding: of the log.
        wishes: what is asked for; fixes are for large logs too.
    """
    if native.version is None or native.version >= LATEST:
        return native
    always = bool(wishes.fixes)
    return examine(
        source,
        native.path,
        encoding=encoding,
        upgrade="always" if always else "small",
        deep=always,
        children=wishes.children,
    )


def refused_at(source: Source, plan: Plan, wishes: Wishes) -> str | None:
    """Give the code at which dsh refuses to upgrade the result of a plan; None when it does not, or is not asked."""
    version = plan.before.version
    if plan.script is None or version is None or version >= LATEST or (not plan.fixes and _large(plan)):
        return None
    made = BytesSource(b"".join(result(plan.script, source, plan.before.encoding)))
    upgrade: Upgrading = "always" if plan.fixes else "small"
    report = examine(made, plan.before.path, encoding=plan.before.encoding, upgrade=upgrade, children=wishes.children)
    return report.latest.first if report.latest.opens is False else None


def _large(plan: Plan) -> bool:
    """Tell whether a result is so large that the upgrade is not judged without being asked for."""
    copied = sum(piece.end - piece.start for piece in plan.script or () if isinstance(piece, Copy))
    added = sum(sum(map(len, piece.lines)) for piece in plan.script or () if isinstance(piece, Batch))
    return copied * (ZSTD_FACTOR if plan.before.encoding == "zstd" else 1) + added > BUDGET


def with_outlook(source: Source, plan: Plan, wishes: Wishes, everything: Callable[[], Plan | None]) -> Plan:
    """Give the plan for a log of an older generation, with what dsh still refuses to upgrade and which fixes would cure that.

    Args:
        source: the log.
        plan: the plan.
        wishes: what is asked for.
        everything: plans the repair with all fixes that the upgrade needs.
    """
    code = refused_at(source, plan, wishes)
    if code is None:
        return plan
    advice = advised(source, everything(), wishes)
    if plan.healthy:
        return replace(plan, why_not=uncured_words(plan.before, code, advice), advice=advice)
    return replace(plan, remains=remains_words(plan.before, code, advice), advice=advice)


def with_advice(plan: Plan, advice: Advice | None) -> Plan:
    """Give a plan without a result with the fixes that would give it one."""
    if advice is None:
        return plan
    return replace(plan, why_not=f"{plan.why_not}; {advice_words(advice)}", advice=advice)


def advised(source: Source, plan: Plan | None, wishes: Wishes) -> Advice | None:
    """Give the fixes of a plan as advice; None when dsh would refuse its result too."""
    if plan is None or plan.script is None or not plan.fixes or refused_at(source, plan, wishes) is not None:
        return None
    return Advice(plan.fixes, losses_of(plan))


def losses_of(plan: Plan) -> str:
    """Say in words what a plan costs; "none" when it costs nothing."""
    return loss_words(plan) if plan.lossy else NOTHING

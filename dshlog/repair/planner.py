"""One log in, one plan out: what dsh would do where it opens the log, and more where it gives up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from dshlog.model.vocabulary import LATEST
from dshlog.repair.asked import EVERYTHING, Asked
from dshlog.repair.ending import plain
from dshlog.repair.finish import OPENS, Tail, finish, rewritten
from dshlog.repair.mend import keeping_tail, mend
from dshlog.repair.outlook import advised, judged, refused_at, with_advice, with_outlook
from dshlog.repair.plan import Plan
from dshlog.repair.remedies.table import CHOICES
from dshlog.repair.rows import with_rows
from dshlog.repair.salvage import hides_frames
from dshlog.repair.script import result
from dshlog.repair.sheet import load
from dshlog.repair.unknown import naming
from dshlog.repair.words import agreed_words
from dshlog.report.examine import examine
from dshlog.storage.source import BytesSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dshlog.model.report import Encoding, Report
    from dshlog.report.examine import Children
    from dshlog.storage.source import Source

Side = Literal["first", "second"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What is asked of a repair.

    `now` is the wall clock in milliseconds, for the marker behind closers. `keep` is the branch of a log
    that two writers continued. `fix` names findings that are cured although dsh opens the log with them, `fixes`
    what is done only by name, each with what was named behind it. `header` has the members, as far as they are known,
    of a header that is written anew; None when none may be. `children` gives the child sessions of an id.
    """

    now: int
    allow_loss: bool = False
    keep: Side | None = None
    fix: frozenset[str] = frozenset()
    header: dict[str, Any] | None = None
    fixes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    children: Children | None = None

    @property
    def named(self) -> bool:
        """Tell whether anything was asked for by name."""
        return bool(self.fix or self.fixes)

    @property
    def asked(self) -> Asked:
        """Give what was asked for by name."""
        return Asked(self.fix, dict(self.fixes))


def plan_repair(source: Source, path: str, wishes: Wishes, *, encoding: Encoding | None = None) -> Plan:
    """Plan the repair of one log; nothing is written.

    Args:
        source: the bytes, which are read several times.
        path: how the plan names the log.
        wishes: what is asked for.
        encoding: raw or zstd when it is known; by default the name decides, else the first bytes.
    """
    tail = Tail(source, path, encoding)
    plan = _shut(source, tail.report, wishes) if tail.report.state not in OPENS else None
    if plan is None:
        plan = replace(_planned(source, tail, wishes, encoding), **_own(tail))
    return with_rows(plan, tail.rows)


def _shut(source: Source, report: Report, wishes: Wishes) -> Plan:
    """Plan for a log that its own build does not open."""
    plan = _mended(source, report, wishes)
    if plan.script is None:
        return with_advice(plan, advised(source, _everything(source, report, wishes), wishes))
    return with_outlook(source, plan, wishes, lambda: _everything(source, report, wishes))


def _planned(source: Source, tail: Tail, wishes: Wishes, encoding: Encoding | None) -> Plan:
    """Plan for a log that its own build opens, with the verdict of the latest one."""
    report = tail.report
    known = judged(source, report, encoding, wishes)
    left_out = None
    if wishes.named and (known.latest.opens is False or known.latest.but):
        cured = mend(source, known, wishes)
        if cured is not None and cured.script is not None and cured.fixes:
            return agreed(with_outlook(source, cured, wishes, lambda: _everything(source, known, wishes)), wishes)
        left_out = None if cured is None else cured.left_out
    plan = replace(_opened(source, tail, wishes), before=known, left_out=left_out)
    if known.latest.opens is False:
        return with_outlook(source, plan, wishes, lambda: _everything(source, known, wishes))
    if known.latest.opens and (code := refused_at(source, plan, wishes)) is not None:
        return replace(_own_cut(source, tail, wishes, code), before=known)
    return plan


def _own(tail: Tail) -> dict[str, Any]:
    """Give what dsh itself would cut and write again, whatever the plan does."""
    torn = tail.report.torn
    saved = tuple(rewritten(tail.saved, tail.report.version or 0))
    return {"truncate_to": None if torn is None else torn.at, "rewritten": saved}


def _opened(source: Source, tail: Tail, wishes: Wishes) -> Plan:
    """Plan for a log that its own build opens."""
    report = tail.report
    if tail.mixed or _asked(report, wishes):
        return _mended(source, report, wishes)
    hidden: list[tuple[int, int, bytes]] = []
    if _hides_more(source, report):
        made = mend(source, report, wishes)
        if made is not None and made.script is not None:
            return agreed(made, wishes)
        hidden = _hidden(source, report)
    plan = finish(tail, now=wishes.now, hidden=hidden)
    return _mended_tail(source, plan, wishes) or _finished(source, plan, wishes)


def _mended_tail(source: Source, plan: Plan, wishes: Wishes) -> Plan | None:
    """Plan for a log at whose end dsh cuts whole lines that can be read again; None when nothing can that loses nothing."""
    if not any(found.name == "not-json" for found in plan.before.findings):
        return None
    made = mend(source, plan.before, wishes, lossless=True)
    return made if made is not None and made.script is not None and _of_source(made) > _of_source(plan) else None


def _of_source(plan: Plan) -> int:
    """Count the events of the result that the source has."""
    return plan.events - len(plan.closers) - (plan.end_seed is not None)


def _hides_more(source: Source, report: Report) -> bool:
    """Tell whether what looks like a last frame without its end holds sound ones, which dsh cuts without a look."""
    if report.encoding != "zstd" or report.torn is None:
        return False
    return hides_frames(b"".join(source.chunks(report.torn.at)), 0)


def _hidden(source: Source, report: Report) -> list[tuple[int, int, bytes]]:
    """Give what can be read behind the start of a last frame without its end: line number, text offset, line."""
    cut = 0 if report.torn is None else report.torn.at
    sheet = load(source, report.path, report.encoding)
    return [(line.number, line.at, line.text) for line in sheet.lines if sheet.groups[line.group].start >= cut]


def _own_cut(source: Source, tail: Tail, wishes: Wishes, code: str) -> Plan:
    """Give what dsh does, in place of a plan whose result the latest dsh would refuse to upgrade."""
    why_not = f"dsh would refuse to upgrade the result, at {code}, and it opens the log as it is"
    none = Plan(before=tail.report, why_not=why_not)
    if (
        tail.mixed
        or _hides_more(source, tail.report)
        or _asked(tail.report, wishes)
        or (wishes.keep is not None and CHOICES & _names(tail.report))
    ):
        return none
    plan = finish(tail, now=wishes.now)
    sound = _opens(source, plan) and refused_at(source, plan, wishes) is None
    return agreed(plan, wishes) if sound else none


def _asked(report: Report, wishes: Wishes) -> bool:
    return bool((wishes.fix - {"torn-line"}) & _names(report))  # cured in any case


def _names(report: Report) -> frozenset[str]:
    return frozenset(found.name for found in report.findings)


def _everything(source: Source, report: Report, wishes: Wishes) -> Plan | None:
    """Plan with every fix that the upgrade needs, and with the types named that have to be named."""
    unknown = naming(source, report)
    needed = EVERYTHING.fixes if report.version is not None and report.version < LATEST else {}
    if not needed and not unknown:
        return None
    plan = mend(source, report, replace(wishes, fixes={**wishes.fixes, **needed, **unknown}))
    words = [f"{fix}={kind}" for fix, kinds in unknown.items() for kind in sorted(kinds)]
    return None if plan is None else replace(plan, fixes=tuple(dict.fromkeys((*words, *plan.fixes))))


def _mended(source: Source, report: Report, wishes: Wishes) -> Plan:
    made = mend(source, report, wishes)
    return Plan(before=report, why_not="no repair is known") if made is None else agreed(made, wishes)


def _opens(source: Source, plan: Plan) -> bool:
    """Tell whether the log's own build opens the result and has nothing to do."""
    made = BytesSource(b"".join(result(plan.script or (), source, plan.before.encoding)))
    return examine(made, plan.before.path, reader="native", encoding=plan.before.encoding).state == "clean"


def _finished(source: Source, plan: Plan, wishes: Wishes) -> Plan:
    """Give what dsh would do, or more where that drops records, or leaves a log that dsh then refuses."""
    kept = keeping_tail(source, plan.before, wishes, lossless=True)
    if kept is not None:
        return kept
    if not plan.lossy and plain(list(plan.closers)):
        return plan
    for lossless in (True, False):
        other = mend(source, plan.before, wishes, lossless=lossless, tried=lossless)
        if other is not None and other.script is not None and other.records_lost < plan.records_lost:
            return agreed(other, wishes)
    if _opens(source, plan):
        return agreed(plan, wishes)
    if other is None or other.script is None:
        return other or Plan(before=plan.before, why_not="what dsh itself does here makes a log that it then refuses")
    return agreed(other, wishes)


def agreed(plan: Plan, wishes: Wishes) -> Plan:
    """Give the plan with the reason why it is not carried out, when it loses what nobody agreed to lose."""
    if plan.script is None or not plan.lossy or wishes.allow_loss:
        return plan
    return replace(plan, why_not=agreed_words(plan))

"""What would let dsh upgrade a log: the fixes, and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.model.vocabulary import LATEST
from dshlog.repair.mend import mend
from dshlog.repair.outlook import losses_of
from dshlog.repair.plan import Advice
from dshlog.repair.planner import Wishes
from dshlog.repair.script import result
from dshlog.repair.unknown import naming
from dshlog.report.examine import examine
from dshlog.report.latest import BUDGET, ZSTD_FACTOR
from dshlog.report.upgrade import upgrade
from dshlog.rules.fixes import EVERY
from dshlog.storage.source import BytesSource

if TYPE_CHECKING:
    from dshlog.model.report import Encoding
    from dshlog.report.examine import Children
    from dshlog.storage.source import Source

_WRITTEN = (EVERY, "cite-nothing", "drop-stream")  # with what keeps dsh from going on in a log that it opens


def prospect(source: Source, path: str, encoding: Encoding | None, children: Children) -> Advice | None:
    """Give the fixes with which dsh would write the successor of a log that it refuses.

    Args:
        source: the log, of v0 to v3.
        path: how it is named.
        encoding: raw or zstd when it is known.
        children: gives the child sessions of an id.

    Returns:
        The fixes, none of them for what `dshlog repair` does without; None when nothing is known, or the log is so
        large that nobody looked.
    """
    size = (source.size or 0) * (ZSTD_FACTOR if encoding == "zstd" else 1)
    before = examine(source, path, reader="native", encoding=encoding) if size <= BUDGET else None
    if before is None or before.version is None or before.version >= LATEST:
        return None
    unknown = naming(source, before)
    fixes: dict[str, frozenset[str]] = {**dict.fromkeys(_WRITTEN, frozenset()), **unknown}
    wishes = Wishes(now=0, allow_loss=True, fixes=fixes, children=children)
    plan = mend(source, before, wishes)
    if plan is None or plan.script is None or not plan.changed:
        return None
    made = BytesSource(b"".join(result(plan.script, source, before.encoding)))
    if upgrade(made, before.encoding, children=children(before.id or "")).refusals:
        return None
    words = [f"{fix}={kind}" for fix, kinds in unknown.items() for kind in sorted(kinds)]
    return Advice(tuple(dict.fromkeys((*words, *plan.fixes))), losses_of(plan))

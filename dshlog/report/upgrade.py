"""Whether dsh would upgrade one log, and to what: a reading on its way through the edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dshlog.migrate.chain import LAST, chain, header_of
from dshlog.migrate.refusal import KEPT, PUBLISHING, READING, Refusal, Refusals
from dshlog.migrate.restored import Restoring
from dshlog.migrate.successor import Successor
from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.report.reading import Reading
from dshlog.rules.fixes import UNNAMED, cures, hint, named_cures, remedy
from dshlog.rules.register import BY_CODE, BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dshlog.migrate.children import Child
    from dshlog.model.header import Header
    from dshlog.model.report import Encoding
    from dshlog.rules.draft import Draft
    from dshlog.rules.rule import Rule
    from dshlog.storage.source import Source

_WHERE = {
    **{f"{version}->{version + 1}": f"upgrade v{version} to v{version + 1}" for version in range(LAST)},
    "reading": "upgrade, reading",
    "result": "upgrade, result",
    "publishing": "upgrade, writing",
}

# Header rules that the v0 builds do not have and every later reader does.
_LATER = frozenset({"header-member-unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """What came of an upgrade.

    `refusals` are all reasons against it, `more` counts by name those that were not kept. `events` counts
    the events of the result, `left_out` the rows at the end of the log that are not in it, `lost` those among
    them that are records. `unheld` tells that a line was too large to be held, so that nothing is known. `lines` gives the line of each event that is named.
    """

    version: int | None
    to: int
    refusals: tuple[Refusal, ...]
    more: dict[str, int]
    events: int = 0
    unheld: bool = False
    left_out: int = 0
    lost: int = 0
    lines: dict[int, int] = field(default_factory=dict)

    @property
    def opens(self) -> bool:
        """Tell whether dsh opens the log for reading."""
        return all(refusal.edge == PUBLISHING for refusal in self.refusals)


class Upgrade:
    """One upgrade: takes the lines behind the header, then tells what came of it."""

    def __init__(  # noqa: PLR0913 - one keyword for each way
        self,
        header: Header,
        to: int = LAST,
        *,
        children: Iterable[Child] = (),
        write: Callable[[bytes], object] | None = None,
        verify: bool = False,
        most: int = KEPT,
    ) -> None:
        self._version, self._to = header.version, to
        self._refusals = Refusals(most)
        self._last = Successor(header_of(header, to), self._refusals, write=write, verify=verify)
        self._chain = chain(header, to, self._last, self._refusals, children)

    def feed(self, lines: list[bytes]) -> None:
        """Take whole lines in order."""
        self._chain.rows.feed(lines)

    def finish(self, drafts: list[Draft]) -> Upgraded:
        """Tell what came of it; `drafts` are the faults of framing and header."""
        before = physical(drafts)
        if not before:
            self._chain.end()
        found, rows = self._refusals, self._chain.rows
        return Upgraded(
            version=self._version,
            to=self._to,
            refusals=(*before, *found.kept),
            more=dict(found.more),
            events=self._last.events,
            unheld=rows.unheld,
            left_out=rows.left_out,
            lost=rows.lost,
            lines={seq: rows.line_of(seq) for refusal in found.kept if (seq := refusal.seq) is not None},
        )


class Halfway:
    """What dsh 0.1.5 makes of a log before v3: the upgrade to it, its rules between events, and adoption."""

    def __init__(self, header: Header) -> None:
        self._version = header.version
        self._restoring = Restoring(header, adopted=True)

    def feed(self, lines: list[bytes]) -> None:
        """Take whole lines in order."""
        self._restoring.feed(lines)

    def finish(self, drafts: list[Draft]) -> Upgraded:
        """Tell what came of it; `drafts` are the faults of framing and header."""
        rows = self._restoring.rows
        refusals = physical(drafts) or self._restoring.finish()
        lines = {seq: rows.line_of(seq) for refusal in refusals if (seq := refusal.seq) is not None}
        return Upgraded(version=self._version, to=LAST - 1, refusals=tuple(refusals), more={}, lines=lines)


def physical(drafts: list[Draft]) -> list[Refusal]:
    """Give the faults of framing and header for which dsh does not begin to upgrade."""
    return [
        Refusal(READING, draft.rule.name, draft.fault.message, draft.fault.path)
        for draft in drafts
        if draft.fatal or draft.rule.name in _LATER
    ]


def upgrade(  # noqa: PLR0913 - one keyword for each way
    source: Source,
    encoding: Encoding | None = None,
    *,
    to: int = LAST,
    children: Iterable[Child] = (),
    write: Callable[[bytes], object] | None = None,
    verify: bool = True,
    most: int = KEPT,
) -> Upgraded:
    """Upgrade one log.

    Args:
        source: the bytes.
        encoding: raw or zstd when the name of the file decides it; else the first bytes do.
        to: the generation of the result.
        children: the child sessions of the log.
        write: takes the text of the result; worth nothing when there are refusals.
        verify: whether embedded streams are replayed, as dsh does before it writes the result.
        most: refusals of one name that are kept one by one.
    """
    reading = Reading(source, encoding)
    header = reading.header
    if header is None or header.version >= to:
        return Upgraded(version=reading.version, to=to, refusals=tuple(physical(reading.drafts)), more={})
    done = Upgrade(header, to, children=children, write=write, verify=verify, most=most)
    for lines, _, _ in reading.batches():
        done.feed(lines)
    return done.finish(reading.drafts)


def findings(done: Upgraded, path: str) -> list[tuple[str, Finding]]:
    """Give the refusals as findings, each with its edge."""
    out: list[tuple[str, Finding]] = []
    finals = {refusal.name: refusal for refusal in done.refusals}
    for refusal in done.refusals:
        rule = BY_NAME[refusal.name]
        last = finals[refusal.name] is refusal
        line = done.lines.get(refusal.seq) if refusal.seq is not None else None
        finding = Finding(
            code=rule.code,
            name=rule.name,
            severity="warning" if refusal.edge == PUBLISHING else "error",
            place=Place(file=path, line=line, seq=refusal.seq, json_path=refusal.path),
            message=sentence(refusal),
            hint=rule.hint or _hint(refusal, rule),
            remedy=remedy(cures_of(refusal)) if rule.code[0] == "G" else rule.remedy,
            rule=rule.rule,
            follows=done.more.get(refusal.name, 0) if last else 0,
        )
        out.append((refusal.edge, finding))
    return out


def _hint(refusal: Refusal, rule: Rule) -> str | None:
    if refusal.edge == READING and not named_cures(refusal.name):  # damage, which is mended without a name
        return None if rule.remedy == "none" else UNNAMED
    return hint(cures_of(refusal))


def cures_of(refusal: Refusal) -> tuple[str, ...]:
    """Give the fixes that may cure a refusal, the gentlest first."""
    behind = BY_CODE.get(refusal.about or "")
    return cures(refusal.name if behind is None else behind.name, refusal.path, refusal.how)


def sentence(refusal: Refusal) -> str:
    """Say in one sentence what is refused, where on the way, and about which type of event."""
    if not refusal.name.startswith("upgrade-"):
        return refusal.message
    kind = f", {refusal.kind}" if refusal.kind is not None else ""
    return f"{_WHERE.get(refusal.edge, refusal.edge)}{kind}: {refusal.message}"

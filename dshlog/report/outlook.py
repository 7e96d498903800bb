"""What an upgrade would do to many logs: one outlook a log, and their totals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from dshlog.migrate.chain import LAST
from dshlog.report.upgrade import Upgraded, findings, upgrade
from dshlog.rules.register import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dshlog.migrate.children import Child
    from dshlog.migrate.refusal import Refusal
    from dshlog.model.finding import Finding
    from dshlog.model.report import Encoding
    from dshlog.storage.source import Source


class Cure(NamedTuple):
    """The fixes with which dsh would write the result, and what they cost: "none", or what is lost."""

    fixes: tuple[str, ...]
    loss: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What an upgrade makes of one log.

    `sha256` is that of the text of the result, None when there is none; `written` the file that holds it, if any.
    `cure` is for a log that is refused; None when none is known.
    """

    path: str
    done: Upgraded
    sha256: str | None
    children: tuple[Child, ...]
    written: str | None = None
    cure: Cure | None = None

    @property
    def refusals(self) -> list[tuple[str, Finding]]:
        """Give the reasons against it, each with its edge."""
        return findings(self.done, self.path)

    @property
    def current(self) -> bool:
        """Tell whether there is nothing to upgrade."""
        return self.done.version is not None and self.done.version >= self.done.to and not self.done.refusals

    @property
    def ok(self) -> bool:
        """Tell whether dsh would write the result."""
        return not self.done.refusals


def outlook(  # noqa: PLR0913 - as upgrade
    source: Source,
    path: str,
    encoding: Encoding | None = None,
    *,
    to: int = LAST,
    children: Iterable[Child] = (),
    write: Callable[[bytes], object] | None = None,
) -> Outlook:
    """Upgrade one log, and take the fingerprint of the result; `write` gets its text."""
    digest, known = sha256(), tuple(children)

    def taken(text: bytes) -> None:
        digest.update(text)
        if write is not None:
            write(text)

    done = upgrade(source, encoding, to=to, children=known, write=taken)
    made = not done.refusals and done.version is not None and done.version < to
    return Outlook(path=path, done=done, sha256=digest.hexdigest() if made else None, children=known)


@dataclass(slots=True)
class Totals:
    """Counts over many logs: by code, by edge, by type of event, by kind of source; each counts logs.

    `reasons` counts by code every single refusal; `refused` names the logs, each with the codes that stand against it.
    """

    logs: int = 0
    current: int = 0
    upgradable: int = 0
    lost: int = 0
    refused: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    lossless: list[str] = field(default_factory=list)  # those with a cure that loses nothing
    lossy: list[str] = field(default_factory=list)  # those with another cure
    causes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)

    def add(self, one: Outlook) -> None:
        """Count one log."""
        self.logs += 1
        if one.current:
            self.current += 1
            return
        if one.ok:
            self.upgradable += 1
            self.lost += one.done.lost > 0
            return
        if one.cure is not None:
            (self.lossless if one.cure.loss == "none" else self.lossy).append(one.path)
        refusals = one.done.refusals
        causes = dict.fromkeys(map(_cause, refusals))
        self.refused.append((one.path, tuple(causes)))
        self.causes.update(causes.keys())
        self.reasons.update(map(_cause, refusals))
        for name, more in one.done.more.items():
            last = next(refusal for refusal in reversed(refusals) if refusal.name == name)
            self.reasons[_cause(last)] += more
        self.edges.update({refusal.edge for refusal in refusals})
        self.types.update({refusal.kind for refusal in refusals if refusal.kind is not None})
        named = {refusal.about for refusal in refusals if refusal.name == "upgrade-source-kind"}
        self.sources.update(name for name in named if name is not None)


def _cause(refusal: Refusal) -> str:
    """Give the code of a refusal, with that of the rule of v4 when one stands behind it."""
    code = BY_NAME[refusal.name].code
    return f"{code} {refusal.about}" if refusal.name == "upgrade-rule" else code

"""What is asked for by name: findings to cure, and fixes to take."""

from __future__ import annotations

from dataclasses import dataclass, field

from dshlog.rules.fixes import EVERY, FIXES
from dshlog.rules.register import BY_CODE, BY_NAME

NEVER = frozenset({"system-to-user", "mark-ignorable"})  # what nobody takes for everything that is needed


class UnknownFixError(ValueError):
    """A word that names neither a finding nor a fix, or a fix that lacks what has to be named behind it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Findings by name, and fixes with what is named behind each; nothing behind one stands for all of its kind."""

    findings: frozenset[str] = frozenset()
    fixes: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def every(self) -> bool:
        """Tell whether all that the upgrade needs is asked for."""
        return EVERY in self.fixes

    def allows(self, fix: str, *names: str) -> bool:
        """Tell whether a fix may be taken for a finding, which may have several names."""
        if fix in self.fixes or not self.findings.isdisjoint(names):
            return True
        return self.every and fix not in NEVER

    def values(self, fix: str) -> frozenset[str]:
        """Give what was named behind a fix."""
        return self.fixes.get(fix, frozenset())


def asked(words: list[str]) -> Asked:
    """Read what is given behind `--fix`.

    Raises:
        UnknownFixError: a word means nothing.
    """
    findings: set[str] = set()
    fixes: dict[str, set[str] | None] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if name in FIXES or name == EVERY:
            known = FIXES.get(name)
            if equals and (known is None or known.value is None or not value):
                message = f"{name} takes nothing behind it" if value else f"{word} names nothing"
                raise UnknownFixError(message)
            if known is not None and known.needs_value and not value:
                message = f"{name} needs a {known.value}: {name}={known.value}"
                raise UnknownFixError(message)
            before = fixes.get(name, set())
            fixes[name] = None if not value or before is None else {*before, value}
        elif word in BY_CODE:
            findings.add(BY_CODE[word].name)
        elif word in BY_NAME:
            findings.add(word)
        else:
            message = f"no finding and no fix has the name {word}"
            raise UnknownFixError(message)
    return Asked(frozenset(findings), {name: frozenset(held or ()) for name, held in fixes.items()})


EVERYTHING = Asked(fixes={EVERY: frozenset()})

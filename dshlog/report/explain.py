"""Explain codes: what a word of the command line stands for, and all that is known about one rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dshlog.model.finding import SEVERITIES
from dshlog.rules.advice import advice, repair
from dshlog.rules.examples import EXAMPLES
from dshlog.rules.explanations import explanation, looks
from dshlog.rules.register import BY_CODE, BY_NAME, RULES
from dshlog.rules.sample import tree_lines

if TYPE_CHECKING:
    from dshlog.model.finding import Finding, Severity
    from dshlog.rules.explanations import Look
    from dshlog.rules.rule import Rule
    from dshlog.rules.sample import Example

_NEAR = 3  # suggestions for a word that is no code and no name
_ORDER = "FLHGEPCSTKDB"  # letters, from the bytes of a file outwards


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One example as it can be printed.

    `file` is the name of the log, or the folder of a tree that is judged. `lines` are what stands in it, each
    with whether the other example differs there. `findings` are what dshlog says about it; None where that
    takes files or sizes that are not at hand.
    """

    file: str
    lines: tuple[tuple[bool, str], ...]
    findings: tuple[Finding, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """All that is known about one rule; `bad` and `good` are None for a code that no log can produce.

    `advice` is what to do by hand, `repair` what mending it costs.
    """

    rule: Rule
    severity: Severity
    looks: tuple[Look, ...]
    text: str
    advice: str
    repair: str
    bad: Shown | None
    good: Shown | None


def in_order() -> list[Rule]:
    """Give all rules by letter and number."""
    return sorted(RULES, key=lambda rule: (_ORDER.find(rule.code[0]), rule.code))


def named(word: str) -> Rule | None:
    """Give the rule of a code or of a name; upper and lower case are the same."""
    return BY_CODE.get(word.upper()) or BY_NAME.get(word.lower())


def beginning(word: str) -> list[Rule]:
    """Give the rules whose code or name begins with a word, or whose id in the specification is the word."""
    folded = word.lower()
    return [
        rule
        for rule in in_order()
        if folded
        and (
            rule.code.lower().startswith(folded) or rule.name.startswith(folded) or (rule.rule or "").lower() == folded
        )
    ]


def nearest(word: str) -> list[Rule]:
    """Give the rules whose code or name looks most like a word."""
    from difflib import get_close_matches

    names = {rule.name: rule for rule in RULES} | {rule.code.lower(): rule for rule in RULES}
    near = [names[name] for name in get_close_matches(word.lower(), names, _NEAR)]
    parts = [rule for rule in in_order() if word.lower() in rule.name]
    alike = [rule for size in (3, 2, 1) for rule in in_order() if rule.code.startswith(word[:size].upper())]
    return list(dict.fromkeys((*near, *parts) or alike))[:_NEAR]


def explained(rule: Rule) -> Explained:
    """Give all that is known about a rule; its examples are judged on the way."""
    example = EXAMPLES.get(rule.code)
    return Explained(
        rule=rule,
        severity=severity(rule),
        looks=looks(rule),
        text=explanation(rule),
        advice=advice(rule),
        repair=repair(rule, severity(rule)),
        bad=None if example is None else _shown(example, "bad"),
        good=None if example is None else _shown(example, "good"),
    )


def severity(rule: Rule) -> Severity:
    """Give the worst severity that a finding of this rule has in any generation."""
    return min((look.severity for look in looks(rule) if look.severity is not None), key=SEVERITIES.index)


def _shown(example: Example, which: str) -> Shown:
    tree, other = example.bad_tree, example.good_tree
    if tree is not None and other is not None:
        here, there = (tree, other) if which == "bad" else (other, tree)
        lines = tree_lines(here, there)
        if example.grows and which == "bad":
            lines.append((True, "(somebody writes to it while it is read)"))
        return Shown(file=example.asked, lines=tuple(lines), findings=None)
    findings: tuple[Finding, ...] | None = None
    if not (example.scaled or example.folded):
        from dshlog.report.examine import examine
        from dshlog.storage.source import BytesSource

        findings = examine(
            BytesSource(example.data(which)),
            example.name,
            deep=example.deep,
            reader=example.readers[which == "good"],
            upgrade="always" if example.upgrade else "never",
        ).findings
    return Shown(file=example.name, lines=tuple(example.lines(which)), findings=findings)

"""What `explain` prints: one rule in words, many on a line each, and both as JSON."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from dshlog.render.jsonout import SCHEMA, Json, finding_dict
from dshlog.render.look import PLAIN, Look
from dshlog.render.table import fit, measure
from dshlog.render.text import finding_lines
from dshlog.render.words import visible
from dshlog.report.explain import severity
from dshlog.rules.explanations import LETTERS, refusals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.report.explain import Explained, Shown
    from dshlog.rules.rule import Rule

WIDTH = 100  # columns of running text outside a terminal
_LABEL = 10  # columns before the text
_NAME = 30  # columns of a name outside a terminal, where the layout is fixed


def list_lines(rules: Iterable[Rule], look: Look = PLAIN) -> Iterator[str]:
    """Yield one line for each rule, with a heading above each letter; the rules are in order."""
    listed = list(rules)
    width = _NAME if look.width is None else max((len(rule.name) for rule in listed), default=0)
    letter = ""
    for rule in listed:
        if rule.code[0] != letter:
            if letter:
                yield ""
            letter = rule.code[0]
            yield look.paint("bold", _fitted(f"{letter}  {LETTERS[letter]}", look))
        worst = severity(rule)
        line = f"{rule.code}  {worst:<7}  {rule.name:<{width}}  {rule.summary}"
        yield _fitted(line, look).replace(worst, look.paint(worst, worst), 1)


def _fitted(line: str, look: Look) -> str:
    return fit(line, look.width, measure(look)) if look.width else line


def rule_lines(known: Explained, look: Look = PLAIN) -> Iterator[str]:
    """Yield all that is known about one rule."""
    rule = known.rule
    width = WIDTH if look.width is None else min(WIDTH, look.width)
    yield look.paint("bold", f"{rule.code} {rule.name}")
    yield from _labelled("", f"{rule.summary}; {rule.why}", width)
    yield ""
    yield from _labelled("severity", known.severity, width)
    yield from _labelled("rule", rule.rule or "(dshlog's own)", width)
    for number, line in enumerate(refusals(rule)):
        yield from _labelled("" if number else "who", line, width)
    yield ""
    yield from _labelled("in dsh", known.text, width)
    yield ""
    if known.bad is None or known.good is None:
        yield from _labelled("bad", "(no log can produce it)", width)
    else:
        yield from _bad(known.bad, rule.code, look)
        yield from _good(known.good, known.bad, look)
    yield ""
    yield from _labelled("do", known.advice, width)
    yield from _labelled("repair", known.repair, width)


def _labelled(label: str, text: str, width: int) -> Iterator[str]:
    inside = max(width - _LABEL, _LABEL)
    for number, line in enumerate(wrap(text, inside, break_long_words=False, break_on_hyphens=False)):
        yield f"{'' if number else label:<{_LABEL}}{line}"


def _bad(shown: Shown, code: str, look: Look) -> Iterator[str]:
    """Yield the bad example whole, with what dshlog says about it."""
    yield f"{'bad':<{_LABEL}}{shown.file}"
    for differs, line in shown.lines:
        yield f"  {look.paint('bold', '>') if differs else ' '} {visible(line)}"
    for finding in shown.findings or ():
        if finding.code == code:
            yield "  = " + next(iter(finding_lines(finding, look)))
            return


def _good(shown: Shown, bad: Shown, look: Look) -> Iterator[str]:
    """Yield where the good example differs from the bad one."""
    own = [line for differs, line in shown.lines if differs]
    if not own:
        extra = sum(differs for differs, _ in bad.lines)
        what = "it" if not extra else "the marked line" if extra == 1 else "the marked lines"
        yield f"{'good':<{_LABEL}}the same without {what}"
        return
    yield f"{'good':<{_LABEL}}the same, but" if any(d for d, _ in bad.lines) else f"{'good':<{_LABEL}}the same, and"
    for line in own:
        yield f"  {look.paint('bold', '>')} {visible(line)}"


def explain_dict(rules: Iterable[Explained], *, version: str) -> Json:
    """Give the document of `explain --json`; `version` is that of dshlog."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "dshlog", "version": version},
        "rules": [_rule_dict(known) for known in rules],
    }


def _rule_dict(known: Explained) -> Json:
    rule = known.rule
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": known.severity,
        "rule": rule.rule,
        "remedy": rule.remedy,
        "summary": rule.summary,
        "why": rule.why,
        "hint": rule.hint,
        "explanation": known.text,
        "do": known.advice,
        "repair": known.repair,
        "generations": [
            {
                "version": one.version,
                "build": one.build,
                "stage": one.stage,
                "severity": one.severity,
                "does": one.does,
            }
            for one in known.looks
        ],
        "bad": _shown_dict(known.bad),
        "good": _shown_dict(known.good),
    }


def _shown_dict(shown: Shown | None) -> Any:  # noqa: ANN401 - an object or null
    if shown is None:
        return None
    return {
        "file": shown.file,
        "lines": [{"text": line, "differs": differs} for differs, line in shown.lines],
        "findings": None if shown.findings is None else [finding_dict(finding) for finding in shown.findings],
    }

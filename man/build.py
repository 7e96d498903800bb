"""Makes man/dshlog-rules.7, and the fixes in man/dshlog-repair.1, from the registers: `python man/build.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dshlog import __version__
from dshlog.report.explain import in_order, severity
from dshlog.rules.advice import advice, repair
from dshlog.rules.explanations import LETTERS, explanation, refusals
from dshlog.rules.fixes import FIXES

if TYPE_CHECKING:
    from dshlog.rules.fixes import Fix

PAGE = Path(__file__).with_name("dshlog-rules.7")
REPAIR = Path(__file__).with_name("dshlog-repair.1")
FIRST, LAST = '.\\" Made by man/build.py: the fixes', '.\\" Made by man/build.py: no more fixes'

_INTRO = """\
.\\" Made by man/build.py from the register of rules; do not edit.
.TH DSHLOG\\-RULES 7 "" "dshlog {version}" "Miscellaneous"
.SH NAME
dshlog\\-rules \\- every finding that dshlog can make
.SH DESCRIPTION
A finding has a code and a name, which are stable for ever.
The letter of the code is the layer that sees the defect.
Below, each code comes with its worst severity, the id of its rule in the specification, who refuses a log for it, and what
that means for somebody who uses dsh, what to do by hand, and what a repair costs.
.PP
Generations are those of the log: v0 was written by dsh 0.1.0 to 0.1.2, v3 by 0.1.5, v4 by 0.2.1.
No release read v1 and v2 as its own; what is said of them is said of the upgrade, their only reader.
A record that
.I ends what can be read
is dropped with all behind it when no turn/end behind it shows that it was committed.
.PP
.B dshlog explain
.I CODE
adds a bad and a good log that differ in one thing."""

_END = """\
.SH SEE ALSO
.BR dshlog (1),
.BR dshlog\\-explain (1),
.BR dshlog\\-validate (1),
.BR dshlog\\-formats (5)"""


def page() -> str:
    """Give the page as it should be."""
    lines = [_INTRO.format(version=__version__)]
    letter = ""
    for rule in in_order():
        if rule.code[0] != letter:
            letter = rule.code[0]
            lines.append(f".SH {roff(LETTERS[letter].upper())}")
        lines.append(".TP")
        lines.append(f'.BR {rule.code} " {roff(rule.name)}"')
        lines.append(f"{roff(rule.summary)}; {roff(rule.why)}.")
        lines.append(f"{severity(rule)}" + (f", {roff(rule.rule)}." if rule.rule else "."))
        lines += [f"{roff(line)}." for line in refusals(rule)]
        lines.append(".IP")
        lines += sentences(roff(explanation(rule)))
        lines += [".IP", *sentences(f"Do: {roff(advice(rule))}."), f"Repair: {roff(repair(rule, severity(rule)))}."]
    return "\n".join([*lines, _END, ""])


def repair_page() -> str:
    """Give the page of the repair as it should be: as it is, with the fixes of the register."""
    before, _, rest = REPAIR.read_text(encoding="utf-8").partition(FIRST)
    _, _, behind = rest.partition(LAST)
    return "".join([before, FIRST, "\n", *map(fix, FIXES.values()), LAST, behind])


def fix(one: Fix) -> str:
    """Give the entry of one fix."""
    value = ""
    if one.value is not None:
        value = f"={one.value}" if one.needs_value else f"[={one.value}]"
    head = f".BI {roff(one.name)} {value}" if value else f".B {roff(one.name)}"
    return f".TP\n{head}\n{roff(one.what)}.\nLoses {roff(one.cost)}.\nProof: {roff(one.proof)}.\n"


def roff(text: str) -> str:
    """Give a text as roff prints it unchanged: hyphens stay hyphens, no line begins with a control character."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def sentences(text: str) -> list[str]:
    """Put each sentence on a line of its own, as roff likes it."""
    return [re.sub(r"^([.'])", r"\\&\1", part) for part in re.split(r"(?<=[.:]) (?=[A-Zd])", text)]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    REPAIR.write_text(repair_page(), encoding="utf-8")
    print(PAGE, REPAIR)

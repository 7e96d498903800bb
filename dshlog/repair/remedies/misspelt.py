"""A member of an envelope or a header whose name one byte made another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.envelope import MEMBERS
from dshlog.codec.header import OPTIONAL, REQUIRED, header_faults
from dshlog.model.number import as_count, as_int
from dshlog.repair.remedies.case import said

if TYPE_CHECKING:
    from collections.abc import Collection

    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

_PACKED = frozenset({"type", "seq0", "time0", "data"})


def misspelt(case: Case) -> Action | None:
    """Give a member the name from which its own differs in one byte, when no member has that name and its value fits."""
    row = case.row
    found = None if row is None else respelt(case, row)
    if found is None:
        return None
    made, wrong, meant = found
    return said(case, made, f"the member {_shown(wrong)} is {meant} again: one byte of its name was another")


def respelt(case: Case, row: dict[str, Any]) -> tuple[dict[str, Any], str, str] | None:
    """Give a record with that member named right, the name that it had and the one that it has."""
    for known in _forms(case):
        wrong = [name for name in row if name not in known]
        meant = [name for name in known if name not in row and len(wrong) == 1 and _near(wrong[0], name)]
        if len(meant) != 1 or not _fits(case, meant[0], row[wrong[0]]):
            continue
        made = {meant[0] if name == wrong[0] else name: value for name, value in row.items()}
        if case.index or not header_faults(made, case.version):
            return made, wrong[0], meant[0]
    return None


def _forms(case: Case) -> tuple[Collection[str], ...]:
    """Give the names that the members of a record may have, for each form of it."""
    if not case.index:
        return ((*REQUIRED[case.version], *OPTIONAL[case.version]),)
    return MEMBERS, _PACKED


def _near(name: str, other: str) -> bool:
    return len(name) == len(other) and sum(a != b for a, b in zip(name, other, strict=True)) == 1


def _fits(case: Case, name: str, value: Any) -> bool:  # noqa: ANN401 - a JSON value
    """Tell whether a member may have a value."""
    if not case.index:
        return True  # the header as a whole is judged
    if name in {"seq", "seq0"}:
        return as_count(value) == case.position
    if name in {"time", "time0"}:
        return as_int(value) is not None
    if name == "surfaceOp":
        return value == "append" or type(value) is dict
    wanted = {"type": str, "data": dict, "sourceEventSeqs": list, "ignorable": bool}
    return type(value) is wanted[name]


def _shown(name: str) -> str:
    return name if name.isprintable() else ascii(name)[1:-1]

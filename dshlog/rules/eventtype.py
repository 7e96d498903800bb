"""Event types that a build does not know: what each means for the log. Source: events.md E-009, E-010, E-021, E-028."""

from __future__ import annotations

from dshlog.model.fault import Fault
from dshlog.model.vocabulary import RETIRED, ever_known

_OPAQUE_UPGRADES = 3  # the first generation whose upgrade keeps unknown ignorable events
_PTC = 3  # the first generation whose admission refuses tool/code-dispatch by itself
_NEVER_READ = frozenset({"request/header-delta", "mode/set"})  # v0 builds refuse these, ignorable or not

# The v3 row decoder looks types up in a plain JavaScript object, which finds these names too.
INHERITED_NAMES = frozenset(
    {
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)


def type_fault(kind: str, version: int, *, ignorable: bool) -> Fault | None:
    """Say what is wrong with a type that the generation's build does not know; None when it may stand.

    Fail closed: without the marker `ignorable` an unknown type refuses the log.
    """
    if version == 0 and kind == "steering/message":
        text = "steering/message has no form that v0 builds turn into a user/message"
        return Fault("steering-form-malformed", text, "$.data")
    shown = kind if kind.isprintable() and len(kind) <= 80 else ascii(kind[:80])  # noqa: PLR2004
    if version == 0 and kind in _NEVER_READ:
        return Fault("retired-type", f"{shown} is {RETIRED[kind]}", "$.type")
    if ignorable:
        if version >= _OPAQUE_UPGRADES:
            return None
        text = f"{shown} is unknown and ignorable; no upgrade of v{version} takes it"
        return Fault("opaque-blocks-upgrade", text, "$.type")
    if version >= _PTC and kind in {"tool/code-dispatch", "tool/code-dispatch-start"}:
        return None  # admission says it
    if ever_known(kind):
        history = f"; {RETIRED[kind]}" if kind in RETIRED else ", another generation has it"
        name = "retired-type" if kind in RETIRED else "unknown-type"
        return Fault(name, f"{shown} is no event type of v{version}{history}", "$.type")
    text = f"{shown} is unknown and not marked ignorable: a newer dsh or a plugin wrote it"
    return Fault("unknown-type", text, "$.type")


def is_newer(fault: Fault, kind: str) -> bool:
    """Tell whether a fault says that somebody newer wrote the event: no generation ever had its type."""
    return fault.name == "unknown-type" and not ever_known(kind)

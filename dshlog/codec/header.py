"""The header record of every generation, read with each constraint. Source: storage.md §3."""

from __future__ import annotations

from typing import Any

from dshlog.model.fault import Fault
from dshlog.model.header import Header
from dshlog.model.number import as_count, is_number
from dshlog.model.vocabulary import LATEST
from dshlog.storage.naming import MAX_SEGMENT, session_segment

SEED_IN_BODY = 2  # the first generation whose inherited cut stands in the body

_COMMON = ("type", "version", "id", "createdAt", "delegationDepth")
REQUIRED = (_COMMON,) * 2 + ((*_COMMON, "isSeeded"),) * 3  # by generation
OPTIONAL = (("cwd", "parentSession", "seedLength", "origin", "agentPreset"),) * 2 + (
    ("cwd", "parentSession", "origin", "agentPreset"),
) * 3
RETIRED = ("sandboxMode", "approvalPolicy")


def read_version(value: dict[str, Any]) -> int | Fault:
    """Give the format version that a header names, 0 or above; the fault when it names none.

    A version above LATEST is given back as it is: it is newer, not wrong.
    """
    if "version" not in value:
        return Fault("header-member-missing", "version is missing", "$.version")
    version = as_count(value["version"])
    if version is None:
        shown = repr(value["version"]) if is_number(value["version"]) else "no number"
        return Fault("header-version-invalid", f"version is {shown}, a format version is a count", "$.version")
    return version


def header_faults(value: dict[str, Any], version: int) -> list[Fault]:
    """Check a header of a known generation member by member; an empty list when all is well.

    Faults named `header-member-unknown` refuse the log from v1 on; the v0 builds ignore them.
    """
    required, optional = REQUIRED[version], OPTIONAL[version]
    faults = [
        Fault("header-member-retired", f"{name} is retired from the header", f"$.{name}")
        for name in RETIRED
        if name in value
    ]
    faults += [
        Fault("header-member-missing", f"{name} is missing", f"$.{name}") for name in required if name not in value
    ]
    for name in value:
        if name not in required and name not in optional and name not in RETIRED:
            shown = name if name.isprintable() and len(name) <= 40 else ascii(name[:40])[1:-1]  # noqa: PLR2004
            faults.append(Fault("header-member-unknown", f"{shown} is no header member of v{version}", f"$.{shown}"))
    faults += _type_faults(value, version)
    return faults


def _type_faults(value: dict[str, Any], version: int) -> list[Fault]:
    faults: list[Fault] = []

    def wrong(name: str, wanted: str) -> None:
        faults.append(Fault("header-member-malformed", f"{name} is {wanted}", f"$.{name}"))

    for name in ("createdAt", "delegationDepth", "seedLength"):
        if name in value and (name != "seedLength" or version < SEED_IN_BODY) and as_count(value[name]) is None:
            wrong(name, "no count")
    for name in ("id", "parentSession", "agentPreset"):
        if name in value and type(value[name]) is not str:
            wrong(name, "no text")
    if value.get("id") == "":
        wrong("id", "empty, and no dsh finds a session without a name")  # storage.md §1.4
    elif type(value.get("id")) is str and len(segment := session_segment(value["id"])) > MAX_SEGMENT:
        text = (
            f"the id makes a name of {len(segment)} characters, and dsh opens no session with more than {MAX_SEGMENT}"
        )
        faults.append(Fault("id-too-long", text, "$.id"))
    if "origin" in value and value["origin"] != "subagent":
        wrong("origin", 'present and not "subagent"')
    if "isSeeded" in value and version >= SEED_IN_BODY and type(value["isSeeded"]) is not bool:
        wrong("isSeeded", "no boolean")
    if "cwd" in value:
        cwd = value["cwd"]
        if type(cwd) is not str:
            wrong("cwd", "no text")
        elif not is_absolute(cwd):
            wrong("cwd", "no absolute path")
        elif not cwd.startswith("/"):
            faults.append(Fault("cwd-of-windows", "cwd is an absolute path on Windows only", "$.cwd"))
    return faults


def is_absolute(path: str) -> bool:
    """Tell whether a path is absolute on POSIX or on Windows; a log may have been written on either."""
    if path.startswith(("/", "\\")):
        return True
    return len(path) > 2 and path[0].isascii() and path[0].isalpha() and path[1] == ":" and path[2] in "/\\"  # noqa: PLR2004


def to_header(value: dict[str, Any], version: int) -> Header:
    """Give the header as a value; the record has passed `header_faults`, or is salvaged member by member."""

    def text(name: str) -> str | None:
        member = value.get(name)
        return member if type(member) is str else None

    seed_length = as_count(value.get("seedLength")) if version < SEED_IN_BODY else None
    return Header(
        version=version,
        id=text("id") or "",
        created_at=as_count(value.get("createdAt")) or 0,
        delegation_depth=as_count(value.get("delegationDepth")) or 0,
        is_seeded=seed_length is not None if version < SEED_IN_BODY else value.get("isSeeded") is True,
        seed_length=seed_length,
        cwd=text("cwd"),
        parent_session=text("parentSession"),
        origin=text("origin"),
        agent_preset=text("agentPreset"),
    )


def is_newer(version: int) -> bool:
    """Tell whether a format version is beyond every generation known here."""
    return version > LATEST

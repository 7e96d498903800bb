"""A header that a reader refuses although what is wrong with it can be put right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.header import OPTIONAL, REQUIRED
from dshlog.model.number import as_count
from dshlog.repair.remedies.case import added, edit
from dshlog.storage.jsontext import dumps
from dshlog.storage.naming import decode_segment, is_project_dir, parse_log_name

if TYPE_CHECKING:
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

_SEEDED_IN_BODY = 2
_ORDER = (
    "type", "version", "id", "createdAt", "cwd", "parentSession", "isSeeded", "seedLength", "origin", "delegationDepth",
    "agentPreset",
)  # fmt: skip
_SHOWN = 60  # characters of a value in a message


def version_text(case: Case) -> Action | None:
    """Read a version that was written as a text."""
    row = case.row
    version = None if row is None else row.get("version")
    if row is None or type(version) is not str or version not in {"0", "1", "2", "3", "4"}:
        return None
    done = case.done("edit", f"the version was written as the text {version} and becomes the number")
    edit(case.sheet, case.index, {**row, "version": int(version)})
    return done


def version_of_name(case: Case) -> Action | None:
    """Take the version that the name of the file says, when the header has none that is a number."""
    row = case.row
    named = parse_log_name(_name(case.sheet.path))
    if row is None or named is None or as_count(row.get("version")) is not None:
        return None
    done = case.done("edit", f"the version becomes {named.generation}, as the name of the file says")
    edit(case.sheet, case.index, _in_order({**row, "version": named.generation}))
    return done


def kind(case: Case) -> Action | None:
    """Call the first record a header again, when it has all that a header has."""
    row = case.row
    if row is None or not {"version", "id", "createdAt", "delegationDepth"} <= row.keys() or "seq" in row:
        return None
    done = case.done("edit", f"the type of the header, which was {dumps(row.get('type')).decode()}, becomes session")
    edit(case.sheet, case.index, _in_order({**row, "type": "session"}))
    return done


def id_of_directory(case: Case) -> Action | None:
    """Take the id that the session directory is named after, when the header has none."""
    row = case.row
    directory, _, name = case.sheet.path.replace("\\", "/").rpartition("/")
    project, _, segment = directory.rpartition("/")
    id_ = decode_segment(segment)
    in_place = parse_log_name(name) is not None and is_project_dir(_name(project))
    if row is None or not in_place or not id_ or type(row.get("id")) is str:
        return None
    done = case.done("edit", f"the id becomes {id_}, after which the directory is named")
    edit(case.sheet, case.index, _in_order({**row, "id": id_}))
    return done


def unknown_member(case: Case) -> Action | None:
    """Take out a member that the header of this generation does not have."""
    row, name = case.row, _member(case)
    if row is None or name not in row or name in REQUIRED[case.version] or name in OPTIONAL[case.version]:
        return None
    return _without(case, row, name)


def optional_member(case: Case) -> Action | None:
    """Take out a member that the header need not have and that no reader understands."""
    row, name = case.row, _member(case)
    if row is None or name not in row or name not in OPTIONAL[case.version] or name == "parentSession":
        return None
    return _without(case, row, name)


def created(case: Case) -> Action | None:
    """Take the time of the first event for the time of creation."""
    row = case.row
    if row is None or as_count(row.get("createdAt")) is not None or len(case.sheet.lines) == 1:
        return None
    first = case.sheet.lines[1].row
    time = None if first is None else as_count(first.get("time", first.get("time0")))
    if time is None:
        return None
    done = case.done(
        "edit", f"createdAt becomes {time}, the time of the first event", loss="when the session was created"
    )
    edit(case.sheet, case.index, _in_order({**row, "createdAt": time}))
    return done


def depth(case: Case) -> Action | None:
    """Take a log without a parent for one of depth 0."""
    row = case.row
    if row is None or as_count(row.get("delegationDepth")) is not None or "parentSession" in row:
        return None
    done = case.done("edit", "delegationDepth becomes 0, as in every session without a parent")
    edit(case.sheet, case.index, _in_order({**row, "delegationDepth": 0}))
    return done


def seeded(case: Case) -> Action | None:
    """Let the header say about an inherited part what the events say."""
    row = case.row
    if row is None or case.version < _SEEDED_IN_BODY:
        return None
    marked = any(_marks(line.row) for line in case.sheet.lines[1:])
    if row.get("isSeeded") is marked:
        return None
    has = "has" if marked else "has no"
    loss = "none" if marked else "where the inherited part ends"
    done = case.done(
        "edit", f"isSeeded becomes {str(marked).lower()}: the log {has} inherited session/end-seed", loss=loss
    )
    edit(case.sheet, case.index, _in_order({**row, "isSeeded": marked}))
    return done


def seed_length(case: Case) -> Action | None:
    """Take back an inherited part that is longer than the log."""
    row = case.row
    if row is None or case.version >= _SEEDED_IN_BODY or as_count(row.get("seedLength")) is None:
        return None
    length = sum(case.sheet.count_of(line) for line in case.sheet.lines[1:])
    if row["seedLength"] <= length:
        return None
    text = f"seedLength becomes {length}, the length of the log"
    done = case.done("edit", text, loss="where the inherited part ends")
    edit(case.sheet, case.index, {**row, "seedLength": length})
    return done


def rebuilt(case: Case) -> Action | None:
    """Put a header before the first event, of what is known about it, when that was asked for."""
    row, facts = case.row, case.header
    if facts is None or row is None or case.sheet.seq_of(case.line) != 0 or not facts.get("id"):
        return None
    named = parse_log_name(_name(case.sheet.path))
    version = facts.get("version", case.version) if named is None else named.generation
    own = {"type": "session", "version": version, "createdAt": _began(row), "delegationDepth": 0}
    if version >= _SEEDED_IN_BODY:
        own["isSeeded"] = any(_marks(line.row) for line in case.sheet.lines)
    known = {name: value for name, value in facts.items() if name in (*REQUIRED[version], *OPTIONAL[version])}
    made = _in_order({**own, **known, "type": "session", "version": version})
    guessed = [name for name in ("createdAt", "delegationDepth") if name not in known]
    text = f"a header is put before the first event: {dumps(made).decode('utf-8', 'replace')}"
    done = case.done(
        "insert", text, loss=f"what the header said, of which {' and '.join(guessed) or 'nothing'} is made up"
    )
    case.sheet.lines.insert(0, added(made))
    return done


def _began(row: dict[str, Any]) -> int:
    """Give the time of the first event."""
    return as_count(row.get("time", row.get("time0"))) or 0


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _marks(row: dict[str, Any] | None) -> bool:
    data = row.get("data") if row is not None and row.get("type") == "session/end-seed" else None
    return type(data) is dict and data.get("inherited") is True


def _member(case: Case) -> str:
    return (case.finding.path or "$.").removeprefix("$.")


def _without(case: Case, row: dict[str, Any], name: str) -> Action:
    value = dumps(row[name]).decode("utf-8", "replace")[:_SHOWN]
    done = case.done("edit", f"header member {name} goes; it was {value}", loss=f"{name} of the header")
    edit(case.sheet, case.index, {other: held for other, held in row.items() if other != name})
    return done


def _in_order(row: dict[str, Any]) -> dict[str, Any]:
    """Give the members in the order in which dsh writes them; what it does not know comes last."""
    return {name: row[name] for name in dict.fromkeys((*_ORDER, *row)) if name in row}

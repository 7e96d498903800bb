"""A bad and a good database for every code of the SQLite store."""

from __future__ import annotations

from dshlog.rules.sample import Example, Part, Stored, head, turn, turn_end

_ROWS: tuple[Part, ...] = (head(0), turn(), turn_end())
_SOUND = Stored(_ROWS)
_FILE = "sessions.db"


def _pair(bad: Stored) -> Example:
    return Example(bad_tree={_FILE: bad}, good_tree={_FILE: _SOUND}, asked=_FILE, version=0)


def _sql(note: str, *sql: str) -> Example:
    return _pair(Stored(_ROWS, note=note, sql=sql))


def _cell(column: str, value: object, *, note: str, kind: str = "turn/end") -> Example:
    set_ = f"UPDATE events SET {column} = {value} WHERE seq = 1"  # noqa: S608
    return _sql(f"{note} in the {kind} of seq 1", set_)


DATABASE = {
    "B101": _pair(Stored(_ROWS, note="a file of this name with other content", text=b"no database")),
    "B102": _sql("application id 1", "PRAGMA application_id = 1"),
    "B103": _sql("schema version 18", "PRAGMA user_version = 18"),
    "B104": _sql("schema version 0", "PRAGMA user_version = 0"),
    "B105": _pair(Stored(_ROWS, note="its first page is zero behind the header", zero="sqlite_schema")),
    "B106": _sql("no table events", "DROP TABLE events"),
    "B111": Example(bad_tree={_FILE: _SOUND}, good_tree={"session.jsonl": _ROWS}, asked=".", version=0),
    "B112": _pair(Stored(_ROWS, note="with a write-ahead log", beside="-wal")),
    "B113": _pair(Stored(_ROWS, note="with a hot journal", beside="-journal")),
    "B114": _sql("no column surface_op", "ALTER TABLE events DROP COLUMN surface_op"),
    "B115": _sql(
        "an event of session gone",
        "INSERT INTO events SELECT 'gone', seq, type, time, data, NULL, NULL, NULL FROM events WHERE seq = 0",
    ),
    "B116": _sql(
        "a session with a blob for id",
        "INSERT INTO sessions SELECT x'00', version, created_at, cwd, NULL, NULL, NULL, NULL, NULL, incarnation, revision FROM sessions",
    ),
    "B201": _sql("version 1 in sessions", "UPDATE sessions SET version = 1"),
    "B202": _cell("data", "5", note="data is the number 5"),
    "B203": _cell("data", "x'28b52ffd'", note="data is a frame that is cut"),
    "B204": _cell("data", "'{'", note="data is a brace"),
    "B205": _cell("source_event_seqs", "x'80'", note="source_event_seqs is half a varint"),
    "B206": _cell("ignorable", "0", note="ignorable 0, which packed rows have,"),
    "B207": _pair(Stored(_ROWS, note="a row on a page that is zero", zero="events")),
}

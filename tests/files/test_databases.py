"""Databases as the files layer opens them: what is odd about one, what is bounded, and what the world can do to it."""

from __future__ import annotations

import errno
import os
import pickle
import sqlite3
import sys
from contextlib import closing

import pytest

import dbbuilder
from dshlog.files import databases as opened
from dshlog.files import dbcopy, dbpath
from dshlog.files.databases import Databases
from dshlog.files.unreadable import Unreadable

HEAD = b'{"type":"session","version":0,"id":"%s","createdAt":1,"delegationDepth":0}'
TURN = b'{"type":"turn/start","seq":%d,"time":1,"data":{"turn":1}}'


def log(id_="demo", rows=3):
    return [HEAD % id_.encode(), *(TURN % seq for seq in range(rows))]


@pytest.fixture
def path(tmp_path):
    """A sound database of two sessions."""
    dbbuilder.build(tmp_path / "sessions.db", [log(), log("other")])
    return tmp_path / "sessions.db"


@pytest.fixture
def run():
    """The databases of one run."""
    databases = Databases()
    yield databases
    databases.close()


def change(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def text_of(run, path, id_="demo"):
    with run.source(f"{path}#{id_}") as source:
        return b"".join(source.chunks()).splitlines(), source.rows


def remarks(run, path):
    list(run.expand(str(path), asked=True))
    names = [fault.name for fault in run.remarks[str(path)]]
    assert names.pop(0) == "database-retired"
    return names


# -- odd shapes that are read


def test_a_session_is_the_text_of_a_log(run, path):
    lines, rows = text_of(run, path)
    assert lines == log()
    assert (rows.database, rows.session, list(rows.seqs), rows.faults) == (str(path), "demo", [0, 1, 2], {})
    assert rows.row(1)[1:] == ("sessions", "demo", None)
    assert rows.row(3)[1:] == ("events", "demo", 1)
    assert rows.row(None)[1:] == rows.row(9)[1:] == (None, "demo", None)


@pytest.mark.parametrize("ending", [" WITHOUT ROWID", ""])
def test_a_table_may_have_no_rowid_or_other_columns(ending, run, path):
    extra = "" if ending else ", rowid, _rowid_, oid"
    change(
        path,
        "ALTER TABLE events RENAME TO held",
        f"CREATE TABLE events(session_id, seq, type, time, data, source_event_seqs, surface_op, ignorable{extra}, "
        f"PRIMARY KEY (session_id, seq)){ending}",
        f"INSERT INTO events SELECT *{', 1, 2, 3' if extra else ''} FROM held",  # noqa: S608
    )
    assert text_of(run, path)[0] == log()


def test_names_of_columns_have_no_case(run, path):
    change(path, "ALTER TABLE events RENAME COLUMN data TO DATA", "ALTER TABLE sessions RENAME COLUMN id TO Id")
    assert text_of(run, path)[0] == log()


@pytest.mark.parametrize(
    ("change_", "kind"),
    [
        ("ALTER TABLE events ADD COLUMN extra TEXT", []),
        ("CREATE INDEX often ON events(type)", []),
        ("CREATE TRIGGER never AFTER INSERT ON events BEGIN DELETE FROM sessions; END", []),
        ("ALTER TABLE sessions DROP COLUMN agent_preset", ["database-column-missing"]),
        ("UPDATE events SET session_id = 'gone' WHERE session_id = 'other'", ["database-rows-without-session"]),
    ],
)
def test_what_differs_without_harm_is_remarked_on(change_, kind, run, path):
    change(path, "PRAGMA foreign_keys = OFF", change_)
    assert remarks(run, path) == kind
    assert remarks(run, path) == kind  # once, however often it is asked
    assert text_of(run, path)[0] == log()


def test_a_computed_column_is_not_run(run, path):
    change(
        path,
        "ALTER TABLE events RENAME TO held",
        "CREATE TABLE events(session_id, seq, type, time, data AS (printf('%.*c', 100000000, 'x')))",
    )
    (found,) = run.expand(str(path), asked=True)
    assert (found.kind, found.fault.name) == ("database", "database-shape")


@pytest.mark.parametrize(
    ("id_", "shown"), [("x'00'", "x'00'"), ("5", "5"), ("NULL", "NULL"), ("CAST(x'61ff' AS TEXT)", r"'a\xff'")]
)
def test_a_session_that_cannot_be_named_is_counted_and_shown(id_, shown, run, tmp_path):
    path = tmp_path / "sessions.db"
    with closing(dbbuilder.create(path, strict=False)) as connection:
        dbbuilder.add(connection, log())
        connection.execute(f"INSERT INTO sessions(id, version) VALUES ({id_}, 0)")  # noqa: S608
    assert [found.path for found in run.expand(str(path), asked=True)] == [f"{path}#demo"]
    assert "database-session-nameless" in remarks(run, path)
    assert remarks(run, path).count("database-session-nameless") == 1
    assert run.remarks[str(path)][-1].message.endswith(f"stands twice: {shown}")


def test_a_session_that_stands_twice_is_read_once(run, tmp_path):
    path = tmp_path / "sessions.db"
    with closing(dbbuilder.create(path, strict=False)) as connection:
        dbbuilder.add(connection, log())
        connection.execute("ALTER TABLE sessions RENAME TO held")
        connection.execute("CREATE TABLE sessions AS SELECT * FROM held UNION ALL SELECT * FROM held")
    assert [found.path for found in run.expand(str(path), asked=True)] == [f"{path}#demo"]
    assert "database-session-nameless" in remarks(run, path)
    assert text_of(run, path)[0] == log()


def test_text_may_be_utf_16(run, tmp_path):
    path = tmp_path / "sessions.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA encoding = 'UTF-16be'")
        connection.execute("CREATE TABLE first(x)")
    with closing(dbbuilder.create(path)) as connection:
        dbbuilder.add(connection, [*log(rows=0), TURN.replace(b"1}}", '1,"x":"é😀"}}'.encode()) % 0])
    assert "é😀".encode() in text_of(run, path)[0][1]


# -- what is bounded


def test_faults_of_many_rows_are_not_all_kept(run, tmp_path, monkeypatch):
    monkeypatch.setattr(opened, "MOST_FAULTS", 2)
    path = tmp_path / "sessions.db"
    with closing(dbbuilder.create(path, strict=False)) as connection:
        dbbuilder.add(connection, log(rows=5))
        connection.execute("UPDATE events SET data = 5")
    lines, rows = text_of(run, path)
    assert len(lines) == 6
    assert len(rows.faults) == 2


def test_the_text_of_one_session_has_an_end(run, tmp_path, monkeypatch):
    monkeypatch.setattr(opened, "MOST_TEXT", 400)
    monkeypatch.setattr(opened, "TEXT_FACTOR", 0)
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, [log(rows=50)])
    lines, rows = text_of(run, path)
    assert len(lines) < 10
    assert [fault.name for fault in rows.faults.values()] == ["line-too-long"]


def test_a_text_of_many_windows_comes_back(run, tmp_path, monkeypatch):
    monkeypatch.setattr(opened, "WINDOW", 100)
    monkeypatch.setattr(opened, "IN_MEMORY", 1000)
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, [log(rows=50)])
    assert text_of(run, path)[0] == log(rows=50)


# -- the world


def test_a_run_travels_without_what_it_holds_open(run, path):
    text_of(run, path)
    again = pickle.loads(pickle.dumps(run))  # noqa: S301 - our own
    assert again.remarks == {}
    assert text_of(again, path)[0] == log()
    again.close()


def test_a_database_that_changed_is_opened_again(run, path):
    assert len(list(run.expand(str(path), asked=True))) == 2
    change(path, "DELETE FROM events WHERE session_id = 'other'", "DELETE FROM sessions WHERE id = 'other'")
    os.utime(path, ns=(1, 1))
    assert len(list(run.expand(str(path), asked=True))) == 1


def test_a_database_that_changes_while_it_is_read_is_told(run, path, monkeypatch):
    states = iter([(1,), (1,), (2,)])
    monkeypatch.setattr(opened, "_state", lambda _: next(states))
    assert text_of(run, path)[1].changed


@pytest.mark.parametrize("asked", ["demo", "gone"])
def test_a_database_that_went_away_is_told(asked, run, path, monkeypatch):
    monkeypatch.setattr(dbpath, "is_database", lambda _: True)
    path.unlink()
    with pytest.raises(Unreadable, match="no such file"):
        run.source(f"{path}#{asked}")
    (found,) = run.expand(str(path), asked=True)
    assert found.kind == "unreadable"
    assert list(run.headers(str(path), asked=True)) == [(str(path), None, b"", "no such file or directory")]


def test_an_unknown_session_is_told(run, path):
    with pytest.raises(Unreadable, match="no such session") as raised:
        run.source(f"{path}#gone")
    assert raised.value.hints == (f"dshlog ls {path}",)
    assert run.source(str(path)) is None


def test_a_python_without_sqlite_says_so(run, path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dshlog.files.database", None)
    with pytest.raises(Unreadable, match="this Python has no module sqlite3"):
        run.source(f"{path}#demo")


def test_one_of_another_program_is_passed_by_unless_it_was_asked_for(run, path):
    change(path, "PRAGMA application_id = 5")
    assert not list(run.expand(str(path), asked=False))
    assert not list(run.headers(str(path), asked=False))
    assert [found.fault.name for found in run.expand(str(path), asked=True)] == ["database-foreign"]
    assert next(problem for *_, problem in run.headers(str(path), asked=True)).startswith("its application id is 0x5")
    with pytest.raises(Unreadable, match="another program keeps it"):
        run.named(str(path), "demo")


def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_no_room_for_the_text_is_told(run, path, monkeypatch):
    monkeypatch.setattr(opened, "_fill", full)
    with pytest.raises(Unreadable, match="temporary file: no space left") as raised:
        run.source(f"{path}#demo")
    assert raised.value.hints == ("set TMPDIR to a directory with room",)


def test_no_room_for_a_copy_is_told(run, path, monkeypatch):
    dbbuilder.written_ahead(path, "UPDATE sessions SET revision = 9")
    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(Unreadable, match="copied together with -wal") as raised:
        run.source(f"{path}#demo")
    assert "TMPDIR" in raised.value.hints[0]


def test_a_writer_that_never_rests_is_told(run, path, monkeypatch):
    dbbuilder.written_ahead(path, "UPDATE sessions SET revision = 9")
    numbers = iter(range(100))
    monkeypatch.setattr(dbcopy, "_identity", lambda _: (next(numbers), 0, 0))
    with pytest.raises(Unreadable, match="somebody writes to it while it is copied"):
        run.source(f"{path}#demo")


def test_a_path_with_a_sign_in_it_is_a_path(tmp_path, path):
    odd = tmp_path / "a#b.db"
    path.rename(odd)
    assert dbpath.split(str(odd)) is None
    assert dbpath.split(f"{odd}#demo#2") == (str(odd), "demo#2")
    assert dbpath.split(f"{odd}#\0") == (str(odd), "\0")
    assert dbpath.split(f"{tmp_path}/gone#b") is None
    assert not dbpath.is_database("\0")


def test_a_new_database_that_is_known_by_its_log_alone_is_found_in_a_walk(tmp_path):
    path = tmp_path / "sessions.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA application_id = {dbbuilder.APPLICATION}")
        connection.execute("CREATE TABLE x(y)")
        kept = path.read_bytes(), (tmp_path / "sessions.db-wal").read_bytes()
    path.write_bytes(kept[0])
    assert not dbpath.dsh_database(str(path))
    (tmp_path / "sessions.db-wal").write_bytes(kept[1])
    assert dbpath.dsh_database(str(path))
    assert not dbpath.dsh_database(str(tmp_path / "gone.db"))


# -- what is damaged


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_what_cannot_be_brought_into_a_copy_is_told(ending, run, path, tmp_path):
    dbbuilder.blank(path, 1)
    data = bytes.fromhex("d9d505f920a163d7") if ending == "-journal" else bytes.fromhex("377f0682002de218")
    (tmp_path / f"sessions.db{ending}").write_bytes(data + bytes(5000))
    (found,) = run.expand(str(path), asked=True)
    assert (found.kind, found.fault.name) == ("database", "database-damaged")


def test_a_file_that_begins_like_a_database_and_is_none_is_told(run, path):
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    (found,) = run.expand(str(path), asked=True)
    assert found.fault.name == "not-a-database"


@pytest.mark.parametrize("index", [True, False])
def test_rows_behind_a_damaged_page_are_read(index, run, tmp_path):
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, [log(rows=400)])
    with closing(sqlite3.connect(path)) as connection:
        asked = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 1"
        try:
            name = "sqlite_autoindex_events_1" if index else "events"
            page = connection.execute(asked, (name,)).fetchone()[0]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite cannot say which pages are whose")
    dbbuilder.blank(path, page)
    lines, rows = text_of(run, path)
    faults = {fault.name for fault in rows.faults.values()}
    assert faults == ({"row-unreadable"} if rows.faults else set())
    assert lines[-1] == log(rows=400)[-1]
    assert index or rows.faults

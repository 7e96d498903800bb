"""Databases of the SQLite store: whatever their shape there is a finding for it, and none is ever written to."""

# ruff: noqa: S608 - the values are those of the table beside
from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import build
import dbbuilder
from dshlog.cli.main import main
from dshlog.rules.examples import EXAMPLES
from dshlog.rules.sample import Stored

FIXTURES = Path(build.__file__).parent
LOG = (FIXTURES / "v0/clean-raw/session.jsonl").read_bytes().splitlines()
LAST = json.loads(LOG[-1])["seq"]
COMMANDS = (
    ("validate",),
    ("validate", "--format", "sarif"),
    ("show",),
    ("cat",),
    ("cat", "--raw"),
    ("ls", "--deep"),
    ("stats",),
    ("repair",),
    ("migrate", "--check"),
)


@pytest.fixture
def say(capfd):
    """Run a command; its exit status, what it said and what it complained of."""

    def run(*words):
        status = main([str(word) for word in words])
        out, complaint = capfd.readouterr()
        assert "internal error" not in complaint
        assert "Traceback" not in complaint
        return status, out, complaint

    return run


@pytest.fixture
def unchanged():
    """Look at a directory now; a call of the answer asserts that nothing in it is other than it was."""

    def look(folder):
        seen = snapshot(folder)

        def same():
            assert snapshot(folder) == seen

        return same

    return look


def snapshot(folder):
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes() if path.is_file() else b"", path.lstat().st_mtime_ns)
        for path in (folder, *folder.rglob("*"))
    }


def lay(path, *sql, lines=LOG, schema=17):
    """Build a database of one log and change it by SQL, in tables that take any value."""
    with closing(dbbuilder.create(path, schema, strict=False)) as connection:
        dbbuilder.add(connection, lines, schema=schema)
        for statement in sql:
            connection.execute(statement)
    return path


def whole(path, schema, ids=("demo",)):
    """Build a database of sessions as the release of its schema keeps them."""
    texts = [b"\n".join(log_named(id_)) + b"\n" for id_ in ids]
    plain = [dbbuilder.unpacked(text) if schema == dbbuilder.PLAIN else text for text in texts]
    dbbuilder.build(path, [text.splitlines() for text in plain], schema=schema)
    return path


def judged(say, path):
    status, out, _ = say("validate", "--format", "json", path)
    document = json.loads(out)
    return status, document["logs"], {found["code"] for found in document["store"]}


def codes(log):
    return [found["code"] for found in log["findings"]]


def log_named(id_):
    return [json.dumps({**json.loads(LOG[0]), "id": id_}).encode(), *LOG[1:]]


# -- what no file may do to us


@pytest.mark.parametrize("code", sorted(code for code in EXAMPLES if code[0] == "B"))
def test_no_damage_is_a_crash_or_a_write(code, tmp_path, say, unchanged):
    entry = EXAMPLES[code].bad_tree["sessions.db"]
    assert isinstance(entry, Stored)
    database = tmp_path / "sessions.db"
    if entry.text is None:
        dbbuilder.lay(database, entry.lines().splitlines(), sql=entry.sql, beside=entry.beside, zero=entry.zero)
    else:
        database.write_bytes(entry.text)
    same = unchanged(tmp_path)
    for command in COMMANDS:
        status, _, _ = say(*command, database)
        assert status in {0, 1, 2}
    same()


@pytest.mark.parametrize("schema", [15, 17])
def test_a_database_that_is_cut_off_anywhere_has_a_finding(schema, tmp_path, say, unchanged):
    data = (FIXTURES / f"databases/schema-{schema}.db").read_bytes()
    page = int.from_bytes(data[16:18], "big")
    odd = (1, 15, 16, 17, 99, 100, 101, page - 1, page + 1, 3 * page + 17, len(data) // 2 + 3, len(data) - 1)
    database = tmp_path / "sessions.db"
    for cut in (0, *range(page, len(data), page), *odd):
        database.write_bytes(data[:cut])
        same = unchanged(tmp_path)
        status, logs, store = judged(say, database)
        assert status == 1, cut
        assert "B105" in store or any(found["severity"] == "error" for log in logs for found in log["findings"]), cut
        for command in (("ls",), ("cat",), ("repair",)):
            say(*command, database)
        same()


@pytest.mark.parametrize("schema", [15, 17])
def test_what_stands_on_the_pages_of_a_database_that_is_cut_is_read(schema, tmp_path, say, unchanged):
    ids = [f"session-{number}" for number in range(8)]
    path = whole(tmp_path / "sessions.db", schema, ids)
    data = path.read_bytes()
    page = int.from_bytes(data[16:18], "big")
    pages = len(data) // page
    path.write_bytes(data[: (pages - 3) * page + 100])
    same = unchanged(tmp_path)
    status, logs, store = judged(say, path)
    assert (status, [log["id"] for log in logs], "B105" in store) == (1, ids, True)
    assert {log["state"] for log in logs} > {"clean"}
    assert f"the file is cut: {pages - 3} of {pages} pages are there" in say("validate", f"{path}#session-0")[1]
    status, out, complaint = say("cat", f"{path}#session-0")
    assert len(out.splitlines()) == LAST + 1
    assert "the file is cut" in complaint
    same()


def test_a_database_that_is_cut_within_its_header_is_no_other_programs(tmp_path, say):
    path = lay(tmp_path / "sessions.db")
    path.write_bytes(path.read_bytes()[:60])
    _, (log,), _ = judged(say, path)
    assert codes(log) == ["B105"]
    assert "cut within its header: 60 of 100 bytes" in log["findings"][0]["message"]


@pytest.mark.parametrize("wal", [None, b"", b"x" * 5000])
def test_a_database_of_which_nothing_was_brought_in_looks_for_its_log(wal, tmp_path, say, unchanged):
    path = tmp_path / "sessions.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    if wal is not None:
        Path(f"{path}-wal").write_bytes(wal)
    same = unchanged(tmp_path)
    status, (log,), _ = judged(say, path)
    assert (status, codes(log)) == (1, ["B104"])
    told = "which holds nothing of use" if wal else "which is missing or empty"
    assert told in log["findings"][0]["message"]
    same()


@pytest.mark.parametrize("schema", [15, 17])
def test_a_page_of_zeros_anywhere_is_no_crash(schema, tmp_path, say, unchanged):
    data = (FIXTURES / f"databases/schema-{schema}.db").read_bytes()
    page = int.from_bytes(data[16:18], "big")
    database = tmp_path / "sessions.db"
    found = set()
    for number in range(1, len(data) // page + 1):
        database.write_bytes(data)
        dbbuilder.blank(database, number)
        same = unchanged(tmp_path)
        _, logs, store = judged(say, database)
        found |= {code for log in logs for code in codes(log)} | store
        say("ls", database)
        say("cat", database)
        same()
    assert {"B105", "B207"} <= found


@pytest.mark.parametrize("schema", [15, 17])
def test_a_complaint_of_sqlite_that_is_no_utf_8_stops_no_other_file(schema, tmp_path, say, unchanged):
    database = whole(tmp_path / "broken.db", schema)
    data = database.read_bytes()
    database.write_bytes(data.replace(b"PRIMARY KEY (session_id", b"PRIMARY KEY (se\xf3sion_id"))
    whole(tmp_path / "sound.db", schema)
    same = unchanged(tmp_path)
    for path in (database, tmp_path):
        status, logs, _ = judged(say, path)
        assert (status, codes(logs[0]), logs[0]["state"]) == (1, ["B105"], "refused")
        assert "\\xf3" in logs[0]["findings"][0]["message"]
    assert [log["state"] for log in logs[1:]] == ["clean"]
    for command in COMMANDS:
        say(*command, database)
    same()


def damaged_key(path, schema, id_, seq, change):
    """Change the entry in an index: that of `sessions`, or that of `events` for a seq; the tables stay whole."""
    whole(path, schema, ("session-one", "session-two"))
    asked = ("SELECT rowid FROM sessions WHERE id = ?", (id_,))
    if seq is not None:
        asked = ("SELECT rowid FROM events WHERE session_id = ? AND seq = ?", (id_, seq))
    with closing(sqlite3.connect(path)) as connection:
        rowid = connection.execute(*asked).fetchone()[0]
        page = connection.execute("SELECT max(rootpage) FROM sqlite_schema WHERE tbl_name = 'sessions'").fetchone()[0]
    tail = b"" if seq is None else bytes([seq])
    entry = id_.encode() + tail + (b"" if rowid == 1 else bytes([rowid]))
    data = path.read_bytes()
    at = data.index(entry, (page - 1) * int.from_bytes(data[16:18], "big") if seq is None else 0)
    path.write_bytes(data[:at] + change(entry) + data[at + len(entry) :])
    return path


@pytest.mark.parametrize("schema", [15, 17])
@pytest.mark.parametrize(
    ("id_", "seq", "change"),
    [
        ("session-one", 5, lambda entry: entry.replace(b"\x05", b"\x7f", 1)),
        ("session-two", 5, lambda entry: entry.replace(b"-two", b"-uwo")),
        ("session-one", 2, lambda entry: b"t" + entry[1:]),
        ("session-two", 9, lambda entry: entry[:-1] + b"\x03"),  # the row that it leads to
        ("session-two", None, lambda entry: entry.replace(b"-two", b"-owo")),
        ("session-one", None, lambda entry: b"z" + entry[1:]),
    ],
)
def test_an_index_that_is_damaged_hides_no_row(schema, id_, seq, change, tmp_path, say, unchanged):  # noqa: PLR0917
    table = "sessions" if seq is None else "events"
    sound = whole(tmp_path / "sound.db", schema, ("session-one", "session-two"))
    path = damaged_key(tmp_path / "sessions.db", schema, id_, seq, change)
    same = unchanged(tmp_path)
    status, logs, store = judged(say, path)
    assert (status, [log["state"] for log in logs], store) == (1, ["clean", "clean"], {"B105", "B111"})
    assert say("cat", path)[1] == say("cat", sound)[1].replace("sound.db", "sessions.db")
    for one in ("session-one", "session-two"):
        status, logs, store = judged(say, f"{path}#{one}")
        assert (status, [log["state"] for log in logs], store) == (1, ["clean"], {"B105", "B111"})
        _, _, complaint = say("cat", f"{path}#{one}")
        assert f"the index of {table} is damaged" in complaint
    same()
    out = tmp_path / "out.jsonl"
    status, _, complaint = say("unpack", path, "--session", "session-two", "-o", out)
    assert (status, f"the index of {table} is damaged" in complaint) == (0, True)
    assert len(out.read_bytes().splitlines()) == len(say("cat", f"{sound}#session-two")[1].splitlines()) + 1


@pytest.mark.parametrize("schema", [15, 17])
def test_a_row_whose_id_is_damaged_is_read_by_its_index(schema, tmp_path, say, unchanged):
    path = whole(tmp_path / "sessions.db", schema, ("session-one", "session-two"))
    data = bytearray(path.read_bytes())
    at = data.index(b"session-oneturn/start")
    data[at] ^= 1
    path.write_bytes(data)
    same = unchanged(tmp_path)
    for asked, states in ((path, ["clean", "clean"]), (f"{path}#session-one", ["clean"])):
        status, logs, store = judged(say, asked)
        assert (status, [log["state"] for log in logs], store) == (1, states, {"B105", "B111", "B115"})
    same()


MODULES = """
import sys
from dshlog.cli.main import main
main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("command", [*COMMANDS, ("unpack", "-o", "out.jsonl"), ("ls",)])
def test_nothing_of_databases_is_loaded_for_a_log(command, tmp_path):
    log = FIXTURES / "v0/clean-raw/session.jsonl"
    ran = subprocess.run(
        [sys.executable, "-c", MODULES, *command, log], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    loaded = set(ran.stderr.splitlines()[-1].split())
    assert "dshlog.files.find" in loaded or "dshlog.files.heads" in loaded
    held = {"database", "databases", "dbcopy", "dbkeys", "dbopen", "dbwords"}
    assert not loaded & {"sqlite3", "dshlog.codec.dbrows", *(f"dshlog.files.{name}" for name in held)}


# -- what it is


@pytest.mark.parametrize(
    ("sql", "code", "state"),
    [
        ("PRAGMA application_id = 0", "B102", "not-a-log"),
        ("PRAGMA application_id = -1", "B102", "not-a-log"),
        ("PRAGMA user_version = 14", "B103", "newer"),
        ("PRAGMA user_version = 16", "B103", "newer"),
        ("PRAGMA user_version = 18", "B103", "newer"),
        ("PRAGMA user_version = 0", "B104", "not-a-log"),
        ("PRAGMA user_version = -17", "B104", "not-a-log"),
        ("DROP TABLE sessions", "B106", "refused"),
        ("ALTER TABLE events DROP COLUMN data", "B106", "refused"),
    ],
)
def test_a_database_of_no_known_kind_says_what_it_is(sql, code, state, tmp_path, say, unchanged):  # noqa: PLR0917
    lay(tmp_path / "sessions.db", sql)
    same = unchanged(tmp_path)
    status, (log,), store = judged(say, tmp_path / "sessions.db")
    assert (status, log["state"], codes(log), store) == (1, state, [code], set())
    status, out, _ = say("validate", tmp_path / "sessions.db")
    assert out.splitlines()[-1] == f"next: dshlog explain {code}"
    for command in (("cat",), ("show",), ("repair",), ("unpack", "-o", tmp_path / "out.jsonl")):
        status, _, complaint = say(*command, tmp_path / "sessions.db")
        assert status == 2
        assert f"hint: dshlog explain {code}" in complaint
    same()


@pytest.mark.parametrize(("version", "known"), [(14, True), (16, True), (18, False)])
def test_an_unknown_schema_version_below_the_last_is_not_called_newer_in_words(version, known, tmp_path, say):
    lay(tmp_path / "sessions.db", f"PRAGMA user_version = {version}")
    _, (log,), _ = judged(say, tmp_path / "sessions.db")
    assert ("no release that is known wrote it" in log["findings"][0]["message"]) == known


def test_a_view_in_place_of_a_table_is_not_asked(tmp_path, say):
    lay(
        tmp_path / "sessions.db",
        "ALTER TABLE events RENAME TO held",
        "CREATE VIEW events AS SELECT * FROM held",
    )
    _, (log,), _ = judged(say, tmp_path / "sessions.db")
    assert codes(log) == ["B106"]


def test_an_empty_file_a_directory_and_links(tmp_path, say):
    (tmp_path / "empty.db").write_bytes(b"")
    assert codes(judged(say, tmp_path / "empty.db")[1][0]) == ["B101"]
    (tmp_path / "folder.db").mkdir()
    assert judged(say, tmp_path / "folder.db") == (0, [], set())
    lay(tmp_path / "sessions.db")
    (tmp_path / "link.db").symlink_to("sessions.db")
    status, (log,), store = judged(say, tmp_path / "link.db")
    assert (status, log["path"], store) == (0, f"{tmp_path}/link.db#demo", {"B111"})
    (tmp_path / "dangling.db").symlink_to("nowhere.db")
    (tmp_path / "loop.db").symlink_to("loop.db")
    for name in ("dangling.db", "loop.db", "nowhere.db"):
        assert say("validate", tmp_path / name)[0] == 2
    os.mkfifo(tmp_path / "pipe.db")
    assert say("validate", tmp_path / "pipe.db")[0] in {1, 2}


# -- what lies beside it


def with_log_beside(folder):
    """Lay a database whose second session is known to its write-ahead log alone; its path."""
    path = folder / "sessions.db"
    writer = folder / "writer.db"
    with closing(dbbuilder.create(writer)) as connection:
        dbbuilder.add(connection, log_named("session-first"))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        dbbuilder.add(connection, log_named("session-second"))
        for ending in ("", "-wal", "-shm"):
            shutil.copyfile(f"{writer}{ending}", f"{path}{ending}")
    for left in folder.glob("writer.db*"):
        left.unlink()
    return path


@pytest.mark.parametrize("shared_memory", [True, False])
def test_what_a_write_ahead_log_alone_holds_is_read(shared_memory, tmp_path, say, unchanged):
    path = with_log_beside(tmp_path)
    if not shared_memory:
        Path(f"{path}-shm").unlink()
    same = unchanged(tmp_path)
    status, logs, store = judged(say, path)
    assert (status, [log["state"] for log in logs], store) == (0, ["clean", "clean"], {"B111", "B112"})
    assert [log["id"] for log in logs] == ["session-first", "session-second"]
    for command in COMMANDS:
        _, _, complaint = say(*command, path)
        assert ("write-ahead log" in complaint) == (command[0] not in {"validate", "show", "migrate"})
    status, out, _ = say("cat", path, "--session", "session-second")
    assert len(out.splitlines()) == LAST + 1
    same()


def test_without_its_write_ahead_log_a_database_is_an_older_state(tmp_path, say, unchanged):
    path = with_log_beside(tmp_path)
    Path(f"{path}-wal").unlink()
    same = unchanged(tmp_path)
    _, logs, store = judged(say, path)
    assert ([log["id"] for log in logs], store) == (["session-first"], {"B111"})
    same()


@pytest.mark.parametrize("size", [0, 20, 32, 5000])
def test_a_write_ahead_log_of_nothing_is_no_crash(size, tmp_path, say, unchanged):
    path = with_log_beside(tmp_path)
    wal = Path(f"{path}-wal")
    wal.write_bytes(wal.read_bytes()[:size])
    same = unchanged(tmp_path)
    _, logs, store = judged(say, path)
    assert [log["id"] for log in logs] == ["session-first"]
    assert store == ({"B111"} if size <= 32 else {"B111", "B112"})
    same()


@pytest.mark.parametrize(
    ("change", "told", "codes_"),
    [
        (lambda wal: wal[:-100], "no whole transaction", {"B112"}),
        (lambda wal: flipped(wal, 40 + 2 * 4120), "what was written from there on is lost", {"B105"}),
        (lambda wal: flipped(wal, 90), "what was written from there on is lost", {"B105"}),
        (lambda wal: flipped(wal, 17), "damaged in its header", {"B105"}),
        (lambda _: b"x" * 5000, "damaged in its header", {"B105"}),
    ],
)
def test_a_write_ahead_log_that_is_damaged_says_how_far_it_counts(change, told, codes_, tmp_path, say, unchanged):  # noqa: PLR0917
    path = with_log_beside(tmp_path)
    wal = Path(f"{path}-wal")
    wal.write_bytes(change(wal.read_bytes()))
    same = unchanged(tmp_path)
    status, logs, store = judged(say, path)
    assert ([log["id"] for log in logs], store) == (["session-first"], {"B111"} | codes_)
    assert status == int("B105" in codes_)
    assert told in say("validate", f"{path}#session-first")[1]
    same()


def test_frames_of_an_earlier_run_of_a_log_are_no_damage(tmp_path, say):
    path = tmp_path / "sessions.db"
    with closing(dbbuilder.create(tmp_path / "writer.db")) as connection:
        dbbuilder.add(connection, log_named("session-first"))
        connection.execute("PRAGMA journal_mode = WAL")
        dbbuilder.add(connection, log_named("session-second"))
        connection.execute("PRAGMA wal_checkpoint(RESTART)")
        connection.execute("UPDATE sessions SET revision = 9")
        for ending in ("", "-wal"):
            shutil.copyfile(tmp_path / f"writer.db{ending}", f"{path}{ending}")
    status, logs, store = judged(say, path)
    assert (status, len(logs), store) == (0, 2, {"B111", "B112"})
    assert "both were read together" in say("validate", path)[1]


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def test_a_hot_journal_is_taken_back_in_a_copy(tmp_path, say, unchanged):
    path = lay(tmp_path / "sessions.db")
    dbbuilder.journal(path)
    same = unchanged(tmp_path)
    status, (log,), store = judged(say, path)
    assert (status, log["state"], store) == (0, "clean", {"B111", "B113"})
    assert say("validate", "--fail-on", "warning", path)[0] == 1
    for command in COMMANDS:
        say(*command, path)
    same()


def test_a_finished_journal_says_nothing(tmp_path, say, unchanged):
    path = lay(tmp_path / "sessions.db")
    Path(f"{path}-journal").write_bytes(bytes(512))
    same = unchanged(tmp_path)
    assert judged(say, path)[2] == {"B111"}
    same()


def test_a_journal_that_names_other_files_is_left_alone(tmp_path, say, unchanged):
    path = lay(tmp_path / "sessions.db")
    dbbuilder.journal(path)
    victim = tmp_path / "victim"
    victim.write_text("keep me")
    name = str(victim).encode()
    tail = (0).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big")
    beside = Path(f"{path}-journal")
    beside.write_bytes(beside.read_bytes() + tail + bytes.fromhex("d9d505f920a163d7"))
    same = unchanged(tmp_path)
    _, logs, store = judged(say, path)
    assert ([log["state"] for log in logs], store) == (["clean"], {"B111", "B113"})
    assert "a transaction over several databases" in say("validate", path)[1]
    same()


def test_nothing_is_left_in_the_directory_for_temporary_files(tmp_path, say, monkeypatch):
    (tmp_path / "temporary").mkdir()
    (tmp_path / "store").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    path = with_log_beside(tmp_path / "store")
    judged(say, path)
    say("cat", path)
    assert not list((tmp_path / "temporary").iterdir())


# -- rows


@pytest.mark.parametrize(
    ("set_", "code"),
    [
        ("data = 5", "B202"),
        ("data = NULL", "B202"),
        ("data = x'28b52ffd'", "B203"),
        ("data = x'00'", "B203"),
        ("data = '{'", "B204"),
        ("data = CAST(x'7b22ff' AS TEXT)", "B204"),
        ("source_event_seqs = '[1]'", "B202"),
        ("source_event_seqs = x'80'", "B205"),
        ("source_event_seqs = x'8000'", "B205"),
        ("surface_op = x'00'", "B202"),
        ("surface_op = 'append'", "B204"),
        ("ignorable = 2", "B202"),
        ("ignorable = 'x'", "B202"),
        ("ignorable = 0", "B206"),
    ],
)
@pytest.mark.parametrize("seq", [4, LAST])
def test_a_cell_of_a_wrong_kind_is_named_with_its_row(set_, code, seq, tmp_path, say, unchanged):  # noqa: PLR0917
    path = lay(tmp_path / "sessions.db", f"UPDATE events SET {set_} WHERE seq = {seq}")
    same = unchanged(tmp_path)
    status, (log,), _ = judged(say, path)
    (found,) = (found for found in log["findings"] if found["code"] == code)
    assert found["place"]["row"] == {"database": str(path), "table": "events", "session": "demo", "seq": seq}
    assert found["place"]["json_path"] == f"events.{set_.split()[0] if code != 'B206' else 'type'}"
    committed = seq != LAST
    assert (status, log["state"]) == ((1, "refused") if committed else (0, "torn"))
    words = say("validate", path)[1]
    assert f"at  row of events with seq {seq}, member" in words
    assert "line" not in words.split("store:")[0]
    status, _, complaint = say("unpack", path, "-o", tmp_path / "out.jsonl")
    assert (status, "not all rows" in complaint) == (1, True)
    same()


@pytest.mark.parametrize(
    "set_",
    [
        "type = NULL", "type = 5", "type = x'00'", "type = CAST(x'ff' AS TEXT)", "seq = NULL", "seq = 'x'",
        "seq = 4.5", "seq = -1", "seq = 9223372036854775807", "seq = x'04'", "time = NULL", "time = 'x'", "time = 0.5",
    ],
)  # fmt: skip
def test_a_row_whose_envelope_is_wrong_is_refused(set_, tmp_path, say, unchanged):
    path = lay(tmp_path / "sessions.db", f"UPDATE events SET {set_} WHERE seq = 4")
    same = unchanged(tmp_path)
    status, (log,), _ = judged(say, path)
    assert (status, log["state"]) == (1, "refused") or "time" in set_
    say("validate", path)
    say("repair", path)
    same()


def test_a_row_whose_seq_is_no_integer_is_given_none(tmp_path, say):
    path = lay(tmp_path / "sessions.db", "UPDATE events SET seq = 2.5 WHERE seq = 4")
    _, (log,), _ = judged(say, path)
    assert next(found["place"]["row"]["seq"] for found in log["findings"]) is None
    assert "seq -1" not in say("validate", path)[1]


@pytest.mark.parametrize(
    ("set_", "code", "state"),
    [
        ("version = 1", "B201", "clean"),
        ("version = 'x'", "B201", "refused"),
        ("version = 5", "B201", "newer"),
        ("created_at = 'x'", None, "refused"),
        ("cwd = 5", None, "refused"),
        ("seed_length = 'x'", None, "refused"),
        ("seed_length = 10000", None, "refused"),
        ("delegation_depth = -1", None, "refused"),
        ("origin = 'x'", None, "refused"),
        ("parent_session = x'00'", None, "refused"),
    ],
)
def test_a_session_row_is_judged_as_a_header(set_, code, state, tmp_path, say):
    path = lay(tmp_path / "sessions.db", f"UPDATE sessions SET {set_}")
    status, (log,), _ = judged(say, path)
    if code is None:
        assert (status, log["state"]) == (1, "refused")
    else:
        assert (status, log["state"], code in codes(log)) == (int(state != "clean"), state, True)


def test_a_gap_in_rows_refuses_one_session_and_no_other(tmp_path, say, unchanged):
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, [log_named("session-a"), log_named("session-b")])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM events WHERE seq = 8 AND session_id = 'session-a'")
    same = unchanged(tmp_path)
    status, logs, _ = judged(say, path)
    assert (status, [log["state"] for log in logs]) == (1, ["refused", "clean"])
    assert codes(logs[0]) == ["E125"]
    words = say("validate", f"{path}#session-a")[1]
    assert "the turn/end in the row with seq 34 shows that this was committed" in words
    same()


def test_a_gap_behind_the_last_turn_is_a_torn_tail(tmp_path, say):
    opened = 'INSERT INTO events VALUES ("demo", {}, "turn/start", 0, \'{{"turn":3}}\', NULL, NULL, NULL)'
    path = lay(tmp_path / "sessions.db", opened.replace('"', "'").replace("'turn'", '"turn"').format(LAST + 3))
    status, (log,), _ = judged(say, path)
    assert (status, log["state"], log["events"]) == (0, "torn", LAST + 1)
    assert f"torn: from the row of events with seq {LAST + 3} on" in say("validate", path)[1]
    out = tmp_path / "session.jsonl"
    assert say("unpack", path, "-o", out)[0] == 0
    assert judged(say, out)[1][0]["state"] == "torn"


def test_numbers_beyond_64_bits_and_equal_seqs_are_no_crash(tmp_path, say):
    path = tmp_path / "sessions.db"
    with closing(dbbuilder.create(path, strict=False)) as connection:
        dbbuilder.add(connection, LOG)
        connection.execute("DROP TABLE events")
        connection.execute(
            "CREATE TABLE events(session_id, seq, type, time, data, source_event_seqs, surface_op, ignorable)"
        )
        for seq in (0, 0, 1e300, "0", None):
            row = ("demo", seq, "turn/start", 1, '{"turn":1}', None, None, None)
            connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    _, (log,), _ = judged(say, path)
    assert log["records"] == 5
    assert log["state"] in {"refused", "torn"}


# -- repair


def test_repair_never_calls_a_dropped_row_lossless(tmp_path, say, unchanged):
    store = tmp_path / "store"
    store.mkdir()
    path = lay(store / "sessions.db", f"UPDATE events SET data = '{{' WHERE seq = {LAST}")
    same = unchanged(store)
    status, out, _ = say("repair", "--json", path)
    plan = json.loads(out)
    assert (status, plan["loss"], plan["truncate_to"], plan["writable"]) == (0, "some", None, False)
    assert plan["lost"][0]["place"]["row"]["seq"] == LAST
    _, words, _ = say("repair", path)
    assert "--in-place" not in words
    assert f"row of events with seq {LAST}: this row goes" in words
    assert words.splitlines()[-1].startswith("next: dshlog repair --allow-loss --lost-found DIR -o NEW ")
    out = tmp_path / "out.jsonl"
    status, _, _ = say("repair", "--allow-loss", "--lost-found", tmp_path / "lost", "-o", out, path)
    assert status == 3
    assert judged(say, out)[1][0]["state"] == "clean"
    (lost,) = (tmp_path / "lost").iterdir()
    assert f"seq={LAST}" in json.loads(lost.read_text())["line"]
    same()


def test_a_sound_session_is_exported_not_repaired(tmp_path, say):
    path = lay(tmp_path / "sessions.db")
    _, words, _ = say("repair", path)
    assert words.splitlines()[-1] == f"next: dshlog unpack '{path}#demo' -o NEW   (the session as a log)"


def test_in_place_is_refused_for_a_database_and_passes_by_one_below_a_root(tmp_path, say, unchanged):
    crashed = (FIXTURES / "v0/open-raw/session.jsonl").read_bytes().splitlines()
    path = lay(tmp_path / "sessions.db", lines=crashed)
    same = unchanged(tmp_path)
    status, _, complaint = say("repair", "--in-place", path)
    assert (status, "never writes to" in complaint) == (2, True)
    status, words, _ = say("repair", "--in-place", tmp_path)
    assert (status, "which dshlog never writes to" in words) == (1, True)
    assert say("repair", "--relocate", "--in-place", tmp_path)[0] == 0
    status, _, complaint = say("migrate", "--in-store", path, "--session", "demo")
    assert (status, "stands in a database" in complaint) == (2, True)
    same()


# -- which session


def test_a_beginning_that_two_sessions_share_is_not_enough(tmp_path, say):
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, map(log_named, ("session-a", "session-a1", "session-b")))
    status, _, complaint = say("cat", path, "--session", "session-")
    assert status == 2
    assert "3 sessions begin with session-" in complaint
    assert "--session session-a1" in complaint
    for given, meant in (("session-a", "session-a"), ("session-a1", "session-a1"), ("session-b", "session-b")):
        assert json.loads(say("validate", "--format", "json", path, "--session", given)[1])["logs"][0]["id"] == meant
    for given in ("sessi", "other-session", ""):
        status, _, complaint = say("show", path, "--session", given)
        assert (status, f"no session {given}" in complaint or "no session" in complaint) == (2, True)
    status, out, _ = say("ls", "--json", path, "--session", "session-b")
    assert [row["id"] for row in json.loads(out)["rows"]] == ["session-b"]
    assert say("ls", f"{path}#session-c")[0] == 2
    assert say("ls", f"{path}#session-a")[0] == 0


def test_a_session_is_found_by_what_follows_session_in_its_id(tmp_path, say):
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, map(log_named, ("session-0123456789", "abcdef-session-012345")))
    assert json.loads(say("validate", "--format", "json", path, "--session", "012345")[1])["logs"][0]["id"] == (
        "session-0123456789"
    )


def test_the_beginning_of_an_id_stands_behind_the_sign_too(tmp_path, say):
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, map(log_named, ("session-a", "session-a1", "session-b")))
    assert json.loads(say("validate", "--format", "json", f"{path}#session-b")[1])["logs"][0]["id"] == "session-b"
    for words in (("cat",), ("show",), ("ls",), ("stats",), ("validate",), ("repair",), ("migrate", "--check")):
        assert say(*words, f"{path}#session-a")[0] != 2, words
        status, _, complaint = say(*words, f"{path}#session")
        assert (status, "3 sessions begin with session" in complaint) == (2, True), words
        assert say(*words, f"{path}#other-session")[0] == 2, words
    assert say("diff", f"{path}#session-b", f"{path}#session-")[0] == 2
    assert say("diff", f"{path}#session-a", f"{path}#session-a1")[0] == 1  # their ids


def test_what_the_upgrade_refuses_is_asked_of_all_sessions(tmp_path, say):
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, map(log_named, ("session-a", "session-a1", "session-b")))
    status, out, _ = say("migrate", "--check", path)
    assert (status, out.splitlines()[0]) == (0, "3 logs: 3 upgrade, 0 refused, 0 current")
    assert say("migrate", "-o", tmp_path / "out", path)[0] == 2
    assert say("migrate", "--check", f"{path}#session-b")[0] == 0


def test_standard_input_is_no_database(tmp_path):
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, [LOG])
    for words in (
        "validate -",
        "cat -",
        "show -",
        "repair -",
        "migrate --check -",
        "stats -",
        "validate --session demo12 -",
    ):
        with path.open("rb") as file:
            done = subprocess.run(
                [sys.executable, "-m", "dshlog", *words.split()], stdin=file, capture_output=True, check=False
            )
        assert (done.returncode, b"SQLite database" in done.stderr, done.stdout) == (2, True, b""), words
    done = subprocess.run(
        [sys.executable, "-m", "dshlog", "validate", "-"], input=b"SQLite form", capture_output=True, check=False
    )
    assert (done.returncode, b"not-a-log" in done.stdout) == (1, True)


def test_session_goes_with_a_database_alone(tmp_path, say):
    log = tmp_path / "session.jsonl"
    log.write_bytes(b"\n".join(LOG) + b"\n")
    for words in (["cat"], ["ls"], ["validate"], ["show"], ["repair"], ["stats"], ["unpack", "-o", tmp_path / "x"]):
        status, _, complaint = say(*words, log, "--session", "demo12")
        assert (status, "--session goes with a SQLite database" in complaint) == (2, True)


@pytest.mark.parametrize("id_", ["a/../b", "..", "a#b", "a\nb", "a b'c", "é", "-x"])
def test_an_id_may_be_any_text(id_, tmp_path, say):
    path = tmp_path / "sessions.db"
    dbbuilder.build(path, [log_named(id_)])
    status, (log,), _ = judged(say, path)
    assert (status, log["id"], log["path"]) == (0, id_, f"{path}#{id_}")
    assert say("cat", f"{path}#{id_}")[0] == 0
    out = tmp_path / "out.jsonl"
    assert say("unpack", path, "-o", out)[0] == 0
    assert say("pack", path, "-o", tmp_path / "packed.jsonl")[1].endswith(
        "each row of the session is a line of the log\n"
    )
    assert json.loads(out.read_bytes().splitlines()[0])["id"] == id_


def test_a_database_below_a_directory_is_found(tmp_path, say, unchanged):
    root = tmp_path / "home/sessions"
    (root / "--home-u-demo--/demo").mkdir(parents=True)
    (root / "--home-u-demo--/demo/session.jsonl").write_bytes(b"\n".join(LOG) + b"\n")
    lay(root / "store.db")
    lay(root / "--home-u-demo--/other.sqlite", "PRAGMA application_id = 7")
    (root / "notes.db").write_bytes(b"no database")
    same = unchanged(tmp_path)
    status, logs, store = judged(say, root)
    assert status == 0
    assert [Path(log["path"]).name for log in logs] == ["store.db#demo", "session.jsonl"]
    assert "B111" in store
    status, out, _ = say("ls", "--json", root)
    assert sorted(Path(row["path"]).name for row in json.loads(out)["rows"]) == ["session.jsonl", "store.db#demo"]
    same()


def test_many_jobs_say_what_one_says(tmp_path, say, unchanged):
    dbbuilder.build(tmp_path / "sessions.db", [log_named(f"session-{number}") for number in range(6)])
    lay(tmp_path / "broken.db", "UPDATE events SET data = 5 WHERE seq = 3")
    with_log_beside(tmp_path)
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(b"\n".join(LOG) + b"\n")
    same = unchanged(tmp_path)
    one = say("validate", "--format", "json", "--jobs", "1", tmp_path)
    assert say("validate", "--format", "json", "--jobs", "2", tmp_path) == one
    assert say("validate", "--verbose", "--jobs", "2", tmp_path)[0] == 1
    same()


# -- formats of CI


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A directory that CI checked out, with a database of two broken sessions in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("CI_PROJECT_DIR", str(tmp_path))
    (tmp_path / "data").mkdir()
    with closing(dbbuilder.create(tmp_path / "data/s.db", strict=False)) as connection:
        for id_ in ("one/../x", "two"):
            dbbuilder.add(connection, log_named(id_))
        connection.execute("UPDATE events SET data = 5 WHERE seq IN (3, 4)")
    return tmp_path / "data/s.db"


def test_sarif_names_the_file_and_the_row(checkout, say):
    results = json.loads(say("validate", "--format", "sarif", checkout)[1])["runs"][0]["results"]
    rows = [result for result in results if result["ruleId"] == "B202"]
    assert len(rows) == len({json.dumps(result["partialFingerprints"]) for result in rows}) == 4
    for result, id_ in zip(rows[::2], ("one/../x", "two"), strict=True):
        location = result["locations"][0]["physicalLocation"]
        assert location == {"artifactLocation": {"uri": "data/s.db"}}
        assert result["message"]["text"].startswith(f"session {id_}, row of events with seq 3: data is 5")
        assert (result["properties"]["session"], result["properties"]["rowSeq"]) == (id_, 3)
        assert not {"line", "textOffset"} & result["properties"].keys()


def test_junit_has_a_case_for_each_session(checkout, say):
    out = say("validate", "--format", "junit", checkout)[1]
    assert 'name="data/s.db#one/../x"' in out
    assert 'name="data/s.db#two"' in out
    assert "B202 row-cell-type: session two, row of events with seq 3: data is 5" in out


def test_annotations_name_the_file_and_the_row(checkout, say):
    out = say("validate", "--format", "github", checkout)[1]
    assert "::error file=data/s.db,title=B202 row-cell-type::session two, row of events with seq 3: data is 5" in out
    issues = json.loads(say("validate", "--format", "gitlab", checkout)[1])
    rows = [issue for issue in issues if issue["check_name"] == "B202"]
    assert {issue["location"]["path"] for issue in rows} == {"data/s.db"}
    assert len({issue["fingerprint"] for issue in rows}) == len(rows) == 4


def test_a_baseline_knows_the_findings_of_a_session(checkout, say):
    accepted = checkout.parent.parent / "accepted.json"
    assert say("validate", "--write-baseline", accepted, checkout)[0] in {0, 1}
    entries = json.loads(accepted.read_text())["findings"]
    known = [(entry["path"], entry["seq"]) for entry in entries if entry["code"] == "B202"]
    assert known == [(f"data/s.db#{id_}", seq) for id_ in ("one/../x", "two") for seq in (3, 4)]
    assert say("validate", "--baseline", accepted, checkout)[0] == 0
    with closing(sqlite3.connect(checkout, isolation_level=None)) as connection:
        connection.execute("UPDATE events SET data = '{}' WHERE seq = 3 AND session_id = 'two'")
    assert say("validate", "--baseline", accepted, checkout)[0] == 1

"""One SQLite database of dsh 0.1.0 or 0.1.1, opened so that nothing on the disk changes, whatever it holds.

What a hostile database asks for is bounded: no view, trigger, virtual table or generated column is run, no
function is called, and neither rows nor bytes nor steps may exceed what the size of the file explains.
"""
# ruff: noqa: PTH116

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from dshlog.codec.dbrows import EVENT, HEADER, Cells, Text
from dshlog.files.dbcopy import Beside, copied
from dshlog.files.dbkeys import Keys, compared, key_of
from dshlog.files.dbopen import STEPS, authorize, connect, damaged, settle
from dshlog.files.dbpath import cut
from dshlog.files.dbwords import ERRORS, code, words
from dshlog.files.unreadable import DamagedError
from dshlog.model.fault import Fault
from dshlog.storage.lines import MAX_LINE
from dshlog.storage.sqlitehead import APPLICATION, SCHEMAS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dshlog.codec.dbrows import Cell

_NEEDED = {
    "sessions": ("id", "version", "created_at"),
    "events": ("session_id", "type", "seq", "time", "data"),
}
_OTHERS = {
    "sessions": tuple(column for column, _ in HEADER if column not in _NEEDED["sessions"]),
    "events": tuple(column for column in EVENT if column not in _NEEDED["events"]),
}
_LEAST_STEPS = 10_000_000  # that every question may take
_STEPS_PER_BYTE = 8
_LEAST_BYTES = 1 << 20
_GENERATED = (2, 3)  # values of `hidden`
_OF_A_CUT = {"not-a-database", "database-damaged", "database-shape"}  # faults that pages which are gone explain
_ROWIDS = ("rowid", "_rowid_", "oid")


class Unread(NamedTuple):
    """A row of `events` that SQLite does not give out, and why; without a seq it is not known which one.

    `long` tells that nothing is wrong with it but that it is longer than what dshlog reads.
    """

    seq: Cell
    why: str
    long: bool = False


class Database:
    """An open database; `schema` is its version, `odd` what differs from the written schema without harm."""

    def __init__(self, path: str, found: Beside) -> None:
        """Open a database, or a private copy of it and of what lies `found` beside it.

        Raises:
            DamagedError: it is none of dsh's, or too damaged to be read.
            Unreadable: a copy is needed and cannot be made.
        """
        self._bytes = os.stat(path).st_size + found.wal + found.journal
        self._log_words = "which holds nothing of use" if found.wal else "which is missing or empty"
        self._given = 0
        self.odd: list[Fault] = []
        if found.copied:
            from shutil import rmtree
            from tempfile import mkdtemp

            directory = mkdtemp(prefix="dshlog-")
            try:
                own = copied(path, found, directory)
                settle(own, self._tick)
                self._open(own)
            finally:
                # An open file outlives its name, so nothing is left behind however this process ends.
                rmtree(directory, ignore_errors=True)
        else:
            self._open(path)

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    @property
    def size(self) -> int:
        """Give the bytes of the database and of what belongs to it."""
        return self._bytes

    # -- what it holds

    def sessions(self) -> Iterator[tuple[Cell, ...]]:
        """Yield the rows of `sessions` in the order of their ids, with the columns of `HEADER`.

        Raises:
            DamagedError: they cannot be read; what was given before is good.
        """
        held: list[tuple[Cell, ...]] = []
        failure: Exception | None = None
        try:
            held.extend(self._ask(f"SELECT {self._header()} FROM main.sessions NOT INDEXED"))  # noqa: S608
        except ERRORS as error:
            failure = error
        yield from sorted(held, key=lambda cells: _rank(cells[1]))
        if failure is not None:
            raise damaged(failure) from failure

    def session(self, id_: str) -> tuple[Cell, ...] | None:
        """Give the row of one session as `sessions` does; None when there is none.

        Raises:
            DamagedError: it cannot be read.
        """
        where = "WHERE id = ? COLLATE BINARY LIMIT 1"
        failure: Exception | None = None
        for source in ("main.sessions", "main.sessions NOT INDEXED"):  # an index that is damaged may hide it
            try:
                for cells in self._ask(f"SELECT {self._header()} FROM {source} {where}", (id_,)):  # noqa: S608
                    return cells
            except ERRORS as error:
                failure = error
        if failure is not None:
            raise damaged(failure) from failure
        return None

    def _header(self) -> str:
        return ", ".join(self._column("sessions", column) for column, _ in HEADER)

    def sizes(self) -> dict[Cell, int]:
        """Give the bytes of payload of each session, those of unknown ones too; nothing of a damaged table."""
        size = "sum(length(data))"  # characters of a text, which is near enough and quick
        try:
            rows = list(self._ask(f"SELECT session_id, {size} FROM main.events GROUP BY session_id COLLATE BINARY"))  # noqa: S608
        except ERRORS:
            return {}
        return {id_: held if isinstance(held, int) else 0 for id_, held in rows}

    def damage(self) -> Iterator[Fault]:
        """Yield what is damaged, although the rest can be read."""
        of_sessions = "" if self._ids is None else compared(self._ask, "sessions", ("id",), *self._ids)
        if self._cut:
            yield Fault("database-damaged", f"{self._cut}; what stands on them was read")
        for told in (self._keys.differ(), of_sessions):
            if told:
                yield Fault("database-damaged", f"{told}; rows were read from the table")

    def strangers(self) -> int:
        """Count the rows of `events` whose session has no row in `sessions`; 0 where that cannot be told."""
        known = "SELECT +id COLLATE BINARY FROM main.sessions NOT INDEXED WHERE +id IS NOT NULL"
        source = f"main.events{' NOT INDEXED' if self._keys.differ() else ''}"
        asked = f"SELECT count(*) FROM {source} WHERE session_id IS NULL OR session_id NOT IN ({known})"  # noqa: S608
        try:
            ((number,),) = self._ask(asked)
        except ERRORS:
            return 0
        return number if isinstance(number, int) else 0

    def rows(self, session: str) -> Iterator[Cells | Unread]:
        """Yield the rows of a session by seq; one that cannot be read does not stop those behind it."""
        names = ", ".join(self._column("events", column) for column in EVENT)
        order = "seq" if self._rowid is None else f"seq, {self._rowid}"
        last: tuple[object, ...] | None = None
        if not self._keys.differ():
            where = "FROM main.events WHERE session_id = ? COLLATE BINARY"
            try:
                for *cells, own in self._ask(
                    f"SELECT {names}, {self._rowid or 'seq'} {where} ORDER BY {order}", (session,)
                ):
                    last = (*_rank(cells[1]), *_rank(own))
                    yield Cells(*cells)
            except ERRORS:
                pass
            else:
                return
        yield from self._one_by_one(session, names, last)

    def _one_by_one(self, session: str, names: str, last: tuple[object, ...] | None) -> Iterator[Cells | Unread]:
        """Yield the rows behind the last one that was given, each asked for on its own."""
        rows, ended = self._keys.held(session)
        for own, seq in sorted(rows.items(), key=lambda pair: (*_rank(pair[1]), *_rank(pair[0]))):
            if last is not None and (*_rank(seq), *_rank(own)) <= last:
                continue
            try:
                yield from self._one(session, names, own, seq)
            except ERRORS as error:
                yield Unread(seq, words(error), code(error) == sqlite3.SQLITE_TOOBIG)
        if ended:
            yield Unread(None, ended)

    def _one(self, session: str, names: str, own: Cell, seq: Cell) -> Iterator[Cells | Unread]:
        """Yield one row, unless it is that of another session."""
        if self._rowid is None:
            where = "FROM main.events WHERE session_id = ? COLLATE BINARY AND seq = ?"
            rows = list(self._ask(f"SELECT {names}, session_id {where}", (session, own)))
        else:
            where = f"FROM main.events NOT INDEXED WHERE {self._rowid} = ?"
            rows = list(self._ask(f"SELECT {names}, session_id {where}", (own,)))
        if not rows:
            yield Unread(seq, "the index knows of it, and the table has no such row")
        for *cells, id_ in rows:
            if id_ == session.encode() or not self._known(id_):
                yield Cells(*cells)

    def _known(self, id_: Cell) -> bool:
        """Tell whether a session has a row."""
        asked = "SELECT 1 FROM main.sessions NOT INDEXED WHERE id IS ? COLLATE BINARY LIMIT 1"
        return any(self._ask(asked, (id_.decode("utf-8", "replace") if isinstance(id_, Text) else id_,)))

    # -- how it is asked

    def _open(self, path: str) -> None:
        """Ask what it is, and bound what it may do."""
        self._cut = cut(path)
        self._connection = connect(path)
        try:
            self._look()
        except DamagedError as error:
            self._connection.close()
            if self._cut and error.fault.name in _OF_A_CUT:
                raise DamagedError("database-damaged", f"{self._cut}; {error.fault.message}") from error
            raise
        except BaseException:
            self._connection.close()
            raise

    def _look(self) -> None:
        connection = self._connection
        connection.text_factory = Text
        try:
            if self._cut:  # else SQLite would not give out the pages that are there; nothing is written to them
                connection.execute("PRAGMA writable_schema = ON")
            for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
                connection.execute(f"PRAGMA {pragma}")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LINE)
            connection.set_progress_handler(self._tick, STEPS)
            application, version = (
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
            )
            (tables,) = connection.execute("SELECT count(*) FROM main.sqlite_master").fetchone()
            if not application and not tables:
                text = "it has no table and no application id: what was written was never brought into it from its -wal file"
                raise DamagedError("database-unfinished", f"{text}, {self._log_words}")
            self._recognise(application & 0xFFFFFFFF, version)
            self.schema: int = version
            self._columns = {table: self._table(table) for table in _NEEDED}
            indexes = {table: self._indexes(table) for table in _NEEDED}
            connection.set_authorizer(authorize)
            self._rowid = self._find_rowid("events")
            self._keys = Keys(self._ask, self._rowid, indexes["events"])
            rowid, key = self._find_rowid("sessions"), key_of(self._ask, "sessions", "id", indexes["sessions"])
            self._ids = None if rowid is None or key is None else (rowid, key)
        except ERRORS as error:
            raise damaged(error) from error

    def _recognise(self, application: int, version: int) -> None:
        if application != APPLICATION:
            text = f"its application id is {application:#x}, that of dsh is {APPLICATION:#x}: another program keeps it"
            raise DamagedError("database-foreign", text)
        if version in SCHEMAS:
            return
        known = "schema 15 (dsh 0.1.0) and 17 (dsh 0.1.1)"
        if version <= 0:
            raise DamagedError("database-unfinished", f"its schema version is {version}; this dshlog knows {known}")
        if version < SCHEMAS[-1]:
            known = f"no release that is known wrote it; this dshlog knows {known}"
            raise DamagedError("database-newer", f"its schema version is {version}: {known}")
        raise DamagedError("database-newer", f"its schema version is {version}; this dshlog knows {known}")

    def _table(self, name: str) -> frozenset[str]:
        """Give the columns of a table."""
        asked = "SELECT type, rootpage FROM main.sqlite_master WHERE lower(name) = ? AND type IN ('table', 'view')"
        found = self._connection.execute(asked, (name,)).fetchall()
        if not found:
            raise DamagedError("database-shape", f"it has no table {name}")
        kind, page = found[0]
        if kind != b"table" or not isinstance(page, int) or page <= 0:
            raise DamagedError("database-shape", f"{name} is no table with rows of its own")
        columns = {
            row[1].decode("utf-8", "replace").lower(): row[6]
            for row in self._connection.execute(f"PRAGMA main.table_xinfo({name})")
        }
        for column in (*_NEEDED[name], *_OTHERS[name]):
            if columns.get(column) in _GENERATED:
                raise DamagedError("database-shape", f"the column {name}.{column} is computed, not stored")
        gone = [column for column in _NEEDED[name] if column not in columns]
        if gone:
            raise DamagedError("database-shape", f"the table {name} has no column {gone[0]}")
        for column in _OTHERS[name]:
            if column not in columns:
                text = f"the table {name} has no column {column}, which is read as NULL"
                self.odd.append(Fault("database-column-missing", text))
        return frozenset(columns)

    def _indexes(self, table: str) -> list[str]:
        """Give the names of the indexes that SQLite made of the constraints of a table."""
        made = "SELECT name FROM main.sqlite_master WHERE type = 'index' AND lower(tbl_name) = ? AND sql IS NULL"
        names = [name for (name,) in self._connection.execute(made, (table,)) if isinstance(name, bytes)]
        return [name.decode("utf-8", "replace").replace('"', '""') for name in names]

    def _column(self, table: str, column: str) -> str:
        return column if column in self._columns[table] else f"NULL AS {column}"

    def _find_rowid(self, table: str) -> str | None:
        """Give the name by which rows of a table are asked for; None when they have none but their key."""
        for name in _ROWIDS:
            if name in self._columns[table]:
                continue
            try:
                self._connection.execute(f"SELECT {name} FROM main.{table} LIMIT 0")  # noqa: S608
            except sqlite3.OperationalError:
                return None
            return name
        return None

    def _ask(self, asked: str, values: Sequence[str | bytes | float | None] = ()) -> Iterator[tuple[Cell, ...]]:
        """Yield the rows of an answer, as long as there are no more than the file can hold."""
        self._given = 0
        rows = held = 0
        most = _LEAST_BYTES + 2 * self._bytes  # text that is stored as UTF-16 may grow by half
        with closing(self._connection.execute(asked, values)) as cursor:
            for row in cursor:
                rows += 1
                held += sum(len(cell) for cell in row if isinstance(cell, bytes))
                if held > most or rows > most:
                    raise sqlite3.DatabaseError("it gives more rows than its size can hold")
                yield row

    def _tick(self) -> int:
        self._given += STEPS
        return int(self._given > _LEAST_STEPS + _STEPS_PER_BYTE * self._bytes)


def _rank(cell: Cell) -> tuple[int, object]:
    """Give what sorts a cell as SQLite does."""
    if cell is None:
        return 0, 0
    if isinstance(cell, (int, float)):
        return 1, cell
    return (2 if isinstance(cell, Text) else 3), bytes(cell)

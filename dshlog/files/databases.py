"""Databases among the paths of a run: which file is one, which sessions it holds, and each of them as a log.

A session is named `FILE#ID`. Nothing of SQLite is loaded before a file was found to be a database.
"""
# ruff: noqa: PTH116 - paths are texts here

from __future__ import annotations

import os
from array import array
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from dshlog.codec.dbrows import Cells, Malformed, Text, event_line, header_line, lost_line, shown_id
from dshlog.files.dbcopy import Beside, beside, frames
from dshlog.files.dbpath import session_path, split
from dshlog.files.find import Found
from dshlog.files.lookup import PREFIX, SHORTEST
from dshlog.files.read import Seekable
from dshlog.files.unreadable import DamagedError, Unreadable, reason, shown
from dshlog.model.fault import Fault
from dshlog.rules.register import BY_NAME
from dshlog.storage.lines import MAX_LINE
from dshlog.storage.source import NO_SEQ, WINDOW, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.codec.dbrows import Cell
    from dshlog.files.database import Database, Unread

IN_MEMORY = 4 << 20  # bytes of the text of a session that are kept in memory before a temporary file takes over
MOST_TEXT = 1 << 30  # bytes of the text of one session, or
TEXT_FACTOR = 64  # times the size of the database, if that is more
MOST_FAULTS = 1 << 10  # rows of one session whose fault is kept
MOST_NAMED = 5  # ids that are shown of those that cannot be asked for
LARGEST_SEQ = 1 << 63

_Key = tuple[int, str, Beside, tuple[int, ...]]  # process, file, what lies beside it, its state

_RETIRED = Fault("database-retired", "dsh from 0.1.2 on reads no database: its sessions are in no list")
_FOREIGN = frozenset({"database-foreign", "not-a-database"})


class Session(Seekable):
    """One session of a database as the text of a raw log, made row by row when it is opened."""

    def __init__(self, file: IO[bytes], size: int, path: str, rows: Rows) -> None:
        super().__init__(file, size, path)
        self.rows = rows


class Databases:
    """The databases of one run; the one that was asked last stays open.

    `remarks` are what there is to say about each as a whole and refuses nothing, by its path.
    """

    def __init__(self) -> None:
        self.remarks: dict[str, list[Fault]] = {}
        self._held: tuple[_Key, Database] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as what has not opened anything yet."""
        return Databases, ()

    def expand(self, path: str, *, asked: bool) -> Iterator[Found]:
        """Yield the sessions of a database, or why there are none; one of another program only when it was asked for."""
        try:
            for id_, _ in self._sessions(path):
                yield Found(path=session_path(path, id_), database=path)
        except DamagedError as error:
            fault = error.fault
            if asked or fault.name not in _FOREIGN:
                yield Found(
                    path=path,
                    kind="database",
                    database=path,
                    fault=fault,
                    note=fault.message,
                    hints=(explained(fault),),
                )
        except Unreadable as error:
            yield Found(path=path, kind="unreadable", database=path, note=error.why, hints=error.hints)

    def look(self, path: str) -> None:
        """Learn what there is to say about a database; that it cannot be read is told by whoever reads it."""
        with suppress(DamagedError, Unreadable):
            self._open(path)

    def headers(self, path: str, *, asked: bool) -> Iterator[tuple[str, int | None, bytes, str | None]]:
        """Yield (path, bytes of payload, header line, problem) of each session."""
        try:
            sizes = self._open(path).sizes()
            for id_, cells in self._sessions(path):
                yield session_path(path, id_), sizes.get(id_.encode(), 0), header_line(cells)[0], None
        except DamagedError as error:
            if asked or error.fault.name not in _FOREIGN:
                yield path, os.stat(path).st_size, b"", error.fault.message
        except Unreadable as error:
            yield path, None, b"", error.why

    def named(self, path: str, text: str) -> list[str]:
        """Give the ids of a database that are a text, else those that begin with it, with or without their `session-`.

        Raises:
            Unreadable: it has no sessions that can be read.
        """
        try:
            ids = [id_ for id_, _ in self._sessions(path)]
        except DamagedError as error:
            raise _unreadable(path, error.fault) from error
        if text in ids:
            return [text]
        if len(text) < SHORTEST:
            return []
        return [id_ for id_ in ids if id_.startswith(text) or id_.removeprefix(PREFIX).startswith(text)]

    def source(self, path: str) -> Session | None:
        """Open a session by its path; None when the path names none.

        Raises:
            Unreadable: the database or the session cannot be read.
        """
        parts = split(path)
        if parts is None:
            return None
        file, id_ = parts
        try:
            database = self._open(file)
            cells = database.session(id_)
            if cells is not None:
                return _text(database, path, file, id_, cells)
        except DamagedError as error:
            raise _unreadable(file, error.fault) from error
        why = "the database has no such session"
        raise Unreadable(f"cannot read {shown(path)}: {why}", (f"dshlog ls {shown(file)}",), why=why)

    def close(self) -> None:
        """Close what is open."""
        if self._held is not None:
            self._held[1].close()
            self._held = None

    def _open(self, path: str) -> Database:
        """Open a database, or give the open one when nothing has changed since."""
        try:
            real = os.path.realpath(path)
            found = beside(real)
            seen = _state(real)
        except OSError as error:
            raise Unreadable(f"cannot read {shown(path)}: {reason(error)}", why=reason(error)) from error
        key = (os.getpid(), real, found, seen)
        if self._held is not None and self._held[0] == key:
            return self._held[1]
        database = _reader(path)(real, found)
        if self._held is not None and self._held[0][0] == key[0]:  # one of another process is not ours to close
            self.close()
        self._held = key, database
        self.remarks[path] = [
            _RETIRED,
            *_beside_words(real, found),
            *database.damage(),
            *database.odd,
            *_stranger_words(database),
        ]
        return database

    def _sessions(self, path: str) -> Iterator[tuple[str, tuple[Cell, ...]]]:
        """Yield the id and the row of each session that can be named; the others are remarked upon."""
        nameless: list[str] = []
        number = 0
        last: str | None = None
        database = self._open(path)
        for cells in database.sessions():
            id_ = _name(cells[1])
            if id_ is None or id_ == last:
                number += 1
                nameless += [shown_id(cells[1])] if len(nameless) < MOST_NAMED else []
                continue
            last = id_
            yield id_, cells
        if number:
            rows = "1 row" if number == 1 else f"{number} rows"
            more = f" and {number - len(nameless)} more" if number > len(nameless) else ""
            text = f"{rows} of sessions cannot be asked for: the id is no text, or stands twice: {', '.join(nameless)}{more}"
            self._remark(path, (Fault("database-session-nameless", text),))

    def _remark(self, path: str, faults: Iterable[Fault]) -> None:
        """Keep what there is to say, once."""
        told = self.remarks.setdefault(path, [])
        known = {fault.message for fault in told}
        told += [fault for fault in faults if fault.message not in known]


def _reader(path: str) -> type[Database]:
    try:
        from dshlog.files.database import Database
    except ImportError as error:
        why = "it is a SQLite database, and this Python has no module sqlite3"
        hint = "use a Python that was built with SQLite"
        raise Unreadable(f"cannot read {shown(path)}: {why}", (hint,), why=why) from error
    return Database


def _name(cell: Cell) -> str | None:
    if not isinstance(cell, Text):
        return None
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return None


def _unreadable(path: str, fault: Fault) -> Unreadable:
    return Unreadable(f"cannot read {shown(path)}: {fault.message}", (explained(fault),), why=fault.message)


def explained(fault: Fault) -> str:
    """Give the command that explains why a database cannot be read."""
    return f"dshlog explain {BY_NAME[fault.name].code}"


def _state(path: str) -> tuple[int, ...]:
    seen = os.stat(path)
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns


def _beside_words(path: str, found: Beside) -> Iterator[Fault]:
    log = frames(path, found)
    if log is not None and not log.whole:
        text = f"the -wal file of {found.wal} bytes beside it is damaged in its header: nothing of it could be read"
        yield Fault("database-damaged", text)
    elif log is not None and log.counted < log.present:
        stop = (
            f"{log.counted} of the {log.present} frames of the write-ahead log beside it count, and were read with it"
        )
        if log.lost:
            text = f"{stop}; one behind them is damaged, and what was written from there on is lost"
            yield Fault("database-damaged", text)
        else:
            yield Fault("database-wal", f"{stop}; those behind them are no whole transaction")
    elif found.wal:
        text = f"a write-ahead log of {found.wal} bytes lies beside it; both were read together, in a private copy"
        yield Fault("database-wal", text)
    if found.journal and found.foreign:
        text = "a journal of a transaction over several databases lies beside it; what it would take back was read as it is"
        yield Fault("database-hot-journal", text)
    elif found.journal:
        text = "a hot journal lies beside it: a writer died; its transaction was taken back, in a private copy"
        yield Fault("database-hot-journal", text)


def _stranger_words(database: Database) -> Iterator[Fault]:
    number = database.strangers()
    if number:
        rows = "1 row" if number == 1 else f"{number} rows"
        yield Fault("database-rows-without-session", f"{rows} of events belong to no session of the table sessions")


# -- the text of a session


def _text(database: Database, path: str, file: str, id_: str, cells: tuple[Cell, ...]) -> Session:
    from tempfile import SpooledTemporaryFile

    spool = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the source closes it
    try:
        before = _state(os.path.realpath(file))
        rows = Rows(file, id_, array("q"))
        header, fault = header_line(cells)
        if fault is not None:
            rows.faults[1] = fault
        size = _fill(spool, header, database, rows)
        rows.changed = _state(os.path.realpath(file)) != before
    except OSError as error:
        spool.close()
        why = f"its text cannot be kept in a temporary file: {reason(error)}"
        hint = "set TMPDIR to a directory with room"
        raise Unreadable(f"cannot read {shown(path)}: {why}", (hint,), why=why) from error
    except BaseException:
        spool.close()
        raise
    return Session(spool, size, shown(path), rows)


def _fill(spool: IO[bytes], header: bytes, database: Database, rows: Rows) -> int:
    """Write the text of a session and count its bytes."""
    most = max(MOST_TEXT, TEXT_FACTOR * database.size)
    size = held = 0
    waiting = [header]
    for row in database.rows(rows.session):
        line, fault = _line(row, database.schema)
        full = size + held + len(line) > most
        if full:
            fault = Fault("line-too-long", f"dshlog does not read more than {most} bytes of text of one session")
            line = b"!!! not read\n"
        seq = row.seq
        rows.seqs.append(seq if isinstance(seq, int) and abs(seq) < LARGEST_SEQ else NO_SEQ)
        if fault is not None and len(rows.faults) < MOST_FAULTS:
            rows.faults[len(rows.seqs) + 1] = fault
        waiting.append(line)
        held += len(line)
        if held > WINDOW:
            size += spool.write(b"".join(waiting))
            waiting, held = [], 0
        if full:
            break
    return size + spool.write(b"".join(waiting))


def _line(row: Cells | Unread, schema: int) -> tuple[bytes, Fault | None]:
    if not isinstance(row, Cells):
        fault = Fault("row-unreadable", f"SQLite cannot read the row: {row.why}")
        if row.long:
            fault = Fault("line-too-long", f"dshlog does not read this row: it has more than {MAX_LINE} bytes")
        empty = Cells(None, row.seq, None, None, None, None, None)
        return lost_line(empty, fault.message), fault
    try:
        return event_line(row, schema), None
    except Malformed as error:
        return lost_line(row, error.fault.message), error.fault

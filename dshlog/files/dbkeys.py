"""Whether the key of `events` and its table tell of the same rows; where they do not, the rows of both.

SQLite searches a session in the key. A key that is damaged hides rows without a word, though the table holds them.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from dshlog.codec.dbrows import Text
from dshlog.files.dbwords import ERRORS, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dshlog.codec.dbrows import Cell

    Ask = Callable[..., Iterator[tuple[Cell, ...]]]  # a question and its values

_OF = "WHERE session_id = ? COLLATE BINARY"
_TABLE = "main.events NOT INDEXED"
_KEY = ("session_id", "seq")


class Held(NamedTuple):
    """Where the rows of a session lie: rowid and seq of each, and why there may be more."""

    rows: dict[Cell, Cell]
    ended: str


class _Places:
    """Rowid and seq of the rows of every session; `ended` says why there may be more."""

    def __init__(self) -> None:
        self.ended = ""
        self._at: dict[Cell, tuple[array[int], array[int]]] = {}
        self._odd: dict[int, Cell] = {}  # seqs that are no integers

    def collect(self, rows: Iterator[tuple[Cell, ...]]) -> None:
        """Take rows of session, seq and rowid."""
        try:
            for session, seq, own in rows:
                if not isinstance(own, int):
                    continue
                owns, seqs = self._at.setdefault(session, (array("q"), array("q")))
                owns.append(own)
                seqs.append(seq if isinstance(seq, int) else 0)
                if not isinstance(seq, int):
                    self._odd[own] = seq
        except ERRORS as error:
            self.ended = words(error)

    def of(self, session: Cell) -> dict[Cell, Cell]:
        """Give rowid and seq of the rows of a session."""
        owns, seqs = self._at.get(session, ((), ()))
        return {own: self._odd.get(own, seq) for own, seq in zip(owns, seqs, strict=True)}


class Keys:
    """The rows of `events` by their key and by their table."""

    def __init__(self, ask: Ask, rowid: str | None, indexes: Sequence[str]) -> None:
        """Take what asks the database, what a row is asked for by, and the names of the indexes that may be the key."""
        self._ask, self._rowid = ask, rowid
        self._key: str | None = None
        if rowid is not None:
            self._key = key_of(ask, "events", "session_id", indexes)
        self._told: str | None = None
        self._both: tuple[_Places, _Places] | None = None

    def differ(self) -> str:
        """Say in which way key and table do not agree; nothing when each row of the one is in the other."""
        if self._told is None:
            self._told = "" if self._key is None else compared(self._ask, "events", _KEY, self._rowid, self._key)
        return self._told

    def held(self, session: str) -> Held:
        """Give where the rows of a session lie, as the table has it, and what the key alone knows."""
        if self._rowid is None:  # the key is the table
            return self._seqs(session)
        if self._both is None:
            self._both = self._collected()
        table, key = self._both
        id_ = Text(session.encode())
        rows = table.of(id_)
        seqs = set(rows.values())
        # A damaged entry names a row that is not there, or one that the table has given already.
        rows.update((own, seq) for own, seq in key.of(id_).items() if own not in rows and seq not in seqs)
        return Held(rows, table.ended if self._key is None or key.ended else "")

    def _collected(self) -> tuple[_Places, _Places]:
        """Walk through table and key, and through the table on both sides of a page that is damaged."""
        table, key = _Places(), _Places()
        asked = f"SELECT session_id, seq, {self._rowid} FROM"
        table.collect(self._ask(f"{asked} {_TABLE} ORDER BY {self._rowid}"))
        if table.ended:
            table.collect(self._ask(f"{asked} {_TABLE} ORDER BY {self._rowid} DESC"))
        if self._key is not None:
            key.collect(self._ask(f"{asked} {self._key}"))
        return table, key

    def _seqs(self, session: str) -> Held:
        seqs: dict[Cell, Cell] = {}
        try:
            seqs.update((seq, seq) for (seq,) in self._ask(f"SELECT seq FROM main.events {_OF}", (session,)))  # noqa: S608
        except ERRORS as error:
            return Held(seqs, words(error))
        return Held(seqs, "")


def key_of(ask: Ask, table: str, column: str, indexes: Sequence[str]) -> str | None:
    """Give the table by that one of its indexes in which a column is searched; None when it has none."""
    for name in indexes:
        source = f'main.{table} INDEXED BY "{name}"'
        try:
            list(ask(f"SELECT {column} FROM {source} WHERE {column} = ? COLLATE BINARY LIMIT 0", ("",)))  # noqa: S608
        except ERRORS:
            continue
        return source
    return None


def compared(ask: Ask, table: str, columns: Sequence[str], rowid: str | None, key: str) -> str:
    """Look each row of a table up in its key and count both; say in which way they do not agree."""
    same = " AND ".join(f"k.{column} IS t.{column} COLLATE BINARY" for column in columns)
    found = f"SELECT 1 FROM {key.replace(' INDEXED', ' AS k INDEXED')} WHERE {same} AND k.{rowid} = t.{rowid}"  # noqa: S608
    try:
        ((rows, lost),) = ask(f"SELECT count(*), sum(NOT EXISTS ({found})) FROM main.{table} AS t NOT INDEXED")  # noqa: S608
        ((keys,),) = ask(f"SELECT sum(1) FROM {key}")  # noqa: S608
    except ERRORS as error:
        return f"not all pages of {table} can be read: {words(error)}"
    if not lost and (keys or 0) == rows:
        return ""
    told = f"it has {_number(keys)} entries, and {_number(lost)} of {_number(rows)} rows are not found by it"
    return f"the index of {table} is damaged: {told}"


def _number(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0

"""A record that one byte broke: the one change near the place where its JSON breaks that makes it a record again."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.codec.header import header_faults, read_version
from dshlog.model.fault import Fault
from dshlog.model.vocabulary import LATEST
from dshlog.repair.plan import NOTHING
from dshlog.repair.remedies.case import edit
from dshlog.repair.remedies.misspelt import respelt
from dshlog.storage.jsontext import NotJSON, dumps, loads, parse, quick, same
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case

    Row = dict[str, Any]

_MARKS = (b'"', b",", b":", b"}", b"]", b"{", b"[")
_STANDING = frozenset(b'",:}]{[ \t\r')  # never a damaged digit: a byte that a writer of JSON puts there
_DIGITS = b"0123456789"
_BEFORE, _BEHIND = (b":", b",", b"["), (b",", b"}", b"]")  # around a value
_WORDS = (b"true", b"false", b"null")
_NUMBERS = (b"-Infinity", b"Infinity", b"NaN")
_NEAR = 3  # bytes before the place where the JSON breaks at which one byte may be wrong
_MOST = 1 << 24  # bytes of a line that is tried with one byte changed
_EXACT = 1 << 16  # bytes of one that is read exactly each time: half pairs and bytes that are not UTF-8
_CONTROL = "control character in a string"
_ENDLESS = "string without an end"
_LONGEST = 64  # signs behind the end of a string that are looked at
_QUOTE = 0x22
_ESCAPE = "bad escape in a string"
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_STRING = re.compile(rb'"[^"]*+"')
_PAIRS = (b"{", b"}"), (b"[", b"]")
_SIGN = "\ufffd".encode()


class _Try(NamedTuple):
    """Bytes that stand in place of those from `start` to `end`, what is done in words, and what that loses."""

    start: int
    end: int
    mark: bytes
    what: str
    loss: str = NOTHING


def one_byte(case: Case) -> Action | None:
    """Put right a record in which one byte is too many, missing or another one, when only one reading makes sense.

    A byte too many or too few comes before another one, and what loses nothing before what does.
    """
    text = case.line.text.removesuffix(b"\n")
    if isinstance(text, Overlong) or not 0 < len(text) <= _MOST:
        return None
    try:
        loads(text)
    except NotJSON as error:
        ways = _ways(text, error)
    else:
        return None
    balance = _Balance(text)
    for way in ways:
        found = _readings(case, text, (one for one in way if balance.met(text[one.start : one.end], one.mark)))
        if len(found) > 1:
            found = [one for one in found if _passes(case, one[1])]
            if len(found) != 1:
                return None
        if found:
            tried, row = _told_apart(case, text, *found[0])
            named = respelt(case, row) if tried.mark == _SIGN else None
            if named is not None:
                row, _, meant = named
                tried = tried._replace(what=f"a byte in the name of {meant} comes back", loss=NOTHING)
            done = case.done("edit", f"{tried.what}, which makes it a record again", loss=tried.loss)
            edit(case.sheet, case.index, row)
            return done
    return None


def _told_apart(case: Case, text: bytes, tried: _Try, row: Row) -> tuple[_Try, Row]:
    """Give the reading of a sign that is missing, or that of a byte beside it that was the sign, if that alone is sound.

    Where both are and the byte is the sign but for one bit, all that stands there stays, and it is said that nobody knows.
    """
    for place in (tried.start - 1, tried.start) if tried.start == tried.end else ():
        if not 0 <= place < len(text):
            continue
        for other, meant in _readings(case, text, _put(text, place, place + 1, tried.mark)):
            if not _passes(case, meant):
                continue
            if not _passes(case, row):
                return other, meant
            if (text[place] ^ tried.mark[0]).bit_count() == 1:
                gone = _shown(text[place : place + 1])
                return tried._replace(loss=f"whether {gone} belongs to it or was this {tried.mark.decode()}"), row
    return tried, row


class _Balance:
    """What a text has too many or too few of, so that most changes need not be tried on a long one."""

    def __init__(self, text: bytes) -> None:
        bare = _ESCAPED.sub(b"", text)
        self._quote = bare.count(b'"') % 2 == 1
        bare = _STRING.sub(b"", bare)
        self._open = [bare.count(first) - bare.count(last) for first, last in _PAIRS]

    def met(self, gone: bytes, mark: bytes) -> bool:
        """Tell whether every string and every bracket may end once some bytes stand in place of others."""
        if b"\\" in gone + mark:
            return True  # it decides which quotes are some
        if self._quote:
            return gone.count(b'"') != mark.count(b'"')
        change = [mark.count(first) - mark.count(last) - gone.count(first) + gone.count(last) for first, last in _PAIRS]
        return [had + more for had, more in zip(self._open, change, strict=True)] == [0, 0]


def _ways(text: bytes, error: NotJSON) -> tuple[Iterator[_Try], ...]:
    """Give what is tried, one way after the other, for the reason why the text is no JSON."""
    at = error.at
    if error.reason == _CONTROL:
        return _put(text, at, at + 1, b'"'), _sign(text, at, at + 1), _put(text, at, at + 1, b"\\")
    if error.reason == _ESCAPE:
        start = text.rfind(b"\\", 0, at + 1)
        return (_sign(text, start, start + 2),) if start >= 0 else ()
    behind = _behind_string(text, len(text) if error.reason == _ENDLESS else at - 1)
    return chain(_more_or_less(text, at), _ends(text, behind)), chain(_others(text, at), _ended(text, behind))


def _behind_string(text: bytes, end: int) -> range:
    """Give where a string may end that runs on into the signs behind it: those signs, up to the quote that ends it now."""
    start = end
    while start > max(0, end - _LONGEST) and text[start - 1] in _STANDING and text[start - 1] != _QUOTE:
        start -= 1
    return range(start, end)


def _ends(text: bytes, places: range) -> Iterator[_Try]:
    """Yield the texts in which the string ends before one of some signs."""
    for place in places:
        if text[place] != _QUOTE:
            yield _Try(place, place, b'"', 'a missing " comes')


def _ended(text: bytes, places: range) -> Iterator[_Try]:
    """Yield the texts in which the string ends in place of one of some signs, or of the byte before them."""
    for place in range(max(0, places.start - 1), places.stop):
        yield from _put(text, place, place + 1, b'"')


def _more_or_less(text: bytes, at: int) -> Iterator[_Try]:
    """Yield the texts with one byte less or more; a byte that may have been a digit is one digit too."""
    for place in range(max(0, at - _NEAR), min(len(text), at + 1)):
        gone = text[place : place + 1]
        yield _Try(place, place + 1, b"", f"a stray {_shown(gone)} goes")
        if text[place] not in _STANDING and _in_number(text, place):
            for digit in _DIGITS:
                yield from _put(text, place, place + 1, bytes([digit]))
    for place in range(max(0, at - _NEAR), min(len(text), at) + 1):
        for mark in _MARKS:
            yield _Try(place, place, mark, f"a missing {mark.decode()} comes")
    for name in _NUMBERS:
        start = text.rfind(name, max(0, at - len(name)), at + len(name))
        if start >= 0:
            yield _Try(start, start + len(name), b"null", f"{name.decode()} becomes null")


def _others(text: bytes, at: int) -> Iterator[_Try]:
    """Yield the texts with another byte in place of one."""
    for place in range(max(0, at - _NEAR), min(len(text), at + 1)):
        for mark in _MARKS:
            if text[place : place + 1] != mark:
                yield from _put(text, place, place + 1, mark)
    for word in _WORDS:
        held = text[at : at + len(word)]
        if len(held) == len(word) and sum(a != b for a, b in zip(held, word, strict=True)) == 1:
            yield from _put(text, at, at + len(word), word)


def _put(text: bytes, start: int, end: int, mark: bytes) -> Iterator[_Try]:
    yield _Try(start, end, mark, f"{mark.decode()} comes in place of {_shown(text[start:end])}")


def _sign(text: bytes, start: int, end: int) -> Iterator[_Try]:
    """Yield the text with U+FFFD for what stands in a string and cannot stand there."""
    gone = _shown(text[start:end])
    what = f"{gone} in a text, which no string can hold, becomes U+FFFD"
    yield _Try(start, end, _SIGN, what, f"what {gone} once was")


def _in_number(text: bytes, place: int) -> bool:
    """Tell whether a byte stands beside a digit, or alone where a value stands."""
    before, behind = text[place - 1 : place], text[place + 1 : place + 2]
    beside = any(byte in _DIGITS for byte in before + behind)
    return beside or (before in _BEFORE and behind in _BEHIND)


def _shown(held: bytes) -> str:
    if held.isascii() and held.decode().isprintable():
        return held.decode()
    return f"byte 0x{held[0]:02x}" if len(held) == 1 else "bytes 0x" + held.hex()


def _readings(case: Case, text: bytes, way: Iterable[_Try]) -> list[tuple[_Try, Row]]:
    """Give each record that a way leads to once."""
    found: list[tuple[_Try, Row]] = []
    for tried in way:
        row = _record(text[: tried.start] + tried.mark + text[tried.end :], case)
        if row is not None and not any(same(row, other) for _, other in found):
            found.append((tried, row))
    return found


def _record(text: bytes, case: Case) -> Row | None:
    """Give the record that a text is, when it fits the place."""
    value = quick(text)
    try:
        if value is None and len(text) <= _EXACT:
            value = parse(text, told=False)
        if type(value) is not dict or not (_fits(value, case) or _named(value, case)):
            return None
        value = loads(text)
    except NotJSON:
        return None
    return value if type(value) is dict else None


def _fits(row: Row, case: Case) -> bool:
    if not case.index:
        return _is_header(row)
    return is_envelope(row) and row.get("seq", row.get("seq0")) == case.position


def _named(row: Row, case: Case) -> bool:
    """Tell whether a record fits once a member has its name again in which a byte could not be read."""
    named = respelt(case, row) if any(_SIGN.decode() in name for name in row) else None
    return named is not None and _fits(named[0], case)


def is_envelope(row: Row) -> bool:
    """Tell whether an object has what each event has."""
    return {"type", "seq", "time", "data"} <= row.keys() or {"type", "seq0", "time0", "data"} <= row.keys()


def _is_header(row: Row) -> bool:
    """Tell whether an object is the header of a log that some build reads."""
    version = read_version(row) if row.get("type") == "session" else None
    if version is None or isinstance(version, Fault):
        return False
    return version <= LATEST and not header_faults(row, version)


def _passes(case: Case, row: Row) -> bool:
    """Tell whether a record is sound where it stands."""
    if not case.index:
        return True
    judge = case.mark.judge()
    before = sum(draft.fatal for draft in judge.drafts)
    judge.feed([dumps(row) + b"\n"], 0, 0)
    return sum(draft.fatal for draft in judge.drafts) == before

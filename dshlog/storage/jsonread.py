"""JSON text to values by a reader of any depth, exactly as JavaScript reads it."""

from __future__ import annotations

from codecs import utf_8_decode
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from dshlog.storage.jsonwrite import MAX_SAFE

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match

BLOCK = 1 << 16  # bytes; one step of the search for the place of a fault
SHORT = 15  # characters; an integer literal this short is always safe
WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}
STRING_FAULTS = {
    "Unterminated": "string without an end",
    "Invalid control": "control character in a string",
    "Invalid ": "bad escape in a string",
}


class NotJSON(ValueError):  # noqa: N818  (it names what the line is, and callers read it as a verdict)
    """The line is not JSON to JavaScript.

    `at` is the 0-based byte of the fault in the line as it stands on disk; the length of the line when
    something is missing at its end. `reason` is short, lower case, and quotes nothing of the line.
    """

    def __init__(self, at: int, reason: str) -> None:
        """Name a fault at byte `at`."""
        super().__init__(at, reason)
        self.at = at
        self.reason = reason

    def __str__(self) -> str:
        """Give the reason and the place."""
        return f"{self.reason} at byte {self.at}"


def integer(digits: str) -> int | float:
    """Give the value of an integer literal; `float` has no limit of digits and takes linear time."""
    if len(digits) <= SHORT:
        return int(digits) if digits != "-0" else -0.0
    double = float(digits)
    return int(double) if abs(double) <= MAX_SAFE else double


class Reader:
    """A JSON reader that keeps its own stack: depth is bounded by the line and not by the interpreter."""

    def __init__(self, line: bytes, text: str) -> None:
        """Take a line and its decoded text; the line is only asked for places."""
        self._line = line
        self._text = text
        self._at = 0  # characters
        self._open: list[list[object] | dict[str, object]] = []  # outermost first
        self._names: list[str] = []  # the pending member of each open object, outermost first
        self._known: dict[str, str] = {}  # one string for each name, however often it occurs
        self._scan_string, self._scan_number = _tools()

    def read(self) -> object:
        """Give the one value of the text."""
        while True:
            char = self._next()
            if char == "[":
                self._at += 1
                if self._next() != "]":
                    self._open.append([])
                    continue
                self._at += 1
                value: object = []
            elif char == "{":
                self._at += 1
                if self._next() != "}":
                    self._open.append({})
                    self._name()
                    continue
                self._at += 1
                value = {}
            else:
                value = self._scalar(char)
            value = self._close(value)
            if not self._open:
                return value

    def _next(self) -> str:
        """Skip white space and give the character there; an empty string at the end."""
        text, at = self._text, self._at
        char = text[at : at + 1]
        while char and char in " \n\r\t":
            at += 1
            char = text[at : at + 1]
        self._at = at
        return char

    def _close(self, value: object) -> object:
        """Put a whole value where it belongs and close what ends behind it.

        Gives the outermost value when that is what has been closed; otherwise the reader stands where
        the next value begins.
        """
        while self._open:
            top = self._open[-1]
            char = self._next()
            if isinstance(top, list):
                top.append(value)
                if char == ",":
                    self._at += 1
                    return None
                if char != "]":
                    self._fail("expected a comma or the end of an array")
            else:
                top[self._names.pop()] = value
                if char == ",":
                    self._at += 1
                    self._name()
                    return None
                if char != "}":
                    self._fail("expected a comma or the end of an object")
            self._at += 1
            value = self._open.pop()
        if self._next():
            self._fail("text after the value")
        return value

    def _name(self) -> None:
        """Read a member name and its colon."""
        char = self._next()
        if char != '"':
            held = self._open[-1]
            self._fail("comma before the end of an object" if char == "}" and held else "expected a member name")
        name = self._string()
        self._names.append(self._known.setdefault(name, name))
        if self._next() != ":":
            self._fail("expected a colon")
        self._at += 1

    def _scalar(self, char: str) -> object:
        if char == '"':
            return self._string()
        found = self._scan_number(self._text, self._at)
        if found:
            self._at = found.end()
            return float(found[0]) if found[2] else integer(found[1])
        word, value = WORDS.get(char, ("", None))
        if word and self._text.startswith(word, self._at):
            self._at += len(word)
            return value
        if char == "]" and self._open and isinstance(self._open[-1], list):
            self._fail("comma before the end of an array")
        return self._fail("byte order mark" if char == "\ufeff" else "expected a value")

    def _string(self) -> str:
        try:
            value, self._at = self._scan_string(self._text, self._at + 1)
        except ValueError as fault:
            message = str(fault)
            self._at = getattr(fault, "pos", self._at)
            faults = (reason for start, reason in STRING_FAULTS.items() if message.startswith(start))
            self._fail(next(faults, "fault in a string"))
        return value

    def _fail(self, reason: str) -> NoReturn:
        if self._at >= len(self._text):
            raise NotJSON(len(self._line), "no value" if not self._text.strip(" \n\r\t") else "unexpected end")
        raise NotJSON(_byte_of(self._line, self._at), reason)


def _byte_of(line: bytes, char: int) -> int:
    """Give the byte at which a character of the decoded line begins."""
    start = 0
    while True:
        text, used = utf_8_decode(line[start : start + BLOCK], "replace", False)  # noqa: FBT003  (C signature)
        if len(text) > char or not used:
            break
        char -= len(text)
        start += used
    low, high = 0, min(BLOCK, len(line) - start)
    while low < high:  # the shortest prefix that decodes to more than `char` characters
        middle = (low + high) // 2
        if len(line[start : start + middle].decode("utf-8", "replace")) > char:
            high = middle
        else:
            low = middle + 1
    return start + max(low - 1, 0)


@cache
def _tools() -> tuple[Callable[[str, int], tuple[str, int]], Callable[[str, int], Match[str] | None]]:
    import re  # only refused lines come here
    from json.decoder import scanstring  # type: ignore[attr-defined]

    number = re.compile(r"(-?(?:0|[1-9][0-9]*))((?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)")
    return scanstring, number.match

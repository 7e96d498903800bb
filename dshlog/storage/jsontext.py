"""JSON as JavaScript means it: the one door for everything that reads, compares or writes JSON."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from math import copysign
from typing import TYPE_CHECKING, NoReturn

import orjson

from dshlog.storage.jsonread import NotJSON, Reader, integer
from dshlog.storage.jsonwrite import MAX_SAFE, double_of, dumps, fingerprint
from dshlog.storage.source import MAGIC

if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import TypeGuard

__all__ = [
    "LEVELS",
    "MAX_SAFE",
    "NotJSON",
    "depth",
    "double_of",
    "dumps",
    "fingerprint",
    "flags",
    "loads",
    "not_json_words",
    "odd",
    "parse",
    "quick",
    "same",
    "well_formed",
]

LEVELS = 1024  # arrays and objects inside each other that the fast parser takes
MINUS, BACKSLASH = 0x2D, 0x5C  # `int in bytes` is one memchr; `bytes in bytes` costs several times as much


def loads(line: bytes) -> object:
    """Give the value of one line: the fast parser, and the exact one where the fast one may be wrong.

    The only difference from `parse` is that integers beyond 2^53 within 64 bits stay exact ints here;
    `same`, `fingerprint` and `dumps` take them for the double that JavaScript holds.

    Raises:
        NotJSON: JavaScript refuses the line too.
    """
    try:
        value: object = orjson.loads(line)
    except orjson.JSONDecodeError:
        return parse(line)
    if MINUS in line and _negative_zero()(line):
        return parse(line)
    return value


def quick(line: bytes) -> object:
    """Give the value of a line that the fast parser takes; None for what it refuses, which may be JSON all the same."""
    try:
        value: object = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value


def not_json_words(line: bytes, error: NotJSON) -> str:
    """Say in one sentence why a line is not JSON; blocks of zero bytes and compressed text are named as such."""
    zeros = line.count(0)
    if zeros:
        which = "the line is" if zeros == len(line) else f"from byte {line.index(0)} of the line on it holds"
        return f"not JSON: {which} {zeros} zero bytes, a block that was never written"
    if line.startswith(MAGIC):
        return "not JSON: the line begins like a zstd frame, though the name promises plain text"
    return f"not JSON: {error.reason} at byte {error.at} of the line"


def odd(line: bytes) -> bool:
    """Tell whether the fast parser may have lost the sign of a zero in a line that it accepts.

    True for an integer literal `-0` anywhere; the same characters inside a string count too, which costs
    the exact path and changes no verdict.
    """
    return MINUS in line and _negative_zero()(line) is not None


def parse(line: bytes, *, told: bool = True) -> object:
    """Give what `JSON.parse` gives for the line decoded as UTF-8 with U+FFFD for bad sequences.

    Integer literals within +-(2^53-1) become int, all other numbers the float that JavaScript holds
    (infinity included); a negative zero is the float -0.0 however it is spelled. The last of repeated
    names wins and keeps the place of the first. Lone surrogate escapes stay lone surrogates. Any depth.

    Args:
        line: the bytes of one line.
        told: whether the place and the reason of a refusal are wanted; they cost several times as much as it.

    Raises:
        NotJSON: JavaScript refuses the line.
    """
    text = line.decode("utf-8", "replace")
    with suppress(RecursionError):
        try:
            return _fast()(text)
        except ValueError:
            if not told:
                raise NotJSON(0, "refused") from None
    # One authority for refusals, so that place and reason do not depend on the Python release.
    return Reader(line, text).read()


def depth(value: object) -> int:
    """Count the arrays and objects that stand inside each other where a value is deepest; any depth."""
    levels, held = 0, [value]
    while inside := [part for part in held if type(part) is dict or type(part) is list]:
        levels += 1
        held = [part for outer in inside for part in (outer.values() if type(outer) is dict else outer)]
    return levels


def flags(line: bytes) -> tuple[bool, bool]:
    r"""Tell why the fast parser may have refused a line: (bytes that are not UTF-8, lone surrogate escape).

    The second looks at the text: an escaped half such as `\ud800` without its other half, also in a
    member that a later one of the same name replaces.
    """
    try:
        line.decode("utf-8")
        invalid = False
    except UnicodeDecodeError:
        invalid = True
    lone = BACKSLASH in line and any(found[1] for found in _escapes().finditer(line))
    return invalid, lone


def well_formed(line: bytes) -> bytes:
    r"""Give JSON text with `\ufffd` for each escaped half of a surrogate pair that stands alone; else as it is."""
    if b"\\ud" not in line and b"\\uD" not in line:
        return line
    return _escapes().sub(lambda found: rb"\ufffd" if found[1] else found[0], line)


def same(a: object, b: object, *, zero_sign: bool = False) -> bool:
    """Tell whether two JSON values are deeply equal in JavaScript.

    Scalars by value and kind (`1` and `1.0` are one number, `True` is none), arrays in order, objects
    by their members in any order. Integers beyond 2^53 are compared as doubles.

    Args:
        a: a value as `parse` or `loads` gives it; any depth.
        b: another.
        zero_sign: whether 0 and -0.0 differ.
    """
    todo = [(a, b)]
    while todo:
        left, right = todo.pop()
        if left is right:
            continue
        if isinstance(left, dict):
            if not isinstance(right, dict) or left.keys() != right.keys():
                return False
            todo.extend((held, right[name]) for name, held in left.items())
        elif isinstance(left, list):
            if not isinstance(right, list) or len(left) != len(right):
                return False
            todo.extend(zip(left, right, strict=True))
        elif not _same_scalar(left, right, zero_sign=zero_sign):
            return False
    return True


def _same_scalar(left: object, right: object, *, zero_sign: bool) -> bool:
    if _is_number(left) and _is_number(right):
        x, y = double_of(left), double_of(right)
        return x == y and (not zero_sign or x != 0 or copysign(1, x) == copysign(1, y))
    return type(left) is type(right) and left == right


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@cache
def _negative_zero() -> Callable[[bytes], object]:
    import re  # most lines hold no minus

    return re.compile(rb"-0(?![.eE0-9])").search


@cache
def _escapes() -> re.Pattern[bytes]:
    import re  # only refused lines and those with half a pair come here

    half = rb"u[dD][89a-fA-F][0-9a-fA-F]{2}"
    pair = rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    # Whole escapes are consumed in order, so that the second backslash of `\\ud800` starts none.
    return re.compile(rb"\\(?:" + pair + rb"|(" + half + rb")|.)", re.DOTALL)


@cache
def _fast() -> Callable[[str], object]:
    from json.decoder import JSONDecoder  # only refused lines come here

    return JSONDecoder(parse_int=integer, parse_constant=_refuse).decode


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)

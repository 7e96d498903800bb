"""Values to JSON text, exactly as JavaScript writes it."""

from __future__ import annotations

from functools import cache
from math import copysign, inf
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MAX_SAFE = 2**53 - 1  # JavaScript's Number.MAX_SAFE_INTEGER
LAST_INDEX = 2**32 - 2  # the largest member name that JavaScript sorts as an array index
PLAIN = frozenset({str, int, bool, type(None)})  # what the fast writer spells as JavaScript does
FAST = orjson.OPT_STRICT_INTEGER  # refuses integers beyond MAX_SAFE
SORTED = orjson.OPT_STRICT_INTEGER | orjson.OPT_SORT_KEYS
SIZE = 16  # bytes of a fingerprint


def dumps(value: object) -> bytes:
    """Give what `JSON.stringify` writes for the value, as UTF-8.

    A float that is not finite is written as `null`, an int beyond 2^53 as the double that it rounds to.
    Member names that are array indices come first, in ascending order, as in every JavaScript object.

    Args:
        value: dict with str keys, list, tuple, str, int, float, bool, None; any depth.

    Raises:
        TypeError: something else is in the value.
        ValueError: the value contains itself.
    """
    try:
        text = orjson.dumps(value, option=FAST)
    except TypeError:  # a half surrogate, a big integer, great depth, or no JSON value at all
        return _write(value, _script_number, _script_order)
    return text if _plain(value, named=True) else _write(value, _script_number, _script_order)


def fingerprint(value: object, *, zero_sign: bool = False) -> bytes:
    """Give 16 bytes that are equal for values that are the `same`, and practically for no others.

    Args:
        value: as for `dumps`.
        zero_sign: whether 0 and -0.0 differ.

    Raises:
        TypeError, ValueError: as `dumps`.
    """
    number = _signed_number if zero_sign else _exact_number
    try:
        text = orjson.dumps(value, option=SORTED)
    except TypeError:
        text = _write(value, number, sorted)
    else:
        if not _plain(value, named=False):
            text = _write(value, number, sorted)
    return bytes(_hash()(text, digest_size=SIZE).digest())


def double_of(value: float) -> float:
    """Give the double that JavaScript holds for a number; infinity for an int beyond its range."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _plain(value: object, *, named: bool) -> bool:
    """Tell whether the fast writer's text of a value is also JavaScript's; it must have accepted the value.

    False for floats, which it spells in its own way, for types that JSON does not have, and, when `named`,
    for objects that may have a member whose name begins with a digit.
    """
    todo: list[Any] = [value]
    for held in todo:
        kind = type(held)
        if kind in PLAIN:
            continue
        if kind is dict:
            if not held:
                continue
            if named and min(held) < ":":  # ":" follows "9"
                return False
            todo.extend(held.values())
        elif kind is list or kind is tuple:
            todo.extend(held)
        else:
            return False
    return True


@cache
def _hash() -> Callable[..., Any]:
    from hashlib import blake2b  # loads a crypto library

    return blake2b


@cache
def _quote() -> Callable[[str], str]:
    from json.encoder import encode_basestring  # only the exact path needs it

    return encode_basestring


def _write(value: object, number: Callable[[float], str], order: Callable[[Iterable[str]], Iterable[str]]) -> bytes:
    """Write a value with an own stack; `number` spells numbers, `order` puts member names in order."""
    quote = _quote()
    out: list[str] = []
    above: list[tuple[Iterator[Any], Any]] = []  # what is still to come of each open container, and itself
    inside: set[int] = set()  # identities of the open containers
    while True:
        first = isinstance(value, (dict, list, tuple))
        if first:
            if id(value) in inside:
                message = "the value contains itself"
                raise ValueError(message)
            inside.add(id(value))
            above.append((_members(value, order), value))
            out.append("{" if isinstance(value, dict) else "[")
        else:
            out.append(_scalar(value, number))
        while above:
            rest, holder = above[-1]
            member: Any = next(rest, above)  # the stack itself stands for the end: no member can be it
            if member is not above:
                break
            out.append("}" if isinstance(holder, dict) else "]")
            inside.discard(id(holder))
            above.pop()
            first = False
        else:
            return _encode("".join(out))
        if not first:
            out.append(",")
        if isinstance(holder, dict):
            out += (quote(member), ":")
            value = holder[member]
        else:
            value = member


def _members(value: Any, order: Callable[[Iterable[str]], Iterable[str]]) -> Iterator[Any]:  # noqa: ANN401
    """Give the items of an array, or the names of an object in the order asked for."""
    if not isinstance(value, dict):
        return iter(value)
    if all(isinstance(name, str) for name in value):
        return iter(order(value))
    message = "a member name is not a str"
    raise TypeError(message)


def _scalar(value: object, number: Callable[[float], str]) -> str:
    if isinstance(value, str):
        return _quote()(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number(value)
    message = f"{type(value).__name__} is no JSON value"
    raise TypeError(message)


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Two halves that stand side by side are one character to JavaScript; the others are escaped.
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return joined.encode("utf-8", "backslashreplace")


def _script_order(names: Iterable[str]) -> Iterable[str]:
    """Give member names in JavaScript's order: array indices ascending, then the others as inserted."""
    indices = sorted(filter(_is_index, names), key=int)
    return [*indices, *(name for name in names if not _is_index(name))] if indices else names


def _is_index(name: str) -> bool:
    if not "0" <= name < ":" or len(name) > len(str(LAST_INDEX)) or not (name.isascii() and name.isdecimal()):
        return False
    return name == "0" or (name[0] != "0" and int(name) <= LAST_INDEX)


def _script_number(value: float) -> str:
    """Spell a number as `JSON.stringify` does; Python finds the same shortest digits."""
    if isinstance(value, int) and -MAX_SAFE <= value <= MAX_SAFE:
        return str(int(value))
    double = double_of(value)
    if not -inf < double < inf:
        return "null"
    text = repr(double)
    mantissa, mark, exponent = text.partition("e")
    if not mark:  # 1e-4 <= |double| < 1e16, or zero, which JavaScript writes without its sign
        return text.removesuffix(".0") if double else "0"
    power = int(exponent)
    sign = "-" if double < 0 else ""
    digits = mantissa.lstrip("-").replace(".", "")
    if 0 < power <= 20:  # noqa: PLR2004  (JavaScript writes 1e21 and more with an exponent)
        return sign + digits.ljust(power + 1, "0")
    if -6 <= power < 0:  # noqa: PLR2004  (and what is below 1e-6)
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    return f"{mantissa}e{power:+d}"


def _exact_number(value: float) -> str:
    """Spell a number so that equal values share one text: that of the fast writer where it has one."""
    double = double_of(value)
    if -MAX_SAFE <= double <= MAX_SAFE and double == int(double):
        return str(int(double))
    return repr(double)


def _signed_number(value: float) -> str:
    """Spell a number as `_exact_number` does, and a negative zero otherwise than zero."""
    return "-0" if not value and copysign(1, value) < 0 else _exact_number(value)

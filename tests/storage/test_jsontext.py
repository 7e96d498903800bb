"""JSON is JavaScript's: what is accepted, what it means, what is equal and how it is written."""

from __future__ import annotations

import base64
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dshlog.storage.jsontext import MAX_SAFE, NotJSON, dumps, fingerprint, flags, loads, odd, parse, same

DEPTH = 2_000_000  # dsh reads a row of this many nested arrays


def alike(a, b):
    """Tell whether two scalars are the same value of the same type, with the sign of zero."""
    if isinstance(a, float) and isinstance(b, float):
        return struct.pack(">d", a) == struct.pack(">d", b)
    return type(a) is type(b) and a == b


ACCEPTED = [
    (b"1", 1),
    (b" \t\r\n1 \t\r\n", 1),
    (b"-0", -0.0),
    (b"-0.0", -0.0),
    (b"-0e5", -0.0),
    (b"0", 0),
    (b"1.0", 1.0),
    (b"1e0", 1.0),
    (b"-1e-400", -0.0),
    (b"9007199254740991", 2**53 - 1),
    (b"-9007199254740991", -(2**53 - 1)),
    (b"9007199254740992", 2.0**53),
    (b"9007199254740993", 2.0**53),
    (b"-9007199254740993", -(2.0**53)),
    (b"123456789012345678901234567890", 1.2345678901234568e29),
    (b"1e400", math.inf),
    (b"-1e400", -math.inf),
    (b"9" * 400, math.inf),
    (b"9" * 5000, math.inf),
    (b"-" + b"9" * 5000, -math.inf),
    (b"0." + b"3" * 5000, 1 / 3),
    (b'"\\ud800"', "\ud800"),
    (b'"a\\uDC00\\ud800b"', "a\udc00\ud800b"),
    (b'"\\ud83d\\ude00"', "😀"),
    (b'"\\ud83d\\ud83d\\ude00"', "\ud83d😀"),
    (b'"\xff"', "�"),
    (b'"\xe2\x82"', "�"),
    (b'"\xe2\x82\xe2\x82\xac"', "�€"),
    (b'"\xed\xa0\x80"', "���"),
    (b'"\xc0\xaf"', "��"),
    (b'"\xf4\x90\x80\x80"', "����"),
    (b'"\xf0\x9f\x98"', "�"),
    (b'"\xef\xbb\xbf"', "\ufeff"),
    (b'"\xe2\x80\xa8\x7f"', "\u2028\x7f"),
    (b'"\\/\\b\\f\\n\\r\\t\\"\\\\\\u0000"', '/\b\f\n\r\t"\\\0'),
    (b"true", True),
    (b"false", False),
    (b"null", None),
]


@pytest.mark.parametrize(("line", "value"), ACCEPTED)
def test_javascript_accepts(line, value):
    assert alike(parse(line), value)
    assert same(loads(line), value, zero_sign=True)


REFUSED = [
    (b"", 0, "no value"),
    (b" \t", 2, "no value"),
    (b"\xef\xbb\xbf1", 0, "byte order mark"),
    (b"[\xef\xbb\xbf1]", 1, "byte order mark"),
    (b"\xc2\xa01", 0, "expected a value"),
    (b"\x0c1", 0, "expected a value"),
    (b"NaN", 0, "expected a value"),
    (b"Infinity", 0, "expected a value"),
    (b"[-Infinity]", 1, "expected a value"),
    (b"nul", 0, "expected a value"),
    (b"nulll", 4, "text after the value"),
    (b"True", 0, "expected a value"),
    (b"01", 1, "text after the value"),
    (b"+1", 0, "expected a value"),
    (b".5", 0, "expected a value"),
    (b"5.", 1, "text after the value"),
    (b"1e", 1, "text after the value"),
    (b"-", 0, "expected a value"),
    (b"\xd9\xa1", 0, "expected a value"),
    (b"0x1", 1, "text after the value"),
    (b"1 2", 2, "text after the value"),
    (b"1\0", 1, "text after the value"),
    (b"[1", 2, "unexpected end"),
    (b"[1,", 3, "unexpected end"),
    (b"[", 1, "unexpected end"),
    (b"{", 1, "unexpected end"),
    (b'{"a"', 4, "unexpected end"),
    (b'{"a":', 5, "unexpected end"),
    (b'{"a":1', 6, "unexpected end"),
    (b"[1}", 2, "expected a comma or the end of an array"),
    (b'{"a":1]', 6, "expected a comma or the end of an object"),
    (b'{"a":]', 5, "expected a value"),
    (b"[1,]", 3, "comma before the end of an array"),
    (b"[,]", 1, "expected a value"),
    (b'{"a":1,}', 7, "comma before the end of an object"),
    (b"{,}", 1, "expected a member name"),
    (b"{a:1}", 1, "expected a member name"),
    (b"{'a':1}", 1, "expected a member name"),
    (b'{"a" 1}', 5, "expected a colon"),
    (b'{"a":1 "b":2}', 7, "expected a comma or the end of an object"),
    (b"[1 /* no */]", 3, "expected a comma or the end of an array"),
    (b'"a', 0, "string without an end"),
    (b'"a\\', 0, "string without an end"),
    (b'"a\x1f"', 2, "control character in a string"),
    (b'"a\tb"', 2, "control character in a string"),
    (b'"\\x"', 1, "bad escape in a string"),
    (b'"\\u12g4"', 1, "bad escape in a string"),
    (b'"\\u 123"', 1, "bad escape in a string"),
    (b'"\\u+123"', 1, "bad escape in a string"),
    (b'"\\U0041"', 1, "bad escape in a string"),
    (b"{1:1}", 1, "expected a member name"),
    (b"[1]]", 3, "text after the value"),
]


@pytest.mark.parametrize(("line", "at", "reason"), REFUSED)
def test_javascript_refuses(line, at, reason):
    for read in (parse, loads):
        with pytest.raises(NotJSON) as caught:
            read(line)
        fault = caught.value
        assert fault.reason == reason
        if reason != "bad escape in a string":  # the standard library points at either end of an escape
            assert fault.at == at
        assert str(fault) == f"{reason} at byte {fault.at}"
        assert isinstance(fault, ValueError)


@pytest.mark.parametrize("text", ["a", "é", "€", "😀", "�"])
def test_the_place_of_a_fault_counts_bytes_on_disk(text):
    before = b'["' + text.encode() * 3 + b'",'
    with pytest.raises(NotJSON) as caught:
        parse(before + b"x]")
    assert caught.value.at == len(before)


@pytest.mark.parametrize(
    "junk", [b"\xff", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc3\xa9\xff", b"\xf0\x9f\x98\x80\x80"]
)
@pytest.mark.parametrize("times", [1, 40_000])
def test_the_place_of_a_fault_counts_bytes_that_are_not_utf8(junk, times):
    before = b'["' + junk * times + b'",'
    with pytest.raises(NotJSON) as caught:
        parse(before + b"x]")
    assert caught.value.at == len(before)


def test_the_last_of_repeated_names_wins_and_keeps_the_first_place():
    for read in (parse, loads):
        assert list(read(b'{"a":1,"b":2,"a":3}').items()) == [("a", 3), ("b", 2)]


def test_proto_is_an_ordinary_name():
    assert parse(b'{"__proto__":{"a":1}}') == {"__proto__": {"a": 1}}


def test_integral_floats_stay_floats():
    assert type(parse(b"5.0")) is float
    assert type(loads(b"5.0")) is float


def nested(depth, core=b"", left=b"[", right=b"]"):
    return left * depth + core + right * depth


@pytest.mark.parametrize("depth", [200, 900, 1_100, 5_000])
@pytest.mark.parametrize(("left", "right"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[0,{"a":1,"b":', b',"c":2} , "x"]')])
@pytest.mark.parametrize("core", [b"-0", b'"\xff\\ud800"', b"123456789012345678901", b"{}", b"[]", b"1.5", b"null"])
def test_deep_values_are_read_written_and_compared(depth, left, right, core):
    line = nested(depth, core, left, right)
    value = loads(line)
    again = parse(line)
    assert same(value, again, zero_sign=True)
    assert fingerprint(value) == fingerprint(again)
    text = dumps(value)
    assert same(parse(text), value)
    assert dumps(parse(text)) == text


def test_two_million_nested_arrays():
    line = nested(DEPTH)
    text = dumps(loads(line))
    assert text == line


def test_values_of_great_depth_are_compared():
    values = [loads(nested(DEPTH // 10, core)) for core in (b"1", b"1.0", b"2")]
    verdicts = [same(values[0], other) for other in values]  # an assertion on the values would print them
    assert verdicts == [True, True, False]
    assert [fingerprint(values[0]) == fingerprint(other) for other in values[1:]] == [True, False]


@pytest.mark.parametrize(
    "line", [b"[" * DEPTH, nested(200_000) + b"]", b'{"a":' * 200_000, b"[" + nested(200_000) + b"}"]
)
def test_a_deep_fault_is_a_refusal(line):
    with pytest.raises(NotJSON):
        loads(line)


def test_depth_does_not_depend_on_the_recursion_limit():
    limit = sys.getrecursionlimit()
    line = nested(60_000, b"1")
    sys.setrecursionlimit(200)
    try:
        value = parse(line)
        text = dumps(value)
        alike_again = same(value, parse(text))
    finally:
        sys.setrecursionlimit(limit)
    assert text == line
    assert alike_again


def test_a_megabyte_of_digits_is_one_number():
    assert parse(b"1" * 1_000_000) == math.inf
    assert parse(b"[" + b"0." + b"1" * 1_000_000 + b"]") == [1 / 9]
    value = parse(nested(5_000, b"-" + b"7" * 1_000_000))  # too deep for the standard library
    assert same(value, parse(nested(5_000, b"-1e999")))


ODD = [b"-0", b"[-0]", b'{"a":-0}', b'{"a": -0 ,"b":1}', b"[1,-0,2]", b"-0\r"]
EVEN = [b"0", b"-1", b"-0.0", b"-0e1", b"-0E1", b'"2026-01-05T10:00:00-05:00"', b"1e-05", b"[-10]", b"-0.5"]


@pytest.mark.parametrize("line", ODD)
def test_a_negative_zero_is_odd(line):
    assert odd(line)
    assert same(loads(line), parse(line), zero_sign=True)


@pytest.mark.parametrize("line", EVEN)
def test_other_minus_signs_are_not_odd(line):
    assert not odd(line)


FLAGS = [
    (b'"a"', (False, False)),
    (b'"\xff"', (True, False)),
    (b'"\xed\xa0\x80"', (True, False)),
    (b'"\\ud800"', (False, True)),
    (b'"\\uDFFF"', (False, True)),
    (b'"\\\\ud800"', (False, False)),
    (b'"\\\\\\ud800"', (False, True)),
    (b'"\\ud83d\\ude00"', (False, False)),
    (b'"\\ud83d\\ud83d\\ude00"', (False, True)),
    (b'"\\ude00\\ud83d"', (False, True)),
    (b'"\\ud83d\xf0\x9f\x98\x80"', (False, True)),
    (b'"\\ud83d\\n\\ude00"', (False, True)),
    (b'{"\\ud800":"\xfe"}', (True, True)),
    (b'"\\ud7ff\\ue000"', (False, False)),
]


@pytest.mark.parametrize(("line", "expected"), FLAGS)
def test_flags_tell_why_the_fast_parser_refused(line, expected):
    assert flags(line) == expected


EQUAL = [
    (1, 1.0),
    (0, -0.0),
    (2**53, 2.0**53),
    (2**53 + 1, 2**53),
    (10**400, math.inf),
    (-(10**400), -math.inf),
    ([], []),
    ({}, {}),
    ({"a": 1, "b": [2.0, {"c": None}]}, {"b": [2, {"c": None}], "a": 1.0}),
    ("\ud800", "\ud800"),
    (1e300, 1e300),
    (12345678901234567890, 1.2345678901234567e19),
]
UNEQUAL = [
    (True, 1),
    (False, 0),
    (True, 1.0),
    (None, False),
    (None, 0),
    ("1", 1),
    ([], {}),
    ([], None),
    ([1], [1, 1]),
    ([1, 2], [2, 1]),
    ({"a": None}, {}),
    ({"a": None}, {"b": None}),
    ({"a": 1}, {"a": 1, "b": 1}),
    ({"a": [1]}, {"a": [True]}),
    (0.1, 0.2),
    (math.inf, None),
    (math.inf, -math.inf),
    (math.inf, "inf"),
    (1e21, "1e+21"),
    ("\ud800", "\\ud800"),
    ("\ud800", "�"),
    ([[1], 2], [[1, 2]]),
    ({"a": {}}, {"a": []}),
]


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_equal_values(a, b):
    assert same(a, b)
    assert same(b, a)
    assert fingerprint(a) == fingerprint(b)
    assert same([{"x": a}], [{"x": b}])
    assert fingerprint([{"x": a}]) == fingerprint([{"x": b}])


@pytest.mark.parametrize(("a", "b"), UNEQUAL)
def test_unequal_values(a, b):
    assert not same(a, b)
    assert not same(b, a)
    assert fingerprint(a) != fingerprint(b)
    assert not same([{"x": a}], [{"x": b}])
    assert fingerprint([{"x": a}]) != fingerprint([{"x": b}])


def test_the_sign_of_zero_counts_when_asked_for():
    assert not same([0], [-0.0], zero_sign=True)
    assert not same([0.0], [-0.0], zero_sign=True)
    assert same([0], [0.0], zero_sign=True)
    assert same([-0.0], [-0.0], zero_sign=True)
    assert same([1], [1.0], zero_sign=True)


def test_a_fingerprint_has_sixteen_bytes():
    assert [len(fingerprint(value)) for value in (1, 0.5, "\ud800", {"a": 2**60})] == [16] * 4


WRITTEN = [
    (1e21, b"1e+21"),
    (1e20, b"100000000000000000000"),
    (-1e21, b"-1e+21"),
    (1e-7, b"1e-7"),
    (1e-6, b"0.000001"),
    (-1.5e-6, b"-0.0000015"),
    (1.5e-7, b"1.5e-7"),
    (123456789012345678901, b"123456789012345680000"),
    (123456789012345680000.0, b"123456789012345680000"),
    (2**60, b"1152921504606847000"),
    (2**53, b"9007199254740992"),
    (2**53 + 1, b"9007199254740992"),
    (-(2**53) - 1, b"-9007199254740992"),
    (MAX_SAFE, b"9007199254740991"),
    (10**400, b"null"),
    (1.0, b"1"),
    (1e16, b"10000000000000000"),
    (-0.0, b"0"),
    (0.1, b"0.1"),
    (5e-324, b"5e-324"),
    (1.7976931348623157e308, b"1.7976931348623157e+308"),
    (math.nan, b"null"),
    (math.inf, b"null"),
    (-math.inf, b"null"),
    (True, b"true"),
    (False, b"false"),
    (None, b"null"),
    ([], b"[]"),
    ({}, b"{}"),
    ((1, (2.5,)), b"[1,[2.5]]"),
    ("é😀\u2028\x7f/", '"é😀\u2028\x7f/"'.encode()),
    ('\b\t\n\f\r"\\\x00\x0b\x1f', b'"\\b\\t\\n\\f\\r\\"\\\\\\u0000\\u000b\\u001f"'),
    ("\ud800", b'"\\ud800"'),
    ("é\udfff", '"é\\udfff"'.encode()),
    ("\ud83d\ude00", '"😀"'.encode()),
    ({"\udc00": 1}, b'{"\\udc00":1}'),
    ({"b": 1, "10": 2, "9": 3, "a": 4, "01": 5, "-1": 6}, b'{"9":3,"10":2,"b":1,"a":4,"01":5,"-1":6}'),
    ({"4294967295": 1, "4294967294": 2, "0": 3}, b'{"0":3,"4294967294":2,"4294967295":1}'),
    ({"a": {"b": 1, "0": {"c": 1, "1": 2}}}, b'{"a":{"0":{"1":2,"c":1},"b":1}}'),
    ({"": 1, "1": 2, "²": 3, "\u0661": 4}, '{"1":2,"":1,"²":3,"\u0661":4}'.encode()),
]


@pytest.mark.parametrize(("value", "text"), WRITTEN)
def test_javascript_writes(value, text):
    assert dumps(value) == text
    assert dumps([value, 0.5]) == b"[" + text + b",0.5]"
    assert dumps({"a": value}) == b'{"a":' + text + b"}"


def test_every_code_point_is_written_alike_on_both_paths():
    every = "".join(chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000)
    fast = dumps(every)
    assert dumps([every, 0.5]) == b"[" + fast + b",0.5]"
    assert fingerprint([every, 1]) == fingerprint([every, 1.0])


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, object(), [object()], {1: 2}, {"a": {None: 1}}, 1j, [0.5, {2: 1}]])
def test_what_json_does_not_have_is_refused(value):
    with pytest.raises(TypeError):
        dumps(value)
    with pytest.raises(TypeError):
        fingerprint(value)


def test_a_value_that_contains_itself_is_refused():
    loop = []
    loop.append({"a": [1, loop]})
    with pytest.raises(ValueError, match="contains itself"):
        dumps(loop)
    shared = [0.5]
    assert dumps([shared, shared]) == b"[[0.5],[0.5]]"


TEXT = st.text(st.characters(codec=None), max_size=8)
NUMBERS = st.one_of(
    st.integers(), st.integers(-3, 3), st.floats(allow_nan=False), st.sampled_from([-0.0, 1.0, 2.0**53])
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXT)
NAMES = st.one_of(TEXT, st.integers(0, 2**33).map(str), st.sampled_from(["a", "b", "__proto__", "0", "01"]))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_written_is_read_back(value):
    finite = "inf" not in repr(value) and "nan" not in repr(value) and "e+" not in repr(value)
    text = dumps(value)
    assert dumps(parse(text)) == text
    assert dumps(loads(text)) == text
    if finite and not any(abs(number) > 10**308 for number in numbers(value)):
        assert same(parse(text), joined(value))


def numbers(value):
    if isinstance(value, dict):
        return [n for held in value.values() for n in numbers(held)]
    if isinstance(value, list):
        return [n for held in value for n in numbers(held)]
    return [value] if isinstance(value, (int, float)) else []


def joined(value):
    """Put halves that stand side by side together, as a JavaScript string has them."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if isinstance(value, dict):
        return {joined(name): joined(held) for name, held in value.items()}
    return [joined(held) for held in value] if isinstance(value, list) else value


@given(VALUES, VALUES)
def test_fingerprints_are_equal_exactly_for_equal_values(a, b):
    a, b = joined(a), joined(b)
    assert same(a, a)
    assert (fingerprint(a) == fingerprint(b)) == same(a, b)
    assert fingerprint([a, {"x": b}]) == fingerprint(shuffled([a, {"x": b}]))
    assert same([a, {"x": b}], shuffled([a, {"x": b}]))


def shuffled(value):
    """Turn the members of each object round and spell small integers as floats."""
    if isinstance(value, dict):
        return {name: shuffled(held) for name, held in reversed(value.items())}
    if isinstance(value, list):
        return [shuffled(held) for held in value]
    return float(value) if type(value) is int and abs(value) <= MAX_SAFE else value


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=40), st.text(st.sampled_from('[]{}",:-+0123456789.eE\\u dDtrufalsn\ud800'), max_size=30)
    )
)
def test_any_bytes_give_a_value_or_a_refusal(line):
    line = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
    flags(line)
    odd(line)
    try:
        value = parse(line)
    except NotJSON as fault:
        at = fault.at
        with pytest.raises(NotJSON):
            loads(line)
    else:
        at = 0
        assert same(loads(line), value, zero_sign=True)
    assert 0 <= at <= len(line)


# What follows asks the real engine.

NODE = shutil.which("node")
CASES = int(os.environ.get("JSONTEXT_CASES", "20000"))
SCRIPT = """
const lines = require('readline').createInterface({input: process.stdin, terminal: false});
const {isDeepStrictEqual} = require('util');
const view = new DataView(new ArrayBuffer(8));
const units = (s) => Buffer.from(s, 'utf16le').toString('hex');
const show = (v) => {
  if (v === null || typeof v === 'boolean') return String(v);
  if (typeof v === 'number') { view.setFloat64(0, v); return 'n' + Buffer.from(view.buffer).toString('hex'); }
  if (typeof v === 'string') return 's' + units(v);
  if (Array.isArray(v)) return '[' + v.map(show).join(',') + ']';
  return '{' + Object.keys(v).map((k) => units(k) + ':' + show(v[k])).join(',') + '}';
};
const read = (b) => JSON.parse(Buffer.from(b, 'base64').toString('utf8'));
lines.on('line', (line) => {
  const [a, b] = JSON.parse(line);
  let out;
  try {
    const v = read(a);
    if (b === null) {
      const text = JSON.stringify(v);
      out = [show(v), Buffer.from(text).toString('base64')];
    } else out = [isDeepStrictEqual(v, read(b))];
  } catch (e) { if (!(e instanceof SyntaxError)) throw e; out = null; }
  process.stdout.write(JSON.stringify(out) + '\\n');
});
"""


def needs_node(test):
    return pytest.mark.node(pytest.mark.skipif(NODE is None, reason="node is not installed")(test))


def ask_node(script, pairs):
    """Run the script once over all pairs of texts and give its answers, in order."""
    coded = ([None if text is None else base64.b64encode(text).decode() for text in pair] for pair in pairs)
    lines = "".join(json.dumps(pair) + "\n" for pair in coded)
    run = subprocess.run([NODE, "-e", script], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(answer) for answer in run.stdout.splitlines()]


def units(text):
    return text.encode("utf-16-le", "surrogatepass").hex()


def show(value):
    """Spell a value as the script above does: bits of numbers, code units of strings, order of names."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return "n" + struct.pack(">d", float(value)).hex()
    if isinstance(value, str):
        return "s" + units(value)
    if isinstance(value, list):
        return "[" + ",".join(map(show, value)) + "]"
    indices = sorted(
        (k for k in value if k.isdecimal() and k.isascii() and str(int(k)) == k and int(k) < 2**32 - 1), key=int
    )
    names = indices + [k for k in value if k not in indices]
    return "{" + ",".join(units(k) + ":" + show(value[k]) for k in names) + "}"


class Maker(random.Random):
    """Random JSON text in every spelling, and text that is nearly JSON."""

    def digits(self, most):
        return str(self.randrange(10 ** self.randint(1, most)))

    def number(self):
        r, digits = self, self.digits
        sign, power = r.choice(["", "-"]), r.choice("eE") + r.choice(["", "+", "-"]) + str(r.randrange(340))
        low = r.randrange(2**52, 2**53)
        double = struct.unpack(">d", r.randbytes(8))[0]
        turn = r.choice([-8, -7, -6, -5, -4, 15, 16, 17, 20, 21, 22])  # where the spelling of doubles changes
        kinds = [
            r.choice(["-0", "0", "-0.0", "0e0", "-0E-7", "1.0", "1e400", "-1e400", "1e-400", "5e-324", "2.5e-324"]),
            str(r.choice([1, -1]) * (2 ** r.choice([31, 32, 52, 53, 54, 62, 63, 64, 70]) + r.randint(-3, 3))),
            repr(double) if math.isfinite(double) else "9" * r.randint(1, 400),
            sign + digits(25) + "." + digits(25),
            sign + digits(20) + "." + digits(20) + power,
            sign + digits(40),
            repr(10.0**turn * r.uniform(0.9, 1.1)),
            str((2 * low + 1) * 2 ** r.randrange(1, 200) + r.randint(-1, 1)),  # half way between two doubles
            str(r.randint(-1000, 1000)),
        ]
        return r.choice(kinds)

    def string(self):
        r = self
        out = ['"']
        for _ in range(r.randrange(6)):
            kind = r.randrange(10)
            if kind == 0:
                out.append(r.choice(['\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]))
            elif kind == 1:
                out.append(f"\\u{r.randrange(0x10000):04x}")
            elif kind == 2:
                out.append(f"\\u{r.choice('dD')}{r.choice('89abcdefABCDEF')}{r.randrange(256):02X}")
            elif kind == 3:
                out.append(f"\\ud{r.choice('89ab')}{r.randrange(256):02x}\\ud{r.choice('cdef')}{r.randrange(256):02x}")
            elif kind == 4:
                out.append(
                    chr(r.choice([0x7F, 0x80, 0xFF, 0x7FF, 0x800, 0x2028, 0xFEFF, 0xFFFD, 0xFFFF, 0x1F600, 0x10FFFF]))
                )
            else:
                out.append(r.choice(["a", "b", "-0", "0", "1", "é", "数", " ", "text"]))
        return "".join(out) + '"'

    def name(self):
        r = self
        kind = r.randrange(5)
        if kind == 0:
            return self.string()
        if kind == 1:
            return (
                f'"{r.choice([r.randrange(12), r.randrange(2**34), 2**32 - r.randrange(4), 2**31 - r.randrange(2)])}"'
            )
        return r.choice(
            ['"a"', '"b"', '"type"', '"__proto__"', '"01"', '"-1"', '"1.0"', '""', '"\\u0061"', '"constructor"']
        )

    def space(self):
        return self.choice(["", "", "", "", " ", "\t", "\r", "\n", "  "])

    def value(self, depth):
        r = self
        kind = r.randrange(9 if depth else 6)
        if kind < 2:
            return self.number()
        if kind < 4:
            return self.string()
        if kind < 6:
            return r.choice(["true", "false", "null"])
        s = self.space
        if kind == 6:
            return "[" + s() + ",".join(s() + self.value(depth - 1) + s() for _ in range(r.randrange(5))) + "]"
        members = (s() + self.name() + s() + ":" + s() + self.value(depth - 1) + s() for _ in range(r.randrange(5)))
        return "{" + s() + ",".join(members) + "}"

    def text(self):
        return (self.space() + self.value(self.randrange(5)) + self.space()).encode()

    def damaged(self):
        """Give JSON text with one to three small faults, or a heap of tokens."""
        r = self
        if r.randrange(8) == 0:
            tokens = [
                "[",
                "]",
                "{",
                "}",
                ",",
                ":",
                '"a"',
                "1",
                "-0",
                "-",
                "0",
                ".",
                "e",
                "null",
                "NaN",
                "Infinity",
                "\\",
                '"',
                " ",
                "\ufeff",
            ]
            return "".join(r.choices(tokens, k=r.randrange(8))).encode()
        line = bytearray(self.text())
        for _ in range(r.randint(1, 3)):
            at = r.randrange(len(line) + 1)
            kind = r.randrange(5)
            if kind == 0:
                del line[at : at + r.randint(1, 3)]
            elif kind == 1:
                line[at:at] = r.choice(
                    [
                        b"\xff",
                        b"\x80",
                        b"\xc0\xaf",
                        b"\xe2\x82",
                        b"\xf0\x9f\x98",
                        b"\xed\xa0\x80",
                        b"\xf4\x90\x80\x80",
                        b"\xc2",
                    ]
                )
            elif kind == 2:
                line[at:at] = r.choice(
                    [
                        b",",
                        b"]",
                        b"}",
                        b'"',
                        b"\\",
                        b"0",
                        b"-",
                        b".",
                        b"e",
                        b" ",
                        b"\x00",
                        b"\x1f",
                        b"\x0b",
                        b"\xef\xbb\xbf",
                        b"/",
                        b"'",
                    ]
                )
            elif kind == 3 and at < len(line):
                line[at] = r.randrange(256)
            elif kind == 4:
                del line[at:]
        return bytes(line)


def differences(seed, count):
    """Compare with the engine; gives the lines of which the two think differently, and counts of texts and values."""
    maker = Maker(seed)
    texts = [maker.damaged() if turn % 3 == 2 else maker.text() for turn in range(count)]
    wrong, accepted, values = [], 0, 0
    for line, answer in zip(texts, ask_node(SCRIPT, [(text, None) for text in texts]), strict=True):
        accepted += answer is not None
        values += answer is not None and values_in(parse(line))
        mine = []
        for read in (parse, loads):
            try:
                value = read(line)
            except NotJSON:
                mine.append(None)
            else:
                mine.append([show(value), base64.b64encode(dumps(value)).decode()])
        if mine != [answer, answer]:
            wrong.append((line, answer, mine))
    return wrong, accepted, values


def values_in(value):
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(values_in, held))


@needs_node
def test_the_engine_reads_and_writes_the_same(record_property):
    count = 4 * CASES
    wrong, accepted, values = differences(1, count)
    record_property("figures", f"{count} texts, {accepted} accepted, {values} values, {len(wrong)} differences")
    assert accepted > count // 2
    assert values > 5 * CASES
    assert wrong == []


@needs_node
def test_the_engine_compares_the_same():
    maker = Maker(2)
    pairs = []
    for _ in range(CASES // 4):
        a, b = maker.text(), maker.text()
        respelled = dumps(parse(a))
        pairs += [(a, b), (a, respelled), (respelled, a), (a, a.replace(b"1", b"2", 1))]
    answers = ask_node(SCRIPT, pairs)
    equal = 0
    for (a, b), answer in zip(pairs, answers, strict=True):
        verdict = same(parse(a), parse(b), zero_sign=True)
        equal += verdict
        assert [verdict] == answer, (a, b)
        assert same(loads(a), loads(b), zero_sign=True) == verdict, (a, b)
        assert (fingerprint(loads(a)) == fingerprint(parse(b))) == same(parse(a), parse(b)), (a, b)
    assert CASES // 4 < equal < CASES


@needs_node
def test_the_engine_reads_any_depth():
    script = """
const text = require('fs').readFileSync(0, 'utf8');
let depth = 0;
for (let v = JSON.parse(text); v !== undefined; v = v[0]) depth++;
console.log(depth);
"""
    run = subprocess.run([NODE, "-e", script], input=nested(DEPTH), stdout=subprocess.PIPE, check=True)
    assert int(run.stdout) == DEPTH

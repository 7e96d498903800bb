"""Small phrases that every text output shares, safe to print whatever a log holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dshlog.storage.naming import shown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PREVIEW = 80  # code points of a preview outside a terminal
LISTED = 12  # members of a list that are printed before it is cut

# What could move the cursor, reorder a line or not be encoded: control characters, line and paragraph
# separators, the marks of bidirectional text, the byte order mark, half surrogates. Joiners stay, since
# emoji need them.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LOOKED_AT = 4096  # code points of a text that a preview is made of
_LATIN = 0xFF
_STRAY = 0xDC00  # where the surrogates of stray bytes begin
_BYTES = range(0x80, 0x100)
_HANGING = 4  # columns by which the rest of a long line is indented
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_WORDS = re.compile(r"`[^`]*`\S*|\S+")
_LABEL = re.compile(r"  [a-z]{2,4} {1,2}(?=\S)")  # that of a line below a finding
_COMMAND = re.compile(r" *(?:next|or|cure|to go back): (?=dshlog |cp )")  # in front of what is to be copied
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 @%+=:,./-_")
_QUOTED = re.compile(r"[^\w@%+=:,./-]", re.ASCII)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    number = ord(character)
    return _SHORT.get(character) or (f"\\x{number:02x}" if number <= _LATIN else f"\\u{number:04x}")


def visible(text: str) -> str:
    """Give the text on one line, every unsafe character as a backslash escape."""
    return _UNSAFE.sub(_escaped, text)


def json_visible(text: str) -> str:
    r"""Give JSON text with what JSON lets stand unescaped, and a terminal would obey, as `\u` escapes: the same values."""
    return _UNSAFE.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text)


def path_name(path: str) -> str:
    r"""Give a path on one line; bytes that are no UTF-8 as `\xff`."""
    return visible(shown_name(path))


def shell_word(path: str) -> str:
    """Give a path as one word that a POSIX shell (`$'...'`: bash, zsh, ksh) reads back unchanged."""
    if _UNSAFE.search(path):
        raw = path.encode("utf-8", "surrogateescape" if _only_bytes(path) else "surrogatepass")
        return "$'" + "".join(chr(byte) if chr(byte) in _PLAIN else f"\\x{byte:02x}" for byte in raw) + "'"
    word = f"./{path}" if path.startswith("-") else path
    if word and not _QUOTED.search(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _only_bytes(path: str) -> bool:
    return all(not "\ud800" <= sign <= "\udfff" or ord(sign) - _STRAY in _BYTES for sign in path)


def folded(line: str, width: int | None) -> Iterator[str]:
    """Yield a line of output cut at words to a width, the rest below it and indented; colours take no room.

    What stands between backticks is a command and stays in one piece, and so does a command on a line of its own,
    but for the remark behind it. None yields the line as it is.
    """
    if width is None or len(_COLOUR.sub("", line)) <= width:
        yield line
        return
    if _COMMAND.match(line):
        command, _, remark = line.partition("   (")
        yield command
        if remark:
            yield from folded(f"{' ' * _HANGING}({remark}", width)
        return
    label = _LABEL.match(line)
    head = label[0] if label else " " * (len(line) - len(line.lstrip(" ")))
    indent = " " * (len(head) if label else len(head) + _HANGING)
    row, size = head, len(head)
    for number, word in enumerate(_WORDS.findall(line[len(head) :])):
        length = len(_COLOUR.sub("", word))
        if number and size + 1 + length > width:
            yield row
            row, size = indent + word, len(indent) + length
        else:
            row += f" {word}" if number else word
            size += length + (number > 0)
    yield row


def one_line(text: str) -> str:
    """Give the start of a text with every run of white space as one space; nothing is escaped."""
    return " ".join(text[:_LOOKED_AT].split()) or " ".join(text.split())[:_LOOKED_AT]


def cut(text: str, limit: int) -> str:
    """Give at most `limit` code points, the last one an ellipsis where something was left out."""
    return text if len(text) <= limit else text[: limit - 1].rstrip(" \u200d") + "…"


def preview(text: str, limit: int = PREVIEW) -> str:
    """Give the start of a text on one line, safe to print."""
    return cut(visible(one_line(text)), limit)


def count(number: int, noun: str) -> str:
    """Give `1 node` or `2 nodes`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(values: Sequence[object], limit: int = LISTED) -> str:
    """Give `4, 6, 9`; of a long list the first ones and how many there are."""
    head = ", ".join(value_word(value) for value in values[:limit])
    return head if len(values) <= limit else f"{head} … (first {limit} of {len(values)})"


def value_word(value: object) -> str:
    """Give one value as the log spells it, short and safe; a dash for None."""
    if value is None:
        return "-"
    if type(value) is float and value.is_integer():
        value = int(value)
    return cut(visible(str(spelled(value))), PREVIEW) or '""'


def spelled(value: object) -> object:
    """Give a scalar as it is, and the beginning of the JSON text of a list or an object, of any depth."""
    if not isinstance(value, (dict, list)):
        return value
    from dshlog.storage.jsontext import dumps  # hardly any log has one where an id or a number stands

    return cut(dumps(value).decode("utf-8", "replace"), PREVIEW)


def joined(parts: Iterable[str], separator: str = ", ") -> str:
    """Give the parts that say something."""
    return separator.join(part for part in parts if part)


def listed_paths(paths: Sequence[str], limit: int = LISTED) -> str:
    """Give paths, whole and safe to print; of a long list the first ones and how many there are."""
    head = ", ".join(path_name(path) for path in paths[:limit])
    return head if len(paths) <= limit else f"{head} … (first {limit} of {len(paths)})"

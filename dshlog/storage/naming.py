"""Names on disk: what dsh calls the directory of a project, of a session, and the log inside it.

Pure text, no disk. Strings are read as UTF-16 code units, as dsh reads them, so that half a surrogate
pair and a character beyond U+FFFF get the names that dsh gives them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dshlog.model.number import MAX_SAFE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dshlog.model.report import Encoding

NO_CWD = "_no-cwd"  # directory of the sessions whose header has no cwd
MAX_SEGMENT = 244  # characters of a session's directory with which dsh opens it; it also looks for a file named so
MAX_KEY = 251  # characters of a project key between its two pairs of dashes

_STRAY = 0xDC00  # where the surrogates of stray bytes begin
_BYTES = range(0x80, 0x100)
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_SEPARATORS = frozenset("/\\:")
_HEX = frozenset("0123456789ABCDEF")
_ESCAPE = 5  # characters of one escape: a tilde and four hexadecimal digits
_MAX_DIGITS = len(str(MAX_SAFE))


class LogName(NamedTuple):
    """What the canonical name of a log says: the generation and how the bytes are stored."""

    generation: int
    encoding: Encoding


def shown_name(name: str) -> str:
    r"""Give the name of a file as it is shown: a byte that is no UTF-8 as `\xff`, all else as it is.

    Python holds such a byte as a low surrogate (PEP 383).
    """
    if name.isascii():
        return name
    return "".join(f"\\x{ord(sign) - _STRAY:02x}" if ord(sign) - _STRAY in _BYTES else sign for sign in name)


def project_key(cwd: str | None) -> str:
    """Give the name of the directory that holds the sessions of one working directory.

    `cwd` is the header's own text, None when the header has none; an empty one raises ValueError. The
    name loses information and must never be decoded: compute it from the header and compare. The cut
    at 251 characters is blind and may fall inside an escape.

    Source: storage.md 1.3; the same in every examined release.
    """
    if cwd is None:
        return NO_CWD
    if not cwd:
        msg = "an empty cwd has no project directory"
        raise ValueError(msg)
    parts: list[str] = []
    in_separator = False
    for unit in _units(cwd):
        if unit in _SEPARATORS:
            if not in_separator:
                parts.append("-")
            in_separator = True
        else:
            parts.append(_escaped(unit))
            in_separator = False
    inner = "".join(parts).lstrip("-") or "root"
    return f"--{inner[:MAX_KEY]}--"


def is_project_dir(name: str) -> bool:
    """Tell whether `project_key` gives this name to some working directory, or to none."""
    if name == NO_CWD:
        return True
    inner = name[2:-2]
    if not inner or name != f"--{inner}--":
        return False
    if len(inner) == MAX_KEY:
        cut = inner.rfind("~", -(_ESCAPE - 1))
        if cut >= 0 and _HEX.issuperset(inner[cut + 1 :]):
            inner = inner[:cut]
    cwd = _unescaped(inner)
    return cwd is not None and project_key(cwd) == f"--{inner}--"


def session_segment(id: str) -> str:  # noqa: A002 - `id` is what the header calls it
    """Give the name of the directory that holds the logs of one session.

    No two ids share a segment. There is no limit on its length, so the file system may refuse it. An
    empty id raises ValueError: dsh cannot store such a session.

    Source: storage.md 1.4.
    """
    if not id:
        msg = "an empty session id has no directory"
        raise ValueError(msg)
    if id in {".", ".."}:
        return id.replace(".", "~002E")
    return "".join(map(_escaped, _units(id)))


def decode_segment(segment: str) -> str | None:
    """Give the session id that a directory name stands for, or None when no id has that name.

    Lower-case digits, a bare tilde and a needless escape make a name that dsh never looks up.
    """
    id_ = _unescaped(segment)
    return id_ if id_ and session_segment(id_) == segment else None


def log_name(version: int, encoding: Encoding) -> str:
    """Give the canonical file name of one generation; ValueError when `version` is no count.

    Source: storage.md 1.5.
    """
    if not 0 <= version <= MAX_SAFE:
        msg = f"no log is named after version {version}"
        raise ValueError(msg)
    stem = f"session.v{version}" if version else "session"
    return stem + (".jsonl.zstd" if encoding == "zstd" else ".jsonl")


def parse_log_name(name: str) -> LogName | None:
    """Read a canonical log name; None for any other name, which dsh ignores without comment.

    Letter case counts, generation 0 has no number, and a number has no leading zero.
    """
    raw = name.removesuffix(".zstd")
    encoding: Encoding = "raw" if raw == name else "zstd"
    stem = raw.removesuffix(".jsonl")
    if stem == raw:
        return None
    if stem == "session":
        return LogName(generation=0, encoding=encoding)
    digits = stem.removeprefix("session.v")
    if digits == stem or not (digits.isascii() and digits.isdigit()) or digits[0] == "0":
        return None
    # The length is looked at first: CPython refuses to convert thousands of digits.
    if len(digits) > _MAX_DIGITS or int(digits) > MAX_SAFE:
        return None
    return LogName(generation=int(digits), encoding=encoding)


def live(names: Iterable[str], encoding: Encoding | None = None) -> str | None:
    """Choose the log that dsh reads out of the names in one session directory.

    The numerically highest generation wins, whatever the file holds; nothing falls back to an older
    one. A root of dsh has one encoding: name it to leave the other out. Without it both compete, and
    at the same generation zstd, dsh's default, wins. None when no name is canonical.

    Source: storage.md 1.6.
    """
    best: tuple[int, str, str] | None = None
    for name in names:
        parsed = parse_log_name(name)
        if parsed is None or (encoding is not None and parsed.encoding != encoding):
            continue
        rank = (parsed.generation, parsed.encoding, name)  # "raw" sorts before "zstd"
        if best is None or rank > best:
            best = rank
    return None if best is None else best[2]


def _units(text: str) -> Iterable[str]:
    """Give the UTF-16 code units of a text, each as a character of its own."""
    if text.isascii():
        return text
    data = text.encode("utf-16-le", "surrogatepass")
    return [chr(data[at] | data[at + 1] << 8) for at in range(0, len(data), 2)]


def _escaped(unit: str) -> str:
    return unit if unit in _PLAIN else f"~{ord(unit):04X}"


def _unescaped(text: str) -> str | None:
    """Undo the escapes, however shown_name; None where a tilde starts no number.

    The caller encodes the answer again and compares, which catches every odd spelling.
    """
    first, *rest = text.split("~")
    parts = [first]
    for piece in rest:
        try:
            parts.append(chr(int(piece[:4], 16)) + piece[4:])
        except ValueError:
            return None
    # Two escaped halves of a surrogate pair are one character again.
    units = "".join(parts).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass")

"""A broken world in words: why the bytes of a path cannot be had."""

from __future__ import annotations

import os
import stat

from dshlog.model.fault import Fault
from dshlog.storage.naming import shown_name

_IRREGULAR: dict[int, tuple[str, tuple[str, ...]]] = {
    stat.S_IFDIR: ("it is a directory", ("name a log inside it",)),
    stat.S_IFIFO: ("it is a pipe", ("read it through standard input: dshlog validate - < PIPE",)),
    stat.S_IFSOCK: ("it is a socket", ()),
    stat.S_IFCHR: ("it is a device", ()),
    stat.S_IFBLK: ("it is a device", ()),
}


class Unreadable(Exception):  # noqa: N818 - it tells of the world, not of an error in the log
    """The world is broken: bytes that should be there cannot be read.

    `message` is one lower-case sentence that names the path, `hints` say what to do, and `why` is the
    reason alone, for a reader who sees the path already.
    """

    def __init__(self, message: str, hints: tuple[str, ...] = (), *, why: str | None = None) -> None:
        """Take the words; `why` defaults to the message."""
        super().__init__(message)
        self.message = message
        self.hints = hints
        self.why = message if why is None else why


def irregular(mode: int) -> tuple[str, tuple[str, ...]]:
    """Say what the `st_mode` of anything but a regular file is, and what to do then."""
    return _IRREGULAR.get(stat.S_IFMT(mode), ("it is no regular file", ()))


class DamagedError(Exception):
    """A database cannot be used at all; `fault` says why."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(name, message)


def refuse_irregular(path: str, mode: int) -> None:
    """Let the `st_mode` of a regular file pass and raise Unreadable for anything else."""
    if stat.S_ISREG(mode):
        return
    why, hints = irregular(mode)
    msg = f"cannot read {shown(path)}: {why}"
    raise Unreadable(msg, hints, why=why)


def refuse_lost(path: str) -> None:
    """Raise Unreadable for a relative path when the working directory is gone; it still looks like an empty directory."""
    if os.path.isabs(path):  # noqa: PTH117
        return
    try:
        os.getcwd()  # noqa: PTH109
    except OSError as error:
        why = "the working directory was removed" if isinstance(error, FileNotFoundError) else reason(error)
        hints = ("change to a directory that exists, or give an absolute path",)
        msg = f"cannot read {shown(path)}: {why}"
        raise Unreadable(msg, hints, why=why) from error


def unreadable(path: str, error: OSError | ValueError) -> Unreadable:
    """Say in words why the operating system did not hand out a path."""
    why = reason(error)
    hints: tuple[str, ...] = ()
    if isinstance(error, FileNotFoundError):
        hints = ("the symbolic link points to nothing",) if os.path.islink(path) else ()  # noqa: PTH114
    elif isinstance(error, PermissionError):
        hints = ("run as its owner, or copy it to a place that you can read",)
    return Unreadable(f"cannot read {shown(path)}: {why}", hints, why=why)


def shown(path: str) -> str:
    """Give a path as it can stand in a line of text: control characters and stray bytes escaped, an empty one in quotes."""
    name = shown_name(path) or "''"
    return name if name.isprintable() else "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in name)


def reason(error: OSError | ValueError) -> str:
    """Give the operating system's own reason, worded like every other message."""
    words = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return words[0].lower() + words[1:] if words[1:2].islower() else words

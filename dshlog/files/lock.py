"""The lock of a session, taken as dsh takes it before it writes. Source: storage.md §1.8."""
# ruff: noqa: PTH116, PTH118 - paths are texts here

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dshlog.files.store import LOCK
from dshlog.files.unreadable import Unreadable, reason, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRIES = 3  # as dsh: the file may be replaced between opening and locking
_NEW_FILE = "write a new file with -o, which needs no lock"


@contextmanager
def session_lock(directory: str) -> Iterator[None]:
    """Hold the lock of the session in a directory; the file stays behind, empty, as dsh leaves it.

    Raises:
        Unreadable: a process holds it, or it cannot be taken here.
    """
    handle = _take(os.path.join(directory, LOCK))
    try:
        yield
    finally:
        os.close(handle)  # which gives the lock back


def _take(path: str) -> int:
    try:
        import fcntl
    except ImportError as error:
        message = "the lock of dsh cannot be taken on this platform"
        raise Unreadable(message, (_NEW_FILE,)) from error
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    for _ in range(_TRIES):
        try:
            handle = os.open(path, flags, 0o666)
        except OSError as error:
            message = f"cannot take {shown(path)}: {reason(error)}"
            raise Unreadable(message, (_NEW_FILE,)) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _same(handle, path):
                return handle
        except BlockingIOError as error:
            os.close(handle)
            message = f"{shown(path)} is held: a dsh has this session open"
            raise Unreadable(message, ("close the session there, and try again",)) from error
        except OSError as error:
            os.close(handle)
            message = f"cannot take {shown(path)}: {reason(error)}"
            raise Unreadable(message, (_NEW_FILE,)) from error
        os.close(handle)
    message = f"cannot take {shown(path)}: it is replaced again and again"
    raise Unreadable(message, (_NEW_FILE,))


def _same(handle: int, path: str) -> bool:
    """Tell whether the file that was locked still has the name."""
    held = os.fstat(handle)
    try:
        named = os.stat(path)
    except FileNotFoundError:
        return False
    return (held.st_dev, held.st_ino) == (named.st_dev, named.st_ino)

"""Logs and session directories that get another place below their root."""
# ruff: noqa: PTH100, PTH108, PTH120 - paths are texts here

from __future__ import annotations

import os

from dshlog.files.create import failed, sync_directory
from dshlog.files.lock import session_lock
from dshlog.files.replace import make_directory
from dshlog.files.unreadable import Unreadable, shown


def taken(path: str) -> bool:
    """Tell whether something has a name."""
    return os.path.lexists(path)


def move_log(old: str, new: str) -> None:
    """Give a log another name in its directory, under the lock of the session.

    Raises Unreadable when something has the name, the lock is held, or the disk fails.
    """
    directory = os.path.dirname(os.path.abspath(old))
    with session_lock(directory):
        try:
            os.link(old, new, follow_symlinks=False)
            os.unlink(old)
            sync_directory(directory)
        except FileExistsError as error:
            raise _there(new) from error
        except OSError as error:
            raise failed(new, error) from error


def move_session(old: str, new: str) -> None:
    """Give the directory of a session another place below the root, under the lock of the session.

    Raises Unreadable when something is there, the lock is held, or the disk fails.
    """
    if taken(new):
        raise _there(new)
    parent = os.path.dirname(os.path.abspath(new))
    make_directory(parent)
    with session_lock(old):
        try:
            os.rename(old, new)  # noqa: PTH104 - as above
            sync_directory(parent)
            sync_directory(os.path.dirname(os.path.abspath(old)))
        except OSError as error:
            raise failed(new, error) from error


def _there(path: str) -> Unreadable:
    return Unreadable(
        f"cannot move to {shown(path)}: it is there already", ("compare both, and keep one below the root",)
    )

"""Small files beside the logs, read and written whole: baselines, vocabularies, configuration."""
# ruff: noqa: PTH105, PTH108, PTH116 - paths are texts here

from __future__ import annotations

import os
import stat

from dshlog.files.unreadable import Unreadable, reason, shown, unreadable

LIMIT = 64 << 20  # bytes; nobody writes such a file by hand, and a log must not be taken for one


def read_whole(path: str) -> bytes:
    """Give the bytes of a file.

    Raises:
        Unreadable: it cannot be read, or it is far too large for what it should be.
    """
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if len(data) > LIMIT:
        message = f"cannot read {shown(path)}: it has more than {LIMIT >> 20} MiB"
        raise Unreadable(message)
    return data


def write_whole(path: str, data: bytes) -> None:
    """Write a file so that it holds the old bytes or the new ones, whatever happens.

    What is no regular file, such as a pipe, is written to as it is.

    Raises:
        Unreadable: it cannot be written.
    """
    try:
        if _is_special(path):
            with open(path, "wb") as file:  # noqa: PTH123
                file.write(data)
            return
        target = os.path.realpath(path)
        _replace(target, data)
    except (OSError, ValueError) as error:
        message = f"cannot write {shown(path)}: {reason(error)}"
        raise Unreadable(message) from error


def _is_special(path: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


def _replace(target: str, data: bytes) -> None:
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        with open(temporary, "xb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):  # noqa: PTH110
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))  # noqa: PTH101
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):  # noqa: PTH110
            os.unlink(temporary)
        raise

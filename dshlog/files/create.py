"""A new file that appears whole or not at all, and never in the place of another."""
# ruff: noqa: PTH100, PTH105, PTH108, PTH118, PTH119, PTH120 - paths are texts here

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from dshlog.files.unreadable import Unreadable, reason, shown

if TYPE_CHECKING:
    from types import TracebackType

MODE = 0o600  # as dsh makes its logs: they hold what people said
_RANDOM = 6  # bytes in the name of the temporary file
_BUFFER = 1 << 20
_NO_LINKS = frozenset(
    {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EINVAL}
)


class Temporary:
    """Takes bytes into a file beside `path` that is gone at the end of the block, unless it was given the name.

    It is called as dsh calls its own, so that whatever a killed run leaves behind is told by `validate`.
    """

    def __init__(self, path: str, *, called: str | None = None) -> None:
        """Begin; `called` is the name of the file until then.

        Raises Unreadable when the directory takes no file.
        """
        self.path = path
        directory = os.path.dirname(os.path.abspath(path))
        self._directory = directory
        name = called or f"{os.path.basename(path)[:200]}.{os.urandom(_RANDOM).hex()}.tmp"
        self.temporary = os.path.join(directory, name)
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            self._file = os.fdopen(os.open(self.temporary, flags, MODE), "wb", _BUFFER)
        except (OSError, ValueError) as error:
            raise failed(path, error) from error

    def __enter__(self) -> Self:
        """Give the file itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the temporary file, whatever happened."""
        with suppress(OSError):  # what could not be written was told, or is not wanted any more
            self._file.close()
        with suppress(OSError):  # what stays behind is told by `validate`
            os.unlink(self.temporary)

    def write(self, data: bytes) -> None:
        """Append bytes.

        Raises Unreadable when the disk fails.
        """
        try:
            self._file.write(data)
        except OSError as error:
            raise failed(self.path, error) from error

    def restart(self) -> None:
        """Forget what was written."""
        try:
            self._file.seek(0)
            self._file.truncate()
        except OSError as error:
            raise failed(self.path, error) from error

    def seal(self) -> None:
        """Bring everything to the disk; afterwards the temporary file can be read back.

        Raises Unreadable when the disk fails.
        """
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise failed(self.path, error) from error


class NewFile(Temporary):
    """Takes the bytes of a file that does not exist yet; only `publish` makes it."""

    def __init__(self, path: str, *, called: str | None = None) -> None:
        """Begin; `called` as for `Temporary`.

        Raises Unreadable when something has the name, a dangling link too, or the directory takes no file.
        """
        if os.path.lexists(path):
            raise _taken(path)
        super().__init__(path, called=called)

    def publish(self) -> None:
        """Give the sealed file its name.

        Raises Unreadable when something has taken the name meanwhile, or the disk fails.
        """
        try:
            self._file.close()
            self._name()
        except FileExistsError as error:
            raise _taken(self.path) from error
        except OSError as error:
            raise failed(self.path, error) from error
        try:
            sync_directory(self._directory)
        except OSError as error:
            self.withdraw()
            raise failed(self.path, error) from error

    def withdraw(self) -> None:
        """Take the published file back, when what belongs to it could not be published."""
        with suppress(OSError):
            os.unlink(self.path)

    def _name(self) -> None:
        try:
            os.link(self.temporary, self.path)
        except (AttributeError, NotImplementedError):
            self._name_without_link()
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._name_without_link()

    def _name_without_link(self) -> None:
        """Take the name first, so that nothing is overwritten: not every file system has hard links."""
        os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE))
        try:
            os.replace(self.temporary, self.path)
        except OSError:
            self.withdraw()
            raise


def sync_directory(directory: str) -> None:
    """Bring the names of a directory to the disk."""
    if os.name == "nt":
        return  # Directories cannot be opened there.
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _taken(path: str) -> Unreadable:
    hint = "name another file: nothing is ever overwritten"
    return Unreadable(f"cannot write {shown(path)}: it is there already", (hint,))


def failed(path: str, error: OSError | ValueError) -> Unreadable:
    """Say why a file cannot be written."""
    return Unreadable(f"cannot write {shown(path)}: {reason(error)}")

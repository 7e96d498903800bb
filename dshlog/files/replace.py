"""A log that takes the place of another: the old one is kept, and no moment has neither."""
# ruff: noqa: PTH105, PTH100, PTH103, PTH118, PTH119, PTH120 - paths are texts here

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from dshlog.files.create import NewFile, Temporary, failed, sync_directory
from dshlog.files.find import home
from dshlog.files.read import FileSource
from dshlog.files.unreadable import Unreadable, refuse_irregular, shown, unreadable

if TYPE_CHECKING:
    from dshlog.storage.source import Source

BACKUPS = "dshlog-backups"  # a directory beside the sessions root

_LOOK_AGAIN = "end what writes to it, and try again"
_Identity = tuple[int, int, int, int, int]


class Replacement(Temporary):
    """Takes the bytes of a log that shall stand in the place of another; only `publish` does it.

    The log is looked at when the block begins and again before it is replaced, and whoever wrote to it
    in between keeps what was written.
    """

    def __init__(self, path: str, seen: os.stat_result) -> None:
        """Begin; `seen` is what `look_at` gave before the log was read.

        Raises Unreadable when the log was written to since then, or the directory takes no file.
        """
        self.path, self._seen = path, seen
        self.unchanged()
        super().__init__(path)

    def unchanged(self) -> None:
        """Raise Unreadable when the log is not the one that was looked at first."""
        refuse_changed(self.path, self._seen)

    def publish(self, source: Source, backup: str) -> None:
        """Keep the old log, and give the sealed file its name.

        Args:
            source: the old log.
            backup: the file to keep it in, which must not be there yet.

        Raises Unreadable when the log was written to meanwhile, the backup is there, or the disk fails;
        the old log then stands where it stood.
        """
        self.unchanged()
        keep(source, backup, self._seen)
        self.unchanged()
        try:
            os.fchmod(self._file.fileno(), stat.S_IMODE(self._seen.st_mode))
            with suppress(PermissionError):  # only root may give a file away, and then it is root's own
                os.fchown(self._file.fileno(), self._seen.st_uid, self._seen.st_gid)
            self._file.close()
            os.replace(self.temporary, self.path)
            sync_directory(self._directory)
        except OSError as error:
            raise failed(self.path, error) from error


def keep(source: Source, backup: str, seen: os.stat_result) -> None:
    """Write the backup of a log, byte for byte and with its times."""
    make_directory(os.path.dirname(os.path.abspath(backup)))
    with NewFile(backup) as copy:
        for piece in source.chunks():
            copy.write(piece)
        copy.seal()
        with FileSource(copy.temporary) as written:
            if written.size != source.size:
                message = f"{shown(backup)} would not hold the whole log"
                raise Unreadable(message, (_LOOK_AGAIN,))
        copy.publish()
    with suppress(OSError):  # the bytes count, the times are a courtesy
        os.utime(backup, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def backup_path(path: str, directory: str | None = None) -> str:
    """Give the file that keeps the old log: below `directory`, else beside the root, else beside the log.

    The place in the root is part of it, so that it says where the log came from, and so is the time.
    """
    name = f"{os.path.basename(path)}.{_stamp()}.bak"
    place = home(path, any_project=True) if _in_a_session(path) else None
    if place is None:
        return os.path.join(directory or os.path.dirname(path), name)
    top = directory or os.path.join(os.path.dirname(place.root), BACKUPS)
    return os.path.join(top, place.project, place.segment, name)


def make_directory(directory: str) -> str:
    """Make a directory, unless it is there, that nobody else can look into.

    Raises Unreadable when that fails.
    """
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
    except OSError as error:
        raise failed(directory, error) from error
    return directory


def lost_path(path: str, directory: str) -> str:
    """Give a new file in a directory, which is made, for the records that a repair of a log drops."""
    make_directory(directory)
    place = home(path, any_project=True) if _in_a_session(path) else None
    base = os.path.basename(path) if place is None else f"{place.segment}.{os.path.basename(path)}"
    return os.path.join(directory, f"{base}.{_stamp()}.lost.ndjson")


def refuse_inside_root(path: str, directory: str) -> None:
    """Raise Unreadable for a backup directory inside the sessions root, where dsh would find what it holds."""
    place = home(path, any_project=True) if _in_a_session(path) else None
    if place is None:
        return
    root, wanted = os.path.realpath(place.root), os.path.realpath(directory)
    if wanted == root or wanted.startswith(root + os.sep):
        message = f"{shown(directory)} lies inside the sessions root {shown(place.root)}"
        raise Unreadable(message, ("name a directory outside of it",))


def _stamp() -> str:
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.{os.urandom(2).hex()}"


def _in_a_session(path: str) -> bool:
    """Tell whether a log stands in its place three levels below a root, and not only under a name like that."""
    from dshlog.storage.naming import is_project_dir

    place = home(path, any_project=True)
    return place is not None and is_project_dir(place.project)


def look_at(path: str) -> os.stat_result:
    """Look at a log that shall be replaced.

    Raises Unreadable when it is no regular file of its own: nothing is written through a symbolic link.
    """
    try:
        seen = os.lstat(path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if stat.S_ISLNK(seen.st_mode):
        message = f"{shown(path)} is a symbolic link, and nothing is written through one"
        raise Unreadable(message, (f"name the file that it leads to: {shown(os.path.realpath(path))}",))
    refuse_irregular(path, seen.st_mode)
    return seen


def refuse_changed(path: str, seen: os.stat_result) -> None:
    """Raise Unreadable when a log is not the one that was looked at before."""
    now = look_at(path)
    if _identity(now) != _identity(seen):
        grown = now.st_size - seen.st_size
        how = f"grew by {grown} bytes" if grown > 0 else "changed"
        message = f"{shown(path)} {how} meanwhile: something writes to it"
        raise Unreadable(message, (_LOOK_AGAIN,))


def _identity(seen: os.stat_result) -> _Identity:
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns

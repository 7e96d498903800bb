"""The next generation of a log in its place: published as dsh publishes it. Source: storage.md §6."""
# ruff: noqa: PTH114, PTH118, PTH120, PTH208 - paths are texts here

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from dshlog.files.create import NewFile, failed
from dshlog.files.find import home
from dshlog.files.replace import look_at, refuse_changed
from dshlog.files.unreadable import Unreadable, shown, unreadable
from dshlog.storage.naming import log_name, parse_log_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dshlog.model.report import Encoding

_RANDOM = 8  # bytes in the name of the file while it is written
_NO_PLACE = "with -o the result goes wherever you like"
_AGAIN = "end what writes to it, and try again"


class Successor(NewFile):
    """Takes the bytes of a generation that shall stand beside an older one; only `publish` makes it.

    The older log is looked at when the block begins and again before the new one gets its name, and so are the logs
    of its children, from which facts go into the result.
    """

    def __init__(self, log: str, to: int, encoding: Encoding, *, also: Iterable[str] = ()) -> None:
        """Begin, under the lock of the session; `also` are the logs of its children.

        Raises Unreadable when a newer generation is there, or the directory takes no file.
        """
        self._log = log
        self._seen = {path: _look(path) for path in (log, *also)}
        self._own = look_at(log)
        refuse_succeeded(log)
        ending = ".jsonl.zstd" if encoding == "zstd" else ".jsonl"
        called = f"session.migration.{os.urandom(_RANDOM).hex()}{ending}.tmp"
        super().__init__(os.path.join(os.path.dirname(log), log_name(to, encoding)), called=called)

    def publish(self) -> None:
        """Give the sealed file its name.

        Raises Unreadable when the log or a child was written to meanwhile, a newer generation has come, or the disk
        fails; the name is then not taken, unless only the directory could not be brought to the disk.
        """
        for path, seen in self._seen.items():
            if seen is not None:
                refuse_changed(path, seen)
            elif _look(path) is not None:
                raise Unreadable(f"{shown(path)} has come meanwhile", (_AGAIN,))
        refuse_succeeded(self._log)
        with suppress(PermissionError, AttributeError):  # only root may give a file away, and not everywhere
            os.fchown(self._file.fileno(), self._own.st_uid, self._own.st_gid)
        super().publish()

    def _name(self) -> None:
        """Take the name with a link alone: any other way has a moment at which an empty file has it."""
        try:
            os.link(self.temporary, self.path)
        except (AttributeError, NotImplementedError) as error:
            raise failed(self.path, OSError("there are no hard links here")) from error


def refuse_out_of_place(log: str) -> None:
    """Raise Unreadable for a log that dsh would not look for where it lies, or that is reached through a link."""
    place = home(log)
    if place is None:
        message = f"{shown(log)} does not lie at the place of a log below a sessions root"
        raise Unreadable(message, (_NO_PLACE,))
    session = os.path.join(place.root, place.project, place.segment)
    for path in (log, session, os.path.dirname(session)):
        if os.path.islink(path):
            message = f"{shown(path)} is a symbolic link, and nothing is written through one"
            raise Unreadable(message, (_NO_PLACE,))


def refuse_succeeded(log: str) -> None:
    """Raise Unreadable when a newer generation, of any encoding, stands beside a log."""
    directory, name = os.path.split(log)
    own = parse_log_name(name)
    try:
        names = sorted(os.listdir(directory or os.curdir))
    except OSError as error:
        raise unreadable(directory, error) from error
    for other in names:
        parsed = parse_log_name(other)
        if own is not None and parsed is not None and parsed.generation > own.generation:
            message = f"{shown(log)} has a newer generation beside it, {shown(other)}, which is the one that dsh reads"
            raise Unreadable(message, (f"dshlog diff {shown(directory)}",))


def _look(path: str) -> os.stat_result | None:
    try:
        return look_at(path)
    except Unreadable:
        return None

"""One upgrade for the command line: what is asked for, the result in its container, and the proof of it."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from dshlog.cli.failure import Failure

if TYPE_CHECKING:
    from dshlog.cli.places import Places
    from dshlog.cli.world import World
    from dshlog.files.create import Temporary
    from dshlog.migrate.children import Child
    from dshlog.model.report import Encoding
    from dshlog.report.outlook import Outlook
    from dshlog.storage.source import Source

_LATEST = 4


class Run:
    """What is asked for, and what the roots of the logs say of their children."""

    def __init__(self, world: World, to: int, children: str | None) -> None:
        self.world = world
        self.to = to
        self._stated = None if children is None else _stated(children)

    @cached_property
    def places(self) -> Places:
        """The roots of the logs, each listed once."""
        from dshlog.cli.places import Places

        return Places(self.world)

    def outlook(self, source: Source, path: str, new: Writing | None = None) -> Outlook:
        """Upgrade one log."""
        from dshlog.report.examine import named_encoding
        from dshlog.report.outlook import outlook

        children = self._children(source, path) if self._stated is None else self._stated
        write = None if new is None else new.write
        one = outlook(source, path, named_encoding(path), to=self.to, children=children, write=write)
        if one.done.unheld:
            message = f"{path} has a line too large to be held; nothing was written"
            raise Failure(message, "dshlog validate says what is known of such a line")
        return one if one.ok or one.current or self.to < _LATEST else self._cured(one, source, children)

    def _cured(self, one: Outlook, source: Source, children: list[Child]) -> Outlook:
        """Look for the fixes with which dsh would write the result."""
        from dshlog.repair.prospect import prospect
        from dshlog.report.examine import named_encoding
        from dshlog.report.outlook import Cure

        found = prospect(source, one.path, named_encoding(one.path), lambda _: children)
        return one if found is None else replace(one, cure=Cure(found.fixes, found.loss))

    def _children(self, source: Source, path: str) -> list[Child]:
        from dshlog.report.examine import named_encoding
        from dshlog.report.reading import Reading

        header = Reading(source, named_encoding(path)).header
        if header is None or header.version >= _LATEST:  # only the upgrade to it asks
            return []
        return self.world.family.look(path, header.id)


def _stated(path: str) -> list[Child]:
    from dshlog.files.whole import read_whole
    from dshlog.report.family import stated

    if path == "none":
        return []
    children = stated(read_whole(path))
    if children is None:
        message = f"{path} is no JSON list of children"
        raise Failure(
            message, "each is {childId, childCreatedAt, descriptorCount, descriptor}, as --check --json gives"
        )
    return children


class Writing:
    """Puts the text of a result into its container: the header alone in a frame, all rows in the next, as dsh does."""

    def __init__(self, new: Temporary, encoding: Encoding) -> None:
        from dshlog.report.framing import Fresh, Plain

        self._framing = Fresh(new.write, None, None) if encoding == "zstd" else Plain(new.write)
        self._headed = False

    def write(self, text: bytes) -> None:
        """Take the header line, then whole lines."""
        if self._headed:
            self._framing.text(text)
        else:
            self._headed = True
            self._framing.header(text)

    def close(self) -> None:
        """Write what is left."""
        self._framing.close()


def read_back(one: Outlook, new: Temporary, encoding: Encoding) -> None:
    """Read the new file, judge it, and compare its text with what was to be written."""
    from hashlib import sha256

    from dshlog.files.read import FileSource
    from dshlog.report.rewrite import text_pieces

    digest = sha256()
    with FileSource(new.temporary) as again:
        for piece in text_pieces(again, encoding):
            digest.update(piece)
    if digest.hexdigest() != one.sha256:
        message = f"what was written for {one.path} does not read as it should; nothing was written"
        raise Failure(message, "try again, or another disk")


def write_new(run: Run, source: Source, log: str, out: str) -> Outlook:
    """Write the result of one log into a new file, or into a directory."""
    from dshlog.cli.rewriting import encoding_of, interruptible, refuse_name, refuse_output
    from dshlog.files.create import NewFile
    from dshlog.storage.naming import log_name

    refuse_output(out)
    encoding = encoding_of(source, log)
    if os.path.isdir(out):  # noqa: PTH112 - paths are texts here
        out = os.path.join(out, log_name(run.to, encoding))  # noqa: PTH118
    refuse_name(out, encoding)
    with interruptible(), NewFile(out) as new:
        writing = Writing(new, encoding)
        one = run.outlook(source, log, writing)
        if one.current:
            message = f"{log} is v{one.done.version} already"
            raise Failure(message, "dshlog pack writes it in another container")
        if one.ok:
            writing.close()
            new.seal()
            read_back(one, new, encoding)
            new.publish()
            one = replace(one, written=out)
    return one

"""`dshlog migrate`: a log of an older generation as dsh 0.2.1 would write it, or why it would not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from dshlog.cli.failure import Failure
from dshlog.cli.options import EXIT_MIGRATE, ColourOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.cli.output import Colour
    from dshlog.files.create import NewFile
    from dshlog.migrate.children import Child
    from dshlog.model.report import Encoding
    from dshlog.report.outlook import Outlook
    from dshlog.storage.source import Source

EPILOG = EXIT_MIGRATE
_LOST = 3
_LATEST = 4


def migrate(
    ctx: typer.Context,
    log: Annotated[
        str,
        typer.Argument(
            metavar="PATH", help="A log, a session directory, or - for standard input; with --check also a root."
        ),
    ],
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="The file to write, or the directory for it; the file must not be there yet.",
        ),
    ] = None,
    to: Annotated[int, typer.Option("--to", metavar="N", min=1, max=4, help="The generation of the result.")] = 4,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what would be refused, or written.")
    ] = False,
    children: Annotated[
        str | None,
        typer.Option(
            "--children",
            metavar="FILE|none",
            help="What is known of child sessions, as JSON. Default: what the root of the log knows.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The answer as one JSON document.")] = False,
    color: ColourOption = "auto",
) -> int:
    """Write a log of v0 to v3 as the next generations have it.

    Event for event what dsh 0.2.1 writes when it upgrades the session; otherwise every reason for which it
    would not, of every edge at once. The log itself is never touched.
    """
    world = ctx.find_object(World) or World()
    if check == (output is not None):
        raise typer.BadParameter("give either -o OUT or --check")
    run = _Run(world, to, children)
    if check and log != "-" and os.path.isdir(log) and not _is_session(log):  # noqa: PTH112
        return _check_all(run, log, json=json, color=color)
    return _one(run, log, output, json=json, color=color)


def _is_session(path: str) -> bool:
    """Tell whether a directory is that of a session, and so stands for one log, however many lie below any other."""
    from dshlog.files.unreadable import unreadable
    from dshlog.storage.naming import parse_log_name

    try:
        return any(parse_log_name(name) is not None for name in os.listdir(path))  # noqa: PTH208
    except OSError as error:
        raise unreadable(path, error) from error


class _Run:
    """What is asked for, and what the roots of the logs say of their children."""

    def __init__(self, world: World, to: int, children: str | None) -> None:
        self.world = world
        self.to = to
        self._stated = None if children is None else _stated(children)

    def outlook(self, source: Source, path: str, new: _Writing | None = None) -> Outlook:
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
        from dataclasses import replace

        from dshlog.repair.prospect import prospect
        from dshlog.report.examine import named_encoding
        from dshlog.report.outlook import Cure

        found = prospect(source, one.path, named_encoding(one.path), lambda _: children)
        return one if found is None else replace(one, cure=Cure(found.fixes, found.loss))

    def _children(self, source: Source, path: str) -> list[Child]:
        from dshlog.report.examine import named_encoding
        from dshlog.report.reading import Reading

        header = Reading(source, named_encoding(path)).header
        if header is None or header.version >= 4:  # noqa: PLR2004 - only the upgrade to it asks
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


# -- many


def _check_all(run: _Run, path: str, *, json: bool, color: Colour) -> int:
    from dshlog.report.outlook import Totals

    totals = Totals()
    failed = False
    with Output() as output:
        documents = []
        for name in _found(run.world, path):
            one = _checked(run, name)
            if one is None:
                failed = True
                continue
            totals.add(one)
            if json:
                from dshlog.render.migrate import outlook_dict

                documents.append(outlook_dict(one))
        if json:
            from dshlog.render.jsonout import document
            from dshlog.render.migrate import root_document

            output.data(document(root_document(path, run.to, documents, totals)))
        else:
            from dshlog.render.migrate import totals_lines

            output.lines(totals_lines(totals, look(output, color)))
    if not totals.logs:
        say("note", f"no session log in {path}")
    return 2 if failed else 1 if totals.refused else 0


def _found(world: World, path: str) -> Iterator[str]:
    for found in world.find(path):
        if found.kind == "log":
            yield found.path
        else:
            say("note", f"{found.path}: {found.note or f'it is a {found.kind}'}")


def _checked(run: _Run, path: str) -> Outlook | None:
    from dshlog.files.unreadable import Unreadable

    try:
        with run.world.source(path) as source:
            return run.outlook(source, path)
    except (Failure, Unreadable) as error:
        say("error", error.message, error.hints)
        return None


# -- one


def _one(run: _Run, path: str, out: str | None, *, json: bool, color: Colour) -> int:
    from dshlog.cli.entry import one_log

    log = one_log(run.world, path, "migrate")
    with run.world.kept_source(log) as source:
        one = run.outlook(source, log) if out is None else _write(run, source, log, out)
    with Output() as output:
        if json:
            from dshlog.render.jsonout import exact
            from dshlog.render.migrate import log_document

            output.data(exact(log_document(one)))
        else:
            from dshlog.render.migrate import outlook_lines

            output.lines(outlook_lines(one, look(output, color)))
    if not one.ok:
        if out is not None:
            say("error", f"dsh would not upgrade {log}; nothing was written")
        return 1
    return _LOST if out is not None and one.done.lost else 0


def _write(run: _Run, source: Source, log: str, out: str) -> Outlook:
    from dshlog.cli.rewriting import encoding_of, interruptible, refuse_name
    from dshlog.files.create import NewFile
    from dshlog.storage.naming import log_name

    encoding = encoding_of(source, log)
    if os.path.isdir(out):  # noqa: PTH112 - paths are texts here
        out = os.path.join(out, log_name(run.to, encoding))  # noqa: PTH118
    refuse_name(out, encoding)
    with interruptible(), NewFile(out) as new:
        writing = _Writing(new, encoding)
        one = run.outlook(source, log, writing)
        if one.current:
            message = f"{log} is v{one.done.version} already"
            raise Failure(message, "dshlog pack writes it in another container")
        if one.ok:
            writing.close()
            new.seal()
            _read_back(one, new, encoding)
            new.publish()
    return one


class _Writing:
    """Puts the text of a result into its container: the header alone in a frame, all rows in the next, as dsh does."""

    def __init__(self, new: NewFile, encoding: Encoding) -> None:
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


def _read_back(one: Outlook, new: NewFile, encoding: Encoding) -> None:
    """Read the new file and compare its text with what was to be written."""
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

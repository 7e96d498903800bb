"""`dshlog migrate`: a log of an older generation as dsh 0.2.1 would write it, or why it would not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from dshlog.cli.entry import is_stored, looked_up, one_log, stored
from dshlog.cli.failure import Failure, unforeseen
from dshlog.cli.options import EXIT_MIGRATE, ColourOption, RootOption, SessionOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.upgrading import Run, write_new
from dshlog.cli.world import World
from dshlog.model.vocabulary import LATEST
from dshlog.render.words import path_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dshlog.cli.output import Colour
    from dshlog.files.unreadable import Unreadable
    from dshlog.render.jsonout import Json
    from dshlog.report.outlook import Outlook

    Doing = Callable[[Run, str], Outlook]

EPILOG = EXIT_MIGRATE
_LOST = 3
_LISTING = "listing-fails"  # dsh lists a root before it upgrades any session of it; what is published is not upgraded


def migrate(
    ctx: typer.Context,
    log: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A log, a session directory, a session of a database, or - for standard input; with --check also a root or a whole database.",
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
    in_store: Annotated[
        bool,
        typer.Option(
            "--in-store",
            help="Publish the result in its place as dsh does; of a root for each session. With --check only say so.",
        ),
    ] = False,
    children: Annotated[
        str | None,
        typer.Option(
            "--children",
            metavar="FILE|none",
            help="What is known of child sessions, as JSON. Default: what the root of the log knows.",
        ),
    ] = None,
    session: SessionOption = None,
    json: Annotated[bool, typer.Option("--json", help="The answer as one JSON document.")] = False,
    root: RootOption = None,
    color: ColourOption = "auto",
) -> int:
    """Write a log of v0 to v3 as the next generations have it.

    Event for event what dsh 0.2.1 writes when it upgrades the session; otherwise every reason for which it
    would not, of every edge at once. The log itself is never touched. With --in-store the result stands beside
    the log, where dsh reads it from then on; of a root, each session on its own.
    """
    world = ctx.find_object(World) or World()
    _refuse_usage(output, to, check=check, in_store=in_store)
    if in_store and log == "-":
        raise typer.BadParameter("--in-store needs a log in its place, which standard input is not")
    if in_store and children is not None:
        raise typer.BadParameter("--in-store takes the children that the root holds, so it excludes --children")
    log = stored(world, looked_up(world, log, root, "migrate"), session, "migrate")
    if in_store and is_stored(log):
        message = f"{path_name(log)} stands in a database, beside which no dsh looks for a log"
        raise Failure(message, "-o OUT writes the result as a log")
    run = Run(world, to, children)
    one: Doing = checked
    if in_store:
        from dshlog.cli.instore import planned, publish

        one = planned if check else publish
    if output is None and log != "-" and _holds_many(log):
        with Output() as out:
            many = _Many(run, one, out, writes=in_store and not check, json=json, color=color)
            many.over(log)
            return many.sum(log, listed=not in_store)
    return _one(run, log, None if output is not None else one, output, json=json, color=color)


def _refuse_usage(output: str | None, to: int, *, check: bool, in_store: bool) -> None:
    if output is not None and (check or in_store):
        raise typer.BadParameter("-o goes with neither --check nor --in-store")
    if output is None and not check and not in_store:
        raise typer.BadParameter("give -o OUT, --in-store or --check")
    if in_store and to < LATEST:
        raise typer.BadParameter(f"--in-store publishes what dsh 0.2.1 does, which is v{LATEST}")


def _holds_many(path: str) -> bool:
    """Tell whether a path stands for all logs in it: a directory above sessions, or a database."""
    from dshlog.files.dbpath import is_database

    return not _is_session(path) if os.path.isdir(path) else is_database(path)  # noqa: PTH112


def _is_session(path: str) -> bool:
    """Tell whether a directory is that of a session, and so stands for one log, however many lie below any other."""
    from dshlog.files.unreadable import unreadable
    from dshlog.storage.naming import parse_log_name

    try:
        return any(parse_log_name(name) is not None for name in os.listdir(path))  # noqa: PTH208
    except OSError as error:
        raise unreadable(path, error) from error


# -- many


def checked(run: Run, log: str) -> Outlook:
    """Upgrade one log and keep nothing of the result."""
    with run.world.source(log) as source:
        return run.outlook(source, log)


class _Many:
    """One run over the logs behind a directory; one that cannot be done does not stop the others."""

    def __init__(self, run: Run, do: Doing, output: Output, *, writes: bool, json: bool, color: Colour) -> None:
        from dshlog.cli.places import Places
        from dshlog.report.outlook import Totals

        self._run, self._do, self._output = run, do, output
        self._writes, self._json, self._color = writes, json, color
        self._documents: list[Json] = []
        self._failed: list[tuple[str, str]] = []
        self._totals = Totals()
        self._places = Places(run.world)  # each log of it once, whatever is done with it

    def over(self, path: str) -> None:
        """Do every log below a directory, and look at its place."""
        from dshlog.files.unreadable import Unreadable

        self._places.enter(path)
        for name in _found(self._run.world, path):
            try:
                self._placed(name)
                one = self._do(self._run, name)
            except (Failure, Unreadable) as error:
                self._fail(name, error)
            except Exception as error:  # noqa: BLE001 - a fault of the program, which stops no other log
                self._fail(name, unforeseen(error, name))
            else:
                self._told(one)

    def _fail(self, name: str, error: Failure | Unreadable) -> None:
        say("error", error.message, error.hints)
        self._failed.append((name, error.message))

    def _placed(self, path: str) -> None:
        from dshlog.report.examine import Examination

        watch = self._places.watch(path)
        if watch is not None:
            with self._run.world.source(path) as source:
                report = Examination(source, path).report()  # of the header alone
            self._places.settle(watch, report)

    def _told(self, one: Outlook) -> None:
        self._totals.add(one)
        if self._json:
            from dshlog.render.migrate import outlook_dict

            self._documents.append(outlook_dict(one))
        elif self._writes and not one.current:
            from dshlog.render.migrate import short_line

            self._output.text([short_line(one)], look(self._output, self._color).width)
            self._output.flush()

    def sum(self, path: str, *, listed: bool) -> int:
        """Print the totals and give the exit status; `listed` says that dsh has to list the root first."""
        totals, failed = self._totals, self._failed
        store = [found for found in self._places.findings() if found.name == _LISTING]
        unlisted = bool(store) and listed and totals.upgradable > 0
        if self._json:
            from dshlog.render.jsonout import document
            from dshlog.render.migrate import root_document

            ok = not (totals.refused or failed or unlisted)
            told = root_document(path, self._run.to, self._documents, totals, ok=ok, failed=failed, store=store)
            self._output.data(document(told))
        else:
            from dshlog.render.migrate import totals_lines
            from dshlog.render.text import store_lines

            looks = look(self._output, self._color)
            self._output.text(store_lines(store, looks), looks.width)
            self._output.text(totals_lines(totals, looks, failed=len(failed)), looks.width)
        if not totals.logs and not failed:
            say("note", f"no session log in {path}")
        if failed:
            return 2
        if totals.refused or unlisted:
            return 1
        return _LOST if self._writes and totals.lost else 0


def _found(world: World, path: str) -> Iterator[str]:
    from dshlog.cli.entry import unreadable_entry

    for found in world.find(path):
        if found.kind == "log":
            yield found.path
        elif found.path == path:
            raise unreadable_entry(found)
        else:
            say("note", f"{found.path}: {found.note or f'it is a {found.kind}'}")


# -- one


def _one(run: Run, path: str, do: Doing | None, out: str | None, *, json: bool, color: Colour) -> int:
    log = one_log(run.world, path, "migrate")
    if do is not None and log != "-":
        one = do(run, log)
    else:
        with run.world.kept_source(log) as source:
            one = run.outlook(source, log) if out is None else write_new(run, source, log, out)
    with Output() as output:
        if json:
            from dshlog.render.jsonout import exact
            from dshlog.render.migrate import log_document

            output.data(exact(log_document(one)))
        else:
            from dshlog.render.migrate import outlook_lines

            output.text(outlook_lines(one, look(output, color)), look(output, color).width)
    if not one.ok:
        if do is not checked:
            say("error", f"dsh would not upgrade {log}; nothing was written")
        return 1
    return _LOST if one.written is not None and one.done.lost else 0

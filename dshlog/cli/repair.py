"""`dshlog repair`: close, cut and mend logs; a plan unless it is told to write."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dshlog.cli.failure import Failure, unforeseen
from dshlog.cli.headers import LOST_HEADER, Given, known_header
from dshlog.cli.mending import Mended, Target, mend
from dshlog.cli.options import EXIT_REPAIR, ColourOption, RootOption, SessionOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.places import Places
from dshlog.cli.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.files.unreadable import Unreadable
    from dshlog.model.finding import Finding
    from dshlog.repair.asked import Asked
    from dshlog.repair.planner import Wishes

Side = Literal["first", "second"]

EPILOG = EXIT_REPAIR


def repair(
    ctx: typer.Context,
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH",
            help="A log, a session or project directory, a sessions root, a database, or - for standard input.",
        ),
    ] = None,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="OUT", help="Write the result to this file, which must not be there yet."
        ),
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Put the result in the place of the log, which is kept as a backup.")
    ] = False,
    allow_loss: Annotated[
        bool,
        typer.Option("--allow-loss", help="Agree to what the plan says is lost; without it nothing lossy is written."),
    ] = False,
    keep: Annotated[
        Side | None,
        typer.Option(
            "--keep", help="Of a log that two writers continued: the branch that stays. The first one begins first."
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option("--split", metavar="DIR", help="Of such a log write both, as DIR/first and DIR/second."),
    ] = None,
    fix: Annotated[
        list[str] | None,
        typer.Option(
            "--fix",
            metavar="NAME[=VALUE]",
            help="Also make this repair, which is made only when it is named; list prints them all. Or the code or the name "
            "of a finding: cure it, though dsh opens the log with it or nothing is damaged.",
        ),
    ] = None,
    id_: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="ID",
            help="With --fix H103: the session id for a header that is lost. Default: from its place.",
        ),
    ] = None,
    cwd: Annotated[
        str | None,
        typer.Option("--cwd", metavar="DIR", help="With --fix H103: the working directory for that header."),
    ] = None,
    relocate: Annotated[
        bool,
        typer.Option(
            "--relocate",
            help="Instead: give logs and session directories the names that their headers name; moves only with --in-place.",
        ),
    ] = False,
    backup_dir: Annotated[
        str | None,
        typer.Option(
            "--backup-dir",
            metavar="DIR",
            help="Where --in-place keeps old logs. Default: dshlog-backups beside the root.",
        ),
    ] = None,
    lost_found: Annotated[
        str | None,
        typer.Option("--lost-found", metavar="DIR", help="Keep every record that is lost in a file of this directory."),
    ] = None,
    receipt: Annotated[
        str | None,
        typer.Option(
            "--receipt", metavar="FILE", help="Write what was done, with hashes before and after, to this new file."
        ),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print each record that is changed, dropped or added.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The plan, and what was written, as one JSON document.")] = False,
    root: RootOption = None,
    session: SessionOption = None,
    color: ColourOption = "auto",
) -> int:
    """Plan the repair of logs, and carry it out when told to.

    Without -o or --in-place nothing is written: the plan says what happened, what stays, what goes, what is
    added and what is lost. What dsh opens is closed exactly as dsh closes it; a log with nothing to do is
    left alone.
    """
    from dshlog.cli.entry import is_stored, looked_up, stored, tell_remarks
    from dshlog.repair.planner import Wishes

    if sum((output is not None, in_place, split is not None)) > 1:
        raise typer.BadParameter("-o, --in-place and --split exclude each other")
    if split is not None and keep is not None:
        raise typer.BadParameter("--split writes both branches; leave --keep out")
    if in_place and path == "-":
        raise typer.BadParameter("standard input has no place; name a file with -o")
    if backup_dir is not None and not in_place:
        raise typer.BadParameter("--backup-dir goes with --in-place")
    if receipt is not None and not (in_place or output is not None or split is not None):
        raise typer.BadParameter("--receipt goes with -o, --in-place or --split: a plan does nothing")
    if fix == ["list"]:
        return _list(json=json, color=color)
    if path is None:
        raise typer.BadParameter("name a log, or --fix list")
    world = ctx.find_object(World) or World()
    if relocate:
        from dshlog.cli.relocating import relocate as move

        if output is not None or split is not None or path == "-":
            raise typer.BadParameter("--relocate goes with --in-place and --json alone, for a path")
        return move(world, looked_up(world, path, root, "repair"), carry_out=in_place, json=json)
    named = _named(fix or [])
    if (id_ is not None or cwd is not None) and LOST_HEADER not in named.findings:
        raise typer.BadParameter("--id and --cwd go with --fix H103")
    given = Given(id_, cwd) if LOST_HEADER in named.findings else None
    wishes = Wishes(
        now=int(time.time() * 1000), allow_loss=allow_loss, keep=keep, fix=named.findings, fixes=named.fixes
    )
    target = Target(out=output, in_place=in_place, split=split, backups=backup_dir, lost_found=lost_found)
    run = _Run(world, wishes, target, given)
    asked = stored(world, looked_up(world, path, root, "repair"), session, "repair")
    if in_place and is_stored(asked):
        message = f"{asked} stands in a database, and dshlog never writes to one"
        raise Failure(message, "-o OUT writes the result as a log")
    run.over(asked)
    tell_remarks(world)
    with Output() as out:
        run.print(out, color, json=json, diff=diff)
    if receipt is not None:
        run.write_receipt(receipt)
    return run.status()


class _Run:
    """One run over the logs behind a path; one that fails does not stop the others."""

    def __init__(self, world: World, wishes: Wishes, target: Target, given: Given | None) -> None:
        self._world, self._wishes, self._target, self._given = world, wishes, target, given
        self._done: list[Mended] = []
        self._places = Places(world)
        self._beyond: list[Finding] = []  # of names and places, which no plan mends
        self._many = False
        self._failed = False
        self._path = ""

    def over(self, path: str) -> None:
        """Plan every log, and write what was asked for."""
        from dshlog.files.unreadable import Unreadable

        self._path = path
        logs = list(self._logs(path))
        self._many = len(logs) != 1
        one = self._target.out is not None or self._target.split is not None
        if self._many and one:
            message = f"{path} holds {len(logs)} logs, and -o or --split is for one"
            raise Failure(message, "use --in-place, or name one log")
        self._many = self._many or self._target.split is not None
        if path != "-" and not one:
            self._places.enter(path)
        for log in logs:
            try:
                done = mend(self._world, log, self._wished(log), self._target)
                self._done += done if one else [self._placed(log, each) for each in done]
            except (Unreadable, Failure) as error:
                self._stop(error)
            except Exception as error:
                if not self._many:
                    raise
                self._stop(unforeseen(error, log))
        self._beyond += self._places.findings()

    def _stop(self, error: Unreadable | Failure) -> None:
        """Tell why a log could not be done; of one alone the run ends."""
        if not self._many:
            raise error
        self._failed = True
        say("error", error.message, error.hints)

    def _wished(self, log: str) -> Wishes:
        """Give what is asked for, with what is known of a header that may be written anew."""
        if self._given is None:
            return self._wishes
        return replace(self._wishes, header=known_header(self._world, log, self._given))

    def _placed(self, log: str, done: Mended) -> Mended:
        """Give what came of a log with what its place says of it, as it is now."""
        settle = self._places.settling(log)
        report = done.plan.before
        if done.written is not None:
            with self._world.source(log) as source:
                report = self._world.examine(source, log, reader="native")
        told = [found for found in settle(report).findings if found.code[0] == "D" and found.severity != "note"]
        self._beyond += told
        return replace(done, store=tuple(told))

    def _logs(self, path: str) -> Iterator[str]:
        from dshlog.cli.entry import unreadable_entry

        if path == "-":
            yield path
            return
        for entry in self._world.find(path):
            if entry.kind == "log":
                yield entry.path
            elif entry.path == path:
                raise unreadable_entry(entry)
            else:
                self._failed = True
                say("error", f"cannot read {entry.path}: {entry.note}", entry.hints)

    def print(self, out: Output, color: str, *, json: bool, diff: bool) -> None:
        """Print what there is to say about each log, and the sum over many."""
        if json:
            out.data(self._document())
            return
        from dshlog.render.repair import diff_lines, next_lines, plan_lines
        from dshlog.render.repaired import summary_lines
        from dshlog.render.text import store_lines
        from dshlog.render.words import shell_word
        from dshlog.repair.relocate import MOVED

        looks = look(out, color)  # type: ignore[arg-type]
        for done in self._done:
            if self._many and done.plan.healthy and done.plan.why_not is None:
                continue
            out.text(plan_lines(done.plan, looks), looks.width)
            if diff:
                out.lines(diff_lines(done.plan))
            out.text(
                written_lines(done)
                if done.written is not None
                else next_lines(done.plan, self._wished(done.plan.before.path)),
                looks.width,
            )
        out.text(store_lines(self._beyond, looks), looks.width)
        if any(found.name in MOVED for found in self._beyond):
            out.lines((f"next: dshlog repair --relocate {shell_word(self._path)}",))
        if self._many and self._done:
            came = ((done.plan, done.written is not None) for done in self._done)
            out.text(summary_lines(came, self._path), looks.width)

    def _document(self) -> bytes:
        from dshlog.render.jsonout import SCHEMA, exact, finding_dict
        from dshlog.render.repair import plan_dict

        plans = [
            plan_dict(done.plan, written=done.written, backup=done.backup, receipt=done.receipt, store=done.store)
            for done in self._done
        ]
        told = {id(found) for done in self._done for found in done.store}
        store = [finding_dict(found) for found in self._beyond if id(found) not in told]
        if self._many:
            return exact({"schema": SCHEMA, "logs": plans, "store": store})
        return exact(plans[0] | {"store": [*plans[0]["store"], *store]})

    def write_receipt(self, path: str) -> None:
        """Write the receipt of every log that was written."""
        from dshlog.files.create import NewFile

        with NewFile(path) as new:
            new.write(self._document())
            new.seal()
            new.publish()

    def status(self) -> int:
        """Give the exit status: the worst of all logs."""
        if self._failed:
            return 2
        beyond = any(found.severity == "error" for found in self._beyond)
        worst = max((_status(done, wanted=self._target.writes) for done in self._done), default=0)
        return 1 if beyond and worst == 0 else worst


def _named(given: list[str]) -> Asked:
    """Read what is named behind --fix."""
    from dshlog.repair.asked import UnknownFixError, asked

    try:
        return asked(given)
    except UnknownFixError as error:
        message = f"--fix: {error}; dshlog repair --fix list prints all fixes"
        raise typer.BadParameter(message) from error


def _list(*, json: bool, color: str) -> int:
    """Print the fixes that are made only when they are named."""
    with Output() as out:
        if json:
            from dshlog.render.fixes import fixes_dict
            from dshlog.render.jsonout import document

            out.data(document(fixes_dict()))
        else:
            from dshlog.render.fixes import fixes_lines

            out.lines(fixes_lines(look(out, color)))  # type: ignore[arg-type]
    return 0


def written_lines(done: Mended) -> Iterator[str]:
    """Yield where the result is, and how to go back."""
    from dshlog.render.words import path_name, shell_word

    if done.written is None:
        return
    yield f"written: {path_name(done.written)}"
    if done.backup is not None:
        yield f"backup:  {path_name(done.backup)}"
        yield f"  to go back: cp {shell_word(done.backup)} {shell_word(done.written)}"


def _status(done: Mended, *, wanted: bool) -> int:
    plan = done.plan
    if done.written is not None:
        return 3 if done.plan.lossy else 0
    errors = any(found.severity == "error" for found in plan.before.findings)
    refused = wanted and plan.why_not is not None  # to be written, and it was not
    return 1 if errors or refused or plan.script is None else 0

"""`dshlog validate`: judge logs, never write to one."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from dshlog.cli.asked import Asked, FailOn, Format, Reader, asked, left_out
from dshlog.cli.options import EXIT_VALIDATE, ColourOption, RootOption, SessionOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.progress import on_terminal
from dshlog.cli.walk import Task, Walk
from dshlog.cli.world import World

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Sequence

    from dshlog.cli.printers import Printer
    from dshlog.model.finding import Finding
    from dshlog.render.tally import Tally
    from dshlog.report.fingerprint import Identity

EPILOG = EXIT_VALIDATE

_NO_ROOT = ("this is where dsh keeps its sessions; name a PATH, or set DSH_HOME",)
_CODES = "may be given several times, or with commas; S means every code that begins so"


def validate(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="A log, a session or project directory, a sessions root, a database, or - for standard input. "
            "Default: --root, else $DSH_HOME/sessions, else ~/.dsh/sessions.",
        ),
    ] = None,
    *,
    format: Annotated[  # noqa: A002 - the name of the option
        Format,
        typer.Option(
            "--format",
            help="How to print: words, one JSON document, one JSON object a log, or what a CI understands.",
        ),
    ] = "text",
    reader: Annotated[
        Reader, typer.Option("--reader", help="The dsh build that state, severity and exit status follow.")
    ] = "latest",
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="The least severe finding that makes the exit status 1.")
    ] = "error",
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODE", help=f"Show and count only these findings; {_CODES}."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Neither show nor count these findings.")
    ] = None,
    severity: Annotated[
        list[str] | None,
        typer.Option("--severity", metavar="CODE=LEVEL", help="Take these findings for an error, a warning or a note."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="FILE", help="Leave out the findings that this file knows.")
    ] = None,
    new_baseline: Annotated[
        str | None,
        typer.Option("--write-baseline", metavar="FILE", help="Write the findings of this run to a baseline."),
    ] = None,
    deep: Annotated[
        bool,
        typer.Option("--deep/--no-deep", help="Also replay embedded streams and compare them with their messages."),
    ] = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Only findings of framing, JSON, header, envelope, chunk runs and surface."),
    ] = False,
    vocabulary: Annotated[
        list[str] | None,
        typer.Option(
            "--vocabulary", metavar="FILE", help="Event types of a plugin or another build to know, one a line."
        ),
    ] = None,
    show_content: Annotated[
        bool, typer.Option("--show-content", help="With each finding the beginning of its record, as text.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="Processes. Default: all cores for much work, else 1."),
    ] = None,
    all_generations: Annotated[
        bool, typer.Option("--all-generations", help="Judge the older generations of a session too.")
    ] = False,
    root: RootOption = None,
    session: SessionOption = None,
    config: Annotated[
        str | None,
        typer.Option(
            "--config", metavar="FILE", help="Take settings from this file, not from dshlog.toml or pyproject.toml."
        ),
    ] = None,
    no_config: Annotated[bool, typer.Option("--no-config", help="Take no settings from any file.")] = False,
    color: ColourOption = "auto",
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="With several logs: everything about each, clean ones too.")
    ] = False,
) -> int:
    """Judge logs as dsh would.

    Names every defect with its place and its cure, and says whether dsh opens the log. One bad log
    never stops a run over many. Never writes to a log.
    """
    given = {
        "format": format,
        "reader": reader,
        "fail-on": fail_on,
        "select": select,
        "ignore": ignore,
        "severity": severity,
        "baseline": baseline,
        "vocabulary": vocabulary,
        "deep": deep,
    }
    if paths and paths.count("-") > 1:
        raise typer.BadParameter("standard input, -, can be read once only")
    settings = asked(ctx, config=config, no_config=no_config, quick=quick, given=given)
    if show_content and settings.format != "text":
        raise typer.BadParameter("--show-content goes with --format text only")
    world = ctx.find_object(World) or World()
    from dshlog.cli.entry import all_looked_up

    known, unknown = all_looked_up(world, paths or [], root, "validate", session)
    wanted = known if paths else [world.default_root() if root is None else root]
    if session is not None and not paths:
        raise typer.BadParameter("--session needs the PATH of a database")
    task = Task(
        world=world,
        reader=settings.reader,
        deep=settings.deep,
        extra_types=settings.extra_types,
        upgrade=settings.upgrade,
    )
    progress = on_terminal()
    walk = Walk(task, all_generations=all_generations, jobs=jobs, progress=progress)
    walk.errors += unknown
    run = _Run(settings, walk, new_baseline)
    with Output() as output, progress or nullcontext():
        from dshlog.cli.printers import Run, printer

        about = Run(
            world=world,
            tally=run.tally,
            reader=settings.reader,
            look=lambda: look(output, color),
            verbose=verbose,
            show_content=show_content,
            errors=walk.errors,
            older=walk.older,
            left_out=lambda: left_out(settings),
        )
        run.print(
            printer(settings.format, output, about),
            _distinct(wanted),
            () if paths or root else _NO_ROOT,
        )
    return run.status()


def _distinct(paths: list[str]) -> list[str]:
    """Give each path once, at its first place."""
    return list(dict.fromkeys(paths))


class _Run:
    """One run: reports are chosen from, remembered for a new baseline, counted and printed."""

    def __init__(self, settings: Asked, walk: Walk, new_baseline: str | None) -> None:
        from dshlog.render.tally import Tally

        self._settings, self._walk, self._new = settings, walk, new_baseline
        self.tally: Tally = Tally(settings.fail_on)
        self._note: Callable[[Sequence[Finding]], None] | None = None
        if new_baseline is not None:
            self._known, self._note = _collector(new_baseline)

    def print(self, printer: Printer, paths: list[str], hints: tuple[str, ...]) -> None:
        """Judge and print everything."""
        choice, baseline, note = self._settings.choice, self._settings.baseline, self._note
        with closing(self._walk.reports(paths, hints=hints)) as reports:
            for every in reports:
                report = choice.report(every)
                if note is not None:
                    note(report.findings)
                if baseline is not None:
                    report = baseline.report(report)
                self.tally.add(report)
                printer.log(report)
        store: Sequence[Finding] = choice.findings(self._walk.store())
        if note is not None:
            note(store)
        if baseline is not None:
            store = baseline.findings(store)
        self.tally.add_store(store)
        printer.close(store)

    def status(self) -> int:
        """Give the exit status; a new baseline is written before, and knows every finding of this run."""
        if self._new is not None:
            from dshlog.cli.asked import write_baseline

            if self._walk.failed:
                say("note", f"{self._new} is not written, because not everything could be read")
            else:
                write_baseline(self._new, self._known)
                return 0
        if self._walk.failed or self.tally.unread:
            return 2
        return 1 if self.tally.failed or self.tally.failed_roots else 0


def _collector(path: str) -> tuple[Counter[Identity], Callable[[Sequence[Finding]], None]]:
    """Give the counts of a new baseline, and what adds findings to them."""
    from collections import Counter

    from dshlog.cli.asked import beside
    from dshlog.report.fingerprint import identity

    known: Counter[Identity] = Counter()
    spelled = beside(path)

    def note(findings: Sequence[Finding]) -> None:
        known.update(identity(finding, spelled) for finding in findings)

    return known, note

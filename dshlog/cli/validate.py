"""`dshlog validate`: judge logs, never write."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dshlog.cli.options import EXIT_VALIDATE, ColourOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.places import Places
from dshlog.cli.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.finding import Finding
    from dshlog.model.report import Report
    from dshlog.render.tally import Tally

Format = Literal["text", "json", "ndjson"]
Reader = Literal["native", "latest", "0.1.2", "0.1.5", "0.2.1"]
FailOn = Literal["error", "warning", "note"]

EPILOG = EXIT_VALIDATE

_NO_ROOT = ("this is where dsh keeps its sessions; name a PATH, or set DSH_HOME",)


def validate(
    ctx: typer.Context,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="A log, a session or project directory, a sessions root, or - for standard input. "
            "Default: $DSH_HOME/sessions, else ~/.dsh/sessions.",
        ),
    ] = None,
    *,
    format: Annotated[  # noqa: A002 - the name of the option
        Format, typer.Option("--format", help="How to print: words, one JSON document, or one JSON object a log.")
    ] = "text",
    reader: Annotated[
        Reader, typer.Option("--reader", help="The dsh build that state, severity and exit status follow.")
    ] = "latest",
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="The least severe finding that makes the exit status 1.")
    ] = "error",
    all_generations: Annotated[
        bool, typer.Option("--all-generations", help="Judge the older generations of a session too.")
    ] = False,
    color: ColourOption = "auto",
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="With several logs: everything about each, clean ones too.")
    ] = False,
) -> int:
    """Judge logs as dsh would.

    Names every defect with its place and its cure, and says whether dsh opens the log. One bad log
    never stops a run over many. Never writes.
    """
    from dshlog.render.tally import Tally

    world = ctx.find_object(World) or World()
    run = _Run(world, reader=reader, all_generations=all_generations)
    tally = Tally(fail_on)
    with Output() as output:
        reports = run.reports(paths) if paths else run.reports([world.default_root()], hints=_NO_ROOT)
        if format == "text":
            _print_text(output, run, reports, tally, color=color, verbose=verbose)
        else:
            _print_json(output, run, reports, tally, reader=reader, whole=format == "json")
    if run.failed:
        return 2
    return 1 if tally.failed or tally.failed_roots else 0


class _Run:
    """One walk over all paths; what cannot be read is told and does not stop it."""

    def __init__(self, world: World, *, reader: str, all_generations: bool) -> None:
        self._world = world
        self._reader = reader
        self._all_generations = all_generations
        self._places = Places(world, every=all_generations)
        self.failed = False
        self.older: list[str] = []

    def reports(self, paths: list[str], *, hints: tuple[str, ...] = ()) -> Iterator[Report]:
        """Yield a report per log, in the order of the paths."""
        from dshlog.files.unreadable import Unreadable

        for path in paths:
            try:
                yield from self._below(path)
            except Unreadable as error:
                self.failed = True
                say("error", error.message, (*error.hints, *hints))

    def store(self) -> list[Finding]:
        """Give what the roots have to say that belongs to no single log, once every log was judged."""
        return list(self._places.findings())

    def _below(self, path: str) -> Iterator[Report]:
        from dshlog.cli.entry import unreadable_entry, unreadable_report
        from dshlog.files.unreadable import Unreadable

        if path == "-":
            yield self._judge(path)
            return
        empty = True
        self._places.enter(path)
        for found in self._world.find(path, all_generations=self._all_generations):
            empty = False
            self.older += found.older
            if found.kind == "unreadable" and found.path == path:
                raise unreadable_entry(found)
            watch = self._places.watch(found.path)
            if found.kind != "log":
                report = unreadable_report(found.path, found.note or f"it is a {found.kind}")
            else:
                if found.note and watch is None:
                    say("note", f"{found.path}: {found.note}")
                try:
                    report = self._judge(found.path)
                except Unreadable as error:
                    if found.path == path:
                        raise
                    # One entry among many: a finding of its own, so that the run can go on.
                    report = unreadable_report(found.path, error.why)
            yield report if watch is None else self._places.settle(watch, report)
        if empty:
            say("note", f"no session log in {path}")

    def _judge(self, path: str) -> Report:
        with self._world.source(path) as source:
            return self._world.examine(source, path, reader=self._reader)


def _print_text(
    output: Output, run: _Run, reports: Iterator[Report], tally: Tally, *, color: ColourOption, verbose: bool
) -> None:
    from dshlog.render.text import next_line, report_lines, short_line, store_lines
    from dshlog.render.words import listed_paths

    looks = look(output, color)
    first = list(islice(reports, 2))
    several = len(first) > 1
    for report in chain(first, reports):
        tally.add(report)
        if verbose or not several:
            output.lines(report_lines(report, looks))
        elif report.findings or report.state != "clean":
            output.lines((short_line(report, looks),))
        if output.is_terminal:
            output.flush()
    store = run.store()
    tally.add_store(store)
    output.lines(store_lines(store, looks))
    if several:
        output.lines(tally.lines(looks))
    elif first and (command := next_line(first[0])):
        output.lines((command,))
    if run.older:
        output.lines((f"older generations, not judged: {listed_paths(run.older)}; see --all-generations",))


def _print_json(
    output: Output, run: _Run, reports: Iterator[Report], tally: Tally, *, reader: str, whole: bool
) -> None:
    from dshlog import __version__
    from dshlog.render.jsonout import document, line, log_dict, validate_dict

    logs = []
    for report in reports:
        tally.add(report)
        log = log_dict(report)
        if whole:
            logs.append(log)
        else:
            output.data(line(log))
    store = run.store()
    tally.add_store(store)
    if whole:
        output.data(document(validate_dict(logs, reader=reader, version=__version__, store=store)))
    elif store:
        codes = ", ".join(sorted({finding.code for finding in store}))
        say("note", f"{len(store)} findings about the root itself ({codes}); --format json or text has them")

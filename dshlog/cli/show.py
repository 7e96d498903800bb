"""`dshlog show`: look at one log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dshlog.cli.entry import one_log
from dshlog.cli.failure import Failure
from dshlog.cli.options import EXIT_READ, ColourOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.world import World

if TYPE_CHECKING:
    from dshlog.model.report import Report

EPILOG = EXIT_READ


def show(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A log, a session directory, or - for standard input.")],
    *,
    surface: Annotated[
        bool, typer.Option("--surface", help="What the model sees: one row a node, and what it replaced.")
    ] = False,
    at: Annotated[
        int | None, typer.Option("--at", metavar="SEQ", min=0, help="The surface after this event; implies --surface.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="The surface as JSON; without --surface or --at, the facts as JSON.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="The whole text below each row; implies --surface.")] = False,
    color: ColourOption = "auto",
) -> int:
    """Look at one log.

    Without an option a card of one screen: facts, state, what is open, the last messages, what to run
    next. With --surface what the model sees. Never writes.
    """
    world = ctx.find_object(World) or World()
    log = one_log(world, path, "show")
    with world.source(log) as source:
        view, report = world.surface_view(source, log, at=at)
    if at is not None:
        _refuse_beyond(report, at)
    wants_surface = surface or full or at is not None
    with Output() as output:
        if json:
            from dshlog.render.jsonout import card_dict, document, surface_dict

            output.data(document(surface_dict(view) if wants_surface else card_dict(report)))
        elif wants_surface:
            from dshlog.render.surface import surface_lines

            output.lines(surface_lines(view, look(output, color), full=full))
        else:
            from dshlog.render.card import card_lines

            output.lines(card_lines(report, view, look(output, color)))
    return status(report)


def _refuse_beyond(report: Report, at: int) -> None:
    if at < report.events:
        return
    message = f"no event {at}: " + (f"the last seq is {report.events - 1}" if report.events else "the log has no event")
    raise Failure(message)


def status(report: Report) -> int:
    """Give the exit status for a log that was printed, and say why if not all of it could be."""
    from dshlog.render.text import leading

    worst = leading(report)
    if worst is None or worst.severity != "error":
        return 0
    line = "" if worst.place.line is None else f" at line {worst.place.line}"
    say(
        "note",
        f"{report.path} is {report.state}{line}, {worst.code} {worst.name}: {worst.message}; "
        "what can be read is printed",
    )
    return 1

"""`dshlog show`: look at one log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dshlog.cli.command import Command
from dshlog.cli.entry import looked_up, one_log, stored, tell_remarks
from dshlog.cli.lenses import Lens, refuse_beyond
from dshlog.cli.options import EXIT_READ, ColourOption, RootOption, SessionOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.places import settling
from dshlog.cli.requesting import PREVIOUS, request_name
from dshlog.cli.world import World

if TYPE_CHECKING:
    from dshlog.model.report import Report
    from dshlog.model.request import Name

EPILOG = EXIT_READ


class COMMAND(Command):
    """`--diff` may stand without a request."""

    bare = {"--diff": PREVIOUS}  # noqa: RUF012 - as Command


def show(
    ctx: typer.Context,
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH", help="A log, a session directory, a session of a database, or - for standard input."
        ),
    ],
    *,
    surface: Annotated[
        bool, typer.Option("--surface", help="What the model sees: one row a node, and what it replaced.")
    ] = False,
    transcript: Annotated[
        bool,
        typer.Option("--transcript", help="What the person saw: messages as they were appended, calls with results."),
    ] = False,
    events: Annotated[bool, typer.Option("--events", help="One row an event: time, type, turn, size, facts.")] = False,
    turns: Annotated[
        bool, typer.Option("--turns", help="One row a turn: steps, calls, failures, duration, end, tokens.")
    ] = False,
    frames: Annotated[
        bool, typer.Option("--frames", help="One row a zstd frame: offset, size, decoded size, ratio, rows.")
    ] = False,
    request: Annotated[
        str | None,
        typer.Option(
            "--request",
            metavar="N",
            help="What the model was given: config, tools, messages. N counts the request headers from 1; N.K is the "
            "K-th call under one.",
        ),
    ] = None,
    diff: Annotated[
        str | None,
        typer.Option(
            "--diff",
            metavar="[M]",
            help="With --request: what differs from request M, by default the one before, and which event did it.",
        ),
    ] = None,
    stream: Annotated[
        int | None,
        typer.Option(
            "--stream", metavar="SEQ", min=0, help="The model call of this message, attempt or chunk with its timing."
        ),
    ] = None,
    why: Annotated[
        int | None,
        typer.Option("--why", metavar="SEQ", min=0, help="Why the model sees this event or does not: who replaced it."),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            "--at", metavar="SEQ", min=0, help="The view after this event; without another view that of the surface."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The view as JSON; without a view the facts as JSON.")] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="The whole of each row: texts, payloads, steps, types; without a view that of the surface."
        ),
    ] = False,
    root: RootOption = None,
    session: SessionOption = None,
    color: ColourOption = "auto",
) -> int:
    """Look at one log.

    Without an option a card of one screen: facts, state, what is open, the last messages, what to run
    next. With --surface what the model sees, with --transcript what the person saw; --events, --turns and
    --frames show what the log is made of; --request what one request held, --stream how one
    model call came, --why what became of one event. One view at a time. Never writes.
    """
    views = {
        "--surface": surface,
        "--transcript": transcript,
        "--events": events,
        "--turns": turns,
        "--frames": frames,
        "--request": request is not None,
        "--stream": stream is not None,
        "--why": why is not None,
    }
    chosen = [name for name, wanted in views.items() if wanted]
    if len(chosen) > 1:
        message = f"{' and '.join(chosen)} exclude each other"
        raise typer.BadParameter(message)
    if diff is not None and request is None:
        message = "--diff needs --request"
        raise typer.BadParameter(message)
    if stream is not None and at is not None:
        message = "--stream and --at exclude each other"
        raise typer.BadParameter(message)
    wanted = _name(request, "'--request'")
    other = PREVIOUS if diff == PREVIOUS else _name(diff, "'--diff'")
    world = ctx.find_object(World) or World()
    asked = stored(world, looked_up(world, path, root, "show"), session, "show")
    log = one_log(world, asked, "show")
    tell_remarks(world)
    settle = settling(world, asked, log)
    with Output() as output:
        if chosen and not surface:
            lens = Lens(world=world, log=log, settle=settle, output=output, at=at, full=full, json=json, colour=color)
            if wanted is not None:
                report = lens.request(wanted, other)
            elif stream is not None:
                report = lens.stream(stream)
            elif why is not None:
                report = lens.why(why)
            else:
                report = getattr(lens, chosen[0].removeprefix("--"))()
            output.flush()
            return status(report)
        with world.source(log) as source:
            view, report = world.surface_view(source, log, at=at)
        report = settle(report)
        if at is not None:
            refuse_beyond(report, at)
        wants_surface = surface or full or at is not None
        if json:
            from dshlog.render.jsonout import card_dict, document, surface_dict

            output.data(document(surface_dict(view) if wants_surface else card_dict(report, view)))
        elif wants_surface:
            from dshlog.render.surface import surface_lines

            output.lines(surface_lines(view, report, look(output, color), full=full))
        else:
            from dshlog.render.card import card_lines

            output.lines(card_lines(report, view, look(output, color)))
    return status(report)


def _name(text: str | None, option: str) -> Name | None:
    try:
        return None if text is None else request_name(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def status(report: Report) -> int:
    """Give the exit status for a log that was printed, and say why if not all of it could be."""
    from dshlog.render.rows import spot_words
    from dshlog.render.text import leading

    worst = leading(report)
    if worst is None or worst.severity != "error":
        return 0
    spot = spot_words(worst.place)
    say(
        "note",
        f"{report.path} is {report.state}{spot and f' at {spot}'}, {worst.code} {worst.name}: {worst.message}; "
        "what can be read is printed",
    )
    return 1

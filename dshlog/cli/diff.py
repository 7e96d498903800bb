"""`dshlog diff`: what two logs have in common, and what they differ in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from dshlog.cli.entry import looked_up, one_log, stored
from dshlog.cli.failure import Failure
from dshlog.cli.options import EXIT_DIFF, ColourOption, RootOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.world import World

if TYPE_CHECKING:
    from dshlog.cli.output import Colour
    from dshlog.model.comparison import Comparison
    from dshlog.report.compare import Given
    from dshlog.storage.source import Source

EPILOG = EXIT_DIFF


def diff(
    ctx: typer.Context,
    a: Annotated[str, typer.Argument(metavar="A", help="A log, a session directory, or - for standard input.")],
    b: Annotated[
        str | None,
        typer.Argument(
            metavar="[B]",
            help="Another; without it A is a session directory, and its last two generations are compared.",
            show_default=False,
        ),
    ] = None,
    *,
    messages: Annotated[
        bool, typer.Option("--messages", help="Compare the messages in the order in which they came, not the events.")
    ] = False,
    surface: Annotated[
        bool, typer.Option("--surface", help="Compare what the model sees at the end, node by node.")
    ] = False,
    at: Annotated[
        int | None, typer.Option("--at", metavar="SEQ", min=0, help="Take both logs to end after this event.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing; only the exit status tells, at the first difference.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="The comparison as one JSON document.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Cut nothing: every event of a long tail, both values of each member.")
    ] = False,
    root: RootOption = None,
    color: ColourOption = "auto",
) -> int:
    """Compare two logs.

    What both begin with, what only one of them has, and which members differ in what both have; numbering does not
    count. Packing, frames and the spelling of JSON make no difference. Of two generations the older log is compared as
    dsh 0.2.1 upgrades it, so that only what came after it differs; where dsh would not, messages are compared. Damaged
    logs are compared as far as they can be read. Never writes.
    """
    if messages and surface:
        raise typer.BadParameter("--messages and --surface exclude each other")
    if quiet and (json or full):
        raise typer.BadParameter("--quiet prints nothing, so it excludes --json and --full")
    if a == "-" == b:
        raise typer.BadParameter("only one of the two can be standard input")
    world = ctx.find_object(World) or World()
    first, second = _two(world, a, b, root)
    from dshlog.report.compare import Wanted, compare

    wanted = Wanted(messages=messages, surface=surface, at=at, brief=quiet)
    with world.kept_source(first) as one, world.kept_source(second) as other:
        found = compare(_given(world, one, first), _given(world, other, second), wanted)
        _refuse_beyond(found, at)
        if not quiet:
            _print(found, json=json, full=full, colour=color)
    return 0 if found.same else 1


def _two(world: World, a: str, b: str | None, root: str | None) -> tuple[str, str]:
    """Give the two logs that are meant."""
    first = stored(world, looked_up(world, a, root, "diff"), None, "diff")
    if b is not None:
        second = stored(world, looked_up(world, b, root, "diff"), None, "diff")
        return one_log(world, first, "diff"), one_log(world, second, "diff")
    found = [] if first == "-" or not os.path.isdir(first) else _generations(world, first)  # noqa: PTH112
    if len(found) < 2:  # noqa: PLR2004 - two are compared
        raise Failure("give two logs, or a session directory that holds several generations")
    if len(found) > 2:  # noqa: PLR2004 - as above
        say("note", f"{len(found)} generations, the last two are compared; name others by their files")
    return found[-2], found[-1]


def _generations(world: World, directory: str) -> list[str]:
    from dshlog.storage.naming import parse_log_name

    found = {}
    for entry in world.find(directory, all_generations=True):
        parent, name = os.path.split(entry.path)
        parsed = parse_log_name(name)
        if entry.kind == "log" and parsed is not None and os.path.samefile(parent, directory):  # noqa: PTH121
            found[entry.path] = parsed.generation
    return sorted(found, key=lambda path: (found[path], path))


def _given(world: World, source: Source, path: str) -> Given:
    from dshlog.report.compare import Given

    return Given(source, path, children=world.family.of(path))


def _refuse_beyond(found: Comparison, at: int | None) -> None:
    """Refuse a seq that neither log has."""
    if at is not None and max(found.a.events, found.b.events) <= at:
        held = f"{found.a.events} and {found.b.events}"
        raise Failure(f"neither log has an event {at}; they have {held} events that can be read")


def _print(found: Comparison, *, json: bool, full: bool, colour: Colour) -> None:
    with Output() as output:
        if json:
            from dshlog.render.comparison import difference_dict, head_dict, tally_dict
            from dshlog.render.jsonout import streamed

            rows = (difference_dict(one, full=full) for one in found.differences)
            for piece in streamed(head_dict(found, full=full), "differences", rows, lambda: tally_dict(found.tally)):
                output.data(piece)
        else:
            from dshlog.render.comparison import comparison_lines

            output.lines(comparison_lines(found, look(output, colour), full=full))

"""`dshlog ls`: the sessions of a root."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dshlog.cli.entry import stored, tell_remarks
from dshlog.cli.failure import Failure
from dshlog.cli.options import EXIT_LS, ColourOption, SessionOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.places import Places
from dshlog.cli.progress import on_terminal
from dshlog.cli.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dshlog.cli.progress import Progress
    from dshlog.model.session import SessionDepth, SessionRow
    from dshlog.render.sessions import Listed

Sort = Literal["created", "id", "project", "size", "version", "path"]

EPILOG = EXIT_LS

_NO_ROOT = "this is where dsh keeps its sessions; name a ROOT, or set DSH_HOME"


def ls(
    ctx: typer.Context,
    root: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROOT]",
            help="A sessions root, a project or session directory, a log or a database. Default: $DSH_HOME/sessions, else "
            "~/.dsh/sessions.",
        ),
    ] = None,
    *,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read whole logs: state, turns, title or goal, how the last turn ended.")
    ] = False,
    tree: Annotated[
        bool, typer.Option("--tree", help="Forks and subagents below their parents, missing parents marked.")
    ] = False,
    sort: Annotated[Sort, typer.Option("--sort", help="The order; in a tree that of siblings.")] = "created",
    reverse: Annotated[bool, typer.Option("--reverse", help="The order the other way round.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The list as one JSON document.")] = False,
    all_generations: Annotated[
        bool, typer.Option("--all-generations", help="The older generations of a session too.")
    ] = False,
    session: SessionOption = None,
    color: ColourOption = "auto",
) -> int:
    """List sessions.

    One line a session from the header of its log alone: id, when it was created, generation, size, project,
    parent. Never writes.
    """
    world = ctx.find_object(World) or World()
    top = stored(world, world.default_root() if root is None else root, session, "ls")
    rows = world.sessions(top, all_generations=all_generations)
    if len(rows) == 1 and rows[0].path == top and rows[0].size is None:
        message = f"cannot read {top}: {rows[0].problem}"
        raise Failure(message, *(() if root else (_NO_ROOT,)))
    tell_remarks(world)
    if not rows:
        say("note", f"no session log in {top}")
    progress = on_terminal() if deep else None
    if progress is not None:
        progress.begin(len(rows), sum(row.size or 0 for row in rows))
    look_into = partial(_deep, world, _places(world, top), progress) if deep else None
    listed = _listed(rows, sort, look_into, tree=tree, reverse=reverse)
    with Output() as output, progress or nullcontext():
        if json:
            from dshlog.render.jsonout import SCHEMA, streamed
            from dshlog.render.sessions import session_dict

            for piece in streamed({"schema": SCHEMA, "root": top}, "rows", map(session_dict, listed)):
                output.data(piece)
        else:
            from dshlog.render.sessions import session_lines

            output.lines(session_lines(listed, look(output, color), deep=deep))
    return 1 if any(row.problem for row in rows) else 0


def _listed(
    rows: list[SessionRow],
    sort: Sort,
    look_into: Callable[[SessionRow], SessionDepth | None] | None,
    *,
    tree: bool,
    reverse: bool,
) -> Iterator[Listed]:
    from dshlog.render.sessions import Listed
    from dshlog.report.sessions import in_order, parents, repeated
    from dshlog.report.sessions import tree as grown

    ordered = in_order(rows, sort, reverse=reverse)
    twins = repeated(rows)
    if tree:
        for one in grown(ordered):
            found = None if one.row.parent is None else not one.orphan
            deep = look_into(one.row) if look_into else None
            yield Listed(one.row, deep, found, one.depth, one.cycle, one.row.path in twins)
        return
    known = parents(rows)
    for row in ordered:
        found = None if row.parent is None else row.parent in known
        yield Listed(row, look_into(row) if look_into else None, found, repeated=row.path in twins)


def _places(world: World, top: str) -> Places:
    places = Places(world)
    places.enter(top)
    return places


def _deep(world: World, places: Places, progress: Progress | None, row: SessionRow) -> SessionDepth | None:
    from dshlog.files.unreadable import Unreadable
    from dshlog.report.sessions import session_depth

    if row.size is None:
        return None
    try:
        settle = places.settling(row.path)
        with world.source(row.path) as source:
            return session_depth(world.read_log(source, row.path), settle)
    except Unreadable as error:
        say("error", error.message, error.hints)
        return None
    finally:
        if progress is not None:
            progress.done(row.size)

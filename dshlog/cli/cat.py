"""`dshlog cat`: decoded events, one JSON line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dshlog.cli.entry import all_looked_up
from dshlog.cli.options import EXIT_READ, RootOption
from dshlog.cli.output import Output, say
from dshlog.cli.select import Selection, seq_range
from dshlog.cli.show import status
from dshlog.cli.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.files.unreadable import Unreadable
    from dshlog.report.decode import Decoded

EPILOG = EXIT_READ

View = Literal["events", "raw", "messages", "chunks"]


def cat(
    ctx: typer.Context,
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Logs, session directories, or - for standard input.")
    ],
    *,
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="GLOB", help="Only events of these types, such as 'tool/*'.")
    ] = None,
    seq: Annotated[
        str | None,
        typer.Option("--seq", metavar="A..B", help="Only these seqs, both ends included; A, A.. and ..B too."),
    ] = None,
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="Only events of this turn.")] = None,
    call: Annotated[
        str | None, typer.Option("--call", metavar="ID", help="Only events that name this tool call.")
    ] = None,
    messages: Annotated[
        bool, typer.Option("--messages", help="The messages that the model gets, in place of the events.")
    ] = False,
    chunks: Annotated[
        bool, typer.Option("--chunks", help="Every provider chunk with its time, in one shape for every generation.")
    ] = False,
    header: Annotated[bool, typer.Option("--header", help="The header line first.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The stored records as they are, nothing expanded.")] = False,
    root: RootOption = None,
) -> int:
    """Print decoded events as NDJSON.

    One logical event a line with dsh's own member names: frames are opened, packed runs and seq ranges
    expanded. An event that is stored unchanged keeps its stored text. Never writes.
    """
    try:
        seqs = None if seq is None else seq_range(seq)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="'--seq'") from error
    selection = Selection(types=tuple(types or ()), seqs=seqs, turn=turn, call=call)
    if messages + raw + chunks > 1 or ((messages or raw) and not selection.everything):
        message = "--messages, --raw, --chunks and the options that select events exclude each other"
        raise typer.BadParameter(message)
    if chunks and (types or call is not None):
        message = "--chunks goes with --seq and --turn only"
        raise typer.BadParameter(message)
    view: View = "messages" if messages else "raw" if raw else "chunks" if chunks else "events"
    world = ctx.find_object(World) or World()
    found, unknown = all_looked_up(world, paths, root, "cat")
    run = _Run(world, selection, view=view, header=header)
    with Output() as output:
        return max([2 if unknown else 0, *(run.path(path, output) for path in found)])


class _Run:
    """One print; each path gives its own exit status."""

    def __init__(self, world: World, selection: Selection, *, view: View, header: bool) -> None:
        self._world = world
        self._selection = selection
        self._view, self._header = view, header

    def path(self, path: str, output: Output) -> int:
        """Print all logs behind one path; what cannot be read is told and gives 2."""
        from dshlog.files.unreadable import Unreadable

        worst, logs = 0, 0
        try:
            for log, fault in self._logs(path):
                logs += 1
                worst = max(worst, self._log(log, output) if fault is None else _tell(fault))
        except Unreadable as error:
            output.flush()
            return _tell(error)
        if not logs:
            say("error", f"no session log in {path}")
            return 2
        return worst

    def _logs(self, path: str) -> Iterator[tuple[str, Unreadable | None]]:
        from dshlog.cli.entry import unreadable_entry

        if path == "-":
            yield path, None
            return
        for found in self._world.find(path):
            yield found.path, None if found.kind == "log" else unreadable_entry(found)

    def _log(self, path: str, output: Output) -> int:
        with self._world.source(path) as source:
            decoded = self._world.read_log(source, path)
            if self._header and decoded.header_line is not None:
                output.data(decoded.header_line + b"\n")
            for line in self._lines(decoded):
                output.data(line)
                output.data(b"\n")
            report = decoded.report  # a finding may ask for another look at the bytes
        output.flush()
        for seq, reason in decoded.broken:
            say("note", f"the stream of event {seq} of {path} ends early: {reason}")
        return max(status(report), int(bool(decoded.broken)))

    def _lines(self, decoded: Decoded) -> Iterator[bytes]:
        from dshlog.storage.jsontext import dumps

        if self._view == "raw":
            yield from decoded.records()
        elif self._view == "chunks":
            for chunk in decoded.chunks():
                if self._selection.takes(chunk):
                    yield dumps(chunk)
        elif self._view == "messages":
            for message in decoded.messages():
                yield dumps(message)
        else:
            events = decoded.events()
            for event, line in events if self._selection.everything else self._selection.of(events):
                yield dumps(event) if line is None else line


def _tell(error: Unreadable) -> int:
    say("error", error.message, error.hints)
    return 2

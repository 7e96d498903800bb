"""`dshlog cat`: decoded events, one JSON line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dshlog.cli.entry import all_looked_up, tell_remarks
from dshlog.cli.options import EXIT_READ, RootOption, SessionOption
from dshlog.cli.output import Output, say
from dshlog.cli.places import Places
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
        list[str],
        typer.Argument(metavar="PATH...", help="Logs, session directories, databases, or - for standard input."),
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
    well_formed: Annotated[
        bool,
        typer.Option("--well-formed", help="U+FFFD in place of half a surrogate pair, at which jq stops."),
    ] = False,
    root: RootOption = None,
    session: SessionOption = None,
) -> int:
    """Print decoded events as NDJSON.

    One logical event a line with dsh's own member names: frames are opened, packed runs and seq ranges
    expanded. An event that is stored unchanged keeps its stored text. Of several logs each line begins with
    a member that names its log. Never writes.
    """
    if paths.count("-") > 1:
        message = "standard input, -, can be read once only"
        raise typer.BadParameter(message)
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
    found, unknown = all_looked_up(world, paths, root, "cat", session)
    run = _Run(world, selection, view=view, header=header, well_formed=well_formed)
    with Output() as output:
        return max(2 if unknown else 0, run.all(found, output))


class _Run:
    """One print; each log gives its own exit status, the worst counts."""

    def __init__(self, world: World, selection: Selection, *, view: View, header: bool, well_formed: bool) -> None:
        self._world = world
        self._selection = selection
        self._view, self._header, self._well_formed = view, header, well_formed
        self._places = Places(world)
        self._named = False  # whether lines name their log
        self._printed = False  # whether any line was

    def all(self, paths: list[str], output: Output) -> int:
        """Print all logs behind the paths in order; what cannot be read is told and gives 2."""
        met = [entry for path in paths for entry in self._logs(path)]
        tell_remarks(self._world)
        self._named = sum(log is not None for log, _ in met) > 1
        status = max((self._entry(log, fault, output) for log, fault in met), default=2)
        logs = [log for log, _ in met if log is not None]
        if logs and not self._printed and not self._selection.everything:
            self._tell_nothing(logs)
        return status

    def _tell_nothing(self, logs: list[str]) -> None:
        """Say that no event is what was asked for, and what lists those that there are."""
        from dshlog.render.words import shell_word

        what = "chunk" if self._view == "chunks" else "event"
        where = "the log" if len(logs) == 1 else f"the {len(logs)} logs"
        only = shell_word(logs[0]) if len(logs) == 1 and logs[0] != "-" else ""
        lists = self._selection.listing
        say(
            "note",
            f"no {what} of {where} matches {self._selection.words}",
            (f"{lists} {only}",) if only and lists is not None else (),
        )

    def _logs(self, path: str) -> Iterator[tuple[str | None, Unreadable | None]]:
        """Yield the logs behind a path, and None with a reason for what cannot be read."""
        from dshlog.cli.entry import unreadable_entry
        from dshlog.files.unreadable import Unreadable

        if path == "-":
            yield path, None
            return
        self._places.enter(path)
        empty = True
        try:
            for found in self._world.find(path):
                empty = False
                yield (found.path, None) if found.kind == "log" else (None, unreadable_entry(found))
        except Unreadable as error:
            yield None, error
            return
        if empty:
            yield None, Unreadable(f"no session log in {path}")

    def _entry(self, log: str | None, fault: Unreadable | None, output: Output) -> int:
        from dshlog.files.unreadable import Unreadable

        try:
            if log is not None:
                return self._log(log, output)
        except Unreadable as error:
            fault = error
        output.flush()
        if fault is not None:
            say("error", fault.message, fault.hints)
        return 2

    def _log(self, path: str, output: Output) -> int:
        from dshlog.storage.jsontext import well_formed

        settle = self._places.settling(path)
        with self._world.source(path) as source:
            decoded = self._world.read_log(source, path)
            lines = self._lines(decoded)
            if self._named and self._view != "raw":
                lines = _naming(path, lines)
            if self._header and decoded.header_line is not None:
                output.data(decoded.header_line + b"\n")
            for line in lines:
                self._printed = True
                output.data(well_formed(line) if self._well_formed else line)
                output.data(b"\n")
            report = settle(decoded.report)  # a finding may ask for another look at the bytes
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


def _naming(path: str, lines: Iterator[bytes]) -> Iterator[bytes]:
    """Put a member with the path of the log in front of the others; each line is an object."""
    from dshlog.storage.jsontext import dumps

    head = b'{"log":' + dumps(path)
    for line in lines:
        rest = line[1:].lstrip()
        yield head + (rest if rest.startswith(b"}") else b"," + rest)

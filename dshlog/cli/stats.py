"""`dshlog stats`: what happened, how long it took, what it cost, what the bytes are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dshlog.cli.entry import all_looked_up, tell_remarks
from dshlog.cli.options import EXIT_READ, ColourOption, RootOption, SessionOption
from dshlog.cli.output import Output, look, say
from dshlog.cli.places import Places
from dshlog.cli.show import status
from dshlog.cli.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.files.unreadable import Unreadable
    from dshlog.model.report import Report
    from dshlog.render.jsonout import Json
    from dshlog.report.stats import Stats

EPILOG = EXIT_READ

_NAMED = 12  # logs with errors that text names

By = Literal["type", "tool", "turn"]


def stats(
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
    by: Annotated[By | None, typer.Option("--by", help="A table with one row for each.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Everything about each log, and the sum, as JSON.")] = False,
    session: SessionOption = None,
    root: RootOption = None,
    color: ColourOption = "auto",
) -> int:
    """Count turns, steps, calls, tokens, bytes and times.

    Each model call counts once: a failed or retried one in a bucket of its own, the prefix that a fork
    inherited not at all, and a replacement is no call. Several logs are summed up. Never writes.
    """
    if session is not None and not paths:
        raise typer.BadParameter("--session needs the PATH of a database")
    world = ctx.find_object(World) or World()
    run = _Run(world, keep=json)
    known, unknown = all_looked_up(world, paths or [], root, "stats", session)
    worst = max([2 if unknown else 0, *(run.path(path) for path in (known if paths else [root or run.root]))])
    tell_remarks(world)
    if not run.total.logs:
        return max(worst, 2)
    with Output() as output:
        if json:
            from dshlog.render.jsonout import document
            from dshlog.render.stats import stats_dict

            output.data(document(stats_dict(run.logs, run.unread, run.total)))
        else:
            output.lines(_lines(run.total, by, output, color))
    run.tell_damage()
    return worst


def _lines(total: Stats, by: By | None, output: Output, color: Literal["auto", "always", "never"]) -> Iterator[str]:
    from dshlog.render.stats import stats_lines, tool_lines, turn_lines, type_lines

    if by is None:
        return stats_lines(total, look(output, color))
    return {"type": type_lines, "tool": tool_lines, "turn": turn_lines}[by](total, look(output, color))


class _Run:
    """One count; what cannot be read is told and does not stop it."""

    def __init__(self, world: World, *, keep: bool) -> None:
        from dshlog.report.stats import Stats

        self._world = world
        self._keep = keep
        self._places = Places(world)
        self.logs: list[Json] = []
        self.total = Stats("")
        self._damaged: list[Report] = []
        self.unread: list[Json] = []  # paths at which nothing can be read

    @property
    def root(self) -> str:
        """Give where dsh keeps its sessions."""
        return self._world.default_root()

    def path(self, path: str) -> int:
        """Count all logs behind one path and give the exit status."""
        from dshlog.files.unreadable import Unreadable

        worst, logs = 0, 0
        try:
            for log, fault in self._found(path):
                logs += 1
                worst = max(worst, self._one(log, fault))
        except Unreadable as error:
            return _tell(error)
        if not logs:
            say("error", f"no session log in {path}")
            return 2
        return worst

    def _one(self, log: str, fault: Unreadable | None) -> int:
        """Count one log, or tell why it cannot be read, and give the exit status."""
        from dshlog.files.unreadable import Unreadable

        if fault is None:
            try:
                return self._log(log)
            except Unreadable as error:
                fault = error
        self.unread.append({"path": log, "why": fault.why})
        return _tell(fault)

    def _found(self, path: str) -> Iterator[tuple[str, Unreadable | None]]:
        """Yield the logs, and what cannot be read as one with the reason."""
        from dshlog.cli.entry import unreadable_entry

        if path == "-":
            yield path, None
            return
        self._places.enter(path)
        for found in self._world.find(path):
            yield found.path, None if found.kind == "log" else unreadable_entry(found)

    def _log(self, path: str) -> int:
        from dshlog.render.text import leading

        settle = self._places.settling(path)
        with self._world.source(path) as source:
            figures, report = self._world.stats(source, path)
        report = settle(report)
        if self._keep:
            from dshlog.render.standing import standing_dict
            from dshlog.render.stats import log_stats_dict

            self.logs.append({**log_stats_dict(figures), **standing_dict(report)})
        self.total.add(figures)
        self.total.path = path if self.total.logs == 1 else f"{self.total.logs} logs"
        worst = leading(report)
        if worst is None or worst.severity != "error":
            return 0
        self._damaged.append(report)
        return 1

    def tell_damage(self) -> None:
        """Say which logs have errors: one by its fault, of several each with how much of it counts."""
        if self.total.logs == 1 and self._damaged:
            status(self._damaged[0])
        elif self._damaged:
            number = len(self._damaged)
            words = "1 log has errors, of it" if number == 1 else f"{number} logs have errors, of these"
            say("note", f"{words} only what can be read counts")
            from dshlog.render.standing import standing_words

            for report in self._damaged[:_NAMED]:
                say("note", standing_words(report))
            if number > _NAMED:
                say("note", f"and {number - _NAMED} more, which --json lists")


def _tell(error: Unreadable) -> int:
    say("error", error.message, error.hints)
    return 2

"""Options and phrases that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from dshlog.cli.output import Colour

ColourOption = Annotated[
    Colour, typer.Option("--color", help="Colour the text; auto means in a terminal, unless NO_COLOR is set.")
]

RootOption = Annotated[
    str | None,
    typer.Option(
        "--root",
        metavar="DIR",
        help="A sessions root; PATH may then be the id of a session in it, or 6 or more characters of its beginning, with "
        "or without its session-.",
    ),
]

SessionOption = Annotated[
    str | None,
    typer.Option(
        "--session",
        metavar="ID",
        help="PATH is a SQLite database of dsh 0.1.0 or 0.1.1: the session in it, or 6 or more characters of its id.",
    ),
]

# The mark \b keeps click from joining the lines.
EXIT_VALIDATE = """\b
Exit status:
  0    no finding at or above --fail-on
  1    findings at or above --fail-on
  2    could not run: usage, a path that is missing or unreadable, a line above a limit (L106)
  130  interrupted
"""
EXIT_READ = """\b
Exit status:
  0    the log has no errors
  1    it has errors, also by its name and place as for validate; what can be read is printed
  2    could not run: usage, a path that is missing or unreadable
  130  interrupted
"""
EXIT_LS = """\b
Exit status:
  0    every header could be read
  1    a log has no header that can be read, or a link hides sessions; its line says why
  2    could not run: usage, a path that is missing or unreadable
  130  interrupted
"""
EXIT_WRITE = """\b
Exit status:
  0    the result was written
  1    dsh cannot read all rows of the log; nothing was written
  2    could not run: usage, a path that is missing or unreadable, a result that is there already
  130  interrupted
"""
EXIT_REPAIR = """\b
Exit status:
  0    nothing to do, a plan for a log that dsh opens, or a result that lost nothing
  1    a plan for a log with errors, or no repair: nothing was written; or a name or a place still keeps dsh from a log
  2    could not run: usage, a path that is missing or unreadable, a lock that is held
  3    a result was written that lost something
  130  interrupted
"""
EXIT_MIGRATE = """\b
Exit status:
  0    the result was written, or with --check would be
  1    dsh would not upgrade the log, or one of many; nothing was written for it
  2    could not run: usage, a path that is missing or unreadable, a result that is there already
  3    the result was written, and records at the end of the log are not in it
  130  interrupted
"""
EXIT_DIFF = """\b
Exit status:
  0    both logs say the same
  1    they differ, or something in one of them could not be read
  2    could not run: usage, a path that is missing or unreadable
  130  interrupted
"""
EXIT_EXPLAIN = """\b
Exit status:
  0    explained
  2    could not run: usage, or no code and no name begins like that
  130  interrupted
"""
EXIT_ALL = """\b
Exit status, the same everywhere:
  0    clean
  1    findings
  2    could not run: usage, a path that is missing or unreadable
  3    a result was written that lost something
  130  interrupted
"""

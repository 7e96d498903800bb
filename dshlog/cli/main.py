"""The command `dshlog`: its subcommands, and every failure turned into an exit status once."""

from __future__ import annotations

import gc
import os
import re
import sys
from contextlib import suppress
from importlib import import_module
from typing import Annotated, NoReturn

import typer

from dshlog import __version__
from dshlog.cli.command import Command, UsageError
from dshlog.cli.failure import Failure
from dshlog.cli.options import EXIT_ALL
from dshlog.cli.output import ClosedPipe, say
from dshlog.cli.world import World

COULD_NOT_RUN = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count

# Each command is the function of its name in the module of its name, with its `EPILOG`, and its `COMMAND` where it has one.
COMMANDS = ("validate", "show", "cat", "ls", "stats", "repair", "unpack", "pack", "migrate", "diff", "explain")


def application(only: str | None = None) -> typer.Typer:
    """Build the command line.

    Args:
        only: the one command that will run; the others are then neither imported nor built, and shell
            completion is left out, since start-up time counts. None builds everything.
    """
    app = typer.Typer(
        name="dshlog",
        add_completion=only is None,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, epilog=EXIT_ALL)(_root)
    for name in COMMANDS if only is None else (only,):
        module = import_module(f"dshlog.cli.{name}")
        app.command(name, cls=getattr(module, "COMMAND", Command), epilog=module.EPILOG)(getattr(module, name))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dshlog {__version__}")
        raise typer.Exit


def _root(
    ctx: typer.Context,
    *,
    version: Annotated[  # noqa: ARG001 - its callback has printed already
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and stop.")
    ] = False,
) -> None:
    """Read, judge and understand the session logs of dsh."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), err=True)
        raise typer.Exit(COULD_NOT_RUN)


def main(argv: list[str] | None = None, *, world: World | None = None) -> int:
    """Run the command line and give the exit status; nothing is raised.

    Args:
        argv: the words behind the program's name; None takes those of the process.
        world: the disk and the use cases; None takes the real ones.
    """
    words = sys.argv[1:] if argv is None else argv
    try:
        app = application(words[0] if words and words[0] in COMMANDS else None)
        status = app(words, prog_name="dshlog", standalone_mode=False, obj=world or World())
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except ClosedPipe:
        return 0
    except UsageError as error:
        return _usage(error)
    except Exception as error:  # noqa: BLE001 - the last resort: one line in place of a traceback
        return _failed(error)
    return status if isinstance(status, int) else 0


def run() -> NoReturn:
    """Run the command line as the whole process.

    Taking the interpreter down object by object costs as much as reading a small log, and there is nothing
    to save: files are closed, and what was printed is flushed here.
    """
    # Records are read and dropped one by one, so nearly nothing that is alive later is garbage now.
    gc.set_threshold(50_000, 20, 100)
    status = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):  # a reader that has gone away was noticed where it mattered
                stream.flush()
    os._exit(status)


def _usage(error: typer.BadParameter) -> int:
    message = error.format_message().rstrip(".")
    message = re.sub(r"is not a valid int(eger)?( range)?$", "is not a whole number", message)
    context = getattr(error, "ctx", None)  # not every error of click has one
    say(
        "error",
        message[:1].lower() + message[1:],
        [f"{context.command_path if context else 'dshlog'} --help lists what is possible"],
    )
    return COULD_NOT_RUN


def _failed(error: Exception) -> int:
    from dshlog.files.unreadable import Unreadable

    if isinstance(error, (Failure, Unreadable)):
        say("error", error.message, error.hints)
        return COULD_NOT_RUN
    if os.environ.get("DSHLOG_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    if isinstance(error, FileNotFoundError) and error.filename is None:
        # Standard output has been opened by whoever started this, so what was not found is where this runs.
        say("error", "the working directory was removed", ["change to a directory that exists, or give absolute paths"])
        return COULD_NOT_RUN
    if isinstance(error, OSError) and error.filename is None:
        # Reading has its own errors, so this is standard output: a full disk, a closed descriptor.
        say("error", f"cannot write standard output: {error.strerror or error}")
        return COULD_NOT_RUN
    say(
        "internal error",
        f"{type(error).__name__}: {error}; please report",
        ["DSHLOG_DEBUG=1 shows where it happened"],
    )
    return COULD_NOT_RUN

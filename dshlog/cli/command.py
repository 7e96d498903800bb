"""What every command of the command line has."""

from __future__ import annotations

import re
from typing import Any, cast

import typer
from typer.core import TyperCommand

# typer carries click inside from 0.26 on and imports it before, so the base class of its usage errors is
# taken from typer's own.
UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])


class Command(TyperCommand):
    """A command whose usage line has required arguments as they are, without the braces that typer puts around them.

    `bare` gives the value of an option that may stand without one, for a command with one argument.
    """

    bare: dict[str, str] = {}  # noqa: RUF012 - a subclass has its own

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer carries click inside, without a name for it
        """Give the parts of the usage line."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as above
        """Take the words of the command line; an option without its value is told with those that it may have."""
        try:
            return super().parse_args(ctx, self._filled(args))
        except UsageError as error:
            error.ctx = getattr(error, "ctx", None) or ctx
            given = getattr(error, "option_name", None)
            choices = next((getattr(one.type, "choices", ()) for one in self.params if given in one.opts), ())
            if choices and "requires an argument" in error.message:
                error.message = f"{error.message.rstrip('.')}: {', '.join(choices)}"
            raise

    def _filled(self, args: list[str]) -> list[str]:
        out: list[str] = []
        for number, word in enumerate(args):
            if word == "--":
                return out + args[number:]
            out.append(word)
            value = self.bare.get(word)
            if value is not None and not _is_value(args[number + 1 : number + 3], value):
                out.append(value)
        return out


def _is_value(behind: list[str], bare: str) -> bool:
    """Tell whether a value follows: a number with points, the bare value, or a word that another word follows."""
    if not behind or behind[0].startswith("-"):
        return False
    if behind[0] == bare or re.fullmatch(r"[0-9][0-9.]*", behind[0]):
        return True
    return len(behind) > 1 and not behind[1].startswith("-")

"""What every command of the command line has."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand


class Command(TyperCommand):
    """A command whose usage line has required arguments as they are, without the braces that typer puts around them.

    `bare` gives the value of an option that may stand without one, for a command with one argument.
    """

    bare: dict[str, str] = {}  # noqa: RUF012 - a subclass has its own

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer carries click inside, without a name for it
        """Give the parts of the usage line."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as above
        """Take the words of the command line."""
        return super().parse_args(ctx, self._filled(args))

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
    if behind[0] == bare or re.fullmatch(r"[0-9.]+", behind[0]):
        return True
    return len(behind) > 1 and not behind[1].startswith("-")

"""How text may look: with colour or without, as wide as a terminal or as wide as it likes."""

from __future__ import annotations

from typing import NamedTuple

_CODES = {
    "bold": "1",
    "dim": "2",
    "error": "1;31",
    "warning": "33",
    "note": "36",
    "clean": "32",
    "open": "36",
    "torn": "33",
    "refused": "31",
    "newer": "35",
    "not-a-log": "31",
    "system": "35",
    "developer": "33",
    "user": "36",
    "assistant": "32",
    "tool": "34",
}


class Look(NamedTuple):
    """The looks of one output.

    `width` is the number of columns of a terminal; None means a file or a pipe, where no line is cut to
    a width. The two are independent: colour can be forced into a pipe.
    """

    colour: bool = False
    width: int | None = None

    def paint(self, style: str, text: str) -> str:
        """Give the text in the colour of a severity, a state or a role; as it is for any other style."""
        code = _CODES.get(style) if self.colour else None
        return f"\x1b[{code}m{text}\x1b[0m" if code else text


PLAIN = Look()

"""A command that cannot do what it was asked, in words."""

from __future__ import annotations

import os

_HINT = "DSHLOG_DEBUG=1 shows where it happened"


class Failure(Exception):  # noqa: N818 - the user's affair, not a fault of the program
    """The command could not run: exit status 2.

    `message` is one lower-case sentence, `hints` say what to do.
    """

    def __init__(self, message: str, *hints: str) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints


def unforeseen(error: Exception, log: str) -> Failure:
    """Give a fault of the program at one log of many in words, so that the others are done all the same."""
    if os.environ.get("DSHLOG_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    return Failure(f"{log}: internal error: {type(error).__name__}: {error}; please report", _HINT)

"""A command that cannot do what it was asked, in words."""

from __future__ import annotations


class Failure(Exception):  # noqa: N818 - the user's affair, not a fault of the program
    """The command could not run: exit status 2.

    `message` is one lower-case sentence, `hints` say what to do.
    """

    def __init__(self, message: str, *hints: str) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints

"""A fault: what a check saw, before the register gives it a code and the reader a severity."""

from __future__ import annotations


class Fault:
    """One breach of one rule.

    `name` is the rule's name in the register ("marker-missing"). `path` is the JSON path of the
    member at fault or None. `message` is one sentence with the values found, lower case, no full stop.
    `seqs` are other events that belong to the matter, in the order in which they should be shown.
    `group` names what may still take the fault back when a later event shows it to be harmless.
    """

    __slots__ = ("group", "message", "name", "path", "seqs")

    def __init__(
        self, name: str, message: str, path: str | None = None, seqs: tuple[int, ...] = (), *, group: str | None = None
    ) -> None:
        self.name = name
        self.message = message
        self.path = path
        self.seqs = seqs
        self.group = group

    def __repr__(self) -> str:
        """Show the rule and the sentence."""
        return f"Fault({self.name!r}, {self.message!r})"

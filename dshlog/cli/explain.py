"""`dshlog explain`: what a finding means, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dshlog.cli.failure import Failure
from dshlog.cli.options import EXIT_EXPLAIN, ColourOption
from dshlog.cli.output import Output, look

if TYPE_CHECKING:
    from dshlog.rules.rule import Rule

Schema = Literal[
    "validate",
    "log",
    "card",
    "surface",
    "transcript",
    "events",
    "turns",
    "frames",
    "request",
    "difference",
    "stream",
    "diff",
    "why",
    "ls",
    "stats",
    "repair",
    "migrate",
    "migrations",
    "relocate",
    "fixes",
    "explain",
]

EPILOG = EXIT_EXPLAIN


def explain(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CODE|NAME]...",
            help="A code (S304), a name (replace-omits-shadowed), or the beginning of either (S3), which lists all of "
            "them. Default: list every code.",
        ),
    ] = None,
    *,
    list_: Annotated[bool, typer.Option("--list", help="One line for each code, even for one that is named.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="All that is known about each code as one JSON document.")
    ] = False,
    schema: Annotated[
        Schema | None,
        typer.Option(
            "--schema",
            metavar="NAME",
            help="Print the JSON Schema of an output: validate, log, ls, stats, repair, explain, or a view of show (surface, events ...).",
        ),
    ] = None,
    color: ColourOption = "auto",
) -> int:
    """Explain findings.

    Says what a code means, who refuses a log for it and in which generations, what one meets in dsh, what to
    do, and shows a bad and a good log that differ in one thing.
    """
    with Output() as output:
        if schema is not None:
            output.data(schema_text(schema))
            return 0
        full, listed = _chosen(words or [], listing=list_)
        from dshlog.render.explain import explain_dict, list_lines, rule_lines
        from dshlog.report.explain import explained

        if json:
            from dshlog import __version__
            from dshlog.render.jsonout import document

            rules = dict.fromkeys((*full, *listed))
            output.data(document(explain_dict(map(explained, rules), version=__version__)))
            return 0
        looks = look(output, color)
        for number, rule in enumerate(full):
            if number:
                output.lines(("",))
            output.lines(rule_lines(explained(rule), looks))
        if full and listed:
            output.lines(("",))
        output.lines(list_lines(listed, looks))
    return 0


def _chosen(words: list[str], *, listing: bool) -> tuple[list[Rule], list[Rule]]:
    """Give the rules to explain in full and those to list.

    Raises:
        Failure: a word stands for no rule.
    """
    from dshlog.report.explain import beginning, in_order, named, nearest

    if not words:
        return [], in_order()
    full: list[Rule] = []
    listed: list[Rule] = []
    for word in words:
        rule = named(word)
        if rule is not None:
            (listed if listing else full).append(rule)
            continue
        found = beginning(word)
        if not found:
            message = f"no code and no name begins with {word!r}"
            near = (f"dshlog explain {other.code}  {other.name}" for other in nearest(word))
            raise Failure(message, *near, "dshlog explain --list has them all")
        listed += found
    order = in_order()
    return list(dict.fromkeys(full)), sorted(set(listed), key=order.index)


def schema_text(name: str) -> bytes:
    """Give the JSON Schema of an output as it is shipped."""
    from importlib.resources import files

    return files("dshlog").joinpath("schemas", f"{name}.schema.json").read_bytes()

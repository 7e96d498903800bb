"""Every command and every option stands in the manual."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer.main

from dshlog.cli.main import application

MANUAL = Path(__file__).parents[2] / "man" / "dshlog.1"
OWN_OF_TYPER = {"--install-completion", "--show-completion"}


def _walk(command, name):
    yield name, command
    for inner, child in getattr(command, "commands", {}).items():
        yield from _walk(child, f"{name} {inner}")


COMMANDS = dict(_walk(typer.main.get_command(application()), "dshlog"))


@pytest.fixture(scope="module")
def manual():
    # roff writes a hyphen that must stay a hyphen as \- and changes fonts with \fB and the like.
    text = MANUAL.read_text(encoding="utf-8").replace("\\-", "-")
    for font in ("\\fB", "\\fI", "\\fR", "\\fP"):
        text = text.replace(font, "")
    return text


def _options(name):
    return [
        spelling
        for parameter in COMMANDS[name].params
        if parameter.param_type_name == "option"
        for spelling in parameter.opts
        if spelling not in OWN_OF_TYPER
    ]


def test_the_command_tree_is_walked():
    assert {"dshlog", "dshlog validate", "dshlog show", "dshlog cat"} <= set(COMMANDS)
    assert "--seq" in _options("dshlog cat")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_and_stands_in_the_manual(name, manual):
    assert COMMANDS[name].help
    assert name in manual


@pytest.mark.parametrize("name, option", [(name, option) for name in sorted(COMMANDS) for option in _options(name)])
def test_every_option_has_help_and_stands_in_the_manual(name, option, manual):
    (parameter,) = [parameter for parameter in COMMANDS[name].params if option in parameter.opts]
    assert parameter.help
    section = manual if name == "dshlog" else _section(manual, name)
    assert option in section.split() or f"{option} " in section or f"{option}," in section


def _section(manual, name):
    """Give the text from the heading of a command to the next heading; the whole text if it has none."""
    word = name.removeprefix("dshlog ")
    for mark in (".SS", ".SH"):
        for part in manual.split(f"\n{mark} ")[1:]:
            if word in part.splitlines()[0].replace('"', "").split():
                return part
    return manual

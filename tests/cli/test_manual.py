"""Every command has a page with its options, and all pages render."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import typer.main

from dshlog import __version__
from dshlog.cli.main import application

MAN = Path(__file__).parents[2] / "man"
OWN_OF_TYPER = {"--install-completion", "--show-completion"}


def _walk(command, name):
    yield name, command
    for inner, child in getattr(command, "commands", {}).items():
        yield from _walk(child, f"{name} {inner}")


COMMANDS = dict(_walk(typer.main.get_command(application()), "dshlog"))


def page_of(name):
    """Give the text of the page of a command, with its fonts and hyphens plain."""
    # roff writes a hyphen that must stay a hyphen as \\- and changes fonts with \\fB and the like.
    text = (MAN / f"{name.replace(' ', '-')}.1").read_text(encoding="utf-8").replace("\\-", "-")
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
def test_every_command_has_help_a_page_and_a_line_in_the_overview(name):
    assert COMMANDS[name].help
    assert name in page_of(name)
    assert name in page_of("dshlog")


@pytest.mark.parametrize("name, option", [(name, option) for name in sorted(COMMANDS) for option in _options(name)])
def test_every_option_has_help_and_stands_in_the_page_of_its_command(name, option):
    (parameter,) = [parameter for parameter in COMMANDS[name].params if option in parameter.opts]
    assert parameter.help
    assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", page_of(name))


@pytest.mark.parametrize("path", sorted(MAN.glob("*.[157]")), ids=lambda path: path.name)
def test_every_page_is_installed_and_renders_without_a_warning(path, repository):
    settings = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    shared = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert shared[f"man/{path.name}"] == f"share/man/man{path.suffix[1:]}/{path.name}"
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("no groff on PATH")
    ran = subprocess.run(
        [groff, "-t", "-man", "-ww", "-Tutf8", "-Kutf8", path], capture_output=True, check=True, text=True
    )
    assert ran.stderr == ""


def test_pages_refer_only_to_pages_that_are_there():
    named = {
        match
        for path in MAN.glob("*.[157]")
        for match in re.findall(r"\.BR (dshlog[\w\\-]*) \((\d)\)", path.read_text(encoding="utf-8"))
    }
    there = {path.name for path in MAN.glob("*.[157]")}
    assert {f"{name}.{section}".replace("\\-", "-") for name, section in named} == there


def test_rules_page_is_the_register():
    page = runpy.run_path(str(MAN / "build.py"))["page"]()
    assert (MAN / "dshlog-rules.7").read_text(encoding="utf-8") == page, "run: python man/build.py"


def test_the_page_of_the_repair_has_the_fixes_of_the_register():
    page = runpy.run_path(str(MAN / "build.py"))["repair_page"]()
    assert (MAN / "dshlog-repair.1").read_text(encoding="utf-8") == page, "run: python man/build.py"


def test_pages_have_the_version_of_the_program():
    for path in MAN.glob("*.[157]"):
        assert f'"dshlog {__version__}"' in path.read_text(encoding="utf-8"), path.name

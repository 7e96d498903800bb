"""README and manual pages name every command, option, state and JSON key that there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer.main

import dshlog
from dshlog import __version__
from dshlog.cli.main import application
from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.model.report import STATES, ReaderVerdict, Report, SurfaceSize, Torn
from dshlog.model.surface import Replacement
from dshlog.model.view import SurfaceRow, SurfaceView
from dshlog.render.jsonout import card_dict, surface_dict, validate_dict

READER = ReaderVerdict(build=None, opens=None)
FINDING = Finding(code="S304", name="n", severity="error", place=Place(file="f"), message="m")
REPORT = Report(
    path="p",
    state="torn",
    native=READER,
    latest=READER,
    findings=(FINDING,),
    torn=Torn(at=0, bytes=0, events=0),
    surface=SurfaceSize(nodes=0, replacements=0, messages=0),
)
ROW = SurfaceRow(
    position=0, seq=0, type="t", role=None, turn=None, step=None, chars=0, source=None, text="", replaced=()
)
VIEW = SurfaceView(
    path="p",
    version=4,
    at=None,
    nodes=(0,),
    replacements=(Replacement(seq=1, start=0, end=0, shadowed=(0,)),),
    rows=(ROW,),
)

COMMANDS = typer.main.get_command(application()).commands
OPTIONS = sorted(
    {option for command in COMMANDS.values() for parameter in command.params for option in parameter.opts}
    - {parameter.name for command in COMMANDS.values() for parameter in command.params}
)


@pytest.fixture(scope="module")
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def manual(repository):
    pages = sorted((repository / "man").glob("*.1"))  # the overview and a page for each command
    return "\n".join(page.read_text(encoding="utf-8") for page in pages).replace("\\-", "-")


def keys_of(value):
    if isinstance(value, dict):
        return set(value) | {key for member in value.values() for key in keys_of(member)}
    return {key for member in value for key in keys_of(member)} if isinstance(value, list) else set()


def names_of(schema):
    """Give a value that has the members which a schema names."""
    if "properties" in schema:
        return {name: names_of(inner) for name, inner in schema["properties"].items()}
    return [names_of(schema["items"])] if "items" in schema else None


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_in_both(command, readme, manual):
    assert f"dshlog {command}" in readme
    assert f"dshlog {command}" in manual


@pytest.mark.parametrize("option", OPTIONS)
def test_option_is_in_both(option, readme, manual):
    word = re.compile(rf"(?<![\w-]){re.escape(option)}(?![\w-])")
    assert word.search(readme)
    assert word.search(manual)


@pytest.mark.parametrize("state", STATES)
def test_state_is_in_both(state, readme, manual):
    assert f"| `{state}` |" in readme
    assert f".B {state}\n" in manual


@pytest.mark.parametrize("status", [0, 1, 2, 3, 130])
def test_exit_status_is_in_both(status, readme, manual):
    assert f"| {status} |" in readme
    assert f".B {status}\n" in manual


def test_manual_names_every_json_key(manual):
    documents = [validate_dict([card_dict(REPORT)], reader="latest", version="0"), surface_dict(VIEW)]
    shipped = Path(dshlog.__file__).parent.joinpath("schemas")
    documents += [names_of(json.loads(path.read_text(encoding="utf-8"))) for path in shipped.iterdir()]
    bold = set(re.findall(r"[\w-]+", "\n".join(re.findall(r"^\.BR? .*$", manual, re.MULTILINE))))
    assert keys_of(documents) <= bold


def test_versions_agree(repository, manual):
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{__version__}]" in changelog
    assert f'"dshlog {__version__}"' in manual


def test_no_file_holds_both_sides_of_a_merge(repository):
    marks = re.compile(rb"^(<{7} |>{7} |={7}$)", re.MULTILINE)
    folders = ("dshlog", "man", "tests", "fixtures")
    texts = [path for folder in folders for path in (repository / folder).rglob("*") if path.suffix in {".py", ".json"}]
    texts += [*repository.glob("*.md"), *(repository / "man").glob("*.[157]")]
    assert len(texts) > 100
    assert [path for path in texts if marks.search(path.read_bytes())] == []

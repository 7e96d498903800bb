from __future__ import annotations

import json

import pytest

from dshlog.cli.config import KEYS, settings

LOGS = ("a", "b")


@pytest.fixture
def here(tmp_path, monkeypatch, world):
    world.logs |= {"a": "refused", "b": "torn"}
    inner = tmp_path / "one" / "two"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    return tmp_path


def test_without_a_file_nothing_is_set(here):
    assert settings(start=str(here)) == (None, {}) or settings(start=str(here))[0].startswith("/")
    (here / "pyproject.toml").write_text("[tool.other]\nx = 'dshlog'\n")
    (here / "dshlog.toml").write_text("")
    assert settings() == (str(here / "dshlog.toml"), {})


def test_the_nearest_file_counts_and_our_own_comes_first(here, run):
    (here / "dshlog.toml").write_text('fail-on = "note"\n')
    (here / "one" / "pyproject.toml").write_text('[tool.dshlog]\nignore = ["S"]\n')
    assert run("validate", *LOGS).status == 0
    (here / "one" / "dshlog.toml").write_text('ignore = "L"\n')
    assert run("validate", *LOGS).status == 1


def test_a_pyproject_without_our_table_is_passed_over_sound_or_not(here, run):
    (here / "dshlog.toml").write_text('ignore = "S"\n')
    (here / "one" / "pyproject.toml").write_text('[project]\ndependencies = ["dshlog"]\n')
    (here / "one" / "two" / "pyproject.toml").write_text("dshlog = \n")
    assert run("validate", *LOGS).status == 0


@pytest.mark.parametrize(
    "text",
    [
        "[tool.dshlog]\nignore = 'S'\n",
        "[ tool . 'dshlog' ]\nignore = 'S'\n",
        "tool.dshlog.ignore = 'S'\n",
        "[tool]\ndshlog.ignore = 'S'\n",
        "tool = {dshlog = {ignore = 'S'}}\n",
        "[project]\nname = 'x'\n\n  [\"tool\"]\n  dshlog = {ignore = 'S'}\n",
    ],
)
def test_our_table_is_found_however_it_is_spelled(here, text):
    (here / "pyproject.toml").write_text(text)
    assert settings() == (str(here / "pyproject.toml"), {"ignore": ("S",)})


def test_a_pyproject_that_cannot_be_read_is_passed_over(here, run, monkeypatch):
    (here / "one" / "pyproject.toml").write_text("x" * 9)
    (here / "dshlog.toml").write_text('ignore = "S"\n')
    monkeypatch.setattr("dshlog.files.whole.LIMIT", 8)
    assert run("validate", *LOGS).status == 2  # ours is too large as well
    (here / "dshlog.toml").write_text("")
    told = run("validate", *LOGS)
    assert told.status == 1
    assert told.err.startswith("dshlog: warning: cannot read ")
    assert told.err.endswith("; no settings are taken from it\n")


@pytest.mark.parametrize("text", ["[tool.dshlog\nignore = ['S']\n", "[tool.dshlog]\nignore = ['S'\n"])
def test_a_pyproject_with_our_table_that_is_not_toml_is_told(here, run, text):
    (here / "pyproject.toml").write_text(text)
    told = run("validate", *LOGS)
    assert (told.status, told.out) == (2, "")
    assert told.err.startswith(f"dshlog: error: {here / 'pyproject.toml'} is not TOML: ")
    assert run("validate", "--no-config", *LOGS).status == 1


def test_every_key_does_what_its_option_does(here, run, world):
    (here / "words.txt").write_text("acme/step\n")
    (here / "known.json").write_text('{"schema":1,"findings":[]}')
    (here / "dshlog.toml").write_text(
        'select = ["S", "L"]\nignore = ["L"]\nfail-on = "warning"\nbaseline = "known.json"\nvocabulary = "words.txt"\n'
        'format = "json"\nreader = "native"\ndeep = true\n[severity]\nS304 = "warning"\n'
    )
    told = run("validate", "a")
    assert told.status == 1
    document = json.loads(told.out)
    assert document["reader"] == "native"
    assert document["summary"]["findings"] == {"error": 0, "warning": 1, "note": 0}
    assert world.deep == [(True, frozenset({"acme/step"}))]
    assert set(settings()[1]) == set(KEYS)


def test_the_command_line_wins(here, run, world):
    (here / "dshlog.toml").write_text('ignore = ["S"]\nformat = "json"\nreader = "native"\ndeep = true\n')
    told = run("validate", "--ignore", "L", "--format", "text", "--reader", "latest", "--no-deep", "a")
    assert (told.status, world.readers, world.deep) == (1, ["latest"], [(False, frozenset())])
    assert told.out.startswith("a:3: error S304")
    run("validate", "--quick", "a")
    assert world.deep[-1] == (False, frozenset())
    assert run("validate", "--no-config", "a").status == 1


def test_a_file_can_be_named(here, run):
    named = here / "ci.toml"
    named.write_text('ignore = ["S"]\n')
    (here / "one" / "dshlog.toml").write_text('fail-on = "note"\n')
    assert run("validate", "--config", str(named), *LOGS).status == 0
    shared = here / "pyproject.toml"
    shared.write_text('[tool.dshlog]\nignore = ["S"]\n')
    assert run("validate", "--config", str(shared), *LOGS).status == 0
    shared.write_text("[tool.other]\n")
    assert run("validate", "--config", str(shared), *LOGS).status == 1
    assert run("validate", "--config", str(here / "none"), *LOGS).status == 2


@pytest.mark.parametrize(
    "text, message",
    [
        ("nope = 1\n", "dshlog.toml has the unknown key nope"),
        ("fail_on = 'note'\n", "has the unknown key fail_on"),
        ("select = 1\n", "select of {} is not a list of texts"),
        ("vocabulary = [1]\n", "vocabulary of {} is not a list of texts"),
        ("deep = 'yes'\n", "deep of {} is not true or false"),
        ("severity = 3\n", "severity of {} is not a table"),
        ("baseline = []\n", "baseline of {} is not a text"),
        ("format = 'xml'\n", "format of {}: 'xml' is not one of text,"),
        ("select = ['X']\n", "select of {}: no rule has the code X"),
        ("severity = {S304 = 'bad'}\n", "severity of {}: 'S304=bad' is not CODE=LEVEL"),
        ("nope\n", "{} is not TOML"),
    ],
)
def test_a_wrong_file_is_named(here, run, text, message):
    path = here / "dshlog.toml"
    path.write_text(text)
    told = run("validate", *LOGS)
    assert (told.status, told.out) == (2, "")
    assert message.format(path) in told.err


def test_a_table_that_is_none_is_told(here, run):
    (here / "pyproject.toml").write_text("[tool]\ndshlog = 1\n")
    told = run("validate", *LOGS)
    assert told.status == 2
    assert "tool.dshlog" in told.err

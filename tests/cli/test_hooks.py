"""The action and the pre-commit hook of this repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import textwrap

import pytest

BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def scripts(repository):
    text = (repository / ".github/actions/validate/action.yml").read_text(encoding="utf-8")
    return [textwrap.dedent(block) for block in re.findall(r"run: \|\n((?: {8}.*\n|\n)+)", text)]


@pytest.fixture
def act(scripts, tmp_path):
    programs = tmp_path / "dshlog" / "bin"
    programs.mkdir(parents=True)
    fake = programs / "dshlog"
    fake.write_text('#!/bin/sh\nprintf "[%s]\\n" "$@"\nexit 1\n')
    fake.chmod(0o755)

    def go(paths, options=""):
        given = os.environ | {"RUNNER_TEMP": str(tmp_path), "PATHS": paths, "OPTIONS": options}
        words = [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts[1]]
        return subprocess.run(words, env=given, capture_output=True, text=True, check=False)

    return go


pytestmark = pytest.mark.skipif(BASH is None, reason="actions run in bash")


def test_the_action_installs_the_checkout_that_it_stands_in(scripts, repository):
    assert len(scripts) == 2
    assert "$GITHUB_ACTION_PATH/../../.." in scripts[0]
    assert (repository / ".github/actions/validate/../../../pyproject.toml").is_file()
    assert "${{" not in "".join(scripts)  # what comes from outside is no part of a script


def test_the_action_hands_on_words_and_the_exit_status(act):
    told = act("a b\n\n$(date)\n", "--fail-on=warning\n")
    assert told.returncode == 1
    assert told.stdout.split("\n")[:-1] == [
        "[validate]", "[--format]", "[github]", "[--fail-on=warning]", "[--]", "[a b]", "[$(date)]",
    ]  # fmt: skip


def test_the_action_does_not_fall_back_to_the_root_of_the_runner(act):
    told = act("\n")
    assert (told.returncode, told.stdout) == (2, "::error title=dshlog::paths is empty\n")


@pytest.mark.parametrize(
    "path, taken",
    [
        ("session.jsonl", True),
        ("logs/session.v4.jsonl.zstd", True),
        ("a/session.v3.jsonl", True),
        ("a/mysession.jsonl", False),
        ("a/session.jsonl.bak", False),
        ("events.jsonl", False),
    ],
)
def test_the_hook_takes_the_names_that_dsh_gives(repository, path, taken):
    text = (repository / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"^ +files: (.*)$", text, re.MULTILINE)
    assert bool(re.search(pattern, path)) is taken
    assert "entry: dshlog validate\n" in text

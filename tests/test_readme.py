"""The examples of README.md run as they stand, and print what they say they print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
JQ = re.search(r"^## With jq\n.*?^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[1]
LINES = re.findall(r"^# (.*)\n(dshlog .*)$", JQ, re.MULTILINE)

# What each one-liner prints, in the order of README.md.
PRINTED = [
    [
        (
            '{"assistant/message":3,"request/header":1,"step/end":3,"step/start":3,"system/message":1,"tool/call":1,'
            '"tool/result":1,"turn/end":2,"turn/start":2,"user/message":2}'
        )
    ],
    ['1\tbash\t{"command":"ls"}'],
    ['{"call":"call_1","ms":10}'],
    ['{"input":300,"output":60}'],
    ["One.", "Two.", "Three."],
    ['{"seq":13,"span":[3,5],"cites":5}'],
    ['{"turn":1,"end":"completed"}', '{"turn":2,"end":"completed"}'],
    [
        "system: You are a careful agent.",
        "user: They counted to three.",
        "assistant: One, two and three were said.",
        "assistant: Four comes next.",
    ],
    ["[2,3,4,5,7]"],
    None,
]


@pytest.mark.parametrize("block", PYTHON, ids=range(len(PYTHON)))
def test_python_example_prints_what_it_says(block, repository):
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", block], cwd=repository, capture_output=True, text=True, check=True
    )
    promised = [line.removeprefix("# -> ") for line in block.splitlines() if line.startswith("# -> ")]
    assert ran.stdout
    if promised:
        assert ran.stdout.splitlines() == promised


def test_there_are_ten_one_liners():
    assert len(LINES) == len(PRINTED) == 10
    assert JQ.count("\n") == 20


@pytest.mark.parametrize("index", range(10))
def test_one_liner_runs_and_prints_what_it_should(index, repository, tmp_path):
    bash, jq = shutil.which("bash"), shutil.which("jq")
    if bash is None or jq is None:
        pytest.skip("no bash or no jq on PATH")
    script = tmp_path / "dshlog"
    script.write_text(f'#!{bash}\nexec {sys.executable} -m dshlog "$@"\n')
    script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(
        [bash, "-c", LINES[index][1]], cwd=repository, env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    lines = ran.stdout.splitlines()
    assert lines
    if PRINTED[index] is not None:
        assert lines == PRINTED[index]

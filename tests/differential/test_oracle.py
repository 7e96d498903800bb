"""On demand: dsh itself and dshlog judge the same generated logs in the same way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parent / "run.py"


@pytest.mark.parametrize(
    "words",
    [
        ["--whole", "9999"],
        ["--cuts", "500"],
        ["--mutate", "1000"],
        ["--upgrade", "--whole", "9999"],
        ["--upgrade", "--mutate", "1000"],
    ],
    ids=lambda words: "-".join(word[2:] for word in words if word.startswith("--")),
)
def test_both_judge_alike(oracle, shared, words):
    command = [sys.executable, str(RUN), "--oracle", str(oracle), "--seed", "1", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("words", [["--whole", "9999"], ["--mutate", "600"]], ids=["whole", "mutate"])
def test_dsh_opens_and_upgrades_what_was_fixed(oracle, shared, words):
    command = [
        sys.executable,
        str(RUN.with_name("fixed.py")),
        "--oracle",
        str(oracle),
        "--upgrade",
        "--seed",
        "1",
        *words,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_same_arguments_make_the_same_log(shared):
    command = [sys.executable, str(RUN), "--mutate", "50", "--seed", "5", "--make", "mutate-5-49"]
    logs = {subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)}
    assert len(logs) == 1
    assert logs.pop()

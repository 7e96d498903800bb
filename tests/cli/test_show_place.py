"""`show` gives the verdict that `validate` gives, the rules of place included."""

from __future__ import annotations

import json

import pytest

from dshlog.cli.main import main
from rootbuilder import small_log, store


def test_a_log_in_the_wrong_project_is_refused_by_both(tmp_path, capfdbinary):
    path = store(tmp_path / "sessions", small_log(), project="--elsewhere--")
    assert main(["validate", "--format", "json", str(path)]) == 1
    judged = json.loads(capfdbinary.readouterr().out)["logs"][0]
    assert main(["show", "--json", str(path)]) == 1
    shown = json.loads(capfdbinary.readouterr().out)
    assert (shown["state"], shown["readers"]) == (judged["state"], judged["readers"])
    assert "D103" in [finding["code"] for finding in shown["findings"]]


@pytest.mark.parametrize("view", ["--surface", "--events", "--turns", "--transcript", "--frames", "--why=2", "--at=2"])
def test_every_view_knows_the_place(tmp_path, capfdbinary, view):
    path = store(tmp_path / "sessions", small_log(), project="--elsewhere--")
    assert main(["show", view, str(path)]) == 1
    told = capfdbinary.readouterr()
    assert b"refused" in told.out
    assert b"D103" in told.err


def test_both_say_that_no_dsh_looks_for_a_log_of_this_name(tmp_path, capfdbinary):
    path = store(tmp_path / "sessions", small_log(), name="copy.v4.jsonl.zstd")
    assert main(["validate", "--format", "json", str(path)]) == 0
    judged = json.loads(capfdbinary.readouterr().out)["logs"][0]
    assert main(["show", "--json", str(path)]) == 0
    shown = json.loads(capfdbinary.readouterr().out)
    assert shown["readers"] == judged["readers"]
    assert not shown["readers"]["latest"]["opens"]

"""`show` gives the verdict that `validate` gives, the rules of place included."""

from __future__ import annotations

import json

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

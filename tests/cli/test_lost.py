"""A working directory that was removed: every command names it, and none blames what it prints to."""

from __future__ import annotations

import pytest

CAUSE = "dshlog: error: cannot read {}: the working directory was removed\n"


@pytest.fixture
def lost(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    try:
        gone.rmdir()
    except OSError:
        pytest.skip("this system keeps a directory that a process stands in")


@pytest.mark.parametrize("words", [
    ("validate",), ("ls",), ("show",), ("cat",), ("repair",), ("stats",), ("migrate", "--check"), ("diff", "x.jsonl"),
])  # fmt: skip
@pytest.mark.parametrize("path", [".", "sub/session.jsonl"])
@pytest.mark.usefixtures("lost")
def test_a_relative_path_is_refused_with_the_cause(words, path, say):
    status, _, err = say(*words, path)
    assert status == 2
    assert CAUSE.format("x.jsonl" if words[0] == "diff" else path) in err


@pytest.mark.usefixtures("lost")
def test_so_is_a_relative_root(say):
    status, out, err = say("validate", "--root", ".", "session-abcdef")
    assert (status, out) == (2, "")
    assert CAUSE.format(".") in err


@pytest.mark.usefixtures("lost")
def test_an_absolute_path_is_read(repository, say):
    path = repository / "fixtures/v4/clean/session.v4.jsonl.zstd"
    status, _, err = say("pack", path, "-o", "new.jsonl.zstd")
    assert (status, err.splitlines()[0]) == (2, "dshlog: error: the working directory was removed")
    for words in (("validate",), ("show",), ("cat",), ("ls",), ("stats",), ("repair",)):
        assert say(*words, path)[0] == 0

"""A session id, or the beginning of one, in place of a path."""

from __future__ import annotations

import json

import pytest

from dshlog.files.lookup import sessions_named
from dshlog.files.unreadable import Unreadable
from rootbuilder import small_log, store

ONE, TWO = "session-abc111", "session-abc222"


@pytest.fixture
def root(tmp_path):
    for id_ in (ONE, TWO, "other", "with space"):
        store(tmp_path, small_log(4, id=id_), segment=id_.replace(" ", "~0020"))
    (tmp_path / "--home-u-demo--" / "session-empty").mkdir()
    return tmp_path


def test_an_id_is_found_by_its_beginning_and_exactly(root):
    top = str(root)
    assert list(sessions_named(top, ONE)) == [ONE]
    assert list(sessions_named(top, "session-abc1")) == [ONE]
    assert list(sessions_named(top, "session-abc")) == [ONE, TWO]
    assert list(sessions_named(top, "other")) == ["other"]
    assert list(sessions_named(top, "abc111")) == [ONE]
    assert list(sessions_named(top, "abc1112")) == []
    assert list(sessions_named(top, "with space")) == ["with space"]
    for nothing in ("othe", "sessi", "session-empty", "", "unknown"):
        assert sessions_named(top, nothing) == {}
    with pytest.raises(Unreadable):
        sessions_named(str(root / "gone"), ONE)


@pytest.mark.parametrize("command", ["show", "cat", "validate", "stats", "repair", "migrate --check"])
def test_commands_take_an_id_with_a_root(command, root, say):
    where = root / "--home-u-demo--" / ONE
    for text in (ONE, "session-abc1"):
        assert say(*command.split(), "--root", root, text) == say(*command.split(), where)
    assert say(*command.split(), "--root", root, where) == say(*command.split(), where)


@pytest.mark.parametrize("command", ["pack", "unpack", "migrate"])
def test_commands_that_write_take_an_id_with_a_root(command, root, tmp_path, say):
    store(root, small_log(3, id="session-old"), segment="session-old")
    id_ = "session-old" if command == "migrate" else ONE
    out = tmp_path / "out"
    assert say(command, "--root", root, id_, "-o", out)[0] == 0
    assert out.exists()
    status, _, err = say(command, "--root", root, "nothing", "-o", tmp_path / "other")
    assert (status, err.splitlines()[0]) == (2, f"dshlog: error: no session nothing in {root}")


def test_stats_of_a_root_alone(root, say):
    assert say("stats", "--json", "--root", root) == say("stats", "--json", root)


@pytest.mark.parametrize("command", ["show", "cat", "validate", "stats"])
def test_what_no_session_and_what_several_begin_with_is_told(command, root, say):
    status, out, err = say(command, "--root", root, "session-ab")
    assert (status, err.splitlines()[0]) == (2, "dshlog: error: 2 sessions begin with session-ab")
    assert f"dshlog: hint: dshlog {command} --root {root} {ONE}" in err
    assert out == "" or command == "validate"
    status, _, err = say(command, "--root", root, "nothing")
    assert (status, err.splitlines()[0]) == (2, f"dshlog: error: no session nothing in {root}")
    store(root, small_log(4, id=ONE), project="--elsewhere--")
    status, _, err = say(command, "--root", root, ONE)
    assert (status, err.splitlines()[0]) == (2, f"dshlog: error: session {ONE} lies in 2 projects, name one")


def test_the_beginning_of_what_follows_session_may_be_that_of_a_subagent_too(root, say):
    store(root, small_log(4, id="abc111-child"))
    status, _, err = say("show", "--root", root, "abc111")
    assert (status, err.splitlines()) == (2, [
        "dshlog: error: 2 sessions begin with abc111",
        f"dshlog: hint: dshlog show --root {root} abc111-child",
        f"dshlog: hint: dshlog show --root {root} {ONE}",
    ])  # fmt: skip


def test_one_unknown_id_does_not_stop_the_others(root, say):
    status, out, _ = say("validate", "--format", "json", "--root", root, "nothing", ONE)
    assert (status, [log["id"] for log in json.loads(out)["logs"]]) == (2, [ONE])
    status, out, _ = say("cat", "--root", root, "nothing", ONE)
    assert (status, len(out.splitlines())) == (2, 5)


def test_a_root_alone_is_judged(root, say):
    out = say("validate", "--format", "json", "--root", root)[1]
    assert len(json.loads(out)["logs"]) == 4

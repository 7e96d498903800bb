"""What a repair adds and cuts is what dsh itself adds and cuts."""

from __future__ import annotations

import json

import pytest

from dshlog.repair.closers import closing, fork_seed
from dshlog.repair.finish import OPENS, Tail, finish
from dshlog.repair.script import result
from dshlog.report.decode import read_log
from dshlog.storage.jsontext import dumps, loads
from dshlog.storage.source import BytesSource


def plan_of(path):
    tail = Tail(BytesSource(path.read_bytes()), str(path))
    return finish(tail, now=0) if tail.report.state in OPENS else None


def agrees(log):
    """Tell whether closers, cut and rewritten tail are dsh's; None for a log that dsh does not open."""
    plan = plan_of(log.path)
    if plan is None:
        return None
    assert dumps(list(plan.closers)) == dumps(log.facts["closers"])
    assert plan.truncate_to == log.answer["torn_truncate_to"]
    assert len(plan.rewritten) == log.answer["recovered_tail"]
    assert (plan.end_seed is None) == (not plan.closers)
    return True


def test_written_log(shared, written):
    assert agrees(written)


def test_changed_log(shared, changed):
    if changed.path.is_dir() or not changed.answer["ok"]:
        pytest.skip("dsh does not open it")
    assert agrees(changed)


def test_vectors(shared):
    paths = sorted((shared / "vectors/repair").glob("*.json"))
    assert len(paths) > 30
    for path in paths:
        case = json.loads(path.read_bytes())
        given, expect, version = case["input"], case["expect"], case["version"]
        if given["operation"] == "closers":
            made = closing(given["events"], version=version, cause=given.get("cause", "interrupted"))
            assert dumps(made) == dumps(expect["closers"]), path.name
            assert closing([*given["events"], *made], version=version) == [], path.name
        elif given["operation"] == "fork-seed":
            assert dumps(fork_seed(given["events"], given["boundary"])) == dumps(expect["appended"]), path.name
            assert given["boundary"] + 1 == expect["inheritedEventCount"], path.name


def repaired(path):
    """Give the records behind the header of the repaired log, as values."""
    source = BytesSource(path.read_bytes())
    plan = plan_of(path)
    data = b"".join(result(plan.script, source, plan.before.encoding))
    assert Tail(BytesSource(data), str(path)).report.state == "clean"
    return [loads(line) for line in read_log(BytesSource(data), str(path)).records()]


def test_crashed_logs_are_closed_as_dsh_closed_them(shared):
    compared = 0
    for folder in sorted((shared / "corpus").glob("crash-*-resumed-*")):
        crashed = folder.with_name(folder.name.replace("-resumed", ""))
        for path in sorted(crashed.rglob("session*.jsonl*")):
            ours = repaired(path)
            resumed = folder / path.relative_to(crashed)
            theirs = [loads(line) for line in read_log(BytesSource(resumed.read_bytes()), str(resumed)).records()]
            theirs = theirs[: len(ours)]
            assert ours[-1]["type"] == theirs[-1]["type"] == "session/end-seed"
            ours[-1]["time"] = theirs[-1]["time"] = 0
            assert dumps(ours) == dumps(theirs), path
            compared += 1
    assert compared > 20

"""What a repair adds and cuts is what dsh itself adds and cuts."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from dshlog.repair.closers import closing, fork_seed
from dshlog.repair.finish import OPENS, Tail, finish
from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.script import result
from dshlog.repair.sheet import load
from dshlog.report.decode import read_log
from dshlog.report.examine import examine
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


# Logs that no repair makes openable, each with the reason that the plan gives.
HOPELESS = {
    "corpus/mutants/007-v4-empty-file.jsonl": "nothing in it",
    "corpus/mutants/008-v3-empty-file.jsonl": "nothing in it",
    "corpus/mutants/011-v4-header-torn.jsonl": "nothing in it",
    "corpus/mutants/012-v3-header-torn.jsonl": "nothing in it",
    "corpus/mutants/091-v4-unknown-required-event.jsonl": "the file is whole",
    "corpus/mutants/092-v3-unknown-required-event.jsonl": "the file is whole",
    "corpus/mutants/114-v4-header-version-5.jsonl": "the file is whole",
    "corpus/mutants/115-v3-header-version-5.jsonl": "the file is whole",
    "corpus/mutants/122-v4-header-id-missing.jsonl": "no repair is known for H104",
    "corpus/mutants/123-v3-header-id-missing.jsonl": "no repair is known for H104",
    "corpus/mutants/136-v4-header-is-an-event.jsonl": "what the header said is nowhere in the file",
    "corpus/mutants/137-v0-header-is-an-event.jsonl": "what the header said is nowhere in the file",
    "corpus/traps/015-v3-unknown-required-with-surface-op.jsonl": "the file is whole",
    "cases/B022-plugin-event-unmarked-v4.jsonl": "the file is whole",
    "cases/B056-header-line-missing-v4.jsonl": "what the header said is nowhere in the file",
}
EAGER = Wishes(now=1, allow_loss=True, keep="second")


def made_of(changed, stored_names):
    """Give the plan for a log under the name that it was stored with, and the bytes of the result."""
    name = stored_names.get(changed.name, changed.path.name)
    source = BytesSource(changed.path.read_bytes())
    plan = plan_repair(source, name, EAGER)
    if plan.script is None:
        return plan, None
    made = b"".join(result(plan.script, source, plan.before.encoding))
    report = examine(BytesSource(made), name, reader="native", encoding=plan.before.encoding)
    assert (report.state, report.events) == ("clean", plan.events)
    assert plan_repair(BytesSource(made), name, EAGER).healthy
    return plan, made


def test_changed_log_is_repaired(shared, changed, stored_names):
    if changed.path.is_dir():
        pytest.skip("no file")
    plan, made = made_of(changed, stored_names)
    if made is None:
        assert plan.why_not.startswith(HOPELESS[changed.name])
        return
    assert changed.name not in HOPELESS
    assert plan.before.state != "clean" or plan.healthy


def test_hopeless_logs_are_there(shared, changed_names):
    assert HOPELESS.keys() <= changed_names


def said(lines):
    """Count records by type and payload, whatever their numbers are."""
    found = Counter()
    for line in lines:
        row = loads(line)
        if isinstance(row, dict) and "type" in row:
            data = row.get("data")
            plain = {key: held for key, held in data.items() if "eq" not in key} if isinstance(data, dict) else data
            found[dumps([row["type"], plain])] += 1
    return found


def test_nine_in_ten_rows_of_refused_logs_stay(shared, every_changed, stored_names):
    there = kept = 0
    for changed in every_changed:
        if changed.path.is_dir() or changed.answer["ok"]:
            continue
        plan, made = made_of(changed, stored_names)
        if made is None:
            continue
        sheet = load(BytesSource(changed.path.read_bytes()), plan.before.path, plan.before.encoding)
        before = said(line.text for line in sheet.lines[1:] if line.row is not None)
        after = said(read_log(BytesSource(made), plan.before.path).records())
        there += before.total()
        kept += (before & after).total()
    assert kept >= 0.9 * there
    assert there > 2000

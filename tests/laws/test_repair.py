"""The laws of a repair, over every fixture, changed by bytes, by lines, and by what a log knows."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

import build
import damage
import mutate
import opened
from bases import Case, bases
from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.script import result
from dshlog.repair.sheet import load
from dshlog.report.examine import examine
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
RAW = sorted(FIXTURES.glob("v[0-4]/*/session*.jsonl"))
LOGS = sorted(FIXTURES.glob("v[0-4]/*/session*"))
BASES = bases(FIXTURES / "absent")  # the fixtures alone
EAGER = Wishes(now=1, allow_loss=True, keep="first")
LAWS = settings(max_examples=int(os.environ.get("DSHLOG_EXAMPLES", "150")), deadline=None)  # thousands in a long run


def lawful(data, name):
    """Repair a log and hold the result against every law; the plan."""
    before = hashlib.sha256(data).digest()
    plan = plan_repair(BytesSource(data), name, EAGER)
    assert hashlib.sha256(data).digest() == before
    assert plan.script is not None or plan.why_not
    if plan.script is None:
        return plan
    made = b"".join(result(plan.script, BytesSource(data), plan.before.encoding))
    report = examine(BytesSource(made), name, reader="native", encoding=plan.before.encoding)
    assert (report.state, report.events) == ("clean", plan.events)
    again = plan_repair(BytesSource(made), name, EAGER)
    assert again.healthy
    assert plan.healthy == (made == data)
    # The lines of the result are those of the log, but for what the plan names; so no record is lost without a word.
    old = Counter(change.old.removesuffix(b"\n") for change in plan.changed if change.old)
    new = Counter(line.removesuffix(b"\n") for change in plan.changed for line in change.new)
    assert (
        stored_lines(data, plan, {change.line for change in plan.changed if change.old}) + new
        == stored_lines(made, plan) + old
    )
    assert Counter(lost.line.removesuffix(b"\n") for lost in plan.lost) <= old
    return plan


def stored_lines(data, plan, changed=()):
    """Count the lines of a log, damaged or not; the bytes behind the last line feed where their line is `changed`."""
    sheet = load(BytesSource(data), plan.before.path, plan.before.encoding)
    lines = Counter(line.text.removesuffix(b"\n") for line in sheet.lines)
    if sheet.tail and len(sheet.lines) + 1 in changed:
        lines[sheet.tail] += 1
    return lines


def test_every_fixture():
    counted = Counter()
    for path in LOGS:
        plan = lawful(path.read_bytes(), str(path))
        state = plan.before.state
        counted[state, "healthy" if plan.healthy else "none" if plan.script is None else "made"] += 1
        if state == "clean":
            assert plan.healthy, path
        elif state in {"open", "torn"}:
            assert plan.script is not None, path
    assert counted["refused", "made"] > counted["refused", "none"]


@LAWS
@given(
    path=st.sampled_from(LOGS), flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=3)
)
@example(  # a frame that claims too much hides sound ones, which no remedy keeps here
    path=FIXTURES / "v1/seq-gap-in-the-middle/session.v1.jsonl.zstd", flips=[(0.5987357481756374, 1), (0.05078125, 1)]
)
def test_changed_bytes(path, flips):
    data = bytearray(path.read_bytes())
    for where, change in flips:
        data[min(int(where * len(data)), len(data) - 1)] ^= change
    lawful(bytes(data), str(path))


@LAWS
@given(path=st.sampled_from(LOGS), where=st.floats(0, 1), tail=st.binary(max_size=40))
def test_cut_and_something_behind(path, where, tail):
    data = path.read_bytes()
    lawful(data[: int(where * len(data))] + tail, str(path))


@LAWS
@given(path=st.sampled_from(RAW), order=st.data())
def test_shuffled_lost_and_doubled_lines(path, order):
    head, *lines = path.read_bytes().splitlines(keepends=True)
    chosen = order.draw(st.lists(st.sampled_from(range(len(lines))), max_size=3)) if lines else []
    for drawn in chosen:
        index = drawn % max(1, len(lines))
        what = order.draw(st.sampled_from(("lose", "double", "swap")))
        if what == "lose" and lines:
            del lines[index]
        elif what == "double" and lines:
            lines.insert(index, lines[index])
        elif len(lines) > 1:
            other = order.draw(st.sampled_from(range(len(lines))))
            lines[index % len(lines)], lines[other] = lines[other], lines[index % len(lines)]
    lawful(b"".join([head, *lines]), str(path))


@LAWS
@given(seed=st.integers(0, 10**6))
def test_mutants(seed):
    case: Case
    for case in (*mutate.cases(BASES, 2, seed), *damage.cases(BASES, 2, seed), *opened.cases(BASES, 1, seed)):
        lawful(case.data, f"session{case.suffix}")

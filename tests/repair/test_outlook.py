"""A repair of a log of v0 to v3 says what dsh says when it upgrades it, and never makes that worse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import build
from dshlog.render.repair import next_lines, plan_lines
from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.script import result
from dshlog.report.examine import examine
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
NAME = "session.jsonl"
V0 = (FIXTURES / "v0/clean-raw/session.jsonl").read_bytes().splitlines(keepends=True)
PLUGIN = b'{"type":"demo/note","seq":48,"time":1,"ignorable":true,"data":{}}\n'
ORIGIN = b'{"type":"permission/preset","seq":48,"time":1,"data":{"preset":"ask","origin":"user"}}\n'
OPEN = b'{"type":"turn/start","seq":49,"time":2,"data":{"turn":3}}\n'
TORN = b'{"type":"step/sta'


def planned(lines, **wishes):
    """Plan a repair; gives the plan, and the verdict on the result when there is one to write."""
    source = BytesSource(b"".join(lines))
    plan = plan_repair(source, NAME, Wishes(now=7, **wishes))
    if plan.script is None or plan.why_not is not None:
        return plan, None
    made = BytesSource(b"".join(result(plan.script, source, "raw")))
    return plan, examine(made, NAME, upgrade="small")


CURES = [(PLUGIN, "--fix drop-record=demo/note plans a cure"), (ORIGIN, "--fix drop-member plans a cure")]


@pytest.mark.parametrize(("line", "words"), CURES)
def test_what_only_the_upgrade_refuses_is_not_nothing(line, words):
    plan, made = planned([*V0, line])
    assert (plan.before.state, made) == ("refused", None)
    assert words in plan.why_not
    assert plan.before.state == examine(BytesSource(b"".join([*V0, line])), NAME, upgrade="small").state
    said = [*plan_lines(plan), *next_lines(plan, Wishes(now=7))]
    assert not [text for text in said if "nothing" in text]
    assert [text for text in said if text.startswith("not repaired: the file is whole")]


def test_it_is_cured_when_it_is_named():
    plan, made = planned([*V0, PLUGIN], fix=frozenset({"opaque-blocks-upgrade"}), allow_loss=True)
    assert plan.remains is None
    assert made.latest.opens
    assert plan_repair(
        BytesSource(b"".join([*V0, ORIGIN])), NAME, Wishes(now=7, fix=frozenset({"upgrade-payload"}))
    ).why_not


@pytest.mark.parametrize("line", [PLUGIN, ORIGIN])
@pytest.mark.parametrize("end", [[OPEN], [TORN], [OPEN, TORN]])
def test_what_its_own_build_repairs_is_repaired_all_the_same(line, end):
    plan, made = planned([*V0, line, *end])
    assert plan.before.state == "refused"
    assert made.native.opens
    assert "refuses to upgrade the result too" in plan.remains
    assert [text for text in plan_lines(plan) if text == f"    {plan.remains}"]
    first, *others = next_lines(plan, Wishes(now=7))
    assert first == f"next: dshlog repair --fix {plan.advice.fixes[0]} {NAME}   (a plan for what remains, too)"
    assert [("-o NEW" in text, "--in-place" in text) for text in others] == [(False, True), (True, False)]


def test_what_a_plan_costs_is_summed_up():
    lines = [line for index, line in enumerate(V0) if index not in {3, 9}]
    plan, _ = planned(lines)
    gone = [action.loss.removeprefix("nothing, but ") for action in plan.actions if action.loss != "none"]
    assert len(gone) > 1
    assert plan.why_not == f"it loses nothing, but {'; '.join(gone)}; --allow-loss agrees to that"


def test_a_result_that_dsh_would_not_upgrade_gives_way_to_the_cut_of_dsh():
    message = next(index for index, line in enumerate(V0) if b'"assistant/message"' in line)
    bad = json.dumps({**json.loads(V0[message]), "sourceEventSeqs": [-1]}).encode() + b"\n"
    plan, made = planned([*V0[:message], bad, V0[message + 1]], allow_loss=True)
    assert plan.before.latest.opens
    assert made.latest.opens
    assert made.state == "clean"
    assert [lost.event["type"] for lost in plan.lost] == ["assistant/message", "tool/call"]

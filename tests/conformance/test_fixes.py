"""Every repair that people made by hand can be asked for, and what only the upgrade refuses has a fix that it names."""

from __future__ import annotations

import json

import pytest

from dshlog.library import apply, plan_repair
from dshlog.report.examine import examine
from dshlog.storage.source import BytesSource

# The repairs by hand of each case, and what asks for the same; without words a repair does it unasked.
BY_HAND = {
    ("B002", "drop closers"): {"keep": "second"},
    ("B002", "keep closers"): {"keep": "first"},
    ("B004", "keep suffix of row"): {},
    ("B006", "keep first branch"): {"keep": "first"},
    ("B006", "keep second branch"): {"keep": "second"},
    ("B012", "insert result renumber"): {"fix": ["close-open"]},
    ("B022", "mark ignorable"): {"fix": ["mark-ignorable=cost-meter/native-search-usage"]},
    ("B024", "drop row"): {"fix": ["drop-record=permissionRules/decision"]},
    ("B026", "drop origin"): {"fix": ["drop-member=origin"]},
    ("B028", "drop summary"): {"fix": ["drop-member=summary"]},
    ("B028", "form notice"): {"fix": ["source-notice"]},
    ("B030", "kind to plugin"): {"fix": ["map-source=agent-teams-command"]},
    ("B034", "add id"): {},
    ("B036", "fill id"): {},
    ("B038", "move after first step"): {"fix": ["behind-step"]},
    ("B040", "drop second copy"): {"fix": ["second-copy"]},
    ("B042", "recite last attempt"): {"fix": ["recite"]},
    ("B048", "cite shadowed"): {},
    ("B058", "drop header system"): {},
    ("B060", "rename event"): {},
    ("B062", "arguments from advertised"): {"fix": ["advertised-arguments"]},
    ("B098", "drop late system"): {"fix": ["drop-record=system/message"]},
    ("B098", "move to head"): {"fix": ["system-to-head"]},
    ("B098", "retype to user"): {"fix": ["system-to-user"]},
    ("B100", "drop failed compaction"): {"fix": ["drop-compaction"]},
    ("B100", "shrink range"): {},
    ("B104", "complete list"): {},
}
# What a plan without words names, of logs that their own build opens.
NAMED = {
    "cases/B012-orphan-tool-call-mid-history-v0.jsonl": ["close-open"],
    "cases/B024-plugin-event-ignorable-v0.jsonl": ["drop-record=permissionRules/decision"],
    "cases/B026-preset-origin-member.jsonl": ["drop-member"],
    "cases/B028-plugin-source-summary-on-recall.jsonl": ["source-notice"],
    "cases/B030-unclassified-source-kind-v0.jsonl": ["map-source"],
    "cases/B038-surface-before-first-step.jsonl": ["behind-step"],
    "cases/B040-duplicate-advertised-call-id.jsonl": ["second-copy"],
    "cases/B042-chunk-citation-across-retry.jsonl": ["recite"],
    "cases/B062-call-arguments-differ-from-advertised-v0.jsonl": ["advertised-arguments"],
    "cases/B098-system-message-after-first-user-v3.jsonl": ["system-to-head"],
    "corpus/traps-migration/02-v0-legacy-goal-text-holds-whole-change.jsonl": ["goal-change"],
    "corpus/traps-migration/09-v0-unknown-ignorable.jsonl": ["drop-record=x/y"],
    "corpus/traps-migration/12-v0-message-cites-part.jsonl": ["recite", "cite-nothing"],
    "corpus/traps-migration/13-v0-chunks-of-another-step.jsonl": ["right-number"],
    "corpus/traps-migration/16-v0-packed-tool-call-empty-name.jsonl": ["close-open"],
    "corpus/traps-migration/17-v0-cut-inside-attempt.jsonl": ["move-cut"],
    "corpus/traps-migration/18-v0-cut-before-message.jsonl": ["move-cut"],
    "corpus/traps-migration/21-v0-interrupted-restart-not-adjacent.jsonl": ["restart-turn"],
    "corpus/traps-migration/22-v0-cites-consumed-chunk.jsonl": ["drop-reference"],
    "corpus/traps-migration/37-v3-system-of-another-plugin.jsonl": ["system-source"],
}
# What dsh opens, and cannot go on in.
UNWRITTEN = {"27-v1-usage-without-chunk.jsonl": "cite-nothing", "38-v3-stream-disagrees.jsonl": "drop-stream"}


def cases_of(shared):
    index = shared / "cases/cases.json"
    return {case["id"]: case for case in json.loads(index.read_text(encoding="utf-8"))["cases"]}


def opens(path, plan):
    """Tell whether dsh 0.2.1 opens the result of a plan, as far as its upgrade and its rules are known."""
    made = apply(plan, path)
    report = examine(BytesSource(made), path.name, upgrade="always", deep=True, encoding=plan.before.encoding)
    return report.latest.opens


@pytest.mark.parametrize(("case", "by_hand"), BY_HAND)
def test_what_was_done_by_hand_can_be_asked_for(shared, case, by_hand):
    path = shared / "cases" / cases_of(shared)[case]["file"]
    wishes = BY_HAND[case, by_hand]
    plan = plan_repair(path, allow_loss=True, now=1, **wishes)
    assert plan.why_not is None
    assert opens(path, plan)
    if "fix" in wishes and plan.before.version < 4:
        assert {word.partition("=")[0] for word in plan.fixes} == {word.partition("=")[0] for word in wishes["fix"]}


def test_every_repair_by_hand_has_a_command(shared):
    told = {
        (case, words.removesuffix(" → OK"))
        for case, facts in cases_of(shared).items()
        for words in facts["tried_repairs"]
        if words.endswith("→ OK")
    }
    assert told == BY_HAND.keys()


@pytest.mark.parametrize("name", NAMED)
def test_a_plan_names_what_the_upgrade_needs(shared, name):
    path = shared / name
    plan = plan_repair(path, now=1)
    assert list(plan.advice.fixes) == NAMED[name]
    assert opens(path, plan_repair(path, allow_loss=True, now=1, fix=NAMED[name]))


@pytest.mark.parametrize("name", UNWRITTEN)
def test_what_dsh_cannot_go_on_in_can_be_named(shared, name):
    path = shared / "corpus/traps-migration" / name
    plan = plan_repair(path, allow_loss=True, now=1, fix=[UNWRITTEN[name]])
    assert plan.fixes == (UNWRITTEN[name],)
    assert plan.unwritten is None
    assert opens(path, plan)


def test_every_log_that_only_the_upgrade_refuses_has_a_fix(shared):
    seen = 0
    for index in ("corpus/traps-migration/traps.json", "corpus/mutants/mutants.json", "cases/cases.json"):
        held = json.loads((shared / index).read_text(encoding="utf-8"))
        for entry in held.get("mutants") or held["cases"]:
            path = (shared / index).parent / entry["file"]
            told = entry.get("expected") or entry["verdict"]
            native = told.get("native") or {}
            if path.is_dir() or told["open"]["ok"] or not native.get("ok"):
                continue
            plan = plan_repair(path, allow_loss=True, now=1, fix=["upgrade"])
            assert plan.remains is None, path.name
            assert opens(path, plan), path.name
            seen += 1
    assert seen > 25

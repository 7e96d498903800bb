"""Every log that was changed by hand gets the answer that dsh gave, but for a closed list that must become empty."""

from __future__ import annotations

import pytest

from dshlog.report.examine import examine
from dshlog.report.surface import surface_view
from dshlog.storage.source import BytesSource

# Logs on which dshlog does not agree, with the rule that is missing. A log that agrees must go from here.
KNOWN = {
    "corpus/mutants/125-v0-header-id-of-another-session.jsonl": "storage/R13: only its place tells whose log it should be",
}


def found(path):
    """Give dshlog's answer in the words of the verdicts."""
    data = path.read_bytes()
    report = examine(BytesSource(data), str(path))
    if not report.native.opens:
        return {"ok": report.native.opens}
    view, _ = surface_view(BytesSource(data), str(path))
    return {
        "ok": True,
        "events": report.events,
        "surface_nodes": list(view.nodes),
        "torn_truncate_to": report.torn.at if report.torn else None,
        "recovered_tail": report.torn.events if report.torn else 0,
        "open": any(finding.name == "open-turn" for finding in report.findings),
    }


def expected(changed):
    """Give dsh's answer in the same words."""
    answer, facts = changed.answer, changed.facts
    if not answer["ok"]:
        return {"ok": False}
    return {
        "ok": True,
        "events": facts["events"],
        "surface_nodes": facts["surface_nodes"],
        "torn_truncate_to": answer["torn_truncate_to"],
        "recovered_tail": answer["recovered_tail"],
        "open": bool(facts["closers"]),
    }


def test_native_answer(shared, changed):
    if changed.path.is_dir():
        assert not changed.answer["ok"]  # who walks the folders reports it: a source has no bytes to give
        return
    ours, theirs = found(changed.path), expected(changed)
    if changed.name not in KNOWN:
        assert ours == theirs, changed.answer.get("error")
    elif ours == theirs:
        pytest.fail(f"agrees now, so it must leave the list: {changed.name} ({KNOWN[changed.name]})", pytrace=False)


def test_list_of_known_disagreements_is_closed(shared, changed_names):
    assert len(changed_names) == 182 + 60 + 34
    assert KNOWN.keys() <= changed_names
    assert len(KNOWN) == 1

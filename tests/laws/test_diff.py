"""Whatever two logs hold: a log is the same as itself, and every event is counted once."""

from __future__ import annotations

from pathlib import Path

import pytest

import build
import dshlog

FIXTURES = Path(build.__file__).parent
LOGS = sorted(path for path in FIXTURES.glob("v*/*/session*") if path.is_file())


def counted(found):
    tally = found.tally
    changed = sum(max(one.a.size, one.b.size) for one in found.differences if one.kind == "changed")
    assert changed == tally.changed.total()
    extra = [
        sum(getattr(one, side).size - max(one.a.size, one.b.size) for one in found.differences if one.kind == "changed")
        for side in "ab"
    ]
    a = tally.same + changed + extra[0] + tally.only_a.total()
    b = tally.same + changed + extra[1] + tally.only_b.total()
    return a, b


@pytest.mark.parametrize("log", LOGS, ids=lambda path: f"{path.parts[-3]}-{path.parts[-2]}")
def test_a_log_is_itself_and_every_event_is_counted(log):
    for view in ({}, {"messages": True}, {"surface": True}):
        assert dshlog.diff(log, log, **view).same
    twin = LOGS[(LOGS.index(log) * 7 + 3) % len(LOGS)]
    for one, other in ((log, twin), (twin, log)):
        found = dshlog.diff(one, other)
        assert found.same == (not found.differences and not found.header and not found.unread)
        if found.view == "events":
            assert counted(found) == (found.a.events, found.b.events)


@pytest.mark.parametrize("log", LOGS[::5], ids=lambda path: f"{path.parts[-3]}-{path.parts[-2]}")
def test_the_other_way_round_is_the_mirror(log):
    twin = log.parent.parent / "compaction"
    for path in twin.glob("session*"):
        there, back = dshlog.diff(log, path), dshlog.diff(path, log)
        assert there.common.count == back.common.count
        assert there.same == back.same

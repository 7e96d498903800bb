"""A child session as its parent's upgrade looks at it: restored to v3 by the rules of v3, and its descriptor read."""

from __future__ import annotations

import pytest

from dshlog.codec.header import to_header
from dshlog.migrate.children import Child
from dshlog.migrate.restored import Restoring
from dshlog.rules.sample import (
    asks,
    but,
    call,
    content,
    event,
    head,
    says,
    step,
    step_end,
    turn,
    turn_end,
    user,
    wrapped,
)

TOLD = {"version": 3, "mode": "one-shot", "provider": "p", "label": "L"}
DESCRIPTOR = event("subagent/descriptor", TOLD)
MARKER = event(
    "session-log-deepseek/delivery-accepted", {"sessionId": "s2", "throughSeq": 0, "sessionFormatVersion": 4}
)
OPEN = (turn(), step(), user())
NESTED = but(wrapped(), "data.message.content.0.content.0", {"type": "tool-result", "toolCallId": "c1", "content": []})


def restored(rows, version=3, **header):
    """Give what v3 refuses, and the child."""
    first = head(version, **header)
    lines = content((first, *rows)).splitlines(keepends=True)[1:]
    restoring = Restoring(to_header(first, version))
    restoring.feed(lines)
    return [found.name for found in restoring.finish()], restoring.descriptors.of("s1", 1)


@pytest.mark.parametrize("version", [0, 3])
def test_one_descriptor_is_told(version):
    assert restored((DESCRIPTOR, turn(), turn_end()), version) == ([], Child("s1", 1, 1, TOLD))


def test_what_only_the_edge_to_v4_refuses_does_no_harm():
    rows = (DESCRIPTOR, *OPEN, says(asks()), call(), NESTED, step_end(), turn_end())
    assert restored(rows) == ([], Child("s1", 1, 1, TOLD))
    assert restored((DESCRIPTOR, turn(), MARKER)) == ([], Child("s1", 1, 1, TOLD))


def test_a_rule_of_v3_between_events_counts():
    assert restored((DESCRIPTOR, turn(), turn(2)))[0] == ["upgrade-rule"]
    assert restored((DESCRIPTOR, turn(), but(MARKER, "data.sessionFormatVersion", 3)))[0] == ["upgrade-delivery"]
    inbox = event("agent/inbox/spliced", {"target": "next-turn", "start": 0, "inserted": [user()["data"]]})
    rows = (DESCRIPTOR, turn(), inbox, turn(2))
    assert restored(rows)[0] == ["turn-start-inside-turn"]
    assert restored(rows, 0)[0] == []


def test_inherited_descriptors_and_those_of_another_form_say_nothing():
    cut = event("session/end-seed", {"inherited": True})
    assert restored((DESCRIPTOR, cut), isSeeded=True, parentSession="p")[1] == Child("s1", 1)
    assert restored((but(DESCRIPTOR, "data.mode", "other"),))[1] == Child("s1", 1)
    assert restored((DESCRIPTOR, DESCRIPTOR))[1] == Child("s1", 1, 2, TOLD)

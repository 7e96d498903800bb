"""The list of sessions in terminals of several widths."""

from __future__ import annotations

import pytest

from dshlog.model.session import SessionRow
from dshlog.render.look import Look
from dshlog.render.sessions import Listed, session_lines

PARENT, CHILD = f"session-{'c' * 32}", "e70d9596-d64c-4fb7-83da-40f0b9a7ad69"


def listed(*, depth=None, seeded=False):
    known = {"project": "/home/u/demo", "created": 1_700_000_000_000, "version": 4, "size": 12345}
    yield Listed(SessionRow("p", id=PARENT, **known), depth=None if depth is None else 0)
    child = SessionRow("c", id=CHILD, parent=PARENT, kind="subagent", seeded=seeded, **known)
    yield Listed(child, parent_found=True, depth=depth)


@pytest.mark.parametrize("width", [60, 70])
def test_ids_are_whole_where_a_tree_leaves_room_for_them(width):
    lines = list(session_lines(listed(depth=1), Look(width=width)))
    assert lines[1] == PARENT
    assert lines[2] == f"  {CHILD}    subagent"


def test_ids_are_cut_where_their_parents_need_the_room():
    lines = list(session_lines(listed(), Look(width=60)))
    assert lines[1] == f"{PARENT[:33]}\N{HORIZONTAL ELLIPSIS}"
    assert lines[2].endswith("  subagent of session-ccc\N{HORIZONTAL ELLIPSIS}")
    assert lines[3] == "left out at this width: created (UTC), v, bytes, project"


def test_a_subagent_that_begins_with_events_of_its_parent_is_a_forked_one():
    assert list(session_lines(listed(depth=1, seeded=True)))[2].endswith("  forked subagent")
    assert list(session_lines(listed(seeded=True)))[2].endswith(f"  forked subagent of {PARENT}")

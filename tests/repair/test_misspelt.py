"""A member of an envelope or a header whose name differs in one byte from that of a missing one is that one."""

from __future__ import annotations

import json

import pytest
from test_remedies import COMPACTED, MIDDLE, TURN, USER, V0, V4, broken, repaired

PACKED = next(index for index, line in enumerate(V0) if b"-chunks" in line)


@pytest.mark.parametrize("member", ["type", "seq", "time", "data"])
@pytest.mark.parametrize("index", [TURN, MIDDLE, USER, len(V4) - 1])
def test_a_name_that_differs_in_one_byte_is_the_name_again(member, index):
    for wrong in (member[:-1] + ")", "\u007f" + member[1:], member[:1] + "0" + member[2:]):
        plan, made = repaired(broken(V4, index, f'"{member}":'.encode(), f'"{wrong}":'.encode()))
        assert made == V4
        assert not plan.lossy


@pytest.mark.parametrize("member", ["surfaceOp", "sourceEventSeqs"])
def test_a_surface_member_that_differs_in_one_byte_is_that_member_again(member):
    index = max(index for index, line in enumerate(COMPACTED) if f'"{member}":'.encode() in line)
    plan, made = repaired(broken(COMPACTED, index, member.encode(), f"{member[:3]}_{member[4:]}".encode()))
    assert made == COMPACTED
    assert not plan.lossy


@pytest.mark.parametrize("member", ["type", "seq0", "time0", "data"])
def test_a_name_in_a_packed_row_that_differs_in_one_byte_is_the_name_again(member):
    plan, made = repaired(
        broken(V0, PACKED, f'"{member}"'.encode(), f'"{member[0]}#{member[2:]}"'.encode()), name="session.jsonl"
    )
    assert made == V0
    assert not plan.lossy


@pytest.mark.parametrize("member", json.loads(V4[0]))
def test_a_name_in_the_header_that_differs_in_one_byte_is_the_name_again(member):
    plan, made = repaired(broken(V4, 0, f'"{member}":'.encode(), f'"{member[0]}#{member[2:]}":'.encode()))
    assert made == V4
    assert not plan.lossy


def test_a_name_that_stands_there_already_is_not_given_twice():
    plan, made = repaired(broken(V4, MIDDLE, b',"data"', b',"tyme":5,"data"'))
    assert made == V4
    assert plan.lossy

"""Frames around damage are read, and every byte of the file is accounted for."""

from __future__ import annotations

import pytest

import rows
from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.salvage import stretches
from dshlog.storage.source import MAGIC, BytesSource

HEAD, ONE, TWO = b'{"type":"session"}\n', b'{"seq":0}\n', b'{"seq":1}\n'
FRAMES = [rows.frame(text) for text in (HEAD, ONE, TWO)]


def flipped(frame, at, mask=0xFF):
    return frame[:at] + bytes([frame[at] ^ mask]) + frame[at + 1 :]


CASES = {
    "sound": (FRAMES, ["whole", "whole", "whole"], HEAD + ONE + TWO),
    "zeros behind": ([*FRAMES, b"\0" * 16], ["whole", "whole", "whole", "foreign"], HEAD + ONE + TWO),
    "garbage between": ([FRAMES[0], b"garbage!", *FRAMES[1:]], ["whole", "foreign", "whole", "whole"], HEAD + ONE + TWO),
    "skippable between": (
        [FRAMES[0], b"\x50\x2a\x4d\x18\x04\0\0\0abcd", *FRAMES[1:]], ["whole", "foreign", "whole", "whole"], HEAD + ONE + TWO,
    ),
    "wrong checksum": ([FRAMES[0], flipped(FRAMES[1], len(FRAMES[1]) - 1), FRAMES[2]], ["whole", "unproved", "whole"], HEAD + ONE + TWO),
    "wrong magic": ([FRAMES[0], b"XXXX" + FRAMES[1][4:], FRAMES[2]], ["whole", "renamed", "whole"], HEAD + ONE + TWO),
    "torn": ([*FRAMES[:2], FRAMES[2][:7]], ["whole", "whole", "torn"], HEAD + ONE),
    "torn checksum": ([*FRAMES[:2], FRAMES[2][:-2]], ["whole", "whole", "torn"], HEAD + ONE + TWO),
    "nothing": ([], [], b""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_can_be_read_is(name):
    pieces, hows, text = CASES[name]
    data = b"".join(pieces)
    found = list(stretches(data))
    assert [stretch.how for stretch in found] == hows
    assert b"".join(stretch.text for stretch in found) == text
    ends = [0, *(stretch.end for stretch in found)]
    assert [stretch.start for stretch in found] == ends[:-1]
    assert ends[-1] == len(data)


def test_blocks_before_the_damage_are_kept():
    import random

    rng = random.Random(1)  # noqa: S311 - any text that does not compress
    lines = b"".join(b'{"seq":%d,"x":"%d"}\n' % (number, rng.getrandbits(4000)) for number in range(400))
    frame = rows.frame(lines)
    damaged = flipped(frame, len(frame) - 3000)
    found = list(stretches(FRAMES[0] + damaged))
    assert [stretch.how for stretch in found] in (["whole", "partial"], ["whole", "unproved"])
    assert lines.startswith(found[1].text) or found[1].how == "unproved"
    assert len(found[1].text) > 100_000


def test_a_frame_whose_length_was_changed_does_not_hide_the_others():
    block = len(MAGIC) + 2
    longer = flipped(FRAMES[1], block + 1, 0x7F)
    found = list(stretches(FRAMES[0] + longer + FRAMES[2]))
    assert [stretch.how for stretch in found] == ["whole", "foreign", "whole"]
    assert found[-1].text == TWO


def test_what_such_a_frame_hides_is_lost_where_no_remedy_keeps_it():
    head = b'{"type":"session","version":0,"id":"demo","createdAt":1,"cwd":"/a","delegationDepth":0}\n'
    unknown = b'{"type":"later/event","seq":1,"time":1,"data":{}}\n'
    hiding = bytearray(rows.frame(b'{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}\n'))
    hiding[len(MAGIC) + 3] ^= 0x40  # the size of its only block
    data = BytesSource(rows.frame(head) + bytes(hiding) + rows.frame(unknown))
    plan = plan_repair(data, "session.jsonl.zstd", Wishes(now=1))
    assert plan.before.state == "torn"
    assert [lost.line for lost in plan.lost] == [unknown]
    assert [change.old for change in plan.changed if change.old] == [unknown]
    assert plan.why_not == "it loses 1 record; --allow-loss agrees to that"
    assert plan_repair(data, "session.jsonl.zstd", Wishes(now=1, allow_loss=True)).why_not is None

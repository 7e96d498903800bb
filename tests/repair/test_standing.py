"""How far a log is sound is told from where it was told before."""

from __future__ import annotations

from pathlib import Path

import build
from dshlog.repair import mend as mending
from dshlog.repair import standing
from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.sheet import load
from dshlog.storage.source import BytesSource
from logbuilder import Log
from rows import stored

FIXTURES = Path(build.__file__).parent


def long_log(turns):
    """Give the bytes of a log of many turns."""
    log = Log(4)
    for _ in range(turns):
        log.turn()
        log.step()
        log.user("Hi")
        log.assistant("Hello.")
        log.end_step()
        log.end_turn()
    from dshlog.storage.jsontext import dumps

    return b"".join(dumps(row) + b"\n" for row in (log.header, *map(stored, log.events)))


def test_places_from_the_last_to_the_first_cost_one_reading(monkeypatch):
    sheet = load(BytesSource(long_log(1000)), "session.v4.jsonl", "raw")
    fed = []
    feed = standing._feed
    monkeypatch.setattr(
        standing, "_feed", lambda judge, sheet, at, end: (fed.append(end - at), feed(judge, sheet, at, end))
    )
    trail = standing.Trail(sheet)
    places = range(len(sheet.lines) - 1, 0, -150)
    positions = [trail.before(index).judge().position for index in places]
    assert positions == [index - 1 for index in places]
    assert sum(fed) < len(sheet.lines) + len(places) * 1024
    assert max(fed) <= 1024


def test_a_log_without_a_sound_header_has_no_place_to_go_on_from():
    text = (FIXTURES / "v4/clean-raw/session.v4.jsonl").read_bytes().replace(b'"version":4', b'"version":"x"', 1)
    trail = standing.Trail(load(BytesSource(text), "session.v4.jsonl", "raw"))
    assert trail.before(5).checkpoint is None


def test_no_way_is_tried_twice_for_a_torn_log(monkeypatch):
    text = long_log(2)
    bad = text + b'{"type":"turn/start"}\n{"type":"turn/start","seq":18,"time":1,"data":{"turn":3}}\n{"type":"x"}'
    ways = []
    one = mending._mended
    monkeypatch.setattr(
        mending,
        "_mended",
        lambda *args, lossless, keep: (ways.append((lossless, keep)), one(*args, lossless=lossless, keep=keep))[1],
    )
    plan = plan_repair(BytesSource(bad), "session.v4.jsonl", Wishes(now=1, allow_loss=True))
    assert plan.before.state == "torn"
    assert plan.lost
    assert len(ways) == len(set(ways)) > 1

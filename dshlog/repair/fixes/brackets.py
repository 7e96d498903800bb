"""Fixes of turns and steps: what got lost is put in, and numbers become those of where a record stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT
from dshlog.repair.fixes.spot import action, rearrange, with_remedy
from dshlog.repair.remedies import turns
from dshlog.repair.remedies.case import added, edit
from dshlog.repair.remedies.turns import scanned

if TYPE_CHECKING:
    from dshlog.repair.fixes.attempts import Attempt
    from dshlog.repair.fixes.spot import Spot
    from dshlog.repair.plan import Action

    Event = dict[str, Any]

_opened = with_remedy(turns.open_before)
_numbered = with_remedy(turns.number)


def open_lost(spots: list[Spot]) -> list[Action]:
    """Put in the start of a turn or of a step that got lost; before a message that no step has begun for too."""
    early = [spot for spot in spots if spot.refusal.name == "upgrade-surface-before-step"]
    if not early:
        return _opened(spots)
    spot = min(early, key=lambda one: one.index)
    scan, _ = scanned(spot.sheet, spot.index, spot.version)
    time = spot.row.get("time")
    made: list[Event] = []
    turn = scan.turn
    if turn is None or turn is ABSENT:
        turn = 1
        made.append({"type": "turn/start", "seq": 0, "time": time, "data": {"turn": turn}})
    made.append({"type": "step/start", "seq": 0, "time": time, "data": {"turn": turn, "step": 1}})
    kinds = " and ".join(event["type"] for event in made)
    done = action(
        spot,
        "insert",
        f"a {kinds} that got lost is put before {spot.kind}",
        loss=f"nothing, but a {kinds} is made up",
        added=len(made),
    )
    lines = spot.sheet.lines
    rearrange(spot.sheet, [*lines[1 : spot.index], *map(added, made), *lines[spot.index :]], spot.version)
    return [done]


def right_number(spots: list[Spot]) -> list[Action]:
    """Let a record name the turn and the step that it stands in; chunks all those of their attempt."""
    done: list[Action] = []
    rest: list[Spot] = []
    for spot in spots:
        attempt = attempt_of(spot)
        if attempt is None:
            rest.append(spot)
            continue
        scan, _ = scanned(spot.sheet, attempt.lines[0], spot.version)
        if type(scan.turn) is not int or type(scan.step) is not int:
            continue
        here = {"turn": scan.turn, "step": scan.step}
        text = f"{len(attempt.seqs)} chunks get turn {scan.turn} and step {scan.step}, as where they stand"
        done.append(action(spot, "edit", text, loss="the turn and the step that they named"))
        for index in attempt.lines:
            row = spot.sheet.lines[index].row or {}
            edit(spot.sheet, index, {**row, "data": {**row["data"], **here}})
    return [*done, *_numbered(rest)]


def attempt_of(spot: Spot) -> Attempt | None:
    """Give the attempt that a refusal about its last chunk is about."""
    if spot.refusal.seq is None or spot.version > 1:
        return None
    return next((one for one in spot.attempts.all if one.seqs[-1] == spot.refusal.seq), None)

"""The words in which a plan tells what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dshlog.model.report import Report
    from dshlog.repair.plan import Advice, Lost, Plan
    from dshlog.repair.upgrading import LeftOut

_TOLD = 4  # losses that one sentence names
_BUT = "nothing, but "  # begins what says that no record goes, and yet not all is as it was


def events_word(number: int) -> str:
    """Give `1 event` or `2 events`."""
    return f"{number} event{'' if number == 1 else 's'}"


def records_word(number: int) -> str:
    """Give `1 record` or `2 records`."""
    return f"{number} record{'' if number == 1 else 's'}"


def bytes_word(number: int) -> str:
    """Give `1 byte` or `2 bytes`."""
    return f"{number} byte{'' if number == 1 else 's'}"


def cut_words(size: int, *, framed: bool, lost: int) -> str:
    """Tell of the cut that dsh makes."""
    what = f"the last {bytes_word(size)} go: " + (
        "a frame that was never finished" if framed else "a record that was never finished"
    )
    if not lost:
        return what
    return f"the last {bytes_word(size)} go, as dsh cuts them: {records_word(lost)} behind the first bad one"


def saved_words(number: int) -> str:
    """Tell of the records saved from a torn frame."""
    verb = "is" if number == 1 else "are"
    return f"{records_word(number)} of the unfinished frame {verb} whole and {verb} written again in a frame of {'its' if number == 1 else 'their'} own"


def closing_words(event: dict[str, Any]) -> str:
    """Tell of one closer."""
    kind, seq, data = event["type"], event["seq"], event["data"]
    if kind == "tool/result":
        call = data["message"]["source"].get("callId")
        how = "started, outcome unknown" if "sourceEventSeqs" in event else "never started"
        return f"tool/result at seq {seq} for call {call}, which was {how}"
    if kind == "step/end":
        return f"step/end at seq {seq} for step {data.get('step')}"
    return f"turn/end at seq {seq} for turn {data.get('turn')}, reason {data['reason']['kind']}"


def agreed_words(plan: Plan) -> str:
    """Say what a lossy plan would cost and how to agree to it."""
    return f"it loses {loss_words(plan)}; --allow-loss agrees to that"


def lost_words(report: Report, lost: Sequence[Lost]) -> str:
    """Count what is lost: records, and what cannot be read as one."""
    records = sum(one.event is not None for one in lost)
    unread = len(lost) - records
    noun = "line" if report.stored is None else "row"
    lines = f"{unread} {noun}{'' if unread == 1 else 's'} that cannot be read"
    if not unread:
        return records_word(records)
    return f"{records_word(records)} and {lines}" if records else lines


def unread_words(message: str) -> str:
    """Say why a log that dshlog does not read to its end is not repaired."""
    return f"dshlog does not read all of it, so that it may be whole: {message}"


def left_alone_words(message: str) -> str:
    """Say why a log that is not damaged is not repaired."""
    return f"the file is whole, but this is needed to read it: {message}"


def choose_words() -> str:
    """Say how to choose between two writers."""
    return "two writers continued the log: --keep first or --keep second says which branch stays"


def uncured_words(report: Report, code: str, advice: Advice | None) -> str:
    """Say what to do about a whole log that dsh refuses to upgrade, as far as anything is known."""
    build = report.latest.build
    what = f"the file is whole, and dsh {build} refuses to upgrade it at {code}"
    return f"{what}; {advice_words(advice)}" if advice else f"{what}, for which no repair is known yet"


def remains_words(report: Report, code: str, advice: Advice | None) -> str:
    """Say that dsh refuses to upgrade the result too, and what would cure it."""
    what = f"dsh {report.latest.build} refuses to upgrade the result too, at {code}"
    return f"{what}; {advice_words(advice)}" if advice else what


def left_out_words(report: Report, left_out: Iterable[LeftOut]) -> str | None:
    """Say which fixes were not taken, what each would have left, and what may be taken instead; None when none was left out."""
    told: list[str] = []
    for one in left_out:
        found = one.found
        words = f"--fix {one.fix} is left out: dsh {report.native.build} would refuse what it leaves at {found.code} {found.name}: {found.message}"
        others = " or ".join(f"--fix {other}" for other in one.others[:_TOLD])
        told.append(f"{words}; {others} may do instead" if others else f"{words}; no other fix is known for that")
    return "; ".join(told) or None


def advice_words(advice: Advice) -> str:
    """Name the fixes, and what they cost."""
    fixes = " ".join(f"--fix {one}" for one in advice.fixes)
    return f"{fixes} plans a cure, which loses {'nothing' if advice.loss == 'none' else advice.loss}"


def loss_words(plan: Plan) -> str:
    """Say in short what a lossy plan costs: what goes, then what is made up or gone already."""
    if plan.lost:
        return lost_words(plan.before, plan.lost)
    losses = list(dict.fromkeys(action.loss for action in plan.actions if action.loss != "none"))
    gone = [loss for loss in losses if not loss.startswith(_BUT)]
    more = [loss.removeprefix(_BUT) for loss in losses if loss.startswith(_BUT)]
    if not gone:
        return _BUT + _few(more)
    return _few(gone) + (f"; besides, {_few(more)}" if more else "")


def _few(words: list[str]) -> str:
    left = len(words) - _TOLD
    return "; ".join(words[:_TOLD]) + (f" and {left} more" if left > 0 else "")

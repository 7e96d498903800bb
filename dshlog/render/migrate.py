"""Upgrades as lines and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dshlog.render.jsonout import SCHEMA, Json, finding_dict
from dshlog.render.look import PLAIN
from dshlog.render.text import finding_lines
from dshlog.render.words import count, path_name, shell_word, visible
from dshlog.rules.register import BY_CODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.finding import Finding
    from dshlog.render.look import Look
    from dshlog.report.outlook import Outlook, Totals


def outlook_dict(one: Outlook) -> Json:
    """Give what an upgrade makes of one log, with every key."""
    done = one.done
    return {
        "path": one.path,
        "from": done.version,
        "to": done.to,
        "ok": one.ok,
        "events": done.events if one.sha256 is not None else None,
        "plain_sha256": one.sha256,
        "left_out": done.left_out,
        "written": one.written,
        "cure": None if one.cure is None else {"fixes": list(one.cure.fixes), "loss": one.cure.loss},
        "refusals": [{**finding_dict(found), "edge": edge} for edge, found in one.refusals],
        "child_facts": [
            {
                "childId": child.id,
                "childCreatedAt": child.created_at,
                "descriptorCount": child.descriptors,
                "descriptor": child.descriptor,
            }
            for child in one.children
        ],
    }


def log_document(one: Outlook) -> Json:
    """Give the document of `migrate --json LOG`."""
    return {"schema": SCHEMA, **outlook_dict(one)}


def root_document(  # noqa: PLR0913 - one keyword for each member
    path: str,
    to: int,
    logs: list[Json],
    totals: Totals,
    *,
    ok: bool,
    failed: Iterable[tuple[str, str]] = (),
    store: Iterable[Finding] = (),
) -> Json:
    """Give the document of `migrate --json ROOT`; `failed` has the logs that could not be done, each with the reason."""
    return {
        "schema": SCHEMA,
        "path": path,
        "to": to,
        "ok": ok,
        "totals": {
            "logs": totals.logs,
            "current": totals.current,
            "upgradable": totals.upgradable,
            "refused": len(totals.refused),
            "causes": dict(totals.causes.most_common()),
            "reasons": dict(totals.reasons.most_common()),
            "edges": dict(totals.edges.most_common()),
            "types": dict(totals.types.most_common()),
            "sources": dict(totals.sources.most_common()),
            "cures": {"lossless": totals.lossless, "lossy": totals.lossy},
        },
        "logs": logs,
        "failed": [{"path": name, "why": why} for name, why in failed],
        "store": [finding_dict(found) for found in store],
    }


def outlook_lines(one: Outlook, look: Look = PLAIN) -> Iterator[str]:
    """Yield what an upgrade makes of one log."""
    done, name = one.done, path_name(one.path)
    if one.current:
        yield f"{name}: v{done.version} already, nothing to upgrade"
        return
    for _, found in one.refusals:
        yield from finding_lines(found, look)
    if one.ok:
        yield f"{name}: v{done.version} becomes v{done.to}, {count(done.events, 'event')}{left_out_words(one)}"
        if one.written is not None:
            yield f"written: {path_name(one.written)}"
    else:
        reasons = sum(1 + found.follows for _, found in one.refusals)
        yield f"{name}: dsh {_refusing(one)}, {count(reasons, 'reason')}"
        yield from _cure(one)


def _refusing(one: Outlook) -> str:
    done = one.done
    if done.opens:
        return "opens it and does not write the result"
    return "does not open it" if done.version is None or done.version >= done.to else "refuses to upgrade it"


def _cure(one: Outlook) -> Iterator[str]:
    if one.cure is None:
        return
    fixes = "".join(f" --fix {shell_word(fix)}" for fix in one.cure.fixes)
    loss = "nothing" if one.cure.loss == "none" else one.cure.loss
    yield f"cure: dshlog repair{fixes} {shell_word(one.path)}   (it loses {visible(loss)})"


def short_line(one: Outlook) -> str:
    """Say in one line what was done with one log of many."""
    name = path_name(one.path)
    if one.ok:
        written = "" if one.written is None else f", written: {path_name(one.written)}"
        return f"{name}: v{one.done.version} becomes v{one.done.to}, {count(one.done.events, 'event')}{left_out_words(one)}{written}"
    edge, first = one.refusals[0]
    return f"{name}: refused, {edge}, {first.code} {first.name}: {first.message}"


def left_out_words(one: Outlook) -> str:
    """Say that rows are left out, with a comma before."""
    left = one.done.left_out
    return (
        f", {count(left, 'row')} at the end left out as dsh leaves {'it' if left == 1 else 'them'} out" if left else ""
    )


def totals_lines(totals: Totals, look: Look = PLAIN, *, failed: int = 0) -> Iterator[str]:
    """Yield the totals of many logs; `failed` counts those that could not be done."""
    refused = len(totals.refused)
    words = f"{totals.upgradable} upgrade, {refused} refused, {totals.current} current"
    undone = f", {failed} could not be done" if failed else ""
    yield f"{count(totals.logs + failed, 'log')}: {words}{undone}"
    if not refused:
        return
    yield from _causes(totals, look)
    yield from _table("by edge", totals.edges, look)
    yield from _table("by event type", totals.types, look)
    yield from _table("by source kind", totals.sources, look)
    known = {"lossless": len(totals.lossless), "lossy": len(totals.lossy)}
    known["none known"] = refused - sum(known.values())
    yield from _table("by cure", Counter({name: number for name, number in known.items() if number}), look)
    yield look.paint("bold", "refused")
    how = {**dict.fromkeys(totals.lossless, "  (lossless cure)"), **dict.fromkeys(totals.lossy, "  (lossy cure)")}
    for path, causes in totals.refused:
        yield f"  {path_name(path)}: {', '.join(causes)}{how.get(path, '')}"


def _causes(totals: Totals, look: Look) -> Iterator[str]:
    yield look.paint("bold", "by cause")
    for name, number in totals.causes.most_common():
        rule = BY_CODE.get(name.split()[-1])
        words = name if rule is None else f"{name} {rule.name}"
        reasons = totals.reasons[name]
        yield f"  {number:6}  {visible(words)}" + (f", {count(reasons, 'reason')}" if reasons > number else "")


def _table(title: str, counts: Counter[str], look: Look) -> Iterator[str]:
    if not counts:
        return
    yield look.paint("bold", title)
    for name, number in counts.most_common():
        yield f"  {number:6}  {visible(name)}"

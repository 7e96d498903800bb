"""Which remedies are tried for which finding, the gentlest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.repair.fixes import members, messages
from dshlog.repair.fixes.native import as_remedy
from dshlog.repair.remedies import (
    callids,
    calls,
    fields,
    header,
    last,
    lines,
    misspelt,
    onebyte,
    order,
    payload,
    spread,
    text,
    turns,
    wrapper,
)

if TYPE_CHECKING:
    from dshlog.repair.plan import Plan
    from dshlog.repair.remedies.case import Remedy

# What loses nothing wherever the numbering breaks.
ANY_GAP: tuple[Remedy, ...] = (order.repeated, order.overlapping, order.misplaced, order.wrong_number)

REMEDIES: dict[str, tuple[Remedy, ...]] = {
    # -- lines
    "not-json": (lines.blank, spread.spread, lines.joined, onebyte.one_byte, lines.patched, lines.unreadable),
    "not-an-object": (lines.blank, lines.unreadable),
    "invalid-utf8": (text.utf8,),
    "lone-surrogate": (text.surrogates,),
    # -- the header
    "header-not-json": (lines.byte_order_mark, spread.spread, onebyte.one_byte),
    "header-not-session": (header.kind, header.rebuilt),
    "header-version-invalid": (header.version_of_name, header.version_text),
    "header-member-unknown": (header.unknown_member,),
    "header-member-retired": (header.unknown_member,),
    "header-member-malformed": (
        header.id_of_directory,
        header.seeded,
        header.optional_member,
        header.created,
        header.depth,
    ),
    "header-member-missing": (
        header.version_of_name,
        header.id_of_directory,
        header.created,
        header.depth,
        header.seeded,
    ),
    "seed-marker-missing": (header.seeded,),
    "seed-marker-unexpected": (header.seeded,),
    "seed-length-exceeds": (header.seed_length,),
    # -- order
    "records-repeated": ANY_GAP,
    "records-misplaced": ANY_GAP,
    "row-overlaps": ANY_GAP,
    "records-missing": (*ANY_GAP, order.hole),
    "prefix-lost": (*ANY_GAP, order.hole),
    "seq-gap": (*ANY_GAP, order.hole),
    "seq-not-count": (order.wrong_number,),
    "two-writers": (order.misplaced, order.wrong_number, order.branches),
    "recovery-against-live": (order.branches,),
    "numbering-restarts": (order.branches,),
    # -- members
    "time-not-integer": (fields.time,),
    "member-missing": (order.wrong_number, fields.time, payload.header_system, payload.tool_deferral),
    "member-unknown": (fields.unknown_member,),
    "ignorable-not-true": (fields.ignorable,),
    "marker-missing": (fields.append_marker,),
    "marker-malformed": (fields.append_marker,),
    "marker-on-log-only": (fields.marker,),
    "sources-empty": (fields.sources_list,),
    "sources-duplicate": (fields.sources_list,),
    "not-earlier": (fields.sources_list,),
    "sources-on-assistant": (fields.sources_member,),
    "replace-omits-shadowed": (fields.cite_shadowed,),
    "span-not-exact": (fields.exact_span,),
    "span-holds-head": (fields.exact_span,),
    "retired-dispatch": (payload.dispatch_name,),
    "retired-type": (payload.compaction_name,),
    "message-id-missing": (payload.message_id,),
    "header-system-retired": (payload.header_system,),
    "tool-deferral-not-true": (payload.tool_deferral,),
    "plugin-source-retired": (payload.plugin_source,),
    "delivery-malformed": (payload.through,),
    "title-malformed": (payload.title_source,),
    "turn-form-malformed": (payload.turn_form, as_remedy(messages.old_form)),
    "steering-form-malformed": (as_remedy(messages.old_form),),
    "header-reason-fallback": (as_remedy(members.header_reason),),
    "fork-result-malformed": (payload.fork_number,),
    "unknown-type": (payload.mark_ignorable,),
    # -- turns, steps, calls
    "turn-number-wrong": (turns.number, turns.number_on),
    "turn-start-inside-turn": (turns.close_before,),
    "turn-end-mismatch": (turns.number, turns.number_on, turns.open_before, turns.close_before),
    "turn-end-inside-step": (turns.close_before,),
    "step-number-wrong": (turns.number, turns.number_on),
    "step-start-inside-step": (turns.close_before,),
    "step-end-mismatch": (turns.number, turns.number_on, turns.open_before),
    "outside-step": (turns.open_before, turns.number, turns.number_on),
    "outside-turn": (turns.open_before, turns.number, turns.number_on),
    "step-start-outside-turn": (turns.number, turns.number_on, turns.open_before),
    "settlement-malformed": (turns.number, payload.stream),
    "system-form-malformed": (turns.number,),
    "tool-source-malformed": (callids.fill_ids,),
    "tool-wrapper-malformed": (wrapper.tool_wrapper,),
    "tool-form-malformed": (calls.result_message,),
    "call-id-malformed": (callids.fill_ids,),
    "call-advertised-twice": (calls.second_copy,),
    "call-differs": (calls.advertised_arguments,),
    "call-unanswered": (turns.close_before,),
    "pending-call-id-malformed": (callids.fill_ids,),
    "tail-scan-fails": (turns.number,),
    "compaction-turn-wrong": (turns.number, turns.number_on, turns.open_before),
    "retry-outside-step": (turns.number, turns.number_on, turns.open_before),
    "compaction-crossed": (turns.orphan_marker, turns.inner_marker),
}

# What says the same of all records behind one that another remedy says of that one alone: taken where it leads further.
FURTHER: frozenset[Remedy] = frozenset({turns.number_on})

UNREAD = "line-too-long"  # a record that is beyond dshlog and may be sound

# What no repair touches unless it is asked to by name: the file is whole, and what reads it has to change.
LEFT_ALONE = frozenset({"unknown-type", "header-version-newer", "reader-older"})
CHOICES = frozenset({"two-writers", "recovery-against-live", "numbering-restarts"})


def loses_branches(plan: Plan) -> bool:
    """Tell whether a plan drops both branches of a log that two writers continued, of which one can stay."""
    return plan.lossy and any(found.name in CHOICES for found in plan.before.findings)


LAST: tuple[Remedy, ...] = (last.drop_record, last.cut_here)


def remedies_for(names: list[str]) -> list[Remedy]:
    """Give the remedies for the findings of one record, in the order in which they are tried.

    The last ones give up what cannot be kept, unless somebody has to choose first.
    """
    known = [remedy for name in names for remedy in REMEDIES.get(name, ())]
    ends = () if CHOICES.intersection(names) else LAST
    return list(dict.fromkeys((order.repeated, misspelt.misspelt, *known, *ends)))

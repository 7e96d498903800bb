"""The fixes by name: those that change one record, and those that change a whole log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.repair.fixes import added, brackets, chunks, members, messages, order
from dshlog.repair.fixes.spot import drop_lines, with_remedy
from dshlog.repair.remedies import callids, calls, fields, last, payload, turns, wrapper

if TYPE_CHECKING:
    from dshlog.repair.fixes.spot import RowFix, SheetFix
    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case, Remedy

ROW_FIXES: dict[str, RowFix] = {
    "drop-member": members.drop_member,
    "drop-header-member": members.drop_header_member,
    "add-member": added.add_member,
    "source-notice": members.source_notice,
    "map-source": members.map_source,
    "system-source": members.system_source,
    "content-text": messages.content_text,
    "descriptor-version": members.descriptor_version,
    "goal-text": members.goal_text,
    "old-form": messages.old_form,
    "header-reason": members.header_reason,
    "list-once": members.list_once,
    "span-ends": members.span_ends,
    "flag-error": messages.flag_error,
    "message-form": messages.message_form,
    "rename-message": messages.rename_message,
    "recovered-id": members.recovered_id,
    "keep-prompt": members.keep_prompt,
    "compaction-id": members.compaction_id,
    "drop-system-text": messages.drop_system_text,
    "recite": chunks.recite,
    "cite-nothing": chunks.cite_nothing,
    "drop-stream": chunks.drop_stream,
    "drop-reference": chunks.drop_reference,
}
SHEET_FIXES: dict[str, SheetFix] = {
    "goal-change": order.goal_change,
    "move-cut": chunks.move_cut,
    "wrap-replay": chunks.wrap_replay,
    "tool-wrapper": with_remedy(wrapper.tool_wrapper),
    "fill-call-id": with_remedy(callids.fill_ids),
    "second-copy": with_remedy(calls.second_copy),
    "rename-call": with_remedy(callids.rename_second),
    "advertised-arguments": with_remedy(calls.advertised_arguments),
    "called-arguments": with_remedy(callids.called_arguments),
    "start-call": order.start_call,
    "behind-step": order.behind_step,
    "into-step": order.into_step,
    "system-to-head": order.system_to_head,
    "system-to-user": order.system_to_user,
    "restart-turn": order.restart_turn,
    "close-open": with_remedy(turns.close_before),
    "open-lost": brackets.open_lost,
    "right-number": brackets.right_number,
    "title-source": with_remedy(payload.title_source),
    "append-instead": with_remedy(fields.append_instead),
    "surface-marker": with_remedy(fields.surface_form),
    "cite-shadowed": with_remedy(fields.cite_shadowed),
    "exact-span": with_remedy(fields.exact_span),
    "drop-compaction": order.drop_compaction,
    "mark-ignorable": with_remedy(payload.mark_ignorable),
    "rename-dispatch": with_remedy(payload.dispatch_name),
    "drop-record": order.drop_record,
}


def _drop_compaction(case: Case) -> Action | None:
    going = order.failed_compaction(case.sheet, case.index)
    if not going:
        return None
    text = f"a compaction that never took effect goes: {len(going)} records"
    done = case.done("drop", text, loss=f"{len(going)} records", dropped=len(going))
    drop_lines(case.sheet, going, case.version)
    return done


# What a fix does about a finding for which the log's own build refuses it.
NATIVE: dict[str, Remedy] = {
    "mark-ignorable": payload.mark_ignorable,
    "drop-record": last.drop_record,
    "drop-compaction": _drop_compaction,
    "exact-span": fields.exact_span,
    "cite-shadowed": fields.cite_shadowed,
    "tool-wrapper": wrapper.tool_wrapper,
    "fill-call-id": callids.fill_ids,
    "second-copy": calls.second_copy,
    "rename-call": callids.rename_second,
    "advertised-arguments": calls.advertised_arguments,
    "called-arguments": callids.called_arguments,
    "append-instead": fields.append_instead,
    "title-source": payload.title_source,
    "close-open": turns.close_before,
    "open-lost": turns.open_before,
    "right-number": turns.number,
    "rename-dispatch": payload.dispatch_name,
    "drop-system-text": payload.header_system,
}

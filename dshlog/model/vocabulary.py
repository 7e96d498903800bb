"""Event types of every generation, as one table.

Source: `known_event_types` of the released builds, and the frozen vocabularies of the formats.
"""

from __future__ import annotations

from functools import cache

# type -> generations that know it (one digit each). A star behind a digit: the format lists the
# type, but the released build of that generation does not know it.
_GENERATIONS = {
    "agent-preset/selected": "01234",
    "agent/inbox/spliced": "01234",
    "approval/asked": "01234",
    "approval/decided": "01234",
    "approval/policy": "01234",
    "assistant/attempt": "234",
    "assistant/chunk": "01",
    "assistant/message": "01234",
    "command/done": "01234",
    "command/run": "01234",
    "compaction/end": "01234",
    "compaction/prune": "01234",
    "compaction/start": "01234",
    "compaction/summary": "01234",
    "deliverables/presented": "34",
    "developer/message": "4",
    "feedback/message-delete": "234",
    "feedback/message-put": "234",
    "feedback/record": "01234",
    "goal/change": "01234",
    "hook/invoked": "01234",
    "hook/result": "01234",
    "image/offload": "3*4",
    "job/registered": "4",
    "job/settled": "4",
    "llm/retry": "01234",
    "llm/retry-started": "01234",
    "model/selection": "01234",
    "permission/preset": "01234",
    "plan/mode": "01234",
    "request/context": "01234",
    "request/header": "01234",
    "sandbox/mode": "01234",
    "schedule/change": "01234",
    "session-log-deepseek/delivery-accepted": "01234",
    "session/end-seed": "01234",
    "session/title": "01234",
    "session/title-llm-request": "01234",
    "step/end": "01234",
    "step/start": "01234",
    "subagent/catalog": "34",
    "subagent/descriptor": "01234",
    "subagent/model-selection-policy": "01234",
    "system/message": "34",
    "team/member": "01234",
    "team/message/delivered": "01234",
    "team/message/queued": "01234",
    "team/task": "01234",
    "todo/write": "01234",
    "tool-workflow/agent-end": "01234",
    "tool-workflow/agent-start": "01234",
    "tool-workflow/run-end": "01234",
    "tool-workflow/run-start": "01234",
    "tool/call": "01234",
    "tool/code-dispatch": "012",
    "tool/code-dispatch-start": "012",
    "tool/ptc-dispatch": "34",
    "tool/ptc-dispatch-start": "34",
    "tool/result": "01234",
    "turn/end": "01234",
    "turn/start": "01234",
    "user/message": "01234",
    "web/deepseek-search-llm-request": "01234",
    "working-directory/change": "4",
    "workspace/changes": "3*4",
}

# Types that may stand on the surface, by generation.
SURFACE_TYPES: tuple[frozenset[str], ...] = (
    *(frozenset({"user/message", "assistant/message", "tool/result"}),) * 3,
    frozenset({"system/message", "user/message", "assistant/message", "tool/result"}),
    frozenset({"system/message", "developer/message", "user/message", "assistant/message", "tool/result"}),
)

# Types that the v3 row decoder does not look at although its build knows them (events.md E-029).
_V3_NOT_ROW_CHECKED = frozenset({"deliverables/presented", "subagent/catalog"})

# Names that dsh used once and reads no more; the text says what became of them.
RETIRED = {
    "compact/start": "renamed compaction/start; only the upgrade of v0 still reads it",
    "compact/summary": "renamed compaction/summary; only the upgrade of v0 still reads it",
    "compact/end": "renamed compaction/end; only the upgrade of v0 still reads it",
    "compact/prune": "renamed compaction/prune; only the upgrade of v0 still reads it",
    "steering/message": "became user/message; only v0 builds and the upgrade of v0 still read it",
    "request/header-delta": "a development form of request/header that no release reads",
    "mode/set": "a development form that no release reads",
    "tool/code-dispatch": "renamed tool/ptc-dispatch in v3",
    "tool/code-dispatch-start": "renamed tool/ptc-dispatch-start in v3",
}

# The release whose reader is the generation's own; v1 and v2 had none.
BUILDS: tuple[str | None, ...] = ("0.1.2", None, None, "0.1.5", "0.2.1")
LATEST = 4  # the newest generation known here


@cache
def format_types(version: int) -> frozenset[str]:
    """Give the event types that the format of this generation lists."""
    return frozenset(name for name, marks in _GENERATIONS.items() if str(version) in marks)


@cache
def known_types(version: int) -> frozenset[str]:
    """Give the event types that the generation's own build knows (v1, v2: the format's list)."""
    return frozenset(
        name for name, marks in _GENERATIONS.items() if str(version) in marks and f"{version}*" not in marks
    )


@cache
def row_checked_types() -> frozenset[str]:
    """Give the event types whose envelope the v3 row decoder checks against the surface rules."""
    return known_types(3) - _V3_NOT_ROW_CHECKED


def ever_known(name: str) -> bool:
    """Tell whether any generation ever had this event type."""
    return name in _GENERATIONS or name in RETIRED

"""A log of v0 to v2 with every small event that these generations know, in each of its forms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

TEXT = {"type": "text", "text": "a"}
IMAGE = {
    "type": "image",
    "attachment": {
        "attachmentId": "a", "mediaType": "image/png", "bytes": 1, "width": 2, "height": 3, "name": "n",
        "originalDimensions": {"width": 4, "height": 5},
    },
}  # fmt: skip
FILE = {"type": "file", "attachment": {"attachmentId": "f", "name": "n", "bytes": 1}}
GOAL = {"id": "g", "revision": 1, "objective": "o", "phase": "active", "maxGoalRounds": 3}
TIMES = {"roundsStarted": 0, "createdAt": 1, "updatedAt": 2}
DATE = "2026-01-02T03:04:05.678Z"
TEAM = {"version": 1, "teamId": "t"}
FAILURE = {"message": "m", "code": "c", "status": 500, "providerRetryAfterMs": 1.5, "requestId": "r"}
RETRY = {"retryId": "r1", "turn": 1, "step": 1, "provider": "p", "policyKey": "k", "delayMs": 0.5, "failure": FAILURE}
REFERENCE = {
    "sessionId": "s", "label": "l", "capturedThroughSeq": None, "compacted": False, "originalMessages": 3,
    "retainedMessages": 2, "omittedMessages": 1, "omittedBytes": 0, "inputIndex": 0, "truncated": True,
}  # fmt: skip

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("agent-preset/selected", {"agentPreset": "code"}),
    ("agent-preset/selected", {"agentPreset": ""}),
    ("approval/asked", {"id": "i", "toolName": "t", "callId": "c", "reason": ""}),
    ("approval/decided", {"id": "i", "outcome": "allowed-once"}),
    ("approval/policy", {"policy": "ask", "source": "delegation"}),
    ("feedback/record", {"text": "t"}),
    ("hook/invoked", {"turn": 0, "point": "p", "dialect": "codex", "handlerId": "h", "matcher": ""}),
    ("hook/result", {"turn": 1, "point": "p", "handlerId": "h", "decision": "d", "durationMs": 0.5, "exitCode": -1,
                     "stderrSummary": ""}),
    ("model/selection", {"provider": "p", "model": "m", "reasoningEffort": "e"}),
    ("permission/preset", {"preset": "p"}),
    ("plan/mode", {"active": True}),
    ("sandbox/mode", {"mode": "read-only", "source": "delegation"}),
    ("todo/write", {"todos": [{"content": "", "status": "pending"}, {"content": "c", "status": "in_progress"}]}),
    ("command/run", {"commandId": "k", "name": "n", "args": "", "source": {"kind": "user"}}),
    ("command/done", {"commandId": "k", "kind": "error", "text": ""}),
    ("schedule/change", {"version": 1, "operation": "create", "schedule": {
        "kind": "after", "id": "i", "prompt": "p", "scheduledAt": DATE, "afterSeconds": 1}}),
    ("schedule/change", {"version": 1, "operation": "create", "schedule": {
        "kind": "at", "id": "i", "prompt": "p", "scheduledAt": DATE}}),
    ("schedule/change", {"version": 1, "operation": "create", "schedule": {
        "kind": "every", "id": "i", "prompt": " p", "scheduledAt": DATE, "everySeconds": 300}}),
    ("schedule/change", {"version": 1, "operation": "dispatch", "id": "i", "acceptedAt": DATE}),
    ("schedule/change", {"version": 1, "operation": "delete", "id": "i"}),
    ("subagent/descriptor", {"mode": "one-shot", "version": 3, "provider": "p", "label": ""}),
    ("subagent/descriptor", {"mode": "continuable", "version": 3, "provider": "p", "label": "l", "agentProvider": "a",
                             "agentModel": "m", "agentReasoningEffort": "e", "persona": "x",
                             "toolFilter": {"allow": ["t"], "deny": []}}),
    ("subagent/model-selection-policy", {"allowedModels": [{"provider": "p", "model": "m"},
                                                           {"provider": "p", "model": "n"}]}),
    ("team/member", {**TEAM, "member": {"id": "i", "name": "", "description": "", "provider": "", "context": "fork",
                                        "phase": "failed", "error": ""}}),
    ("team/task", {**TEAM, "task": {"id": "i", "revision": 1, "subject": "", "description": "", "status": "deleted",
                                    "blockedBy": ["j"], "writeScopes": [""], "ownerId": "o"}}),
    ("team/message/queued", {**TEAM, "message": {"id": "i", "senderId": "s", "targetId": "t", "senderName": "",
                                                 "content": [TEXT], "delivery": "quiet"}}),
    ("team/message/delivered", {**TEAM, "messageId": "i", "targetId": "t"}),
    ("tool-workflow/run-start", {"runId": "r", "name": "n"}),
    ("tool-workflow/agent-start", {"runId": "r", "seq": 1, "label": "", "childId": "c", "phase": ""}),
    ("tool-workflow/agent-end", {"runId": "r", "seq": 1, "outcome": "completed"}),
    ("tool-workflow/run-end", {"runId": "r", "stopReason": "cancelled"}),
    ("web/deepseek-search-llm-request", {"endpoint": "e", "apiVersion": "v", "body": {
        "model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": [TEXT]}],
        "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 1}]}}),
    ("goal/change", {"kind": "goal/change", "version": 1, "operation": "create", "goal": GOAL, **TIMES}),
    ("goal/change", {"kind": "goal/change", "version": 1, "operation": "block", "goal": {
        **GOAL, "revision": 2, "phase": "blocked", "blockedReason": {"code": "c", "message": "m"}}, **TIMES}),
    ("goal/change", {"kind": "goal/change", "version": 1, "operation": "clear", "cleared": {"id": "g", "revision": 3},
                     "clearedAt": 1}),
    ("session/title", {"title": "t", "messageSeqs": [], "source": {"kind": "user"}}),
    ("session/title", {"title": "t", "messageSeqs": [2], "source": {
        "kind": "provider", "provider": "p", "model": {"provider": "p", "model": "m"}}}),
    ("session/title", {"title": "t", "messageSeqs": [2], "source": {"kind": "fallback"}}),
    ("session/title-llm-request", {"titleProvider": "t", "messageSeqs": [2], "route": {"provider": "p", "model": "m"},
                                   "system": "", "maxTokens": 1, "messages": [{
        "id": "t1", "role": "user", "content": [TEXT],
        "source": {"kind": "plugin", "plugin": "dsh-session-title-llm"}}]}),
    ("agent/inbox/spliced", {"target": "next-step", "start": 0, "removedCount": 0, "outcome": "canceled", "inserted": [
        {"id": "i1", "role": "user", "content": [TEXT, IMAGE], "source": {"kind": "user", "rpcId": "r"}}]}),
    ("session-log-deepseek/delivery-accepted", {"sessionId": "inventory", "throughSeq": 1}),
    ("tool/code-dispatch-start", {"rootCallId": "r", "parentCallId": "r", "subCallId": "s", "name": "n",
                                  "arguments": {"a": [1]}}),
    ("tool/code-dispatch", {"rootCallId": "r", "parentCallId": "r", "subCallId": "s", "name": "n",
                            "arguments": {"a": [1]}, "isError": False, "content": [TEXT, IMAGE]}),
    ("request/header", {"header": {
        "config": {"provider": "p", "model": "m", "reasoningEffort": "e", "temperature": 0.5, "maxTokens": 1, "stop": [""]},
        "adapterDefaults": {"reasoningEffort": True, "maxTokens": True}, "system": "S",
        "tools": [{"name": "n", "description": "", "parameters": {"type": "object"}}]}, "reason": "initial",
        "startsSeries": True}),
    ("request/context", {"provider": "p", "model": "m", "contextWindow": 1}),
    ("llm/retry", {**RETRY, "mode": "normal", "retry": 1, "maxRetries": 2}),
    ("llm/retry-started", {"retryId": "r1", "turn": 1, "step": 1, "retry": 1}),
    ("llm/retry", {**RETRY, "mode": "always", "retry": 2}),
    ("compaction/start", {"compactionId": "x", "turn": 1, "sourceCommandId": "k"}),
    ("compaction/end", {"compactionId": "x", "turn": 1, "sourceCommandId": "k", "error": ""}),
]  # fmt: skip

SOURCES: list[dict[str, Any]] = [
    {"kind": "user", "rpcId": "r", "clientTimeZone": "z"},
    {"kind": "plugin", "plugin": "p", "form": "snapshot", "sections": [{"name": "n", "text": ""}]},
    {"kind": "plugin", "plugin": "p", "form": "notice", "summary": ""},
    {"kind": "plugin", "plugin": "p", "sections": 5, "summary": 5},
    {"kind": "plugin", "plugin": "compact", "compactionId": "x", "sourceCommandId": "k", "form": "relay"},
    {"kind": "agent-instructions", "form": "instructions", "baseline": True, "baselineIdentity": "b", "changes": [
        {"action": "set", "scope": "", "path": "", "digest": ""}]},
    {"kind": "session-reference", "form": "recall", "version": 1, "references": [
        REFERENCE, {**REFERENCE, "sessionId": "q", "capturedThroughSeq": 4, "inputIndex": 1}]},
    {"kind": "team-message", "teamId": "t", "messageId": "m", "senderId": "s", "senderName": ""},
    {"kind": "goal", "goalId": "g", "revision": 1, "round": 1},
    {"kind": "skill-invocation", "name": "n", "form": "instructions"},
    {"kind": "skill-catalog", "form": "catalog", "entries": [{"name": "n", "description": ""}], "update": True},
    {"kind": "coordinator", "form": "relay", "senderSessionId": "s"},
    {"kind": "subagent-report", "form": "relay", "senderSessionId": "s"},
    {"kind": "agent-message", "form": "relay", "senderSessionId": "s"},
    {"kind": "subagent-settled", "form": "notice", "summary": "", "senderSessionId": "s"},
    {"kind": "webhook", "provider": "p", "source": "s", "deliveryId": "d", "ruleId": "r", "form": "notice", "summary": ""},
    {"kind": "model", "provider": "p", "model": "m", "replayState": [1]},
    {"kind": "tool", "callId": "c"},
]  # fmt: skip

REASONS: list[dict[str, Any]] = [
    {"kind": "completed"}, {"kind": "aborted", "reason": {"kind": "hook", "reason": ""}}, {"kind": "other", "x": 1},
    {"kind": "aborted", "reason": {"kind": "user"}}, {"kind": "error", "error": FAILURE}, {"kind": "max-tokens"},
]  # fmt: skip


def inventory(version: int) -> bytes:
    """Give the log."""
    seeded = {"isSeeded": False} if version >= 2 else {}
    head = {"type": "session", "version": version, "id": "inventory", "createdAt": 1, **seeded, "delegationDepth": 0}
    lines = [json.dumps(row, separators=(",", ":")) for row in (head, *_rows(version))]
    return "".join(f"{line}\n" for line in lines).encode()


def _rows(version: int) -> Iterator[dict[str, Any]]:
    for seq, (kind, data, more) in enumerate(_events(version)):
        yield {"type": kind, "seq": seq, "time": 100 + seq, "data": data, **more}


def _events(version: int) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    on = {"surfaceOp": "append"}
    person = {"id": "m0", "role": "user", "content": [TEXT], "source": {"kind": "user"}}
    yield "turn/start", {"turn": 1}, {}
    yield "step/start", {"turn": 1, "step": 1}, {}
    yield "user/message", person, on
    for kind, data in SMALL:
        yield kind, data, {}
    for number, source in enumerate(SOURCES):
        yield "user/message", {**person, "id": f"n{number}", "source": source, "content": [TEXT, IMAGE]}, on
    if version >= 2:
        yield "user/message", {**person, "id": "f", "content": [FILE]}, on
        item = {"messageId": "", "rating": "positive", "version": "", "createdAt": 1, "updatedAt": 2, "note": ""}
        yield "feedback/message-put", {"sessionId": "", "item": item}, {}
        yield "feedback/message-delete", {"sessionId": "", "messageId": ""}, {}
    yield "step/end", {"turn": 1, "step": 1}, {}
    for number, reason in enumerate(REASONS, 1):
        if number > 1:
            yield "turn/start", {"turn": number}, {}
        yield "turn/end", {"turn": number, "reason": reason}, {}

"""Repairs that are made only when they are asked for by name: what each changes, what it costs, what proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dshlog.model.finding import Remedy

NOTHING = "none"
_TOLD = 2  # fixes that a hint names
UPGRADE = "the upgrade takes the result"
BOTH = "its own build opens the result, and the upgrade takes it"


class Fix(NamedTuple):
    """One repair. `value` stands for what may be given behind the name; None where there is nothing to give.

    `loss` says what it costs at most; the plan says what it costs in a log. `needs_value` tells that the value may
    not be left out.
    """

    name: str
    what: str
    loss: str
    proof: str = UPGRADE
    value: str | None = None
    needs_value: bool = False

    @property
    def cost(self) -> str:
        """Say what it costs at most, and whether that has to be agreed to."""
        return "nothing" if self.loss == NOTHING else f"{self.loss}; needs --allow-loss"


_FIXES = (
    # -- members of a record
    Fix("drop-member", "a member or an item that the upgrade does not take goes", "that member", value="MEMBER"),
    Fix("add-member", "a member that is missing or of no use is put in, as the events before it tell, or made up", "nothing, but it may be made up"),
    Fix("source-notice", "the source of a plugin with a summary gets the form notice, which has one", "the form it had"),
    Fix("map-source", "a source of a kind that v2 does not have becomes one of a plugin of that name", "members that do not fit", value="KIND"),
    Fix("content-text", "a block of a kind that v2 does not have becomes a text that spells it", "that it was no text", value="KIND"),
    Fix("descriptor-version", "a subagent/descriptor gets the form of version 3", "members that do not fit"),
    Fix("goal-change", "the change inside an old goal message becomes an event of its own, as the upgrade makes it", NOTHING),
    Fix("goal-text", "the text of an old goal message becomes that of its change", "the text"),
    Fix("old-form", "a turn or a steering message of an old form gets the form that the upgrade makes of it", "members that do not fit"),
    Fix("header-reason", "the reason of a request/header becomes change", "the reason"),
    Fix("wrap-replay", "a flat replay state becomes the response of one, in the chunk and in its message", NOTHING),
    Fix("title-source", "a title that names no message stays as one that the user gave", "who gave it", BOTH),
    Fix("list-once", "a list of seqs names each event once, and none that is not earlier", "what it named beside"),
    Fix("span-ends", "the range of a compaction begins and ends where its list does", "the range"),
    Fix("flag-error", "a tool result with an error is marked as failed", "that it was not"),
    Fix("message-form", "text, or nothing, where a message has its list of content becomes such a list", NOTHING),
    Fix("tool-wrapper", "a tool result becomes one wrapper block of its own call", "what named another call"),
    Fix("system-source", "the source of a system/message becomes that of the system prompt", "the source"),
    Fix("rename-message", "a message gets another id than one that the upgrade gives away", "the id"),
    Fix("recovered-id", "the result of a call that never started gets the id that a recovery gives", "the id"),
    Fix("drop-header-member", "a member that no header of this generation has goes", "that member"),
    # -- chunks
    Fix("recite", "a message cites exactly the chunks of its attempt", NOTHING),
    Fix("cite-nothing", "a message cites nothing, and its chunks become an attempt without a message", "which chunks it came from"),
    Fix("drop-stream", "a message has an empty stream", "the chunks it came from"),
    Fix("drop-reference", "an event names no chunk, and none that is not written yet", "what it named"),
    Fix("move-cut", "the inherited part ends before the attempt that it split", "where it ended"),
    # -- calls
    Fix("fill-call-id", "calls with an empty id get one, in the message, at the start and in the result", NOTHING, BOTH),
    Fix("second-copy", "a second block that advertises the same call word for word goes", NOTHING, BOTH),
    Fix("rename-call", "of two calls with one id the later one gets another, in each of its records", "the id", BOTH),
    Fix("advertised-arguments", "a tool/call has the name and the arguments that its message advertised", "those that it had", BOTH),
    Fix("called-arguments", "a message advertises the name and the arguments that the call was started with", "those that it had", BOTH),
    Fix("start-call", "a result without a started call gets a tool/call before it", "nothing, but a record is made up", BOTH),
    # -- turns and order
    Fix("behind-step", "messages before the first step move behind its start", "their order"),
    Fix("into-step", "a request/header with another prompt moves into the next step", "its order"),
    Fix("keep-prompt", "a request/header outside of every step keeps the prompt of the one before", "the prompt that it had"),
    Fix("system-to-head", "a system/message that came late moves before the first message", "its order"),
    Fix("system-to-user", "a system/message that came late becomes a message of the user, which it is not", "who said it"),
    Fix("restart-turn", "what stands between an inbox event and the turn that it starts moves before it", "its order"),
    Fix("close-open", "closers end a turn, a step or calls that were left open", "nothing, but records are made up", BOTH),
    Fix("open-lost", "the start of a turn or of a step that got lost is put in", "nothing, but records are made up", BOTH),
    Fix("right-number", "a record names the turn and the step that it stands in", "those that it named", BOTH),
    # -- surface and compaction
    Fix("append-instead", "a message that replaces what is not on the surface joins it at its end", "what it replaced", BOTH),
    Fix("surface-marker", "a message joins the surface at its end, and no other event has a marker or citations", "how it joined", BOTH),
    Fix("cite-shadowed", "a replacement cites all that it hides", NOTHING, BOTH),
    Fix("exact-span", "the list of a compaction names exactly its range, without the protected head", NOTHING, BOTH),
    Fix("compaction-id", "an event inside a compaction names that one", "which it named", BOTH),
    Fix("drop-compaction", "a compaction that never took effect goes: its start, its summary and its end", "these records", BOTH),
    # -- whole records
    Fix("mark-ignorable", "an event of a type that nobody knows is marked, and readers pass over it", NOTHING, BOTH, "TYPE", needs_value=True),
    Fix("rename-dispatch", "a tool/code-dispatch is called tool/ptc-dispatch", NOTHING, BOTH),
    Fix("drop-system-text", "the system prompt inside a request/header goes", "the text, unless a system/message says it", BOTH),
    Fix("drop-record", "the record goes, and what follows is numbered anew", "the record", BOTH, "TYPE"),
)  # fmt: skip
FIXES = {fix.name: fix for fix in _FIXES}
EVERY = "upgrade"  # stands for all that the upgrade asks for

_UNKNOWN = ("mark-ignorable", "drop-record")
# What cures a refusal, by the name of the finding; of a rule of v4 by the name of that rule. The gentlest first.
_CURES: dict[str, tuple[str, ...]] = {
    "unknown-type": _UNKNOWN,
    "opaque-blocks-upgrade": ("drop-record",),
    "retired-type": ("drop-record",),
    "retired-dispatch": ("rename-dispatch",),
    "header-system-retired": ("drop-system-text",),
    "header-reason-fallback": ("header-reason",),
    "header-member-unknown": ("drop-header-member",),
    "message-id-missing": ("drop-record",),
    "upgrade-source-kind": ("map-source",),
    "upgrade-content-kind": ("content-text", "drop-member"),
    "upgrade-old-form": ("old-form", "drop-record"),
    "upgrade-delivery": ("drop-record",),
    "upgrade-citation": ("recite", "cite-nothing"),
    "upgrade-reference": ("drop-reference", "drop-record"),
    "upgrade-chunk": ("drop-member", "drop-record"),
    "upgrade-cut-splits": ("move-cut",),
    "upgrade-prompt-outside-step": ("into-step", "keep-prompt"),
    "upgrade-surface-before-step": ("behind-step", "open-lost", "drop-record"),
    "upgrade-error-unflagged": ("flag-error", "drop-member"),
    "upgrade-id-collision": ("rename-message",),
    "upgrade-message-form": ("message-form", "add-member", "drop-record"),
    "upgrade-tool-wrapper": ("tool-wrapper", "drop-record"),
    "upgrade-defer-loading": ("drop-member",),
    "upgrade-catalog": ("drop-record",),
    "upgrade-envelope": ("surface-marker", "drop-member", "list-once", "append-instead", "drop-record"),
    "system-message-late": ("system-to-head", "drop-record", "system-to-user"),
    "system-source-malformed": ("system-source", "drop-record"),
    "tool-wrapper-malformed": ("tool-wrapper", "drop-record"),
    "call-advertised-twice": ("second-copy", "rename-call"),
    "call-started-twice": ("second-copy", "drop-record"),
    "call-differs": ("advertised-arguments", "called-arguments"),
    "call-id-malformed": ("fill-call-id",),
    "tool-source-malformed": ("fill-call-id",),
    "call-unanswered": ("close-open",),
    "result-without-call": ("drop-record",),
    "result-not-started": ("start-call", "drop-record"),
    "turn-start-inside-turn": ("restart-turn", "close-open", "drop-record"),
    "turn-number-wrong": ("right-number", "drop-record"),
    "turn-end-mismatch": ("right-number", "open-lost", "close-open", "drop-record"),
    "turn-end-inside-step": ("close-open", "drop-record"),
    "step-number-wrong": ("right-number", "drop-record"),
    "step-start-inside-step": ("close-open", "drop-record"),
    "step-start-outside-turn": ("right-number", "open-lost", "drop-record"),
    "step-end-mismatch": ("right-number", "open-lost", "close-open", "drop-record"),
    "outside-step": ("right-number", "open-lost", "drop-record"),
    "outside-turn": ("right-number", "open-lost", "drop-record"),
    "replace-start-missing": ("append-instead", "drop-record"),
    "replace-reversed": ("append-instead", "drop-record"),
    "replace-not-earlier": ("append-instead", "drop-record"),
    "replace-omits-shadowed": ("cite-shadowed",),
    "compaction-id-differs": ("compaction-id", "drop-compaction", "drop-record"),
    "compaction-turn-wrong": ("right-number", "drop-compaction", "drop-record"),
    "span-not-exact": ("exact-span", "drop-compaction"),
    "span-holds-head": ("exact-span", "drop-compaction"),
    "title-malformed": ("title-source", "drop-record"),
    "title-cites-other": ("list-once", "drop-record"),
    "title-cites-twice": ("list-once", "drop-record"),
    "stream-invalid": ("cite-nothing", "drop-stream"),
    "content-mismatch": ("cite-nothing", "drop-stream"),
    "usage-mismatch": ("cite-nothing", "drop-stream"),
    "replay-mismatch": ("wrap-replay", "cite-nothing", "drop-stream"),
    "assemble-failed": ("cite-nothing", "drop-stream"),
}
# Where a turn or a step begins or ends: what leaves least to do comes first, since one of them often explains many.
BRACKETS = frozenset(
    {
        "turn-start-inside-turn",
        "turn-number-wrong",
        "turn-end-mismatch",
        "turn-end-inside-step",
        "step-number-wrong",
        "step-start-inside-step",
        "step-start-outside-turn",
        "step-end-mismatch",
        "outside-step",
        "outside-turn",
    }
)
_COMPACTION = "compaction-"
UNNAMED = "dshlog repair FILE says what cures it"  # what needs no fix by name
_LAST = ("drop-record",)


def cures(name: str, path: str | None = None, how: str | None = None) -> tuple[str, ...]:
    """Give the repairs that are tried for a refusal, the gentlest first.

    Args:
        name: of the finding, or of the rule of v4 that is behind it.
        path: to the member at fault.
        how: whether that member is "missing" or "extra".
    """
    if name == "upgrade-payload":
        return _payload(path or "$", how)
    if name.startswith(_COMPACTION) and name not in _CURES:
        return ("drop-compaction", *_LAST)
    return _CURES.get(name, _LAST)


def named_cures(name: str) -> bool:
    """Tell whether anything but a record that goes is tried for findings of this name."""
    return name == "upgrade-payload" or name in _CURES or name.startswith(_COMPACTION)


def _payload(path: str, how: str | None) -> tuple[str, ...]:
    last = path.rpartition(".")[2]
    if how == "extra":
        return ("source-notice", "drop-member", *_LAST) if last == "summary" else ("drop-member", *_LAST)
    if how == "missing":
        return ("right-number", "add-member", "descriptor-version", "drop-member", *_LAST)
    special = {
        "turn": "right-number",
        "step": "right-number",
        "version": "descriptor-version",
        "shadowedRange": "span-ends",
        "callId": "fill-call-id",
        "toolCallId": "fill-call-id",
        "id": "fill-call-id",
    }.get(last)
    named = () if special is None else (special,)
    if last.startswith("content") and path.startswith(("$.data.content", "$.data.message.content")):
        named = (*named, "goal-change", "goal-text", "tool-wrapper", "message-form")
    if "Seqs[" in path or last in {"shadowedSeqs", "messageSeqs"}:
        named = (*named, "list-once")
    if path == "$.data.message.id":
        named = ("recovered-id",)
    return (*named, "old-form", "add-member", "drop-member", *_LAST)


def every_cure(name: str) -> tuple[str, ...]:
    """Give all repairs that may cure a finding of this name, wherever it stands."""
    if name != "upgrade-payload":
        return cures(name)
    special = (
        "source-notice",
        "descriptor-version",
        "span-ends",
        "list-once",
        "fill-call-id",
        "goal-change",
        "goal-text",
    )
    wrapped = ("tool-wrapper", "message-form", "recovered-id", "right-number", "old-form")
    return ("drop-member", "add-member", *special, *wrapped, *_LAST)


def hint(names: tuple[str, ...]) -> str | None:
    """Say which fixes may cure a refusal; None when none is known."""
    told = [FIXES[name] for name in names if name in FIXES][:_TOLD]
    if not told:
        return None
    words = ", or ".join(f"--fix {fix.name}{f'={fix.value}' if fix.needs_value else ''}" for fix in told)
    return f"{UNNAMED}; tried first: {words}"


def remedy(names: tuple[str, ...]) -> Remedy:
    """Say whether the first fix that may cure a refusal loses something."""
    if not names:
        return "none"
    return "lossless" if FIXES[names[0]].loss == NOTHING else "lossy"

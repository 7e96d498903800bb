"""Why an event is or is not on the surface: who appended it, replaced it, cites it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.chunkruns import expand_row
from dshlog.codec.sources import decode_sources, expand
from dshlog.model.fault import Fault
from dshlog.model.number import as_count
from dshlog.model.surface import inside
from dshlog.model.vocabulary import SURFACE_TYPES, known_types
from dshlog.model.why import Heir, Link, Why
from dshlog.report.facts import LENGTH, facts, get
from dshlog.report.follow import follow
from dshlog.report.lens import Open
from dshlog.report.surface import message_text
from dshlog.report.telling import Tellings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.report import Encoding, Report
    from dshlog.model.surface import Replacement, Surface
    from dshlog.report.examine import Children
    from dshlog.rules.judge import Judge
    from dshlog.storage.source import Source

_MEMBERS = ("shadowedSeqs", "messageSeqs", "sourceEventSeq", "headerSeq")


class _Asking:
    """Looks for one event and for what names it."""

    def __init__(self, seq: int) -> None:
        self.seq = seq
        self.event: dict[str, Any] | None = None
        self.place: tuple[object, object] = (None, None)
        self.cited_by: list[Link] = []
        self.changed_by: list[int] = []
        self.tellings = Tellings()
        self.heirs: dict[int, str] = {}  # what replacing events say that name the event asked for as a source
        self.surface: Surface | None = None
        self.message: Any = None
        self.position: int | None = None
        self._open = Open()

    def before(self, event: dict[str, Any], seq: int, judge: Judge) -> None:
        """Look at nothing: only what was taken counts."""

    def after(self, event: dict[str, Any], seq: int, judge: Judge) -> None:
        """Keep the event asked for, and whatever names it."""
        kind, data = str(event.get("type")), event.get("data")
        place = self._open.enter(kind, data)
        self._open.leave(kind)
        if seq <= self.seq < judge.position:
            self.event, self.place = _member(event, self.seq), place
        self.tellings.event(event, seq)
        if seq <= self.seq:
            return
        members = list(self._members(event, data, seq))
        self.cited_by += [Link(seq, kind, member) for member in members]
        if type(event.get("surfaceOp")) is dict and "sourceEventSeqs" in members:
            self.heirs[seq] = message_text(data if kind == "user/message" else get(data, "message"))[:LENGTH]
        if kind == "image/offload" and members:
            self.changed_by.append(seq)

    def _members(self, event: dict[str, Any], data: object, seq: int) -> Iterator[str]:
        """Yield the members of a later event that name the event asked for."""
        if _names(event.get("sourceEventSeqs"), seq, self.seq):
            yield "sourceEventSeqs"
        for name in _MEMBERS:
            value = get(data, name)
            if self.seq in map(as_count, value if type(value) is list else [value]):
                yield f"data.{name}"
        targets = get(data, "targets")
        for index, target in enumerate(targets if type(targets) is list else ()):
            if as_count(get(target, "seq")) == self.seq:
                yield f"data.targets[{index}]"

    def end(self, judge: Judge) -> None:
        """Look at the surface at the end."""
        self.surface, messages = judge.kept()
        self.message = messages.get(self.seq)
        self.position = next((place for place, node in enumerate(self.surface.nodes) if node == self.seq), None)


def why(  # noqa: PLR0913 - as examine
    source: Source,
    path: str,
    seq: int,
    *,
    at: int | None = None,
    encoding: Encoding | None = None,
    children: Children | None = None,
) -> tuple[Why | None, Report]:
    """Say what became of one event, with the report on the whole log.

    Args:
        source: the bytes, as for `examine`.
        path: how the report names the log.
        seq: of the event.
        at: the log is taken to end with this event.
        encoding: as for `examine`.
        children: as for `examine`.

    Returns:
        None in place of the answer when the readable prefix has no such event.
    """
    asking, exam = follow(source, path, lambda: _Asking(seq), at=at, encoding=encoding, children=children)
    report = exam.report()
    judge = exam.judge
    return (None if judge is None or asking.event is None else _answer(asking, judge, report, at)), report


def _answer(asking: _Asking, judge: Judge, report: Report, at: int | None) -> Why:
    event: dict[str, Any] = asking.event or {}
    seq, kind, data = asking.seq, str(event.get("type")), event.get("data")
    surface = asking.surface
    replacements = () if surface is None else surface.replacements
    chain = list(_heirs(asking.tellings, seq, replacements))
    hidden = {made.seq: made.shadowed for made in replacements}
    hides = hidden.get(seq, ())
    findings = [finding for finding in report.findings if finding.place.seq == seq]
    state, rule, reason = _state(asking, judge, kind, event, chain)
    message = data if kind == "user/message" else get(data, "message")
    return Why(
        path=report.path,
        version=judge.version,
        at=at,
        seq=seq,
        time=event.get("time"),
        type=kind,
        turn=asking.place[0],
        step=asking.place[1],
        inherited=seq < report.inherited,
        op=event.get("surfaceOp"),
        state=state,
        rule=rule,
        reason=reason,
        position=asking.position,
        replaced_by=tuple(chain),
        replacement=asking.heirs.get(chain[0].seq) if chain else None,
        hides=hides,
        inside=inside(hides, hidden),
        cites=tuple(_flat(event.get("sourceEventSeqs"), seq)),
        cited_by=tuple(asking.cited_by),
        changed_by=tuple(asking.changed_by),
        facts=facts(kind, data, event.get("surfaceOp")),
        text=message_text(asking.message if asking.message is not None else message),
        findings=tuple(f"{finding.code} {finding.name}: {finding.message}" for finding in findings),
    )


def _heirs(tellings: Tellings, seq: int, replacements: Iterable[Replacement]) -> Iterator[Heir]:
    """Yield what took the place of an event on the surface, then what took the place of that."""
    holder = {hidden: made for made in replacements for hidden in made.shadowed}
    while seq in holder:
        made = holder[seq]
        seq, what = made.seq, tellings.of(made)
        by, told = None if what.maker == what.type else what.maker, what.told
        if told is None:
            yield Heir(seq, what.type, by, what.kind)
        else:
            yield Heir(seq, what.type, by, what.kind, told.seq, told.type, told.compaction)


def _state(asking: _Asking, judge: Judge, kind: str, event: dict[str, Any], chain: list[Heir]) -> tuple[str, str, str]:
    """Give state, rule and the reason in one sentence."""
    if chain:
        first = chain[0]
        return "replaced", "R-090", f"{first.type} {first.seq} took its place on the surface"
    if asking.position is not None:
        if asking.message is None:
            return "empty", "surface.md §6", "it holds its place on the surface, but its content is empty: no message"
        joined = "was appended" if event.get("surfaceOp") == "append" else "took the place of what it replaced"
        return "surface", "E-013", f"it {joined}, and nothing has replaced it since"
    if kind not in SURFACE_TYPES[judge.version]:
        if kind not in known_types(judge.version) and event.get("ignorable") is True:
            return (
                "opaque",
                "E-010",
                f"{kind} is not known in v{judge.version} and is marked ignorable: it is kept unread",
            )
        return "log-only", "E-011", f"{kind} never joins the surface in v{judge.version}"
    return "refused", "E-012", "a rule of the surface keeps it off; the findings say which"


def _member(event: dict[str, Any], seq: int) -> dict[str, Any]:
    """Give event `seq` of a packed run; an event that is none as it is."""
    run = event.get("run")
    return event if run is None else next(one for one in expand_row(run) if one["seq"] == seq)


def _flat(cited: object, seq: int) -> list[int]:
    """Expand the stored sources of event `seq`; nothing for what is no such list."""
    decoded = decode_sources(cited, seq, distinct=False) if cited is not None else []
    return [] if isinstance(decoded, Fault) else list(expand(decoded))


def _names(cited: object, seq: int, wanted: int) -> bool:
    """Tell whether the stored sources of event `seq` hold another, without expanding them."""
    decoded = decode_sources(cited, seq, distinct=False) if cited is not None else []
    if isinstance(decoded, Fault):
        return False
    return any(wanted in entry if isinstance(entry, range) else wanted == entry for entry in decoded)

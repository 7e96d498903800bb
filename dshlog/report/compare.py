"""Compare two logs: what both begin with, what only one of them has, and what differs in what both have."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from dshlog.model.comparison import Common, Comparison, Side, Tally
from dshlog.report.changes import changes
from dshlog.report.decode import events_of, read_log
from dshlog.report.examine import named_encoding
from dshlog.report.generation import lifted
from dshlog.report.pairing import Sequence, differences, mover, pairing
from dshlog.report.prefix import Prefix, same_text, split
from dshlog.report.reading import Reading
from dshlog.report.renumber import events_in
from dshlog.report.units import Keys, Raw, Shown, event_units, message_units
from dshlog.report.upgrade import findings
from dshlog.storage.jsontext import loads, same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dshlog.migrate.children import Child
    from dshlog.model.comparison import Change, Unit, View
    from dshlog.model.report import Encoding, Report
    from dshlog.report.decode import Decoded
    from dshlog.storage.source import Source

    Event = dict[str, Any]


class Given(NamedTuple):
    """A log to be compared; `children` gives its child sessions by its id, and is asked only when it is upgraded."""

    source: Source
    path: str
    encoding: Encoding | None = None
    children: Callable[[str], Iterable[Child]] = lambda _: ()

    @property
    def container(self) -> tuple[Source, Encoding | None]:
        """Give the bytes and how they are to be read."""
        return self.source, self.encoding or named_encoding(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How two logs are compared.

    `messages` and `surface` choose what is compared, else it is events. `at` lets both end after that event. With
    `brief` only whether they differ is asked, and nothing is read behind the first difference.
    """

    messages: bool = False
    surface: bool = False
    at: int | None = None
    brief: bool = False


class Parts(NamedTuple):
    """What a comparison is made of; `units` gives those of either side behind what both begin with, as often as asked."""

    view: View
    header: tuple[Change, ...]
    common: Common
    keys: tuple[Keys, Keys]
    units: tuple[Callable[[], Iterator[Raw]], Callable[[], Iterator[Raw]]]
    shown: tuple[Shown, Shown]
    same_text: bool


def compare(a: Given, b: Given, wanted: Wanted) -> Comparison:
    """Compare two logs; of two generations the older is compared as the newer has it, where dsh upgrades it."""
    a, b, sides, alike = _one_generation(a, b)
    if wanted.surface:
        from dshlog.report.surfaces import compare_surfaces

        return compare_surfaces(a, b, sides, wanted, alike=alike)
    if wanted.messages or not alike:
        return _messages(a, b, sides, wanted, alike=alike)
    return _events(a, b, sides, wanted)


# -- two generations


def _one_generation(a: Given, b: Given) -> tuple[Given, Given, tuple[Side, Side], bool]:
    """Bring two logs into one generation; False at the end when that is not possible."""
    logs, sides = [a, b], [_side(a), _side(b)]
    first, second = sides[0].version, sides[1].version
    if first is None or second is None or first == second:
        return a, b, (sides[0], sides[1]), True
    old = 0 if first < second else 1
    log, to = logs[old], max(first, second)
    source, done = lifted(*log.container, to, log.children(sides[old].id or ""))
    if source is None:
        sides[old] = replace(sides[old], refusals=tuple(finding for _, finding in findings(done, log.path)))
    else:
        logs[old] = log._replace(source=source, encoding="zstd")
        sides[old] = replace(sides[old], compared=to, left_out=done.left_out)
    return logs[0], logs[1], (sides[0], sides[1]), source is not None


def _side(log: Given) -> Side:
    header = Reading(*log.container).header
    if header is None:
        return Side(path=log.path)
    return Side(path=log.path, id=header.id, version=header.version, compared=header.version)


# -- event by event


def _events(a: Given, b: Given, sides: tuple[Side, Side], wanted: Wanted) -> Comparison:
    version = sides[0].compared or 0
    prefix = Prefix(version)
    one = _decoded(a)
    alike = same_text(a.container, b.container)
    if alike:
        for line, events in _rows(one, version, wanted.at):
            if line:
                prefix.line(line)
            for event in () if line else events:
                prefix.event(event)
        reports = one.report, replace(one.report, path=b.path)
        keys = Keys(()), Keys(())
        header: tuple[Change, ...] = ()
    else:
        other = _decoded(b)
        header = _header_changes(one, other)
        rest = split(_rows(one, version, wanted.at), _rows(other, version, wanted.at), prefix)
        if wanted.brief:
            rest = islice(rest[0], 1), islice(rest[1], 1)
        keys = (Keys(event_units(rest[0], prefix.count)), Keys(event_units(rest[1], prefix.count)))
        reports = one.report, other.report
    shown = Shown(copy(prefix.place)), Shown(copy(prefix.place))
    common = Common(count=prefix.count, turn=prefix.at[0], step=prefix.at[1], last=_last_unit(prefix.last))
    units = tuple(_reader(log, version, prefix.count, part.end) for log, part in zip((a, b), keys, strict=True))
    parts = Parts("events", header, common, keys, (units[0], units[1]), shown, alike)
    return assembled(sides, reports, parts, wanted)


def _last_unit(last: tuple[int, Event] | None) -> Unit | None:
    return None if last is None else Shown().unit(Raw(last[0], 1, last[1]))


def _decoded(log: Given) -> Decoded:
    return read_log(log.source, log.path, encoding=log.encoding, upgrade="small")


def _rows(decoded: Decoded, version: int, at: int | None) -> Iterator[tuple[bytes | None, Iterator[Event]]]:
    """Yield the lines of the readable prefix with their events up to `at`; one that `at` cuts has no line of its own."""
    position = 0
    for line, told in decoded.rows():
        events = (event for event, _ in told)
        if at is None:
            yield line, events
            continue
        if position > at:
            continue  # The log is read to its end all the same, for the report.
        count = events_in(line, version)
        yield (line, events) if position + count <= at + 1 else (None, islice(events, at + 1 - position))
        position += count


def _reader(log: Given, version: int, start: int, end: int) -> Callable[[], Iterator[Raw]]:
    return lambda: event_units(_events_from(log, version, start, end), start)


def _events_from(log: Given, version: int, start: int, end: int) -> Iterator[Event]:
    """Yield the events start..end of a log once more, without judging them."""
    position = 0
    for lines, _, _ in Reading(*log.container).batches() if start < end else ():
        for line in lines:
            count = events_in(line, version)
            if position + count > start:
                for offset, (event, _) in enumerate(events_of(line, version)):
                    if start <= position + offset < end:
                        yield event
            position += count
            if position >= end:
                return


def _header_changes(one: Decoded, other: Decoded) -> tuple[Change, ...]:
    """Give the members in which two headers differ; none when one of them is none."""
    if one.header is None or other.header is None:
        return ()
    return tuple(changes(loads(one.header_line or b"{}"), loads(other.header_line or b"{}")))


# -- message by message


def _messages(a: Given, b: Given, sides: tuple[Side, Side], wanted: Wanted, *, alike: bool) -> Comparison:
    logs = _decoded(a), _decoded(b)
    left, right = (_message_units(log, wanted.at, alike=alike) for log in logs)
    count, last = 0, None
    while True:
        one, other = next(left, None), next(right, None)
        if one is None or other is None or not same(one.event, other.event, zero_sign=True):
            break
        count, last = count + 1, one
    keys = Keys(_again(one, left, brief=wanted.brief)), Keys(_again(other, right, brief=wanted.brief))

    def units(log: Given) -> Callable[[], Iterator[Raw]]:
        return lambda: islice(_message_units(_decoded(log), wanted.at, alike=alike), count, None)

    common = Common(count=count, last=None if last is None else Shown().unit(last))
    header = _header_changes(*logs) if alike else ()
    parts = Parts(
        "messages", header, common, keys, (units(a), units(b)), (Shown(), Shown()), same_text(a.container, b.container)
    )
    return assembled(sides, (logs[0].report, logs[1].report), parts, wanted)


def _message_units(decoded: Decoded, at: int | None, *, alike: bool) -> Iterator[Raw]:
    header = decoded.header
    if header is None:
        return iter(())
    events = (event for _, told in _rows(decoded, header.version, at) for event in told)
    return message_units(events, header, alike=alike)


def _again(first: Raw | None, rest: Iterator[Raw], *, brief: bool) -> Iterator[Raw]:
    if first is not None:
        yield first
    if not brief:
        yield from rest


# -- the result


def assembled(sides: tuple[Side, Side], reports: tuple[Report, Report], parts: Parts, wanted: Wanted) -> Comparison:
    """Pair what is left on both sides, and give everything."""
    a, b = parts.keys
    unread = not parts.same_text and any(map(_ends_early, reports))
    tally = Tally(same=parts.common.count)
    found: Iterator[Any] = iter(())
    if not wanted.brief:
        script = pairing(a, b)
        left, right = (Sequence(units(), shown) for units, shown in zip(parts.units, parts.shown, strict=True))
        found = differences(script, left, right, mover(script, a, b), tally)
    one, other = (_settled(side, report, wanted.at) for side, report in zip(sides, reports, strict=True))
    return Comparison(
        view=parts.view,
        a=one,
        b=other,
        same=not (parts.header or a.seqs or b.seqs or unread),
        unread=unread,
        header=parts.header,
        common=parts.common,
        differences=found,
        tally=tally,
    )


def _settled(side: Side, report: Report, at: int | None) -> Side:
    """Give a side with what was found when it was read."""
    events = report.events if at is None else min(report.events, at + 1)
    stop = report.stop if side.version == side.compared else None  # no line of the log itself
    return replace(side, events=events, state=report.state, stop=stop)


def _ends_early(report: Report) -> bool:
    """Tell whether a log holds something that cannot be read, and so was not compared."""
    return report.stop is not None or report.torn is not None or report.state == "not-a-log"

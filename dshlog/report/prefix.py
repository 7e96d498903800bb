"""What two logs begin with alike: a walk over both, line by line and where lines differ event by event."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from dshlog.report.lens import Open
from dshlog.report.lossless import same_bytes
from dshlog.report.renumber import events_in
from dshlog.report.units import equal
from dshlog.storage.container import Container
from dshlog.storage.jsontext import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dshlog.model.report import Encoding
    from dshlog.storage.source import Source

    Event = dict[str, Any]
    Row = tuple[bytes | None, Iterator[Event]]


class Prefix:
    """The events that both have alike: how many, where they end, and the last message among them."""

    def __init__(self, version: int) -> None:
        self._version = version
        self.count = 0
        self.place = Open()
        self.at: tuple[object, object] = (None, None)
        self._last: tuple[int, bytes | Event] | None = None

    def line(self, line: bytes) -> None:
        """Take a line that stands in both."""
        seq = self.count
        self.count += events_in(line, self._version)
        if b'"turn/' in line or b'"step/' in line:
            self._boundary(loads(line))
        if b'"surfaceOp"' in line:
            self._last = seq, line

    def event(self, event: Event) -> None:
        """Take an event that stands in both."""
        self._boundary(event)
        if "surfaceOp" in event:
            self._last = self.count, event
        self.count += 1

    def _boundary(self, event: Any) -> None:  # noqa: ANN401 - a JSON value
        kind = event.get("type")
        if kind in {"turn/start", "turn/end", "step/start", "step/end"}:
            self.at = self.place.enter(kind, event.get("data"))
            self.place.leave(kind)

    @property
    def last(self) -> tuple[int, Event] | None:
        """Give the last message event and its seq."""
        if self._last is None:
            return None
        seq, held = self._last
        return seq, held if type(held) is dict else loads(held)  # type: ignore[return-value, arg-type]


def split(a: Iterable[Row], b: Iterable[Row], prefix: Prefix) -> tuple[Iterator[Event], Iterator[Event]]:
    """Take what both begin with into the prefix, and give the rest of each, which reads on."""
    left, right = _Cursor(a), _Cursor(b)
    while True:
        if left.between and right.between:
            one, other = left.row(), right.row()
            if one is None or other is None:
                return left.rest(), right.rest()
            if one and one == other:
                left.skip()
                right.skip()
                prefix.line(one)
                continue
        x, y = left.event(), right.event()
        if x is None or y is None or not equal(x, y):
            return left.rest(x), right.rest(y)
        prefix.event(x)


class _Cursor:
    """A place in a log: between two rows, or between two events of a row."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._events: Iterator[Event] | None = None
        self._next: Event | None = None

    @property
    def between(self) -> bool:
        """Tell whether the next event begins a row."""
        if self._events is not None and self._next is None:
            self._next = next(self._events, None)
            if self._next is None:
                self._events = None
        return self._events is None

    def row(self) -> bytes | None:
        """Begin the next row and give its line, b"" where it has none of its own; None at the end."""
        row = next(self._rows, None)
        if row is None:
            return None
        self._events = row[1]
        return row[0] or b""

    def skip(self) -> None:
        """Leave the row."""
        self._events = None

    def event(self) -> Event | None:
        """Give the next event."""
        while self.between:
            if self.row() is None:
                return None
        event, self._next = self._next, None
        return event

    def rest(self, *taken: Event | None) -> Iterator[Event]:
        """Yield what follows, after an event that was taken already."""
        held = [event for event in (*taken, self._next) if event is not None]
        row = self._events if self._events is not None else iter(())
        return chain(held, row, (event for _, events in self._rows for event in events))


def same_text(a: tuple[Source, Encoding | None], b: tuple[Source, Encoding | None]) -> bool:
    """Tell whether two logs have the same bytes, or the same text in sound frames."""
    one, other = Container(*a), Container(*b)
    if one.encoding == other.encoding and one.source.size is not None and same_bytes(one.source, other.source):
        return True
    for container in (one, other):
        frames = container.frames
        if frames is not None and (frames.fault is not None or frames.torn is not None):
            return False
    if one.frames is None and other.frames is None and one.source.size != other.source.size:
        return False
    left, right = one.text(), other.text()
    x = y = b""
    while True:
        x, y = x or next(left, b""), y or next(right, b"")
        size = min(len(x), len(y))
        if not size:
            return not x and not y and one.bad_frame is None and other.bad_frame is None
        if x[:size] != y[:size]:
            return False
        x, y = x[size:], y[size:]

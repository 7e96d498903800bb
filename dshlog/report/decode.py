"""One log decoded: its stored records, its logical events, its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.chunkruns import PAYLOAD, expand_row
from dshlog.codec.sources import expand
from dshlog.report.examine import Examination
from dshlog.storage.jsontext import loads
from dshlog.storage.unread import Overlong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.header import Header
    from dshlog.model.report import Encoding, Report
    from dshlog.model.surface import Replacement
    from dshlog.report.examine import Children, Upgrading
    from dshlog.storage.source import Source

_PACKED_UNTIL = 2  # generations below this one pack chunk runs into rows
_SPACE = b" \t\r\n"


class Decoded:
    """One pass over one log; iterate one of the three views, then ask for the report.

    `header` and `header_line` are there from the start; both are None when the first line is no header.
    """

    def __init__(  # noqa: PLR0913 - as examine
        self,
        source: Source,
        path: str,
        encoding: Encoding | None = None,
        *,
        keep: bool = False,
        upgrade: Upgrading = "never",
        children: Children | None = None,
    ) -> None:
        self._given = (source, path, encoding)
        self._upgrade, self._children = upgrade, children
        self._exam = Examination(source, path, encoding, keep=keep, upgrade=upgrade, children=children)
        self.header_line: bytes | None = self._exam.reading.header_line
        self.header: Header | None = self._exam.reading.header
        self.broken: list[tuple[Any, str]] = []

    @property
    def report(self) -> Report:
        """Give the report on what has been read so far; whole after an iteration has ended."""
        again = self._exam.again()
        return self._exam.report() if again is None else again.run()

    def replacements(self) -> tuple[Replacement, ...]:
        """Give the replacements made in what has been read so far; the log must be decoded with `keep`."""
        exam = self._exam
        return () if exam.judge is None else exam.judge.kept()[0].replacements

    def records(self) -> Iterator[bytes]:
        """Yield every stored line behind the header as it is, sound or not, without its line feed."""
        exam = self._exam
        for lines, at, end in exam.reading.batches():
            exam.feed(lines, at, end)
            for line in lines:
                if not isinstance(line, Overlong):
                    yield line.removesuffix(b"\n")

    def events(self) -> Iterator[tuple[dict[str, Any], bytes | None]]:
        """Yield the logical events of the readable prefix in order, each with its stored text.

        Packed runs and ranges of `sourceEventSeqs` are expanded; such an event has no stored text of
        its own (None). Payloads stay as stored, old spellings too.
        """
        for _, events in self.rows():
            yield from events

    def rows(self) -> Iterator[tuple[bytes, Iterator[tuple[dict[str, Any], bytes | None]]]]:
        """Yield the stored lines of the readable prefix in order, each with what `events` gives for it."""
        exam, judge = self._exam, self._exam.judge
        if judge is None:
            return
        for lines, at, end in exam.reading.batches():
            first = judge.records
            exam.feed(lines, at, end)
            issue = judge.issue
            sound = len(lines) if issue is None or issue.line is None else issue.line - 2 - first
            for line in lines[: max(0, sound)]:
                yield line, events_of(line, judge.version)

    def chunks(self) -> Iterator[dict[str, Any]]:
        """Yield every provider chunk of the readable prefix with its time, in one shape for every generation.

        `broken` then names the events whose stream ends early, each with the reason.
        """
        from dshlog.fold.timed import TimedChunks

        timed = TimedChunks()
        self.broken = timed.broken
        yield from timed.of(event for event, _ in self.events())

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield the messages that the model gets at the end of the readable prefix."""
        # Only this view holds messages, so that the others stay small.
        self._exam = exam = Examination(*self._given, keep=True, upgrade=self._upgrade, children=self._children)
        self._exam = exam = exam.finished()
        if exam.judge is not None:
            yield from exam.judge.kept()[1].values()


def read_log(  # noqa: PLR0913 - as examine
    source: Source,
    path: str,
    *,
    encoding: Encoding | None = None,
    keep: bool = False,
    upgrade: Upgrading = "never",
    children: Children | None = None,
) -> Decoded:
    """Open one log for decoding; arguments as `examine`. With `keep` the surface is held as well."""
    return Decoded(source, path, encoding, keep=keep, upgrade=upgrade, children=children)


def events_of(line: bytes, version: int) -> Iterator[tuple[dict[str, Any], bytes | None]]:
    """Yield the logical events of one accepted record, each with its stored text.

    Packed runs and ranges of `sourceEventSeqs` are expanded; such an event has no stored text of its own.
    """
    if isinstance(line, Overlong):
        return
    row: Any = loads(line)
    kind = row.get("type")
    if version < _PACKED_UNTIL and type(kind) is str and kind in PAYLOAD:
        for event in expand_row(row):
            yield event, None
        return
    cited = row.get("sourceEventSeqs")
    if type(cited) is list and any(type(entry) is list for entry in cited):
        ranges = [range(int(e[0]), int(e[1]) + 1) if type(e) is list else int(e) for e in cited]
        yield {**row, "sourceEventSeqs": list(expand(ranges))}, None
        return
    yield row, line.strip(_SPACE) if _is_text(line) else None


def _is_text(line: bytes) -> bool:
    """Tell whether a line is UTF-8, so that it can be handed on as it is."""
    if line.isascii():
        return True
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True

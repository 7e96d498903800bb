"""The views of `dshlog show` besides the card and the surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dshlog.cli.failure import Failure
from dshlog.cli.output import look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dshlog.cli.output import Colour, Output
    from dshlog.cli.world import World
    from dshlog.model.report import Report
    from dshlog.model.request import Name
    from dshlog.report.decode import Decoded


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """How one log is looked at, and where that is printed; `settle` adds to a report what the place says."""

    world: World
    log: str
    settle: Callable[[Report], Report]
    output: Output
    at: int | None
    full: bool
    json: bool
    colour: Colour

    def events(self) -> Report:
        """Print the events, each as soon as it is read."""
        from dshlog.render.events import event_dict, event_lines, head_lines
        from dshlog.render.extent import end_line
        from dshlog.report.events import event_rows

        with self.world.source(self.log) as source:
            decoded = self.world.read_log(source, self.log)
            rows = self._held(event_rows(decoded, at=self.at), decoded)
            if self.json:
                self._document(_version(decoded), (event_dict(row, full=self.full) for row in rows))
            else:
                self.output.lines(head_lines(self.log, _version(decoded), self._look, self._after))
                self.output.lines(event_lines(rows, self._look, full=self.full))
            report = self.settle(decoded.report)
        if not self.json:
            self.output.lines(end_line(report, self.at, self._look))
        return report

    def turns(self) -> Report:
        """Print the turns."""
        from dshlog.render.events import head_lines
        from dshlog.render.turns import turn_dict, turn_lines
        from dshlog.render.words import count
        from dshlog.report.turns import turns

        with self.world.source(self.log) as source:
            decoded = self.world.read_log(source, self.log)
            rows = turns(decoded, at=self.at)
            report = self.settle(decoded.report)
        self._refuse_beyond(report)
        if self.json:
            self._document(_version(decoded), map(turn_dict, rows))
        else:
            facts = self._extent(report), count(len(rows), "turn")
            self.output.lines(head_lines(self.log, _version(decoded), self._look, *facts))
            self.output.lines(turn_lines(rows, self._look, full=self.full))
        return report

    def transcript(self) -> Report:
        """Print the transcript."""
        from dshlog.render.events import head_lines
        from dshlog.render.transcript import said_dict, transcript_lines
        from dshlog.render.words import count
        from dshlog.report.transcript import transcript

        with self.world.source(self.log) as source:
            decoded = self.world.read_log(source, self.log, keep=True)
            rows = transcript(decoded, at=self.at, full=self.full)
            report = self.settle(decoded.report)
        self._refuse_beyond(report)
        if self.json:
            self._document(_version(decoded), (said_dict(row, full=self.full) for row in rows))
        else:
            messages = [row for row in rows if row.type != "turn/end"]
            gone = sum(row.replaced_by is not None for row in messages)
            facts = self._extent(report), count(len(messages), "message"), f"{gone} replaced later" if gone else ""
            self.output.lines(head_lines(self.log, _version(decoded), self._look, *facts))
            self.output.lines(transcript_lines(rows, self._look, full=self.full))
        return report

    def frames(self) -> Report:
        """Print the frames, each as soon as it was decompressed.

        Raises:
            Failure: the log is raw text.
        """
        from dshlog.render.events import head_lines
        from dshlog.render.frames import frame_dict, frame_lines
        from dshlog.render.words import path_name
        from dshlog.report.frames import Framed

        with self.world.source(self.log) as source:
            framed = Framed(source, self.log, at=self.at, children=self.world.family.of(self.log))
            if framed.raw:
                message = f"{path_name(self.log)} is raw text and has no frames"
                raise Failure(message)
            report = self.settle(framed.report)
            self._refuse_beyond(report)
            rows = framed.rows(types=self.full)
            if self.json:
                self._document(framed.version, (frame_dict(row, full=self.full) for row in rows))
            else:
                state = "" if report.state in {"clean", "open"} else report.state
                self.output.lines(head_lines(self.log, framed.version, self._look, state, self._after))
                self.output.lines(frame_lines(rows, self._look, full=self.full))
        return report

    def request(self, wanted: Name, other: Name | Literal["previous"] | None) -> Report:
        """Print a request, or what differs between two.

        Raises:
            Failure: the log has no such request.
        """
        from dshlog.cli.requesting import asked
        from dshlog.render.jsonout import exact
        from dshlog.render.request import difference_dict, difference_lines, request_dict, request_lines
        from dshlog.report.difference import difference

        with self.world.kept_source(self.log) if other == "previous" else self.world.source(self.log) as source:
            children = self.world.family.of(self.log)
            names, found, report = asked(source, self.log, wanted, other, at=self.at, children=children)
        report = self.settle(report)
        self._refuse_beyond(report)
        view = found.found[wanted]
        if len(names) == 1:
            if self.json:
                self.output.data(exact(request_dict(self.log, report.version, view)))
            else:
                self.output.lines(request_lines(report, view, self._look, full=self.full))
            return report
        differs = difference(found, view, found.found[names[1]])
        if self.json:
            self.output.data(exact(difference_dict(self.log, report.version, differs)))
        else:
            self.output.lines(difference_lines(report, differs, self._look, full=self.full))
        return report

    def stream(self, seq: int) -> Report:
        """Print how the model call of an event came.

        Raises:
            Failure: the event has no call.
        """
        from dshlog.render.extent import end_line
        from dshlog.render.jsonout import exact
        from dshlog.render.stream import stream_dict, stream_lines

        with self.world.source(self.log) as source:
            view, report = self.world.stream_view(source, self.log, seq)
        report = self.settle(report)
        if isinstance(view, str):
            raise Failure(view, "messages and attempts have one, and the chunks of v0 and v1 belong to one")
        if self.json:
            self.output.data(exact(stream_dict(view)))
        else:
            self.output.lines((*stream_lines(view, self._look), *end_line(report, None, self._look)))
        return report

    def why(self, seq: int) -> Report:
        """Print what became of an event.

        Raises:
            Failure: there is no such event, or it stands behind the one that the log is taken to end with.
        """
        from dshlog.render.jsonout import exact
        from dshlog.render.why import why_dict, why_lines
        from dshlog.report.why import why

        with self.world.source(self.log) as source:
            found, report = why(source, self.log, seq, at=self.at, children=self.world.family.of(self.log))
        report = self.settle(report)
        self._refuse_beyond(report)
        if found is None:
            refuse_beyond(report, seq)
            message = f"event {seq} comes after seq {self.at}"
            raise Failure(message)
        if self.json:
            self.output.data(exact(why_dict(found, full=self.full)))
        else:
            self.output.lines(why_lines(found, report, self._look, full=self.full))
        return report

    @property
    def _look(self) -> Any:  # noqa: ANN401 - a Look
        return look(self.output, self.colour)

    @property
    def _after(self) -> str:
        return "" if self.at is None else f"after seq {self.at}"

    def _extent(self, report: Report) -> str:
        from dshlog.render.extent import extent

        return extent(report, self.at)

    def _held(self, rows: Iterable[Any], decoded: Decoded) -> Iterable[Any]:
        """Hold the rows back while it is not known whether there is an event `at`."""
        if self.at is None:
            return rows
        held = list(rows)
        refuse_beyond(decoded.report, self.at)
        return held

    def _refuse_beyond(self, report: Report) -> None:
        if self.at is not None:
            refuse_beyond(report, self.at)

    def _document(self, version: int | None, rows: Iterable[dict[str, Any]]) -> None:
        from dshlog.render.jsonout import SCHEMA, streamed

        head = {"schema": SCHEMA, "path": self.log, "version": version, "at": self.at}
        for piece in streamed(head, "rows", rows):
            self.output.data(piece)


def refuse_beyond(report: Report, at: int) -> None:
    """Refuse a seq behind the last event.

    Raises:
        Failure: there is no such event.
    """
    if at < report.events:
        return
    message = f"no event {at}: " + (f"the last seq is {report.events - 1}" if report.events else "the log has no event")
    raise Failure(message)


def _version(decoded: Decoded) -> int | None:
    return None if decoded.header is None else decoded.header.version

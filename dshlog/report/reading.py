"""One reading of one log: container, header, then the lines in order, whoever consumes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.codec.header import header_faults, is_newer, read_version, to_header
from dshlog.model.fault import Fault
from dshlog.model.vocabulary import ever_known
from dshlog.rules.draft import Draft
from dshlog.rules.register import BY_NAME
from dshlog.rules.unread import unread_fault
from dshlog.storage.container import Container
from dshlog.storage.jsontext import NotJSON, loads, not_json_words
from dshlog.storage.lines import Lines
from dshlog.storage.unread import LONGEST_STRING, Overlong, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dshlog.model.header import Header
    from dshlog.model.report import Encoding
    from dshlog.storage.source import Source

_NEWEST = 4  # stage letters of framing and header rules are the same for every generation

_FRAME_FAULTS = {
    "foreign-bytes": "what stands at file byte {at} is no zstd frame",
    "zero-padding": "only zero bytes follow from file byte {at} on",
    "skippable-frame": "a skippable frame stands at file byte {at}",
    "reserved-bits": "the frame header at file byte {at} has reserved bits set",
    "reserved-block": "the block at file byte {at} has the reserved type",
}


class Reading:
    """Reads a log once.

    `drafts` collects faults of framing and header. `value` is the header record as an object once the
    first line was one with type "session"; `version` its format version when that is a count; `header`
    the header when its generation is known, salvaged member by member when some are wrong.
    `consumed` counts the text bytes read, `line_end` stands behind the header line.
    """

    def __init__(self, source: Source, encoding: Encoding | None = None, *, stop_frame: int | None = None) -> None:
        self.container = Container(source, encoding, stop_frame=stop_frame)
        self.drafts: list[Draft] = []
        self.value: dict[str, Any] | None = None
        self.version: int | None = None
        self.header: Header | None = None
        self.header_line: bytes | None = None
        self.header_end = 0
        self.in_torn = False
        self.rest_length = 0  # bytes behind the last line feed of the complete part
        self._lines = Lines()
        self._pieces = self.container.text()
        self._first: tuple[list[bytes], int, int] | None = None
        if self._framing():
            self._read_header()

    # -- before the first record

    def _framing(self) -> bool:
        """Note what is wrong with the frames; False when there is no header frame to read."""
        frames = self.container.frames
        if frames is None:
            return True
        if frames.fault is not None:
            name = "reserved-bits" if frames.fault.kind == "reserved-block" else frames.fault.kind
            message = _FRAME_FAULTS[frames.fault.kind].format(at=frames.fault.at)
            if frames.fault.at == 0 and self.container.source.read(0, 1) == b"{":
                message += " but text, though the name promises zstd"
            self._note(name, message, frame=len(frames), frame_at=frames.fault.at)
        if not len(frames):
            if frames.size == 0:
                self._note("empty-file", "the file is empty", line=1)
            elif frames.fault is None:
                self._note("no-complete-frame", f"the only frame ends after {frames.size} bytes", line=1)
            return False
        shape = self.container.header_frame()
        if shape is None:
            self._note_bad_frame(0)
            return False
        if shape != (1, True):
            more = "more than the header line, as when a log was compressed again as a whole"
            state = more if shape[0] else "no whole line"
            self._note("header-frame-shared", f"the first frame holds {state}", line=1, frame=0, frame_at=0)
        if frames.torn is not None:
            message = f"the last frame ends after {frames.size - frames.torn} bytes"
            self._note("torn-frame", message, frame=len(frames), frame_at=frames.torn)
        return True

    def _read_header(self) -> None:
        for piece in self._pieces:
            lines = self._lines.feed(piece)
            if lines:
                line, at, end = lines[0], self._lines.at, self._lines.end
                self.header_end = at + len(line)
                self._first = (lines[1:], self.header_end, end)
                self.header_line = bytes(line).removesuffix(b"\n")
                self._judge_header(line)
                return
        if self.container.bad_frame is not None:
            return
        if self._lines.rest_length == 0 and self.container.frames is None:
            self._note("empty-file", "the file is empty", line=1)
        else:
            self._note("header-missing", "the first line has no line feed", line=1, offset=0)

    def _judge_header(self, line: bytes) -> None:
        if isinstance(line, Overlong):
            self._fault(unread_fault(line, "header-not-json"))
            return
        try:
            line = line.removesuffix(b"\n")
            value = loads(line)
        except NotJSON as error:
            self._note("header-not-json", not_json_words(line, error), line=1, offset=0)
            return
        if type(value) is not dict or value.get("type") != "session":
            kind = value.get("type") if type(value) is dict else None
            what = (
                f"an event of type {kind}" if type(kind) is str and ever_known(kind) else 'no object of type "session"'
            )
            self._note("header-not-session", f"the first record is {what}", line=1, offset=0)
            return
        self.value = value
        version = read_version(value)
        if isinstance(version, Fault):
            self._fault(version)
            return
        self.version = version
        if is_newer(version):
            self._note(
                "header-version-newer",
                f"format version {version}; this dshlog knows 0 to 4 (dsh 0.1.0 to 0.2.1)",
                line=1,
                offset=0,
                path="$.version",
            )
            return
        self.header = to_header(value, version)
        for fault in header_faults(value, version):
            self._fault(fault)

    # -- the records

    def batches(self) -> Iterator[tuple[list[bytes], int, int]]:
        """Yield (lines, text offset of the first, text offset behind the last) behind the header.

        The complete part comes first; `in_torn` is True while lines of a torn last frame are given.
        """
        if self._first is not None:
            yield self._first
            self._first = None
        for piece in self._pieces:
            lines = self._lines.feed(piece)
            if lines:
                if type(lines[0]) is Overlong:
                    lines[0] = self._once_more(lines[0])
                yield lines, self._lines.at, self._lines.end
        self._complete_end()
        self.in_torn = True
        # Lines of the torn frame begin afresh only when the complete part ended with a whole line.
        whole = self.rest_length == 0 and self.container.bad_frame is None
        for piece in self.container.torn_text() if whole else ():
            lines = self._lines.feed(piece)
            if lines:
                yield lines, self._lines.at, self._lines.end

    def _once_more(self, line: Overlong) -> bytes:
        """Read a long line again, in one piece, when it is the file itself that is so large."""
        source = self.container.source
        if line.limit is None or self.container.frames is not None or source.size is None:
            return line
        if len(line) - 1 > LONGEST_STRING:
            line.limit = LONGEST_STRING
            return line
        whole = source.read(self._lines.at, len(line))
        return bounded(whole) if len(whole) == len(line) else line

    @property
    def consumed(self) -> int:
        """Count the text bytes read so far."""
        return self._lines.end + self._lines.rest_length

    def _complete_end(self) -> None:
        """Note what the complete part ends with: a bad frame, or a line without its line feed."""
        self.rest_length = self._lines.rest_length
        bad, frames = self.container.bad_frame, self.container.frames
        if frames is None:
            if self.rest_length:
                rest = self._lines.rest
                zeros = not isinstance(rest, Overlong) and not rest.strip(b"\0")
                message = f"the last {self.rest_length} bytes {'are zero bytes' if zeros else 'have no line feed'}"
                self._note("torn-line", message, offset=self._lines.end)
        elif bad is not None:
            self._note_bad_frame(bad)
        elif self.rest_length:
            message = f"the complete frames end {self.rest_length} bytes into a record"
            self._note("record-without-end", message, offset=self._lines.end)

    def _note_bad_frame(self, bad: int) -> None:
        frames = self.container.frames
        if frames is not None:
            start, end = frames.span(bad)
            message = (
                f"frame {bad} ({end - start} bytes at file byte {start}) does not decompress or fails its checksum"
            )
            self._note("frame-undecodable", message, line=None if bad else 1, frame=bad, frame_at=start)

    def _fault(self, fault: Fault) -> None:
        self._note(fault.name, fault.message, line=1, offset=0, path=fault.path)

    def _note(  # noqa: PLR0913 - one keyword for each part of a place
        self,
        name: str,
        message: str,
        *,
        line: int | None = None,
        offset: int | None = None,
        path: str | None = None,
        frame: int | None = None,
        frame_at: int | None = None,
    ) -> None:
        rule = BY_NAME[name]
        stage = rule.stages[_NEWEST if self.version is None or self.version > _NEWEST else self.version]
        draft = Draft(rule=rule, fault=Fault(name, message, path), stage=stage, line=line, offset=offset)
        draft.fatal = stage in "fhcu"
        draft.frame, draft.frame_at = frame, frame_at
        self.drafts.append(draft)

"""What `unpack` and `pack` share: one log in, one new file out."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from dshlog.cli.entry import one_log, tell_remarks
from dshlog.cli.failure import Failure
from dshlog.cli.output import Output, look, say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from dshlog.cli.world import World
    from dshlog.files.create import NewFile
    from dshlog.report.rewrite import Rewriting, Rewritten
    from dshlog.storage.source import Source

Encoding = Literal["raw", "zstd"]

LogArgument = Annotated[
    str,
    typer.Argument(metavar="LOG", help="A log, a session directory, a session of a database, or - for standard input."),
]
OutOption = Annotated[
    str, typer.Option("-o", "--output", metavar="OUT", help="The file to write; it must not be there yet.")
]
StreamsOption = Annotated[bool, typer.Option("--streams", help="Also the streams that messages of v2 and later embed.")]
EncodingOption = Annotated[
    Encoding | None,
    typer.Option("--encoding", help="Write text or zstd frames; default: as LOG, with the bounds of its frames."),
]
FrameRowsOption = Annotated[
    int | None,
    typer.Option("--frame-rows", metavar="N", min=1, help="Rows in each frame; with --encoding zstd."),
]
LikeDshOption = Annotated[
    bool,
    typer.Option(
        "--like-dsh", help="All rows in one frame, as dsh writes a log that it upgrades; with --encoding zstd."
    ),
]
VerifyOption = Annotated[
    bool,
    typer.Option("--verify/--no-verify", help="Compare the events of the result with those of LOG, and read it back."),
]


def rewriting(  # one keyword for each option
    *, unpack: bool, streams: bool, encoding: Encoding | None, frame_rows: int | None, like_dsh: bool
) -> Rewriting:
    """Give what is asked for; options that contradict each other are a usage error."""
    from dshlog.report.rewrite import Rewriting

    if (frame_rows is not None or like_dsh) and encoding != "zstd":
        message = "--frame-rows and --like-dsh need --encoding zstd"
        raise typer.BadParameter(message)
    if frame_rows is not None and like_dsh:
        message = "--frame-rows and --like-dsh exclude each other"
        raise typer.BadParameter(message)
    return Rewriting(unpack=unpack, streams=streams, encoding=encoding, frame_rows=frame_rows, one_frame=like_dsh)


def write(world: World, path: str, out: str, asked: Rewriting, *, verify: bool) -> int:
    """Write the result of one log and give the exit status."""
    refuse_output(out)
    log = one_log(world, path, "unpack" if asked.unpack else "pack")
    tell_remarks(world)
    with world.kept_source(log) as source, interruptible():
        return _write(source, log, out, asked, verify=verify)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a request to end be an interruption, so that no temporary file stays behind."""
    import signal

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    taken = []
    with suppress(ValueError):  # only the main thread may ask for signals
        for number in numbers:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _interrupt)
                taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _write(source: Source, log: str, out: str, asked: Rewriting, *, verify: bool) -> int:
    from dshlog.files.create import NewFile
    from dshlog.report.examine import named_encoding
    from dshlog.report.rewrite import rewrite
    from dshlog.storage.source import rows_of

    rows = rows_of(source)
    if rows is not None:
        if rows.faults:
            return _unsound(source, log)
        asked = replace(asked, encoding=asked.encoding or named_encoding(out))
    encoding = asked.encoding or encoding_of(source, log)
    refuse_name(out, encoding, hint=f"add --encoding {named_encoding(out)}, or ")
    asked = replace(asked, prove=verify)
    with NewFile(out) as new:
        done = rewrite(source, log, asked, new.write)
        if done.refusal is not None:
            return _refused(log, done)
        if done.unread:
            message = f"{log} has a line too large to be held; nothing was written"
            raise Failure(message, "dshlog validate says what is known of such a line")
        if done.same_bytes:
            new.restart()
            for piece in source.chunks():
                new.write(piece)
        new.seal()
        if verify:
            _verify(source, log, new, done, encoding)
        new.publish()
    with Output() as output:
        output.text([_summary(out, done, asked, stored=rows is not None)], look(output, "never").width)
    return 0


def encoding_of(source: Source, path: str) -> Encoding:
    """Give the container of a log: what its name promises, else what its first bytes say."""
    from dshlog.report.examine import named_encoding
    from dshlog.storage.container import sniff
    from dshlog.storage.source import rows_of

    return "raw" if rows_of(source) is not None else named_encoding(path) or sniff(source)


def refuse_output(out: str) -> None:
    """Refuse standard output as the place of a result."""
    if out == "-":
        message = "the result is a file, which is proved before it gets its name; cat prints events"
        raise Failure(message, "name a file with -o")


def refuse_name(out: str, encoding: Encoding, *, hint: str = "") -> None:
    """Refuse a name under which every reader would take the result for something else.

    Args:
        out: the name.
        encoding: the container of the result.
        hint: the beginning of what to do, where there is another way than another name.
    """
    from dshlog.report.examine import named_encoding

    named = named_encoding(out)
    if named is None or named == encoding:
        return
    message = f"{out} is the name of a {named} log, and the result would be {encoding}"
    raise Failure(message, f"{hint}name it .jsonl{'.zstd' if encoding == 'zstd' else ''}")


def _unsound(source: Source, log: str) -> int:
    """Say which rows of a database cannot be written."""
    from dshlog.render.text import finding_lines
    from dshlog.render.words import shell_word
    from dshlog.report.examine import examine

    report = examine(source, log, reader="native")
    with Output() as output:
        for found in report.findings:
            if found.code.startswith("B"):
                output.lines(finding_lines(found, why=True))
    hints = (f"dshlog repair {shell_word(log)} plans a log without them",)
    say("error", f"not all rows of {log} are events; nothing was written", hints)
    return 1


def _refused(log: str, done: Rewritten) -> int:
    from dshlog.render.text import finding_lines
    from dshlog.render.words import shell_word

    with Output() as output:
        if done.refusal is not None:
            output.text(finding_lines(done.refusal, why=True), look(output, "never").width)
    say("error", f"dsh cannot read all rows of {log}; nothing was written", (f"dshlog validate {shell_word(log)}",))
    return 1


def _verify(source: Source, log: str, new: NewFile, done: Rewritten, encoding: Encoding) -> None:
    from dshlog.files.read import FileSource
    from dshlog.report.lossless import difference, same_bytes
    from dshlog.report.rewrite import text_checksum

    with FileSource(new.temporary) as again:
        if done.same_bytes:
            at = None if same_bytes(source, again) else 0
        elif done.proved and (done.checksum is None or text_checksum(again, encoding) == done.checksum):
            at = None
        else:
            at = difference((source, done.encoding), (again, encoding), done.version or 0)
    if at is not None:
        message = f"the result would not say the same as {log}: record {at} differs; nothing was written"
        raise Failure(message, "please report this with the log, or with what dshlog validate says of it")


def _summary(out: str, done: Rewritten, asked: Rewriting, *, stored: bool) -> str:
    from dshlog.render.words import count, path_name
    from dshlog.report.repack import PACKED_UNTIL

    name = path_name(out)
    if done.same_bytes and stored:
        return f"{name}: each row of the session is a line of the log"
    if done.same_bytes:
        return f"{name}: nothing to {'unpack' if asked.unpack else 'pack'}, copied as it is"
    if not done.taken:
        what = f"no row changed, written as {asked.encoding}"
    elif (done.version or 0) >= PACKED_UNTIL:
        what = f"{count(done.taken, 'stream')} {'unpacked' if asked.unpack else 'packed'}"
    elif asked.unpack:
        what = f"{count(done.taken, 'packed row')} became {count(done.made, 'event')}"
    else:
        what = f"{count(done.taken, 'event')} became {count(done.made, 'packed row')}"
    if done.torn_bytes:
        told = f"of a torn frame of {count(done.torn_bytes, 'byte')}, {count(done.torn_text, 'byte')} of text could be read"
        what = f"{what}; {told}"
    return f"{name}: {what}"

"""`dshlog unpack`: chunk rows of a log to single events, in a new log."""

from __future__ import annotations

import typer

from dshlog.cli.entry import looked_up, stored
from dshlog.cli.options import EXIT_WRITE, RootOption, SessionOption
from dshlog.cli.rewriting import (
    EncodingOption,
    FrameRowsOption,
    LikeDshOption,
    LogArgument,
    OutOption,
    StreamsOption,
    VerifyOption,
    rewriting,
    write,
)
from dshlog.cli.world import World

EPILOG = EXIT_WRITE


def unpack(
    ctx: typer.Context,
    log: LogArgument,
    *,
    output: OutOption,
    session: SessionOption = None,
    streams: StreamsOption = False,
    encoding: EncodingOption = None,
    frame_rows: FrameRowsOption = None,
    like_dsh: LikeDshOption = False,
    verify: VerifyOption = True,
    root: RootOption = None,
) -> int:
    """Write a log with each packed chunk row as its events.

    One line an event for `jq`, in a log that dsh opens as before; `pack` is the way back. Records that hold
    no chunks are copied byte for byte, and the frames of a zstd log keep their bounds.
    """
    asked = rewriting(unpack=True, streams=streams, encoding=encoding, frame_rows=frame_rows, like_dsh=like_dsh)
    world = ctx.find_object(World) or World()
    found = stored(world, looked_up(world, log, root, "unpack"), session, "unpack")
    return write(world, found, output, asked, verify=verify)

"""`dshlog pack`: single chunk events of a log to packed rows, in a new log."""

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


def pack(
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
    """Write a log with runs of chunk events packed as dsh packs them.

    Three and more deltas of one block become one row, within a frame of a zstd log. Records that hold no
    chunks are copied byte for byte. With --encoding a log of any generation gets another container.
    """
    asked = rewriting(unpack=False, streams=streams, encoding=encoding, frame_rows=frame_rows, like_dsh=like_dsh)
    world = ctx.find_object(World) or World()
    found = stored(world, looked_up(world, log, root, "pack"), session, "pack")
    return write(world, found, output, asked, verify=verify)

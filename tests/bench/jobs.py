"""What the bench measures: logs, commands, yardsticks and targets."""

from __future__ import annotations

from dataclasses import dataclass

FLOOR = """import sys, orjson
with open(sys.argv[1], "rb", buffering=1 << 20) as f:
    for line in f:
        orjson.loads(line)
"""
FLOOR_ZSTD = """import io, sys, orjson, zstandard
with open(sys.argv[1], "rb") as f:
    stream = zstandard.ZstdDecompressor().stream_reader(f, read_across_frames=True)
    for line in io.BufferedReader(stream, 1 << 20):
        orjson.loads(line)
"""
IMPORTS = "import typer, orjson, zstandard"
FIRST_LINES = """import os, sys, json
for place, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(place, name), "rb") as f:
            json.loads(f.readline())
"""
FIRST_LINES_ZSTD = """import os, sys, json, zstandard
for place, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(place, name), "rb") as f:
            text = zstandard.ZstdDecompressor().stream_reader(f).read(1 << 16)
            json.loads(text.partition(b"\\n")[0])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A log, or many, and what the time is compared with; `log` is generator options with the sizes left open.

    `command` are the words of a command of dshlog, None stands for the command that is measured. `wall` tells that
    the clock on the wall counts and not the processor time. `writes` tells that the command wants a file to write, `twice`
    that it wants two logs, `of` names another job whose log is taken. A job `grown_from` another one runs only with
    --big, and its memory is compared with that of the other.
    """

    name: str
    log: str
    yardstick: str = "floor"
    limit: float | None = None
    command: str | None = None
    wall: bool = False
    writes: bool = False
    twice: bool = False
    grown_from: str | None = None
    of: str | None = None


REPLACING = "--profile replace --compact-every 0 --events {events} --replaces {replaces}"
# Replacements would begin after a quarter of the events, which the wanted bytes never reach.
PLAIN_LOG = "--profile replace --compact-every 0 --events 1G --replaces 1G --bytes {raw_bytes}"
MANY = "--profile small --count 2000 --bytes 10k"
SHARED = "--version 4 --count 200 --bytes {part}"
V0_PACKED, V0_UNPACKED = "--version 0 --bytes {size}", "--version 0 --layout unpacked --bytes {size}"
NO_PROOF = "unpack --no-verify"
JOBS = (
    Job(name="v4-mixed", log="--version 4 --bytes {size}", limit=1.6),
    Job(name="v4-small", log="--version 4 --profile small --bytes {size}", limit=2.5),
    Job(name="v0-packed", log=V0_PACKED, limit=2.0),
    Job(name="v4-mixed-zstd", log="--version 4 --bytes {size} --zstd", limit=1.6),
    Job(name="v3-mixed", log="--version 3 --bytes {size}"),
    Job(name="v0-unpacked", log=V0_UNPACKED),
    Job(name="v0-packed-zstd-tiny-frames", log="--version 0 --bytes {size} --zstd --batch-rows 2"),
    Job(name="unpack", log=V0_PACKED, of="v0-packed", limit=6, command="unpack", writes=True),
    Job(name="unpack-no-verify", log=V0_PACKED, of="v0-packed", limit=6, command=NO_PROOF, writes=True),
    Job(name="pack", log=V0_UNPACKED, of="v0-unpacked", limit=4, command="pack", writes=True),
    Job(name="replacements", log=REPLACING, yardstick="plain log", limit=1.5),
    Job(name="start-up", log="--profile small --bytes 50k", yardstick="imports", limit=1.4),
    Job(name="start-up-zstd", log="--profile small --bytes 50k --zstd", yardstick="imports", limit=1.4),
    Job(name="ls", log=MANY, yardstick="first lines", limit=2.5, command="ls"),
    Job(name="ls-zstd", log=MANY + " --zstd", yardstick="first lines", limit=2.5, command="ls"),
    Job(name="two-jobs", log=SHARED, yardstick="one job", limit=1.0, command="validate --jobs 2", wall=True),
    Job(name="migrate", log=V0_PACKED, of="v0-packed", limit=12, command="migrate", writes=True),
    Job(name="diff", log="--version 4 --bytes {size}", of="v4-mixed", limit=3, command="diff", twice=True),
    Job(name="v4-mixed-big", log="--version 4 --bytes {big}", grown_from="v4-mixed"),
    Job(
        name="migrate-big",
        log="--version 0 --bytes {larger}",
        limit=12,
        command="migrate",
        writes=True,
        grown_from="migrate",
    ),
)

"""A log made to fill the memory does not: what is held is bounded by the longest line that is read."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from itertools import repeat

import pytest
from zstandard import ZstdCompressor

import dbbuilder

LIMIT = 400_000_000  # bytes; a line of up to 128 MiB is held, and the text that is just read
BOMB = 200_000_000
HEADER = b'{"type":"session","version":4,"id":"k","createdAt":1,"isSeeded":false,"delegationDepth":0}\n'
OPENING = b'{"type":"x","seq":0,"time":1,"data":{"text":"'
CHUNK = b"a" * 1_000_000

# In a process of its own; where there is one, the peak of the process itself and not of the one that it came from.
CHILD = """
import json, resource, sys
from dshlog.report.examine import examine
from {module} import {name}

class Generated:
    size = None

    def chunks(self, start=0, end=None):
        yield {header!r} + {opening!r}
        for _ in range(300):
            yield b"a" * 1_000_000
        yield b'"}}}}\\n{{"type":"turn/start","seq":0,"time":1,"data":{{"turn":1}}}}\\n'

    def read(self, start, count):
        return {header!r}[:count]

def peak():
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

report = examine({source}, {path!r})
print(json.dumps({{
    "peak": peak(), "state": report.state, "opens": report.native.opens, "records": report.records, "names": [found.name for found in report.findings],
    "messages": [found.message[:300] for found in report.findings],
}}))
"""


def in_a_process(source, path, module="dshlog.storage.source", name="BytesSource"):
    """Examine in a process of its own and give what it found and needed."""
    code = CHILD.format(source=source, path=path, header=HEADER, opening=OPENING, module=module, name=name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def frame_of(parts):
    """Compress parts into one frame without holding them."""
    compressor = ZstdCompressor(level=3, write_checksum=True).compressobj()
    return b"".join([*map(compressor.compress, parts), compressor.flush()])


def judged(tmp_path, *frames):
    """Write a zstd log and examine it."""
    path = tmp_path / "session.v4.jsonl.zstd"
    path.write_bytes(b"".join(frames))
    assert path.stat().st_size < 100_000
    return in_a_process(f"FileSource({str(path)!r})", str(path), "dshlog.files.read", "FileSource")


def bomb(end):
    """Yield one long line, piece by piece."""
    yield OPENING
    yield from repeat(CHUNK, BOMB // len(CHUNK))
    yield end


def test_a_frame_of_one_long_line(tmp_path):
    found = judged(tmp_path, frame_of([HEADER]), frame_of(bomb(b'"}}\n')))
    assert found["peak"] < LIMIT
    assert found["state"] == "refused"
    assert found["opens"] is None
    assert "line-too-long" in found["names"]
    assert len(found["names"]) < 5


def test_a_torn_frame_of_one_long_line(tmp_path):
    found = judged(tmp_path, frame_of([HEADER]), frame_of(bomb(b'"}}\n'))[:-1])
    assert found["peak"] < LIMIT
    assert found["state"] == "refused"
    assert found["opens"] is None
    assert {"torn-frame", "line-too-long"} <= set(found["names"])


@pytest.mark.parametrize("end", [b'"}}\n', b""])
def test_a_first_frame_that_is_one_long_line(tmp_path, end):
    found = judged(tmp_path, frame_of(bomb(end)))
    assert found["peak"] < LIMIT
    assert found["state"] == "not-a-log"
    assert found["messages"]


def test_a_first_frame_with_much_behind_the_header(tmp_path):
    found = judged(tmp_path, frame_of([HEADER, *bomb(b'"}}\n')]))
    assert found["peak"] < LIMIT
    assert "header-frame-shared" in found["names"]


def test_a_long_line_without_a_file():
    found = in_a_process("Generated()", "session.v4.jsonl")
    assert found["peak"] < LIMIT
    assert found["state"] == "refused"
    assert found["opens"] is None
    assert found["names"][0] == "line-too-long"
    assert found["records"] == 2


def test_many_empty_lines(tmp_path):
    found = judged(tmp_path, frame_of([HEADER]), frame_of(repeat(b"\n" * 100_000, 2)))
    assert found["peak"] < LIMIT
    assert found["records"] == 200_000
    assert found["state"] == "refused"


def stored(tmp_path, *payloads):
    """Put events with these payloads into a database and examine its session."""
    path = tmp_path / "sessions.db"
    head = b'{"type":"session","version":0,"id":"k","createdAt":1,"delegationDepth":0}'
    with closing(dbbuilder.create(path)) as connection:
        dbbuilder.add(connection, [head])
        for seq, payload in enumerate(payloads):
            row = ("k", seq, "x", 1, payload, None, None, None)
            connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    session = f"{path}#k"
    return in_a_process(f"Databases().source({session!r})", session, "dshlog.files.databases", "Databases")


def test_a_payload_of_a_database_that_unfolds_without_end(tmp_path):
    long = frame_of([b'"', *repeat(CHUNK, BOMB // len(CHUNK)), b'"'])
    found = stored(tmp_path, long, b"".join([long, long]), *[long] * 5)
    assert found["peak"] < LIMIT
    assert (found["state"], found["opens"]) == ("refused", None)
    assert "line-too-long" in found["names"]
    assert found["records"] == 7


def test_many_long_payloads_of_a_database(tmp_path):
    long = frame_of([b'"', *repeat(CHUNK, 20), b'"'])
    found = stored(tmp_path, *[long] * 20)
    assert found["peak"] < LIMIT
    assert found["records"] == 20


def test_a_text_of_a_database_that_is_longer_than_a_line_may_be(tmp_path):
    found = stored(tmp_path, '"' + "a" * (LIMIT // 3 + (1 << 23)) + '"', "{}")
    assert found["peak"] < LIMIT
    assert (found["state"], found["opens"]) == ("refused", None)
    assert "line-too-long" in found["names"]

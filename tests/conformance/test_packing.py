"""Logs that dsh wrote come back byte for byte: packed rows, frames, and the other container."""

from __future__ import annotations

import json
import subprocess
import sys

from dshlog.report.examine import examine, named_encoding
from dshlog.report.lossless import difference
from dshlog.report.rewrite import Rewriting, rewrite, text_pieces
from dshlog.storage.frames import walk
from dshlog.storage.source import BytesSource
from dshlog.storage.zstd import texts

EVERY = 9  # logs of which one is given to dsh


def done(data, name, **asked):
    """Rewrite; give the bytes."""
    parts = []
    made = rewrite(BytesSource(data), name, Rewriting(**asked), parts.append)
    assert made.refusal is None
    return data if made.same_bytes else b"".join(parts)


def frame_texts(data):
    source = BytesSource(data)
    frames = walk(source)
    return [b"".join(pieces) for pieces in texts(source, map(frames.span, range(len(frames))))]


def text(data, encoding):
    return b"".join(text_pieces(BytesSource(data), encoding))


def test_rows_come_back_frame_by_frame(written, shared):
    data, name = written.path.read_bytes(), written.path.name
    unpacked = done(data, name, unpack=True)
    packed = done(unpacked, name, unpack=False)
    encoding = named_encoding(name)
    version = examine(BytesSource(data), name).version
    assert difference((BytesSource(data), encoding), (BytesSource(unpacked), encoding), version) is None
    assert difference((BytesSource(data), encoding), (BytesSource(packed), encoding), version) is None
    if encoding == "zstd":
        assert frame_texts(packed) == frame_texts(data)
        assert len(frame_texts(unpacked)) == len(frame_texts(data))
    assert not any(b'-chunks","seq0"' in line for line in text(unpacked, encoding).splitlines())


def test_the_other_container_and_back(written, shared):
    data, name = written.path.read_bytes(), written.path.name
    here = named_encoding(name)
    there = {"raw": "zstd", "zstd": "raw"}[here]
    other_name = name.removesuffix(".zstd") if there == "raw" else f"{name}.zstd"
    # Packing a log that dsh did not pack would change rows, unpacking one that it did too.
    way = any(b'-chunks","seq0"' in line for line in text(data, here).splitlines())
    other = done(data, name, unpack=not way, encoding=there)
    back = done(other, other_name, unpack=not way, encoding=here)
    assert text(other, there) == text(data, here) == text(back, here)


def test_streams_come_back(written, shared):
    data, name = written.path.read_bytes(), written.path.name
    unpacked = done(data, name, unpack=True, streams=True)
    packed = done(unpacked, name, unpack=False, streams=True)
    encoding = named_encoding(name)
    assert text(packed, encoding) == text(data, encoding) or encoding == "raw"
    report = examine(BytesSource(unpacked), name, deep=True)
    assert report.native == examine(BytesSource(data), name).native


def test_dsh_opens_what_was_written(shared, oracle, tmp_path):
    """Compared with what dsh says of the log alone, since children that lie beside it count too."""
    sources, made = [], []
    logs = sorted(path for path in shared.glob("corpus/*/sessions/*/*/session*.jsonl*") if path.is_file())
    for number, path in enumerate(logs[::EVERY]):
        here = named_encoding(path.name)
        there = {"raw": "zstd", "zstd": "raw"}[here]
        other_name = path.name.removesuffix(".zstd") if there == "raw" else f"{path.name}.zstd"
        for kind, name, asked in (
            ("unpacked", path.name, {"unpack": True, "streams": True}),
            ("packed", path.name, {"unpack": False}),
            ("other", other_name, {"unpack": False, "encoding": there}),
        ):
            file = tmp_path / f"{number}-{kind}" / name
            file.parent.mkdir()
            file.write_bytes(done(path.read_bytes(), path.name, **asked))
            sources.append(path)
            made.append(file)
    assert len(made) > 60
    before, after = (answers(shared, oracle, files) for files in (sources[::3], made))
    for at, answer in enumerate(after):
        source = before[at // 3]
        for member in ("events", "surface_nodes", "messages_sha256", "closers"):
            assert answer.get(member) == source.get(member), (made[at], member)
        assert answer["open"]["ok"] == source["open"]["ok"], made[at]


def answers(shared, oracle, files):
    """Ask dsh."""
    ran = subprocess.run(
        [sys.executable, shared / "oracle/dsh_oracle.py", "ask", oracle, *files],
        capture_output=True,
        check=False,
        text=True,
    )
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(told) == len(files), ran.stderr
    silent = [answer for answer in told if "oracle_failed" in answer or "unjudged" in answer]
    assert not silent, "dsh did not answer, which says nothing about the logs"
    return told

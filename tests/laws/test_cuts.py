"""A log cut off at any byte is judged, and as the specification says."""

from __future__ import annotations

from pathlib import Path

import pytest
from zstandard import ZstdDecompressor, ZstdError

import build
from dshlog.report.examine import examine
from dshlog.storage.jsontext import loads
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
LOGS = sorted(FIXTURES.glob("v[0-4]/open*/session*"))
COUNTED = {"text-chunks": "texts", "reasoning-chunks": "texts", "tool-call-chunks": "args"}


def frame_starts(data):
    """Give the offset of every frame, and the length of the file."""
    starts = [0]
    while starts[-1] < len(data):
        frame = ZstdDecompressor().decompressobj()
        frame.decompress(data[starts[-1] :])
        starts.append(len(data) - len(frame.unused_data))
    return starts


def readable(data, start):
    """Give the whole records of a torn frame; one that cannot be decoded gives none."""
    try:
        text = ZstdDecompressor().decompressobj().decompress(data[start:])
    except ZstdError:
        return b""
    return text[: text.rfind(b"\n") + 1]


def told(text):
    """Tell (events, whether a turn is open) after the records of a sound text, whose first line is the header."""
    events, inside = 0, False
    for line in text.splitlines()[1:]:
        row = loads(line)
        kind = row["type"]
        events += len(row["data"][COUNTED[kind]]) if kind in COUNTED else 1
        inside = kind == "turn/start" or (inside and kind != "turn/end")
    return events, inside


def expected(data, starts, whole):
    """Give (state, events, cut, events saved) of the first bytes of a sound log."""
    if starts is None:
        end = data.rfind(b"\n") + 1
        if not end:
            return "not-a-log", 0, None, 0
        events, inside = told(data[:end])
        return ("torn", events, end, 0) if end < len(data) else ("open" if inside else "clean", events, None, 0)
    complete = [at for at in starts if at <= len(data)]
    if len(complete) < 2:
        return "not-a-log", 0, None, 0
    text = b"".join(whole[: len(complete) - 1])
    events, inside = told(text)
    if complete[-1] == len(data):
        return "open" if inside else "clean", events, None, 0
    with_saved, _ = told(text + readable(data, complete[-1]))
    return "torn", with_saved, complete[-1], with_saved - events


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.relative_to(FIXTURES).as_posix())
def test_every_cut_is_judged(path):
    data = path.read_bytes()
    starts, whole = None, []
    if path.name.endswith(".zstd"):
        starts = frame_starts(data)
        whole = build.decoded(path.name, data)
    wrong = []
    for size in range(len(data) + 1):
        report = examine(BytesSource(data[:size]), str(path))
        torn = report.torn
        facts = report.state, report.events, torn.at if torn else None, torn.events if torn else 0
        if facts != expected(data[:size], starts, whole):
            wrong.append((size, facts, expected(data[:size], starts, whole)))
    assert not wrong


def test_logs_of_every_generation_in_both_encodings_are_cut():
    found = {(path.parent.parent.name, path.suffix) for path in LOGS}
    assert found == {(f"v{version}", suffix) for version in range(5) for suffix in (".jsonl", ".zstd")}

"""What a report says of the end of a log: what is open there, and that bytes went away under the reader."""

from __future__ import annotations

import pytest

import rows
from dshlog.model.report import Tail
from dshlog.render.jsonout import log_dict
from dshlog.render.text import report_lines
from dshlog.report.examine import examine
from dshlog.rules.sample import content, head, says, step, turn
from dshlog.storage.source import BytesSource


def judged(*parts, version=4):
    return examine(BytesSource(content((head(version), *parts))), "log.jsonl")


@pytest.mark.parametrize("version", [0, 3, 4])
def test_a_step_outside_every_turn_is_not_open(version):
    assert judged(step(), version=version).tail == Tail()
    assert judged(turn(), step(), version=version).tail == Tail(turn=1, step=1)


@pytest.mark.parametrize("depth", [0, 5000])
def test_the_id_of_a_call_may_be_a_list_and_is_told_as_json(depth):
    block = {"type": "tool-call", "id": "NAME", "name": "ls", "arguments": "{}"}
    data = content((head(0), turn(), step(), says(block)))
    named = b"[" * depth + b"]" * depth if depth else b'["a",{"b":1}]'
    report = examine(BytesSource(data.replace(b'"NAME"', named)), "log.jsonl")
    shown = "[" * 79 + "\u2026" if depth else '["a",{"b":1}]'
    assert log_dict(report)["tail"]["calls"] == [shown]
    assert any(shown in line for line in report_lines(report))


class Cut(BytesSource):
    """A source that is shorter than it was when it was opened."""

    def __init__(self, data, size):
        super().__init__(data)
        self._size = size

    @property
    def size(self):
        return self._size

    def chunks(self, start=0, end=None):
        yield from super().chunks(start, None if end is None else min(end, len(self._data)))


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.zstd"])
@pytest.mark.parametrize("kept", [0, 10])
def test_a_file_that_is_cut_while_it_is_read_is_told_as_such(name, kept):
    first, second = content((head(),)), content((head(), turn()))[len(content((head(),))) :]
    data = rows.frame(first) + rows.frame(second) if name.endswith("zstd") else first + second
    whole = len(data) + 500
    if kept:
        data = data[:-kept]
    report = examine(Cut(data, whole), name)
    (told,) = [finding for finding in report.findings if finding.name == "file-growing"]
    assert (told.severity, report.torn, report.bytes) == ("note", None, len(data))
    assert f"it had {whole} bytes" in told.message
    assert f"{len(data)} could be read" in told.message

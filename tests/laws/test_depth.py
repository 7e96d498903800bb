"""Values nested beyond any stack are judged like others."""

from __future__ import annotations

from pathlib import Path

import pytest

import build
from dshlog.cli.main import main
from dshlog.model.report import STATES
from dshlog.report.decode import read_log
from dshlog.report.examine import examine
from dshlog.report.surface import surface_view
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
LOGS = [next((FIXTURES / f"v{version}/clean-raw").glob("session*")) for version in range(5)]
DEPTH = 3_000  # Python's own stack holds a thousand calls
RESULT = b'{"type":"tool-result","toolUseId":"x","content":['
TEXT = b'{"type":"text","text":"x"}'
DEEP = {
    "array": b"[" * DEPTH + b"]" * DEPTH,
    "object": b'{"a":' * DEPTH + b"1" + b"}" * DEPTH,
    "pair": b"[1," * DEPTH + b"2" + b"]" * DEPTH,
    "result": RESULT * DEPTH + TEXT + b"]}" * DEPTH,
    "content": b"[" + RESULT * DEPTH + TEXT + b"]}" * DEPTH + b"]",
}
# What is found in a record of the log, and put around the deep value in its place.
PLACES = {
    "record": (b"{", b"", b""),
    "data": (b'"data":{', b'"data":', b',"x":{'),
    "type": (b'"type":"user/message"', b'"type":', b""),
    "seq": (b'"seq":2,', b'"seq":', b","),
    "marker": (b'"surfaceOp":"append"', b'"surfaceOp":', b""),
    "content": (b'"content":[', b'"content":', b',"x":['),
    "text": (b'"text":"', b'"text":', b',"x":"'),
    "arguments": (b'"arguments":', b'"arguments":', b',"x":'),
    "time": (b'"time":', b'"time":', b',"x":'),
    "turn": (b'"turn":1', b'"turn":', b""),
    "role": (b'"role":"user"', b'"role":', b""),
    "source": (b'"source":{', b'"source":', b',"x":{'),
    "stream": (b'"stream":', b'"stream":', b',"x":'),
    "call": (b'"callId":"', b'"callId":', b',"x":"'),
    "header": (b'"config":{', b'"config":', b',"x":{'),
    "cwd": (b'"cwd":"', b'"cwd":', b',"x":"'),
}


@pytest.mark.parametrize("deep", DEEP)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.parent.parent.name)
def test_deep_value(path, place, deep):
    found, before, after = PLACES[place]
    head, feed, rows = path.read_bytes().partition(b"\n")
    if found in rows:
        rows = rows.replace(found, before + DEEP[deep] + after, 1)
    elif found in head:
        head = head.replace(found, before + DEEP[deep] + after, 1)
    else:
        pytest.skip("this generation has no such member in its log")
    data = head + feed + rows
    report = examine(BytesSource(data), str(path))
    assert report.state in STATES
    view, beside = surface_view(BytesSource(data), str(path))
    assert beside == report
    assert len(view.nodes) == (report.surface.nodes if report.surface else 0)
    assert sum(1 for _ in read_log(BytesSource(data), str(path)).events()) == report.events
    assert sum(1 for _ in read_log(BytesSource(data), str(path)).messages()) == (
        report.surface.messages if report.surface else 0
    )


WRITING = (["unpack"], ["pack", "--encoding", "zstd"], ["unpack", "--streams"])
FIGURES = (["stats"], ["stats", "--by", "turn"], ["cat", "--chunks"], ["show", "--stream", "5"])
MORE = {
    "step": (b'"step":1', b'"step":', b""),
    "index": (b'"index":0', b'"index":', b""),
    "chunk": (b'"chunk":{', b'"chunk":', b',"x":{'),
    "usage": (b'"usage":{', b'"usage":', b',"x":{'),
    "gaps": (b'"dt":[', b'"dt":', b',"x":['),
}


@pytest.mark.parametrize("place", PLACES | MORE)
@pytest.mark.parametrize("path", [LOGS[0], LOGS[4]], ids=["v0", "v4"])
def test_deep_values_everywhere_end_no_command(tmp_path, capfdbinary, path, place):
    found, before, after = (PLACES | MORE)[place]
    head, feed, rows = path.read_bytes().partition(b"\n")
    log = tmp_path / path.name
    # Twice, so that two such values may be compared.
    log.write_bytes(head + feed + rows.replace(found, before + DEEP["array"] + after, 2))
    for at, command in enumerate((*FIGURES, *WRITING)):
        out = ["-o", str(tmp_path / str(at))] if command in WRITING else []
        status = main([*command, str(log), *out])
        _, err = capfdbinary.readouterr()
        assert status in {0, 1, 2}
        assert b"internal error" not in err, (command, err)
        assert b"would not say" not in err, (command, err)


@pytest.mark.parametrize(
    "command", [["validate", "--format", "json"], ["show"], ["show", "--json"], ["cat"], ["cat", "--messages"]]
)
@pytest.mark.parametrize("deep", ["array", "object", "content"])
def test_deep_value_is_printed(tmp_path, capfdbinary, command, deep):
    found, before, after = PLACES["content"]
    path = tmp_path / LOGS[4].name
    path.write_bytes(LOGS[4].read_bytes().replace(found, before + DEEP[deep] + after, 1))
    assert main([*command, str(path)]) in {0, 1}
    out, err = capfdbinary.readouterr()
    assert out
    assert b"Traceback" not in err

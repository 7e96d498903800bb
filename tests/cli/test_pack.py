"""`unpack` and `pack` write a new log that says the same, or nothing."""

from __future__ import annotations

import io
import json
import shutil
import signal
import sys
from pathlib import Path

import pytest

import build
import rows
from dshlog.files.create import NewFile
from logbuilder import Log

FIXTURES = Path(build.__file__).parent
V0 = FIXTURES / "v0/clean-raw/session.jsonl"
FRAMED = FIXTURES / "v0/clean/session.jsonl.zstd"
V4 = FIXTURES / "v4/clean/session.v4.jsonl.zstd"


def spoken(version=0):
    log = Log(version)
    log.turn()
    log.user("hi")
    log.step()
    log.assistant("one two three four five")
    log.end_step()
    log.end_turn()
    return log


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_bytes(rows.raw(spoken().batches()))
    return path


def test_there_and_back(say, packed, tmp_path):
    events, again = tmp_path / "events.jsonl", tmp_path / "again.jsonl"
    status, out, err = say("unpack", packed, "-o", events)
    assert (status, out, err) == (0, f"{events}: 1 packed row became 5 events\n", "")
    assert say("cat", events)[1] == say("cat", packed)[1]
    assert [json.loads(line)["seq"] for line in events.read_bytes().splitlines()[1:]] == list(range(15))
    status, out, err = say("pack", events, "-o", again)
    assert (status, out, err) == (0, f"{again}: 5 events became 1 packed row\n", "")
    assert again.read_bytes() == packed.read_bytes()


def test_the_result_is_never_in_the_place_of_something(say, packed, tmp_path):
    before = packed.read_bytes()
    for out in (packed, tmp_path):
        status, _, err = say("unpack", packed, "-o", out)
        assert status == 2
        assert "it is there already" in err
    assert packed.read_bytes() == before
    assert list(tmp_path.iterdir()) == [packed]


def test_nothing_to_do_is_a_copy(say, tmp_path):
    for command, log in (("unpack", V4), ("pack", V4), ("pack", V0)):
        out = tmp_path / f"{command}-{log.name}"
        status, told, _ = say(command, log, "-o", out)
        assert (status, told) == (0, f"{out}: nothing to {command}, copied as it is\n")
        assert out.read_bytes() == log.read_bytes()


def test_streams(say, tmp_path):
    out, back = tmp_path / "timed.jsonl.zstd", tmp_path / "back.jsonl.zstd"
    assert say("unpack", "--streams", V4, "-o", out)[1].endswith("streams unpacked\n")
    assert say("pack", "--streams", out, "-o", back)[1].endswith("streams packed\n")
    assert say("cat", back)[1] == say("cat", V4)[1]
    assert say("validate", "--deep", out)[0] == 0


@pytest.mark.parametrize("options", [[], ["--like-dsh"], ["--frame-rows", "2"]])
def test_another_container(say, tmp_path, options):
    text, frames = tmp_path / "a.jsonl", tmp_path / "a.jsonl.zstd"
    status, told, _ = say("pack", V4, "--encoding", "raw", "-o", text)
    assert (status, told) == (0, f"{text}: no row changed, written as raw\n")
    assert say("pack", text, "--encoding", "zstd", *options, "-o", frames)[0] == 0
    assert say("cat", "--raw", frames)[1] == say("cat", "--raw", V4)[1]
    facts = json.loads(say("show", "--json", frames)[1])
    assert (
        facts["frames"] == {"": 2, "--like-dsh": 2, "--frame-rows": 1 + -(-facts["records"] // 2)}["".join(options[:1])]
    )


def test_a_name_that_promises_another_container_is_refused(say, packed, tmp_path):
    status, _, err = say("unpack", FRAMED, "-o", tmp_path / "x.jsonl")
    assert status == 2
    assert "add --encoding raw" in err
    status, _, err = say("unpack", packed, "-o", tmp_path / "x.jsonl.zstd")
    assert status == 2
    assert "add --encoding zstd" in err
    assert say("unpack", FRAMED, "-o", tmp_path / "x")[0] == 0


@pytest.mark.parametrize(
    "words, told",
    [
        (["--like-dsh"], "need --encoding zstd"),
        (["--frame-rows", "2", "--encoding", "raw"], "need --encoding zstd"),
        (["--frame-rows", "2", "--like-dsh", "--encoding", "zstd"], "exclude each other"),
        (["--frame-rows", "0", "--encoding", "zstd"], "0"),
        (["--encoding", "gzip"], "gzip"),
    ],
)
def test_usage(say, packed, tmp_path, words, told):
    status, out, err = say("pack", packed, "-o", tmp_path / "x.jsonl.zstd", *words)
    assert (status, out) == (2, "")
    assert told in err
    assert say("pack", packed)[0] == 2
    status, _, err = say("pack", packed, "-o", "-")
    assert status == 2
    assert "name a file" in err


def test_rows_of_one_event_are_told_from_streams(say, packed, tmp_path):
    row = b'{"type":"text-chunks","seq0":0,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}}\n'
    packed.write_bytes(packed.read_bytes().splitlines(keepends=True)[0] + row)
    out = tmp_path / "x.jsonl"
    assert say("unpack", packed, "-o", out)[1] == f"{out}: 1 packed row became 1 event\n"


def test_what_cannot_be_read_of_a_torn_frame_is_told(say, tmp_path):
    data = FRAMED.read_bytes()
    for kept, cut, told in ((data, b"", None), (data + data[:20], data[:20], "20 bytes, 0 bytes of text")):
        log, out, same = (tmp_path / f"{len(kept)}-{name}" for name in ("a.jsonl.zstd", "b.jsonl", "c.jsonl.zstd"))
        log.write_bytes(kept)
        status, words, _ = say("pack", log, "--encoding", "raw", "-o", out)
        assert status == 0
        assert words.endswith(f"; of a torn frame of {told} could be read\n") if told else ";" not in words
        assert say("unpack", log, "-o", same)[0] == 0
        assert same.read_bytes().endswith(cut)


def test_a_log_whose_rows_are_refused_gives_no_result(say, packed, tmp_path):
    lines = packed.read_bytes().splitlines(keepends=True)
    packed.write_bytes(b"".join([*lines[:3], b"{]\n", *lines[3:]]))
    out = tmp_path / "x.jsonl"
    status, told, err = say("unpack", packed, "-o", out)
    assert status == 1
    assert told.startswith(f"{packed}:4: error L102 not-json")
    assert "nothing was written" in err
    assert list(tmp_path.iterdir()) == [packed]
    assert say("pack", packed, "-o", out)[0] == 0
    assert out.read_bytes() == packed.read_bytes()


def test_what_is_missing_or_no_log(say, tmp_path):
    assert say("unpack", tmp_path / "none", "-o", tmp_path / "x")[0] == 2
    (tmp_path / "a.jsonl").write_bytes(b"words\n")
    assert say("unpack", tmp_path / "a.jsonl", "-o", tmp_path / "x")[0] == 1
    assert say("unpack", FIXTURES / "v0", "-o", tmp_path / "x")[0] == 2


def test_a_result_that_says_something_else_is_not_published(say, packed, tmp_path, monkeypatch):
    from dshlog.report import repack

    real = repack.event_texts

    def without_the_last(row):
        for made in real(row):
            made.text = made.text[: made.text.rindex(b"\n", 0, -1) + 1]
            yield made

    monkeypatch.setattr(repack, "event_texts", without_the_last)
    out = tmp_path / "x.jsonl"
    status, _, err = say("unpack", packed, "-o", out)
    assert status == 2
    assert "would not say the same" in err
    assert not out.exists()
    assert say("unpack", "--no-verify", packed, "-o", out)[0] == 0
    assert out.exists()


@pytest.mark.parametrize("log", [V0, FRAMED], ids=["raw", "zstd"])
def test_standard_input(say, tmp_path, monkeypatch, log):
    class Stdin:
        buffer = io.BytesIO(log.read_bytes())

    monkeypatch.setattr(sys, "stdin", Stdin)
    out = tmp_path / "x"
    assert say("unpack", "-", "-o", out)[0] == 0
    assert say("cat", out)[1] == say("cat", log)[1]
    monkeypatch.setattr(sys, "stdin", None)
    assert say("unpack", "-", "-o", tmp_path / "y")[0] == 2


def test_a_session_directory_is_its_log(say, tmp_path):
    home = tmp_path / "home"
    shutil.copytree(FIXTURES / "v4/clean", home)
    assert say("unpack", "--streams", home, "-o", tmp_path / "x.jsonl.zstd")[0] == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_request_to_end_leaves_nothing_behind(say, packed, tmp_path, monkeypatch, name):
    number = getattr(signal, name)
    before = signal.getsignal(number)
    monkeypatch.setattr(NewFile, "seal", lambda _: signal.raise_signal(number))
    status, told, err = say("unpack", packed, "-o", tmp_path / "x.jsonl")
    assert (status, told, err) == (130, "", "")
    assert list(tmp_path.iterdir()) == [packed]
    assert signal.getsignal(number) is before


def test_a_signal_that_is_ignored_stays_ignored(say, packed, tmp_path, monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    real = NewFile.seal
    monkeypatch.setattr(NewFile, "seal", lambda new: (signal.raise_signal(signal.SIGHUP), real(new)))
    try:
        assert say("unpack", packed, "-o", tmp_path / "x.jsonl")[0] == 0
    finally:
        signal.signal(signal.SIGHUP, before)

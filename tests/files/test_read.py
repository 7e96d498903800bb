from __future__ import annotations

import errno
import io
import os
import pickle
import signal
import socket
import tempfile
from pathlib import Path

import pytest

from dshlog.files.read import SPOOL_IN_MEMORY, FileSource, SpooledSource, StdinSource, Unreadable, open_stdin
from dshlog.storage.source import WINDOW, BytesSource

ZSTD = b"\x28\xb5\x2f\xfd"
POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX files")


class Trickle(io.BytesIO):
    """A stream that hands out a few bytes at a time."""

    def __init__(self, data, step):
        super().__init__(data)
        self.step = step

    def read(self, count=-1):
        return super().read(min(self.step, count))


class Broken(io.RawIOBase):
    """A stream that hands out its pieces, wherever it is told to go, and then fails or has nothing yet."""

    def __init__(self, *pieces, error=None):
        self.pieces, self.error = list(pieces), error

    def seek(self, at, _whence=0):
        return at

    def read(self, _count=-1):
        if self.pieces:
            return self.pieces.pop(0)
        if self.error:
            raise self.error
        return None


@pytest.fixture
def log(tmp_path):
    """Write bytes into a file and give its path as text."""

    def write(data, name="session.v4.jsonl"):
        path = tmp_path / name
        path.write_bytes(data)
        return str(path)

    return write


def bytes_of(count):
    return bytes(index * 7 % 251 for index in range(count))


@pytest.mark.parametrize("size", [0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW + 5])
def test_a_file_is_read_as_the_same_bytes_in_memory_are(log, size):
    data = bytes_of(size)
    memory = BytesSource(data)
    with FileSource(log(data)) as source:
        assert source.size == size
        for start in (0, 1, size // 2, size, size + 1):
            assert b"".join(source.chunks(start)) == data[start:]
            for end in (0, start, start + 3, size, size + 10):
                assert b"".join(source.chunks(start, end)) == b"".join(memory.chunks(start, end))
            for count in (0, 1, 10, WINDOW + 1, 10 * WINDOW):
                assert source.read(start, count) == memory.read(start, count)


def test_no_chunk_is_larger_than_a_window(log):
    with FileSource(log(bytes_of(2 * WINDOW + 5))) as source:
        assert [len(chunk) for chunk in source.chunks()] == [WINDOW, WINDOW, 5]


def test_walks_and_reads_do_not_disturb_each_other(log):
    data = bytes_of(3 * WINDOW)
    with FileSource(log(data)) as source:
        seen, late = b"", b""
        for one, other in zip(source.chunks(0, 2 * WINDOW), source.chunks(WINDOW), strict=True):
            assert source.read(5, 3) == data[5:8]
            seen, late = seen + one, late + other
    assert seen == data[: 2 * WINDOW]
    assert late == data[WINDOW:]


def test_what_a_file_gains_later_is_not_read(log):
    path = log(b"abc\n")
    with FileSource(path) as source:
        with Path(path).open("ab") as file:
            file.write(b"more\n")
        assert source.size == 4
        assert b"".join(source.chunks()) == b"abc\n"
        assert b"".join(source.chunks(0, 100)) == b"abc\n"
        assert source.read(2, 100) == b"c\n"


def test_a_file_that_shrinks_ends_early(log):
    path = log(bytes_of(2 * WINDOW))
    with FileSource(path) as source:
        walk = source.chunks()
        next(walk)
        os.truncate(path, WINDOW + 3)
        assert [len(chunk) for chunk in walk] == [3]
        os.truncate(path, 10)
        assert source.read(8, 5) == bytes_of(10)[8:]
        assert source.read(20, 5) == b""
        assert source.size == 2 * WINDOW


def test_leaving_the_block_closes_the_file(log):
    with FileSource(log(b"x")) as source:
        pass
    source.close()
    with pytest.raises(ValueError, match="closed"):
        source.read(0, 1)


@POSIX
@pytest.mark.parametrize("name", ["a\nb.jsonl", "a\udcffb.jsonl", " ", "-", "数据😀.jsonl"])
def test_any_name_that_the_disk_holds_can_be_read(tmp_path, name):
    path = os.fsdecode(os.fsencode(str(tmp_path))) + "/" + name
    with open(os.fsencode(path), "wb") as file:  # noqa: PTH123 - the name may hold stray bytes
        file.write(b"x")
    with FileSource(path) as source:
        assert source.read(0, 9) == b"x"


def test_a_name_in_a_message_is_spelled_as_in_every_other():
    with pytest.raises(Unreadable) as caught:
        FileSource("bad\udcff")
    assert caught.value.message == "cannot read bad\\xff: no such file or directory"


def test_a_symbolic_link_is_followed(log, tmp_path):
    (tmp_path / "link").symlink_to(log(b"x"))
    with FileSource(str(tmp_path / "link")) as source:
        assert source.read(0, 9) == b"x"


def test_a_missing_file_is_named_with_its_reason(tmp_path):
    with pytest.raises(Unreadable) as caught:
        FileSource(str(tmp_path / "no"))
    assert caught.value.message == f"cannot read {tmp_path / 'no'}: no such file or directory"
    assert str(caught.value) == caught.value.message
    assert caught.value.why == "no such file or directory"
    assert caught.value.hints == ()


@pytest.mark.parametrize("name", ["a\nb", "a\udcffb", "a\0b", "\ud800", ""])
def test_an_odd_name_is_escaped_in_the_message(tmp_path, name):
    path = os.path.join(str(tmp_path), name) if name else ""  # noqa: PTH118 - no Path holds these
    with pytest.raises(Unreadable) as caught:
        FileSource(path)
    assert caught.value.message.isprintable()


@POSIX
def test_a_link_to_nothing_says_so(tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(Unreadable) as caught:
        FileSource(str(tmp_path / "link"))
    assert caught.value.hints == ("the symbolic link points to nothing",)


@POSIX
def test_a_link_to_itself_is_unreadable(tmp_path):
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(Unreadable, match="symbolic links"):
        FileSource(str(tmp_path / "link"))


def test_a_directory_is_unreadable(tmp_path):
    with pytest.raises(Unreadable, match="it is a directory") as caught:
        FileSource(str(tmp_path))
    assert caught.value.hints == ("name a log inside it",)


@POSIX
def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unreadable, match="it is a pipe") as caught:
        FileSource(str(tmp_path / "pipe"))
    assert "standard input" in caught.value.hints[0]


@POSIX
def test_a_socket_is_unreadable():
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as short,  # the name of a socket must be short
        socket.socket(socket.AF_UNIX) as server,
    ):
        server.bind(f"{short}/s")
        with pytest.raises(Unreadable, match="it is a socket"):
            FileSource(f"{short}/s")


def test_a_device_is_unreadable():
    with pytest.raises(Unreadable, match="it is "):
        FileSource(os.devnull)


@POSIX
def test_a_forbidden_file_is_unreadable_with_a_hint(log):
    path = log(b"x")
    Path(path).chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read everything")
    with pytest.raises(Unreadable, match="permission denied") as caught:
        FileSource(path)
    assert caught.value.hints


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), OSError("Input/output error")])
def test_a_disk_that_fails_while_reading_makes_the_file_unreadable(error):
    source = SpooledSource(Broken(b"good", error=error), 10, "a.jsonl")
    walk = source.chunks()
    assert next(walk) == b"good"
    with pytest.raises(Unreadable) as caught:
        next(walk)
    assert caught.value.message == "cannot read a.jsonl: input/output error"
    with pytest.raises(Unreadable):
        source.read(0, 1)


def test_an_unreadable_survives_the_way_to_another_process():
    fault = pickle.loads(pickle.dumps(Unreadable("cannot", ("do",), why="because")))  # noqa: S301
    assert (fault.message, fault.hints, fault.why) == ("cannot", ("do",), "because")
    assert Unreadable("cannot").why == "cannot"


@pytest.mark.parametrize("head", [b"", b"{", b"{}\n", b"{\n}\n", ZSTD[:3], b"\x2a\x4d\x18\x50", b"\x60\x2a\x4d\x18"])
@pytest.mark.parametrize("step", [1, 3, WINDOW + 1])
def test_raw_standard_input_passes_by_once_and_loses_nothing(head, step):
    data = head + (bytes_of(WINDOW + 7) if len(head) > 3 else b"")
    with open_stdin(Trickle(data, step)) as source:
        assert source.size is None
        assert b"".join(source.chunks()) == data
        with pytest.raises(ValueError, match="only once"):
            next(source.chunks())
        with pytest.raises(ValueError, match="only once"):
            source.read(0, 1)


@pytest.mark.parametrize("end", [0, 1, 4, 5, 100, WINDOW + 2])
def test_raw_standard_input_can_be_read_up_to_an_end(end):
    data = bytes_of(WINDOW + 50)
    assert b"".join(open_stdin(io.BytesIO(data)).chunks(0, end)) == data[:end]


def test_nothing_is_taken_from_standard_input_behind_the_end():
    stream = io.BytesIO(b"0123456789")
    assert list(StdinSource(stream, b"ab").chunks(0, 2)) == [b"ab"]
    assert stream.tell() == 0


def test_raw_standard_input_starts_at_its_first_byte():
    with pytest.raises(ValueError, match="from byte 0"):
        next(open_stdin(io.BytesIO(b"abcdef")).chunks(1))


def test_a_look_ahead_takes_nothing_away():
    source = open_stdin(Trickle(b"abcdefgh", 1))
    assert source.read(0, 2) == b"ab"
    assert source.read(4, 3) == b"efg"
    assert source.read(7, 9) == b"h"
    assert source.read(9, 9) == b""
    assert b"".join(source.chunks()) == b"abcdefgh"


@pytest.mark.parametrize("magic", [ZSTD, b"\x50\x2a\x4d\x18", b"\x5f\x2a\x4d\x18"])
@pytest.mark.parametrize("more", [0, 10, SPOOL_IN_MEMORY + 10])
def test_zstd_standard_input_is_kept_and_can_be_read_again(magic, more):
    data = magic + bytes(more) + b"end"
    with open_stdin(io.BytesIO(data)) as source:
        assert source.size == len(data)
        assert b"".join(source.chunks()) == data
        assert source.read(len(data) - 3, 9) == b"end"
        assert b"".join(source.chunks(2, 9)) == data[2:9]


def test_zstd_standard_input_may_come_byte_by_byte():
    with open_stdin(Trickle(ZSTD + b"abc", 1)) as source:
        assert source.size == 7
        assert source.read(0, 9) == ZSTD + b"abc"


@pytest.mark.parametrize("head", [b"", b"text", ZSTD])
def test_a_standard_input_that_fails_is_unreadable(head):
    pieces = [head] if head else []
    error = OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    with pytest.raises(Unreadable, match="cannot read standard input: is a directory"):
        list(open_stdin(Broken(*pieces, error=error)).chunks())


@pytest.mark.parametrize("head", [b"", b"text", ZSTD])
def test_a_standard_input_that_has_nothing_yet_has_not_ended(head):
    pieces = [head] if head else []
    with pytest.raises(Unreadable, match="nothing to read yet"):
        list(open_stdin(Broken(*pieces)).chunks())


def test_a_process_without_standard_input_is_told():
    with pytest.raises(Unreadable, match="standard input: it is closed"):
        open_stdin(None)


@POSIX
def test_no_room_to_keep_standard_input_is_told():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(Unreadable, match="cannot keep standard input") as caught:
            open_stdin(io.BytesIO(ZSTD + bytes(SPOOL_IN_MEMORY + WINDOW)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert "TMPDIR" in caught.value.hints[0]


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="no files without a size here")
def test_a_file_without_a_size_is_not_taken_for_an_empty_one():
    with pytest.raises(Unreadable, match="has content but no size") as refused:
        FileSource("/proc/version")
    assert "standard input" in refused.value.hints[0]


def test_an_empty_file_is_empty(tmp_path):
    path = tmp_path / "empty"
    path.write_bytes(b"")
    with FileSource(str(path)) as source:
        assert (source.size, list(source.chunks())) == (0, [])

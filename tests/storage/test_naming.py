from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dshlog.storage.naming import (
    MAX_SAFE,
    LogName,
    decode_segment,
    is_project_dir,
    live,
    log_name,
    parse_log_name,
    project_key,
    session_segment,
    shown_name,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # half surrogate pairs too
SMALL_TEXT = st.text("aA0~.-_/\\:F é😀\ud800\udc00\n", max_size=12)
NAMES = st.text("~0123456789ABCDEFabcdefxyz.-_", max_size=16)
ENCODINGS = st.sampled_from(["raw", "zstd"])


def whole(text):
    """Join what a Python text may hold apart: two halves of one surrogate pair."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(
    ("cwd", "directory"),
    [
        ("/home/u/proj", "--home-u-proj--"),
        ("/", "--root--"),
        ("//", "--root--"),
        ("/---", "--root--"),
        (None, "_no-cwd"),
        ("/home/u/My Project~x", "--home-u-My~0020Project~007Ex--"),
        ("/a//b///c", "--a-b-c--"),
        ("/a-b/c", "--a-b-c--"),
        ("/a/-b-", "--a--b---"),
        ("/-a", "--a--"),
        ("/a/b/", "--a-b---"),
        ("/C:/x\\y", "--C-x-y--"),
        ("/.hidden", "--.hidden--"),
        ("/home/u/数据", "--home-u-~6570~636E--"),
        ("/😀", "--~D83D~DE00--"),
        ("/" + 400 * "x", "--" + 251 * "x" + "--"),
        ("/\ud800", "--~D800--"),
        ("/a\nb", "--a~000Ab--"),
    ],
)
def test_project_key_names_the_directory_of_a_working_directory(cwd, directory):
    assert project_key(cwd) == directory
    assert is_project_dir(directory)


def test_an_empty_cwd_has_no_project_key():
    with pytest.raises(ValueError, match="empty cwd"):
        project_key("")


@pytest.mark.parametrize("kept", range(1, 5))
def test_the_cut_of_a_project_key_may_fall_inside_an_escape(kept):
    directory = project_key("/" + (251 - kept) * "x" + "é")
    assert directory == "--" + (251 - kept) * "x" + "~00E9"[:kept] + "--"
    assert is_project_dir(directory)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "-",
        "--",
        "---",
        "----",
        "-----",
        "--a",
        "a--",
        "-a-",
        "sessions",
        "_no-cwd2",
        "no-cwd",
        "_NO-CWD",
        "--a b--",
        "--~--",
        "--~00--",
        "--~002F--",
        "--~0041--",
        "--~00e9--",
        "--é--",
        "---a--",
        "--a\n--",
        "--a--\n",
        "--" + 252 * "x" + "--",
        "--" + 250 * "x" + "!--",
        "--" + 248 * "x" + "~0g--",
        "--" + 250 * "x" + "~--x",
    ],
)
def test_a_name_that_no_working_directory_gives_is_no_project_directory(name):
    assert not is_project_dir(name)


@given(ANY_TEXT.filter(bool) | SMALL_TEXT.filter(bool), st.integers(0, 255))
def test_every_project_key_is_a_short_ascii_project_directory(cwd, padding):
    directory = project_key("/" + padding * "p" + cwd)
    assert is_project_dir(directory)
    assert directory.isascii()
    assert len(directory) <= 255
    assert not set(directory) & set("/\\:")


@given(NAMES)
@example("-root")
@example("~0021")
@example("~0041")
@example("~005C")
@example("~00e9")
def test_a_short_project_directory_holds_plain_characters_and_needful_escapes(inner):
    parts = re.fullmatch(r"(?!-)(?:[A-Za-z0-9._-]|~[0-9A-F]{4})+", inner)
    escaped = {chr(int(digits, 16)) for digits in re.findall("~(.{4})", inner)} if parts else set()
    needless = escaped & set("/\\:._-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    assert is_project_dir(f"--{inner}--") == bool(parts and not needless)


@pytest.mark.parametrize(
    ("id_", "segment"),
    [
        ("s1", "s1"),
        ("a/b", "a~002Fb"),
        ("../../etc", "..~002F..~002Fetc"),
        (".", "~002E"),
        ("..", "~002E~002E"),
        ("...", "..."),
        ("~", "~007E"),
        ("s 1", "s~00201"),
        ("a%b+c", "a~0025b~002Bc"),
        ("s\0x", "s~0000x"),
        ("é", "~00E9"),
        ("😀", "~D83D~DE00"),
        ("\ud800", "~D800"),
        ("\udc00\ud800", "~DC00~D800"),
        ("-", "-"),
        ("_no-cwd", "_no-cwd"),
    ],
)
def test_a_session_id_and_its_segment_stand_for_each_other(id_, segment):
    assert session_segment(id_) == segment
    assert decode_segment(segment) == id_


def test_an_empty_id_has_no_segment():
    with pytest.raises(ValueError, match="empty session id"):
        session_segment("")


@pytest.mark.parametrize(
    "segment",
    [
        "",
        ".",
        "..",
        "~",
        "a~",
        "~2F",
        "~002f",
        "a~002fb",
        "~0041",
        "~002E.",
        "é",
        "a b",
        "a/b",
        "~ 02F",
        "~0_2F",
        "~+02F",
        "~00\uff12F",
        "~GGGG",
        "\udcff",
        "s1\n",
        "~-001",
        "~007e",
    ],
)
def test_a_segment_that_dsh_would_spell_otherwise_stands_for_no_id(segment):
    assert decode_segment(segment) is None


@given((ANY_TEXT | SMALL_TEXT).filter(bool))
@example("\ud83d\ude00")
def test_decoding_a_segment_gives_back_the_id(id_):
    segment = session_segment(id_)
    assert decode_segment(segment) == whole(id_)
    assert re.fullmatch(r"(?:[A-Za-z0-9._-]|~[0-9A-F]{4})+", segment)
    assert segment not in {".", ".."}


@given(SMALL_TEXT.filter(bool), SMALL_TEXT.filter(bool))
def test_no_two_ids_share_a_segment(one, other):
    assert (session_segment(one) == session_segment(other)) == (whole(one) == whole(other))


@given(NAMES)
def test_a_segment_that_decodes_is_the_segment_of_its_id(segment):
    id_ = decode_segment(segment)
    assert id_ is None or session_segment(id_) == segment


@pytest.mark.parametrize(
    ("name", "generation", "encoding"),
    [
        ("session.jsonl", 0, "raw"),
        ("session.jsonl.zstd", 0, "zstd"),
        ("session.v1.jsonl", 1, "raw"),
        ("session.v4.jsonl.zstd", 4, "zstd"),
        ("session.v10.jsonl", 10, "raw"),
        ("session.v9007199254740991.jsonl", MAX_SAFE, "raw"),
    ],
)
def test_a_canonical_name_says_generation_and_encoding(name, generation, encoding):
    assert parse_log_name(name) == LogName(generation=generation, encoding=encoding)
    assert log_name(generation, encoding) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "session",
        "session.jsonl.zst",
        "session.v4.jsonl.zst",
        "session.v0.jsonl",
        "session.v04.jsonl",
        "Session.v4.jsonl",
        "session.V4.jsonl",
        "session.v4.JSONL",
        "session.v.jsonl",
        "session.v-1.jsonl",
        "session.v+1.jsonl",
        "session.v1_0.jsonl",
        "session.v 1.jsonl",
        "session.v1 .jsonl",
        "session.v\u0664.jsonl",
        "session.v\xb2.jsonl",
        "session.v4.jsonl\n",
        "\nsession.jsonl",
        "session.v4\n.jsonl",
        "session.v4.jsonl.zstd.zstd",
        "session.v9007199254740992.jsonl",
        f"session.v{'9' * 5000}.jsonl",
        "session.4.jsonl",
        "sessions.jsonl",
        "session.lock",
        "session.v4.jsonl.zstd.0123456789ab.tmp",
        "session.migration.0123456789abcdef.jsonl.zstd.tmp",
        "session.migration.0123456789abcdef.jsonl",
        ".jsonl",
        ".zstd",
        "session..jsonl",
        "session.v4",
    ],
)
def test_any_other_name_is_no_log(name):
    assert parse_log_name(name) is None


@given(st.integers(0, MAX_SAFE), ENCODINGS)
def test_a_log_name_reads_back(version, encoding):
    assert parse_log_name(log_name(version, encoding)) == LogName(generation=version, encoding=encoding)


@given(st.from_regex(r"session(\.v[0-9]{0,18})?\.jsonl(\.zstd)?\n?", fullmatch=True))
def test_a_name_is_canonical_just_when_the_regular_expression_of_dsh_admits_it(name):
    match = re.fullmatch(r"session(?:\.v([1-9][0-9]*))?\.jsonl(?:\.zstd)?", name)
    admitted = match is not None and int(match[1] or 0) <= MAX_SAFE
    assert (parse_log_name(name) is not None) == admitted


@pytest.mark.parametrize("version", [-1, MAX_SAFE + 1])
def test_a_version_that_is_no_count_has_no_log_name(version):
    with pytest.raises(ValueError, match="no log is named after"):
        log_name(version, "raw")


@pytest.mark.parametrize(
    ("names", "winner"),
    [
        ([], None),
        (["session.lock", "session.v04.jsonl", "session.v4.jsonl.zst"], None),
        (["session.jsonl"], "session.jsonl"),
        (["session.v3.jsonl", "session.v4.jsonl", "session.jsonl"], "session.v4.jsonl"),
        (["session.v10.jsonl", "session.v9.jsonl"], "session.v10.jsonl"),
        (["session.jsonl.zstd", "session.v3.jsonl.zstd", "session.lock"], "session.v3.jsonl.zstd"),
        (["session.v4.jsonl", "session.v3.jsonl.zstd"], "session.v4.jsonl"),
        (["session.v4.jsonl.zstd", "session.v4.jsonl"], "session.v4.jsonl.zstd"),
        (["session.v4.jsonl", "session.v4.jsonl.zstd"], "session.v4.jsonl.zstd"),
    ],
)
def test_the_numerically_highest_generation_is_live(names, winner):
    assert live(names) == winner
    assert live(iter(names)) == winner


def test_a_named_encoding_leaves_the_other_out():
    names = ["session.v4.jsonl", "session.jsonl.zstd", "session.v3.jsonl.zstd"]
    assert live(names, "zstd") == "session.v3.jsonl.zstd"
    assert live(names, "raw") == "session.v4.jsonl"
    assert live(["session.jsonl"], "zstd") is None


def test_bytes_that_are_no_utf_8_are_spelled_as_bytes():
    assert shown_name("bad\udcff\udc80 数据\n") == "bad\\xff\\x80 数据\n"
    assert shown_name("\udc7f\ud800\udd00") == "\udc7f\ud800\udd00", "these stand for no byte"

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from dshlog.files.find import MIXED, Found, default_root, find_logs, home
from dshlog.storage.naming import LogName

POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX files")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Lay out files (a name that ends in / is a directory) and stand above them."""
    monkeypatch.chdir(tmp_path)

    def lay(*names):
        for name in names:
            where = Path(name)
            where.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith("/"):
                where.mkdir(exist_ok=True)
            else:
                where.write_bytes(b"")
        return tmp_path

    return lay


def paths(path, *, all_generations=False):
    return [found.path for found in find_logs(path, all_generations=all_generations)]


def test_a_file_stands_for_itself_whatever_its_name(tree):
    tree("notes.txt", "s/session.jsonl", "s/session.v4.jsonl")
    assert list(find_logs("notes.txt")) == [Found(path="notes.txt")]
    assert list(find_logs("s/session.jsonl")) == [Found(path="s/session.jsonl")]


def test_a_session_directory_means_its_highest_generation(tree):
    tree("s/session.jsonl", "s/session.v10.jsonl", "s/session.v9.jsonl", "s/session.lock", "s/session.v011.jsonl")
    assert list(find_logs("s")) == [Found(path="s/session.v10.jsonl", older=("s/session.jsonl", "s/session.v9.jsonl"))]


def test_all_generations_of_a_session_come_oldest_first(tree):
    tree("s/session.jsonl.zstd", "s/session.v10.jsonl.zstd", "s/session.v9.jsonl.zstd")
    assert list(find_logs("s", all_generations=True)) == [
        Found(path="s/session.jsonl.zstd"),
        Found(path="s/session.v9.jsonl.zstd"),
        Found(path="s/session.v10.jsonl.zstd"),
    ]


def test_a_session_with_both_encodings_gives_the_highest_of_each(tree):
    tree("s/session.jsonl", "s/session.v4.jsonl", "s/session.v3.jsonl.zstd", "s/session.jsonl.zstd")
    assert list(find_logs("s")) == [
        Found(path="s/session.v4.jsonl", older=("s/session.jsonl",), note=MIXED),
        Found(path="s/session.v3.jsonl.zstd", older=("s/session.jsonl.zstd",), note=MIXED),
    ]
    assert [(found.path, found.note) for found in find_logs("s", all_generations=True)] == [
        ("s/session.jsonl", MIXED),
        ("s/session.jsonl.zstd", MIXED),
        ("s/session.v3.jsonl.zstd", MIXED),
        ("s/session.v4.jsonl", MIXED),
    ]


def test_paths_start_as_they_were_typed(tree, monkeypatch):
    root = tree("s/session.jsonl")
    assert paths("./s") == ["./s/session.jsonl"]
    assert paths("s/") == ["s/session.jsonl"]
    assert paths(str(root / "s")) == [str(root / "s" / "session.jsonl")]
    monkeypatch.chdir("s")
    assert paths(".") == ["./session.jsonl"]
    assert paths("session.jsonl") == ["session.jsonl"]


def test_a_root_is_walked_in_the_order_of_names(tree):
    tree(
        "r/--b--/s2/session.jsonl",
        "r/--b--/s10/session.jsonl",
        "r/--a--/z/session.v4.jsonl",
        "r/_no-cwd/s/session.jsonl",
    )
    assert paths("r") == [
        "r/--a--/z/session.v4.jsonl",
        "r/--b--/s10/session.jsonl",
        "r/--b--/s2/session.jsonl",
        "r/_no-cwd/s/session.jsonl",
    ]
    assert paths("r/--b--") == ["r/--b--/s10/session.jsonl", "r/--b--/s2/session.jsonl"]
    assert paths(".") == ["./" + path for path in paths("r")]


def test_a_log_is_canonical_by_the_names_around_it(tree, monkeypatch):
    tree(
        "r/--b--/s/session.jsonl", "r/_no-cwd/~0041/session.v4.jsonl.zstd", "r/x/s/session.jsonl", "--b--/session.jsonl"
    )
    tree("--c--/s/copy.jsonl", "--c--/s/deep/session.jsonl")
    canonical = {found.path: found.canonical for found in find_logs(".")}
    assert canonical == {
        "./--b--/session.jsonl": False,
        "./--c--/s/copy.jsonl": False,
        "./--c--/s/deep/session.jsonl": False,
        "./r/--b--/s/session.jsonl": True,
        "./r/_no-cwd/~0041/session.v4.jsonl.zstd": True,
        "./r/x/s/session.jsonl": False,
    }
    monkeypatch.chdir("r/--b--/s")
    for path in (".", "session.jsonl", "../s", "../s/session.jsonl"):
        assert [found.canonical for found in find_logs(path)] == [True]


def test_home_names_the_root_the_project_and_the_session(tree):
    root = tree("r/--b--/s/")
    place = home("r/--b--/s/session.v3.jsonl.zstd")
    assert place is not None
    assert (place.root, place.project, place.segment) == (str(root / "r"), "--b--", "s")
    assert place.name == LogName(generation=3, encoding="zstd")


@pytest.mark.parametrize("path", ["session.jsonl", "/session.jsonl", "/--b--/session.jsonl", "/--b--/s/x.jsonl", ""])
def test_a_free_file_has_no_home(tree, path):
    tree()
    assert home(path) is None


def test_free_files_are_found_where_no_session_is(tree):
    tree("d/b.jsonl", "d/a.jsonl.zstd", "d/c.jsonl.zst", "d/.jsonl", "d/e/session.v04.jsonl")
    tree("d/x.json", "d/session.lock", "d/session.v4.jsonl.zstd.0123456789ab.tmp", "d/x.JSONL", "d/x.jsonl.gz")
    assert list(find_logs("d")) == [
        Found(path="d/.jsonl"),
        Found(path="d/a.jsonl.zstd"),
        Found(path="d/b.jsonl"),
        Found(path="d/c.jsonl.zst"),
        Found(path="d/e/session.v04.jsonl"),
    ]


def test_free_files_beside_a_canonical_log_are_left_alone(tree):
    tree(
        "s/session.v4.jsonl", "s/copy.jsonl", "s/session.v5.jsonl.zst", "s/session.migration.0123456789abcdef.jsonl.tmp"
    )
    assert list(find_logs("s")) == [Found(path="s/session.v4.jsonl")]


def test_a_stray_log_in_a_root_hides_no_session(tree):
    tree("r/session.jsonl", "r/--b--/flat.jsonl", "r/--b--/s/session.v4.jsonl")
    assert paths("r") == ["r/session.jsonl", "r/--b--/flat.jsonl", "r/--b--/s/session.v4.jsonl"]


def test_a_directory_without_logs_gives_nothing(tree):
    tree("d/e/f/", "d/readme.md")
    assert paths("d") == []


def test_a_directory_named_as_the_highest_generation_is_selected_like_a_file(tree):
    tree("--b--/s/session.v3.jsonl", "--b--/s/session.v4.jsonl/session.jsonl")
    expected = Found(
        path="--b--/s/session.v4.jsonl",
        kind="directory",
        canonical=True,
        older=("--b--/s/session.v3.jsonl",),
        note="it is a directory",
        hints=("name a log inside it",),
    )
    assert list(find_logs("--b--/s")) == [expected]
    above = replace(expected, path="./--b--/s/session.v4.jsonl", older=("./--b--/s/session.v3.jsonl",))
    assert list(find_logs(".")) == [above]
    assert [found.kind for found in find_logs("--b--/s", all_generations=True)] == ["log", "directory"]


@pytest.mark.parametrize("name", ["session.v4.jsonl", "session.v4.jsonl/", "copy.jsonl", "copy.jsonl.zst"])
def test_a_directory_named_like_a_log_is_one_thing_found_and_not_walked(tree, name):
    tree(f"d/{name.rstrip('/')}/inner/session.jsonl")
    assert [(found.path, found.kind) for found in find_logs(f"d/{name}")] == [(f"d/{name}", "directory")]
    assert [(found.path, found.kind) for found in find_logs("d")] == [(f"d/{name.rstrip('/')}", "directory")]


def test_a_missing_path_is_found_unreadable(tree):
    tree()
    found = list(find_logs("nope"))
    assert found == [Found(path="nope", kind="unreadable", note="no such file or directory")]
    assert [found.kind for found in find_logs("")] == ["unreadable"]


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "x" * 5000])
def test_a_path_that_the_system_cannot_hold_is_found_unreadable(tree, path):
    tree()
    assert [(found.path, found.kind) for found in find_logs(path)] == [(path, "unreadable")]


@POSIX
@pytest.mark.parametrize("odd", ["a\nb", "a\udcffb", " ", "数据😀", "*"])
def test_odd_names_are_walked_as_they_are(tmp_path, odd):
    top = os.fsencode(str(tmp_path)) + b"/" + os.fsencode(odd)
    os.makedirs(top + b"/" + os.fsencode(odd))  # noqa: PTH103 - the name may hold stray bytes
    for name in (b"/session.jsonl", b"/" + os.fsencode(odd) + b"/" + os.fsencode(odd) + b".jsonl"):
        with open(top + name, "wb"):  # noqa: PTH123 - as above
            pass
    typed = f"{tmp_path}/{odd}"
    assert list(find_logs(typed)) == [
        Found(path=f"{typed}/session.jsonl"),
        Found(path=f"{typed}/{odd}/{odd}.jsonl"),
    ]


@POSIX
def test_linked_directories_are_not_followed_but_the_path_itself_is(tree):
    tree("real/s/session.jsonl", "top/")
    Path("top/link").symlink_to("../real")
    Path("top/loop").symlink_to(".")
    Path("top/up").symlink_to("..")
    assert paths("top") == []
    assert paths("top/link") == ["top/link/s/session.jsonl"]
    assert paths("top/loop/link/") == ["top/loop/link/s/session.jsonl"]


@POSIX
def test_a_linked_log_is_followed(tree):
    tree("real/x", "s/", "d/")
    Path("s/session.v4.jsonl").symlink_to("../real/x")
    Path("d/free.jsonl").symlink_to("../real/x")
    assert list(find_logs("s")) == [Found(path="s/session.v4.jsonl")]
    assert list(find_logs("d")) == [Found(path="d/free.jsonl")]
    assert list(find_logs("s/session.v4.jsonl")) == [Found(path="s/session.v4.jsonl")]


@POSIX
def test_links_that_lead_nowhere_or_round_are_found_unreadable(tree):
    tree("s/session.jsonl", "d/e/session.jsonl")
    Path("s/session.v4.jsonl").symlink_to("nowhere")
    Path("d/gone.jsonl").symlink_to("nowhere")
    Path("d/round.jsonl").symlink_to("round.jsonl")
    Path("d/other").symlink_to("other")
    assert list(find_logs("s")) == [
        Found(
            path="s/session.v4.jsonl",
            kind="unreadable",
            older=("s/session.jsonl",),
            note="no such file or directory",
            hints=("the symbolic link points to nothing",),
        )
    ]
    assert [(found.path, found.kind) for found in find_logs("d")] == [
        ("d/gone.jsonl", "unreadable"),
        ("d/round.jsonl", "unreadable"),
        ("d/e/session.jsonl", "log"),
    ]
    assert [found.kind for found in find_logs("d/other")] == ["unreadable"]


@POSIX
def test_pipes_are_found_unreadable_under_a_canonical_name_only(tree):
    tree("s/", "d/", "real/")
    os.mkfifo("s/session.jsonl")
    os.mkfifo("d/free.jsonl")
    Path("d/link.jsonl").symlink_to("../real")
    assert [(found.path, found.kind, found.note) for found in find_logs("s")] == [
        ("s/session.jsonl", "unreadable", "it is a pipe")
    ]
    assert paths("d") == []
    assert [found.kind for found in find_logs("d/free.jsonl")] == ["unreadable"]


@POSIX
def test_a_forbidden_directory_is_one_thing_found_and_ends_no_walk(tree):
    tree("r/a/session.jsonl", "r/b/session.jsonl", "r/c/session.jsonl")
    Path("r/b").chmod(0)
    Path("r/c").chmod(0o400)
    try:
        if os.access("r/b", os.R_OK):
            pytest.skip("root may read everything")
        found = list(find_logs("r"))
        direct = list(find_logs("r/b"))
    finally:
        Path("r/b").chmod(0o700)
        Path("r/c").chmod(0o700)
    assert [(one.path, one.kind) for one in found] == [
        ("r/a/session.jsonl", "log"),
        ("r/b", "unreadable"),
        ("r/c/session.jsonl", "unreadable"),
    ]
    assert found[1].note == "permission denied"
    assert [(one.path, one.kind) for one in direct] == [("r/b", "unreadable")]


def test_a_directory_that_vanishes_during_the_walk_is_found_unreadable(tree):
    tree("r/a/session.jsonl", "r/b/", "r/c/session.jsonl")
    walk = find_logs("r")
    assert next(walk).path == "r/a/session.jsonl"
    Path("r/b").rmdir()
    assert [(found.path, found.kind) for found in walk] == [("r/b", "unreadable"), ("r/c/session.jsonl", "log")]


@POSIX
def test_a_very_deep_tree_is_walked_to_the_depth_that_the_system_allows(tree):
    tree("top/session.jsonl")
    here = os.getcwd()  # noqa: PTH109 - as typed
    os.chdir("top")
    try:
        for _ in range(30):
            Path("d" * 200).mkdir()
            os.chdir("d" * 200)
        Path("session.jsonl").write_bytes(b"")
    finally:
        os.chdir(here)
    found = list(find_logs("top"))
    assert found[0] == Found(path="top/session.jsonl")
    assert [one.kind for one in found[1:]] == ["unreadable"]


@POSIX
def test_a_process_whose_directory_is_gone_still_gets_an_answer(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert [found.kind for found in find_logs("session.jsonl")] == ["unreadable"]
    assert home("session.jsonl") is None


@pytest.mark.parametrize("blank", [None, "", " ", "\t \n"])
def test_the_default_root_lies_in_the_home_directory(monkeypatch, tmp_path, blank):
    at_home(monkeypatch, tmp_path)
    if blank is None:
        monkeypatch.delenv("DSH_HOME", raising=False)
    else:
        monkeypatch.setenv("DSH_HOME", blank)
    assert default_root() == str(tmp_path / ".dsh" / "sessions")


def test_dsh_home_moves_the_default_root(monkeypatch, tmp_path):
    at_home(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    for value, place in {
        str(tmp_path / "x"): tmp_path / "x",
        "~": tmp_path,
        "~/": tmp_path,
        "~/x/": tmp_path / "x",
        "~//x": tmp_path / "x",
        "~\\x": tmp_path / "x",
        "x/../y": tmp_path / "y",
        "~x": tmp_path / "~x",
        "x~": tmp_path / "x~",
    }.items():
        monkeypatch.setenv("DSH_HOME", value)
        assert default_root() == str(place / "sessions")


def at_home(monkeypatch, place):
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("USERPROFILE", str(place))

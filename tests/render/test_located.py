from __future__ import annotations

import os

import pytest

from dshlog.render.located import Located

pytestmark = pytest.mark.skipif(os.sep != "/", reason="the paths are those of POSIX")


@pytest.mark.parametrize(
    "path, name",
    [
        ("a/b", "a/b"),
        ("./a//b", "a/b"),
        ("/work/here/a", "a"),
        ("../a", "/work/a"),
        ("/elsewhere/a", "/elsewhere/a"),
        ("/work/hereafter/a", "/work/hereafter/a"),
        ("-", "-"),
        (".", "."),
        ("..", "/work"),
    ],
)
def test_a_path_is_relative_to_the_working_directory_that_holds_it(path, name):
    assert Located("/work/here")(path) == name


def test_the_checkout_comes_before_the_working_directory():
    named = Located("/work/here", ["/work", "/nowhere"])
    assert named("a") == "here/a"
    assert named("../b") == "b"
    assert named("/x") == "/x"


def test_the_root_directory_holds_everything():
    assert Located("/")("a/b") == "a/b"

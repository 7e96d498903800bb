from __future__ import annotations

import shutil
import subprocess

import pytest

from dshlog.render.words import (
    count,
    cut,
    folded,
    listed,
    listed_paths,
    path_name,
    preview,
    shell_word,
    value_word,
    visible,
)


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b2J", "\\x9b2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202etxt", "\\u202etxt"),
        ("\u2028", "\\u2028"),
        ("half \ud83d", "half \\ud83d"),
        ("👩‍👩‍👧 漢字", "👩‍👩‍👧 漢字"),
    ],
)
def test_no_text_of_a_log_reaches_the_terminal_raw(text, shown):
    assert visible(text) == shown


def test_a_stray_byte_of_a_path_is_shown_as_the_byte_it_was():
    assert path_name("a\udcff\nb\ud800") == "a\\xff\\nb\\ud800"


@pytest.mark.parametrize("path", ["plain/a.jsonl", "a b", "it's", "-x", "a\nb'c\\d\x1b", "$HOME", "é", "é\n", ""])
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_shell_reads_back_the_very_path(path):
    word = shell_word(path)
    told = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout  # noqa: S607
    assert told.decode() == ("./-x" if path == "-x" else path)
    assert visible(word) == word


def test_a_shell_word_keeps_bytes_that_are_no_utf_8():
    assert shell_word("a\udcff") == "$'a\\xff'"


def test_a_preview_is_one_line_and_ends_with_an_ellipsis_where_it_is_cut():
    assert preview("  a\n\n\tb\u2028c ") == "a b c"
    assert preview("x" * 100, 10) == "x" * 9 + "…"
    assert preview("\n" * 9000 + "late") == "late"
    assert cut("ab", 2) == "ab"


def test_long_lists_say_how_many_there_are():
    assert listed((4, 6, 9)) == "4, 6, 9"
    assert listed(range(310)).endswith("10, 11 … (first 12 of 310)")


def test_values_are_shown_short_and_as_the_log_spells_them():
    assert [value_word(value) for value in (None, 1.0, 2, "x\n", "")] == ["-", "1", "2", "x\\n", '""']


def test_one_is_singular():
    assert [count(number, "node") for number in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]


def test_a_list_of_paths_keeps_them_whole():
    assert listed_paths(["a\nb", "c" * 200]) == "a\\nb, " + "c" * 200
    assert listed_paths([str(n) for n in range(13)]).endswith("11 … (first 12 of 13)")


@pytest.mark.parametrize(
    "line, width, rows",
    [
        ("one two three", None, ["one two three"]),
        ("one two three", 13, ["one two three"]),
        ("one two three", 9, ["one two", "    three"]),
        ("  hint one two three", 14, ["  hint one two", "       three"]),
        ("  at  seq 1, byte 2", 13, ["  at  seq 1,", "      byte 2"]),
        ("a `b c d e f` g", 6, ["a", "    `b c d e f`", "    g"]),
        ("\x1b[31mone\x1b[0m two", 7, ["\x1b[31mone\x1b[0m two"]),
        ("\x1b[31mone\x1b[0m two", 6, ["\x1b[31mone\x1b[0m", "    two"]),
        ("x" * 9, 4, ["x" * 9]),
        ("next: dshlog repair x", 9, ["next: dshlog repair x"]),
        ("  or: dshlog repair x   (one two)", 9, ["  or: dshlog repair x", "    (one", "        two)"]),
    ],
)
def test_a_long_line_is_folded_at_words(line, width, rows):
    assert list(folded(line, width)) == rows


def test_lists_and_objects_are_shown_as_json_at_any_depth():
    deep = []
    for _ in range(5000):
        deep = [deep]
    assert value_word({"a": [1, None]}) == '{"a":[1,null]}'
    assert value_word(deep).startswith("[[[[")

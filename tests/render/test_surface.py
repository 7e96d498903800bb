from __future__ import annotations

import time

import pytest
from rich.cells import cell_len

from dshlog.model.surface import inside
from dshlog.render.card import card_lines
from dshlog.render.look import Look
from dshlog.render.surface import surface_lines

FAMILY = "👩‍👩‍👧"
WIDE = f"漢字🇩🇪{FAMILY} e\u0301 "


def test_what_a_narrow_terminal_cannot_hold_of_the_first_line_stands_below_it(build):
    view = build.view(build.row(0), path="/home/漢字/sessions/--home-u-demo--/s1/session.v4.jsonl.zstd")
    whole = f"{view.path}: v4, at the end, 1 node, 0 replacements"
    assert next(surface_lines(view, build.clean(), Look(width=cell_len(whole)))) == whole
    head, *more = list(surface_lines(view, build.clean(), Look(width=cell_len(whole) - 1)))[:2]
    assert [head, *more] == [f"{view.path}:", "  v4, at the end, 1 node, 0 replacements"]
    lines = list(surface_lines(view, build.clean(), Look(width=30)))[:3]
    assert lines == [f"{view.path}:", "  v4, at the end, 1 node, 0", "    replacements"]


def test_the_plain_table_is_the_same_for_every_reader(build):
    view = build.view(
        build.row(0, role="system", turn=None, step=None, source=None, text="You are\n an agent", chars=17),
        build.row(1, text=""),
        build.row(2, role="assistant", source="plugin", replaced=tuple(range(4, 314)), turn=2, step=None, chars=12345),
        build.row(3, role=None, text="\x1b[31mred"),
    )
    assert list(surface_lines(view, build.clean())) == [
        "s/session.v4.jsonl.zstd: v4, at the end, 4 nodes, 1 replacement",
        "pos  seq  role       turn  chars  source  preview",
        "  0    0  system     -        17  -       You are an agent",
        "  1    4  user       1/1       5  user    (no text)",
        "  2    8  assistant  2     12345  plugin  hello",
        "     replaces 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 … (first 12 of 310)",
        "  3   12  -          1/1       5  user    \\x1b[31mred",
    ]


def test_the_head_says_after_which_seq(build):
    assert next(surface_lines(build.view(build.row(), at=7), build.clean())) == (
        "s/session.v4.jsonl.zstd: v4, after seq 7, 1 node, 0 replacements"
    )


@pytest.mark.parametrize(
    ("state", "stop", "at", "words"),
    [
        ("open", None, None, "at the end, 1 node"),
        ("refused", 31, None, "refused: this is the prefix before the damage at line 31, 1 node"),
        ("refused", None, None, "at the end, refused for S304 at line 31, 1 node"),
        ("refused", None, 7, "after seq 7, refused for S304 at line 31, 1 node"),
        ("torn", 31, None, "torn: this is the prefix before the torn tail at line 31, 1 node"),
    ],
)
def test_the_head_says_how_far_a_damaged_log_goes(build, state, stop, at, words):
    report = build.refused(state=state, stop=stop)
    head = next(surface_lines(build.view(build.row(), at=at), report))
    assert head == f"s/session.v4.jsonl.zstd: v4, {words}, 0 replacements"


@pytest.mark.parametrize("state", ["newer", "not-a-log"])
def test_the_head_of_what_cannot_be_read_says_so(build, state):
    report = build.refused(state=state, events=0)
    head = next(surface_lines(build.view(version=None, at=None), report))
    assert (
        head == f"s/session.v4.jsonl.zstd: {state} for S304 at line 31, no event can be read, 0 nodes, 0 replacements"
    )


def test_an_empty_surface_says_so(build):
    assert list(surface_lines(build.view(version=None, path="a\nb"), build.clean())) == [
        "a\\nb: at the end, 0 nodes, 0 replacements",
        "the surface is empty",
    ]


def test_previews_end_after_eighty_code_points_outside_a_terminal(build):
    (*_, last) = surface_lines(build.view(build.row(text="x" * 500)), build.clean())
    assert last.endswith("user    " + "x" * 79 + "…")


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("unit", ["word ", "漢字", WIDE, FAMILY, "🇩🇪", "e\u0301", "\x1b[1m"])
def test_no_line_of_the_table_is_wider_than_the_terminal(build, width, unit):
    rows = [
        build.row(
            n, role="assistant", source="a-rather-long-plugin-source", text=unit * 300, replaced=tuple(range(400, 430))
        )
        for n in range(3)
    ]
    _head, *table = surface_lines(build.view(*rows), build.clean(), Look(width=width, colour=False))
    assert max(cell_len(line) for line in table) <= width
    for line in table:
        if line.endswith("…") and "  assistant  " in line:
            assert cell_len(line) >= width - 4
            cut = line.removesuffix("…")
            assert not cut.endswith("\u200d")
            assert sum(line.count(letter) for letter in "🇩🇪") % 2 == 0


def test_columns_that_matter_least_go_first(build):
    view = build.view(build.row(text="word " * 50))
    heads = {
        width: next(
            line for line in surface_lines(view, build.clean(), Look(width=width)) if line.startswith("pos")
        ).split()
        for width in (45, 55, 80)
    }
    assert heads == {
        45: ["pos", "seq", "role", "chars", "preview"],
        55: ["pos", "seq", "role", "turn", "chars", "preview"],
        80: ["pos", "seq", "role", "turn", "chars", "source", "preview"],
    }


def test_wide_signs_keep_the_columns_straight(build):
    view = build.view(build.row(0, source="漢字"), build.row(1, source="user"))
    lines = list(surface_lines(view, build.clean(), Look(width=80)))[1:]
    assert {
        cell_len(line[: line.index(word)]) for line, word in zip(lines, ("preview", "hello", "hello"), strict=True)
    } == {cell_len(lines[0][: lines[0].index("preview")])}


def test_roles_have_colours_and_the_padding_has_none(build):
    lines = list(
        surface_lines(build.view(build.row(0), build.row(1, role="assistant")), build.clean(), Look(colour=True))
    )
    assert "  0    0  \x1b[36muser\x1b[0m       1/1" in lines[2]
    assert "\x1b[32massistant\x1b[0m" in lines[3]


def test_full_prints_whole_texts_and_nothing_raw(build):
    view = build.view(build.row(text="one\r\n\ttwo\x1b[2J\n\nthree " + "x" * 200))
    assert list(surface_lines(view, build.clean(), full=True))[3:] == [
        "     one",
        "     \ttwo\\x1b[2J",
        "",
        "     three " + "x" * 200,
    ]


def test_a_card_is_facts_then_the_last_messages_then_what_to_run_next(build):
    view = build.view(
        *(build.row(n, text=f"message {n}") for n in range(5)), times=(1_700_000_000_000, 1_700_000_061_000)
    )
    assert list(card_lines(build.refused(inherited=3, parent="session-0"), view)) == [
        "s/session.v4.jsonl.zstd",
        "  state     refused",
        "  session   session-1",
        "  cwd       /work",
        "  parent    session-0, forked after its seq 2",
        "  first     2023-11-14 22:13:20 UTC",
        "  last      2023-11-14 22:14:21 UTC, 1:01 min later",
        "  format    v4 zstd, 12886 bytes, 5 frames, 27 records",
        "  holds     53 events, 7 nodes on the surface after 1 replacement, 3 inherited",
        "  torn      dsh cuts 885 bytes at file byte 12001 and writes 2 events of them again",
        "  open      turn 1, step 1, call call_7",
        "  readers   dsh 0.2.1 refuses it at S304",
        "  findings  1 error",
        "  error     S304 replace-omits-shadowed, line 31: event 29 shadows 4, 6, 9 but cites 4, 9",
        "last 3 messages of 5:",
        "pos  seq  role  turn  chars  source  preview",
        "  2    8  user  1/1       5  user    message 2",
        "  3   12  user  1/1       5  user    message 3",
        "  4   16  user  1/1       5  user    message 4",
        "next: dshlog validate s/session.v4.jsonl.zstd",
    ]


def test_a_card_says_that_it_tells_of_a_prefix_only(build):
    view = build.view(build.row())
    lines = list(card_lines(build.refused(stop=5, records=11, events=3), view))
    assert lines[2] == (
        "  read      only the prefix before the damage at line 5 (3 of 11 records can be read); "
        "times, events, what is open and messages are of it"
    )
    behind = list(card_lines(build.refused(stop=5, records=3, events=3), view))
    assert behind[2].startswith("  read      only the prefix before the damage at line 5; times, ")
    torn = list(card_lines(build.refused(state="torn", stop=5, records=4, events=3), view))
    assert torn[2].startswith(
        "  read      only the prefix before the torn tail at line 5 (3 of 4 records can be read); "
    )
    for whole in (build.refused(), build.refused(state="torn", stop=5, records=3, events=3)):
        assert not any(line.startswith("  read ") for line in card_lines(whole, view))


def test_a_card_has_the_title_and_the_goal_of_the_session(build):
    view = build.view(title="Count\nto three " + "x" * 200, goal="ship it")
    lines = list(card_lines(build.clean(), view))
    assert lines[3].startswith("  title     Count to three xxx")
    assert (len(lines[3]), lines[3][-1]) == (92, "\N{HORIZONTAL ELLIPSIS}")
    assert lines[4] == "  goal      ship it"
    assert len(list(card_lines(build.clean(), view, Look(width=60)))[3]) == 60


def test_a_card_tells_local_time_beside_utc(build, monkeypatch):
    monkeypatch.setenv("TZ", "XST-5:45")
    time.tzset()
    try:
        lines = list(card_lines(build.clean(), build.view(times=(1_700_000_000_000, "never"))))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "  first     2023-11-14 22:13:20 UTC (2023-11-15 03:58:20 +0545)" in lines
    assert "  last      never" in lines


def test_replacements_inside_replacements_stand_below_each_other(build):
    hidden = {20: (10, 11), 10: (4, 5), 5: (1, 2)}
    row = build.row(seq=20, replaced=(10, 11), inside=inside(hidden[20], hidden))
    assert list(surface_lines(build.view(row), build.clean()))[3:] == [
        "     replaces 10, 11",
        "       10 had replaced 4, 5",
        "         5 had replaced 1, 2",
    ]


def test_of_many_replacements_inside_another_the_first_are_shown(build):
    hidden = {number: (number - 100,) for number in range(100, 140)}
    row = build.row(seq=200, replaced=tuple(hidden), inside=inside(hidden, hidden))
    *_, last = surface_lines(build.view(row), build.clean())
    assert last == "       and 28 replacements more inside; --json lists all"


def test_the_card_of_a_clean_log_points_to_its_surface(build):
    verdict = build.reader(but=("T900",))
    lines = list(card_lines(build.clean(native=verdict, latest=verdict), build.view(build.row())))
    assert lines[-1] == "next: dshlog show --surface s/session.v4.jsonl.zstd"
    assert "  warning   opens, but: T900 (dsh 0.2.1)" in lines


def test_the_card_of_standard_input_names_no_command(build):
    assert not any("next:" in line for line in card_lines(build.refused(path="-"), build.view()))

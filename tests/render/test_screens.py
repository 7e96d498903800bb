"""Screens of every view as they are kept in `screens`, at four widths and in a pipe.

`DSHLOG_SCREENS=write python -m pytest tests/render/test_screens.py` writes them anew; look at the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

import rows
from dshlog.model.session import SessionDepth, SessionRow
from dshlog.render.card import card_lines
from dshlog.render.comparison import comparison_lines
from dshlog.render.events import event_lines
from dshlog.render.explain import list_lines
from dshlog.render.frames import frame_lines
from dshlog.render.look import Look
from dshlog.render.request import difference_lines, request_lines
from dshlog.render.sessions import Listed, session_lines
from dshlog.render.stats import stats_lines, tool_lines, type_lines
from dshlog.render.stats import turn_lines as turn_figures
from dshlog.render.stream import stream_lines
from dshlog.render.surface import node_lines
from dshlog.render.text import report_lines
from dshlog.render.transcript import transcript_lines
from dshlog.render.turns import turn_lines
from dshlog.render.why import why_lines
from dshlog.render.words import folded
from dshlog.report.compare import Given, Wanted, compare
from dshlog.report.decode import read_log
from dshlog.report.difference import difference
from dshlog.report.events import event_rows
from dshlog.report.frames import Framed
from dshlog.report.request import requests
from dshlog.report.sessions import tree
from dshlog.report.stats import log_stats
from dshlog.report.stream import stream_view
from dshlog.report.surface import surface_view
from dshlog.report.transcript import transcript
from dshlog.report.turns import turns
from dshlog.report.why import why
from dshlog.rules.register import BY_CODE
from dshlog.storage.source import BytesSource
from logbuilder import Log

SCREENS = Path(__file__).with_name("screens")
FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
WIDTHS = (60, 80, 120, 200, None)


def talk():
    """Give a log in which people write Chinese and emoji, a result is pruned and history compacted."""
    log = Log(4)
    log.turn()
    log.step()
    log.system("You are a careful agent. 请用中文回答。")
    log.user("请把配置文件读一遍、然后告诉我哪里写错了 🚀 谢谢" + "、越详细越好" * 12)
    log.request(tools=["bash", "read"])
    log.assistant("好的、我先看看目录里有什么 👀", ("call_1", "bash", '{"command":"ls -la /工作/目录"}'))
    log.call("call_1")
    answer = log.result("call_1", "総計 3\n-rw-r--r-- 設定.toml\n-rw-r--r-- README.md\n" + FAMILY * 60)
    log.end_step()
    log.step()
    log.assistant("Two files are there: 設定.toml and README.md \x1b[31m(red)")
    log.end_step()
    log.end_turn()
    log.turn()
    log.rewrite(answer, "(pruned: 180 characters)")
    users = [seq for seq in log.nodes if log.events[seq]["type"] == "user/message"]
    log.compact(users[0], log.nodes[-1], "我们看了目录。")
    log.step()
    log.user("继续")
    log.request("series", tools=["bash", "读文件", "write"])
    log.assistant("", ("call_2", "read", '{"path":"設定.toml"}'))
    log.call("call_2")
    log.end_step()
    log.end_turn("aborted")
    return log


LOG = talk()
DATA = rows.zstd(LOG.batches())
FIGURES = log_stats(BytesSource(rows.raw(LOG.batches())), "log.jsonl")[0]  # sizes of raw text depend on no compressor
ANSWER = next(event["seq"] for event in LOG.events if event["type"] == "assistant/message")
SOURCE = BytesSource(DATA)
ASKED, REPORT = requests(SOURCE, "log", [(1, 2), (2, 1)])


def decoded(**options):
    return read_log(SOURCE, "log", **options)


def look_at(width):
    return Look(width=width)


def branch():
    """Give the same log as it went on elsewhere: other words, a turn less at the end, an event more in the middle."""
    log = Log(4)
    log.turn()
    log.step()
    log.system("You are a careful agent. 请用中文回答。")
    log.event("plan/mode", {"active": True})
    log.user("请把配置文件读一遍、然后告诉我哪里写错了 🚀 谢谢" + "、越详细越好" * 11 + "、越短越好")
    log.request(tools=["bash", "read", "读文件"])
    log.assistant("好的、我先看看目录里有什么 👀", ("call_1", "bash", '{"command":"ls -la /工作/目录"}'))
    log.call("call_1")
    log.result("call_1", "総計 3\n-rw-r--r-- 設定.toml\n-rw-r--r-- README.md\n" + FAMILY * 59)
    log.end_step()
    log.end_turn("aborted")
    return BytesSource(rows.zstd(log.batches()))


def compared(**wanted):
    return compare(Given(SOURCE, "/工作/目录/session.v4.jsonl.zstd"), Given(branch(), "b"), Wanted(**wanted))


SURFACE, SOUND = surface_view(SOURCE, "log")
PLACES = ("/工作/目录", "/home/u/a project with a rather long name/and 🚀", None)
SESSIONS = [
    SessionRow(
        f"s/{name}",
        id=name,
        project=project,
        created=1_700_000_000_000,
        version=4,
        size=12345,
        parent=parent,
        kind=kind,
    )
    for name, project, parent, kind in zip(
        ("session-一二三", "e70d9596-d64c-4fb7-83da-40f0b9a7ad69", "fork"),
        PLACES,
        (None, "session-一二三", "gone"),
        ("session", "subagent", "fork"),
        strict=True,
    )
]
TITLED = SessionDepth("open", 20, 2, "把配置文件读一遍 🚀 " + FAMILY * 9, None, "aborted", 1_700_000_001_000)
LISTS = {
    False: [Listed(row, TITLED, row.parent != "gone") for row in SESSIONS],
    True: [Listed(one.row, TITLED, not one.orphan, one.depth) for one in tree(SESSIONS)],
}


VIEWS = {
    "card": lambda look: card_lines(SOUND, SURFACE, look),
    "validate": lambda look: (piece for line in report_lines(SOUND, look) for piece in folded(line, look.width)),
    "ls": lambda look: session_lines((one._replace(deep=None) for one in LISTS[False]), look),
    "ls-deep": lambda look: session_lines(LISTS[False], look, deep=True),
    "ls-tree": lambda look: session_lines(LISTS[True], look, deep=True),
    "surface": lambda look: node_lines(surface_view(SOURCE, "log")[0].rows, look),
    "events": lambda look: event_lines(event_rows(decoded()), look),
    "turns": lambda look: turn_lines(turns(decoded()), look, full=True),
    "transcript": lambda look: transcript_lines(transcript(decoded(keep=True)), look),
    "transcript-full": lambda look: transcript_lines(transcript(decoded(keep=True), full=True), look, full=True),
    "request": lambda look: request_lines(REPORT, ASKED.found[2, 1], look),
    "request-full": lambda look: request_lines(REPORT, ASKED.found[2, 1], look, full=True),
    "difference": lambda look: difference_lines(REPORT, difference(ASKED, *ASKED.found.values()), look),
    "difference-full": lambda look: difference_lines(REPORT, difference(ASKED, *ASKED.found.values()), look, full=True),
    "compare": lambda look: comparison_lines(compared(), look),
    "compare-full": lambda look: comparison_lines(compared(), look, full=True),
    "compare-surface": lambda look: comparison_lines(compared(surface=True), look),
    "why": lambda look: why_lines(*why(SOURCE, "log", 7), look),
    "stream": lambda look: stream_lines(stream_view(SOURCE, "log", ANSWER)[0], look),
    "stats": lambda look: stats_lines(FIGURES, look),
    "stats-type": lambda look: type_lines(FIGURES, look),
    "stats-tool": lambda look: tool_lines(FIGURES, look),
    "stats-turn": lambda look: turn_figures(FIGURES, look),
    "explain-list": lambda look: list_lines([BY_CODE["D105"], BY_CODE["K101"], BY_CODE["S304"]], look),
    "frames": lambda look: frame_lines(Framed(SOURCE, "log.zstd").rows(types=True), look, full=True),
}
EXACT = {"frames"}  # the sizes are those of one compressor, so other ones are not compared


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", VIEWS)
def test_screen_is_as_it_was(name, width):
    screen = "\n".join(line for line in VIEWS[name](look_at(width))) + "\n"
    path = SCREENS / f"{name}-{width or 'piped'}.txt"
    if os.environ.get("DSHLOG_SCREENS") == "write":
        path.write_text(screen, encoding="utf-8")
    if name not in EXACT:
        assert screen == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [width for width in WIDTHS if width])
@pytest.mark.parametrize("name", [name for name in VIEWS if not name.endswith("-full")])
def test_no_line_is_wider_than_the_terminal(name, width):
    assert max(cell_len(line) for line in VIEWS[name](look_at(width))) <= width


@pytest.mark.parametrize("name", VIEWS)
def test_nothing_raw_is_printed(name):
    for line in VIEWS[name](look_at(None)):
        assert "\x1b" not in line


@pytest.mark.parametrize("name", VIEWS)
def test_colours_change_no_letter(name):
    """NO_COLOR and a pipe give the same words in the same places as colours do."""
    painted = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in VIEWS[name](Look(colour=True, width=80))]
    assert painted == list(VIEWS[name](look_at(80)))

"""The surface of one log as a person reads it, at its end or after any event."""

from __future__ import annotations

import pytest

import rows
from dshlog.report.examine import examine
from dshlog.report.surface import message_text, surface_view
from dshlog.storage.source import BytesSource
from logbuilder import Log, image, nodes_of, text, worked

EVERY = [0, 1, 2, 3, 4]


def compacted(version):
    """Give a log whose surface has been compacted."""
    log = worked(version)
    log.end_turn()
    log.turn()
    users = [seq for seq in log.nodes if log.events[seq]["type"] == "user/message"]
    log.compact(users[0], log.nodes[-1], "so far")
    log.step()
    log.user("two")
    log.assistant("", ("c2", "bash", "{}"))
    return log


def viewed(data, at=None, **options):
    return surface_view(BytesSource(data), "log", at=at, **options)


def view_of(log, at=None, form=rows.raw):
    return viewed(form(log.batches()), at)[0]


@pytest.mark.parametrize("form", [rows.raw, rows.zstd])
@pytest.mark.parametrize("version", EVERY)
def test_the_view_shows_the_surface_at_the_end(version, form):
    log = compacted(version)
    view, report = viewed(form(log.batches()))
    assert (view.path, view.version, view.at) == ("log", version, None)
    assert list(view.nodes) == [row.seq for row in view.rows] == log.nodes
    assert [row.position for row in view.rows] == list(range(len(log.nodes)))
    assert [row.type for row in view.rows] == [log.events[seq]["type"] for seq in log.nodes]
    assert report == examine(BytesSource(form(log.batches())), "log")


@pytest.mark.parametrize("form", [rows.raw, rows.zstd])
@pytest.mark.parametrize("version", EVERY)
def test_the_view_after_any_event_is_the_surface_of_the_events_up_to_it(version, form):
    log = compacted(version)
    data = form(log.batches())
    whole = viewed(data)[1]
    packed = {seq for row in rows.packed(log.events) for seq in range(*_span(row)) if "seq0" in row}
    for at in range(len(log.events)):
        view, report = viewed(data, at)
        assert view.at == at
        if at not in packed:
            assert list(view.nodes) == nodes_of(log.events[: at + 1])
        assert report == whole


def _span(row):
    count = len(row["data"].get("texts") or row["data"].get("args") or ()) if "seq0" in row else 1
    first = row.get("seq0", row.get("seq"))
    return first, first + count


@pytest.mark.parametrize("version", EVERY)
def test_before_the_first_event_the_surface_is_empty(version):
    view, report = viewed(rows.raw(compacted(version).batches()), -1)
    assert (view.at, view.nodes, view.rows) == (-1, (), ())
    assert report.events == len(compacted(version).events)


@pytest.mark.parametrize("version", EVERY)
def test_an_event_behind_the_log_gives_the_end(version):
    log = compacted(version)
    view = view_of(log, 10**6)
    assert (view.at, list(view.nodes)) == (10**6, log.nodes)


@pytest.mark.parametrize("version", EVERY)
def test_a_row_tells_what_it_took_the_place_of(version):
    log = compacted(version)
    view = view_of(log)
    (change,) = view.replacements
    took = {row.seq: row.replaced for row in view.rows if row.replaced}
    assert took == {change.seq: change.shadowed}
    assert len(change.shadowed) == 4


@pytest.mark.parametrize("version", EVERY)
def test_a_row_tells_role_source_and_place(version):
    log = compacted(version)
    rows_by_seq = {row.seq: row for row in view_of(log, log.events[-1]["seq"]).rows}
    user = next(row for row in rows_by_seq.values() if row.text == "two")
    assert (user.role, user.source, user.turn, user.step) == ("user", "user", 2, 1)
    before = view_of(log, 20 if version < 2 else 9).rows
    assistant = next(row for row in before if row.type == "assistant/message")
    assert (assistant.role, assistant.source, assistant.turn, assistant.step) == ("assistant", "model", 1, 1)


def test_a_user_message_outside_a_turn_has_no_place():
    log = Log(4)
    log.event("session/title", {"title": "x"})
    log.user("hi")
    (row,) = view_of(log).rows
    assert (row.turn, row.step) == (None, None)


@pytest.mark.parametrize("version", EVERY)
def test_a_row_counts_the_code_points_of_all_text(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user("naïve 😀", image("a"), "x")
    log.assistant("", ("c1", "bash", "{}"))
    log.call("c1")
    log.result("c1", "four")
    by_type = {row.type: row for row in view_of(log).rows}
    assert (by_type["user/message"].text, by_type["user/message"].chars) == ("naïve 😀\nx", 8)
    assert (by_type["tool/result"].text, by_type["tool/result"].chars) == ("four", 4)


@pytest.mark.parametrize("version", EVERY)
def test_a_message_without_text_shows_what_it_holds_and_counts_nothing(version):
    log = Log(version)
    log.turn()
    log.step()
    log.user(image("a"), image("b"))
    log.assistant("", ("c1", "bash", '{"command":"ls"}'), ("c2", "read", "{}"))
    user, answer = view_of(log).rows
    assert (user.text, user.chars) == ("[image] [image]", 0)
    assert (answer.text, answer.chars) == ('bash({"command":"ls"}) read({})', 0)


def test_a_node_that_derives_nothing_has_no_role():
    log = Log(4)
    log.turn()
    log.step()
    message = {"id": "m", "role": "system", "content": [], "source": {"kind": "system-prompt"}}
    log.event("system/message", {**log.here, "message": message}, surfaceOp="append")
    log.user("hi")
    empty, user = view_of(log).rows
    assert (empty.type, empty.role, empty.source, empty.chars, empty.text) == ("system/message", None, None, 0, "")
    assert (empty.turn, empty.step) == (1, 1)
    assert user.role == "user"


def test_an_offloaded_image_is_still_there():
    log = Log(4)
    log.turn()
    log.step()
    seq = log.user("look", image("a"))
    log.event("image/offload", {"targets": [{"seq": seq, "imageIndexes": [0]}]})
    (row,) = view_of(log).rows
    assert (row.text, row.replaced) == ("look", ())


@pytest.mark.parametrize("data", [b"", b"xx\n", rows.line({"type": "session", "version": 9})])
@pytest.mark.parametrize("at", [None, 0, -1])
def test_a_file_without_a_known_header_has_no_surface(data, at):
    view, report = viewed(data, at)
    assert (view.version, view.nodes, view.rows, view.replacements) == (None, (), (), ())
    assert report.events == 0


def test_the_view_stops_at_the_first_bad_record():
    log = compacted(4)
    lines = rows.raw(log.batches()).splitlines(keepends=True)
    data = b"".join([*lines[:6], b"xx\n", *lines[6:]])
    for at in (None, 3, 4, 100):
        view, report = viewed(data, at)
        assert list(view.nodes) == nodes_of(log.events[: 5 if at is None else min(at + 1, 5)])
        assert report == examine(BytesSource(data), "log")


def test_all_text_of_a_message_follows_in_order():
    reasoning = {"type": "reasoning", "text": "why"}
    wrapper = {"type": "tool-result", "content": [text("in"), {"type": "tool-result", "content": [text("deeper")]}]}
    other = {"type": "custom", "content": [text("not this")]}
    call = {"type": "tool-call", "name": "bash", "arguments": "ls"}
    content = [text("a"), reasoning, call, image("x"), wrapper, other, None, 7, {"text": 5}, text("")]
    assert message_text({"content": content}) == "a\nwhy\nin\ndeeper\n"


@pytest.mark.parametrize("message", [None, 1, "x", [], {}, {"content": None}, {"content": "x"}, {"content": []}])
def test_a_message_without_blocks_has_no_text(message):
    assert message_text(message) == ""


@pytest.mark.parametrize(
    "message",
    [
        {"id": "m", "role": 7, "content": [], "source": 7},
        {"id": "m", "role": "user", "content": "x", "source": {"kind": 7}},
        {"id": "m", "role": None, "content": [None, 7, {"type": "tool-call"}], "source": None},
    ],
)
def test_a_message_of_any_form_is_shown(message):
    log = Log(4)
    log.turn()
    log.step()
    log.event("user/message", message, surfaceOp="append")
    view = view_of(log)
    assert [row.type for row in view.rows] in (["user/message"], [])


@pytest.mark.parametrize("form", [rows.raw, rows.zstd])
@pytest.mark.parametrize("version", EVERY)
def test_the_view_at_the_end_has_the_last_title_and_the_goal(version, form):
    def title(words):
        log.event("session/title", {"title": words, "messageSeqs": [], "source": {"kind": "user"}})

    log = compacted(version)
    assert (view_of(log, form=form).title, view_of(log, form=form).goal) == (None, None)
    title("first")
    log.event("goal/change", {"kind": "goal/change", "version": 1, "operation": "create", "goal": {"objective": "win"}})
    title("second")
    log.user('a person who writes "session/title" gives none')
    view = view_of(log, form=form)
    assert (view.title, view.goal) == ("second", "win")
    lines = rows.raw(log.batches()).splitlines(keepends=True)
    broken = b"".join([*lines[:-2], b"{}\n", *lines[-2:], *[b'{"type":"turn/end","seq":99}\n']])
    assert viewed(broken)[0].title == "first"

"""The surface is folded from the log: appends, replacements by position, projections; a breach is told and skipped."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog.fold.surface import SurfaceFolder, _outside, derive_messages, fold_surface
from dshlog.model.surface import Replacement, SurfaceError
from logbuilder import Log, image, nodes_of, text

EVERY = [0, 1, 2, 3, 4]
WITH_SYSTEM = [3, 4]
MAX_SAFE = 2**53 - 1


def begun(version, *users):
    """Begin a log with an open step and these user messages."""
    log = Log(version)
    log.turn()
    log.step()
    for words in users:
        log.user(words)
    return log


def replace(log, start, end, sources=None, **members):
    """Add a user message that takes the place of a span, citing the nodes it shadows or what is given."""
    nodes = log.nodes
    shadowed = nodes[nodes.index(start) : nodes.index(end) + 1] if sources is None else sources
    return log.user("short", sourceEventSeqs=shadowed, surfaceOp=log.span(start, end), **members)


def kind_of(log, **options):
    """Give the kind of the first breach, which stands in the last event; None for a sound log."""
    try:
        fold_surface(log.events, version=log.version, **options)
    except SurfaceError as error:
        return error.kind if error.seq == log.events[-1]["seq"] else f"{error.kind} at {error.seq}"
    return None


def folder_of(log, **options):
    """Fold event by event; give the folder and (seq, fault names) of every event that was not taken."""
    folder, breaches = SurfaceFolder(log.version, **options), []
    for event in log.events:
        faults = folder.push(event)
        if faults:
            breaches.append((event["seq"], [fault.name for fault in faults]))
    return folder, breaches


def compacted(version):
    """Give a log with several turns, a rewritten result and a compaction."""
    log = begun(version)
    log.system("be brief")
    log.user("one")
    log.request("initial", ["bash"])
    log.assistant("", ("c1", "bash", "{}"))
    log.call("c1")
    result = log.result("c1", "long " * 10)
    log.assistant("done")
    log.end_step()
    log.end_turn()
    log.turn()
    log.rewrite(result, "short")
    users = [seq for seq in log.nodes if log.events[seq]["type"] == "user/message"]
    log.compact(users[0], log.nodes[-1], "so far")
    log.user("two")
    return log


@pytest.mark.parametrize("version", EVERY)
def test_an_empty_log_has_an_empty_surface(version):
    surface = fold_surface([], version=version)
    assert (surface.nodes, surface.replacements, surface.append_origin) == ((), (), ())
    assert derive_messages([], version=version) == []


@pytest.mark.parametrize("version", EVERY)
def test_a_log_with_everything_folds_as_its_builder_says(version):
    log = compacted(version)
    surface = fold_surface(iter(log.events), version=version)
    assert list(surface.nodes) == log.nodes == nodes_of(log.events)
    appended = [event["seq"] for event in log.events if event.get("surfaceOp") == "append"]
    assert list(surface.append_origin) == appended
    assert [change.seq for change in surface.replacements] == [
        event["seq"] for event in log.events if isinstance(event.get("surfaceOp"), dict)
    ]
    assert surface.replace_generation == len(surface.replacements) == 2


@pytest.mark.parametrize("version", EVERY)
def test_a_folder_that_keeps_nothing_folds_the_same(version):
    log = compacted(version)
    kept, lean = SurfaceFolder(version, keep=True), SurfaceFolder(version)
    for event in log.events:
        assert kept.push(event) == lean.push(event) == []
        assert list(kept) == list(lean)
        assert kept.message_count() == lean.message_count() == len(list(kept.derived()))
        assert len(kept) == len(list(kept))
    assert (lean.surface().nodes, lean.surface().replacements) == (kept.surface().nodes, ())
    assert lean.replaced == kept.replaced == 2
    with pytest.raises(ValueError, match="no messages"):
        next(lean.derived())


@pytest.mark.parametrize("version", EVERY)
def test_seqs_are_dense(version):
    log = begun(version, "a")
    folder = SurfaceFolder(version)
    assert folder.push({**log.events[0], "seq": 1})[0].name == "seq-gap"
    assert folder.push({**log.events[0], "seq": 0.0}) == []
    for seq in (0, 2, None, "1", True, -0.0):
        assert folder.push({**log.events[1], "seq": seq})[0].name == "seq-gap"
    assert folder.push({"type": "turn/start"})[0].name == "seq-gap"
    assert folder.push(log.events[1]) == []


@pytest.mark.parametrize("version", EVERY)
def test_an_event_without_a_text_as_type_is_told_and_keeps_its_position(version):
    folder = SurfaceFolder(version)
    for seq, kind in enumerate((None, 5, ["user/message"])):
        assert folder.push({"type": kind, "seq": seq, "surfaceOp": "append"})[0].name == "type-not-text"
    assert (folder.next_seq, len(folder)) == (3, 0)


@pytest.mark.parametrize("version", EVERY)
def test_a_log_only_event_leaves_the_surface_alone(version):
    log = begun(version, "a")
    log.event("session/title", {"title": "x"})
    log.event("foo/bar", None, ignorable=True)
    assert fold_surface(log.events, version=version).nodes == (2,)


@pytest.mark.parametrize("version", EVERY)
def test_an_opaque_event_with_a_marker_is_a_breach_before_v3_only(version):
    log = begun(version)
    log.event("foo/bar", 1, ignorable=True, surfaceOp="append", sourceEventSeqs="odd")
    assert kind_of(log) == ("marker-on-log-only" if version < 3 else None)
    required = begun(version)
    required.event("foo/bar", 1, surfaceOp="append")
    assert kind_of(required) == "marker-on-log-only"


@pytest.mark.parametrize("version", EVERY)
def test_an_opaque_event_never_joins_the_surface_nor_serves_as_an_end(version):
    if version not in WITH_SYSTEM:
        return
    log = begun(version, "a")
    opaque = log.event("foo/bar", 1, ignorable=True, surfaceOp="append")
    replace(log, opaque, opaque, [opaque])
    assert kind_of(log) == "replace-start-missing"


@pytest.mark.parametrize("version", EVERY)
def test_a_known_type_gets_nothing_from_the_marker(version):
    log = begun(version, "a")
    log.event("session/title", {}, ignorable=True, surfaceOp="append")
    assert kind_of(log) == "marker-on-log-only"
    log = begun(version)
    log.user("a", ignorable=True)
    assert kind_of(log) == "marker-missing"
    log = begun(version)
    seq = log.user("a", ignorable=True, surfaceOp="append")
    assert fold_surface(log.events, version=version).nodes == (seq,)


@pytest.mark.parametrize("version", EVERY)
def test_there_is_no_implicit_append(version):
    log = begun(version)
    log.user("a", sourceEventSeqs=[0])
    assert kind_of(log) == "marker-missing"


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("listed", [None, "x", {}, 1, [0, None], ["0"], [-1], [0.5], [[0, 1]], [True], [-0.0], [2**53]])
def test_sources_are_a_flat_list_of_seqs(listed, version):
    log = begun(version)
    log.user("a", surfaceOp="append", sourceEventSeqs=listed)
    assert kind_of(log) == "sources-malformed"


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize(
    "listed, kind",
    [
        ([], "sources-empty"),
        ([0, 0], "sources-duplicate"),
        ([2], "not-earlier"),
        ([1, 99], "not-earlier"),
        ([1, 0], None),
    ],
)
def test_sources_are_distinct_earlier_and_some(listed, kind, version):
    log = begun(version)
    log.user("a", surfaceOp="append", sourceEventSeqs=listed)
    assert kind_of(log) == kind


@pytest.mark.parametrize("version", EVERY)
def test_an_assistant_message_cites_its_chunks_before_v2_and_nothing_later(version):
    for listed in ([], [0], [0, 1]):
        log = begun(version)
        log.event(
            "assistant/message", {**log.here, "message": {"content": []}}, surfaceOp="append", sourceEventSeqs=listed
        )
        assert kind_of(log) == (None if version < 2 else "sources-on-assistant")


# -- replacements


@pytest.mark.parametrize("version", EVERY)
def test_a_replacement_takes_the_place_of_its_span(version):
    log = begun(version, "a", "b", "c", "d")
    seq = replace(log, 3, 4)
    surface = fold_surface(log.events, version=version)
    assert surface.nodes == (2, seq, 5)
    assert surface.replacements == (Replacement(seq=seq, start=3, end=4, shadowed=(3, 4)),)
    assert surface.append_origin == (2, 3, 4, 5)


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("start, end", [(2, 2), (2, 4), (3, 3), (3, 5), (5, 5), (2, 5)])
def test_a_span_may_lie_anywhere(start, end, version):
    log = begun(version, "a", "b", "c", "d")
    replace(log, start, end)
    log.user("later")
    folder, breaches = folder_of(log, keep=True)
    assert breaches == []
    assert list(folder) == log.nodes


@pytest.mark.parametrize("version", EVERY)
def test_ends_are_compared_by_position_and_not_by_number(version):
    log = begun(version, "a", "b", "c", "d")
    seven = replace(log, 3, 3)
    assert log.nodes == [2, seven, 4, 5]
    wrong = copy.deepcopy(log)
    replace(wrong, 4, seven, [4, seven])
    assert kind_of(wrong) == "replace-reversed"
    right = replace(log, seven, 4)
    assert fold_surface(log.events, version=version).nodes == (2, right, 5)


@pytest.mark.parametrize("version", EVERY)
def test_a_node_that_was_shadowed_is_no_end_any_more(version):
    for start, end in ((3, 4), (2, 3), (3, 3)):
        log = begun(version, "a", "b", "c")
        replace(log, 3, 3)
        replace(log, start, end, [2, 3, 4])
        assert kind_of(log) == "replace-start-missing"


@pytest.mark.parametrize("version", EVERY)
def test_an_end_is_a_node_and_no_log_only_event(version):
    for start, end in ((0, 2), (2, 1), (1, 1)):
        log = begun(version, "a")
        replace(log, start, end, [0, 1, 2])
        assert kind_of(log) == "replace-start-missing"


@pytest.mark.parametrize("version", EVERY)
def test_an_end_that_is_not_earlier_is_told_before_membership_from_v3_on(version):
    for ends in ((3, 3), (2, 3), (9, 9)):
        log = begun(version, "a")
        replace(log, *ends, [2])
        assert kind_of(log) == ("not-earlier" if version in WITH_SYSTEM else "replace-start-missing")


@pytest.mark.parametrize("version", EVERY)
def test_replace_must_cite_every_shadowed_node(version):
    for cited in ([2, 3], [3, 4], [2, 4], [0]):
        log = begun(version, "a", "b", "c")
        replace(log, 2, 4, cited)
        assert kind_of(log) == "sources-incomplete"
    log = begun(version, "a", "b", "c")
    log.user("x", surfaceOp=log.span(2, 4))
    assert kind_of(log) == "sources-incomplete"
    log = begun(version, "a", "b", "c")
    replace(log, 2, 4, [4, 0, 3, 1, 2])
    assert kind_of(log) is None


@pytest.mark.parametrize("version", EVERY)
def test_the_seqs_that_were_not_cited_are_named(version):
    log = begun(version, *map(str, range(20)))
    replace(log, 2, 21, [3])
    (fault,) = folder_faults(log)
    assert fault.seqs == (2, *range(4, 22))
    assert fault.path == "$.sourceEventSeqs"
    assert "first 12 of 20" in fault.message


def folder_faults(log):
    folder = SurfaceFolder(log.version)
    return [fault for event in log.events for fault in folder.push(event)]


def test_ranges_of_decoded_sources_cover_nodes_too():
    for sources, name in (([range(2, 5)], None), ([2, range(3, 5)], None), ([range(2, 4)], "replace-omits-shadowed")):
        log = begun(4, "a", "b", "c")
        folder, _ = folder_of(log)
        fault = folder.take(5, "user/message", {}, log.span(2, 4), sources)
        assert (fault and fault.name) == name


@pytest.mark.parametrize("version", EVERY)
def test_a_breach_is_taken_as_log_only_and_folding_goes_on(version):
    log = begun(version, "a", "b")
    replace(log, 2, 3, [2])
    log.user("c")
    good = replace(log, 2, 3, [2, 3])
    folder, breaches = folder_of(log, keep=True)
    assert breaches == [(4, ["replace-omits-shadowed"])]
    assert list(folder) == [good, 5]
    assert folder.replaced == 1


@pytest.mark.parametrize("version", EVERY)
def test_a_rejected_event_leaves_the_fold_as_it_was(version):
    log = begun(version, "a", "b")
    log.assistant("", ("c1", "bash", "{}"))
    log.call("c1")
    result = log.result("c1", "x")
    folder, _ = folder_of(log, keep=True)
    before = (folder.surface(), list(folder.derived()), folder.message_count())
    for op, data in ((log.span(2, 3), {}), (log.span(result, result), {}), (log.span(3, 2), {})):
        event = {"type": "tool/result", "seq": folder.next_seq, "time": 1, "data": data, "surfaceOp": op}
        assert folder.push({**event, "sourceEventSeqs": [2, 3, result]}) != []
        assert (folder.surface(), list(folder.derived()), folder.message_count()) == before


class Counting(dict):
    """A dict that counts how often it is read."""

    reads = 0

    def __getitem__(self, key):
        Counting.reads += 1
        return super().__getitem__(key)


def steps_of(version, count, chain):
    """Fold `count` nodes and then one replacement for each; give the links followed."""
    folder = SurfaceFolder(version)
    log = Log(version)
    for seq in range(count):
        assert folder.push({"type": "user/message", "seq": seq, "time": 1, "data": {}, "surfaceOp": "append"}) == []
    folder._next = Counting(folder._next)
    Counting.reads = 0
    for turn, seq in enumerate(range(count, 2 * count)):
        start, end = chain(turn, seq)
        event = {"type": "user/message", "seq": seq, "time": 1, "data": {}, "surfaceOp": log.span(start, end)}
        assert folder.push({**event, "sourceEventSeqs": [*{start, end}]}) == []
    return Counting.reads, len(folder)


@pytest.mark.parametrize("version", EVERY)
def test_a_chain_of_thousands_of_replacements_is_linear(version):
    count = 3000
    # Each replacement takes the one before it: first alone, then with the next node behind it.
    alone, left = steps_of(version, count, lambda turn, seq: (seq - 1, seq - 1) if turn else (0, 0))
    assert left == count
    assert alone <= 4 * count
    growing, left = steps_of(
        version, count, lambda turn, seq: ((seq - 1 if turn else 0), (turn + 1 if turn + 1 < count else seq - 1))
    )
    assert left == 1
    assert growing <= 4 * count


# -- tool results


def answered(version):
    """Give a log with two answered calls, and the seqs of the results."""
    log = begun(version, "a")
    log.assistant("", ("c1", "bash", "{}"), ("c2", "bash", "{}"))
    results = []
    for call in ("c1", "c2"):
        log.call(call)
        results.append(log.result(call, "words"))
    return log, *results


@pytest.mark.parametrize("version", EVERY)
def test_a_tool_result_may_be_rewritten_again_and_again(version):
    log, first, second = answered(version)
    again = log.rewrite(log.rewrite(first, "shorter"), "short")
    assert fold_surface(log.events, version=version).nodes[-2:] == (again, second)


@pytest.mark.parametrize("version", EVERY)
def test_a_rewrite_takes_exactly_one_node(version):
    log, first, second = answered(version)
    data = log.events[first]["data"]
    log.event("tool/result", data, sourceEventSeqs=[first, second], surfaceOp=log.span(first, second))
    assert kind_of(log) == "tool-rewrite-count"


@pytest.mark.parametrize("version", EVERY)
def test_a_rewrite_takes_a_tool_result(version):
    log, first, _ = answered(version)
    for node in [seq for seq in log.nodes if log.events[seq]["type"] != "tool/result"]:
        other = copy.deepcopy(log)
        other.event("tool/result", log.events[first]["data"], sourceEventSeqs=[node], surfaceOp=log.span(node, node))
        assert kind_of(other) == "tool-rewrite-target"


@pytest.mark.parametrize("version", EVERY)
def test_a_rewrite_changes_nothing_but_content(version):
    log, first, second = answered(version)
    data = log.events[second]["data"]
    log.event("tool/result", data, sourceEventSeqs=[first], surfaceOp=log.span(first, first))
    assert kind_of(log) == "tool-rewrite-fields"


@pytest.mark.parametrize("version", EVERY)
def test_any_other_type_may_shadow_a_tool_result(version):
    log, first, second = answered(version)
    seq = replace(log, first, second)
    assert fold_surface(log.events, version=version).nodes[-1] == seq


# -- the system head


@pytest.mark.parametrize("version", WITH_SYSTEM)
def test_only_a_system_message_takes_the_place_of_the_head_and_of_it_alone(version):
    log = begun(version)
    head = log.system("be brief")
    user = log.user("a")
    other = copy.deepcopy(log)
    replace(other, head, head)
    assert kind_of(other) == "system-head"
    other = copy.deepcopy(log)
    replace(other, head, user)
    assert kind_of(other) == "system-head"
    other = copy.deepcopy(log)
    other.system("brief", sourceEventSeqs=[head, user], surfaceOp=log.span(head, user))
    assert kind_of(other) == "system-head"
    new = log.system("be briefer", sourceEventSeqs=[head], surfaceOp=log.span(head, head))
    folder, breaches = folder_of(log)
    assert (breaches, list(folder), folder.head_is_system()) == ([], [new, user], True)


@pytest.mark.parametrize("version", WITH_SYSTEM)
def test_a_later_system_message_is_an_ordinary_node(version):
    log = begun(version)
    log.system("one")
    second = log.system("two")
    user = log.user("a")
    seq = replace(log, second, user)
    assert fold_surface(log.events, version=version).nodes[1:] == (seq,)


@pytest.mark.parametrize("version", WITH_SYSTEM)
def test_a_system_message_that_is_not_first_is_no_head(version):
    log = begun(version, "a")
    system = log.system("late")
    folder, _ = folder_of(log)
    assert not folder.head_is_system()
    replace(log, 2, system)
    assert kind_of(log) is None


@pytest.mark.parametrize("version", EVERY)
def test_an_empty_surface_has_no_head(version):
    assert not SurfaceFolder(version).head_is_system()
    assert SurfaceFolder(version).head() is None


@pytest.mark.parametrize("version", EVERY)
def test_the_head_and_spans_of_nodes_can_be_asked_for(version):
    log = begun(version, "a", "b", "c")
    new = replace(log, 3, 3)
    folder, _ = folder_of(log)
    assert folder.head() == 2
    assert folder.between(2, 2) == [2]
    assert folder.between(2, 4) == [2, new, 4]
    assert folder.between(new, 4) == [new, 4]
    assert folder.between(4, new) is None
    assert folder.between(2, 3) is None
    assert folder.between(3, 4) is None


# -- developer messages


def with_tools(*additions, header_seq=None):
    log = begun(4, "a")
    log.request("initial", ["t1", "t2"])
    blocks = [{"type": "tool-addition", "toolName": name} for name in additions]
    log.developer(*blocks, header_seq=3 if header_seq is None and additions else header_seq)
    return log


def test_a_developer_message_adds_tools_of_an_earlier_header():
    assert kind_of(with_tools("t1", "t2")) is None
    assert kind_of(with_tools("t3")) == "developer-tool"
    assert kind_of(with_tools("t1", header_seq=2)) == "developer-header"
    assert kind_of(with_tools("t1", header_seq=4)) == "developer-header"
    assert kind_of(with_tools(header_seq=3)) == "developer-header-presence"


def test_a_header_before_a_window_is_not_there():
    log = with_tools("t1")
    with pytest.raises(SurfaceError) as caught:
        fold_surface(log.events[4:], version=4, base_seq=4)
    assert caught.value.kind == "developer-header"
    assert fold_surface(log.events[3:], version=4, base_seq=3).nodes == (4,)


def test_a_developer_message_may_replace():
    log = begun(4, "a", "b")
    log.request("initial", ["t1"])
    message = {"id": "d", "role": "developer", "content": [{"type": "tool-removal", "toolName": "t1"}]}
    data = {**log.here, "message": message}
    seq = log.event("developer/message", data, sourceEventSeqs=[2], surfaceOp=log.span(2, 2))
    assert fold_surface(log.events, version=4).nodes == (seq, 3)


def test_a_developer_message_is_checked_before_its_place():
    log = begun(4, "a")
    data = {**log.here, "message": {"role": "user", "content": []}}
    log.event("developer/message", data, sourceEventSeqs=[0], surfaceOp=log.span(0, 0))
    assert kind_of(log) == "developer-block"


# -- messages


def empty_message(log, kind, role):
    return log.event(kind, {**log.here, "message": {"id": "m", "role": role, "content": []}}, surfaceOp="append")


@pytest.mark.parametrize("version", EVERY)
def test_messages_pass_verbatim_in_surface_order(version):
    log = begun(version)
    log.system("be brief")
    log.user("one", image("a"))
    log.assistant("two", ("c1", "bash", "{}"))
    log.call("c1")
    log.result("c1", "three")
    expected = [
        event["data"] if event["type"] == "user/message" else event["data"]["message"]
        for event in log.events
        if "surfaceOp" in event
    ]
    assert derive_messages(log.events, version=version) == expected


@pytest.mark.parametrize("version", EVERY)
def test_empty_content_derives_nothing_but_for_users_and_results(version):
    log, first, _ = answered(version)
    log.user()
    before = len(derive_messages(log.events, version=version))
    assert before == len(log.nodes)
    empty_message(log, "assistant/message", "assistant")
    if version in WITH_SYSTEM:
        empty_message(log, "system/message", "system")
    if version == 4:
        empty_message(log, "developer/message", "developer")
    assert len(derive_messages(log.events, version=version)) == before
    assert len(fold_surface(log.events, version=version).nodes) == len(log.nodes) > before
    data = copy.deepcopy(log.events[first]["data"])
    (data["message"] if version == 4 else data["message"]["content"][0])["content"] = []
    log.event("tool/result", data, sourceEventSeqs=[first], surfaceOp=log.span(first, first))
    assert len(derive_messages(log.events, version=version)) == before


@pytest.mark.parametrize("version", EVERY)
def test_an_empty_node_that_is_shadowed_is_no_longer_counted(version):
    log = begun(version, "a")
    empty = empty_message(log, "assistant/message", "assistant")
    folder, _ = folder_of(log)
    assert (len(folder), folder.message_count()) == (2, 1)
    replace(log, empty, empty)
    folder, _ = folder_of(log)
    assert (len(folder), folder.message_count()) == (2, 2)


@pytest.mark.parametrize("version", EVERY)
def test_derive_messages_raises_at_the_first_breach(version):
    log = begun(version, "a")
    log.user("b")
    log.user("c", sourceEventSeqs=[0])
    with pytest.raises(SurfaceError) as caught:
        derive_messages(log.events, version=version)
    assert (caught.value.kind, caught.value.seq) == ("marker-missing", 4)


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("data", [None, 1, "x", [], {"message": None}])
def test_a_surface_event_of_any_payload_keeps_its_place(data, version):
    log = begun(version)
    for kind in ("user/message", "assistant/message", "tool/result"):
        log.event(kind, data, surfaceOp="append")
    assert len(fold_surface(log.events, version=version).nodes) == 3


# -- image offload


def pictured():
    """Give a v4 log with images in a user message and in a tool result, and both seqs."""
    log = begun(4)
    user = log.user("look", image("a"), image("b"))
    log.assistant("", ("c1", "bash", "{}"))
    log.call("c1")
    result = log.result("c1", "seen")
    log.events[result]["data"]["message"]["content"].append(image("c"))
    return log, user, result


def offload(log, *targets, **members):
    held = [{"seq": seq, "imageIndexes": picked} for seq, picked in targets]
    return log.event("image/offload", {"targets": held}, **members)


def offloaded(message):
    return [block.get("offloaded", False) for block in message["content"] if block["type"] == "image"]


def test_an_offload_marks_images_and_leaves_the_nodes():
    log, user, result = pictured()
    offload(log, (user, [1]), (result, [0]))
    surface = fold_surface(log.events, version=4)
    assert list(surface.nodes) == log.nodes
    assert (surface.replace_generation, surface.content_generation) == (0, 1)
    assert {seq: offloaded(message) for seq, message in surface.projected.items()} == {
        user: [False, True],
        result: [True],
    }
    assert offloaded(derive_messages(log.events, version=4)[0]) == [False, True]
    assert offloaded(log.events[user]["data"]) == [False, False]


def test_offloads_add_up():
    log, user, _ = pictured()
    offload(log, (user, [1]))
    offload(log, (user, [0]))
    assert offloaded(fold_surface(log.events, version=4).projected[user]) == [True, True]
    offload(log, (user, [1]))
    assert kind_of(log) == "projection-invalid"


def test_an_image_that_was_stored_offloaded_counts_and_cannot_be_offloaded_again():
    log = begun(4)
    user = log.user({**image("a"), "offloaded": True}, image("b"))
    other = copy.deepcopy(log)
    offload(log, (user, [1]))
    assert kind_of(log) is None
    offload(other, (user, [0]))
    assert kind_of(other) == "projection-invalid"


@pytest.mark.parametrize("data", [None, 1, [], {}, {"targets": None}, {"targets": []}, {"targets": {}}])
def test_an_offload_has_targets_and_nothing_else(data):
    log, user, _ = pictured()
    log.event("image/offload", data)
    assert kind_of(log) == "projection-invalid"
    log, user, _ = pictured()
    log.event("image/offload", {"targets": [{"seq": user, "imageIndexes": [0]}], "more": 1})
    assert kind_of(log) == "projection-invalid"


@pytest.mark.parametrize(
    "target",
    [
        None,
        7,
        [],
        {},
        {"seq": 2},
        {"imageIndexes": [0]},
        {"seq": 2, "imageIndexes": [0], "more": 1},
        {"seq": -1, "imageIndexes": [0]},
        {"seq": "2", "imageIndexes": [0]},
        {"seq": 2, "imageIndexes": []},
        {"seq": 2, "imageIndexes": None},
        {"seq": 2, "imageIndexes": [1, 0]},
        {"seq": 2, "imageIndexes": [0, 0]},
        {"seq": 2, "imageIndexes": [0.5]},
        {"seq": 2, "imageIndexes": [-0.0]},
        {"seq": 2, "imageIndexes": [0, None]},
        {"seq": 2, "imageIndexes": [2]},
        {"seq": 2, "imageIndexes": [0, 1, 2]},
        {"seq": 0, "imageIndexes": [0]},
        {"seq": 3, "imageIndexes": [0]},
        {"seq": 99, "imageIndexes": [0]},
        {"seq": 5, "imageIndexes": [1]},
    ],
)
def test_a_target_is_a_current_message_with_those_images(target):
    log, _, result = pictured()
    assert (log.events[3]["type"], result) == ("assistant/message", 5)
    log.event("image/offload", {"targets": [target]})
    assert kind_of(log) == "projection-invalid"


def test_numbers_of_a_target_may_be_spelled_as_doubles():
    log, user, _ = pictured()
    offload(log, (float(user), [0.0, 1.0]))
    assert offloaded(fold_surface(log.events, version=4).projected[user]) == [True, True]


def test_no_seq_is_targeted_twice_by_one_event():
    log, user, _ = pictured()
    offload(log, (user, [0]), (user, [1]))
    assert kind_of(log) == "projection-invalid"


def test_all_targets_are_checked_before_any_is_changed():
    log, user, result = pictured()
    offload(log, (user, [0]), (result, [5]))
    folder, breaches = folder_of(log, keep=True)
    assert breaches == [(6, ["projection-invalid"])]
    assert (folder.surface().projected, folder.content_generation) == ({}, 0)
    offload(log, (user, [0]))
    assert len(folder_of(log, keep=True)[1]) == 1


def test_a_null_block_spoils_a_target_and_other_odd_blocks_do_not():
    log = begun(4)
    good = log.user(image("a"), 7, ["x"], "odd"[:0] or {"type": "what"})
    bad = log.user(image("a"), None)
    other = copy.deepcopy(log)
    offload(log, (good, [0]))
    assert kind_of(log) is None
    offload(other, (bad, [0]))
    assert kind_of(other) == "projection-invalid"


def test_a_message_without_images_is_no_target():
    log = begun(4, "a")
    offload(log, (2, [0]))
    assert kind_of(log) == "projection-invalid"


def test_a_shadowed_message_is_no_target_and_its_projection_stays_unreachable():
    log, user, _ = pictured()
    offload(log, (user, [0]))
    seq = log.user("short", image("z"), sourceEventSeqs=[user], surfaceOp=log.span(user, user))
    surface = fold_surface(log.events, version=4)
    assert user in surface.projected
    assert surface.content_generation == 2
    assert offloaded(derive_messages(log.events, version=4)[0]) == [False]
    other = copy.deepcopy(log)
    offload(other, (user, [1]))
    assert kind_of(other) == "projection-invalid"
    offload(log, (seq, [0]))
    assert kind_of(log) is None


def test_a_rewritten_result_starts_from_its_own_content():
    log, _, result = pictured()
    offload(log, (result, [0]))
    new = log.rewrite(result, "again")
    log.events[new]["data"]["message"]["content"].append(image("c"))
    assert kind_of(log) is None
    assert offloaded(derive_messages(log.events, version=4)[-1]) == [False]
    offload(log, (new, [0]))
    assert kind_of(log) is None


def test_without_its_interpreter_an_offload_fails_even_when_ignorable():
    log, user, _ = pictured()
    offload(log, (user, [0]), ignorable=True)
    assert kind_of(log) is None
    assert kind_of(log, projections=False) == "projection-missing"


def test_an_offload_before_a_window_cannot_reach_its_target():
    log, user, _ = pictured()
    offload(log, (user, [0]))
    with pytest.raises(SurfaceError) as caught:
        fold_surface(log.events[3:], version=4, base_seq=3)
    assert caught.value.kind == "projection-invalid"


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_before_v4_an_offload_is_log_only(version):
    log = begun(version, "a")
    offload(log, (2, [0]))
    assert kind_of(log) is None
    assert fold_surface(log.events, version=version).content_generation == 0


def test_a_folder_that_keeps_nothing_still_knows_what_is_offloaded():
    log, user, _ = pictured()
    offload(log, (user, [0]))
    offload(log, (user, [0]))
    folder, breaches = folder_of(log)
    assert breaches == [(7, ["projection-invalid"])]
    assert folder.content_generation == 1


# -- windows and order of checks


@pytest.mark.parametrize("version", EVERY)
def test_a_window_folds_what_lies_inside_it(version):
    log = begun(version, *"abcdef")
    replace(log, 5, 6)
    whole = fold_surface(log.events, version=version).nodes
    for base in range(6):
        window = fold_surface(log.events[base:], version=version, base_seq=base).nodes
        assert window == tuple(seq for seq in whole if seq >= base)
    with pytest.raises(SurfaceError) as caught:
        fold_surface(log.events[6:], version=version, base_seq=6)
    assert caught.value.kind == "replace-start-missing"
    with pytest.raises(SurfaceError) as caught:
        fold_surface(log.events[3:], version=version, base_seq=2)
    assert caught.value.kind == "seq-gap"


@pytest.mark.parametrize("version", EVERY)
def test_sources_before_a_window_are_fine(version):
    log = begun(version, "a")
    log.user("b", sourceEventSeqs=[0, 1], surfaceOp="append")
    assert fold_surface(log.events[3:], version=version, base_seq=3).nodes == (3,)


@pytest.mark.parametrize("version", WITH_SYSTEM)
def test_from_v3_on_sources_are_checked_before_the_span_is_looked_up(version):
    log = begun(version, "a")
    replace(log, 1, 1, [2, 2])
    assert kind_of(log) == "sources-duplicate"


def test_in_v0_the_span_is_looked_up_before_sources_are_checked():
    log = begun(0, "a")
    replace(log, 1, 1, [2, 2])
    assert kind_of(log) == "replace-start-missing"


@pytest.mark.parametrize("version", EVERY)
def test_coverage_is_checked_before_the_rewrite_of_a_result(version):
    log, first, second = answered(version)
    data = log.events[first]["data"]
    log.event("tool/result", data, sourceEventSeqs=[first], surfaceOp=log.span(first, second))
    assert kind_of(log) == "sources-incomplete"


def test_a_marker_in_another_spelling_is_refused_by_the_step_itself():
    log = begun(4, "a")
    folder, _ = folder_of(log)
    assert folder.take(3, "user/message", {}, {"op": "replace", "start": 2, "end": 2}, [2]).name == "marker-malformed"


def test_text_blocks_are_no_images():
    log = begun(4)
    user = log.user("a", text("b"))
    offload(log, (user, [0]))
    assert kind_of(log) == "projection-invalid"


def test_replacements_that_fail_again_and_again_cost_no_more_than_they_cite(monkeypatch):
    monkeypatch.setattr("dshlog.fold.surface.PATIENCE", 1000)
    folder = SurfaceFolder(4)
    for seq in range(500):
        assert folder.take(seq, "user/message", {}, "append", None) is None
    walked = 0

    class Counting(dict):
        def __getitem__(self, node):
            nonlocal walked
            walked += 1
            return super().__getitem__(node)

    folder._next = Counting(folder._next)
    op = {"op": "replace", "startSeq": 0, "endSeq": 499}
    for seq in range(500, 700):
        fault = folder.take(seq, "user/message", {}, op, [0, 1])
        assert fault is not None
        assert fault.name == "replace-omits-shadowed"
    assert walked < 2000
    assert folder.take(700, "user/message", {}, op, list(range(500))) is None
    assert (
        folder.take(701, "user/message", {}, {"op": "replace", "startSeq": 700, "endSeq": 700}, [range(600, 701)])
        is None
    )


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9))), st.lists(st.integers(0, 70)))
def test_what_lies_in_no_range_is_what_no_range_holds(pairs, nodes):
    ranges = [range(start, start + length) for start, length in pairs]
    assert _outside(nodes, ranges) == [node for node in nodes if not any(node in span for span in ranges)]

"""`surfaceOp` says how an event joins the surface: who must carry it, who must not, and in which spelling."""

from __future__ import annotations

import pytest

from dshlog.fold.marker import marker_faults, read_span, source_faults
from dshlog.model.fault import Fault
from dshlog.model.vocabulary import format_types
from logbuilder import Log

EVERY = [0, 1, 2, 3, 4]
OLD_ENDS = [0, 1, 2]  # start, end
NEW_ENDS = [3, 4]  # startSeq, endSeq
FIRST = {"user/message", "assistant/message", "tool/result"}
SURFACE = [FIRST, FIRST, FIRST, FIRST | {"system/message"}, FIRST | {"system/message", "developer/message"}]


def event(kind="user/message", **members):
    return {"type": kind, "seq": 9, "time": 1, "data": {}, **members}


def marked(version, op, **members):
    """Give the faults of a user message with this marker, as (name, path)."""
    found = marker_faults(event(surfaceOp=op, **members), 9, version, opaque=False)
    return [(fault.name, fault.path) for fault in found]


def span(version, start, end):
    return Log(version).span(start, end)


@pytest.mark.parametrize("version", EVERY)
def test_each_generation_has_its_own_surface_types(version):
    for kind in sorted(format_types(version) | SURFACE[4]):
        names = [fault.name for fault in marker_faults(event(kind), 9, version, opaque=False)]
        assert names == (["marker-missing"] if kind in SURFACE[version] else []), kind


@pytest.mark.parametrize("version", EVERY)
def test_append_is_a_marker_for_every_surface_type(version):
    for kind in SURFACE[version]:
        assert marker_faults(event(kind, surfaceOp="append"), 9, version, opaque=False) == []


@pytest.mark.parametrize("version", EVERY)
def test_a_replacement_names_both_inclusive_ends(version):
    assert marked(version, span(version, 3, 5)) == []
    assert marked(version, span(version, 3, 3)) == []
    assert read_span(span(version, 3, 5), version) == (3, 5)
    assert read_span(span(version, 3.0, 5.0), version) == (3, 5)


@pytest.mark.parametrize("version", EVERY)
def test_the_order_of_the_members_does_not_matter(version):
    op = dict(reversed(span(version, 3, 5).items()))
    assert read_span(op, version) == (3, 5)


@pytest.mark.parametrize("version", EVERY)
def test_the_spelling_of_the_other_generations_is_malformed(version):
    other = span(0 if version in NEW_ENDS else 4, 3, 5)
    assert marked(version, other) == [("marker-malformed", "$.surfaceOp")]
    assert marked(version, {**span(version, 3, 5), **other}) == [("marker-malformed", "$.surfaceOp")]


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("op", [None, "", "Append", "replace", 1, True, [], ["append"], {}, {"op": "append"}])
def test_anything_else_is_malformed(op, version):
    assert marked(version, op) == [("marker-malformed", "$.surfaceOp")]


@pytest.mark.parametrize("version", EVERY)
def test_a_replacement_has_exactly_three_members(version):
    whole = span(version, 3, 5)
    for name in whole:
        less = {key: value for key, value in whole.items() if key != name}
        assert marked(version, less) == [("marker-malformed", "$.surfaceOp")]
    assert marked(version, {**whole, "note": 1}) == [("marker-malformed", "$.surfaceOp")]


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("op", ["append", "Replace", None, 1, True])
def test_the_op_of_a_replacement_is_replace(op, version):
    assert marked(version, {**span(version, 3, 5), "op": op}) == [("marker-malformed", "$.surfaceOp.op")]


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("end", [-1, -0.0, 0.5, "3", True, None, [3], 2**53])
def test_the_ends_of_a_replacement_are_seqs(end, version):
    first, last = list(span(version, 0, 0))[1:]
    assert marked(version, span(version, end, 5)) == [("marker-malformed", f"$.surfaceOp.{first}")]
    assert marked(version, span(version, 3, end)) == [("marker-malformed", f"$.surfaceOp.{last}")]


def test_from_v3_on_both_ends_are_earlier_than_the_event():
    for version in NEW_ENDS:
        names = [[name for name, _ in marked(version, span(version, *ends))] for ends in ((9, 3), (3, 9), (9, 10))]
        assert names == [["replace-not-earlier"], ["replace-not-earlier"], ["replace-not-earlier"] * 2]
        assert marked(version, span(version, 3, 9)) == [("replace-not-earlier", "$.surfaceOp.endSeq")]


def test_before_v3_membership_alone_decides_about_the_ends():
    for version in OLD_ENDS:
        assert marked(version, span(version, 9, 10)) == []


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("value", ["append", None, [], {}])
def test_a_log_only_event_carries_neither_member_not_even_null(value, version):
    for name in ("surfaceOp", "sourceEventSeqs"):
        (fault,) = marker_faults(event("step/end", **{name: value}), 9, version, opaque=False)
        assert (fault.name, fault.path) == ("marker-on-log-only", f"$.{name}")
    both = marker_faults(event("step/end", surfaceOp=value, sourceEventSeqs=value), 9, version, opaque=False)
    assert len(both) == 2


@pytest.mark.parametrize("version", EVERY)
def test_an_opaque_event_may_carry_anything_from_v3_on(version):
    held = event("foo/bar", surfaceOp="append", sourceEventSeqs=[1])
    expected = [] if version in NEW_ENDS else ["marker-on-log-only"] * 2
    assert [fault.name for fault in marker_faults(held, 9, version, opaque=True)] == expected
    assert [fault.name for fault in marker_faults(held, 9, version, opaque=False)] == ["marker-on-log-only"] * 2


@pytest.mark.parametrize("version", EVERY)
def test_surface_types_of_later_generations_are_log_only(version):
    for kind in SURFACE[4] - SURFACE[version]:
        (fault,) = marker_faults(event(kind, surfaceOp="append"), 9, version, opaque=False)
        assert fault.name == "marker-on-log-only"


def test_the_name_of_an_event_type_is_printable_and_short_in_a_message():
    for kind in ("foo\nbar", "x" * 500, "\ud800"):
        (fault,) = marker_faults(event(kind, surfaceOp="append"), 9, 4, opaque=False)
        assert fault.message.isprintable()
        assert len(fault.message) < 200


@pytest.mark.parametrize("version", EVERY)
def test_an_empty_source_list_means_a_known_empty_stream_on_early_assistant_messages_only(version):
    for kind in SURFACE[version] - {"assistant/message"}:
        assert [fault.name for fault in source_faults(kind, [], 9, version)] == ["sources-empty"]
    expected = [] if version < 2 else ["sources-on-assistant"]
    assert [fault.name for fault in source_faults("assistant/message", [], 9, version)] == expected


@pytest.mark.parametrize("version", EVERY)
def test_from_v2_on_an_assistant_message_cites_nothing_in_any_form(version):
    expected = [] if version < 2 else ["sources-on-assistant"]
    assert [fault.name for fault in source_faults("assistant/message", [1, 2], 9, version)] == expected


@pytest.mark.parametrize("version", EVERY)
def test_sources_are_unique_and_earlier_in_any_order(version):
    def names(sources):
        return [fault.name for fault in source_faults("user/message", sources, 9, version)]

    assert names([5, 3, 8]) == []
    assert names([0, range(3, 9)]) == []
    assert names([5, 5]) == ["sources-duplicate"]
    assert names([9]) == ["not-earlier"]
    assert names([range(3, 10)]) == ["not-earlier"]


def test_a_fault_of_the_span_is_a_value():
    assert isinstance(read_span("append", 4), Fault)

"""The envelope of one row: which generation's decoder looks at what, and what it leaves for later."""

from __future__ import annotations

import pytest

from dshlog.codec.envelope import decode_row
from dshlog.storage.jsontext import parse

EVERY = [0, 1, 2, 3, 4]
WEAK = [0, 1]  # decoders that look at seq and sourceEventSeqs alone
STRICT = [2, 3, 4]
CONVERTED = [1, 2]  # who converts these compares the seq without looking at its form
OWN = [3, 4]  # strict decoders of the generation itself


def row(**members):
    """Give a sound row with members replaced or added; None takes one away."""
    base = {"type": "turn/start", "seq": 3, "time": 5, "data": {"turn": 1}, **members}
    return {name: value for name, value in base.items() if value is not None}


def faults(value, version):
    """Give (names that make the row malformed, names that a later check refuses)."""
    decoded = decode_row(value, version)
    return [fault.name for fault in decoded.malformed], [fault.name for fault in decoded.odd]


def later_or_now(names, version):
    """Give the faults where the generation's decoder puts them."""
    return (names, []) if version in STRICT else ([], names)


@pytest.mark.parametrize("version", EVERY)
def test_a_sound_row_has_no_fault(version):
    decoded = decode_row(row(ignorable=True, surfaceOp="append", sourceEventSeqs=[0, [1, 2]]), version)
    assert (decoded.malformed, decoded.odd) == ([], [])
    assert decoded.seq == 3
    assert decoded.sources == [0, range(1, 3)]


@pytest.mark.parametrize("version", EVERY)
def test_a_row_without_sources_has_none(version):
    assert decode_row(row(), version).sources is None


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("name", ["type", "time", "data"])
def test_e002_members_are_required(name, version):
    assert faults(row(**{name: None}), version) == later_or_now(["member-missing"], version)


@pytest.mark.parametrize("version", STRICT)
def test_e002_seq_is_required_from_v2_on(version):
    assert faults(row(seq=None), version) == (["member-missing"], [])


@pytest.mark.parametrize("version", EVERY)
def test_e002_data_may_be_null(version):
    value = row()
    value["data"] = None
    assert faults(value, version) == ([], [])


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("name", ["foo", "Type", "seq0", "__proto__", "", "x" * 200, "a\nb", "\ud800"])
def test_e003_no_other_member_belongs(name, version):
    decoded = decode_row(row(**{name: 1}), version)
    (fault,) = decoded.malformed or decoded.odd
    assert faults(row(**{name: 1}), version) == later_or_now(["member-unknown"], version)
    assert (fault.message + fault.path).isprintable()
    assert len(fault.path) < 100


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("value", [5, True, [], {}])
def test_e004_the_type_is_a_text(value, version):
    assert faults(row(type=value), version) == later_or_now(["type-not-text"], version)


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("text", ["3", "3.0", "3e0", "0", "9007199254740991"])
def test_e005_seq_is_a_count_however_it_is_spelled(text, version):
    decoded = decode_row(row(seq=parse(text.encode())), version)
    assert decoded.malformed == []
    assert decoded.seq == int(float(text))
    assert type(decoded.seq) is int


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("text", ["1.5", "-1", "9007199254740992", "1e999"])
def test_e030_a_number_that_is_no_count_makes_a_row_malformed_or_a_gap_to_who_converts_it(text, version):
    decoded = decode_row(row(seq=parse(text.encode())), version)
    told = decoded.odd if version in CONVERTED else decoded.malformed
    assert [fault.name for fault in told] == ["seq-not-count"]
    assert len(decoded.odd + decoded.malformed) == 1
    assert decoded.seq is None


@pytest.mark.parametrize("value", ["x", "3", True, False, [], [3], {}])
def test_e030_a_seq_of_another_kind_decodes_before_v3_and_is_no_position(value):
    for version in (*WEAK, *CONVERTED):
        decoded = decode_row(row(seq=value), version)
        assert decoded.malformed == []
        assert decoded.seq is None
    for version in OWN:
        assert faults(row(seq=value), version) == (["seq-not-count"], [])


@pytest.mark.parametrize("version", WEAK)
def test_e030_a_row_without_seq_decodes_before_v2_and_is_no_position(version):
    for value in ({}, {"type": "turn/end"}, row(seq=None)):
        decoded = decode_row(value, version)
        assert decoded.malformed == []
        assert decoded.seq is None


def test_e030_a_null_seq_is_like_any_other_kind():
    value = row()
    value["seq"] = None
    for version in (*WEAK, *CONVERTED):
        assert decode_row(value, version).malformed == []
    for version in OWN:
        assert faults(value, version) == (["seq-not-count"], [])


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("value", [None, "x", True, 1.5, [], -1])
def test_e030_beside_source_event_seqs_the_seq_must_be_a_count(value, version):
    assert faults(row(seq=value, sourceEventSeqs=[0]), version)[0][-1] == "seq-not-count"


@pytest.mark.parametrize("version", WEAK)
def test_a_bare_row_at_its_position_decodes_before_v2(version):
    decoded = decode_row({"seq": 29}, version)
    assert (decoded.malformed, decoded.seq) == ([], 29)


def test_negative_zero_as_seq_is_position_0_to_some_decoders():
    """Asked dsh: a v3 row is dropped, a v4 row is read and its session refused."""
    value = row(seq=-0.0)
    assert {version: decode_row(value, version).seq for version in EVERY} == {0: None, 1: 0, 2: 0, 3: None, 4: 0}
    assert {version: faults(value, version) for version in EVERY} == {
        0: (["seq-not-count"], []),
        1: ([], []),
        2: ([], ["seq-not-count"]),
        3: (["seq-not-count"], []),
        4: ([], ["seq-not-count"]),
    }


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("text", ["0", "-5", "-9007199254740991", "5.0"])
def test_e006_time_is_an_integer_of_either_sign(text, version):
    assert faults(row(time=parse(text.encode())), version) == ([], [])


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("value", [1.5, "5", True, 2**53, [], float("inf")])
def test_e006_any_other_time_is_refused(value, version):
    assert faults(row(time=value), version) == later_or_now(["time-not-integer"], version)


def test_negative_zero_as_time_is_accepted_by_v0_builds_only():
    """Asked dsh: 0.1.2 opens such a log, every conversion refuses it."""
    assert faults(row(time=-0.0), 0) == ([], [])
    for version in EVERY[1:]:
        assert faults(row(time=-0.0), version) == later_or_now(["time-not-integer"], version)


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("value", [False, 1, "true", [], {}])
def test_e008_ignorable_is_true_or_absent(value, version):
    assert faults(row(ignorable=value), version) == later_or_now(["ignorable-not-true"], version)


@pytest.mark.parametrize("version", EVERY)
def test_e008_ignorable_is_not_null(version):
    value = row()
    value["ignorable"] = None
    assert faults(value, version) == later_or_now(["ignorable-not-true"], version)


@pytest.mark.parametrize("version", EVERY)
def test_e017_sources_that_cannot_be_decoded_make_a_row_malformed_everywhere(version):
    decoded = decode_row(row(sourceEventSeqs=[2, [0, 1]]), version)
    assert [fault.name for fault in decoded.malformed] == ["sources-malformed"]
    assert decoded.sources is None
    value = row()
    value["sourceEventSeqs"] = None
    assert [fault.name for fault in decode_row(value, version).malformed] == ["sources-malformed"]


@pytest.mark.parametrize("version", EVERY)
def test_e015_distinct_earlier_sources_are_the_row_decoders_affair_from_v2_on(version):
    for listed, name in ([1, 1], "sources-duplicate"), ([3], "not-earlier"):
        malformed, odd = faults(row(sourceEventSeqs=listed), version)
        assert (malformed, odd) == (([name], []) if version in STRICT else ([], []))


@pytest.mark.parametrize("version", STRICT)
def test_an_empty_source_list_decodes(version):
    assert decode_row(row(sourceEventSeqs=[]), version).sources == []


@pytest.mark.parametrize("version", EVERY)
def test_the_decoder_does_not_look_at_surface_op(version):
    assert faults(row(surfaceOp={"op": "what"}), version) == ([], [])


@pytest.mark.parametrize("version", EVERY)
def test_every_fault_of_a_row_is_told_at_once(version):
    malformed, odd = faults({"type": 1, "seq": 2, "ignorable": False, "x": 1}, version)
    assert sorted(malformed + odd) == sorted(
        ["member-missing", "member-missing", "member-unknown", "type-not-text", "ignorable-not-true"]
    )


def test_messages_show_numbers_and_name_the_kind_of_anything_else():
    shown = {
        1.5: "1.5",
        "secret": "(a text)",
        True: "(a boolean)",
        None: "(null)",
        (): "(an object)",
    }
    for value, words in shown.items():
        wrong = row()
        wrong["time"] = {} if value == () else value
        assert words in decode_row(wrong, 4).malformed[0].message
    wrong["time"] = []
    assert "(a list)" in decode_row(wrong, 4).malformed[0].message

"""The header record: each member's need and form, generation by generation."""

from __future__ import annotations

import pytest

from dshlog.codec.header import header_faults, is_absolute, is_newer, read_version, to_header
from dshlog.model.fault import Fault
from logbuilder import header

EVERY = [0, 1, 2, 3, 4]
EARLY = [0, 1]  # the inherited cut stands in the header
LATER = [2, 3, 4]  # it stands in the body


def faults(version, **members):
    """Give the faults of a sound header with members replaced or added, as (name, path)."""
    return [(fault.name, fault.path) for fault in header_faults(header(version, **members), version)]


def without(version, name):
    value = header(version)
    del value[name]
    return [(fault.name, fault.path) for fault in header_faults(value, version)]


@pytest.mark.parametrize("version", EVERY)
def test_the_writers_header_is_sound(version):
    assert faults(version) == []
    assert faults(version, parentSession="p", origin="subagent", agentPreset="coder") == []


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("name", ["type", "version", "id", "createdAt", "delegationDepth"])
def test_these_members_are_required_everywhere(name, version):
    assert without(version, name) == [("header-member-missing", f"$.{name}")]


@pytest.mark.parametrize("version", EVERY)
def test_is_seeded_is_required_from_v2_on_and_unknown_before(version):
    if version in EARLY:
        assert faults(version, isSeeded=False) == [("header-member-unknown", "$.isSeeded")]
    else:
        assert without(version, "isSeeded") == [("header-member-missing", "$.isSeeded")]


@pytest.mark.parametrize("version", EVERY)
def test_cwd_is_optional(version):
    assert without(version, "cwd") == []


@pytest.mark.parametrize("version", EVERY)
def test_seed_length_is_retired_from_v2_on(version):
    expected = [] if version in EARLY else [("header-member-unknown", "$.seedLength")]
    assert faults(version, seedLength=3) == expected
    assert faults(version, seedLength=0) == expected


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("name", ["sandboxMode", "approvalPolicy"])
def test_retired_members_are_refused_everywhere(name, version):
    for value in ("workspace-write", None, True):
        assert faults(version, **{name: value}) == [("header-member-retired", f"$.{name}")]


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("name", ["extra", "__proto__", "Version", "x" * 300, "a\x1bb"])
def test_no_other_member_belongs(name, version):
    ((found, path),) = faults(version, **{name: 1})
    assert found == "header-member-unknown"
    assert path.isprintable()
    assert len(path) < 100


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("name", ["createdAt", "delegationDepth"])
@pytest.mark.parametrize("value", [-1, -0.0, 0.5, 2**53, "0", True, None, [], float("inf")])
def test_times_and_depths_are_counts(name, value, version):
    assert faults(version, **{name: value}) == [("header-member-malformed", f"$.{name}")]


@pytest.mark.parametrize("version", EVERY)
def test_a_count_may_be_spelled_as_a_double(version):
    assert faults(version, createdAt=1.0, delegationDepth=0.0) == []


@pytest.mark.parametrize("version", EARLY)
@pytest.mark.parametrize("value", [-1, -0.0, 0.5, "3", True, None])
def test_seed_length_is_a_count(value, version):
    assert faults(version, seedLength=value) == [("header-member-malformed", "$.seedLength")]


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("name", ["id", "parentSession", "agentPreset"])
@pytest.mark.parametrize("value", [None, 1, True, [], {}])
def test_names_are_texts_and_never_null(name, value, version):
    assert faults(version, **{name: value}) == [("header-member-malformed", f"$.{name}")]


@pytest.mark.parametrize("version", EVERY)
def test_names_may_be_empty_but_for_the_id(version):
    assert faults(version, parentSession="", agentPreset="") == []
    assert faults(version, id="") == [("header-member-malformed", "$.id")]


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("value", ["user", "", None, 1, "Subagent", ["subagent"]])
def test_the_only_origin_is_subagent(value, version):
    assert faults(version, origin=value) == [("header-member-malformed", "$.origin")]


@pytest.mark.parametrize("version", LATER)
@pytest.mark.parametrize("value", [0, 1, "true", None, []])
def test_is_seeded_is_a_boolean(value, version):
    assert faults(version, isSeeded=value) == [("header-member-malformed", "$.isSeeded")]
    assert faults(version, isSeeded=True) == []


@pytest.mark.parametrize("version", EVERY)
@pytest.mark.parametrize("value", ["", ".", "p", "home/u", "~", "C:p", "C:", "1:/x", "é:/x", None, 1, ["/"]])
def test_cwd_is_an_absolute_path(value, version):
    assert faults(version, cwd=value) == [("header-member-malformed", "$.cwd")]


@pytest.mark.parametrize("value", ["/", "/home/u", "//", "C:\\p", "c:/p", "\\\\host\\share"])
def test_a_path_is_absolute_on_the_platform_that_wrote_it(value):
    assert is_absolute(value)


@pytest.mark.parametrize("version", EVERY)
def test_every_fault_of_a_header_is_told_at_once(version):
    found = faults(version, id=1, createdAt=-1, extra=1, sandboxMode=1)
    assert sorted(name for name, _ in found) == [
        "header-member-malformed",
        "header-member-malformed",
        "header-member-retired",
        "header-member-unknown",
    ]


@pytest.mark.parametrize("value, version", [(0, 0), (4, 4), (4.0, 4), (5, 5), (99, 99), (2**53 - 1, 2**53 - 1)])
def test_a_version_is_a_count(value, version):
    assert read_version({"version": value}) == version
    assert type(read_version({"version": value})) is int
    assert is_newer(version) is (version > 4)


@pytest.mark.parametrize("value", [-1, -0.0, 0.5, 2**53, "4", None, True, [4], {}])
def test_anything_else_is_no_version(value):
    """Asked dsh about negative zero: it is refused too."""
    fault = read_version({"version": value})
    assert isinstance(fault, Fault)
    assert (fault.name, fault.path) == ("header-version-invalid", "$.version")


def test_a_header_without_a_version_names_none():
    assert read_version({"type": "session"}).name == "header-member-missing"


def test_worked_example_e6_is_one_session_in_two_generations():
    """The headers of storage.md §9, E6."""
    common = {"type": "session", "id": "k", "createdAt": 7, "cwd": "/home/u/p", "parentSession": "p"}
    early = {**common, "version": 0, "seedLength": 3, "delegationDepth": 0}
    late = {**common, "version": 4, "isSeeded": True, "delegationDepth": 0}
    assert header_faults(early, 0) == header_faults(late, 4) == []
    old, new = to_header(early, 0), to_header(late, 4)
    assert (old.seed_length, old.is_seeded) == (3, True)
    assert (new.seed_length, new.is_seeded) == (None, True)
    for value in (old, new):
        assert (value.id, value.created_at, value.cwd, value.parent_session) == ("k", 7, "/home/u/p", "p")
        assert (value.delegation_depth, value.origin, value.agent_preset) == (0, None, None)


@pytest.mark.parametrize("version", EARLY)
def test_a_seed_length_of_0_is_seeded_and_an_absent_one_is_not(version):
    assert to_header(header(version, seedLength=0), version).is_seeded is True
    assert to_header(header(version), version).is_seeded is False


def test_a_faulty_header_is_salvaged_member_by_member():
    value = {"id": 5, "createdAt": "x", "isSeeded": 1, "cwd": None, "origin": "subagent", "agentPreset": ""}
    found = to_header(value, 4)
    assert (found.version, found.id, found.created_at, found.delegation_depth) == (4, "", 0, 0)
    assert (found.is_seeded, found.cwd, found.origin, found.agent_preset) == (False, None, "subagent", "")
    assert to_header({"seedLength": 3, "isSeeded": True}, 4).seed_length is None


@pytest.mark.parametrize("id_", ["a" * 244, "\u00fc" * 48 + "abcd"])
def test_an_id_may_be_as_long_as_a_name_of_dsh_can_be(id_):
    value = {"type": "session", "version": 4, "id": id_, "createdAt": 1, "delegationDepth": 0, "isSeeded": False}
    assert header_faults(value, 4) == []
    (fault,) = header_faults(value | {"id": f"{id_}x"}, 4)
    assert (fault.name, fault.path) == ("id-too-long", "$.id")

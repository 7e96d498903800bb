"""The vocabulary in the code is the one of the written specification."""

from __future__ import annotations

import json

import pytest

from dshlog.model import vocabulary

BUILDS = {0: "0.1.2-rc.1", 3: "0.1.5-rc.1", 4: "0.2.1-rc.2"}


@pytest.fixture(scope="module")
def written(shared):
    return json.loads((shared / "spec/vocabulary.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("version", range(5))
def test_format_lists_the_same_types(written, version):
    assert vocabulary.format_types(version) == set(written["versions"][str(version)]["event_types"])


@pytest.mark.parametrize("version", range(5))
def test_same_types_may_stand_on_the_surface(written, version):
    assert vocabulary.SURFACE_TYPES[version] == set(written["versions"][str(version)]["surface_types"])


@pytest.mark.parametrize(("version", "build"), BUILDS.items())
def test_build_knows_the_same_types(written, version, build):
    assert written["builds"][build]["format_version"] == version
    assert vocabulary.known_types(version) == set(written["builds"][build]["known_event_types"])


@pytest.mark.parametrize(("version", "build"), BUILDS.items())
def test_native_reader_is_the_build_of_that_generation(version, build):
    assert vocabulary.BUILDS[version] == build.partition("-")[0]


def test_generations_without_a_release_have_no_native_reader():
    assert [version for version in range(5) if vocabulary.BUILDS[version] is None] == [1, 2]


def test_v3_row_decoder_checks_the_same_types(written):
    assert vocabulary.row_checked_types() == set(written["versions"]["3"]["row_checked_types"])


def test_v3_row_decoder_checks_surface_types():
    assert vocabulary.SURFACE_TYPES[3] <= vocabulary.row_checked_types()


def test_retired_names_are_those_written_down(written):
    assert set(vocabulary.RETIRED) <= set(written["retired_event_types"])

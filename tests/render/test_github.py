from __future__ import annotations

import pytest

from dshlog.model.place import Place
from dshlog.render.github import commands


def told(finding):
    (line,) = commands([finding], str)
    return line


def test_a_finding_is_one_command(build):
    assert told(build.finding(hint=None)) == (
        "::error file=s/session.v4.jsonl.zstd,line=31,title=S304 replace-omits-shadowed"
        "::event 29 shadows 4, 6, 9 but cites 4, 9"
    )


def test_the_hint_is_a_second_line_of_the_annotation(build):
    assert told(build.finding(message="m", hint="do this")).endswith("::m%0Ado this")


@pytest.mark.parametrize("severity, command", [("error", "error"), ("warning", "warning"), ("note", "notice")])
def test_each_severity_has_its_command(build, severity, command):
    assert told(build.finding(severity=severity)).startswith(f"::{command} ")


def test_what_belongs_to_no_line_has_none(build):
    assert told(build.finding(place=Place(file="a"))).startswith("::error file=a,title=")


@pytest.mark.parametrize("name", ["-", ".", "/elsewhere/a"])
def test_what_lies_in_no_checkout_is_named_in_the_message(build, name):
    line = told(build.finding(hint=None, place=Place(file=name, line=3)))
    assert line == f"::error title=S304 replace-omits-shadowed::{name}:3: event 29 shadows 4, 6, 9 but cites 4, 9"


def test_nothing_from_outside_can_end_a_property_or_begin_a_command(build):
    evil = "a,b:c%d\r\n::error::x"
    line = told(build.finding(message=evil, hint=None, place=Place(file=evil)))
    assert "\n" not in line
    assert "\r" not in line
    assert "file=a%2Cb%3Ac%25d%0D%0A%3A%3Aerror%3A%3Ax,title=" in line
    assert line.endswith("::a,b:c%25d\\r\\n::error::x")

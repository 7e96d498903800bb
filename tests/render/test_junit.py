from __future__ import annotations

from xml.etree import ElementTree as ET  # the documents are our own

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dshlog.model.place import Place
from dshlog.render.junit import Suites, attribute, content


def document(*reports, fail_on="error", store=()):
    suites = Suites(fail_on, str)
    for report in reports:
        suites.log(report)
    suites.store(store)
    root = ET.fromstring(suites.document())  # noqa: S314 - as above
    (suite,) = root
    assert root.attrib == {name: suite.attrib[name] for name in ("tests", "failures", "errors")}
    assert int(suite.attrib["tests"]) == len(suite)
    assert int(suite.attrib["failures"]) == len(suite.findall("*/failure"))
    return suite


def test_a_clean_log_is_a_case_that_holds_nothing(build):
    (case,) = document(build.clean())
    assert (case.tag, case.attrib["name"], len(case)) == ("testcase", build.path, 0)


def test_a_refused_log_is_one_failure_with_all_findings(build):
    other = build.finding(code="S305", name="other", severity="warning")
    (case,) = document(build.refused(findings=(other, build.finding())))
    (failure,) = case
    assert failure.attrib == {
        "type": "refused",
        "message": "S304 replace-omits-shadowed: event 29 shadows 4, 6, 9 but cites 4, 9",
    }
    lines = failure.text.splitlines()
    assert lines[0].startswith(f"{build.path}:31: warning S305 other")
    assert lines[-1].startswith(f"{build.path}: refused; v4 zstd")


@pytest.mark.parametrize("fail_on, tag", [("error", "system-out"), ("warning", "failure"), ("note", "failure")])
def test_what_does_not_fail_is_output(build, fail_on, tag):
    report = build.clean(state="torn", findings=(build.finding(severity="warning"),))
    (case,) = document(report, fail_on=fail_on)
    assert [child.tag for child in case] == [tag]


def test_findings_about_the_roots_are_a_case_of_their_own(build):
    clean, store = document(build.clean(), store=[build.finding(place=Place(file="r"))])
    assert (len(clean), store.attrib["name"]) == (0, "store")
    assert store[0].text.startswith("r: error S304")


def test_no_log_is_a_suite_of_none():
    assert document().attrib["tests"] == "0"


def test_what_xml_cannot_hold_never_reaches_it(build):
    evil = "a\x00\x1b[31m\ufffe\ud800<&>\"'\r\n\tü]]>"
    place = Place(file=evil, line=1)
    (case,) = document(build.refused(path=evil, findings=(build.finding(message=evil, hint=evil, place=place),)))
    assert "<&>" in case[0].attrib["message"]
    assert "<&>" in case[0].text


@given(st.text(st.characters(exclude_categories=())))
def test_every_text_comes_back_but_for_what_xml_lacks(text):
    root = ET.fromstring(f'<a b="{attribute(text)}">{content(text)}</a>'.encode())  # noqa: S314 - as above
    kept = "".join(sign for sign in text if sign in "\n\r\t" or _allowed(sign))
    assert root.attrib["b"] == kept
    assert (root.text or "") == kept


def _allowed(sign):
    number = ord(sign)
    return 0x20 <= number <= 0xD7FF or 0xE000 <= number <= 0xFFFD or number > 0xFFFF

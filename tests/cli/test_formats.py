"""What the formats of CI print for whole runs; the forms themselves are tested beside their writers."""

from __future__ import annotations

import json
import subprocess
import sys
from xml.etree import ElementTree as ET  # the documents are our own

import pytest

from dshlog.cli.main import main


@pytest.fixture
def judge(repository, capfdbinary, monkeypatch):
    """Run validate on fixtures; paths and status as on the command line."""
    monkeypatch.chdir(repository)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)

    def go(*words):
        status = main(["validate", *words])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return go


BROKEN = "fixtures/v4/not-json-in-the-middle-raw"


def test_github_has_a_command_for_each_finding_and_nothing_else(judge):
    status, out, _ = judge("--format", "github", BROKEN, "fixtures/v4/open", "fixtures/v4/clean")
    assert status == 1
    first, second = out.splitlines()
    assert first.startswith(f"::error file={BROKEN}/session.v4.jsonl,line=16,title=L102 not-json::not JSON")
    assert second.startswith("::notice file=fixtures/v4/open/session.v4.jsonl.zstd,title=T101 open-turn::")


def test_gitlab_is_one_array_also_of_nothing(judge):
    assert judge("--format", "gitlab", "fixtures/v4/clean")[:2] == (0, "[\n]\n")
    status, out, _ = judge("--format", "gitlab", BROKEN, "fixtures/v4/open")
    assert status == 1
    assert [issue["check_name"] for issue in json.loads(out)] == ["L102", "T101"]


def test_paths_are_relative_to_the_checkout_of_the_job(judge, repository, monkeypatch):
    monkeypatch.setenv("CI_PROJECT_DIR", str(repository / "fixtures"))
    _, out, _ = judge("--format", "gitlab", BROKEN)
    assert json.loads(out)[0]["location"]["path"] == "v4/not-json-in-the-middle-raw/session.v4.jsonl"
    monkeypatch.setenv("CI_PROJECT_DIR", "relative is no checkout")
    _, out, _ = judge("--format", "gitlab", str(repository / BROKEN))
    assert json.loads(out)[0]["location"]["path"] == f"{BROKEN}/session.v4.jsonl"


def test_sarif_measures_the_lines_of_a_raw_log(judge, repository):
    status, out, _ = judge("--format", "sarif", BROKEN)
    assert status == 1
    (run,) = json.loads(out)["runs"]
    (result,) = run["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    data = (repository / BROKEN / "session.v4.jsonl").read_bytes()
    start = region["byteOffset"]
    assert region["startLine"] == data[:start].count(b"\n") + 1
    assert data[start : start + region["byteLength"] + 1] == data.split(b"\n")[region["startLine"] - 1] + b"\n"


def test_sarif_says_when_not_everything_could_be_read(judge):
    status, out, err = judge("--format", "sarif", "nowhere", "fixtures/v4/clean")
    assert status == 2
    (invocation,) = json.loads(out)["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    (told,) = invocation["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("cannot read nowhere: ")
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "nowhere"
    assert "cannot read nowhere" in err


def test_junit_has_a_case_for_each_log(judge):
    status, out, _ = judge("--format", "junit", "--fail-on", "note", BROKEN, "fixtures/v4/open", "fixtures/v4/clean")
    assert status == 1
    (suite,) = ET.fromstring(out.encode())  # noqa: S314 - as above
    assert [(len(case), case.attrib["name"].split("/")[2]) for case in suite] == [
        (1, "not-json-in-the-middle-raw"), (1, "open"), (0, "clean"),
    ]  # fmt: skip
    assert suite.attrib["failures"] == "2"


def test_junit_has_an_error_for_what_cannot_be_read(judge):
    status, out, _ = judge("--format", "junit", "nowhere", "fixtures/v4/clean")
    assert status == 2
    (suite,) = ET.fromstring(out.encode())  # noqa: S314 - as above
    assert (suite.attrib["tests"], suite.attrib["errors"]) == ("2", "1")
    assert [case.attrib["name"] for case in suite.findall("testcase[error]")] == ["nowhere"]


def test_the_record_is_shown_when_asked_for(judge):
    status, out, _ = judge("--show-content", BROKEN)
    assert status == 1
    assert '\n  text {"type":"session/title","seq":\n                                     ^\n' in out
    assert "\n  text " not in judge(BROKEN)[1]
    assert judge("--show-content", "--format", "json", BROKEN)[0] == 2
    _, out, err = judge("--show-content", BROKEN, "fixtures/v4/clean")
    assert "\n  text " not in out
    assert err == "dshlog: note: --show-content prints records for one log, and with -v for several\n"
    assert judge("--show-content", "-v", BROKEN, "fixtures/v4/clean")[2] == ""


def test_standard_input_cannot_be_shown_a_second_time(judge, repository, monkeypatch):
    data = (repository / BROKEN / "session.v4.jsonl").open("rb")
    with data:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": data})())
        status, out, _ = judge("--show-content", "-")
    assert status == 1
    assert "  text {" not in out


def strings(value):
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, str):
            yield item


# Members whose texts were written by a person, a model or a tool.
CONTENT = frozenset({"text", "arguments", "thinking", "reasoning", "output", "content", "texts", "args", "prompt"})


def contents(value):
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            for name, member in item.items():
                if name in CONTENT:
                    yield from strings(member)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def test_no_message_of_a_finding_holds_what_was_said(repository):
    checked = 0
    for path in sorted((repository / "fixtures").rglob("session*.jsonl")):
        texts = set()
        for line in path.read_bytes().split(b"\n"):
            try:
                texts.update(text for text in contents(json.loads(line)) if len(text) > 12)
            except ValueError:
                continue
        from dshlog.cli.world import World

        with World().source(str(path)) as source:
            report = World().examine(source, str(path), reader="latest", deep=True)
        for finding in report.findings:
            checked += 1
            assert not [text for text in texts if text in finding.message or text in (finding.hint or "")]
    assert checked > 50


MODULES = """
import sys
from dshlog.cli.main import main
main(["validate", "--format", sys.argv[1], sys.argv[2]])
print(*(name for name in sys.modules if name.startswith("dshlog") or "." not in name), file=sys.stderr)
"""


@pytest.mark.parametrize("name", ["text", "json", "github", "gitlab", "sarif", "junit"])
def test_nothing_is_imported_for_another_format(name, repository):
    log = repository / "fixtures/v4/clean/session.v4.jsonl.zstd"
    ran = subprocess.run([sys.executable, "-c", MODULES, name, log], capture_output=True, text=True, check=True)
    loaded = set(ran.stderr.split())
    others = {"github", "gitlab", "sarif", "junit"} - {name}
    assert not loaded & {f"dshlog.render.{other}" for other in others}
    assert not loaded & {"multiprocessing", "rich", "dshlog.report.baseline", "dshlog.report.excerpt", "tempfile"}
    if name == "text":
        assert not loaded & {"dshlog.render.located", "dshlog.render.jsonout", "hashlib", "tomllib"}

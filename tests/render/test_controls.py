"""Nothing that a log or a file name holds reaches a terminal as a control character, in any format."""

from __future__ import annotations

import json
import re

import pytest

from dshlog.cli.main import main

EVIL = "e\x1b[31m\x07\x7f\x9b31m\u202e\u2028\r"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
HEADER = '{"type":"session","version":4,"id":"k","createdAt":1,"isSeeded":false,"delegationDepth":0}\n'


@pytest.fixture
def logs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = json.dumps({"type": EVIL, "seq": 0, "time": 1, "data": {}, "callId": EVIL})
    (tmp_path / f"{EVIL}.jsonl").write_text(HEADER + row + "\n")
    (tmp_path / f"z{EVIL}.jsonl.zstd").write_text(EVIL)
    (tmp_path / f"d{EVIL}.jsonl").mkdir()
    return tmp_path


@pytest.mark.parametrize("form", ["text", "json", "ndjson", "github", "gitlab", "sarif", "junit"])
@pytest.mark.parametrize("paths", [["."], ["-v", "."], [f"{EVIL}.jsonl"], [f"d{EVIL}.jsonl", "."], [f"gone{EVIL}"]])
def test_no_format_prints_a_control_character(logs, capsys, form, paths):
    main(["validate", "--format", form, *paths])
    told = capsys.readouterr()
    assert told.out + told.err
    assert not OBEYED.search(told.out)
    assert not OBEYED.search(told.err)


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_names_the_file_as_it_is(logs, capsys, form):
    main(["validate", "--format", form, f"{EVIL}.jsonl"])
    document = json.loads(capsys.readouterr().out)
    assert (document["logs"][0] if form == "json" else document)["path"] == f"{EVIL}.jsonl"


def test_words_print_none_either(logs, capsys):
    for words in (
        ["ls", "."],
        ["show", f"{EVIL}.jsonl"],
        ["show", "--surface", f"{EVIL}.jsonl"],
        ["cat", f"d{EVIL}.jsonl"],
    ):
        main(words)
        told = capsys.readouterr()
        assert not OBEYED.search(told.out + told.err)

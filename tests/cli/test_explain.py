from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dshlog.cli.main import application
from dshlog.report.explain import in_order, named, nearest
from dshlog.report.explain import severity as worst
from dshlog.rules.advice import ADVICE, NEEDLESS, advice, repair
from dshlog.rules.explanations import LETTERS, STAGES, TEXTS, fallback, looks, refusals
from dshlog.rules.register import BY_CODE, RULES
from dshlog.rules.rule import Rule


def test_a_code_is_explained_with_its_examples(run):
    told = run("explain", "S304")
    assert told.status == 0
    lines = told.out.splitlines()
    assert lines[0] == "S304 replace-omits-shadowed"
    assert "rule      R-092" in lines
    assert "          v4: refused by the relationships of all records" in lines
    assert (
        "  = session.v4.jsonl:6: error S304 replace-omits-shadowed: event 4 shadows 2, 3 but does not cite 3" in lines
    )
    bad, good = (line for line in lines if line.startswith("  > "))
    assert '"sourceEventSeqs":[2],' in bad
    assert '"sourceEventSeqs":[2,3],' in good


@pytest.mark.parametrize("word", ["s304", "Replace-Omits-Shadowed", "S304"])
def test_case_does_not_matter(run, word):
    assert run("explain", word).out.startswith("S304 replace-omits-shadowed\n")


def test_the_beginning_of_codes_lists_them(run):
    lines = run("explain", "S3").out.splitlines()
    assert lines[0] == "S  the surface"
    assert [line.split()[0] for line in lines[1:]] == sorted(code for code in BY_CODE if code.startswith("S3"))


def test_the_beginning_of_names_and_an_id_of_the_specification_list_codes(run):
    assert "T302" in run("explain", "call-").out
    assert "S304" in run("explain", "r-092").out


@pytest.mark.parametrize("words", [(), ("--list",)])
def test_all_codes_are_listed_by_letter(run, words):
    lines = run("explain", *words).out.splitlines()
    assert [line.split()[0] for line in lines if line] == [
        word
        for letter, _ in LETTERS.items()
        for word in (letter, *(rule.code for rule in in_order() if rule.code[0] == letter))
    ]


def test_list_lists_what_is_named(run):
    assert (
        run("explain", "--list", "S304", "T1").out.splitlines()[1].startswith("S304  error    replace-omits-shadowed")
    )


def test_codes_and_beginnings_may_be_mixed(run):
    out = run("explain", "F101", "K7", "F101").out
    assert out.count("F101 empty-file\n") == 1
    assert out.splitlines()[-1].startswith("K701  error")


@pytest.mark.parametrize(
    "word, near",
    [("S3x", "S301"), ("replace-omit-shadowed", "S304"), ("shadowed", "S304"), ("S999", "S201")],
)
def test_an_unknown_code_says_what_is_near(run, word, near):
    told = run("explain", word)
    assert told.status == 2
    assert told.out == ""
    assert told.err.startswith("dshlog: error: no code and no name begins with ")
    assert f"hint: dshlog explain {near}" in told.err


def test_an_empty_word_is_no_beginning(run):
    assert run("explain", "").status == 2


def test_colour_can_be_forced(run):
    assert "\x1b[1;31merror" in run("explain", "--color", "always", "S304").out


def test_json_has_all_that_is_known(run):
    document = json.loads(run("explain", "--json", "S304", "S313", "D104").out)
    assert document["schema"] == 1
    known, _, placed = document["rules"]
    assert (known["code"], known["name"], known["severity"]) == ("S304", "replace-omits-shadowed", "error")
    assert [one["stage"] for one in known["generations"]] == ["adoption"] * 4 + ["relationships"]
    assert [one["build"] for one in known["generations"]] == ["0.1.2", None, None, "0.1.5", "0.2.1"]
    assert known["bad"]["findings"][0]["code"] == "S304"
    assert known["good"]["findings"] == []
    assert placed["bad"]["findings"] is None
    assert placed["bad"]["lines"][0]["differs"] is False


def test_every_code_can_be_printed(run):
    told = run("explain", *BY_CODE)
    assert told.status == 0
    assert told.err == ""
    for rule in RULES:
        assert f"{rule.code} {rule.name}\n" in told.out


# -- the texts


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_text_is_two_to_six_sentences(rule):
    text = TEXTS[rule.code]
    assert 2 <= text.count(". ") + 1 <= 7
    assert text[0].isupper() or text.startswith("dsh")
    assert text.endswith(".")
    assert "  " not in text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_code_says_what_to_do_by_hand_and_what_a_repair_costs(rule):
    told = advice(rule)
    assert rule.code in ADVICE or rule.code[0] in "PSTK"
    assert not told.endswith(".")
    assert "dshlog repair" not in told
    assert "  " not in told
    cost = repair(rule, worst(rule))
    plan = ("dshlog repair FILE plans it; ", f"dshlog repair --fix {rule.code} FILE plans it; ")
    assert cost.startswith(("none is ", "none of the log is ", *plan))


def test_what_to_do_comes_before_what_a_repair_would_cost(run):
    lines = run("explain", "D101").out.splitlines()
    assert lines[-3].startswith("do        rename the file to what the finding says")
    assert lines[-1].startswith("repair    none of the log is needed")
    assert run("explain", "F105").out.endswith("repair    dshlog repair FILE plans it; at best no record is lost\n")
    known = json.loads(run("explain", "--json", "H103").out)["rules"][0]
    assert known["do"].startswith("copy the first line of an export")
    assert known["repair"].startswith("dshlog repair FILE plans it")


def test_advice_speaks_of_codes_that_are_there():
    assert ADVICE.keys() | NEEDLESS.keys() <= BY_CODE.keys()


def test_texts_speak_of_codes_that_are_there():
    assert TEXTS.keys() <= BY_CODE.keys()


def test_a_rule_without_a_text_is_explained_by_its_stages():
    made = fallback(Rule("X101", "x", None, "fr.wn", "s", "w"))
    assert made.startswith("V0: refused by the framing of the file")
    assert made.endswith("V4: not refused: a note.")


def test_every_stage_of_the_register_has_words():
    assert {letter for rule in RULES for letter in rule.stages} <= STAGES.keys() | {"."}


def test_generations_that_do_the_same_are_named_together():
    assert refusals(BY_CODE["F101"]) == ["v0 to v4: refused by the framing of the file, before any record is read"]
    assert refusals(BY_CODE["S315"])[0] == "v0 to v3: does not occur, or is not looked at"


def test_what_only_the_upgrade_refuses_is_a_warning_of_the_old_generations():
    assert [look.severity for look in looks(BY_CODE["T307"])] == ["warning"] * 4 + ["error"]
    assert [look.severity for look in looks(BY_CODE["K101"])] == [None] * 4 + ["error"]


def test_names_and_codes_are_found_and_near_ones_are_few():
    assert named("no-such") is None
    assert len(nearest("e")) <= 3


# -- completion and start-up


@pytest.mark.parametrize(
    "shell, mark", [("bash", "complete -o"), ("zsh", "#compdef dshlog"), ("fish", "complete --command dshlog")]
)
def test_completion_is_shown_for_each_shell(shell, mark, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    ran = subprocess.run(
        [sys.executable, "-m", "dshlog", "--show-completion", shell], capture_output=True, text=True, check=True
    )
    assert mark in ran.stdout
    assert "_DSHLOG_COMPLETE" in ran.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed_without_that_shell_too(shell, monkeypatch):
    monkeypatch.setenv("_DSHLOG_COMPLETE", f"source_{shell}")
    ran = subprocess.run([sys.executable, "-m", "dshlog"], capture_output=True, text=True, check=False)
    assert f"_DSHLOG_COMPLETE=complete_{shell}" in ran.stdout


def test_completion_knows_commands_and_options(monkeypatch):
    monkeypatch.setenv("_DSHLOG_COMPLETE", "complete_bash")
    for words, index, wanted in (("dshlog expl", "1", "explain"), ("dshlog explain --sch", "2", "--schema")):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", index)
        ran = subprocess.run([sys.executable, "-m", "dshlog"], capture_output=True, text=True, check=False)
        assert wanted in ran.stdout.split()


def test_completion_and_explanations_cost_other_commands_nothing():
    assert application()._add_completion
    assert not application("validate")._add_completion
    code = (
        "import sys; from dshlog.cli.main import main; main(['validate', '-']);"
        "print([name for name in sys.modules if name.startswith('dshlog') and 'expla' in name], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True, check=False)
    assert ran.stderr.splitlines()[-1] == b"[]"

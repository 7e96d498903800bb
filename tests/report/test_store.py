"""What dsh makes of a log follows from the names around it and from its header, and from nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.model.report import ReaderVerdict, Report, Torn
from dshlog.model.store import Branch, LogFacts, RootFacts, SessionEntry
from dshlog.report.branch import branch
from dshlog.report.listing import listing
from dshlog.report.store import RELATED, Store
from dshlog.rules.register import BY_CODE, BY_NAME
from dshlog.storage.naming import parse_log_name

PROJECT, CWD = "--home-u-demo--", "/home/u/demo"
V4 = "session.v4.jsonl.zstd"
OPENS = ReaderVerdict(build="0.2.1", opens=True, but=("L105",))
UNKNOWN = ReaderVerdict(build="0.2.1", opens=None)


def path_of(project=PROJECT, segment="s1", name=V4):
    return f"root/{project}/{segment}/{name}"


def report_of(path=None, *found, version=4, **facts):
    """Give a report on a sound log, or on one with the findings of these names."""
    path = path or path_of()
    findings = tuple(
        Finding(code=BY_NAME[name].code, name=name, severity="error", place=Place(file=path, line=line), message="so")
        for line, name in enumerate(found, 2)
    )
    verdict = ReaderVerdict(build="0.2.1", opens=False, first=findings[0].code) if findings else OPENS
    values = {"id": "s1", "cwd": CWD, "encoding": "zstd", "events": 4, "state": "refused" if found else "clean"}
    values |= {"native": verdict, "latest": verdict} | facts
    return Report(path=path, findings=findings, version=version, **values)


def entry(project=PROJECT, segment="s1", *names, linked=False):
    return SessionEntry(project=project, segment=segment, names=names or (V4,), linked=linked)


def root_of(*sessions, **facts):
    return RootFacts(root="root", sessions=sessions or (entry(),), **facts)


def at(project=PROJECT, segment="s1", name=V4, **facts):
    parsed = parse_log_name(name)
    place = {"project": project, "segment": segment, "name": name}
    place |= {"generation": parsed.generation, "encoding": parsed.encoding}
    return LogFacts(**place, siblings=facts.pop("siblings", (name,)), **facts)


def placed(report, facts=None, root=None):
    return Store(root or root_of()).place(report, facts or at())


def codes(report):
    return [found.code for found in report.findings]


def test_a_log_at_its_place_gives_back_its_very_report():
    report = report_of()
    assert placed(report) is report


def test_the_file_name_must_say_the_generation_of_the_header():
    report = placed(report_of(version=0, latest=UNKNOWN))
    (found,) = report.findings
    assert (found.code, found.severity, found.rule) == ("D101", "error", "storage/R15")
    assert found.message == "the file name says v4, the header says v0"
    assert found.hint == "rename it to session.jsonl.zstd"
    assert found.place == Place(
        file=path_of(), line=1, offset=0, frame=0, frame_at=0, seq=None, json_path="$.version"
    )  # fmt: skip
    assert report.state == "refused"
    assert (report.native.opens, report.native.first, report.native.but) == (False, "D101", ())
    assert (report.latest.opens, report.latest.first) == (False, "D101")


def test_a_wrong_name_whose_right_one_is_taken_is_not_to_be_renamed():
    report = placed(report_of(version=3), at(siblings=("session.v3.jsonl.zstd", V4)))
    assert report.findings[0].hint.startswith("session.v3.jsonl.zstd is taken")


def test_the_session_directory_must_be_named_after_the_id():
    report = placed(report_of(id="a/b"))
    (found,) = report.findings
    assert (found.code, found.place.json_path) == ("D102", "$.id")
    assert found.message == "the session directory is 's1', the id 'a/b' belongs into 'a~002Fb'"
    assert found.hint == "rename the directory to a~002Fb"


def test_an_empty_id_names_no_directory():
    assert codes(placed(report_of(id=""))) == ["D102"]


def test_a_copy_of_a_session_directory_is_told_from_a_renamed_one():
    root = root_of(entry(), entry(PROJECT, "s1.bak"))
    report = placed(report_of(path_of(segment="s1.bak")), at(segment="s1.bak"), root)
    (found,) = report.findings
    assert found.code == "D102"
    assert "looks like a copy" in found.hint
    assert found.related == (Place(file=f"root/{PROJECT}/s1"),)


def test_the_project_directory_must_be_named_after_the_cwd():
    report = placed(report_of(cwd="/repo/renamed"))
    (found,) = report.findings
    assert (found.code, found.place.json_path) == ("D103", "$.cwd")
    assert "'--repo-renamed--'" in found.message
    assert found.hint == (
        "move the session directory into --repo-renamed--, or write the cwd of this project into the header"
    )


def test_a_log_without_cwd_has_a_directory_of_its_own():
    assert codes(placed(report_of(cwd=None))) == ["D103"]
    report = report_of(path_of("_no-cwd"), cwd=None)
    assert codes(placed(report, at("_no-cwd"), root_of(entry("_no-cwd")))) == []


@pytest.mark.parametrize("cwd", [None, ""])
def test_a_cwd_that_could_not_be_read_is_not_compared(cwd):
    report = report_of(None, "header-member-malformed", cwd=cwd)
    (found,) = report.findings
    report = replace(report, findings=(replace(found, place=replace(found.place, json_path="$.cwd")),))
    assert codes(placed(report)) == ["H106"]


def test_a_log_whose_header_leads_to_the_same_file_is_at_its_place():
    assert codes(placed(report_of(cwd="/repo/renamed", id="other"), at(resolves=True))) == []


def test_of_a_newer_format_the_directories_are_not_judged():
    report = report_of(None, "header-version-newer", version=5, state="newer", id="other", cwd="/x")
    told = placed(report, at(name="session.v5.jsonl.zstd"))
    assert (codes(told), told.state) == (["H109"], "newer")


def test_a_newer_format_under_a_wrong_name_stays_newer():
    told = placed(report_of(None, "header-version-newer", version=5, state="newer"))
    assert codes(told) == ["D101", "H109"]
    assert (told.state, told.latest.first) == ("newer", "H109")


def test_what_is_no_log_is_not_compared_with_its_header():
    report = report_of(None, "empty-file", version=None, state="not-a-log", id=None, cwd=None)
    assert placed(report) is report


def test_two_project_directories_with_one_session_refuse_both():
    root = root_of(entry(), entry("--x--"), entry("--y--", "s2"))
    report = placed(report_of(), root=root)
    (found,) = report.findings
    assert (found.code, found.related) == ("D104", (Place(file=f"root/--x--/s1/{V4}"),))
    assert (report.state, report.latest.first) == ("refused", "D104")


def test_the_smaller_half_of_a_mixed_root_is_charged():
    root = root_of(encodings=(("raw", 1), ("zstd", 3)))
    raw = path_of(name="session.v4.jsonl")
    assert codes(placed(report_of(raw), at(name="session.v4.jsonl"), root)) == ["D105"]
    assert codes(placed(report_of(), root=root)) == []
    assert codes(placed(report_of(), root=root_of(encodings=(("raw", 3), ("zstd", 1))))) == ["D105"]
    assert codes(placed(report_of(), root=root_of(encodings=(("raw", 1), ("zstd", 1))))) == []


@pytest.mark.parametrize(
    "name, first",
    [
        ("foreign-bytes", "F104"),
        ("header-member-missing", "H104"),
        ("not-json", "L102"),
        ("turn-already-open", "T101"),
        ("unknown-type", "D103"),
    ],
)
def test_dsh_compares_the_path_after_it_scanned_the_records(name, first):
    if name == "turn-already-open":
        name = next(rule.name for rule in BY_CODE.values() if rule.stages[4] == "l")
        first = BY_NAME[name].code
    assert placed(report_of(None, name, cwd="/x")).latest.first == first


@pytest.mark.parametrize("name", ["not-json", "unknown-type", "header-member-missing"])
def test_dsh_compares_the_file_name_before_it_reads_on(name):
    told = placed(report_of(None, name, version=0))
    assert (told.latest.first, codes(told)[0]) == ("D101", "D101")


def test_a_generation_without_a_released_reader_gets_no_native_answer():
    nobody = ReaderVerdict(build=None, opens=None)
    told = placed(report_of(version=2, native=nobody, latest=UNKNOWN))
    assert told.native == nobody
    assert told.latest.opens is False


def test_a_refused_log_is_not_cut():
    assert placed(report_of(cwd="/x", state="torn", torn=Torn(at=1, bytes=2, events=0))).torn is None


def test_a_lower_generation_is_hidden_and_judged_by_content_all_the_same():
    told = placed(report_of(path_of(name="session.jsonl.zstd"), version=0), at(
        name="session.jsonl.zstd", siblings=("session.jsonl.zstd", "session.v3.jsonl.zstd", V4, "session.v5.jsonl")
    ))  # fmt: skip
    (found,) = told.findings
    assert (found.code, found.severity, told.state, told.native.opens) == ("D118", "note", "clean", True)
    assert V4 in found.message


def test_a_branch_of_an_older_generation_is_a_warning_at_the_older_file():
    older = Branch(name="session.jsonl.zstd", seq=40, turns=2)
    told = placed(report_of(), at(branches=(older,)))
    (found,) = told.findings
    assert (found.code, found.severity) == ("D107", "warning")
    assert found.place == Place(file=path_of(name="session.jsonl.zstd"), seq=40)
    assert (told.state, told.latest.opens) == ("clean", True)


def test_a_branch_is_a_turn_that_began_at_a_time_of_its_own():
    def begin(*times):
        return [{"type": "turn/start", "seq": seq, "time": time} for seq, time in enumerate(times)]

    other = [{"type": "turn/end", "seq": 0, "time": 9}]
    assert branch("old", begin(1, 2, 3, 4), begin(1, 2)) == Branch(name="old", seq=2, turns=2)
    assert branch("old", begin(1, 2), begin(0, 1, 2, 3)) is None
    assert branch("old", other, begin(1)) is None
    assert branch("old", begin([], None, "x"), begin()) is None


def test_a_missing_parent_is_a_note():
    (found,) = placed(report_of(parent="gone")).findings
    assert (found.code, found.severity, found.place.json_path) == ("D111", "note", "$.parentSession")
    assert codes(placed(report_of(parent="p 1"), root=root_of(entry(), entry("--x--", "p~00201")))) == []
    assert codes(placed(report_of(parent=""))) == ["D111"]


@pytest.mark.parametrize(
    "cached, events, found", [(None, 4, []), (3, 4, []), (4, 4, ["D112"]), (9, 4, ["D112"]), (9, 10, [])]
)
def test_a_cache_that_knows_a_later_event_is_a_warning(cached, events, found):
    assert codes(placed(report_of(events=events), at(cached=cached))) == found


def test_the_cache_says_nothing_about_a_log_that_is_refused_or_being_written():
    assert codes(placed(report_of(None, "not-json"), at(cached=9))) == ["L102"]
    assert codes(placed(report_of(), at(cached=9, held=True))) == ["D113"]


@pytest.mark.parametrize("facts, code", [({"held": True}, "D113"), ({"size": 10, "grown": 20}, "D114")])
def test_what_is_open_under_a_writer_is_in_progress(facts, code):
    for name in ("open-turn", "torn-frame", "torn-line"):
        rule = BY_NAME[name]
        old = Finding(code=rule.code, name=name, severity="warning", place=Place(file=path_of(), line=3), message="so")
        told = placed(replace(report_of(state="torn"), findings=(old,)), at(**facts))
        assert codes(told) == [rule.code, code]
        assert {found.severity for found in told.findings} == {"note"}
        assert told.findings[0].hint == "in progress: a writer is at work"
        assert told.state == "torn"


@pytest.mark.parametrize("held", [False, None])
def test_a_lock_that_is_free_or_cannot_be_asked_is_not_told(held):
    assert codes(placed(report_of(), at(held=held))) == []


def test_growth_is_told_with_both_sizes():
    assert "10 bytes before it was read and 20" in placed(report_of(), at(size=10, grown=20)).findings[0].message
    assert "its 10 bytes were written to" in placed(report_of(), at(size=10, grown=10)).findings[0].message


# -- what belongs to no single log


def told(store, *tops):
    return [(found.code, found.place.file) for found in store.findings(tops or (".",))]


def test_a_clean_root_has_nothing_to_say():
    store = Store(root_of())
    store.place(report_of(), at())
    assert told(store) == []


def test_the_list_of_dsh_fails_for_one_log_at_a_wrong_place():
    store = Store(root_of())
    store.place(report_of(cwd="/x"), at())
    (found,) = store.findings()
    assert (found.code, found.severity, found.place.file) == ("D115", "warning", "root")
    assert found.related == (Place(file=path_of()),)
    assert "1 log makes" in found.message


def test_the_list_of_dsh_leaves_out_what_has_no_readable_header():
    store = Store(root_of())
    for _ in range(RELATED + 1):
        store.place(report_of(None, "empty-file", version=None, state="not-a-log"), at())
    (found,) = store.findings()
    assert (found.code, len(found.related)) == ("D116", RELATED)
    assert found.message.startswith(f"{RELATED + 1} sessions are missing")


def test_a_hidden_generation_has_no_effect_on_the_list():
    store = Store(root_of())
    facts = at(name="session.jsonl.zstd", siblings=("session.jsonl.zstd", V4))
    store.place(report_of(path_of(name="session.jsonl.zstd"), version=0, cwd="/x"), facts)
    assert told(store) == []


def test_a_twin_that_is_a_link_breaks_the_look_up_alone():
    store = Store(root_of(entry(), entry("--x--", linked=True)))
    assert codes(store.place(report_of(), at())) == ["D104"]
    assert told(store) == [("D110", "root/--x--/s1")]


def test_a_linked_project_directory_is_not_seen_at_all():
    store = Store(root_of(linked_projects=("--y--",)))
    assert codes(store.place(report_of(cwd="/x"), at(project_linked=True))) == ["D103", "D110"]
    assert told(store) == [("D110", "root/--y--")]


def test_each_stray_entry_is_named():
    facts = root_of(flat=("p/x.jsonl",), without_log=("p/s2",), temporaries=("p/s1/t.tmp",), copies=("p/s1/c.bak",))
    store = Store(facts)
    assert told(store) == [
        ("D106", "root/p/x.jsonl"),
        ("D115", "root"),
        ("D116", "root/p/s2"),
        ("D108", "root/p/s1/t.tmp"),
        ("D109", "root/p/s1/c.bak"),
    ]
    severities = {found.code: found.severity for found in store.findings()}
    assert severities == {"D106": "error", "D115": "warning", "D116": "warning", "D108": "note", "D109": "note"}


def test_only_what_was_asked_for_is_told():
    facts = root_of(flat=("p/x.jsonl", "q/x.jsonl"), temporaries=("p/s1/t.tmp", "p/s11/t.tmp"), linked_projects=("l",))
    store = Store(facts)
    assert told(store, "p/s1") == [("D108", "root/p/s1/t.tmp")]
    assert told(store, "q", "r") == [("D106", "root/q/x.jsonl"), ("D115", "root")]
    assert list(store.findings(())) == []


@pytest.mark.parametrize(
    "report, added, entry_kind, effect",
    [
        (report_of(), (), "log", "listed"),
        (report_of(None, "not-json"), (), "log", "listed"),
        (report_of(None, "foreign-bytes"), (), "log", "listed"),
        (report_of(None, "header-member-unknown"), ("directory-differs-from-id",), "log", "skipped"),
        (report_of(None, "header-member-unknown"), ("name-differs-from-version",), "log", "fails"),
        (report_of(None, "header-member-retired"), (), "log", "fails"),
        (report_of(), ("duplicate-id",), "log", "fails"),
        (report_of(), ("mixed-encodings",), "log", "fails"),
        (report_of(), ("directory-differs-from-cwd",), "log", "fails"),
        (report_of(None, "unreadable-entry"), (), "directory", "fails"),
        (report_of(None, "unreadable-entry"), (), "broken-link", "skipped"),
        (report_of(None, "unreadable-entry"), (), "unreadable", None),
    ],
)
def test_effect_on_the_list(report, added, entry_kind, effect):
    assert listing(report, added, entry_kind) == effect


def test_a_bad_header_frame_is_passed_over():
    report = report_of(None, "frame-undecodable")
    (found,) = report.findings
    report = replace(report, findings=(replace(found, place=replace(found.place, frame=0)),))
    assert listing(report, ()) == "skipped"

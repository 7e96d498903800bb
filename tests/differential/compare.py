"""The same logs judged by dsh and by dshlog, and where the two part."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bases import BUILT, LAST, Case
from dshlog.report.examine import examine, named_encoding
from dshlog.report.surface import surface_view
from dshlog.report.upgrade import upgrade
from dshlog.storage.source import BytesSource

BATCH = 500
UNBUILT = {1, 2}  # generations of which no build gives a native answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """One log that is judged differently. `group` puts it together with others of the same kind."""

    case: Case
    group: str
    ours: dict[str, Any]
    theirs: dict[str, Any]
    words: str  # what dsh says


def disagreements(
    cases: Iterable[Case], oracle: Path, shared: Path, *, upgrades: bool = False
) -> Iterator[tuple[Case, str, Disagreement | None]]:
    """Judge each case twice; yields it with what dsh says and with what differs, None when nothing does.

    With `upgrades` the question is not whether the build of its generation opens a log, but what the latest
    makes of it.
    """
    todo = iter(cases)
    while batch := list(islice(todo, BATCH)):
        for case, verdict in zip(batch, ask(batch, oracle, shared), strict=True):
            answer = verdict.get("open") if upgrades else native(verdict)
            words = "no answer" if answer is None else "opens" if answer["ok"] else plain(answer["error"])
            yield case, words, compare_upgrade(case, verdict) if upgrades else compare(case, verdict)


def ask(cases: list[Case], oracle: Path, shared: Path) -> list[dict[str, Any]]:
    """Give dsh's verdict on each case, in order."""
    with tempfile.TemporaryDirectory() as folder:
        requests = []
        for case in cases:
            path = Path(folder) / f"{case.name}{case.suffix}"
            path.write_bytes(case.data)
            requests.append(json.dumps({"file": str(path), "label": case.name, "native": True}))
        command = [sys.executable, str(shared / "oracle/dsh_oracle.py"), "ask", str(oracle), "--requests"]
        done = subprocess.run(command, input="\n".join(requests), capture_output=True, text=True, check=False)
    verdicts = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if len(verdicts) != len(cases):
        message = f"{len(verdicts)} verdicts on {len(cases)} logs: {done.stderr[-2000:]}"
        raise RuntimeError(message)
    return verdicts


def native(verdict: dict[str, Any]) -> dict[str, Any] | None:
    """Give the answer of the generation's own build; None when there is none."""
    version = verdict.get("version")  # as the header has it, so it may be anything
    if "unjudged" in verdict or (type(version) is int and version in UNBUILT):
        return None
    return verdict.get("native", verdict.get("open"))


def compare(case: Case, verdict: dict[str, Any]) -> Disagreement | None:
    """Tell how the verdict and dshlog's own differ."""
    answer = native(verdict)
    if answer is None:
        return None
    theirs, facts = {"opens": answer["ok"]}, answer if "native" in verdict else verdict
    if answer["ok"]:
        theirs |= {"events": facts["events"], "nodes": facts["surface_nodes"], "open": bool(facts["closers"])}
        theirs |= {"cut": answer["torn_truncate_to"], "saved": answer["recovered_tail"]}
    try:
        ours, code = judged(case)
    except Exception as error:  # noqa: BLE001 - a crash is the worst disagreement, so it is collected as one
        ours, code = {"raises": f"{type(error).__name__}: {error}"}, "raises"
    if "tail-scan-fails" in ours.pop("names", ()):
        theirs.pop("open", None)  # dsh fails when it computes the closers, so that its verdict shows none
        ours.pop("open", None)
    if ours == theirs:
        return None
    words = str(answer.get("error", ""))
    differing = sorted(key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key))
    if ours.get("opens") and theirs["opens"]:
        group = f"other facts: {', '.join(differing)}"
    else:
        group = f"ours {code}; dsh {plain(words) or 'opens'}"
    version = verdict.get("version")
    named = f"v{version}" if version in BUILT else "no known version"
    return Disagreement(case=case, group=f"{named}: {group}", ours=ours, theirs=theirs, words=words)


def compare_upgrade(case: Case, verdict: dict[str, Any]) -> Disagreement | None:
    """Tell how dsh's upgrade and dshlog's differ, up to the text of the result."""
    answer, published, version = verdict.get("open"), verdict.get("published"), verdict.get("version")
    if "unjudged" in verdict or answer is None or version not in range(LAST):
        return None
    theirs: dict[str, Any] = {"opens": answer["ok"], "text": None}
    if published is not None and published["ok"]:
        theirs["text"] = (published["rows"] + 1, published["plain_sha256"])
    text: list[bytes] = []
    code = "opens"
    try:
        done = upgrade(BytesSource(case.data), named_encoding(f"session{case.suffix}"), write=text.append)
        ours: dict[str, Any] = {"opens": done.opens, "text": None}
        if not done.refusals:
            whole = b"".join(text)
            ours["text"] = (whole.count(b"\n"), hashlib.sha256(whole).hexdigest())
        code = next((f"{found.edge} {found.name}: {plain(found.message)}" for found in done.refusals), "opens")
    except Exception as error:  # noqa: BLE001 - as above
        ours = {"raises": f"{type(error).__name__}: {error}"}
        code = f"raises {type(error).__name__}: {plain(str(error))}"
    if ours == theirs:
        return None
    words = str(answer.get("error") or (published or {}).get("error") or "")
    group = f"v{version}: ours {code}; dsh {plain(words) or 'opens'}"
    return Disagreement(case=case, group=group, ours=ours, theirs=theirs, words=words)


def judged(case: Case) -> tuple[dict[str, Any], str]:
    """Give dshlog's answer in the same words, with the code at which it stops."""
    name = f"session{case.suffix}"
    report = examine(BytesSource(case.data), name)
    ours: dict[str, Any] = {"opens": report.native.opens}
    if report.native.opens:
        view, _ = surface_view(BytesSource(case.data), name)
        ours |= {"events": report.events, "nodes": list(view.nodes)}
        names = {finding.name for finding in report.findings}
        ours |= {"open": "open-turn" in names, "names": names}
        ours |= {"cut": report.torn.at if report.torn else None, "saved": report.torn.events if report.torn else 0}
    return ours, report.native.first or "opens"


def plain(words: str) -> str:
    """Take out of an error text what differs from log to log."""
    words = re.sub(
        r"\(raw log: .*?\)|(stored )?session \"[^\"]*\"( failed validation)?:|stored log is corrupt:", "", words
    )
    return re.sub(r"\d+", "N", re.sub(r"<root>\S*", "", words)).strip()[:160]

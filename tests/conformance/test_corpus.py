"""Every log that a released dsh wrote reads as dsh itself reads it."""

from __future__ import annotations

import hashlib
from json.encoder import encode_basestring

from dshlog.report.decode import read_log
from dshlog.report.examine import examine
from dshlog.report.surface import surface_view
from dshlog.storage.source import BytesSource


def number(value):
    """Spell a number as JavaScript does: the shortest digits, an exponent from 1e21 on and below 1e-6."""
    sign, text = "-" if value < 0 else "", repr(abs(float(value)))
    digits, _, exponent = text.partition("e")
    if not exponent:
        return sign + digits.removesuffix(".0")
    power, bare = int(exponent), digits.replace(".", "")
    if 0 < power < 21:
        return sign + bare.ljust(power + 1, "0")
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{bare}"
    return f"{sign}{digits}e{power:+d}"


def canonical(value):
    """Write canonical JSON text: member names in code point order, no spaces."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{encode_basestring(name)}:{canonical(value[name])}" for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return number(value)


def fingerprint(messages):
    """Give the SHA-256 of the canonical JSON, in which half a surrogate pair is escaped."""
    return hashlib.sha256(canonical(messages).encode("utf-8", "backslashreplace")).hexdigest()


def test_canonical_text():
    value = {"z": [1e21, 1.5, -0.0, 5e-7, 1.25e-6, 123456789012345680000, True, None], "é": 'a"\n\x01\ud800é', "Z": {}}
    text = '{"Z":{},"z":[1e+21,1.5,0,5e-7,0.00000125,123456789012345680000,true,null],"é":"a\\"\\n\\u0001\\ud800é"}'
    assert canonical(value).encode("utf-8", "backslashreplace").decode() == text


def test_report(shared, written):
    report = examine(BytesSource(written.path.read_bytes()), str(written.path))
    answer, facts = written.answer, written.facts
    assert report.native.opens is answer["ok"] is True
    assert report.state in {"clean", "open", "torn"}
    assert report.events == facts["events"]
    assert report.inherited == facts["inherited"]
    assert (report.torn.at if report.torn else None) == answer["torn_truncate_to"]
    assert (report.torn.events if report.torn else 0) == answer["recovered_tail"]
    assert any(finding.name == "open-turn" for finding in report.findings) == bool(facts["closers"])
    assert report.surface is not None
    assert (report.surface.nodes, report.surface.messages) == (len(facts["surface_nodes"]), facts["messages"])


def test_surface(shared, written):
    view, _ = surface_view(BytesSource(written.path.read_bytes()), str(written.path))
    assert list(view.nodes) == written.facts["surface_nodes"]
    replacements = [
        {"seq": change.seq, "start": change.start, "end": change.end, "shadowedSeqs": list(change.shadowed)}
        for change in view.replacements
    ]
    assert replacements == written.facts["replacements"]


def test_events_and_messages(shared, written):
    data = written.path.read_bytes()
    seqs = [event["seq"] for event, _ in read_log(BytesSource(data), str(written.path)).events()]
    assert seqs == list(range(written.facts["events"]))
    messages = list(read_log(BytesSource(data), str(written.path)).messages())
    assert len(messages) == written.facts["messages"]
    assert fingerprint(messages) == written.facts["messages_sha256"]


def test_corpus_is_whole(shared, corpus_size):
    listed = (shared / "corpus/index.txt").read_text(encoding="utf-8").splitlines()
    assert corpus_size == len(listed)

"""What the register says that a repair costs is what repairs of small logs cost."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest
from test_remedies import LOSSLESS, TURN, V0, V4, advertised_twice, called, changed, dumped, first

import build
import dbbuilder
from dshlog.files.databases import Databases
from dshlog.repair.planner import Wishes, plan_repair
from dshlog.repair.remedies.table import LEFT_ALONE
from dshlog.report.examine import examine
from dshlog.rules.advice import NEEDLESS
from dshlog.rules.examples import EXAMPLES
from dshlog.rules.register import BY_CODE
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
RANK = ("none", "lossy", "lossless")


def with_system():
    """Give lines whose request/header says again what a system/message says."""
    index = first(V4, "request/header")
    data = json.loads(V4[index])["data"]
    text = next(json.loads(line) for line in V4 if b'"system/message"' in line)["data"]["message"]["content"][0]["text"]
    return changed(V4, index, data={**data, "header": {**data["header"], "system": text}})


def packed_again():
    """Give lines in which a packed row stands twice, the first time with fewer chunks."""
    index = next(index for index, line in enumerate(V0) if b"text-chunks" in line)
    row = json.loads(V0[index])
    short = {**row, "data": {**row["data"], "texts": row["data"]["texts"][:2], "dt": row["data"]["dt"][:1]}}
    return [*V0[:index], dumped(short), *V0[index:]]


def steering():
    """Give lines with a steering message that names no turn that is a count."""
    index = first(V0, "user/message")
    data = json.loads(V0[index])["data"]
    return changed(
        V0, index, type="steering/message", data={"turn": "one", "content": data["content"], "source": data["source"]}
    )


def without_message_id(kind):
    """Give lines in which the message of a record has no id."""
    index = first(V4, kind)
    data = json.loads(V4[index])["data"]
    message = {name: value for name, value in data["message"].items() if name != "id"}
    return changed(V4, index, data={**data, "message": message})


MORE = [
    ("session.jsonl", steering()),
    ("session.jsonl", called(0, block={"id": ""}, call={"callId": ""}, result_id="")[0]),
    ("session.jsonl", packed_again()),
    ("session.v4.jsonl", advertised_twice()),
    ("session.v4.jsonl", with_system()),
    ("session.v4.jsonl", [*V4, b"[1]\n"]),
    ("session.v4.jsonl", changed(V4, TURN, time=-0.0)),
    ("session.v4.jsonl", without_message_id("tool/result")),
]


def logs():
    """Yield small damaged logs: a name, the bytes."""
    for example in EXAMPLES.values():
        if example.bad_tree is None and not example.scaled and not example.folded:
            yield example.name, example.data("bad")
    for path in sorted(FIXTURES.glob("*/*/session*")):
        yield path.name, path.read_bytes()
    for name, lines in [*(("session.v4.jsonl", lines) for lines in LOSSLESS.values()), *MORE]:
        yield name, b"".join(lines)


def sessions(folder):
    """Yield the damaged sessions of small databases: a name, the source."""
    databases = Databases()
    for code, example in EXAMPLES.items():
        if code[0] != "B" or example.bad_tree["sessions.db"].text is not None:
            continue
        path = folder / f"{code}.db"
        entry = example.bad_tree["sessions.db"]
        dbbuilder.lay(path, entry.lines().splitlines(), sql=entry.sql, beside=entry.beside, zero=entry.zero)
        for found in databases.expand(str(path), asked=True):
            if found.kind == "log":
                with databases.source(found.path) as source:
                    yield found.path, source
    databases.close()


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """The cheapest cure that was seen of each code."""
    best = {}
    files = ((name, BytesSource(data)) for name, data in logs())
    for name, source in chain(files, sessions(tmp_path_factory.mktemp("databases"))):
        report = examine(source, name, upgrade="small")
        codes = {found.code for found in report.findings if found.severity != "note" or found.code == "T101"}
        cost = cost_of(name, source, codes)
        for code in codes:
            best[code] = max(best.get(code, "none"), cost, key=RANK.index)
    return best


def cost_of(name, source, codes):
    wanted = frozenset(BY_CODE[code].name for code in codes - {"T101"}) - LEFT_ALONE
    plan = plan_repair(source, name, Wishes(now=1, fix=wanted, keep="first"))
    if plan.script is None or plan.healthy or plan.remains is not None:
        return "none"
    return "lossy" if plan.lossy else "lossless"


@pytest.mark.parametrize("code", BY_CODE)
def test_the_register_says_the_best_that_was_seen(code, seen):
    if code not in NEEDLESS:
        assert BY_CODE[code].remedy == seen.get(code, "none")

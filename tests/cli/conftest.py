"""A world of a few logs in memory, and a way to run the command line in it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field

import pytest

from dshlog.cli.main import main
from dshlog.cli.world import World
from dshlog.files.find import Found
from dshlog.files.unreadable import Unreadable
from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.model.report import ReaderVerdict, Report
from dshlog.model.view import SurfaceRow, SurfaceView
from dshlog.storage.source import BytesSource

FAULTS = {"refused": "error", "torn": "warning", "open": "note"}


def report_of(path, state="clean", events=4):
    severity = FAULTS.get(state)
    findings = ()
    if severity:
        place = Place(file=path, line=3, offset=20)
        findings = (Finding(code="S304", name="some-name", severity=severity, place=place, message="it is so"),)
    opens = ReaderVerdict(build="0.2.1", opens=severity != "error", first="S304" if severity == "error" else None)
    return Report(
        path=path, state=state, native=opens, latest=opens, findings=findings, version=4, encoding="raw", events=events
    )


@dataclass
class Decoded:
    """What the core hands out for one log."""

    report: Report
    header_line: bytes | None = b'{"type":"session"}'
    stored: list = field(default_factory=list)

    def records(self):
        yield from (line for _, line in self.stored if line is not None)

    def events(self):
        yield from self.stored

    broken: tuple = ()

    def chunks(self):
        for seq, turn in ((3, 1), (7, 2)):
            yield {"seq": seq, "turn": turn, "step": 1, "attempt": 1, "time": 5, "chunk": {"type": "usage"}}

    def messages(self):
        yield {"role": "user", "content": "hi"}


class FakeWorld(World):
    """Logs by path; what a directory holds is a list of found things."""

    def __init__(self):
        self.logs = {}
        self.found = {}
        self.events = []
        self.readers = []
        self.deep = []
        self.upgrades = []
        self.broken = None
        self.asked = []

    def default_root(self):
        return "root"

    def find(self, path, *, all_generations=False):
        self.asked.append((path, all_generations))
        if path in self.found:
            yield from self.found[path]
        elif path in self.logs:
            yield Found(path=path)
        else:
            yield Found(path=path, kind="unreadable", note="no such file or directory", hints=("look again",))

    def source(self, path):
        if path != "-" and path not in self.logs:
            raise Unreadable(f"cannot read {path}: permission denied", ("be its owner",), why="permission denied")
        return nullcontext(BytesSource(b""))

    def examine(self, source, path, *, reader, deep=False, extra_types=frozenset(), upgrade="never"):  # noqa: ARG002 - nothing is read here
        if self.broken:
            raise self.broken
        self.readers.append(reader)
        self.deep.append((deep, extra_types))
        self.upgrades.append(upgrade)
        return report_of(path, self.logs.get(path, "clean"))

    def surface_view(self, source, path, *, at):  # noqa: ARG002 - as above
        row = SurfaceRow(
            position=0, seq=2, type="user/message", role="user", turn=1, step=1, chars=2, source="user",
            text="hi\nthere", replaced=(),
        )  # fmt: skip
        view = SurfaceView(path=path, version=4, at=at, nodes=(2,), replacements=(), rows=(row,))
        return view, report_of(path, self.logs.get(path, "clean"))

    def read_log(self, source, path):  # noqa: ARG002 - as above
        return Decoded(report_of(path, self.logs.get(path, "clean")), stored=self.events)


@dataclass
class Ran:
    """What one run left behind."""

    status: int
    out: str
    err: str


@pytest.fixture
def say(capfdbinary):
    """Run the command line in this process: (exit status, standard output, standard error)."""

    def go(*words):
        status = main([str(word) for word in words])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return go


@pytest.fixture
def world():
    return FakeWorld()


@pytest.fixture
def run(world, capfdbinary):
    def go(*words):
        status = main(list(words), world=world)
        out, err = capfdbinary.readouterr()
        return Ran(status, out.decode(), err.decode())

    return go

"""Small reports and surfaces, built by hand."""

from __future__ import annotations

import pytest

from dshlog.model.finding import Finding
from dshlog.model.place import Place
from dshlog.model.report import ReaderVerdict, Report, SurfaceSize, Tail, Torn
from dshlog.model.surface import Replacement
from dshlog.model.view import SurfaceRow, SurfaceView

PATH = "s/session.v4.jsonl.zstd"


class Build:
    """Values with one thing changed at a time."""

    path = PATH

    def finding(self, **changed):
        values = {
            "code": "S304",
            "name": "replace-omits-shadowed",
            "severity": "error",
            "rule": "R-092",
            "message": "event 29 shadows 4, 6, 9 but cites 4, 9",
            "hint": "cite every shadowed seq",
            "place": Place(
                file=PATH, line=31, offset=40112, frame=3, frame_at=18204, seq=29, json_path="$.sourceEventSeqs"
            ),
            "related": (Place(file=PATH, line=8, seq=6),),
            "follows": 4,
        }
        return Finding(**(values | changed))

    def reader(self, build="0.2.1", opens=True, **changed):  # noqa: FBT002 - shortest where it is used
        return ReaderVerdict(build=build, opens=opens, **changed)

    def clean(self, **changed):
        values = {
            "path": PATH,
            "state": "clean",
            "native": self.reader(),
            "latest": self.reader(),
            "findings": (),
            "id": "session-1",
            "cwd": "/work",
            "version": 4,
            "encoding": "zstd",
            "bytes": 12886,
            "frames": 5,
            "records": 27,
            "events": 53,
            "surface": SurfaceSize(nodes=7, replacements=1, messages=7),
        }
        return Report(**(values | changed))

    def refused(self, **changed):
        stops = self.reader(opens=False, first="S304")
        values = {
            "state": "refused",
            "native": stops,
            "latest": stops,
            "findings": (self.finding(),),
            "torn": Torn(at=12001, bytes=885, events=2),
            "tail": Tail(turn=1, step=1, calls=("call_7",)),
        }
        return self.clean(**(values | changed))

    def row(self, position=0, **changed):
        values = {
            "position": position,
            "seq": position * 4,
            "type": "user/message",
            "role": "user",
            "turn": 1,
            "step": 1,
            "chars": 5,
            "source": "user",
            "text": "hello",
            "replaced": (),
        }
        return SurfaceRow(**(values | changed))

    def view(self, *rows, **changed):
        values = {
            "path": PATH,
            "version": 4,
            "at": None,
            "nodes": tuple(row.seq for row in rows),
            "replacements": tuple(
                Replacement(seq=row.seq, start=row.replaced[0], end=row.replaced[-1], shadowed=row.replaced)
                for row in rows
                if row.replaced
            ),
            "rows": rows,
        }
        return SurfaceView(**(values | changed))


@pytest.fixture
def build():
    return Build()

"""Reading changes nothing, and what `cat` prints is a log that says the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import build
from dshlog.cli.main import main
from dshlog.report.decode import read_log
from dshlog.report.examine import examine
from dshlog.report.surface import surface_view
from dshlog.storage.source import BytesSource

FIXTURES = Path(build.__file__).parent
LOGS = sorted(FIXTURES.glob("v[0-4]/*/session*"))
SOUND = [path for path in LOGS if examine(BytesSource(path.read_bytes()), str(path)).state in {"clean", "open", "torn"}]


def state_of(folder):
    """Give everything that a write would change."""
    return {
        path.relative_to(folder): (
            path.stat().st_mtime_ns,
            path.stat().st_ino,
            path.read_bytes() if path.is_file() else None,
        )
        for path in [folder, *folder.rglob("*")]
    }


def test_nothing_is_changed(tmp_path, capfdbinary):
    root = tmp_path / "logs"
    shutil.copytree(FIXTURES, root, ignore=shutil.ignore_patterns("*.py", "__pycache__", "vectors", "case.toml"))
    before = state_of(root)
    logs = [str(path) for path in before if path.name.startswith("session")]
    for words in (
        ["validate", str(root)],
        ["validate", "--format", "json", str(root)],
        ["cat", str(root)],
        ["ls", str(root)],
        ["stats", str(root)],
        ["repair", str(root)],
        ["repair", "--json", "--diff", "--allow-loss", "--keep", "first", str(root)],
        ["migrate", "--check", str(root)],
    ):
        assert main(words) in {0, 1}, words
    for log in sorted(logs)[::7]:
        for command in ("show", "cat", "validate"):
            assert main([command, str(root / log)]) in {0, 1}
    capfdbinary.readouterr()
    assert state_of(root) == before


@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.parent.relative_to(FIXTURES).as_posix())
def test_printed_log_says_the_same(path, capfdbinary):
    main(["cat", "--header", str(path)])
    printed, _ = capfdbinary.readouterr()
    first, second = BytesSource(path.read_bytes()), BytesSource(printed)
    view, report = surface_view(first, str(path))
    again, beside = surface_view(second, "session.jsonl")
    assert (again.nodes, again.replacements, again.rows) == (view.nodes, view.replacements, view.rows)
    assert (beside.events, beside.inherited, beside.tail) == (report.events, report.inherited, report.tail)
    assert beside.state == ("open" if any(finding.name == "open-turn" for finding in report.findings) else "clean")
    assert beside.native.opens == report.native.opens
    assert beside.records == beside.events
    assert list(read_log(second, "session.jsonl").messages()) == list(read_log(first, str(path)).messages())

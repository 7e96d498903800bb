"""The architecture holds: who may import whom, who opens files, who prints, what start-up loads."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import dshlog

ROOT = Path(dshlog.__file__).parent
TOP = "top"  # dshlog/__init__.py and dshlog/__main__.py: above everything
LAYERS = [  # lowest first; the neighbours of one row are strangers
    {"model"},
    {"storage"},
    {"codec"},
    {"fold"},
    {"rules"},
    {"migrate"},
    {"report"},
    {"repair"},
    {"files", "render"},
    {"cli"},
    {TOP},
]
DATA = {"schemas"}  # folders that hold files to ship and no Python
RANK = {name: row for row, names in enumerate(LAYERS) for name in names}
MODULES = sorted(ROOT.rglob("*.py"))

ONLY_STORAGE_ZSTD = "zstandard"
FILE_LAYERS = {"files", "cli"}
PRINTING_LAYERS = {"cli"}
READING_METHODS = {"read_bytes", "read_text", "write_bytes", "write_text"}
LATE = {"rich", "json", "multiprocessing", "concurrent"}  # too slow to load before they are needed


def layer_of(module: Path) -> str:
    parts = module.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else TOP


def layer_of_name(name: str) -> str | None:
    """Give the layer that an imported name belongs to, None outside dshlog."""
    package, *rest = name.split(".")
    if package != "dshlog":
        return None
    return rest[0] if rest and rest[0] in RANK else TOP


def may_import(here: str, there: str) -> bool:
    """Tell whether a layer knows another: itself, and the rows below its own; the command line knows everything."""
    return here in {there, "cli"} or RANK[there] < RANK[here]


def imported(node: ast.AST) -> list[str]:
    """Give the absolute names that an import statement brings in."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def at_import_time(tree: ast.Module) -> list[ast.AST]:
    """Give the nodes that run when the module is loaded: function bodies and typing-only blocks left out."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))
    return found


@pytest.fixture(params=MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def module(request):
    return request.param


@pytest.fixture
def tree(module):
    return ast.parse(module.read_text(encoding="utf-8"), module.name)


def places(module: Path, nodes: list[ast.AST]) -> list[str]:
    return [f"{module.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}" for node in nodes]


def test_every_package_has_a_layer():
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - DATA <= RANK.keys()


@pytest.mark.parametrize("folder", sorted(DATA))
def test_data_folder_holds_no_code(folder):
    assert {path.suffix for path in (ROOT / folder).iterdir()} == {".json"}


def test_layer_imports_only_itself_and_lower_ones(module, tree):
    here = layer_of(module)
    upward = [
        node
        for node in ast.walk(tree)
        for name in imported(node)
        if (there := layer_of_name(name)) is not None and not may_import(here, there)
    ]
    assert not places(module, upward)


def test_imports_are_absolute(module, tree):
    relative = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    assert not places(module, relative)


def test_only_one_module_touches_the_compressor(module, tree):
    touching = [
        node for node in ast.walk(tree) if any(name.partition(".")[0] == ONLY_STORAGE_ZSTD for name in imported(node))
    ]
    if module != ROOT / "storage" / "zstd.py":
        assert not places(module, touching)


def test_only_files_and_cli_open_files(module, tree):
    if layer_of(module) in FILE_LAYERS:
        return
    opening = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and opens_a_file(node.func)]
    assert not places(module, opening)


def opens_a_file(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return ast.unparse(function) in {"os.open", "io.open"} or function.attr in READING_METHODS
    return isinstance(function, ast.Name) and function.id == "open"


def test_only_cli_prints(module, tree):
    if layer_of(module) in PRINTING_LAYERS:
        return
    printing = [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print")
        or (isinstance(node, ast.Attribute) and ast.unparse(node) in {"sys.stdout", "sys.stderr"})
    ]
    assert not places(module, printing)


def test_slow_modules_are_loaded_where_they_are_needed(module, tree):
    if layer_of(module) == "render":
        return
    early = [node for node in at_import_time(tree) if any(name.partition(".")[0] in LATE for name in imported(node))]
    assert not places(module, early)


@pytest.mark.parametrize(
    ("here", "there", "allowed"),
    [
        ("report", "model", True),
        ("repair", "report", True),
        ("report", "repair", False),
        ("model", "report", False),
        ("files", "render", False),
        ("render", "files", False),
        ("cli", "render", True),
        ("fold", "fold", True),
        ("cli", TOP, True),
        ("report", TOP, False),
    ],
)
def test_layer_rule(here, there, allowed):
    assert may_import(here, there) is allowed


def test_imports_inside_functions_are_not_early():
    tree = ast.parse("import os\ndef late():\n    import json\nclass C:\n    import rich\n")
    assert {name for node in at_import_time(tree) for name in imported(node)} == {"os", "rich"}

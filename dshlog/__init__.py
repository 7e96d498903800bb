"""Inspects, validates and repairs the session logs of dsh: the library behind the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dshlog.codec.packing import ChunkRowError, pack_chunk_runs, unpack_chunk_runs
    from dshlog.fold.request import Request, request_at
    from dshlog.fold.surface import SurfaceFolder, derive_messages, fold_surface
    from dshlog.library import Log, Migrated, apply, diff, open_log, plan_repair, validate
    from dshlog.model.comparison import Change, Comparison, Difference, Unit
    from dshlog.model.finding import Finding
    from dshlog.model.header import Header
    from dshlog.model.place import Place
    from dshlog.model.report import Report
    from dshlog.model.surface import Replacement, Surface, SurfaceError
    from dshlog.repair.closers import closing, fork_seed
    from dshlog.repair.plan import Plan

__version__ = "0.1.0"

__all__ = [
    "Change",
    "ChunkRowError",
    "Comparison",
    "Difference",
    "Finding",
    "Header",
    "Log",
    "Migrated",
    "Place",
    "Plan",
    "Replacement",
    "Report",
    "Request",
    "Surface",
    "SurfaceError",
    "SurfaceFolder",
    "Unit",
    "__version__",
    "apply",
    "closing",
    "derive_messages",
    "diff",
    "fold_surface",
    "fork_seed",
    "open_log",
    "pack_chunk_runs",
    "plan_repair",
    "request_at",
    "unpack_chunk_runs",
    "validate",
]

_HOMES = {
    "Change": "dshlog.model.comparison",
    "ChunkRowError": "dshlog.codec.packing",
    "Comparison": "dshlog.model.comparison",
    "Difference": "dshlog.model.comparison",
    "Finding": "dshlog.model.finding",
    "Header": "dshlog.model.header",
    "Log": "dshlog.library",
    "Migrated": "dshlog.library",
    "Place": "dshlog.model.place",
    "Plan": "dshlog.repair.plan",
    "Replacement": "dshlog.model.surface",
    "Report": "dshlog.model.report",
    "Request": "dshlog.fold.request",
    "Surface": "dshlog.model.surface",
    "SurfaceError": "dshlog.model.surface",
    "SurfaceFolder": "dshlog.fold.surface",
    "Unit": "dshlog.model.comparison",
    "apply": "dshlog.library",
    "closing": "dshlog.repair.closers",
    "derive_messages": "dshlog.fold.surface",
    "diff": "dshlog.library",
    "fold_surface": "dshlog.fold.surface",
    "fork_seed": "dshlog.repair.closers",
    "open_log": "dshlog.library",
    "pack_chunk_runs": "dshlog.codec.packing",
    "plan_repair": "dshlog.library",
    "request_at": "dshlog.fold.request",
    "unpack_chunk_runs": "dshlog.codec.packing",
    "validate": "dshlog.library",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes have any type
    """Import a public name when it is first asked for, so that the command line starts quickly."""
    home = _HOMES.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value

"""Settings of `validate` that a project keeps in a file: `dshlog.toml`, or `[tool.dshlog]` of `pyproject.toml`."""
# ruff: noqa: PTH109, PTH113, PTH118, PTH120 - paths are texts here

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, cast

from dshlog.cli.failure import Failure
from dshlog.cli.output import say
from dshlog.render.words import path_name

if TYPE_CHECKING:
    from collections.abc import Mapping

OWN, SHARED = "dshlog.toml", "pyproject.toml"

_WORDS = ("select", "ignore")
_FILES = ("baseline", "vocabulary")
_TEXTS = ("fail-on", "format", "reader")
# What any spelling of our table begins with; parsing the files of others would cost time at every start.
_OURS = re.compile(rb"""tool["']?\s*\.\s*["']?dshlog|^\s*\[?\s*["']?tool["']?\s*[]=]""", re.MULTILINE)
KEYS = (*_WORDS, "severity", *_FILES, *_TEXTS, "deep")


def settings(path: str | None = None, *, start: str | None = None) -> tuple[str | None, dict[str, Any]]:
    """Give the file that holds settings and what it says, spelled as the command line would.

    Lists become tuples of texts, a severity "CODE=LEVEL", a path one that holds from the working directory.

    Args:
        path: the file to take; None looks for the nearest one from `start` upwards.
        start: a directory; None is the working directory.

    Raises:
        Failure: the file is not TOML, or holds a key or a value that is none of ours.
        Unreadable: it cannot be read.
    """
    found = _nearest(start or _here()) if path is None else (path, _table(path, needed=True))
    if found is None:
        return None, {}
    file, table = found
    unknown = [key for key in table or {} if key not in KEYS]
    if unknown:
        message = f"{path_name(file)} has the unknown key {unknown[0]}"
        raise Failure(message, f"the keys are {', '.join(KEYS)}")
    return file, {key: _value(file, key, value) for key, value in (table or {}).items()}


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # The process stands in a directory that is gone.
        return os.sep


def _nearest(start: str) -> tuple[str, Mapping[str, Any]] | None:
    """Look in one directory after another; a pyproject.toml that does not speak of our table does not count."""
    directory = start
    while True:
        for name in (OWN, SHARED):
            path = os.path.join(directory, name)
            if os.path.isfile(path) and (table := _table(path)) is not None:
                return path, table
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def _table(path: str, *, needed: bool = False) -> Mapping[str, Any] | None:
    from dshlog.files.unreadable import Unreadable
    from dshlog.files.whole import read_whole

    shared = os.path.basename(path) == SHARED  # noqa: PTH119 - as above
    try:
        data = read_whole(path)
    except Unreadable as error:
        if needed or not shared:
            raise
        # It may be the affair of others, so the run goes on; but it may hold our table as well.
        say("warning", f"{error.message}; no settings are taken from it")
        return None
    if shared and not needed and not _OURS.search(data):
        return None
    import tomllib

    try:
        value = tomllib.loads(data.decode("utf-8"))
    except ValueError as error:
        message = f"{path_name(path)} is not TOML: {error}"
        raise Failure(message) from error
    if not shared:
        return value
    tool = value.get("tool")
    table = tool.get("dshlog") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        message = f"tool.dshlog of {path_name(path)} is no table"
        raise Failure(message)
    return cast("Mapping[str, Any] | None", table)


def _value(file: str, key: str, value: object) -> object:
    if key == "deep" and isinstance(value, bool):
        return value
    if key in _TEXTS and isinstance(value, str):
        return value
    if key == "baseline" and isinstance(value, str):
        return _beside(file, value)
    if key == "severity" and isinstance(value, dict) and all(isinstance(level, str) for level in value.values()):
        return tuple(f"{code}={level}" for code, level in value.items())
    texts = [value] if isinstance(value, str) else value
    if key in (*_WORDS, "severity", "vocabulary") and isinstance(texts, list) and _all_texts(texts):
        return tuple(_beside(file, text) for text in texts) if key == "vocabulary" else tuple(texts)
    wanted = {"deep": "true or false", "severity": "a table of codes and levels"}.get(key, "a text")
    if key in (*_WORDS, "vocabulary"):
        wanted = "a list of texts"
    message = f"{key} of {path_name(file)} is not {wanted}"
    raise Failure(message)


def _all_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _beside(file: str, path: str) -> str:
    return os.path.join(os.path.dirname(file), path)

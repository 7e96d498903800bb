"""Event types of a build or a plugin, from files that `--vocabulary` names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dshlog.cli.failure import Failure
from dshlog.render.words import PREVIEW, cut, path_name

if TYPE_CHECKING:
    from collections.abc import Iterable


# Every type has a part before and one behind a slash; a plugin may put its name in front with a colon.
_TYPE = re.compile(r"[\w.:@-]+(/[\w.:@-]+)+|plugin:[\w.:@/-]+")


def vocabulary(paths: Iterable[str]) -> frozenset[str]:
    """Give the event types in the files: one a line, `#` begins a comment; or a JSON list of texts.

    Raises:
        Failure: a file holds something else.
        Unreadable: a file cannot be read.
    """
    from dshlog.files.whole import read_whole

    return frozenset(name for path in paths for name in _names(path, read_whole(path)))


def _names(path: str, data: bytes) -> list[str]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path_name(path)} is not UTF-8"
        raise Failure(message) from error
    if text.lstrip().startswith("["):
        from dshlog.storage.jsontext import NotJSON, loads

        try:
            value = loads(text.encode())
        except NotJSON as error:
            message = f"{path_name(path)} is not JSON: {error}"
            raise Failure(message) from error
        if not isinstance(value, list) or not all(isinstance(name, str) and _TYPE.fullmatch(name) for name in value):
            message = f"{path_name(path)} is no list of event types"
            raise Failure(message, 'such as ["acme/step", "acme/note"]')
        return value
    lines = [(number, line.partition("#")[0].strip()) for number, line in enumerate(text.split("\n"), 1)]
    for number, name in lines:
        if name and not _TYPE.fullmatch(name):
            message = f"{path_name(path)}:{number} has a line that is no event type: {cut(name, PREVIEW)}"
            raise Failure(message, "one type a line, such as acme/step")
    return [name for _, name in lines if name]

"""Find a session of a root by its id, or by the beginning of it; names alone are looked at."""
# ruff: noqa: PTH118, PTH208

from __future__ import annotations

import os

from dshlog.files.unreadable import refuse_lost, unreadable
from dshlog.storage.naming import decode_segment, parse_log_name

PREFIX = "session-"  # what dsh puts before the random part of the id of a session; a subagent has none
SHORTEST = 6  # characters that the beginning of an id must have


def sessions_named(root: str, text: str) -> dict[str, list[str]]:
    """Give the session directories whose id is a text, else those whose id begins with it, by id.

    The `session-` that the id of a session begins with may be left out of a beginning. Directories without a log are passed over, those that are links are not. A beginning shorter than
    `SHORTEST` finds nothing.

    Raises:
        Unreadable: the root cannot be listed.
    """
    exact: dict[str, list[str]] = {}
    begun: dict[str, list[str]] = {}
    refuse_lost(root)
    try:
        projects = sorted(os.listdir(root))
    except (OSError, ValueError) as error:
        raise unreadable(root, error) from error
    for project in projects:
        directory = os.path.join(root, project)
        for segment in _names(directory):
            id_ = decode_segment(segment)
            if id_ is None or not (id_.startswith(text) or id_.removeprefix(PREFIX).startswith(text)):
                continue
            place = os.path.join(directory, segment)
            if any(parse_log_name(name) is not None for name in _names(place)):
                (exact if id_ == text else begun).setdefault(id_, []).append(place)
    return exact or (begun if len(text) >= SHORTEST else {})


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except (OSError, ValueError):
        return []  # no directory, or one that the walk over the root tells of

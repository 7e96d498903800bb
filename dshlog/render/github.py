"""Findings as workflow commands of GitHub Actions, which become annotations."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dshlog.render.rows import message_words
from dshlog.render.text import where
from dshlog.render.words import path_name, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dshlog.model.finding import Finding

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def commands(findings: Iterable[Finding], path: Callable[[str], str]) -> Iterator[str]:
    """Yield one line for each finding; `path` says how its file is named.

    What lies in no checkout cannot be annotated: there the message begins with the path.
    """
    for finding in findings:
        place = finding.place
        file, number = place.on_disk
        name = path(file)
        inside = not (name in ("-", ".") or os.path.isabs(name))  # noqa: PTH117 - paths are texts here
        properties = {"file": name} if inside else {}
        if inside and number is not None:
            properties["line"] = str(number)
        properties["title"] = f"{finding.code} {finding.name}"
        named = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        text = visible(message_words(finding))
        if not inside:
            text = f"{where(place) if place.row is None else path_name(file)}: {text}"
        if finding.hint:
            text += f"\n{visible(finding.hint)}"
        yield f"::{_COMMANDS[finding.severity]} {named}::{_data(text)}"


def _data(text: str) -> str:
    # GitHub turns these three back; any other control character is only shown to whoever reads the job in a terminal.
    return path_name(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

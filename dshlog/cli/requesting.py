"""Which requests of a log are asked for, and which there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dshlog.cli.failure import Failure

if TYPE_CHECKING:
    from dshlog.model.report import Report
    from dshlog.model.request import Name
    from dshlog.report.examine import Children
    from dshlog.report.request import Requests
    from dshlog.storage.source import Source

PREVIOUS: Literal["previous"] = "previous"

_DIGITS = 10  # of a number on the command line


def request_name(text: str) -> Name:
    """Read `N` or `N.K`: the K-th call of the model under the N-th request header.

    Raises:
        ValueError: it is neither.
    """
    number, dot, call = text.partition(".")
    parts = (number, call) if dot else (number, "1")
    if not all(part.isascii() and part.isdigit() and len(part) < _DIGITS and int(part) for part in parts):
        message = f"{text!r} is no request; write N or N.K, both counted from 1"
        raise ValueError(message)
    return int(parts[0]), int(parts[1])


def asked(
    source: Source,
    path: str,
    wanted: Name,
    other: Name | Literal["previous"] | None,
    *,
    at: int | None,
    children: Children | None,
) -> tuple[list[Name], Requests, Report]:
    """Read one request, or one and another: the names, the requests, and the report on the log.

    Raises:
        Failure: the log has no such request, or none before it.
    """
    from dshlog.report.request import before, requests

    names = [wanted]
    if other is not None and other != PREVIOUS:
        names.append(other)
    found, report = requests(source, path, names, at=at, children=children)
    if at is not None and at >= report.events:
        return names, found, report  # the caller refuses it
    for name in names:
        if name not in found.found:
            raise _no_request(path, name, found)
    if other == PREVIOUS:
        earlier = before(wanted, found.calls)
        if earlier is None:
            raise _no_earlier(path, found)
        names.append(earlier)
        found, report = requests(source, path, names, at=at, children=children)
    return names, found, report


def _no_request(path: str, name: Name, found: Requests) -> Failure:
    from dshlog.model.request import request_word
    from dshlog.render.words import count, listed, shell_word

    if not found.headers:
        words = "the log has no request/header"
    elif name[0] > len(found.headers):
        words = f"the log has {count(len(found.headers), 'request header')}, at seq {listed(found.headers)}"
    else:
        words = f"header {name[0]} has {count(found.calls[name[0] - 1], 'call')}"
    hints = []
    other = _call_name(name, found.calls)
    if other is not None:
        hints.append(f"call {name[0]} of the model, counted from 1, is request {other}")
    if found.headers:
        hints.append(f"its requests are {_all_words(found.calls)}")
        hints += [f"dshlog show --turns --full {shell_word(path)}"] if path != "-" else []
    return Failure(f"no request {request_word(name)}: {words}", *hints)


def _no_earlier(path: str, found: Requests) -> Failure:
    from dshlog.render.words import shell_word

    message = "request 1 is the first one, there is none before it"
    later = next((f"{number}.2" if calls > 1 else f"{number + 1}" for number, calls in enumerate(found.calls, 1)), "")
    more = sum(max(calls, 1) for calls in found.calls) > 1
    hints = (f"dshlog show --request {later} --diff {shell_word(path)}",) if more and path != "-" else ()
    return Failure(message, *hints)


def _all_words(calls: list[int]) -> str:
    """Name all requests: `1 to 1.3, 2`."""
    from dshlog.render.words import listed

    return listed([f"{number} to {number}.{many}" if many > 1 else number for number, many in enumerate(calls, 1)])


def _call_name(name: Name, calls: list[int]) -> str | None:
    """Give the name of the N-th call of the whole log, which may have been meant by N; None where there is none."""
    left = name[0] if name[1] == 1 and name[0] > len(calls) else 0
    for number, held in enumerate(calls if left else (), 1):
        if left <= held:
            return f"{number}.{left}"
        left -= held
    return None

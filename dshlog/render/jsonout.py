"""Reports and surfaces as the JSON that others build on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from dshlog.model.finding import SEVERITIES, Finding
from dshlog.model.report import STATES, ReaderVerdict, Report
from dshlog.model.view import SurfaceView
from dshlog.render.words import PREVIEW, cut, json_visible, one_line, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dshlog.model.place import Place

SCHEMA = 1  # grows when the meaning of a key changes; a new key does not change it

Json = dict[str, Any]


def place_dict(place: Place) -> Json:
    """Give a place with every key."""
    return {
        "file": place.file,
        "line": place.line,
        "offset": place.offset,
        "frame": place.frame,
        "frame_at": place.frame_at,
        "seq": place.seq,
        "json_path": place.json_path,
        "row": None if place.row is None else place.row._asdict(),
    }


def finding_dict(finding: Finding) -> Json:
    """Give a finding with every key."""
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "rule": finding.rule,
        "message": finding.message,
        "hint": finding.hint,
        "remedy": finding.remedy,
        "place": place_dict(finding.place),
        "related": [place_dict(place) for place in finding.related],
        "follows": finding.follows,
    }


def _reader_dict(verdict: ReaderVerdict) -> Json:
    return {
        "build": verdict.build,
        "opens": verdict.opens,
        "first": verdict.first,
        "but": list(verdict.but),
    }


def log_dict(report: Report) -> Json:
    """Give one log with every key."""
    torn, surface, tail = report.torn, report.surface, report.tail
    return {
        "path": report.path,
        "id": report.id,
        "cwd": report.cwd,
        "version": report.version,
        "encoding": report.encoding,
        "state": report.state,
        "readers": {"native": _reader_dict(report.native), "latest": _reader_dict(report.latest)},
        "bytes": report.bytes,
        "frames": report.frames,
        "records": report.records,
        "events": report.events,
        "inherited": report.inherited,
        "torn": torn and {"at": torn.at, "bytes": torn.bytes, "events": torn.events},
        "surface": surface
        and {"nodes": surface.nodes, "replacements": surface.replacements, "messages": surface.messages},
        "tail": {
            "turn": scalar(tail.turn),
            "step": scalar(tail.step),
            "calls": [scalar(spelled(call)) for call in tail.calls],
        },
        "findings": [finding_dict(finding) for finding in report.findings],
    }


def summary_dict(reports: Iterable[Json], store: Iterable[Json] = ()) -> Json:
    """Count logs by state and findings by severity; the reports are those of `log_dict`."""
    states = dict.fromkeys(STATES, 0)
    findings = dict.fromkeys(SEVERITIES, 0)
    logs = 0
    for log in reports:
        logs += 1
        states[log["state"]] += 1
        for finding in log["findings"]:
            findings[finding["severity"]] += 1
    for finding in store:
        findings[finding["severity"]] += 1
    return {"logs": logs, "states": states, "findings": findings}


def validate_dict(logs: list[Json], *, reader: str, version: str, store: Iterable[Finding] = ()) -> Json:
    """Give the whole document of `validate --format json`.

    Args:
        logs: one `log_dict` per log, in the order judged.
        reader: the reader as it was asked for.
        version: the version of dshlog.
        store: findings about a root that belong to no single log.
    """
    about_store = [finding_dict(finding) for finding in store]
    return {
        "schema": SCHEMA,
        "tool": {"name": "dshlog", "version": version},
        "reader": reader,
        "summary": summary_dict(logs, about_store),
        "logs": logs,
        "store": about_store,
    }


def surface_dict(view: SurfaceView) -> Json:
    """Give the document of `show --surface --json`."""
    return {
        "schema": SCHEMA,
        "path": view.path,
        "version": view.version,
        "at": view.at,
        "nodes": list(view.nodes),
        "replacements": [
            {"seq": made.seq, "start": made.start, "end": made.end, "shadowedSeqs": list(made.shadowed)}
            for made in view.replacements
        ],
        "rows": [
            {
                "position": row.position,
                "seq": row.seq,
                "type": row.type,
                "role": row.role,
                "turn": scalar(row.turn),
                "step": scalar(row.step),
                "chars": row.chars,
                "source": row.source,
                "preview": cut(one_line(row.text), PREVIEW),
                "replaced": list(row.replaced),
            }
            for row in view.rows
        ],
    }


def card_dict(report: Report, view: SurfaceView | None = None) -> Json:
    """Give the document of `show --json`: the log of `validate`, with its own schema number and what names the session.

    `stop` is the line at which the readable prefix ends before the log does.
    """
    title, goal = (None, None) if view is None else (view.title, view.goal)
    return {"schema": SCHEMA, **log_dict(report), "title": title, "goal": goal, "stop": report.stop}


def document(value: Json) -> bytes:
    """Give a whole document, indented, with a newline at the end."""
    return _dumps(value, indented=True)


def exact(value: Json) -> bytes:
    """Give a document that holds payloads of a log, which may be of any depth, with a newline at the end."""
    from dshlog.storage.jsontext import dumps

    return dumps(value) + b"\n"


def streamed(head: Json, name: str, rows: Iterable[Json], behind: Callable[[], Json] | None = None) -> Iterator[bytes]:
    """Yield such a document piece by piece: the members of `head`, then a list of that name, one row a line.

    `behind` gives members that are known only when all rows are.
    """
    from dshlog.storage.jsontext import dumps

    yield dumps(head)[:-1] + b',"' + name.encode() + b'":['
    between = b"\n"
    for row in rows:
        yield between + dumps(row)
        between = b",\n"
    yield b"\n]" + (b"," + dumps(behind())[1:-1] if behind is not None else b"") + b"}\n"


def line(value: Json) -> bytes:
    """Give one value on one line, with a newline at the end."""
    return _dumps(value, indented=False)


def scalar(value: object) -> object:
    """Give a turn, a step or a call id as the log spells it; a list or an object there is no answer."""
    return value if value is None or isinstance(value, (str, int, float)) else None


def _dumps(value: Json, *, indented: bool) -> bytes:
    try:
        text = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indented else 0))
        return text if text.isascii() and b"\x7f" not in text else json_visible(text.decode()).encode()
    except orjson.JSONEncodeError:
        # Half surrogates (in messages, and in paths that are not UTF-8) and integers beyond 64 bits: plain
        # ASCII with escapes is the same JSON value.
        return _ascii(value, indented=indented)


def _ascii(value: Json, *, indented: bool) -> bytes:
    import json

    text = json.dumps(
        _finite(value), indent=2 if indented else None, separators=(",", ": " if indented else ":"), allow_nan=False
    )
    return json_visible(text).encode("ascii") + b"\n"


def _finite(value: object) -> object:
    # The depth is that of the documents above, never that of a log.
    if isinstance(value, dict):
        return {key: _finite(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_finite(member) for member in value]
    if isinstance(value, float) and not -float("inf") < value < float("inf"):
        return None
    return value

"""Findings as SARIF 2.1.0, written piece by piece: the rules first, then one result for each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from dshlog.render.jsonout import line
from dshlog.render.rows import message_words, row_words
from dshlog.report.fingerprint import fingerprints
from dshlog.rules.advice import advice
from dshlog.rules.explanations import explanation
from dshlog.rules.register import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dshlog.model.finding import Finding
    from dshlog.model.place import Place
    from dshlog.model.report import Encoding
    from dshlog.render.jsonout import Json
    from dshlog.rules.rule import Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "dshlog/v1"  # grows when fingerprints are made otherwise

_INDEX = {rule.code: index for index, rule in enumerate(RULES)}
_NEWEST = 4  # the generation whose severity is a rule's default


class Sarif:
    """One log file of one run: `begin`, any number of `results`, `end`; joined they are the document."""

    def __init__(self, version: str, path: Callable[[str], str]) -> None:
        """Take the version of dshlog, and how files are named."""
        self._version = version
        self._path = path
        self._between = b"\n"

    def begin(self) -> bytes:
        """Open the document, with all rules of the register."""
        driver = {
            "name": "dshlog",
            "version": self._version,
            "semanticVersion": self._version,
            "rules": [rule_dict(rule) for rule in RULES],
        }
        head = b'{"$schema":"%s","version":"2.1.0","runs":[{"tool":' % SCHEMA.encode()
        return head + _compact({"driver": driver}) + b',"results":['

    def results(
        self, findings: Sequence[Finding], *, encoding: Encoding | None = None, lengths: Mapping[int, int] | None = None
    ) -> Iterator[bytes]:
        """Yield a result for each finding of one log.

        Args:
            findings: all of one log, or all about the roots.
            encoding: that of the log. Lines and offsets of a zstd log are those of the decoded text, of
                which SARIF knows nothing, so they become properties.
            lengths: for the offsets of lines in a raw log their lengths in bytes, as far as known.
        """
        for finding, fingerprint in zip(findings, fingerprints(findings, self._path), strict=True):
            result = self._result(finding, fingerprint, encoding, lengths or {})
            yield self._between + _compact(result)
            self._between = b",\n"

    def end(self, errors: Sequence[tuple[str, str]] = ()) -> bytes:
        """Close the document; `errors` are the paths that could not be read, each with its message."""
        invocation: Json = {"executionSuccessful": not errors}
        if errors:
            invocation["toolExecutionNotifications"] = [
                {
                    "level": "error",
                    "message": {"text": message},
                    "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(self._path(path))}}}],
                }
                for path, message in errors
            ]
        return b'\n],"invocations":[%s]}]}\n' % _compact(invocation)

    def _result(
        self, finding: Finding, fingerprint: str, encoding: Encoding | None, lengths: Mapping[int, int]
    ) -> Json:
        place = finding.place
        said = f"{message_words(finding)}; {finding.hint}" if finding.hint else message_words(finding)
        properties = {
            **_stood(place),
            "frame": place.frame,
            "frameAt": place.frame_at,
            "seq": place.seq,
            "jsonPath": place.json_path,
            "remedy": finding.remedy,
            "follows": finding.follows or None,
        }
        result: Json = {"ruleId": finding.code}
        if finding.code in _INDEX:
            result["ruleIndex"] = _INDEX[finding.code]
        result |= {
            "level": finding.severity,
            "message": {"text": said},
            "locations": [self._location(place, encoding, lengths)],
            "partialFingerprints": {FINGERPRINT: fingerprint},
            "properties": {name: value for name, value in properties.items() if value is not None},
        }
        if finding.related:
            result["relatedLocations"] = [
                {"id": number, **self._location(other, encoding, lengths), "message": {"text": _related(other)}}
                for number, other in enumerate(finding.related, 1)
            ]
        return result

    def _location(self, place: Place, encoding: Encoding | None, lengths: Mapping[int, int]) -> Json:
        physical: Json = {"artifactLocation": {"uri": uri(self._path(place.on_disk[0]))}}
        region: Json = {}
        if encoding == "raw" and place.on_disk[1] is not None:
            region["startLine"] = place.line
        if encoding == "raw" and place.row is None and place.offset is not None and place.offset in lengths:
            region |= {"byteOffset": place.offset, "byteLength": lengths[place.offset]}
        if region:
            physical["region"] = region
        return {"physicalLocation": physical}


def rule_dict(rule: Rule) -> Json:
    """Give a rule of the register as a reporting descriptor."""
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary}; {rule.why}"},
        "help": {
            "text": f"{explanation(rule)}\n\nTo do: {advice(rule)}.\n\nMore, with examples: dshlog explain {rule.code}"
        },
        "defaultConfiguration": {"level": rule.severity(_NEWEST)},
        "properties": {"remedy": rule.remedy} | ({} if rule.rule is None else {"rule": rule.rule}),
    }


def uri(path: str) -> str:
    """Give a path as a URI reference: relative as it is, an absolute one with the scheme file."""
    quoted = quote(path.encode("utf-8", "surrogateescape" if _bytes_only(path) else "replace"))
    if path.startswith("/"):
        return f"file://{quoted}"
    if path[1:3] == ":/":  # a drive of Windows
        return f"file:///{path[:2]}{quoted.partition('%3A')[2]}"
    return quoted


def _bytes_only(path: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" and not "\udc80" <= sign <= "\udcff" for sign in path)


def _stood(place: Place) -> Json:
    """Give where in its text a record stands, or which row of a database it is."""
    row = place.row
    if row is None:
        return {"line": place.line, "textOffset": place.offset}
    return {"session": row.session, "table": row.table, "rowSeq": row.seq}


def _related(place: Place) -> str:
    if place.row is not None:
        return row_words(place) or "related"
    parts = [f"seq {place.seq}" if place.seq is not None else "", f"line {place.line}" if place.line else ""]
    return ", ".join(filter(None, parts)) or "related"


def _compact(value: Json) -> bytes:
    return line(value).rstrip(b"\n")
